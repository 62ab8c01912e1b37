"""The paper's eight data sets: what they are, where they are looked for, and how they are kept."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream.datasets import _checks, _npz, _openml
from nystream.datasets._dataset import Dataset, Info

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SLACK = 1e-6  # of a scaling in float32
INFERRED = "that the paper's features are in [0, 1] is inferred from its results"


@dataclass(frozen=True)
class PaperSet:
    """A set of the paper, and how to get it from OpenML."""

    info: Info
    target: str
    openml: _openml.Recipe
    unit_interval: bool = False
    note: str = ""


def paper_set(
    name: str,
    shape: tuple[int, int],
    sigma: float,
    description: str,
    target: str,
    openml: Mapping[str, Any],
    **more: Any,
) -> PaperSet:
    """Write a line of the table below."""
    recipe = _openml.Recipe(shape, **openml)
    return PaperSet(Info(name, "paper", description, *shape, sigma), target, recipe, **more)


# The data_ids are OpenML's; where none is known, a set goes by its name. The shape is checked.
PAPER_SETS = {
    line.info.name: line
    for line in (
        paper_set(
            "parkinson",
            (5875, 16),
            8.0,
            "motor score of Parkinson patients from 16 voice measures",
            "motor_UPDRS",
            {
                "where": {"name": "parkinsons-telemonitoring"},
                "target": "motor_UPDRS",
                "unused": ("subject", "age", "sex", "test_time", "total_UPDRS"),
            },
            unit_interval=True,
            note=f"the paper does not name its target; {INFERRED}",
        ),
        paper_set(
            "elevators",
            (16599, 18),
            8.0,
            "command to the elevators of an F16 aircraft",
            "Goal",
            {"where": {"data_id": 216}},
        ),
        paper_set(
            "cpusmall",
            (8192, 12),
            2.0,
            "share of time that a computer runs in user mode",
            "usr",
            {"where": {"data_id": 227}},
            unit_interval=True,
            note=INFERRED,
        ),
        paper_set(
            "bank",
            (8192, 32),
            12.0,
            "share of customers who leave a simulated bank's queue (bank32nh)",
            "rej",
            {"where": {"data_id": 558}},
        ),
        paper_set(
            "ailerons",
            (13750, 40),
            8.0,
            "command to the ailerons of an F16 aircraft",
            "goal",
            {"where": {"data_id": 296}},
        ),
        paper_set(
            "calhousing",
            (14000, 8),
            4.0,
            "median house value of Californian districts",
            "median_house_value",
            {
                "where": {"data_id": 537},
                "rows": 20640,
                "after_scaling": slice(14000),
                "note": "the first 14000 of 20640 rows, scaled with all of them; the authors took "
                "14000 of their own choice",
            },
        ),
        paper_set(
            "tomshardware",
            (28179, 96),
            12.0,
            "mean number of displays of a topic on Tom's Hardware",
            "mean number of displays",
            {"where": {"name": "Buzzinsocialmedia_Tomshardware"}},
            unit_interval=True,
            note=INFERRED,
        ),
        paper_set(
            "year",
            (51630, 90),
            16.0,
            "release year of a song from its timbre, test part of YearPredictionMSD",
            "year",
            {
                "where": {"name": "YearPredictionMSD"},
                "rows": 515345,
                "before_scaling": slice(-51630, None),
                "note": "the last 51630 of 515345 rows, scaled by themselves",
            },
        ),
    )
}


@dataclass
class Search:
    """Looks for a set in its places, and remembers why it is not there."""

    name: str
    data_dir: Path | None
    failures: list[str] = field(default_factory=list)

    def file(self) -> Path | None:
        """Return the first file of that name."""
        for label, folder in self._places():
            path = folder / f"{self.name}.npz"
            if path.is_file():
                return path
            missing = f"no {path.name} there" if folder.is_dir() else "no such folder"
            self.failures.append(f"{label} {folder}: {missing}")
        return None

    def _places(self) -> Iterator[tuple[str, Path]]:
        if self.data_dir is not None:
            yield "data_dir", self.data_dir
        if value := os.environ.get("NYSTREAM_DATA"):
            yield "NYSTREAM_DATA", _checks.path("NYSTREAM_DATA", value)
        else:
            self.failures.append("NYSTREAM_DATA: not set")
        yield "cache", cache_folder()

    def error(self) -> FileNotFoundError:
        """Say all that was tried."""
        tried = "\n".join(f"- {failure}" for failure in self.failures)
        return FileNotFoundError(
            f"the data set {self.name} is in none of the places tried:\n{tried}"
        )


def search(name: str, data_dir: Any) -> Search:
    """Begin to look for a set."""
    return Search(name, None if data_dir is None else _checks.path("data_dir", data_dir))


def cache_folder() -> Path:
    """Return the folder that fetched sets are kept in."""
    if value := os.environ.get("NYSTREAM_CACHE"):
        return _checks.path("NYSTREAM_CACHE", value)
    variable, default = "XDG_CACHE_HOME", Path("~/.cache")
    if sys.platform == "win32":
        variable, default = "LOCALAPPDATA", Path("~/AppData/Local")
    return Path(os.environ.get(variable) or default.expanduser()) / "nystream"


def load_paper_set(name: str, data_dir: Any, n_rows: int | None) -> Dataset:
    """Read a set of the paper, or fetch and keep it."""
    wanted = PAPER_SETS[name]
    looked = search(name, data_dir)
    path = looked.file()
    if path is not None:
        arrays, source = _npz.read(path), str(path)
    else:
        try:
            arrays = _openml.fetch(wanted.openml)
        except _openml.FetchError as error:
            looked.failures.append(f"OpenML: {error}")
            raise looked.error() from error
        source = arrays.source or "OpenML"
        keep(arrays, cache_folder() / f"{name}.npz")
    if arrays.X.shape != wanted.openml.shape:
        raise ValueError(
            f"{source} should have the paper's {wanted.info.rows} rows and {wanted.info.features} "
            f"features, but has {len(arrays.X)} and {arrays.X.shape[1]}"
        )
    if (
        np.abs(arrays.X).max() > 1 + SLACK
        or not -SLACK <= arrays.y.min() <= arrays.y.max() <= 1 + SLACK
    ):
        raise ValueError(f"{source} should have features in [-1, 1] and labels in [0, 1]")
    return dataset(wanted, replace(arrays, X=arrays.X[:n_rows], y=arrays.y[:n_rows]), source)


def dataset(wanted: PaperSet, arrays: _npz.Arrays, source: str) -> Dataset:
    """Put the features where the paper has them, and say what is known."""
    interval = "[0, 1]" if wanted.unit_interval else "[-1, 1]"
    return Dataset(
        name=wanted.info.name,
        X=(arrays.X + 1) / 2 if wanted.unit_interval else arrays.X,
        y=arrays.y,
        feature_names=arrays.feature_names,
        target_name=arrays.target_name or wanted.target,
        source=source,
        scaling=f"features to {interval}, target to [0, 1], by their ranges",
        target_range=arrays.target_range,
        sigma=wanted.info.sigma,
        paper_rows=wanted.info.rows,
        note="; ".join(filter(None, [wanted.note, arrays.note])),
    )


def keep(arrays: _npz.Arrays, path: Path) -> None:
    """Store arrays for the next time; where that cannot be, say so and go on."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as file:
                arrays.write(file)
            # At once, so that no reader and no failure ever meets half a file.
            os.replace(partial, path)
        except BaseException:
            os.unlink(partial)
            raise
    except OSError as error:
        warnings.warn(f"{path.name} could not be kept in the cache: {error}", stacklevel=4)
