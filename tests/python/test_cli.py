"""The command `nystream`."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
from support import command, random_stream, running

import nystream
from nystream._bench import runner
from nystream._bench.store import Store
from nystream._cli import main

SMALL = ["--repeats", "2", "--no-tune", "--rows", "300"]
LEARNERS = ["--algorithms", "NONS-ALD", "RunningMean"]


@pytest.fixture
def own_csv(tmp_path):
    X, y = random_stream(200, 3)
    path = tmp_path / "my.csv"
    np.savetxt(path, np.c_[X, 50 * y], delimiter=",", header="a,b,c,price", comments="")
    return path


def results(folder):
    return [
        json.loads(line)
        for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    ]


# bench


@pytest.mark.slow
def test_bench_compares_and_reports(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\| NONS-ALD +\| +0\.\d+ ± 0\.\d+ \|", printed)
    assert f"report: {out / 'report.html'}" in printed
    assert len(results(out)) == 4
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_bench_on_a_file_of_the_users_own(tmp_path, own_csv, capsys):
    out = tmp_path / "out"
    options = ["--data", str(own_csv), "--target", "price", *SMALL, *LEARNERS, "--out", str(out)]
    assert main(["bench", *options]) == 0
    printed = capsys.readouterr().out
    assert "the target price from" in printed
    assert "| RMSE in own unit |" in printed
    scaled = results(out)[0]
    assert scaled["n_features"] == 3
    assert scaled["mse"] < 1
    out = tmp_path / "unscaled"
    options[-1] = str(out)
    assert main(["bench", *options, "--scale", "none", "--drop", "c"]) == 0
    plain = next(run for run in results(out) if run["algorithm"] == "NonsAld")
    assert plain["n_features"] == 2
    assert plain["mse"] > 1  # labels are up to 50
    assert plain["params"]["bound"] > 25


def test_bench_in_the_given_order_repeats_nothing_in_vain(tmp_path):
    out = tmp_path / "out"
    options = ["--datasets", "friedman", "--order", "given", *SMALL, *LEARNERS]
    assert main(["bench", *options, "--out", str(out)]) == 0
    assert len(results(out)) == 2


def test_bench_compares_a_learner_that_needs_no_setting(tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--datasets", "friedman", "--repeats", "1", "--rows", "600", "--tune"]
    options += ["--algorithms", "auto", "LinearRls", "RidgeAld", "--out", str(out)]
    assert main(["bench", *options]) == 0
    runs = [run for run in results(out) if run["algorithm"] == "Auto"]
    assert [run["params"] for run in runs] == [{}]
    assert re.search(r"\| \**Auto\** +\| +\**0\.\d+", capsys.readouterr().out)


@pytest.mark.slow
def test_resume_keeps_what_is_there_and_adds_what_is_not(tmp_path, capsys):
    out = tmp_path / "out"
    base = ["bench", "--datasets", "friedman", "--no-tune", "--rows", "300", "--out", str(out)]
    assert main([*base, "--repeats", "1", "--algorithms", "RunningMean"]) == 0
    before = (out / "results.jsonl").read_bytes()
    assert main([*base, "--repeats", "2", *LEARNERS]) == 2
    error = capsys.readouterr().err
    assert "has results already: --resume goes on with them, --out names another" in error
    assert (out / "results.jsonl").read_bytes() == before
    assert main([*base, "--repeats", "2", *LEARNERS, "--resume"]) == 0
    assert (out / "results.jsonl").read_bytes().startswith(before)
    assert len(results(out)) == 4
    complete = (out / "results.jsonl").read_bytes()
    assert main([*base, "--repeats", "2", *LEARNERS, "--resume"]) == 0
    assert (out / "results.jsonl").read_bytes() == complete


def deterministic(rows):
    """What does not depend on time, in any order."""
    kept = [
        {k: v for k, v in row.items() if k not in ("seconds", "curve", "finished")}
        | {"curve": row["curve"]["mse"]}
        for row in rows
    ]
    return sorted(map(json.dumps, kept))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_interrupt_and_resume_lose_and_repeat_nothing(tmp_path, number, monkeypatch, capsys):
    options = ["bench", "--datasets", "friedman", "--repeats", "4", "--rows", "500", "--tune"]
    options += ["--algorithms", "Kogd", "RidgeAld", "ProsNKons", "--out"]
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    appended, started = [], itertools.count()

    def execute(task, stop, then=runner.execute):
        # However long the results before have waited for the disk, some runs are left to stop.
        if next(started) >= 20:
            assert stop.wait(60)
        return then(task, stop)

    def append(self, result, then=Store.append):
        then(self, result)
        appended.append(result.key)
        if len(appended) == 6:
            signal.raise_signal(number)

    monkeypatch.setattr(Store, "append", append)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "execute", execute)
        assert main([*options, str(stopped)]) == 130
    printed = capsys.readouterr()
    assert not printed.out
    file = stopped / "results.jsonl"
    count = len(results(stopped))
    assert 6 <= count == len(appended) < 72
    assert f"stopped: {count} of 72 runs are in {file}; the same command with --re" in printed.err
    before = file.read_bytes()
    assert main([*options, str(stopped), "--resume"]) == 0
    assert file.read_bytes().startswith(before)
    assert len(appended) == len(set(appended)) == 72
    assert main([*options, str(whole)]) == 0
    assert deterministic(results(stopped)) == deterministic(results(whole))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_is_obeyed_at_once(tmp_path, monkeypatch):
    def append(self, result):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Store, "append", append)
    options = ["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(tmp_path / "out")]
    assert main(options) == 130


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send on Windows")
@pytest.mark.slow
def test_ctrl_c_from_outside(tmp_path):
    out = tmp_path / "out"
    options = ["bench", "--datasets", "friedman", "--algorithms", "Kogd", "--rows", "20000"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with running(command(*options, "--repeats", "1000", "--out", out), **pipes) as process:
        deadline = time.monotonic() + 60
        file = out / "results.jsonl"
        while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"stopped: {len(results(out))} of 1000 runs" in error
    assert "Traceback" not in error


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.slow
def test_a_progress_bar_is_drawn_on_a_terminal(tmp_path):
    import fcntl
    import pty
    import termios

    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    options = ["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", tmp_path / "out"]
    run = subprocess.run(command(*options), stdout=subprocess.PIPE, stderr=there, check=True)
    os.close(there)
    drawn = os.read(here, 100_000).decode()
    os.close(here)
    assert "4/4" in drawn
    assert b"NONS-ALD" in run.stdout


def test_a_failed_run_is_named_and_the_rest_is_reported(tmp_path, capsys, monkeypatch):
    execute = runner.execute

    def fail(task, stop):
        if task.algorithm == "NonsAld":
            raise ValueError("no luck")
        return execute(task, stop)

    monkeypatch.setattr(runner, "execute", fail)
    options = ["--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(tmp_path / "out")]
    assert main(["bench", *options]) == 1
    printed = capsys.readouterr()
    assert "friedman, NonsAld failed: no luck" in printed.err
    assert "running mean" in printed.out


def test_a_preset_leaves_out_what_cannot_be_had(tmp_path, capsys, monkeypatch):
    from nystream import datasets

    load = datasets.load

    def only_embedded(name, **options):
        if name in datasets.names("paper") and name != "bank":
            raise FileNotFoundError(f"{name} is nowhere")
        return load("friedman" if name == "bank" else name, **options)

    monkeypatch.setattr(datasets, "load", only_embedded)
    options = ["--preset", "paper", *SMALL, *LEARNERS, "--out", str(tmp_path / "out")]
    assert main(["bench", *options]) == 0
    assert "left out: year is nowhere" in capsys.readouterr().err
    assert main(["bench", "--datasets", "year", *SMALL, "--out", str(tmp_path / "two")]) == 2
    assert "year is nowhere" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--datasets", "nowhere"], "name should be one of parkinson, .* but is 'nowhere'"),
        (["--algorithms", "Magic"], "algorithm should be one of Fogd, .* but is 'Magic'"),
        (["--target", "price"], "--target is for a file of your own: name it with --data"),
        (["--drop", "a"], "--drop is for a file of your own: name it with --data"),
        (["--data", "absent.csv", "--target", "y"], "absent.csv"),
        (["--data", "absent.csv"], "--data needs --target, the column to predict"),
        (
            ["--data", "absent.csv", "--target", "y", "--datasets", "bank"],
            "--data and --datasets",
        ),
        (["--data", "absent.csv", "--data-dir", "."], "--data-dir is for data sets by name"),
        (["--data-dir", "~nobody-here/x", "--datasets", "bank"], "data_dir should be a path"),
        (["--scale", "none"], "--scale is for a file of your own: name it with --data"),
        (["--preset", "scaling", "--rows", "5"], "--preset scaling makes its own streams: --rows"),
        (["--preset", "scaling", "--order", "given"], "makes its own streams: --order has no use"),
        (["--preset", "scaling", "--data-dir", "."], "its own streams: --data-dir has no use"),
    ],
)
def test_mistakes_are_one_line(options, message, tmp_path, capsys):
    assert main(["bench", *options, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.startswith("nystream: error: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--repeats", "0"], "--repeats: should be at least 1, but is 0"),
        (["--jobs", "-1"], "--jobs: should be at least 1, but is -1"),
        (["--rows", "many"], "--rows: should be a whole number, but is 'many'"),
        (["--sigma", "nan"], "--sigma: should be positive and finite, but is nan"),
        (["--sigma", "0"], "--sigma: should be positive and finite, but is 0"),
        (["--sigma", "wide"], "--sigma: should be a number, but is 'wide'"),
        (["--preset", "slow"], "--preset: invalid choice: 'slow'"),
    ],
)
def test_values_out_of_range_are_refused(options, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["bench", *options])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["tqdm", "matplotlib"])
def test_a_missing_extra_is_said_at_once(missing, monkeypatch, capsys, tmp_path):
    import importlib.util

    find = importlib.util.find_spec

    def without(name, *rest):
        return None if name == missing else find(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert main(["bench", "--out", str(tmp_path / "out")]) == 2
    expected = f"nystream: error: nystream bench needs {missing}: pip install 'nystream[bench]'\n"
    assert capsys.readouterr().err == expected


# list, info, help


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
    assert re.search(r"\| price +\| +[\d.]+ \|", printed)
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
    assert re.search(r"\| rooms +\| +3 \| +4 \| +5 \|", printed)
    assert re.search(r"\| price +\| +200 \| +400 \| +600 \|", printed)
    assert "column 'town' should be a number, but is 'Ulm'" in printed
    assert "column 'sold'" in printed


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
        ("bad.csv", b"a,b\n1,x\n", "there should be a feature beside the target, column 'a'"),
        ("empty.CSV", b"", "is empty"),
        ("results.jsonl", b"{}\n", "line 1 is no result"),
        ("mine.jsonl", b'{"my": "data"}', "mine.jsonl is no file of results"),
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


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_run(tmp_path, capsys):
    (tmp_path / "afile").touch()
    out = tmp_path / "afile" / "out"
    assert main(["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(out)]) == 2
    assert str(tmp_path / "afile") in capsys.readouterr().err


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
