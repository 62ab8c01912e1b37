"""Runs of `nystream forecast` that go on: from a saved forecaster, or from a checkpoint."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from test_forecast_command import forecast, hours, read, written

from nystream._cli import main
from nystream._runs import forecaster_files

SHORT = ["--horizon", "1,6", "--ahead", "temp"]


def outputs(folder):
    names = {"--save": "m.nys", "--history": "h.csv", "--predictions": "p.csv"}
    return [word for option, name in names.items() for word in (option, folder / name)]


def contents(folder):
    return [(folder / name).read_bytes() for name in ("m.nys", "h.csv", "p.csv")]


def shops(n=120, n_next=3):
    """Rows of days, three of each, with a column that is known ahead."""
    rows = []
    for i in range(n):
        for shop, level in (("Ulm", 20), ("Bonn, Süd", 50), ("7", 80)):
            promo = int((i * level) % 11 < 2)
            sales = level + 10 * (i % 7 > 4) + 15 * promo if i < n - n_next else None
            name = f'"{shop}"' if "," in shop else shop
            day = f"2024-{1 + i // 28:02}-{1 + i % 28:02}"
            rows.append({"day": day, "shop": name, "promo": promo, "sales": sales})
    return rows


def by_shop(path, *options):
    return forecast(path, "--key", "shop", "--every", "1d", *options, target="sales", time="day")


KILLED = """
import os, signal, sys
from nystream._cli import main
from nystream._runs.forecast_files import History

write, rows = History.write, []

def write_or_die(self, *arguments):
    rows.append(arguments)
    write(self, *arguments)
    if len(rows) == 4:
        self.secure()
        os.kill(os.getpid(), signal.SIGKILL)

