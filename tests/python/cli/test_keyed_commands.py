"""The commands `learn`, `score` and `inspect` with one model a key."""

from __future__ import annotations

import json
import re
import signal
import subprocess

import numpy as np
import pytest
from learning import learn, predictions
from support import command, random_stream, running

import nystream
from nystream._cli import main
from nystream._tables.keys import Wrong, attempt

N = 1500
X, Y = random_stream(N, 3)
IDS = np.random.default_rng(3).integers(0, 40, N)
KEYS = {
    "texts": [f"s{i}" for i in IDS],
    "numbers": IDS.tolist(),
    "both": [int(i) if i % 2 else f"0{i}" for i in IDS],
}
BASIC = ["--target", "y", "--key", "sensor", "--chunk", "256"]


def columns(keys, n_rows=N):
    a, b, c = X[:n_rows].T.tolist()
    return {"a": a, "sensor": list(keys[:n_rows]), "b": b, "c": c, "y": Y[:n_rows].tolist()}


def write(path, keys, n_rows=N):
    found = columns(keys, n_rows)
    rows = list(zip(*found.values(), strict=True))
    if path.suffix == ".csv":
        text = [",".join(found), *(",".join(map(str, row)) for row in rows)]
    elif path.suffix == ".jsonl":
        text = [json.dumps(dict(zip(found, row, strict=True))) for row in rows]
    else:
        arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table(found), path)
        return path
    path.write_text("\n".join(text) + "\n")
    return path


def expected(keys, n_rows=N, **options):
    model = nystream.Keyed(nystream.LinearRls(), **options)
    return model, model.progressive(keys[:n_rows], X[:n_rows], Y[:n_rows])


# equality with the loop in Python


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("t.csv", "texts"),
        ("t.csv", "numbers"),
        ("t.csv", "both"),
        ("t.jsonl", "both"),
        ("t.parquet", "texts"),
        ("t.parquet", "numbers"),
    ],
)
def test_every_key_is_learned_as_in_python(name, kind, tmp_path, capsys):
    keys = KEYS[kind]
    out, saved = tmp_path / "p.csv", tmp_path / "m.nys"
    path = write(tmp_path / name, keys)
    assert learn(path, *BASIC, "--predictions", out, "--save", saved) == 0
    model, found = expected(keys)
    np.testing.assert_array_equal(predictions(out)[1], found)
    learned = nystream.load(saved)
    assert learned.keys() == model.keys()
    assert learned.feature_names == ["a", "b", "c"]
    mae, rmse = abs(found - Y).mean(), ((found - Y) ** 2).mean() ** 0.5
    printed = capsys.readouterr().out
    assert printed.startswith(f"1,500 rows, MAE {mae:.6g}, RMSE {rmse:.6g}, R2 ")
    assert re.search(r"rows/s, keys 40\n$", printed)


def test_an_array_has_keys_in_a_column(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.c_[X, IDS], y=Y)
    options = ["--key", "3", "--chunk", "256", "--predictions", tmp_path / "p.csv"]
    assert learn(tmp_path / "t.npz", *options) == 0
    np.testing.assert_array_equal(predictions(tmp_path / "p.csv")[1], expected(KEYS["numbers"])[1])


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (["--shared", "none"], {"shared": False}),
        (["--shared", "RunningMean"], {"shared": nystream.RunningMean()}),
        (["--max-keys", "5", "--store", "."], {}),
    ],
)
def test_options_are_those_of_keyed(options, same, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "t.csv", KEYS["texts"])
    assert learn(path, *BASIC, *options, "--predictions", "p.csv", "--save", "m.nys") == 0
    np.testing.assert_array_equal(predictions("p.csv")[1], expected(KEYS["texts"], **same)[1])
    model = nystream.load("m.nys")
    assert model.params["max_keys"] == (5 if "--store" in options else None)
    assert repr(model.params["shared"]) == repr(same.get("shared", nystream.LinearRls()) or None)


