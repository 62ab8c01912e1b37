"""A model file gives the model that was saved, bit for bit, or a clear error."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make import golden, stream
from modelfile import checksum, split, tampered
from support import random_stream

import nystream

X, Y = random_stream(20, 3)
GOLDEN = Path(__file__).parents[1] / "golden"
FORMATS = {folder.name: [*golden(folder)] for folder in sorted(GOLDEN.glob("format-*"))}


@cache
def learned(name):
    """A learner that has seen 20 rows of 3 features."""
    model = getattr(nystream, name)()
    model.learn_many(X, Y)
    return model


@pytest.fixture(params=nystream.algorithms())
def model(request):
    return nystream.Learner.from_bytes(learned(request.param).to_bytes())


def test_the_format_is_what_its_description_says(model):
    header, about, body = split(model.to_bytes())
    content = json.loads(about)
    assert list(header["__metadata__"]) == ["nystream"]
    assert about == json.dumps(content, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    has_columns = model.schema is not None
    assert (content["format"], content["version"]) == (1 + has_columns, nystream.__version__)
    unsigned = about.replace(content["sha256"], "0" * 64)
    assert checksum(unsigned, header, body) == content["sha256"]


def test_equal_models_have_equal_bytes(model):
    assert model.to_bytes() == pickle.loads(pickle.dumps(model)).to_bytes()


def test_triangles_are_stored_as_triangles():
    model = learned("RidgeAld")
    header, _, body = split(model.to_bytes())
    n = model.n_basis
    sizes = {name: entry["shape"] for name, entry in header.items() if name != "__metadata__"}
    assert sizes["factor"] == sizes["inverse_factor"] == sizes["root"] == [n * (n + 1) // 2]
    assert len(body) == 8 * sum(int(np.prod(shape)) for shape in sizes.values())


# --- Saving and loading


def test_a_saved_model_is_loaded(model, tmp_path):
    for path in [tmp_path / "model.nys", str(tmp_path / "mödel 2")]:
        model.save(path)
        again = nystream.load(path)
        assert type(again) is type(model)
        assert again.to_bytes() == model.to_bytes() == Path(path).read_bytes()


GO_ON = """
import sys, numpy as np, nystream
folder, = sys.argv[1:]
data = np.load(f"{folder}/stream.npz")
for name in nystream.algorithms():
    model = nystream.load(f"{folder}/{name}.nys")
    np.save(f"{folder}/{name}.npy", model.progressive(data["X"], data["y"]))
    model.save(f"{folder}/{name}.nys")
