"""Losses by their formulas, and least squares with another loss, by halves of an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.linalg import solve

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Formula:
    """A loss of a value v and a label y: its formula, its slope, its bend, and its link."""

    value: Callable[[float, float], float]
    slope: Callable[[float, float], float]
    bend: Callable[[float, float], float] = lambda v, y: 0.0
    link: Callable[[float], float] = lambda v: v
    kinks: bool = False


def slope_of_squares(v, y):
    return 2 * (v - y)


def quantile(q):
    return Formula(
        lambda v, y: max(q * (y - v), (1 - q) * (v - y)),
        lambda v, y: (1 - q) if v > y else -q if v < y else 0.5 - q,
        kinks=True,
    )


def huber(delta):
    return Formula(
        lambda v, y: (v - y) ** 2 / 2 if abs(v - y) <= delta else delta * (abs(v - y) - delta / 2),
        lambda v, y: max(-delta, min(delta, v - y)),
        lambda v, y: float(abs(v - y) <= delta),
    )


def epsilon_insensitive(epsilon):
    return Formula(
        lambda v, y: max(abs(v - y) - epsilon, 0.0),
        lambda v, y: np.sign(v - y) * (np.sign(abs(v - y) - epsilon) + 1) / 2,
        kinks=True,
    )


FORMULAS = {
    "Squared": lambda: Formula(lambda v, y: (v - y) ** 2, slope_of_squares, lambda v, y: 2.0),
    "Absolute": lambda: Formula(
        lambda v, y: abs(v - y), lambda v, y: float(np.sign(v - y)), kinks=True
    ),
    "Quantile": quantile,
    "Huber": huber,
    "EpsilonInsensitive": epsilon_insensitive,
    "Logistic": lambda: Formula(
        lambda v, y: np.logaddexp(0, v) - y * v,
        lambda v, y: 1 / (1 + np.exp(-v)) - y,
        lambda v, y: 1 / (2 + np.exp(v) + np.exp(-v)),
        lambda v: 1 / (1 + np.exp(-v)),
    ),
    "SquaredHinge": lambda: Formula(
        lambda v, y: max(1 - y * v, 0.0) ** 2,
        lambda v, y: -2 * y * max(1 - y * v, 0.0),
        lambda v, y: 2 * y**2 * (y * v < 1),
    ),
    "Hinge": lambda: Formula(
        lambda v, y: max(1 - y * v, 0.0),
        lambda v, y: -y * (np.sign(1 - y * v) + 1) / 2,
        kinks=True,
    ),
    "Poisson": lambda: Formula(
        lambda v, y: np.exp(v) - y * v,
        lambda v, y: np.exp(v) - y,
        lambda v, y: np.exp(v),
        np.exp,
    ),
}


def formula_of(loss) -> Formula:
    """The formula of a loss of the package."""
    return FORMULAS[type(loss).__name__](**loss.params)


class Balance:
    """Weights that a row moves to where half its loss and the distance from before balance.

    The distance is that of A = ridge I + sum_s l''_s / 2 phi_s phi_s^T. A kink is the mean of the
    loss over a quarter of the mean difference of values and labels on both sides.
    """

    def __init__(self, formula: Formula, size, ridge, forgetting=1.0):
        self.formula, self.ridge, self.forgetting = formula, ridge, forgetting
        self.A, self.w = ridge * np.eye(size), np.zeros(size)
        self.difference = self.count = 0.0
        self.period = 1 if forgetting == 1 else int(np.ceil(np.log(0.5) / np.log(forgetting)))
        self.rounds = 0

    def move(self, Q):
        """Past features become these other coordinates of theirs."""
        new = self.ridge * self.forgetting**self.rounds
        self.A = Q @ self.A @ Q.T + new * (np.eye(len(Q)) - Q @ Q.T)
        self.w = Q @ self.w

    def learn(self, phi, y, weight=1.0):
        """Return the value of a row, then learn its label."""
        v = self.w @ phi
        # The row counts once, the others that much less.
        A = self.forgetting * self.A
        q = phi @ solve(A, phi)
        slope, bend = self._rounded(abs(v - y))
        low, high = sorted([v, v - weight * q * slope(v, y) / 2])
        for _ in range(200):
            u = (low + high) / 2
            above = u - v + weight * q * slope(u, y) / 2 > 0
            low, high = (low, u) if above else (u, high)
        self.w = self.w + (u - v) / q * solve(A, phi) if q > 0 else self.w
        self.A = A + weight * bend(u, y) / 2 * np.outer(phi, phi)
        self.rounds += 1
        if self.rounds == self.period:
            kept = self.forgetting**self.period
            before = self.A
            self.A = before + (1 - kept) * self.ridge * np.eye(len(before))
            self.w = solve(self.A, before @ self.w)
            self.rounds = 0
        return v

    def _rounded(self, difference):
        formula = self.formula
        if not formula.kinks:
            return formula.slope, formula.bend
        self.count = 0.99 * self.count + 1
        self.difference += (difference - self.difference) / self.count
        h = 0.25 * self.difference
        return (
            lambda v, y: (formula.value(v + h, y) - formula.value(v - h, y)) / (2 * h),
            lambda v, y: (formula.slope(v + h, y) - formula.slope(v - h, y)) / (2 * h),
        )
