"""The command `nystream bench`."""

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

import pytest
from benching import LEARNERS, SMALL
from support import command, running

from nystream._cli import main
from nystream._study import runner
from nystream._study.store import Store


def results(folder):
    return [
        json.loads(line)
        for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    ]


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


def rent_csv(path, n=300):
    """A table with ids, text, times and gaps, of which every tenth label is missing."""
    lines = ["id;town;since;rooms;rent"]
    for i in range(n):
        rooms, rent = ("" if i % 7 == 0 else i % 5), ("" if i % 10 == 0 else f"{5 + i % 5},5")
        lines.append(f"{i};{('Ulm', 'Jena', '')[i % 3]};{1 + i % 28:02}.01.2024;{rooms};{rent}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_bench_on_a_table_with_text_times_and_gaps(tmp_path, capsys):
    path, out = rent_csv(tmp_path / "rents.csv"), tmp_path / "out"
    command = ["bench", "--data", str(path), "--target", "rent", "--no-tune", "--out", str(out)]
    learners = ["--algorithms", "LinearRls", "RunningMean"]
    assert main([*command, *learners, "--repeats", "1"]) == 0
    printed = capsys.readouterr().out
    assert "270 rows, 4 features; target to [0, 1] by its range; columns as they are" in printed
    assert "columns: 1 number, 1 category, 1 time; left out: id (id)" in printed
    assert "rows without a label left out: 30." in printed
    before = (out / "results.jsonl").read_bytes()
    again = ["--algorithms", "LinearRls", "RunningMean", "Auto", "--repeats", "2", "--resume"]
    assert main([*command, *again]) == 0
    assert (out / "results.jsonl").read_bytes().startswith(before)
    assert len(results(out)) == 6
    assert re.search(r"\| Auto +\| +0\.0\d+ ± 0\.\d+ \|", capsys.readouterr().out)
    assert main(["info", str(out)]) == 0
    assert "rents, Auto: 2 runs, least MSE 0.0" in capsys.readouterr().out
    assert main([*command, "--resume", *learners, "--repeats", "1", "--schema", "id=number"]) == 0
    assert len(results(out)) == 8  # other columns, other data


def test_bench_reads_a_file_as_it_is_told(tmp_path, capsys):
    path, out = tmp_path / "table.txt", tmp_path / "out"
    lines = [f"{i % 7}/{'x' if i == 90 else i % 3},5/{i % 2},25" for i in range(100)]
    path.write_text("\n".join(["\u00e4/b/price", *lines]) + "\n", encoding="latin-1")
    command = ["bench", "--data", str(path), "--target", "price", "--format", "csv"]
    command += ["--separator", "/", "--decimal", ",", "--encoding", "latin-1", "--repeats", "1"]
    command += ["--algorithms", "RunningMean", "--out", str(out), "--resume"]
    assert main(command) == 0
    assert "columns: 1 number, 1 category." in capsys.readouterr().out
    assert main([*command, "--schema", "b=number"]) == 2
    refused = "line 92: column 'b' should be a number, but is 'x,5'; --drop leaves a column out, "
    assert refused in capsys.readouterr().err
    assert main([*command, "--schema", "b=number", "--on-error", "report"]) == 0
    told = capsys.readouterr()
    assert "nystream: " in told.err
    assert "line 92: column 'b'" in told.err
    assert "bad rows left out: 1." in told.out
    assert main([*command, "--missing-values", "0.5", "--features", "b"]) == 0
    assert "100 rows, 1 features" in capsys.readouterr().out


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
    file = stopped / "results.jsonl"
    count = len(results(stopped))
    assert f"Only {count} of 72 runs are done: some means are over fewer passes." in printed.out
    assert re.search(r"\| KOGD +\| +\**0\.\d+", printed.out)
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
        (["--schema", "a=text"], "--schema is for a file of your own: name it with --data"),
        (["--on-error", "skip"], "--on-error is for a file of your own: name it with --data"),
        (["--missing-values", "0"], "--missing-values is for a file of your own"),
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


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_run(tmp_path, capsys):
    (tmp_path / "afile").touch()
    out = tmp_path / "afile" / "out"
    assert main(["bench", "--datasets", "friedman", *SMALL, *LEARNERS, "--out", str(out)]) == 2
    assert str(tmp_path / "afile") in capsys.readouterr().err