"""


def test_a_model_goes_on_in_another_process_bit_for_bit(tmp_path):
    X, y = random_stream(300, 3, seed=1)
    np.savez(tmp_path / "stream.npz", X=X[150:], y=y[150:])
    models = {name: getattr(nystream, name)() for name in nystream.algorithms()}
    for name, model in models.items():
        model.learn_many(X[:150], y[:150])
        model.save(tmp_path / f"{name}.nys")
    subprocess.run([sys.executable, "-c", GO_ON, str(tmp_path)], check=True)
    for name, model in models.items():
        here = model.progressive(X[150:], y[150:])
        assert np.array_equal(here, np.load(tmp_path / f"{name}.npy")), name
        assert model.to_bytes() == (tmp_path / f"{name}.nys").read_bytes(), name


def test_a_reader_never_sees_half_a_file(tmp_path):
    """One thread writes two models of different sizes in turn, another reads all the time."""
    path = tmp_path / "model.nys"
    small, large = learned("RunningMean"), nystream.OnlineKrr()
    large.learn_many(*random_stream(300, 3))
    both = {small.to_bytes(), large.to_bytes()}
    small.save(path)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            large.save(path)
            small.save(path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = {nystream.load(path).to_bytes() for _ in range(50)}
    finally:
        stop.set()
        writer.join()
    assert seen <= both
    assert os.listdir(tmp_path) == ["model.nys"]


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.nys"
    model = learned("RunningMean")
    model.save(path)
    script = (
        "import sys, os, threading, nystream\n"
        "model = nystream.load(sys.argv[1])\n"
        "threading.Timer(0.05, os._exit, (9,)).start()\n"
        "while True: model.save(sys.argv[1])"
    )
    for _ in range(3):
        subprocess.run([sys.executable, "-c", script, str(path)], check=False)
        assert nystream.load(path).to_bytes() == model.to_bytes()
        model.save(path)
        assert os.listdir(tmp_path) == ["model.nys"]  # also without what the other left behind


@pytest.mark.skipif(os.name != "posix", reason="links and permissions as POSIX has them")
def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "model.nys", tmp_path / "link.nys"
    learned("RunningMean").save(path)
    path.chmod(0o640)
    link.symlink_to(path)
    learned("NonsAld").save(link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert type(nystream.load(path)) is nystream.NonsAld


@pytest.mark.skipif(os.name != "posix", reason="links and pipes as POSIX has them")
def test_links_to_nothing_and_pipes_are_written_to(tmp_path):
    model, link, pipe = learned("NonsAld"), tmp_path / "link.nys", tmp_path / "pipe"
    link.symlink_to("folder/to come.nys")
    with pytest.raises(FileNotFoundError):
        model.save(link)
    (tmp_path / "folder").mkdir()
    model.save(link)
    assert nystream.load(tmp_path / "folder" / "to come.nys").to_bytes() == model.to_bytes()
    os.mkfifo(pipe)
    writer = threading.Thread(target=model.save, args=(pipe,))
    writer.start()
    assert nystream.load(pipe).to_bytes() == model.to_bytes()
    writer.join()


def test_a_name_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("n" * 255)
    learned("NonsAld").save(path)
    assert type(nystream.load(path)) is nystream.NonsAld


def test_files_that_cannot_be_written_or_read(model, tmp_path):
    (tmp_path / "folder").mkdir()
    for call in [model.save, nystream.load]:
        with pytest.raises(FileNotFoundError, match="nowhere") as caught:
            call(tmp_path / "nowhere" / "model.nys")
        assert caught.value.filename == str(tmp_path / "nowhere" / "model.nys")
        with pytest.raises((IsADirectoryError, PermissionError), match="folder"):
            call(tmp_path / "folder")
        with pytest.raises(TypeError, match="path should be a string or a path, but is 3"):
            call(3)
    assert os.listdir(tmp_path) == ["folder"]


def test_the_path_of_a_bad_file_is_named(tmp_path):
    path = tmp_path / "notes.txt"
    for content in [b"", b"these are my notes " * 10, learned("NonsAld").to_bytes()[:-1]]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"notes\.txt: not a nystream model: "):
            nystream.load(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_a_file_without_an_end_is_refused():
    with pytest.raises(ValueError, match="/dev/zero: not a nystream model: "):
        nystream.load("/dev/zero")


def test_a_newer_format_is_refused_by_number_and_version(model):
    data = tampered(model.to_bytes(), lambda about, _: about.update(format=4, version="9.9"))
    with pytest.raises(ValueError, match=r"format is 4, written by version 9\.9"):
        nystream.Learner.from_bytes(data)


def test_nothing_in_a_file_is_executed(tmp_path):
    class Trap:
        def __reduce__(self):
            return print, ("executed",)

    path = tmp_path / "model.nys"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="not a nystream model"):
        nystream.load(path)


# --- Golden files


def golden_files():
    for name, files in FORMATS.items():
        for stem, data, expected in files:
            yield pytest.param(data, expected, id=f"{name}-{stem}")


def test_every_format_and_learner_has_a_golden_file():
    names = {stem for files in FORMATS.values() for stem, _, _ in files}
    assert names >= {*nystream.algorithms(), *(f"{n}-scorer" for n in nystream.algorithms())}


@pytest.mark.parametrize(("data", "expected"), [*golden_files()])
def test_golden_files_stay_loadable(data, expected, tmp_path):
    """They predict, and go on learning, as the program that wrote them did."""
    X, y = stream()
    path = tmp_path / "golden.nys"
    path.write_bytes(data)
    model = nystream.load(path)
    # Other instruction sets round otherwise.
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(model.predict_many(X[20:]), expected[:20], **close)
    if isinstance(model, nystream.Learner):
        n_rows = rows_with_its_experts(model)
        predictions = model.progressive(X[20:], y[20:])
        np.testing.assert_allclose(predictions[:n_rows], expected[20 : 20 + n_rows], **close)


def test_a_forged_auto_without_metrics_is_refused():
    model = nystream.Auto(warm_up=8, max_basis=6)
    model.learn_many(*stream())

    def rename(_, header):
        for name in [name for name in header if ".metric" in name]:
            header[name.replace(".metric", ".other")] = header.pop(name)

    with pytest.raises(ValueError, match="it should have a metric"):
        nystream.Auto.from_bytes(tampered(model.to_bytes(), rename))


def rows_with_its_experts(model):
    """The number of rows before Auto begins anew, or makes experts anew, as today's does."""
    if not isinstance(model, nystream.Auto):
        return 20
    if model.n_seen < model.warm_up:
        return 2 ** model.n_seen.bit_length() - model.n_seen
    if len(model.relevance) == 0:  # a file from before there were experts that are made anew
        return 20
    doublings = (model.n_seen // model.warm_up).bit_length()
    return model.warm_up * 2**doublings - model.n_seen


# --- Damaged files


def damaged(data, rng):
    """The bytes with one change, which may be none."""
    # Half of the changes go to the header, which is shorter than the arrays but says more.
    header = 8 + int.from_bytes(data[:8], "little")
    end = min(len(data), header) if rng.random() < 0.5 else len(data)
    i, j = sorted(int(n) for n in rng.integers(end, size=2))
    byte = rng.bytes(1)
    changes = [
        data[:i] + bytes([data[i] ^ (1 << rng.integers(8))]) + data[i + 1 :],  # a flipped bit
        data[:i] + byte + data[i + 1 :],
        data[:i] + byte + data[i:],
        data[:i] + data[j:],
        data[:j],
        data[:i] + data[j : j + 1] + data[i + 1 : j] + data[i : i + 1] + data[j + 1 :],  # swapped
        data[:j] + data[i:],
    ]
    return changes[rng.integers(len(changes))] or b"\0"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**63))
