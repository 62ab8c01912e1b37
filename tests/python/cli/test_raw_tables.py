"""`nystream learn` and `score` on tables as people have them: text, dates, ids and gaps."""

from __future__ import annotations

import json
import re
import subprocess
import time

import numpy as np
import pytest
from learning import predictions
from support import command

import nystream
from nystream._cli import main

TOWNS = ("Ulm", "Bonn", "Köln", "Jena")
LINEAR = ["--algorithm", "LinearRls", "--tabular", "--chunk", "64"]


def rows(n, seed=0):
    """Rows of a table with every kind of column, of which some values are missing."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        town, size = rng.integers(4), round(float(rng.normal(5, 2)), 3)
        price = round(3 * size + 2 * int(town) + float(rng.normal()) / 10, 3)
        made.append(
            {
                "id": i,
                "town": TOWNS[town] if i % 7 else None,
                "size": size if i % 11 else None,
                "sold": f"2020-01-{1 + i % 28:02d} 12:{i % 60:02d}",
                "price": price if i % 13 else None,
            }
        )
    return made


def csv_text(table):
    lines = [",".join("" if v is None else str(v) for v in row.values()) for row in table]
    return "\n".join([",".join(table[0]), *lines]) + "\n"


def write(folder, table, name="t.csv"):
    path = folder / name
    if name.endswith("csv"):
        path.write_text(csv_text(table), encoding="utf-8")
    elif name.endswith("jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    else:
        arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
        from pyarrow import parquet

        parquet.write_table(arrow.Table.from_pylist(table), path, row_group_size=300)
    return path


def learn(path, *options):
    return main(["learn", str(path), "--target", "price", *map(str, options)])


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_file_is_learned_as_its_rows_are(name, tmp_path, capsys):
    table = rows(700)
    path, out = write(tmp_path, table, name), tmp_path / "p.csv"
    assert learn(path, *LINEAR, "--predictions", out) == 0
    printed = capsys.readouterr()
    assert "nystream: columns: 1 number, 1 category, 1 time; left out: id (id)" in printed.err
    assert "646 rows, MAE " in printed.out
    assert printed.out.endswith("54 rows without a label\n")
    y = np.array([row.pop("price") for row in table], dtype=float)
    model, known = nystream.Tabular(nystream.LinearRls()), ~np.isnan(y)
    expected = [
        model.progressive(table[i : i + 64], np.nan_to_num(y[i : i + 64]), known[i : i + 64] * 1.0)
        for i in range(0, 700, 64)
    ]
    found_rows, found = predictions(out)
    np.testing.assert_array_equal(found_rows, np.arange(700))
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-9)


def test_auto_takes_the_file_as_it_is_and_score_knows_the_columns(tmp_path, capsys):
    path, model = write(tmp_path, rows(600)), tmp_path / "m.nys"
    assert learn(path, "--save", model) == 0
    capsys.readouterr()
    assert main(["inspect", str(model)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\| town +\| category +\| +\d+ \|", printed)
    assert main(["inspect", str(model), "--json"]) == 0
    schema = json.loads(capsys.readouterr().out)["models"]["m.nys"]["schema"]
    assert schema[2] == {"name": "size", "kind": "number", "missing": 50}
    out = tmp_path / "p.csv"
    score = ["score", str(model), str(path), "--target", "price", "--output", str(out)]
    assert main(score) == 0
    assert "54" not in capsys.readouterr().out
    frame = [{k: v for k, v in row.items() if k != "price"} for row in rows(600)]
    expected = nystream.load(model).scorer().predict_many(frame)
    np.testing.assert_allclose(predictions(out)[1], expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["NonsAld", "LinearRls"])
def test_rows_without_a_label_are_predicted_by_every_learner(name, tmp_path, capsys):
    table = [{"a": i % 5, "b": i % 3, "price": (i % 5) if i % 4 else None} for i in range(200)]
    path, out = write(tmp_path, table), tmp_path / "p.csv"
    for tabular in ([], ["--tabular"]):
        assert learn(path, "--algorithm", name, *tabular, "--predictions", out) == 0
        assert "50 rows without a label" in capsys.readouterr().out
        assert len(predictions(out)[0]) == 200
    path.write_text("a,price\n1,\n2,\n")
    assert learn(path, "--algorithm", name) == 2
    assert "at least one good row with a label" in capsys.readouterr().err


def test_rows_that_the_columns_refuse_are_bad_rows(tmp_path, capsys):
    table, out = rows(600), tmp_path / "p.csv"
    table[550]["size"], table[551]["sold"], table[552]["price"] = "large", "someday", "much"
    table[553]["size"] = 1e200
    path = write(tmp_path, table)
    assert learn(path, *LINEAR) == 2
    assert "line 552: column 'size' should be a number, but is 'large'" in capsys.readouterr().err
    assert learn(path, *LINEAR, "--on-error", "report", "--predictions", out) == 0
    told = capsys.readouterr()
    for line, what in [(552, "'size'"), (553, "'sold'"), (554, "'price'"), (555, "'size'")]:
        assert f"line {line}: column {what} should be" in told.err
    assert "bad rows left out: 4" in told.out
    np.testing.assert_array_equal(predictions(out)[0], np.setdiff1d(range(600), range(550, 554)))


def test_settings_of_columns_can_be_given(tmp_path, capsys):
    table = rows(300)
    for row in table[::5]:
        row["size"] = row["price"] = -200
    path = write(tmp_path, table)
    options = ["--schema", "id=number", "town=unused", "--missing-values", "-200", "-999"]
    assert learn(path, *LINEAR, *options) == 0
    printed = capsys.readouterr()
    assert "columns: 2 numbers, 1 time; left out: town\n" in printed.err
    n_without = sum(row["price"] in (None, -200) for row in table)
    assert f"{n_without} rows without a label" in printed.out
    assert learn(path, "--algorithm", "RidgeAld", *options) == 2
    assert "RidgeAld needs --tabular" in capsys.readouterr().err
    assert learn(path, "--schema", "id=color") == 2
    assert 'but is "color"' in capsys.readouterr().err


def test_a_dialect_can_be_told(tmp_path, capsys):
    path = tmp_path / "t.txt"
    path.write_bytes("a/b/price\n1,5/\xdclm/3\n2,5/Bonn/4\n".encode("latin-1"))
    told = ["--format", "csv", "--separator", "/", "--decimal", ",", "--encoding", "latin-1"]
    assert learn(path, *LINEAR, *told) == 0
    assert "columns: 1 number, 1 category" in capsys.readouterr().err
    assert learn(path, *LINEAR, *told[:2], "--separator", "//") == 2
    assert learn(path, *LINEAR, *told, "--encoding", "utf-9") == 2
    assert "encoding should be utf-8, latin-1 or windows-1252" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("n_first", [128, 512])
def test_a_run_goes_on_in_the_middle_bit_for_bit(name, n_first, tmp_path):
    """Before and after the kinds of columns are settled."""
    table, files = rows(900), {}
    for parts in ([900], [n_first, 900]):
        folder = tmp_path / str(len(parts))
        folder.mkdir()
        for n in parts:
            path = write(folder, table[:n], name)
            ends = ["--checkpoint", folder / "c", "--resume", "--save", folder / "m.nys"]
            assert learn(path, *LINEAR, *ends, "--predictions", folder / "p.csv") == 0
        files[len(parts)] = [(folder / file).read_bytes() for file in ("p.csv", "m.nys")]
    assert files[1] == files[2]


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_bit_for_bit(tmp_path):
    path = write(tmp_path, rows(4000))
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    arguments = ["learn", path, "--target", "price", "--chunk", "256", "--every", "256"]
    for folder in (whole, killed):
        folder.mkdir()
    files = {
        folder: ["--checkpoint", folder / "c", "--predictions", folder / "p.csv", "--resume"]
        for folder in (whole, killed)
    }
    subprocess.run(command(*arguments, *files[whole]), check=True, capture_output=True)
    process = subprocess.Popen(command(*arguments, *files[killed]), stderr=subprocess.DEVNULL)
    while not (killed / "c").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    subprocess.run(command(*arguments, *files[killed]), check=True, capture_output=True)
    for file in ("c", "p.csv"):
        assert (killed / file).read_bytes() == (whole / file).read_bytes()


def test_a_pipe_is_answered_row_by_row(tmp_path):
    table, model = rows(400), tmp_path / "m.nys"
    assert learn(write(tmp_path, table), *LINEAR, "--save", model) == 0
    lines = csv_text(table).splitlines()
    arguments = command("score", model, "-", "--chunk", "1")
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        process.stdin.write(lines[0] + "\n")
        for i, line in enumerate(lines[1:6]):
            process.stdin.write(line + "\n")
            if i == 0:
                assert process.stdout.readline() == "row,prediction\n"
            assert process.stdout.readline().startswith(f"{i},")
        process.stdin.close()
        assert process.wait() == 0


def test_a_file_that_grows_is_read_as_it_began(tmp_path):
    """Later rows would be taken for another encoding, and have another key."""
    path, ends = tmp_path / "t.csv", ["--checkpoint", tmp_path / "c", "--resume"]
    path.write_text("a;price\n" + "1,5;2\n" * 20)
    assert learn(path, *LINEAR, *ends) == 0
    path.write_bytes(path.read_bytes() + b"1.5;2\n" * 40 + b"1,5;\xff\n")
    told = [*ends, "--on-error", "skip"]
    assert learn(path, *LINEAR, *told) == 2  # other settings
    assert learn(path, *LINEAR, *ends) == 2
    path.write_bytes(path.read_bytes().replace(b"1.5;2\n" * 40 + b"1,5;\xff\n", b"2,5;3\n"))
    assert learn(path, *LINEAR, *ends) == 0
    lines, ends = tmp_path / "t.jsonl", ["--checkpoint", tmp_path / "d", "--resume"]
    lines.write_text('{"a": 1, "price": 2}\n' * 20)
    assert learn(lines, *LINEAR, *ends) == 0
    lines.write_text(lines.read_text() + '{"a": 1, "b": 3, "price": 2}\n')
    assert learn(lines, *LINEAR, *ends) == 0
