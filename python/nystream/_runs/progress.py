"""The progress of a run: its position in the table, and its counts and errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._checks import real, whole
from nystream._tables.table import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream._tables.values import Values

MOST = 1 << 62  # the largest count of rows, lines or bytes
UNFIT = (KeyError, TypeError, ValueError, OverflowError)


@dataclass
class Tally:
    """Errors, and the squared distances of labels from their mean, of each target.

    ``good`` rows have been predicted and have a label, ``unlabelled`` ones have none. Absolute
    errors of the first ``unmeasured`` rows are not known: earlier versions kept none.
    """

    good: int = 0
    bad: int = 0
    unlabelled: int = 0
    unmeasured: int = 0
    absolute_errors: list[float] = field(default_factory=list)
    squared_errors: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)

    def add(self, predictions: Values, labels: Values) -> None:
        """Count rows that were predicted, by those labels that are not NaN."""
        if not len(labels):
            return
        p, y = (values.reshape(len(labels), -1) for values in (predictions, labels))
        known = ~np.isnan(y).any(axis=1)
        self.unlabelled += len(y) - int(known.sum())
        if known.any():
            self._add(p[known], y[known])

    def _add(self, p: Values, y: Values) -> None:
        """Count rows that have labels."""
        n_new = len(y)
        absolute, errors, means, spreads = (
            np.array(known or [0.0] * y.shape[1])
            for known in (self.absolute_errors, self.squared_errors, self.means, self.spreads)
        )
        # Means and spreads of two parts of a stream give those of both (Chan et al., 1979).
        new_means = y.mean(axis=0)
        shift = new_means - means
        n_all = self.good + n_new
        spreads += ((y - new_means) ** 2).sum(axis=0) + shift**2 * (self.good * n_new / n_all)
        self.means = (means + shift * (n_new / n_all)).tolist()
        self.spreads = spreads.tolist()
        self.absolute_errors = (absolute + np.abs(p - y).sum(axis=0)).tolist()
        self.squared_errors = (errors + ((p - y) ** 2).sum(axis=0)).tolist()
        self.good = n_all

    @property
    def mae(self) -> float:
        """Mean absolute error, over all targets."""
        n_rows = self.good - self.unmeasured
        return float(np.mean(self.absolute_errors)) / n_rows if n_rows else float("nan")

    @property
    def rmse(self) -> float:
        """Root of the mean squared error, over all targets."""
        mean = float(np.mean(self.squared_errors)) / self.good if self.good else float("nan")
        return math.sqrt(mean)

    @property
    def figures(self) -> str:
        """The errors as a line; the first two are in the unit of the labels."""
        return f"MAE {self.mae:.6g}, RMSE {self.rmse:.6g}, R2 {self.r2:.4f}"

    @property
    def r2(self) -> float:
        """Share of the labels' variance that was predicted, the mean over targets."""
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = 1 - np.array(self.squared_errors) / np.array(self.spreads)
        return float(np.mean(shares)) if self.good else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return the tally as a checkpoint holds it."""
        return dict(vars(self))


@dataclass
class Progress:
    """The progress of a run: the position in the table, and the errors so far."""

    position: Position = field(default_factory=Position)
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Progress:
        """Read the progress from the state of a checkpoint, or raise one of `UNFIT`."""
        place, counted = dict(state["position"]), dict(state["tally"])
        position = Position(**place)
        if not isinstance(position.digest, str | None):
            raise TypeError(f"digest should be a text, but is {position.digest!r:.100}")
        for name in ("row", "line", "byte"):
            count(name, getattr(position, name))
        if "absolute_errors" not in counted:  # in checkpoints of earlier versions
            counted["absolute_errors"] = [0.0] * len(counted["means"])
            counted["unmeasured"] = counted["good"]
        tally = Tally(**counted)
        n_rows = sum(count(name, getattr(tally, name)) for name in ("good", "bad", "unlabelled"))
        if n_rows != position.row:
            raise ValueError(f"rows of all sorts should be {position.row} together")
        if count("unmeasured", tally.unmeasured) > tally.good:
            raise ValueError(f"unmeasured should be at most {tally.good}")
        for name in ("absolute_errors", "squared_errors", "means", "spreads"):
            check_figures(name, getattr(tally, name), tally.good)
        return cls(position, tally)


def check_figures(name: str, values: Any, n_good: int) -> None:
    """Refuse figures that no row could have led to."""
    if not isinstance(values, list) or (n_good and not values):
        raise TypeError(f"{name} should be a list of numbers, but is {values!r:.100}")
    for value in values:
        number = real(name, value)
        if not math.isfinite(number) or (number < 0 and name != "means"):
            raise ValueError(f"{name} should hold finite numbers, but holds {value!r}")


def count(name: str, value: Any) -> int:
    """Return a number of rows, lines or bytes; refuse one that is negative or too large."""
    if whole(name, value, 0) > MOST:
        raise ValueError(f"{name} should be at most {MOST}, but is larger")
    return int(value)
