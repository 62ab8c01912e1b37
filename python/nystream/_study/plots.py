"""The plots of a comparison, one panel a data set, as SVG files."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from nystream._study.entries import ENTRIES
from nystream._study.report import Figure
from nystream._study.summary import by_dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from nystream._study.growth import Growth
    from nystream._study.summary import Line, Score

COLUMNS = 4
# One kind of line for each kind of learner, so that colours need not tell all of them apart.
ALD, FEATURES, SAMPLED, EVERY_ROW, NO_KERNEL = "-", (0, (6, 2)), "--", ":", "-."
LOOKS: dict[str, tuple[str, Any]] = {
    "NonsAld": ("#c1272d", ALD),
    "AogdAld": ("#1f5fa8", ALD),
    "RidgeAld": ("#1b7f4d", ALD),
    "KrlsAld": ("#7fbf3f", ALD),
    "Auto": ("#000000", ALD),
    "Fogd": ("#00a0b0", FEATURES),
    "Nogd": ("#5b3f9e", FEATURES),
    "ProsNKons": ("#e08a1e", SAMPLED),
    "ConKons": ("#b3589a", SAMPLED),
    "SketchedKons": ("#8c6d46", EVERY_ROW),
    "Pkawv": ("#d4566f", EVERY_ROW),
    "Kogd": ("#1f5fa8", EVERY_ROW),
    "Kons": ("#c1272d", EVERY_ROW),
    "Kaar": ("#555555", EVERY_ROW),
    "OnlineKrr": ("#1b7f4d", EVERY_ROW),
    "LinearRls": ("#555555", NO_KERNEL),
    "RunningMean": ("#a8a8a8", NO_KERNEL),
}
OTHER_LOOK = ("#cfb53b", NO_KERNEL)


def comparison(lines: Sequence[Line], folder: Path) -> list[Figure]:
    """Draw all plots of a comparison, one panel for each data set."""
    groups = {
        group[0].dataset: [line for line in group if not line.score.diverged]
        for group in by_dataset(lines)
    }
    return [
        Figure(panels(groups, draw, labels, folder / f"{name}.svg"), caption)
        for name, draw, labels, caption in (
            ("running-mse", running_mse, ("rows seen", "MSE so far"), RUNNING_MSE),
            ("mse-time", mse_against_time, ("seconds", "MSE"), MSE_TIME),
            ("dictionary", dictionary_growth, ("rows seen", "rows kept"), DICTIONARY),
            ("cost", cost_per_row, ("rows seen", "microseconds a row"), COST),
        )
    ]


RUNNING_MSE = "Mean squared error of all predictions so far, against the rows seen."
MSE_TIME = "Mean squared error against the processor seconds of a pass: best is at the lower left."
DICTIONARY = "Rows kept against the rows seen."
COST = "Processor time to predict and learn a row, as the stream goes on."


def scaling(growths: Sequence[Growth], folder: Path) -> list[Figure]:
    """Draw how dictionary and cost grow with the stream, one panel for each decay."""
    names = list(dict.fromkeys(growth.decay.name for growth in growths))
    groups = {name: [g for g in growths if g.decay.name == name] for name in names}
    labels = ("length of the stream", "rows kept"), ("length of the stream", "microseconds a row")
    return [
        Figure(panels(groups, kept_rows, labels[0], folder / "dictionary.svg"), KEPT),
        Figure(panels(groups, late_cost, labels[1], folder / "cost.svg"), LATE),
    ]


KEPT = "Rows kept at the end of a stream, against its length."
LATE = "Processor time of a row in the second half of a stream, against its length."


def panels(
    groups: Mapping[str, Sequence[Any]],
    draw: Callable[[Axes, Any], None],
    labels: tuple[str, str],
    path: Path,
) -> Path:
    """Draw one panel for each group, and one legend for all of them."""
    columns = min(COLUMNS, len(groups))
    rows = math.ceil(len(groups) / columns)
    size = (3 * columns + 1.6, 2.8 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for ax, (name, group) in zip(grid.flat, groups.items(), strict=False):
        draw(ax, group)
        ax.set_title(name, fontsize=10, parse_math=False)
        ax.set_xlabel(labels[0], fontsize=8)
        ax.set_ylabel(labels[1], fontsize=8)
        if ax.has_data():
            plain_logarithms(ax)
    for ax in grid.flat[len(groups) :]:
        ax.axis("off")
    legend(figure)
    return save(figure, path)


def plain_logarithms(ax: Axes) -> None:
    """Label powers of ten alone; where a scale has fewer than two, a few round numbers."""
    ax.grid(alpha=0.25)
    ax.tick_params(labelsize=8)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        steps = (1.0,) if high > 100 * low else (1.0, 2.0, 5.0)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def legend(figure: Canvas) -> None:
    """Show once what the lines of all panels mean."""
    handles: dict[Any, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(), handles.keys(), loc="outside right center", frameon=False, fontsize=9,
        handlelength=3,
    )  # fmt: skip


def save(figure: Canvas, path: Path) -> Path:
    """Write an SVG file that is the same for the same numbers."""
    with (
        matplotlib.rc_context({"svg.hashsalt": "nystream", "svg.fonttype": "path"}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph")  # names of data sets may be in any language
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path


def style(name: str) -> dict[str, Any]:
    """Colour, line and label of a learner; those of the paper are drawn wider."""
    colour, line = LOOKS.get(name, OTHER_LOOK)
    width = 2.2 if name in ("NonsAld", "AogdAld") else 1.4
    return {"color": colour, "linestyle": line, "label": ENTRIES[name].title, "linewidth": width}


def mean_curve(score: Score, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows seen, and a figure of the curves averaged over the repeats."""
    curves = [run.curve for run in score.runs]
    return np.array(curves[0].t), np.mean([getattr(curve, name) for curve in curves], axis=0)