def test_a_row_without_a_label_is_predicted_by_its_key(tmp_path, capsys):
    found = columns(KEYS["texts"], 300)
    found["y"][100:103] = ["", "", ""]
    lines = [",".join(map(str, row)) for row in zip(*found.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([",".join(found), *lines]))
    assert learn(tmp_path / "t.csv", *BASIC, "--predictions", tmp_path / "p.csv") == 0
    model, before = expected(KEYS["texts"], 100)
    there = model.predict_many(KEYS["texts"][100:103], X[100:103])
    np.testing.assert_array_equal(predictions(tmp_path / "p.csv")[1][:103], [*before, *there])
    assert "297 rows, " in capsys.readouterr().out


# stopping and going on


def test_a_run_that_is_killed_goes_on_to_the_last_bit(tmp_path):
    keys, path = KEYS["texts"], tmp_path / "t.csv"
    whole = write(path, keys).read_bytes()
    files = [tmp_path / name for name in ("p.csv", "m.nys", "run.ckpt")]
    options = [*BASIC, "--max-keys", "7", "--every", "256", "--resume"]
    options += ["--predictions", files[0], "--save", files[1], "--checkpoint", files[2]]
    with running(command("learn", "-", *options), stdin=subprocess.PIPE) as process:
        process.stdin.write(whole[: len(whole) * 2 // 3])
        process.stdin.flush()
        while not files[2].exists():
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert learn(path, *options) == 0
    model, found = expected(keys, max_keys=7)
    np.testing.assert_array_equal(predictions(files[0])[1], found)
    assert nystream.load(files[1]).predict_many(keys, X).tobytes() == (
        model.predict_many(keys, X).tobytes()
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--key", "sensor", "--drop", "a"], "--features is ['b', 'c'], but was ['a', 'b', 'c']"),
        (["--key", "sensor", "--shared", "none"], "--algorithm is 'Keyed("),
        (["--algorithm", "LinearRls"], "--key is None, but was ['sensor']"),
    ],
)
def test_a_run_goes_on_with_the_same_keys(change, message, tmp_path, capsys):
    path = write(tmp_path / "t.csv", KEYS["numbers"], 50)
    options = [path, "--target", "y", "--checkpoint", tmp_path / "c", "--resume"]
    assert learn(*options, "--key", "sensor") == 0
    assert learn(*options, *change) == 2
    assert message in capsys.readouterr().err


def test_a_model_by_key_learns_on_and_is_scored(tmp_path, capsys):
    keys = KEYS["texts"]
    path, saved, out = write(tmp_path / "t.csv", keys), tmp_path / "m.nys", tmp_path / "p.csv"
    assert learn(path, *BASIC, "--save", saved) == 0
    assert learn(path, *BASIC, "--model", saved, "--predictions", out) == 0
    model, _ = expected(keys)
    scores = model.predict_many(keys, X)
    np.testing.assert_array_equal(predictions(out)[1], model.progressive(keys, X, Y))
    score = ["score", saved, path, "--key", "sensor", "--target", "y", "--output", out]
    assert main([*map(str, score)]) == 0
    np.testing.assert_array_equal(predictions(out)[1], scores)
    assert "1,500 rows, MAE " in capsys.readouterr().err


# keys that are none


@pytest.mark.parametrize(
    ("value", "key"),
    [
        *[("s1", "s1"), ("7", 7), ("-7", -7), ("007", "007"), ("3.0", 3), ("1e5", "1e5")],
        *[("9" * 30, "9" * 30), (5.0, 5), (2**60, 2**60), ("1.2.3", "1.2.3")],
        *[(None, None), (float("nan"), None), ("1.5", None), (1.5, None), (2.0**60, None)],
        *[(float("inf"), None), (2**63, None)],
    ],
)
def test_a_key_is_a_text_or_a_whole_number(value, key):
    found = attempt(value, float("inf"))
    assert isinstance(found, Wrong) if key is None else found == key
    assert key is None or type(found) is type(key)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_bad_key_is_named_and_left_out(name, tmp_path, capsys):
    keys = [*KEYS["texts"][:50], "" if name == "t.csv" else None, "1.5", *KEYS["texts"][52:100]]
    path, out = write(tmp_path / name, keys, 100), tmp_path / "p.csv"
    assert learn(path, *BASIC) == 2
    line = 51 + (name == "t.csv")
    missing = f"line {line}: column 'sensor' has no value, where the key of the row should be"
    assert missing in capsys.readouterr().err
    assert learn(path, *BASIC, "--on-error", "report", "--predictions", out) == 0
    told = capsys.readouterr()
    wrong = f"line {line + 1}: column 'sensor' should be a text or a whole number, but is 1.5"
    assert missing in told.err
    assert wrong in told.err
    assert "bad rows left out: 2" in told.out
    good = np.r_[0:50, 52:100]
    model = nystream.Keyed(nystream.LinearRls())
    found = model.progressive([keys[i] for i in good], X[good], Y[good])
    np.testing.assert_array_equal(predictions(out), [good, found])


def test_whole_numbers_of_json_are_keys_as_far_as_they_are_exact(tmp_path, capsys):
    path = write(tmp_path / "t.jsonl", [2**53, 2**53 + 1], 2)
    assert learn(path, *BASIC) == 0
    path = write(tmp_path / "t.jsonl", [2**53, 2**53 + 2], 2)
    assert learn(path, *BASIC) == 2
    assert "should be a text or a whole number, but is 9007199254740994" in capsys.readouterr().err


def test_a_list_of_json_is_no_key(tmp_path, capsys):
    path = write(tmp_path / "t.jsonl", [1, [2], 3], 3)
    assert learn(path, *BASIC) == 2
    expected = "line 2: column 'sensor' should be a text or a whole number, but is [2]"
    assert expected in capsys.readouterr().err
    path = write(tmp_path / "t.jsonl", [1, 1e20, 3], 3)
    assert learn(path, *BASIC) == 2
    assert "line 2: column 'sensor' should be" in capsys.readouterr().err


# what is refused


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_columns_without_numbers_are_named_all_at_once(name, tmp_path, capsys):
    path = write(tmp_path / name, KEYS["texts"], 100)
    assert learn(path, "--target", "y", "--key", "a", "--features", "b", "sensor") == 2
    error = capsys.readouterr().err
    assert "features of numbers, but there is column 'sensor': --features or --drop" in error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--key", "sensor", "--delay", "3", "--tabular"], "does not go with --delay, --tabular"),
        (["--key", "sensor", "--schema", "a=text"], "does not go with --schema"),
        (["--key", "sensor", "--target", "a"], "--key takes one --target"),
        (["--key", "sensor", "--store", "."], "--store needs --max-keys"),
        (["--key", "sensor", "--max-keys", "2", "--store", "no"], "--store should be a folder"),
        (["--key", "sensor", "--shared", "Best"], "--shared: algorithm should be one of"),
        (["--key", "sensor", "--set", "n_targets=2"], "n_targets should be 1 in a model of keys"),
        (["--key", "none"], "--key should be one of the columns 'a', 'sensor', 'b'"),
        (["--key", "y"], "column 'y' is chosen twice"),
        (["--shared", "none", "--max-keys", "2"], "--shared, --max-keys needs --key"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(options, message, tmp_path, capsys):
    path = write(tmp_path / "t.csv", KEYS["texts"], 50)
    assert learn(path, "--target", "y", *options) == 2
    assert message in capsys.readouterr().err


def test_a_model_by_key_needs_a_key_and_no_other_has_one(tmp_path, capsys):
    path = write(tmp_path / "t.csv", KEYS["numbers"], 50)
    keyed, plain = tmp_path / "keyed.nys", tmp_path / "plain.nys"
    expected(KEYS["numbers"], 50)[0].save(keyed)
    nystream.LinearRls().save(plain)
    for model, options in ((keyed, []), (plain, ["--key", "sensor"])):
        words = "holds models by key: --key" if model == keyed else "but {} holds a LinearRls"
        assert learn(path, "--target", "y", "--model", model, *options) == 2
        assert words.format(model) in capsys.readouterr().err
        assert main([*map(str, ["score", model, path, *options])]) == 2
        assert words.format(model) in capsys.readouterr().err


# inspect


def test_models_by_key_are_described(tmp_path, capsys):
    model, saved = expected(KEYS["texts"], max_keys=9)[0], tmp_path / "m.nys"
    model.save(saved)
    assert main(["inspect", str(saved)]) == 0
    printed = capsys.readouterr().out
    for line in (
        r"learner +LinearRls\(.*",
        r"shared +LinearRls\(.*",
        "keys +40",
        "rows seen +1,500",
    ):
        assert re.search(f"^{line}$", printed, re.MULTILINE)
    assert re.search(r"^memory +[\d,]+ bytes$", printed, re.MULTILINE)
    assert main(["inspect", str(saved), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["models"]["m.nys"]
    assert [facts[name] for name in ("kind", "n_keys", "n_seen", "max_keys")] == [
        *("Keyed", 40, 1500, 9)
    ]
