"""The function that a learner is compared with, and the comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nystream.theory import _checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nystream._core import Kernel


@dataclass(frozen=True, eq=False, repr=False)
class Comparator:
    """A function f = sum_t a_t kappa(x_t, .) of the stream's rows; :func:`best_in_ball` makes it.

    Attributes
    ----------
    kernel, X, coefficients
        kappa, the rows x_t, and a.
    predictions
        f(x_t) for each row.
    loss
        L(f), the sum of squared errors.
    norm
        ||f||_H.
    ridge
        nu: f minimises ``L(f) + nu ||f||_H^2``.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(200)
    >>> nystream.theory.best_in_ball(nystream.Gaussian(1.0), X, y, U=2.0)
    Comparator(loss=0.004879, norm=2, ridge=0.003283)
    """

    kernel: Kernel
    X: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    predictions: NDArray[np.float64]
    loss: float
    norm: float
    ridge: float

    def __repr__(self) -> str:
        return f"Comparator(loss={self.loss:.4g}, norm={self.norm:.4g}, ridge={self.ridge:.4g})"

    def predict_many(self, X: ArrayLike) -> NDArray[np.float64]:
        """Evaluate f at rows that may be new.

        Examples
        --------
        >>> import nystream
        >>> X, y = nystream.datasets.mackey_glass(200)
        >>> best = nystream.theory.best_in_ball(nystream.Gaussian(1.0), X[:100], y[:100], U=2.0)
        >>> best.predict_many(X[100:]).shape
        (100,)
        """
        return self.kernel(X, self.X) @ self.coefficients


def solve_in_ball(
    lam: NDArray[np.float64], c: NDArray[np.float64], U: float
) -> tuple[float, float]:
    """Find nu >= 0 with ||f|| = U, or nu = 0 if ||f|| <= U for it; return nu and ||f||.

    ``||f||^2 = sum_i lambda_i c_i^2 / (lambda_i + nu)^2``. As a function of nu its inverse root is
    concave, so that Newton's method from 0 never steps over the solution: it ends when rounding
    keeps nu from growing.
    """
    if not c.any():
        return 0.0, 0.0
    # The largest eigenvalue and ||c|| are made 1, so that nothing overflows or vanishes.
    scale, largest = float(lam[0]), float(np.abs(c).max())
    length = largest * float(np.linalg.norm(c / largest))
    lam, c, unit = lam / scale, c / length, length / math.sqrt(scale)
    nu, last, norm = 0.0, -1.0, 0.0
    while nu > last:
        terms = lam * (c * (1 + nu) / (lam + nu)) ** 2
        total, slope = float(terms.sum()), float((terms / (lam + nu)).sum())
        norm = unit / (1 + nu) * math.sqrt(total)
        last, nu = nu, nu + total / slope * max(norm / U - 1, 0.0)
    return nu * scale, min(norm, U)


def regret(
    predictions: ArrayLike, y: ArrayLike, comparator_predictions: ArrayLike
) -> NDArray[np.float64]:
    """Compute the regret after each round: the loss so far less that of the comparator.

    ``Reg_t(f) = sum_{s <= t} [(yhat_s - y_s)^2 - (f(x_s) - y_s)^2]``; the last number is the
    regret that theorems bound.

    Parameters
    ----------
    predictions
        yhat_t, made before the label was seen, as ``progressive`` returns them.
    y
        The labels.
    comparator_predictions
        f(x_t), such as the predictions of :func:`best_in_ball`.

    Returns
    -------
    array
        Reg_t for t = 1, ..., T.

    Examples
    --------
    >>> from nystream.theory import regret
    >>> regret(predictions=[0.0, 0.5, 1.0], y=[1.0, 1.0, 1.0], comparator_predictions=[1, 1, 0])
    array([1.  , 1.25, 0.25])
    """
    yhat = _checks.vector("predictions", predictions)
    f = _checks.vector("comparator_predictions", comparator_predictions)
    labels = _checks.vector("y", y)
    for name, values in [("predictions", yhat), ("comparator_predictions", f)]:
        if len(values) != len(labels):
            raise ValueError(
                f"{name} should have as many numbers as y, {len(labels)}, but has {len(values)}"
            )
    return np.cumsum((yhat - labels) ** 2 - (f - labels) ** 2)
