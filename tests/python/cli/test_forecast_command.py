"""`nystream forecast`: errors beside those of plain forecasts, and the next values."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

import nystream
from nystream._cli import main

FAST = ["--algorithm", "LinearRls"]
HOURS = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[h]")


def hours(n=700, n_next=0, seed=0):
    """Rows of hours: a load that has a day, and follows a temperature that is known ahead."""
    rng = np.random.default_rng(seed)
    temp = np.round(10 + 8 * np.sin(np.arange(n) / 37) + rng.normal(size=n), 1)
    day = 20 * np.sin(np.arange(n) * 2 * np.pi / 24)
    load = np.round(50 + day + 2 * temp + rng.normal(size=n), 1)
    rows = zip(HOURS.astype("datetime64[s]"), temp.tolist(), load.tolist(), strict=False)
    table = [{"hour": str(hour), "temp": t, "load": y} for hour, t, y in rows]
    for row in table[n - n_next :]:
        row["load"] = None
    return table


def text_of(table):
    lines = [",".join("" if v is None else str(v) for v in row.values()) for row in table]
    return "\n".join([",".join(table[0]), *lines]) + "\n"


def written(folder, table, name="t.csv"):
    path = folder / name
    path.write_text(text_of(table), encoding="utf-8")
    return path


def forecast(path, *options, target="load", time="hour"):
    named = ["--target", target, *(["--time", *time.split()] if time else [])]
    return main(["forecast", str(path), *named, *FAST, *map(str, options)])


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(rows, name):
    return np.array([float(row[name] or "nan") for row in rows])


def test_errors_are_beside_those_of_plain_forecasts_and_next_values_follow(tmp_path, capsys):
    assert forecast(written(tmp_path, hours()), "--horizon", "24") == 0
    told = capsys.readouterr()
    assert "700 rows; 2024-01-01 00:00:00 to 2024-01-30 03:00:00; every 1h" in told.err
    assert "no change | a day before | a week before | within 90% | width" in told.out
    assert [line.split("|")[1].strip() for line in told.out.splitlines()[2:7]] == [
        *("1 h", "6 h", "12 h", "18 h", "24 h")
    ]
    assert "less than the best plain forecast, a day before" in told.out
    assert "| 2024-01-30 04:00:00 |" in told.out
    assert "| 2024-01-31 03:00:00 |" in told.out
    assert told.out.count("2024-01-3") == 9  # the first six and the last three
    assert forecast(written(tmp_path, hours()), "--horizon", "3", "--season", "none") == 0
    assert "a day before" not in capsys.readouterr().out


def test_files_have_what_the_forecaster_says(tmp_path):
    """However many rows are learned at a time."""
    table = hours(n_next=24)
    path, out, past = written(tmp_path, table), tmp_path / "p.csv", tmp_path / "h.csv"
    ends = ["--predictions", out, "--history", past, "--save", tmp_path / "m.nys", "--level", ".8"]
    assert forecast(path, "--horizon", "1,2,24", "--ahead", "temp", *ends) == 0
    y = np.array([row["load"] for row in table], dtype=float)
    X, times = [{"temp": row["temp"]} for row in table], HOURS[:700]
    linear = nystream.Tabular(nystream.LinearRls())
    model = nystream.Forecaster(linear, [1, 2, 24], every="1h", ahead=["temp"])
    made = model.progressive(y, X, time=times)
    history = read(past)
    assert len(history) == 676
    assert history[3]["time"] == "2024-01-01T03:00:00"
    for i, horizon in enumerate([1, 2, 24]):
        np.testing.assert_array_equal(numbers(history, f"forecast_{horizon}"), made[:676, i])
    following = read(out)
    np.testing.assert_array_equal(numbers(following, "forecast"), model.predict())
    np.testing.assert_array_equal(
        numbers(following, "lower"), model.predict_interval(level=0.8)[:, 0]
    )
    assert [row["horizon"] for row in following] == ["1", "2", "24"]
    assert (tmp_path / "m.nys").read_bytes() == model.to_bytes()


def test_no_later_label_reaches_a_forecast(tmp_path):
    table, n_same = hours(), 500
    other = [dict(row) for row in table]
    for row, label in zip(other[n_same:], [row["load"] for row in table[:n_same:-1]], strict=False):
        row["load"] = 3 * label
    lines = []
    for name, rows in (("a", table), ("b", other)):
        past = tmp_path / f"{name}.csv"
        path = written(tmp_path, rows, f"{name}_t.csv")
        assert forecast(path, "--horizon", "6", "--ahead", "temp", "--history", past) == 0
        lines.append(past.read_text().splitlines())
    assert lines[0][: n_same + 1] == lines[1][: n_same + 1]
    assert lines[0][n_same + 20] != lines[1][n_same + 20]


def test_rows_come_in_any_order_and_with_gaps(tmp_path, capsys):
    table = hours(400)
    kept = [row for i, row in enumerate(table) if i % 50 < 47]
    shuffled = [kept[i] for i in np.random.default_rng(1).permutation(len(kept))]
    told = {}
    for name, rows in (("kept", kept), ("shuffled", shuffled)):
        out, past = tmp_path / f"{name}_p.csv", tmp_path / f"{name}_h.csv"
        ends = ["--horizon", "1,6", "--predictions", out, "--history", past]
        assert forecast(written(tmp_path, rows, f"{name}.csv"), *ends) == 0
        told[name] = (out.read_bytes(), past.read_bytes(), capsys.readouterr())
    assert told["kept"][:2] == told["shuffled"][:2]
    assert "now sorted" not in told["kept"][2].err
    assert "every 1h, the median distance; 21 missing; now sorted" in told["shuffled"][2].err


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet", "t.arrow", "t.txt"])
def test_every_format_is_read(name, tmp_path):
    table, ends = hours(300), ["--horizon", "2", "--ahead", "temp"]
    assert forecast(written(tmp_path, table), *ends, "--predictions", tmp_path / "csv.csv") == 0
    path, told = tmp_path / name, []
    if name == "t.jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    elif name == "t.txt":
        told = ["--format", "csv", "--separator", "/", "--decimal", ","]
        path.write_text(text_of(table).replace(".", "#").replace(",", "/").replace("#", ","))
    else:
        arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
        columns = {name: [row[name] for row in table] for name in table[0]}
        columns["hour"] = HOURS[:300].astype("datetime64[us]")
        as_arrow(arrow, arrow.table(columns), path)
    assert forecast(path, *ends, *told, "--predictions", tmp_path / "p.csv") == 0
    assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "csv.csv").read_bytes()


def as_arrow(arrow, table, path):
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(table, path, row_group_size=70)
    else:
        with arrow.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table)


def test_rows_need_no_times(tmp_path, capsys):
    table = [{"y": i % 5} for i in range(300)]
    path = written(tmp_path, table)
    ends = ["--season", "5", "--horizon", "3", "--save", tmp_path / "m.nys"]
    assert forecast(path, *ends, target="y", time=None) == 0
    told = capsys.readouterr().out
    assert "| row 300 |" in told
    assert "5 rows before" in told
    model = ["--model", tmp_path / "m.nys", "--predictions", "-"]
    assert main(["forecast", str(path), "--target", "y", *map(str, model)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("600,1,")


@pytest.mark.parametrize(
    ("times", "every"),
    [
        (["31/01/2024", "01/02/2024", "02/02/2024"], "1d"),
        (["2024-01", "2024-02", "2024-03"], "1mo"),
        (["1990", "1991", "1992"], "1y"),
        (["1704067200", "1704067500", "1704067800"], "5min"),
        (["2024-01-31", "2024-02-29", "2024-03-31"], "1mo"),
        (["01.02.2024 10:00:00", "01.02.2024 10:00:31", "01.02.2024 10:01:00"], "30s"),
        (["2024-01-01T00:00:00Z", "2024-01-01T00:15Z", "2024-01-01T00:30:00+00:00"], "15min"),
    ],
)
def test_times_tell_their_distance(times, every, tmp_path, capsys):
    path = written(tmp_path, [{"hour": time, "load": i} for i, time in enumerate(times)])
    assert forecast(path, "--horizon", "1") == 0
    assert f"every {every}, the median distance" in capsys.readouterr().err


def test_a_second_column_may_have_the_time_of_the_day(tmp_path, capsys):
    table = [{"d": f"{1 + i // 24:02}/12/2017", "h": i % 24, "load": i % 24} for i in range(300)]
    dotted = [{**row, "h": f"{row['h']}.00.00"} for row in table]
    for rows in (table, dotted):
        assert forecast(written(tmp_path, rows), "--horizon", "1", time="d h") == 0
        told = capsys.readouterr()
        assert "2017-12-01 00:00:00 to 2017-12-13 11:00:00; every 1h" in told.err
        assert "| 2017-12-13 12:00:00 |" in told.out


def test_features_are_taken_when_asked_for(tmp_path, capsys):
    path = written(tmp_path, hours(200))
    for options, told in [
        ([], None),
        (["--features", "temp"], "known up to now: temp"),
        (["--features", "all"], "known up to now: temp"),
        (["--drop", "temp"], None),
        (["--features", "none", "--ahead", "temp"], "known ahead: temp"),
    ]:
        assert forecast(path, "--horizon", "1", *options) == 0
        err = capsys.readouterr().err
        assert told in err if told else "known" not in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--target", "lod"], "--target should be one of the columns 'hour', 'temp', 'load'"),
        (["--time", "when"], "--time should be one of the columns 'hour', 'temp', 'load'"),
        (["--ahead", "holiday"], "--ahead should be one of the columns 'hour', 'temp', 'load'"),
        (["--ahead", "load"], "column 'load' is chosen twice"),
        (["--horizon", "0"], "--horizon should be whole numbers from 1 on, but is '0'"),
        (["--horizon", "5", "2"], "--horizon should increase, but is 5,2"),
        (["--season", "day"], "--season should be whole numbers from 1 on, but is 'day'"),
        (["--season", "1"], "from 2 to 100,000, but is 1"),
        (
            ["--every", "soon"],
            'every should be a time like 15min, 1h, 1d, 1w or 1mo, but is "soon"',
        ),
        (["--half-life", "long"], "half_life should be a time like 12h, 30d or 2w"),
        (["--algorithm", "Best"], "but is 'Best'"),
        (["--level", "90"], "--level should be between 0 and 1, but is 90"),
        (["--resume"], "need --checkpoint"),
        (["--predictions", "p.parquet"], "--predictions should be a file of csv, tsv, jsonl"),
        (["--history", "-"], "--history should be a file"),
        (["--save", "no/m.nys"], "--save no/m.nys: there is no folder"),
        (["--save", "m", "--history", "m"], "--history and --save should not be the same file"),
        (["--model", "t.csv", "--every", "1h"], "--every is for a new one"),
    ],
)
def test_mistakes_are_told_in_a_line(options, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, hours(30))
    assert forecast("t.csv", *options) == 2
    told = capsys.readouterr().err
    assert expected in told.splitlines()[-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "t.csv is empty"),
        ("hour,load\n", "should have rows with a value of 'load', but has none"),
        ("hour,load\n2024-01-01,\n", "should have rows with a value of 'load', but has none"),
        ("hour,load\n2024-01-01,5\n", "--every should be given: column 'hour' has no two times"),
        ("hour,load\n2024-01-01,5\nsoon,6\n", "line 3: column 'hour' should be a time with a date"),
        (
            "hour,load\n2024-01-01,5\n,6\n",
            "line 3: column 'hour' should be a time with a date, but",
        ),
        ("hour,load\n2024-01-01,5\n2024-01-02,x\n", "line 3: column 'load' should be a number"),
    ],
)
def test_files_that_cannot_be_forecast_are_told_in_a_line(text, expected, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert forecast(path) == 2
    assert expected in capsys.readouterr().err.splitlines()[-1]


def test_bad_rows_can_be_left_out_and_one_row_is_enough(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("hour,load\n2024-01-01,5\nsoon,6\n2024-01-03,x\n")
    assert forecast(path, "--every", "1d", "--on-error", "report", "--horizon", "2") == 0
    told = capsys.readouterr()
    assert "line 3" in told.err
    assert "line 4" in told.err
    assert "bad rows left out: 2" in told.err
    assert "no errors yet" in told.out
    assert "| 2024-01-02 |" in told.out


def test_horizons_that_have_no_errors_yet_are_shown_without(tmp_path, capsys):
    path = written(tmp_path, hours(12))
    assert forecast(path, "--season", "2", "--horizon", "1,20") == 0
    told = capsys.readouterr().out
    assert "|    20 h |    0 |" in told
    assert "MAE over all horizons" in told


def test_a_plot_shows_the_end(tmp_path):
    pytest.importorskip("matplotlib", reason="not installed: matplotlib")
    plot = tmp_path / "p.png"
    table = [row for i, row in enumerate(hours(300)) if not 200 < i < 210]
    assert forecast(written(tmp_path, table), "--horizon", "24", "--plot", plot) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_plot_needs_matplotlib_and_a_known_ending(tmp_path, capsys, monkeypatch):
    path = written(tmp_path, hours(30))
    assert forecast(path, "--plot", tmp_path / "p.doc") == 2
    assert "--plot should end with one of" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert forecast(path, "--plot", tmp_path / "p.png") == 2
    assert "pip install 'nystream[bench]'" in capsys.readouterr().err