History.write = write_or_die
main(sys.argv[1:])
"""


def test_a_run_that_was_killed_ends_with_the_same_bytes(tmp_path):
    path = written(tmp_path, hours(1100))
    named = [
        "--time",
        "hour",
        "--target",
        "load",
        "--algorithm",
        "LinearRls",
        "--horizon",
        "1,2,24",
    ]
    folders, rows = [], ["--checkpoint-every", "512", "--ahead", "temp", "--resume"]
    for name in ("whole", "killed"):
        folders.append(folder := tmp_path / name)
        folder.mkdir()
        ends = [*outputs(folder), "--checkpoint", folder / "c", *rows]
        arguments = list(map(str, ["forecast", path, *named, *ends]))
        if name == "killed":
            run = subprocess.run([sys.executable, "-c", KILLED, *arguments], capture_output=True)
            assert run.returncode == -9
            # The history is ahead of the checkpoint, and the forecaster is not there yet.
            assert len((folder / "h.csv").read_bytes().splitlines()) == 1 + 4 * 256
            assert sorted(file.name for file in folder.iterdir() if ".lock" not in file.name) == [
                *("c", "h.csv")
            ]
        assert main(arguments) == 0
    assert contents(folders[0]) == contents(folders[1])
    assert (folders[0] / "c").read_bytes() == (folders[1] / "c").read_bytes()


@pytest.mark.parametrize("n_first", [100, 400])
def test_a_file_that_has_grown_is_gone_on_with(n_first, tmp_path, capsys):
    table, ends = hours(600), ["--horizon", "1,6"]
    for parts in ([600], [n_first, 600]):
        folder = tmp_path / str(len(parts))
        folder.mkdir()
        for n in parts:
            path = written(folder, table[:n])
            go_on = [*outputs(folder), "--checkpoint", folder / "c", "--resume"]
            assert forecast(path, *ends, *go_on) == 0
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    edited = [*table[:50], {**table[50], "load": 1.0}, *table[51:]]
    before = contents(tmp_path / "1")
    for rows, told in [(edited, "is not what was read before"), (table[:90], "has fewer rows")]:
        path = written(tmp_path / "1", rows)
        go_on = [*outputs(tmp_path / "1"), "--checkpoint", tmp_path / "1" / "c", "--resume"]
        assert forecast(path, *ends, *go_on) == 2
        assert told in capsys.readouterr().err
        assert contents(tmp_path / "1") == before


def test_a_checkpoint_goes_on_with_its_own_settings_alone(tmp_path, capsys):
    path, point = written(tmp_path, hours(300)), ["--checkpoint", tmp_path / "c"]
    assert forecast(path, *SHORT, *point) == 0
    for options, told in [
        (point, "is there already"),
        ([*point, "--resume", "--season", "12"], "--season is [12]"),
        ([*point, "--resume", "--history", tmp_path / "h.csv"], "--history is True"),
        (["--resume", "--checkpoint", path], "should not be the input"),
    ]:
        assert forecast(path, *SHORT, *options) == 2
        assert told in capsys.readouterr().err
    learned = tmp_path / "learned"
    named = ["--target", "load", "--features", "temp", "--algorithm", "LinearRls"]
    assert main(["learn", str(path), *named, "--checkpoint", str(learned)]) == 0
    assert forecast(path, *SHORT, "--resume", "--checkpoint", learned) == 2
    assert "is no checkpoint of nystream forecast" in capsys.readouterr().err


def test_a_saved_forecaster_learns_rows_after_its_last_time(tmp_path, capsys):
    table, folders = hours(500), []
    for parts in ([500], [300, 500]):
        folders.append(folder := tmp_path / str(len(parts)))
        folder.mkdir()
        for n in parts:
            path, goes_on = written(folder, table[:n]), n > parts[0]
            options = ["--model", folder / "m.nys"] if goes_on else ["--horizon", "1,6"]
            named = ["forecast", path, "--time", "hour", "--target", "load", *outputs(folder)]
            fast = [] if goes_on else ["--algorithm", "LinearRls"]
            assert main([str(word) for word in (*named, *options, *fast)]) == 0
    assert "300 rows left out, up to the last time" in capsys.readouterr().err
    whole, gone_on = map(contents, folders)
    assert (whole[0], whole[2]) == (gone_on[0], gone_on[2])
    assert gone_on[1].splitlines()[1:] == whole[1].splitlines()[301:]


def test_a_run_that_replaces_its_model_can_be_resumed(tmp_path):
    table, model = hours(500), tmp_path / "m.nys"
    path = written(tmp_path, table[:300])
    assert forecast(path, "--horizon", "1,6", "--save", model) == 0
    go_on = ["--model", model, "--save", model, "--checkpoint", tmp_path / "c", "--resume"]
    named = ["forecast", path, "--time", "hour", "--target", "load", *go_on]
    for n in (400, 400, 500):
        written(tmp_path, table[:n])
        assert main(list(map(str, named))) == 0
    saved = model.read_bytes()
    assert forecast(path, "--horizon", "1,6", "--save", model) == 0
    assert model.read_bytes() == saved


def test_series_of_keys_are_forecast_each_by_itself(tmp_path, capsys):
    table = shops()
    path = written(tmp_path, table)
    ends = ["--horizon", "3", "--ahead", "promo", *outputs(tmp_path)]
    assert by_shop(path, *ends, "--checkpoint", tmp_path / "c") == 0
    told = capsys.readouterr()
    assert "360 rows of 3 series by shop" in told.err
    assert "9 rows at the end have no value yet" in told.err
    assert told.out.count("| Bonn, Süd | 2024-") == 2
    models, key = forecaster_files.read(tmp_path / "m.nys")
    assert key == "shop"
    n_rows = sum(model.report[1].n for model in models.values())
    assert f"|     1 d |  {n_rows:,} |" in told.out
    following, history = read(tmp_path / "p.csv"), read(tmp_path / "h.csv")
    assert [row["shop"] for row in following[::3]] == ["Ulm", "Bonn, Süd", "7"]
    for shop in ("Ulm", "7"):
        own = tmp_path / f"{shop}.csv"
        alone = written(tmp_path, [row for row in table if row["shop"] == shop])
        options = ["--horizon", "3", "--ahead", "promo", "--every", "1d", "--history", own]
        assert forecast(alone, *options, target="sales", time="day") == 0
        of_shop = [row for row in history if row["shop"] == shop]
        assert [{"shop": shop, **row} for row in read(own)] == of_shop


def test_saved_series_of_keys_go_on(tmp_path, capsys):
    path = written(tmp_path, shops()[:150])
    ends = ["--horizon", "3", "--ahead", "promo", "--save", tmp_path / "m.nys"]
    assert by_shop(path, *ends) == 0
    path = written(
        tmp_path, [*shops(), {"day": "2024-01-05", "shop": "new", "promo": 0, "sales": 4}]
    )
    named = ["forecast", path, "--target", "sales", "--time", "day", "--model", tmp_path / "m.nys"]
    assert main(list(map(str, [*named, "--save", tmp_path / "n.nys"]))) == 0
    assert "150 rows left out" in capsys.readouterr().err
    models, _ = forecaster_files.read(tmp_path / "n.nys")
    assert [model.n_seen for model in models.values()] == [117, 117, 117, 1]


def test_inspect_describes_forecasters(tmp_path, capsys):
    path, model = written(tmp_path, hours(300)), tmp_path / "m.nys"
    point = tmp_path / "c"
    assert forecast(path, *SHORT, "--save", model, "--checkpoint", point) == 0
    printed = capsys.readouterr().out
    assert main(["inspect", str(model)]) == 0
    told = capsys.readouterr().out
    for line in [
        "horizons       1, 6",
        "every          1h",
        "seasons        24 (a day), 168 (a week)",
        "known ahead    temp",
        "rows seen      300",
        "last time      2024-01-13 11:00:00",
    ]:
        assert f"{line}\n" in told
    assert printed.split("\n\n")[0] in told  # the errors
    assert main(["inspect", str(model), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["models"]["m.nys"]
    assert (facts["kind"], facts["n_seen"]) == ("Forecaster", 300)
    assert facts["report"][1]["horizon"] == 6
    assert main(["inspect", str(point)]) == 0
    assert "rows seen      300" in capsys.readouterr().out


def test_other_commands_say_that_a_model_is_a_forecaster(tmp_path, capsys):
    path, model = written(tmp_path, hours(50)), tmp_path / "m.nys"
    assert forecast(path, *SHORT, "--save", model) == 0
    assert main(["score", str(model), str(path)]) == 2
    assert "holds a forecaster: nystream forecast --model takes it" in capsys.readouterr().err
    learner = tmp_path / "l.nys"
    named = ["--target", "load", "--features", "temp", "--algorithm", "LinearRls"]
    assert main(["learn", str(path), *named, "--save", str(learner)]) == 0
    options = ["--time", "hour", "--target", "load", "--model", str(learner)]
    assert main(["forecast", str(path), *options]) == 2
    assert "l.nys holds no forecaster" in capsys.readouterr().err


def test_a_damaged_forecaster_is_refused(tmp_path, capsys):
    path, model = written(tmp_path, hours(200)), tmp_path / "m.nys"
    assert forecast(path, *SHORT, "--save", model) == 0
    sound = model.read_bytes()
    for damaged in (sound[:-1], sound[:-1] + bytes([sound[-1] ^ 1]), sound[:200]):
        model.write_bytes(damaged)
        options = ["--time", "hour", "--target", "load", "--model", str(model)]
        assert main(["forecast", str(path), *options]) == 2
        assert "m.nys" in capsys.readouterr().err.splitlines()[-1]
