"""Checkpoints that nobody has written so: forged, packed or patched together."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tracemalloc
import warnings
import zipfile

import pytest
import tables
from support import random_stream

import nystream
from nystream._cli import main
from nystream._runs.checkpoint import Checkpoint

X, Y = random_stream(100, 3)
MODEL = nystream.LinearRls()
MODEL.learn_many(X, Y)
STATE = {"format": 1, "models": ["model"], "state": {"row": 100}}


def archive(*members, packed=(), state=STATE):
    """An archive of pairs of a name and what it holds, after the state."""
    text = state if isinstance(state, (str, bytes)) else json.dumps(state)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a name is there twice
        for name, data in [("state.json", text), *members]:
            kind = zipfile.ZIP_DEFLATED if name in packed else zipfile.ZIP_STORED
            file.writestr(zipfile.ZipInfo(name), data, kind)
    return buffer.getvalue()


SOUND = ("model-0.nys", MODEL.to_bytes())
ZEROS = ("model-0.nys", bytes(200_000_000))


def bomb():
    return archive(ZEROS, packed=[ZEROS[0]])


def packed_state():
    text = json.dumps({**STATE, "state": {"zeros": [0] * 3_000_000}})
    return archive(SOUND, packed=["state.json"], state=text)


def patched(data, before, after):
    """Other bytes, as often as they are there."""
    assert before in data
    return data.replace(before, after)


def claims_to_be_large():
    """A member of 4 GB by the archive's table of contents."""
    data = archive(SOUND)
    size = len(SOUND[1]).to_bytes(4, "little")
    return patched(data, size + size, b"\xf0\xff\xff\xff" * 2)


def overlapping():
    """Many names for the same bytes: the table of contents says where each begins."""
    members = [(f"model-{i}.nys", b"") for i in range(1, 300)]
    state = {**STATE, "models": [str(i) for i in range(300)]}
    data = bytearray(archive(("model-0.nys", bytes(1_000_000)), *members, state=state))
    first = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    entry = data[first : first + 46]
    at = first
    while (at := data.find(b"PK\x01\x02", at + 1)) > 0:
        data[at + 16 : at + 28] = entry[16:28]  # checksum and sizes
        data[at + 42 : at + 46] = entry[42:46]  # where it begins
    return bytes(data)


def encrypted():
    """As the table of contents says by a bit of its flags."""
    entry = b"PK\x01\x02\x14\x03\x14\x00"
    return patched(archive(SOUND), entry + b"\x00", entry + b"\x01")


FORGED = {
    "a bomb": (bomb, "its members should not be compressed"),
    "a packed state": (packed_state, "its members should not be compressed"),
    "too large": (claims_to_be_large, "said to be larger than the file"),
    "overlapping": (overlapping, "said to be larger than the file"),
    "encrypted": (encrypted, "should not be encrypted"),
    "a name twice": (lambda: archive(SOUND, SOUND), "models alone, each once"),
    "the state twice": (lambda: archive(SOUND, ("state.json", "{}")), "models alone, each once"),
    "another member": (lambda: archive(SOUND, ("../../x", "y")), "models alone, each once"),
    "no state": (lambda: patched(archive(SOUND), b"state.json", b"other.json"), "models alone"),
    "one model less": (archive, "each of its models should have a name of its own"),
    "no archive": (lambda: b"PK\x03\x04" + bytes(100), "is not a zip file"),
}
STATES = [
    ("[1]", "it has format [1], not 1"),
    ("3" * 5000, "digit"),
    ("[" * 100_000, "recursion"),
    (b"\xff\xfe\x00", "decode"),
    ("{}", "it has format None, not 1"),
    ({**STATE, "format": 2}, "it has format 2, not 1"),
    ({**STATE, "format": [1] * 1000}, "it has format [1, 1"),
    ({**STATE, "models": {"model": 0}}, "should be a list of texts"),
    ({**STATE, "models": [["model"]]}, "should be a list of texts"),
    ({**STATE, "models": ["a", "a"]}, "a name of its own"),
    ({**STATE, "models": []}, "a name of its own"),
    ({**STATE, "state": [1]}, "its state should be an object, but is [1]"),
    ({**STATE, "state": None}, "its state should be an object, but is None"),
    (json.dumps({**STATE, "state": {"x": float("nan")}}), "its state holds NaN"),
    (json.dumps({**STATE, "state": {"x": float("-inf")}}), "its state holds -Infinity"),
]
ARCHIVES = [pytest.param(*case, id=name) for name, case in FORGED.items()]
ARCHIVES += [
    pytest.param(lambda state=state: archive(SOUND, state=state), message, id=f"state {i}")
    for i, (state, message) in enumerate(STATES)
]


@pytest.mark.parametrize(("forge", "message"), ARCHIVES)
def test_a_forged_archive_is_refused_in_little_memory(forge, message, tmp_path):
    path = tmp_path / "c.ckpt"
    path.write_bytes(forge())
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is not a sound checkpoint: ") as refused:
            Checkpoint.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert message in str(refused.value)
    assert len(str(refused.value)) < 500
    assert peak < 2_000_000 + 20 * path.stat().st_size
    assert peak < 50_000_000


@pytest.mark.slow
def test_what_chance_does_to_a_checkpoint_is_found(tmp_path):
    path = tmp_path / "c.ckpt"
    sound = Checkpoint({"model": MODEL.to_bytes()}, {"row": 100})
    data, rng = sound.to_bytes(), random.Random(0)
    places = [*range(80), *range(len(data) - 250, len(data))]
    for at in places * 8:
        damaged = bytearray(data)
        damaged[at] = rng.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            assert Checkpoint.read(path) == sound


# a run


