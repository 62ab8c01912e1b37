"""`nystream score` and `nystream inspect`."""

from __future__ import annotations

import json
import re
import subprocess

import numpy as np
import pytest
import tables
from support import command, random_stream, running

import nystream
from nystream._cli import main
from nystream._frames import NamedRows
from nystream._runs.checkpoint import Checkpoint

X, Y = random_stream(700, 3)


@pytest.fixture
def model(tmp_path):
    """A model that knows its columns by name, and its file."""
    model = nystream.RidgeAld(nystream.Gaussian(sigma=1.5), max_basis=40)
    model.learn_many(NamedRows(list(tables.NAMES), X), Y)
    model.save(tmp_path / "m.nys")
    return model


def score(folder, *arguments):
    return main(["score", str(folder / "m.nys"), *map(str, arguments)])


def inspect(*arguments):
    return main(["inspect", *map(str, arguments)])


def predictions(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


@pytest.mark.parametrize("name", tables.WRITERS)
def test_every_format_is_scored_as_the_arrays_are(name, tmp_path, model, capsys):
    path, out = tables.write(tmp_path, name, X, Y), tmp_path / "p.csv"
    assert score(tmp_path, path, "--chunk", 64, "--output", out) == 0
    found = predictions(out)
    np.testing.assert_array_equal(found[:, 0], np.arange(700))
    np.testing.assert_allclose(found[:, 1], model.predict_many(X), rtol=1e-12, atol=1e-14)
    assert capsys.readouterr() == ("", "")


def test_columns_are_found_by_their_names(tmp_path, model):
    path, out = tmp_path / "t.csv", tmp_path / "p.csv"
    path.write_text(tables.text_rows(np.c_[X[:, ::-1], Y], Y, names=("c", "b", "a", "more")))
    assert score(tmp_path, path, "--output", out) == 0
    np.testing.assert_array_equal(predictions(out)[:, 1], model.predict_many(X))


@pytest.mark.parametrize("kind", ["scorer", "checkpoint", "nameless"])
def test_what_holds_a_model_can_score(kind, tmp_path, model):
    if kind == "scorer":
        model.scorer().save(tmp_path / "m.nys")
    elif kind == "checkpoint":
        Checkpoint({"model": model.to_bytes()}, {}).write(tmp_path / "m.nys")
    else:
        nameless = nystream.RidgeAld(nystream.Gaussian(sigma=1.5), max_basis=40)
        nameless.learn_many(X, Y)
        nameless.save(tmp_path / "m.nys")
    out = tmp_path / "p.csv"
    for name in ("t.csv", "t.npz"):
        path = tables.write(tmp_path, name, X, Y)
        drop = ["--drop", "y"] if kind == "nameless" and name == "t.csv" else []
        assert score(tmp_path, path, "--output", out, *drop) == 0
        np.testing.assert_array_equal(predictions(out)[:, 1], model.predict_many(X))


def test_pipes(tmp_path, model):
    """As in `cat t.jsonl | nystream score m.nys - --format jsonl | head -3`."""
    path = tables.write(tmp_path, "t.jsonl", X, Y)
    arguments = ["score", tmp_path / "m.nys", "-", "--format", "jsonl", "--output-format", "jsonl"]
    with open(path, "rb") as file:
        run = subprocess.run(command(*arguments), stdin=file, capture_output=True, check=True)
    assert run.stderr == b""
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert [row["row"] for row in rows] == list(range(700))
    found = [row["prediction"] for row in rows]
    np.testing.assert_allclose(found, model.predict_many(X), rtol=1e-12, atol=1e-14)


def test_a_reader_that_has_had_enough_is_no_error_to_tell(tmp_path, model):
    path = tables.write(tmp_path, "t.csv", np.tile(X, (40, 1)), np.tile(Y, 40))
    arguments = command("score", tmp_path / "m.nys", path, "--chunk", 16)
    with running(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"row,prediction\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_labels_tell_the_error(tmp_path, model, capsys):
    path = tables.write(tmp_path, "t.csv", X, Y)
    assert score(tmp_path, path, "--target", "y", "--output", "/dev/null") == 0
    mse = np.mean((model.predict_many(X) - Y) ** 2)
    assert f"RMSE {mse**0.5:.6g}, R2 {1 - mse / Y.var():.4f}" in capsys.readouterr().err


def test_several_targets(tmp_path):
    model = nystream.LinearRls(n_targets=2)
    model.learn_many(X, np.c_[Y, -Y])
    model.save(tmp_path / "m.nys")
    np.savez(tmp_path / "t.npz", X=X)
    for name in ("p.csv", "p.jsonl"):
        assert score(tmp_path, tmp_path / "t.npz", "--output", tmp_path / name) == 0
    np.testing.assert_array_equal(predictions(tmp_path / "p.csv")[:, 1:], model.predict_many(X))
    assert (tmp_path / "p.csv").read_text().startswith("row,prediction_0,prediction_1\n0,")
    first = json.loads((tmp_path / "p.jsonl").read_text().splitlines()[0])
    assert first == {"row": 0, "prediction": model.predict_one(X[0]).tolist()}


@pytest.mark.parametrize("policy", ["stop", "skip", "report"])
def test_bad_rows(policy, tmp_path, model, capsys):
    path, out = tables.write(tmp_path, "t.csv", X, Y), tmp_path / "p.csv"
    lines = path.read_text().splitlines()
    lines[4] = lines[9] = "1,2"
    path.write_text("\n".join(lines))
    code = score(tmp_path, path, "--output", out, "--on-error", policy)
    error = capsys.readouterr().err
    named = re.findall(r"line (\d+): there should be 4 columns, but there are 2", error)
    assert named == (["5", "10"] if policy == "report" else ["5"])
    if policy == "stop":
        assert code == 2
        return
    assert code == 0
    assert "bad rows left out: 2" in error
    kept = np.setdiff1d(np.arange(700), [3, 8])
    np.testing.assert_array_equal(predictions(out)[:, 0], kept)
    expected = model.predict_many(X[kept])
    np.testing.assert_allclose(predictions(out)[:, 1], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["other.csv"], "--features should be one of the columns 'u', 'v', 'w', 'y', but is 'a'"),
        (["t.csv", "--features", "a", "b"], "a"),
        (["t.csv", "--output", "t.csv"], "--output should not be the input"),
        (["t.csv", "--target", "y", "--target", "a"], "has 1 target(s), but --target names 2"),
        (["nothing.csv"], "nothing.csv"),
    ],
)
def test_mistakes_are_told_in_a_line(options, message, tmp_path, model, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tables.write(tmp_path, "t.csv", X, Y)
    (tmp_path / "other.csv").write_text(tables.text_rows(X, Y, names=("u", "v", "w")))
    assert score(tmp_path, *options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_file_that_is_no_model_is_refused(tmp_path, model, capsys):
    path = tables.write(tmp_path, "t.csv", X, Y)
    assert main(["score", str(path), str(path)]) == 2
    assert "not a nystream model" in capsys.readouterr().err
    Checkpoint({"a": model.to_bytes(), "b": model.to_bytes()}, {}).write(tmp_path / "m.nys")
    assert score(tmp_path, path) == 2
    assert "should hold one model, but holds 2" in capsys.readouterr().err


# inspect


def test_a_model_is_described(tmp_path, model, capsys):
    assert inspect(tmp_path / "m.nys") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("RidgeAld(kernel=Gaussian(sigma=1.5), ")
    assert re.search(r"rows seen +700\nrows kept +40\nfeatures +3\ntargets +1\n", printed)
    assert re.search(r"columns +a, b, c\nmemory +[\d,]+ bytes\non disk +[\d,]+ bytes\n", printed)


def test_a_scorer_is_described(tmp_path, model, capsys):
    model.scorer().save(tmp_path / "m.nys")
    assert inspect(tmp_path / "m.nys") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("<nystream.Scorer: 40 rows>\n")
    assert "rows seen" not in printed


def test_a_checkpoint_is_described(tmp_path, capsys):
    path = tables.write(tmp_path, "t.csv", X, Y)
    checkpoint = tmp_path / "run.ckpt"
    arguments = ["learn", path, "--target", "y", "--algorithm", "LinearRls"]
    assert main([*map(str, arguments), "--checkpoint", str(checkpoint)]) == 0
    capsys.readouterr()
    assert inspect(checkpoint) == 0
    assert re.search(r"rows read +700\nbad rows +0\non disk", capsys.readouterr().out)
    assert main(["info", str(checkpoint)]) == 0
    assert capsys.readouterr().out.startswith("LinearRls(")


def test_programs_read_json(tmp_path, model, capsys):
    assert inspect(tmp_path / "m.nys", "--json") == 0
    known = json.loads(capsys.readouterr().out)
    facts = known["models"]["m.nys"]
    assert facts["kind"] == "RidgeAld"
    assert (facts["n_seen"], facts["n_basis"], facts["n_features"]) == (700, 40, 3)
    assert facts["feature_names"] == list(tables.NAMES)
    assert facts["params"]["max_basis"] == 40
    assert known["bytes"] == (tmp_path / "m.nys").stat().st_size
    assert known["state"] is None


def test_what_is_no_model_is_refused(tmp_path, model, capsys):
    path = tmp_path / "m.nys"
    path.write_bytes(path.read_bytes()[:300])
    assert inspect(path) == 2
    assert "not a nystream model" in capsys.readouterr().err
    assert inspect(tmp_path / "nothing.nys") == 2
    assert "nothing.nys" in capsys.readouterr().err