def test_damaged_files_give_an_error_or_the_same_model(seed):
    """A hundred files an example: two thousand."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        model = learned(rng.choice(nystream.algorithms()))
        model = model.scorer() if rng.random() < 0.5 else model
        data = whole = model.to_bytes()
        for _ in range(rng.integers(1, 4)):
            data = damaged(data, rng)
        read = type(model).from_bytes
        try:
            again = read(data).to_bytes()
        except ValueError as error:
            again = str(error)
        assert again == whole or again.startswith("not a nystream model: ")


def test_bytes_that_hold_no_model_are_refused(model):
    data = model.to_bytes()
    for wrong in [b"", b"model", data[:-1], data[: len(data) // 2], data[:9], b"\xff" * 64]:
        with pytest.raises(ValueError, match="not a nystream model"):
            nystream.Learner.from_bytes(wrong)
    with pytest.raises(TypeError, match="data should be bytes, but is 'text'"):
        nystream.Learner.from_bytes("text")
    assert nystream.Learner.from_bytes(bytearray(data)).to_bytes() == data


def test_bytes_of_another_learner_are_refused():
    data = nystream.AogdAld().to_bytes()
    with pytest.raises(ValueError, match="data should hold a NonsAld, but holds a AogdAld"):
        nystream.NonsAld.from_bytes(data)


def test_arrays_with_one_flipped_bit_are_refused_or_give_a_working_model(model):
    """Even if the checksum was mended."""
    data = model.to_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    rng = np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(data)
        changed[rng.integers(start, len(data))] ^= 1 << rng.integers(8)
        try:
            loaded = nystream.Learner.from_bytes(tampered(bytes(changed), lambda *_: None))
            predictions = loaded.predict_many(X)
            loaded.learn_many(X, Y)
        except ValueError:
            continue
        assert predictions.shape == (20,)


def test_headers_that_no_model_has_are_refused(model):
    for width in [0, 2, 4, 2**62]:
        data = tampered(model.to_bytes(), lambda about, _, w=width: about.update(n_features=w))
        if width in (2, 4) and type(model) is nystream.RunningMean:
            continue  # it has no array that says otherwise
        with pytest.raises(ValueError, match="not a nystream model"):
            nystream.Learner.from_bytes(data)
    data = tampered(model.to_bytes(), lambda about, _: about.update(n_seen=2**64 - 1))
    loaded = nystream.Learner.from_bytes(data)
    loaded.learn_one(X[0], 0.5)
    assert loaded.n_seen == 2**64 - 1


def test_what_no_header_says_is_refused_before_it_is_read(model):
    data = model.to_bytes()
    for key in ["zzz", "n_features", "feature_names"]:
        long = tampered(data, lambda about, _, key=key: about.update({key: [[]] * 1000}))
        with pytest.raises(
            ValueError, match=r"not a nystream model: .*(unknown field|invalid type)"
        ):
            nystream.Learner.from_bytes(long)
    longer = tampered(data, lambda about, _: about.update(learner=[[]] * 100_000))
    with pytest.raises(ValueError, match="learner should have at most 65536 bytes"):
        nystream.Learner.from_bytes(longer)
    longest = tampered(data, lambda about, _: about.update(zzz="z" * 2**24))
    with pytest.raises(ValueError, match="should begin with a header of at most 16777216 bytes"):
        nystream.Learner.from_bytes(longest)


LARGE_AND_SMALL = [1e308, -1e308, 1e300, 1e200, 1e100, -1e9, -1.0, 0.0, 1e-300, 5e-324]


def test_numbers_that_overflow_are_refused_or_give_finite_predictions(model):
    rng = np.random.default_rng(0)
    for data in [model.to_bytes(), model.scorer().to_bytes()]:
        read = nystream.Scorer if b"scorer" in data else nystream.Learner
        for _ in range(100):
            try:
                predictions = read.from_bytes(forged(data, rng)).predict_many(X)
            except (ValueError, np.linalg.LinAlgError):
                continue
            assert np.isfinite(predictions).all()


def forged(data, rng):
    """The bytes with large or tiny numbers in some of the arrays, signed anew."""
    header, _, body = split(data)
    body = np.frombuffer(body, "<f8").copy()
    names = sorted(set(header) - {"__metadata__"})
    for name in rng.choice(names, size=min(2, len(names)), replace=False):
        first, last = (offset // 8 for offset in header[name]["data_offsets"])
        places = first + np.flatnonzero(rng.random(last - first) < rng.choice([0.1, 1.0]))
        body[places] = rng.choice(LARGE_AND_SMALL)
    return tampered(data[: -body.nbytes or None] + body.tobytes(), lambda *_: None)


@pytest.mark.slow
def test_shapes_that_do_not_fit_are_refused_or_give_a_working_model(model):
    header = {}
    tampered(model.to_bytes(), lambda _, tensors: header.update(tensors))
    for name in set(header) - {"__metadata__"}:
        shape = header[name]["shape"]
        for other in [shape[::-1], [int(np.prod(shape))], [1, *shape], [*shape, 1]]:
            data = tampered(
                model.to_bytes(), lambda _, tensors, n=name, s=other: tensors[n].update(shape=s)
            )
            try:
                loaded = nystream.Learner.from_bytes(data)
                loaded.learn_many(X, Y)
            except ValueError:
                continue
            assert np.isfinite(loaded.predict_many(X)).all()


def test_a_learner_is_no_scorer(model):
    with pytest.raises(ValueError, match="it holds a learner, not a scorer"):
        nystream.Scorer.from_bytes(model.to_bytes())
    with pytest.raises(ValueError, match="it holds a scorer, not a learner"):
        nystream.Learner.from_bytes(model.scorer().to_bytes())
