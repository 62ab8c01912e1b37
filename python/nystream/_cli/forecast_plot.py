"""The picture of ``nystream forecast``: last values, what was forecast of them, the next ones."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._tables import steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nystream._cli.forecast_report import Next
    from nystream._runs.forecasting import Forecasting, Tail

MOST_PANELS = 4  # series in a picture
# How times are written in a picture of fewer days.
DATES = ((3, "%d %b %H:%M"), (200, "%d %b"), (3000, "%b %Y"), (float("inf"), "%Y"))
VALUES, BEFORE, NEXT = "#3a3a3a", "#e08214", "#2166ac"


def check(path: str) -> None:
    """Say at once, not after an hour, that a picture could not be drawn."""
    known = figure().canvas.get_supported_filetypes()
    if Path(path).suffix.lower().lstrip(".") not in known:
        names = ", ".join(f".{name}" for name in sorted(known))
        raise ValueError(f"--plot should end with one of {names}, but is {path}")


def figure(n_panels: int = 1) -> Any:
    """Return an empty picture, or say what is missing."""
    try:
        module = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install 'nystream[bench]'") from error
    return module.Figure(figsize=(9, 1.2 + 2.4 * n_panels), dpi=120, layout="constrained")


def draw(
    file: str,
    target: str,
    running: Forecasting,
    paths: Mapping[str, Sequence[Next]],
    level: float,
) -> None:
    """Draw the last values of each series and its next ones, a panel a series."""
    known = [key for key, path in paths.items() if path][:MOST_PANELS]
    picture = figure(len(known))
    panels = picture.subplots(len(known), squeeze=False)[:, 0]
    for panel, key in zip(panels, known, strict=True):
        draw_series(panel, running, running.tails.get(key), paths[key], level)
        panel.set_ylabel(f"{target}, {key}" if key else target)
        tidy(panel)
    handles = panels[0].get_legend_handles_labels()
    picture.legend(*handles, loc="outside upper left", ncols=4, frameon=False, fontsize=9)
    picture.savefig(file)


def draw_series(
    panel: Any, running: Forecasting, tail: Tail | None, path: Sequence[Next], level: float
) -> None:
    """Draw one series: values, what had been forecast of them, the next values and their band."""
    has_times, every = running.setting.has_times, running.setting.template.params["every"]
    if tail is not None and tail.times:
        moments, values, forecasts = (
            with_gaps(np.array(own), tail, every)
            for own in (tail.times, tail.values, tail.forecasts)
        )
        x, before = places(moments, has_times), running.setting.shown
        panel.plot(x, values, color=VALUES, lw=1.1, label="value")
        words = f"forecast {distance(before, every)} before"
        panel.plot(x, forecasts, color=BEFORE, lw=1.0, alpha=0.9, label=words)
    draw_next(panel, path, has_times, f"{level:.0%} interval")


def draw_next(panel: Any, path: Sequence[Next], has_times: bool, words: str) -> None:
    """Draw the next values: a line with a band if there is one for each step, else points."""
    x = places(np.array([row.moment for row in path]), has_times)
    values, lower, upper = np.array([(row.forecast, row.lower, row.upper) for row in path]).T
    is_line = len(path) > 2 and path[-1].horizon - path[0].horizon == len(path) - 1
    form = {"lw": 1.6} if is_line else {"lw": 0, "marker": "o", "ms": 4}
    panel.plot(x, values, color=NEXT, label="next values", **form)
    if np.isfinite(lower).all() and is_line:
        panel.fill_between(x, lower, upper, color=NEXT, alpha=0.18, lw=0, label=words)
    elif np.isfinite(lower).all():
        panel.vlines(x, lower, upper, color=NEXT, alpha=0.35, lw=3, label=words)
    panel.axvline(x[0], color="#bbbbbb", lw=0.8, zorder=0)


def with_gaps(values: Any, tail: Tail, every: str | None) -> Any:
    """Put a NaN, or a time, where times are missing, so that no line goes over a gap."""
    longest = 1.5 * (1 if every is None else steps.micros_of(every))
    times = np.array(tail.times)
    ends = np.flatnonzero(np.diff(times) > longest) + 1
    missing = times[ends - 1] + 1 if values.dtype.kind == "i" else np.nan
    return np.insert(values, ends, missing)


def places(moments: Any, has_times: bool) -> Any:
    """Return what is drawn to the right: times, or numbers of rows."""
    return moments.astype("datetime64[us]") if has_times else moments


def distance(horizon: int, every: str | None) -> str:
    """Say how long before its value a forecast was made."""
    words = steps.season_in_words(horizon, every)
    return "1 row" if words == "1 rows" else words


def tidy(panel: Any) -> None:
    """Take away what nobody needs to read the picture."""
    dates: Any = importlib.import_module("matplotlib.dates")

    if isinstance(panel.xaxis.get_major_locator(), dates.AutoDateLocator):
        first, last = panel.get_xlim()
        words = next(words for days, words in DATES if last - first < days)
        panel.xaxis.set_major_locator(dates.AutoDateLocator(maxticks=8))
        panel.xaxis.set_major_formatter(dates.DateFormatter(words))
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.grid(axis="y", color="#e6e6e6", lw=0.6)
    panel.set_axisbelow(True)
    panel.margins(x=0.02)
