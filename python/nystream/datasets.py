"""Embedded streams that need nothing: features in [-1, 1], labels about [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["friedman", "mackey_glass"]


def friedman(
    n_rows: int = 10_000, *, noise: float = 1.0, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make Friedman's nonlinear regression with noise: five features matter, five do not.

    With features u in [0, 1], the label is ``10 sin(pi u1 u2) + 20 (u3 - 1/2)^2 + 10 u4 + 5 u5``
    plus normal noise; what is returned is ``2 u - 1`` and the label divided by 30.

    Parameters
    ----------
    n_rows
        Number of rows.
    noise
        Standard deviation of the noise, before the division.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 10) and labels of shape (n_rows,).

    References
    ----------
    .. [1] Jerome H. Friedman. Multivariate Adaptive Regression Splines. Annals of Statistics 1991.

    Examples
    --------
    >>> from nystream.datasets import friedman
    >>> X, y = friedman(100)
    >>> X.shape, y.shape
    ((100, 10), (100,))
    """
    _check(n_rows=(n_rows, 1))
    rng = np.random.default_rng(random_state)
    u = rng.random((n_rows, 10))
    y = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2
    y += 10 * u[:, 3] + 5 * u[:, 4] + noise * rng.standard_normal(n_rows)
    return 2 * u - 1, y / 30


def mackey_glass(
    n_rows: int = 10_000, *, n_lags: int = 8, tau: int = 30, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make the chaotic Mackey-Glass series, each value to be predicted from those before it.

    The series ``ds/dt = 0.2 s(t - tau) / (1 + s(t - tau)^10) - 0.1 s`` is sampled every 6 units of
    time; a label is a value divided by 1.5, its features are the ``n_lags`` values before it,
    latest first, stretched to [-1, 1].

    Parameters
    ----------
    n_rows
        Number of rows.
    n_lags
        Number of earlier values to predict from.
    tau
        Delay; the series is chaotic above 17.
    random_state
        Seed of the value that the series starts from.

    Returns
    -------
    X, y
        Features of shape (n_rows, n_lags) and labels of shape (n_rows,).

    References
    ----------
    .. [1] Michael C. Mackey and Leon Glass. Oscillation and Chaos in Physiological Control
       Systems. Science 1977.

    Examples
    --------
    >>> from nystream.datasets import mackey_glass
    >>> X, y = mackey_glass(100)
    >>> X.shape, y.shape
    ((100, 8), (100,))
    >>> bool(X[1, 0] == 2 * y[0] - 1)
    True
    """
    _check(n_rows=(n_rows, 1), n_lags=(n_lags, 1), tau=(tau, 0))
    steps = 12  # Euler steps of half a unit of time between two samples
    burn_in = 100
    start = 0.5 + np.random.default_rng(random_state).random()
    s = [start] * (2 * tau + 1)
    for _ in range((burn_in + n_lags + n_rows) * steps):
        delayed = s[-2 * tau - 1]
        s.append(s[-1] + 0.5 * (0.2 * delayed / (1 + delayed**10) - 0.1 * s[-1]))
    samples = np.array(s[::-steps][: n_lags + n_rows][::-1]) / 1.5
    windows = np.lib.stride_tricks.sliding_window_view(samples[:-1], n_lags)
    return 2 * windows[:, ::-1] - 1, samples[n_lags:].copy()


def _check(**counts: tuple[int, int]) -> None:
    """Refuse a count below its minimum."""
    for name, (value, minimum) in counts.items():
        if value < minimum:
            raise ValueError(f"{name} should be at least {minimum}, but is {value}")
