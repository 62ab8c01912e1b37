"""The commands `nystream list` and `nystream info`, and help."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from benching import LEARNERS, SMALL
from support import command, random_stream

import nystream
from nystream._cli import main


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for name in [*nystream.algorithms(), *nystream.kernels(), *nystream.datasets.names()]:
        assert name in printed
    assert re.search(r"\| Auto +\| Auto +\| warm_up, max_basis, ", printed)
    for preset in ("paper", "quick", "scaling"):
        assert f"| {preset} " in printed
    assert main(["list", "kernels"]) == 0
    assert "NonsAld" not in capsys.readouterr().out


def test_list_says_where_data_sets_are(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("NYSTREAM_DATA", raising=False)
    monkeypatch.setenv("NYSTREAM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bank.npz").touch()
    assert main(["list", "datasets", "--data-dir", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert str(tmp_path / "bank.npz") in printed
    assert re.search(r"year .*not on this machine", printed)


def test_info_describes_a_model(tmp_path, capsys):
    model = nystream.NonsAld(nystream.Gaussian(2.0), alpha=0.01)
    model.learn_many(*random_stream(1200, 3))
    path = tmp_path / "my.model"
    path.write_bytes(model.to_bytes())
    assert main(["info", str(path)]) == 0
    printed = capsys.readouterr().out
    assert repr(model) in printed
    assert re.search(r"rows seen +1,200", printed)
    assert re.search(rf"rows kept +{model.n_basis}", printed)


@pytest.mark.parametrize("kind", ["learner", "scorer"])
def test_info_describes_a_model_of_several_targets(kind, tmp_path, capsys):
    X, y = random_stream(50, 3)
    model = nystream.Auto(n_targets=2)
    model.learn_many(X, np.c_[y, X[:, 0]])
    (model if kind == "learner" else model.scorer()).save(tmp_path / "my.model")
    assert main(["info", str(tmp_path / "my.model")]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"features +3\ntargets +2\n", printed)
    assert ("rows seen      50" in printed) == (kind == "learner")


def test_info_describes_data(own_csv, tmp_path, capsys):
    assert main(["info", str(own_csv)]) == 0
    printed = capsys.readouterr().out
    assert "200 rows, 4 columns" in printed
    assert re.search(r"\| price +\| number +\| +0 \| +[\d.]+ \|", printed)
    X, y = random_stream(10, 2)
    np.savez(tmp_path / "my.npz", X=X, y=y)
    assert main(["info", str(tmp_path / "my.npz")]) == 0
    assert "10 rows, 3 columns" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["my.csv", "my.TSV", "my.parquet"])
def test_info_describes_what_is_not_a_number_too(name, tmp_path, capsys):
    path = tmp_path / name
    columns = {"town": ["Ulm", "Bonn"], "rooms": [3, 5], "price": [200, 600], "sold": ["", "2020"]}
    if name.endswith("parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(columns), path)
    else:
        sign = "\t" if "TSV" in name else ","
        rows = zip(*columns.values(), strict=True)
        path.write_text("\n".join(sign.join(map(str, row)) for row in [columns, *rows]))
    assert main(["info", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "2 rows, 4 columns" in printed
    assert re.search(r"\| rooms +\| number +\| +0 \| +3 \| +4 \| +5 \|", printed)
    assert re.search(r"\| price +\| number +\| +0 \| +200 \| +400 \| +600 \|", printed)
    assert re.search(r"\| town +\| category +\| +0 \|", printed)
    assert re.search(r"\| sold +\| \w+ +\| +1 \|", printed)


def test_info_changes_nothing(tmp_path, capsys):
    """A line that is half written may be another process's."""
    out = tmp_path / "out"
    assert main(["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(out)]) == 0
    file = out / "results.jsonl"
    with open(file, "ab") as half:
        half.write(b'{"dataset": "fri')
    before = file.read_bytes()
    assert main(["info", str(out)]) == 0
    assert file.read_bytes() == before
    capsys.readouterr()


def test_info_describes_results(tmp_path, capsys):
    out = str(tmp_path / "out")
    assert main(["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", out]) == 0
    capsys.readouterr()
    assert main(["info", out]) == 0
    printed = capsys.readouterr().out
    assert f"4 runs of nystream {nystream.__version__}" in printed
    assert "friedman, NonsAld: 2 runs, least MSE 0." in printed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent", None, "does not exist"),
        ("odd.model", b"no model", "odd.model is neither a data file nor results by its ending"),
        ("empty.model", b"", "no model: not a nystream model"),
        ("bad.npz", b"PK nonsense", "bad.npz"),
        ("empty.CSV", b"", "is empty"),
        ("results.jsonl", b"{}\n", "line 1 is no result"),
        ("mine.jsonl", b"[1]", "should hold a JSON object with keys a line"),
    ],
)
def test_info_on_a_file_it_cannot_read(name, content, message, tmp_path, capsys):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert main(["info", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("nystream: error: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["learn", "score", "serve", "inspect", "bench", "list", "info"])
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    printed = capsys.readouterr().out
    assert "examples:" in printed
    assert f"  nystream {name} " in printed


def test_a_reader_who_has_had_enough_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(command("list"), stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert run.stderr == ""
    assert run.returncode == 1


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"nystream {nystream.__version__}\n"


def test_starting_loads_nothing_heavy():
    """What takes long to import is imported where it is used."""
    script = "import sys; from nystream._cli.main import parser; parser(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert not loaded & {"matplotlib", "tqdm", "pyarrow", "sklearn", "scipy", "concurrent"}
