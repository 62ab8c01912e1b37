"""`nystream forecast` on raw files, as people have them."""

from __future__ import annotations

import gzip

import pytest
from messy import TABLES
from test_forecast_command import forecast, read


@pytest.fixture
def raw(tmp_path):
    """Writes the first rows of a raw table to a file."""

    def write(name, n_rows):
        path = TABLES / f"{name}.csv.gz"
        if not path.exists():
            pytest.skip(f"the tables are not there: {path}")
        out = tmp_path / f"{name}.csv"
        with gzip.open(path) as file:
            out.write_bytes(
                b"".join(line for line, _ in zip(file, range(n_rows + 1), strict=False))
            )
        return out

    return write


def test_loads_that_are_out_of_order_are_sorted(raw, tmp_path, capsys):
    path, out = raw("pjme", 2000), tmp_path / "p.csv"
    ends = ["--horizon", "1,24", "--predictions", out]
    assert forecast(path, *ends, target="PJME_MW", time="Datetime") == 0
    told = capsys.readouterr()
    assert "2,000 rows; 2002-10-09 " in told.err
    assert "every 1h, the median distance; 16 missing; now sorted by time" in told.err
    assert "less than the best plain forecast" in told.out
    assert [row["time"] for row in read(out)] == ["2003-01-01T01:00:00", "2003-01-02T00:00:00"]


def test_bicycles_have_a_date_an_hour_and_odd_names(raw, capsys):
    path = raw("seoul", 1500)
    ends = ["--horizon", "1,24", "--ahead", "Temperature(°C)", "Holiday,Functioning Day"]
    assert forecast(path, *ends, target="Rented Bike Count", time="Date Hour") == 0
    told = capsys.readouterr()
    assert "1,500 rows; 2017-12-01 00:00:00 to 2018-02-01 11:00:00; every 1h" in told.err
    assert "known ahead: Temperature(°C), Holiday, Functioning Day" in told.err
    assert "less than the best plain forecast" in told.out


def test_air_has_decimal_commas_dots_in_times_and_a_number_for_missing(raw, tmp_path, capsys):
    path, past = raw("AirQualityUCI", 1500), tmp_path / "h.csv"
    ends = ["--horizon", "1", "--missing-values", "-200", "--history", past]
    assert forecast(path, *ends, target="CO(GT)", time="Date Time") == 0
    told = capsys.readouterr()
    assert "2004-03-10 18:00:00 to 2004-05-12 05:00:00; every 1h" in told.err
    n_missing = sum(row["value"] == "" for row in read(past))
    assert 0 < n_missing < 750
