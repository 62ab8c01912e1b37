"""The record of the service: running errors, and curves of bounded length."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nystream.serve._facts import amount, listed, number_of, part
from nystream.serve._rows import Array

LATEST = 200  # predictions that the page draws
LONGEST = 256  # points of a curve


@dataclass
class Running:
    """A mean of squared errors, of which those of several targets are one."""

    count: int = 0
    total: float = 0.0

    @classmethod
    def restored(cls, name: str, state: Any) -> Running:
        """Return what a checkpoint says, or raise ``ValueError`` if it makes no sense."""
        count, total = listed(name, state, 2)
        return cls(number_of(name, count), amount(name, total))

    def add(self, predictions: Any, y: Array) -> None:
        """Count rows."""
        errors = (np.asarray(predictions) - y) ** 2
        self.count += len(y)
        self.total += float(errors.sum()) * len(y) / errors.size

    @property
    def mean(self) -> float | None:
        """The mean, if there is one yet."""
        return self.total / self.count if self.count else None


class Point(NamedTuple):
    """A point of a curve: rows counted, their squared errors added up, the size of the model."""

    n_rows: int
    total: float
    size: int

    @classmethod
    def restored(cls, state: Any) -> Point:
        """Return what a checkpoint says, or raise ``ValueError`` if it makes no sense."""
        n_rows, total, size = listed("a point", state, 3)
        name = "a number of a point"
        return cls(number_of(name, n_rows, 1), amount(name, total), number_of(name, size))


@dataclass
class Curve:
    """Points in order; when they are too many, every other one goes, and new ones come half as
    often. The squared errors are sums, so that the mean between any two points stays exact.
    """

    points: list[Point] = field(default_factory=list)
    step: int = 1

    def add(self, point: Point) -> None:
        """Keep a point if it is far enough from the one before."""
        if self.points and point.n_rows < self.points[-1].n_rows + self.step:
            return
        self.points.append(point)
        if len(self.points) > LONGEST:
            self.points = self.points[1::2]
            self.step *= 2


@dataclass
class Progress:
    """Errors of the learner's predictions, made of rows before it learned them."""

    error: Running = field(default_factory=Running)
    curve: Curve = field(default_factory=Curve)
    latest: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=LATEST))

    def add(self, predictions: Array, y: Array, size: int) -> None:
        """Count a batch."""
        self.error.add(predictions, y)
        self.curve.add(Point(self.error.count, self.error.total, size))
        self.latest.extend(zip(first(predictions), first(y), strict=True))

    def points(self, size: int) -> list[Point]:
        """Return the curve up to now."""
        now = Point(self.error.count, self.error.total, size)
        kept = self.curve.points
        return [*kept, now] if kept and kept[-1].n_rows < now.n_rows else [*kept]

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint needs to go on."""
        return {
            "error": [self.error.count, self.error.total],
            "points": self.curve.points,
            "step": self.curve.step,
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Progress:
        """Go on from :meth:`state`, or raise ``ValueError`` if it makes no sense."""
        error = Running.restored("error", state.get("error"))
        points = [Point.restored(point) for point in part(state, "points", list)]
        if any(b.n_rows <= a.n_rows or b.total < a.total for a, b in pairwise(points)):
            raise ValueError("points should be in order")
        if len(points) > LONGEST:
            raise ValueError(f"there should be at most {LONGEST} points, but are {len(points)}")
        return cls(error, Curve(points, number_of("step", state.get("step"), 1)))


def first(values: Array) -> list[float]:
    """Return the first targets of the last rows."""
    numbers: list[float] = np.atleast_2d(values[-LATEST:].T)[0].tolist()
    return numbers
