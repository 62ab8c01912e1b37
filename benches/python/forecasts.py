"""The error of forecasts one and 24 hours ahead, beside those of river and of plain ones.

python benches/python/forecasts.py FOLDER [NAME ...]

The folder has the files; `SERIES` says how pandas reads them. Forecasts are made at every hour for
the next 24, and judged when the values come; values of the first four weeks are not counted.
"""

from __future__ import annotations

import sys
import warnings
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from river import linear_model, optim, preprocessing, time_series

import nystream

FIRST = 4 * 7 * 24  # hours that are not counted
N_HOURS = 12_000  # hours of each file
HORIZONS = (1, 24)


@dataclass(frozen=True)
class Raw:
    """A file of a series, and what has to be known to read it."""

    file: str
    target: str
    time: str | list[str]
    format: str | None = None
    features: tuple[str, ...] = ()
    reading: dict = field(default_factory=dict)

    def read(self, folder):
        """Return times, values and features, in order."""
        frame = pd.read_csv(Path(folder) / self.file, **self.reading)
        parts = frame[self.time]
        time = pd.to_datetime(parts, format=self.format) if self.format else pd.to_datetime(parts)
        if self.file.startswith("seoul"):
            time += pd.to_timedelta(frame["Hour"], unit="h")
        order = np.argsort(time.to_numpy(), kind="stable")[:N_HOURS]
        frame, time = frame.iloc[order], time.iloc[order]
        return time.to_numpy(), frame[self.target].to_numpy(float), frame[list(self.features)]


SERIES = {
    "pjme": Raw("pjme.csv.gz", "PJME_MW", "Datetime", "%d-%m-%Y %H:%M"),
    "seoul bikes": Raw(
        "seoul.csv.gz",
        "Rented Bike Count",
        "Date",
        "%d/%m/%Y",
        ("Temperature(°C)", "Humidity(%)", "Rainfall(mm)", "Holiday", "Functioning Day"),
        {"sep": ";", "encoding": "utf-8-sig"},
    ),
    "washington bikes": Raw("hourly_bikesharing.csv", "count", "ts"),
    "electricity": Raw("hourly_electricity.csv", "y", "ts"),
    "beijing pollution": Raw(
        "hourly_beijing_pm.csv",
        "pm2.5",
        ["year", "month", "day", "hour"],
        features=("DEWP", "TEMP", "PRES", "cbwd", "Iws"),
    ),
    "san francisco traffic": Raw("hourly_sf_traffic.csv", "y", "ts"),
    "solar power": Raw("hourly_solarpower.csv", "y", "ts"),
    "wind power": Raw("hourly_windpower.csv", "y", "ts"),
}


def snarimax(p, sp, sd):
    """Return river's SNARIMAX as its documentation has it, for days of 24 hours."""
    regressor = preprocessing.StandardScaler() | linear_model.LinearRegression(
        intercept_init=0, optimizer=optim.SGD(0.01), intercept_lr=0.3
    )
    return time_series.SNARIMAX(p=p, d=0, q=0, m=24, sp=sp, sd=sd, regressor=regressor)


def holt_winters(alpha, gamma):
    """Return river's Holt-Winters with an additive season of 24 hours."""
    return time_series.HoltWinters(
        alpha=alpha, beta=0.01, gamma=gamma, seasonality=24, multiplicative=False
    )


RIVER = {
    "SNARIMAX": [partial(snarimax, *one) for one in [(3, 3, 0), (24, 0, 0), (3, 3, 1)]],
    "Holt-Winters": [partial(holt_winters, *one) for one in [(0.1, 0.1), (0.3, 0.3), (0.5, 0.1)]],
}


def errors_of_river(model, y):
    """Return the mean absolute error of each horizon; gaps hold the value before."""
    made, off = deque(maxlen=max(HORIZONS)), {horizon: [] for horizon in HORIZONS}
    for hour, value in enumerate(pd.Series(y).ffill().bfill()):
        for horizon in HORIZONS:
            if len(made) >= horizon and hour >= FIRST and not np.isnan(y[hour]):
                off[horizon].append(abs(made[-horizon][horizon - 1] - value))
        model.learn_one(value)
        if hour > 2 * 7 * 24:
            made.append(model.forecast(horizon=max(HORIZONS)))
    return [float(np.mean(off[horizon])) for horizon in HORIZONS]


def of_river(makers, y):
    """Return the least error of each horizon of several settings, chosen in hindsight."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.nanmin([errors_of_river(make(), y) for make in makers], axis=0)


def shifted(y, back):
    """Return the values so many rows before."""
    return np.concatenate([np.full(back, np.nan), y[:-back]])


def plain_errors(y):
    """Return the mean absolute errors of no change, of a day before and of a week before."""
    filled = pd.Series(y).ffill().to_numpy()

    def error(back):
        return float(np.nanmean(np.abs(shifted(filled, back) - y)[FIRST:]))

    return [[error(horizon), error(24), error(168)] for horizon in HORIZONS]


def own_errors(time, y, X, **settings):
    """Return the mean absolute error of each horizon, and the coverage of the intervals."""
    model = nystream.Forecaster(horizon=list(HORIZONS), every="1h", **settings)
    made = model.progressive(y, X if X.shape[1] else None, time=time)
    off = np.abs(made - y[:, None])[FIRST:]
    return np.nanmean(off, axis=0), [model.report[horizon].coverage for horizon in HORIZONS]


def main(folder, *names):
    """Print the errors on all series, or on some."""
    print(
        "| series | hours ahead | Forecaster | with LinearRls | features known ahead | no change "
        "| day before | week before | SNARIMAX | Holt-Winters | 90 % hold |\n" + "|---" * 11 + "|"
    )
    for name in names or SERIES:
        time, y, X = SERIES[name].read(folder)
        auto, coverage = own_errors(time, y, X[[]])
        linear, _ = own_errors(time, y, X[[]], model=nystream.LinearRls(forgetting=0.9995))
        ahead = own_errors(time, y, X, ahead=list(X))[0] if X.shape[1] else [np.nan, np.nan]
        rivers = [of_river(makers, y) for makers in RIVER.values()]
        for i, (horizon, plain) in enumerate(zip(HORIZONS, plain_errors(y), strict=True)):
            cells = [auto[i], linear[i], ahead[i], *plain, *(river[i] for river in rivers)]
            shown = " | ".join("-" if np.isnan(cell) else f"{cell:.4g}" for cell in cells)
            print(f"| {name} | {horizon} | {shown} | {coverage[i]:.1%} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