def running_mse(ax: Axes, lines: Sequence[Line]) -> None:
    """Error so far against t."""
    for line in lines:
        ax.loglog(*mean_curve(line.score, "mse"), **style(line.case.entry.name))


def dictionary_growth(ax: Axes, lines: Sequence[Line]) -> None:
    """Rows kept against t, for learners that keep some."""
    for line in lines:
        t, n_basis = mean_curve(line.score, "n_basis")
        if n_basis.any():
            ax.loglog(t, n_basis, **style(line.case.entry.name))


def cost_per_row(ax: Axes, lines: Sequence[Line]) -> None:
    """Microseconds a row against t: the median of the repeats, between a dozen points."""
    for line in lines:
        t = np.array(line.score.runs[0].curve.t)
        seconds = np.array([run.curve.seconds for run in line.score.runs])
        ends = np.unique(np.geomspace(1, len(t), 12).astype(int)) - 1
        if len(ends) > 1:
            cost = np.median(np.diff(seconds[:, ends]) / np.diff(t[ends]), axis=0)
            ax.loglog(t[ends[1:]], 1e6 * cost, **style(line.case.entry.name))


def mse_against_time(ax: Axes, lines: Sequence[Line]) -> None:
    """One point a learner; the shape tells the kind."""
    markers = {"-": "o", ":": "s", "-.": "D", "--": "^"}
    for line in lines:
        colour, kind = LOOKS.get(line.case.entry.name, OTHER_LOOK)
        ax.loglog(
            line.score.seconds, line.score.mse, markers.get(kind, "v"), color=colour,
            label=line.case.entry.title, markersize=6,
        )  # fmt: skip


def kept_rows(ax: Axes, growths: Sequence[Growth]) -> None:
    """Rows kept against T, for learners that keep some."""
    for growth in growths:
        if any(growth.n_basis):
            ax.loglog(growth.T, growth.n_basis, marker=".", **style(growth.claim.name))


def late_cost(ax: Axes, growths: Sequence[Growth]) -> None:
    """Microseconds a row against T."""
    for growth in growths:
        ax.loglog(growth.T, growth.microseconds, marker=".", **style(growth.claim.name))