@pytest.fixture
def run(tmp_path):
    """The options of a run that has its checkpoint, and could be resumed."""
    path = tables.write(tmp_path, "t.csv", X, Y)
    options = ["learn", path, "--target", "y", "--algorithm", "LinearRls", "--resume"]
    options += ["--predictions", tmp_path / "p.csv", "--checkpoint", tmp_path / "run.ckpt"]
    assert main([*map(str, options)]) == 0
    return [*map(str, options)]


def put(value, *keys):
    """A change of the state: another value at a place."""

    def change(state):
        for key in keys[:-1]:
            state = state[key]
        state[keys[-1]] = value

    return change


CHANGES = [
    *(put(value, "position", "row") for value in (-1, 99.0, 1 << 70, True, "100", None, [100])),
    *(put(value, "position", "line") for value in (-1, 1.5, 1 << 70)),
    *(put(value, "position", "byte") for value in (-1, 1.5, 1 << 70, 1 << 61, 10)),
    *(put(value, "position", "digest") for value in (1, "", "0" * 64, ["x"])),
    put(1, "position", "column"),
    *(put(value, "position") for value in ([], 3, "row", None, {})),
    *(put(value, "tally", "good") for value in (-1, 99, 1e3, 1 << 70, "1")),
    *(put(value, "tally", "bad") for value in (-1, 1, None)),
    *(put(value, "tally", "squared_errors") for value in ([], [-1.0], [1, 2], 3, ["x"], [None])),
    *(put(value, "tally", "means") for value in ([[1.0]], [True], [10**400], {}, "1")),
    *(put(value, "tally", "spreads") for value in ([-1e-3], [1.0, 1.0], None)),
    put({}, "tally"),
    *(put(value, "output_length") for value in (-1, 0, 1.5, 50, 10**6, 1 << 70, "9", None)),
    *(put(value, "settings") for value in ([], None, 3, {}, "text")),
    lambda state: state.clear(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_forged_state_is_refused_and_nothing_is_touched(change, run, tmp_path, capsys):
    path = tmp_path / "run.ckpt"
    checkpoint = Checkpoint.read(path)
    change(checkpoint.state)
    checkpoint.write(path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    capsys.readouterr()
    assert main(run) == 2
    error = capsys.readouterr().err
    assert error.startswith("nystream: error: ")
    assert error.count("\n") == 1
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert main(["inspect", str(path)]) in (0, 2)
    assert main(["inspect", "--json", str(path)]) == 0


OTHERS = [nystream.LinearRls().to_bytes(), nystream.Auto().to_bytes()]


@pytest.mark.parametrize(
    "data", [b"", b"no model", MODEL.to_bytes()[:-1], MODEL.scorer().to_bytes(), *OTHERS]
)
def test_a_model_that_is_none_or_another_is_refused(data, run, tmp_path, capsys):
    path = tmp_path / "run.ckpt"
    checkpoint = Checkpoint.read(path)
    Checkpoint({"model": data}, checkpoint.state).write(path)
    capsys.readouterr()
    assert main(run) == 2
    error = capsys.readouterr().err
    assert f"error: {path} " in error
    assert error.count("\n") == 1
    for command in (["inspect", path], ["score", path, tmp_path / "t.csv"]):
        code = main([*map(str, command)])
        if data not in OTHERS:
            assert code == 2
            assert f"{path} is not a sound checkpoint: its model 'model'" in capsys.readouterr().err


def test_a_checkpoint_of_another_kind_is_refused(run, tmp_path, capsys):
    path = tmp_path / "run.ckpt"
    Checkpoint({"other": MODEL.to_bytes()}, Checkpoint.read(path).state).write(path)
    assert main(run) == 2
    assert "run.ckpt is not a sound checkpoint: it has no model 'model'" in capsys.readouterr().err


# shards on Ray


@pytest.fixture
def shards(tmp_path):
    pytest.importorskip("ray", reason="not installed: ray")
    from nystream.ray._record import Record

    Record.first(MODEL).write(tmp_path)
    return tmp_path / "shards.ckpt"


@pytest.mark.parametrize(
    "state",
    [
        *({"position": value, "files": []} for value in (-1, 1.5, "1", None, True)),
        *({"position": 1, "files": value} for value in (3, [3], ["../x"], ["shard-0-1.ckpt/"])),
        *({"position": 1, "files": [value]} for value in ("/etc/passwd", "shard-0-1.ckpt\n", "")),
        {"position": 1},
        {},
    ],
)
def test_a_forged_record_of_shards_is_refused(state, shards):
    from nystream.ray._record import Record

    Checkpoint(Checkpoint.read(shards).models, state).write(shards)
    with pytest.raises(ValueError, match=r"shards\.ckpt is not a record of shards: "):
        Record.read(shards.parent)


def test_a_record_without_its_models_is_refused(shards):
    from nystream.ray._record import Record

    state = Checkpoint.read(shards).state
    for models in ({}, {"model": MODEL.to_bytes()}, {"model": b"", "gate": b""}):
        Checkpoint(models, state).write(shards)
        with pytest.raises(ValueError, match=r"shards\.ckpt is not a sound checkpoint: it"):
            Record.read(shards.parent)


def test_a_shard_takes_no_file_of_another_moment(shards):
    from nystream.ray._shard import Shard

    file = shards.parent / "shard-0-7.ckpt"
    for state in ({"position": 8}, {}, {"position": 7, "more": 1}):
        Checkpoint({"key": MODEL.to_bytes()}, state).write(file)
        with pytest.raises(ValueError, match="should be of row 7, but is of another moment"):
            Shard(MODEL).restore([file], 7, 0, 1)
    Checkpoint({"key": b"none"}, {"position": 7}).write(file)
    with pytest.raises(ValueError, match="its model 'key' cannot be read: not a nystream model"):
        Shard(MODEL).restore([file], 7, 0, 1)
