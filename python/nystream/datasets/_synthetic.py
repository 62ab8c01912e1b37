"""Embedded streams that need nothing: features about [-1, 1], labels about [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import whole
from nystream.datasets import _checks

if TYPE_CHECKING:
    from numpy.typing import NDArray


def friedman(
    n_rows: int = 10_000, *, noise: float = 1.0, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make Friedman's nonlinear regression with noise: five features matter, five do not.

    With features u in [0, 1], the label is ``10 sin(pi u1 u2) + 20 (u3 - 1/2)^2 + 10 u4 + 5 u5``
    plus normal noise; the function returns ``2 u - 1`` and the label divided by 30.

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
    n_rows, noise = whole("n_rows", n_rows), _checks.deviation("noise", noise)
    rng = _checks.generator(random_state)
    u = rng.random((n_rows, 10))
    return 2 * u - 1, friedman_label(u, noise * rng.standard_normal(n_rows))


def friedman_label(u: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Friedman's label of the first five columns, with an error each, divided by 30."""
    y = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2
    y += 10 * u[:, 3] + 5 * u[:, 4] + errors
    return y / 30


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
    n_rows, n_lags = whole("n_rows", n_rows), whole("n_lags", n_lags)
    tau = whole("tau", tau, 0)
    steps = 12  # Euler steps of half a unit of time between two samples
    burn_in = 100
    start = 0.5 + _checks.generator(random_state).random()
    s = [start] * (2 * tau + 1)
    for _ in range((burn_in + n_lags + n_rows) * steps):
        delayed = s[-2 * tau - 1]
        # Products, not a power: chaos would make another series of another library's last bit.
        squared = delayed * delayed
        tenth = squared * squared * squared * squared * squared
        s.append(s[-1] + 0.5 * (0.2 * delayed / (1 + tenth) - 0.1 * s[-1]))
    samples = np.array(s[::-steps][: n_lags + n_rows][::-1]) / 1.5
    windows = np.lib.stride_tricks.sliding_window_view(samples[:-1], n_lags)
    return 2 * windows[:, ::-1] - 1, samples[n_lags:].copy()


def coin_flips(
    n_rows: int = 10_000, *, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make the same row again and again with fair labels of -1 and 1: nothing can be learned.

    The best prediction is 0, with a squared error of 1 in every row, and a model that follows the
    flips does worse. One eigenvalue of the kernel matrix is the number of rows, all others are 0.
    Lower bounds on regret are proved with such streams.

    Parameters
    ----------
    n_rows
        Number of rows.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 1), all 0, and labels of shape (n_rows,).

    Examples
    --------
    >>> from nystream.datasets import coin_flips
    >>> X, y = coin_flips(6)
    >>> y
    array([ 1.,  1.,  1., -1., -1., -1.])
    """
    n_rows = whole("n_rows", n_rows)
    return np.zeros((n_rows, 1)), _checks.generator(random_state).choice([-1.0, 1.0], n_rows)


def normal_line(
    n_rows: int = 10_000, *, deviation: float = 0.5, noise: float = 0.1, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make one normal feature and a smooth label: the eigenvalues decay like powers of a number.

    The label is ``(1 + sin(3 x)) / 2`` plus normal noise. For rows of standard deviation s and a
    Gaussian kernel of width sigma, the eigenvalues are exactly geometric, with the ratio
    ``B / (A + B + C)`` where ``A = 1 / (4 s^2)``, ``B = 1 / (2 sigma^2)`` and
    ``C = sqrt(A^2 + 2 A B)`` [1]_: a dictionary grows with the logarithm of the rows.

    Parameters
    ----------
    n_rows
        Number of rows.
    deviation
        Standard deviation of the rows, s.
    noise
        Standard deviation of the noise.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 1) and labels of shape (n_rows,).

    References
    ----------
    .. [1] Carl E. Rasmussen and Christopher K. I. Williams. Gaussian Processes for Machine
       Learning, section 4.3.1. MIT Press 2006.

    Examples
    --------
    >>> from nystream.datasets import normal_line
    >>> X, y = normal_line(1000)
    >>> X.shape, round(float(X.std()), 1)
    ((1000, 1), 0.5)
    """
    n_rows = whole("n_rows", n_rows)
    deviation = _checks.deviation("deviation", deviation, positive=True)
    rng = _checks.generator(random_state)
    return _line(deviation * rng.standard_normal(n_rows), noise, rng)


def uniform_line(
    n_rows: int = 10_000, *, noise: float = 0.1, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make one uniform feature and a smooth label: rough kernels have slow eigenvalues here.

    Rows are uniform in [-1, 1], the label is ``(1 + sin(3 x)) / 2`` plus normal noise. The i-th
    eigenvalue of a Matern kernel of smoothness nu decays like ``i^-(2 nu + 1)``: like ``i^-2`` for
    `Laplacian`, ``i^-4`` for `Matern32` and ``i^-6`` for `Matern52`, so that a dictionary grows
    with a power of the rows.

    Parameters
    ----------
    n_rows
        Number of rows.
    noise
        Standard deviation of the noise.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 1) and labels of shape (n_rows,).

    Examples
    --------
    >>> from nystream.datasets import uniform_line
    >>> X, y = uniform_line(1000)
    >>> X.shape, bool(abs(X).max() <= 1)
    ((1000, 1), True)
    """
    n_rows = whole("n_rows", n_rows)
    rng = _checks.generator(random_state)
    return _line(rng.uniform(-1, 1, n_rows), noise, rng)


def drift(
    n_rows: int = 10_000, *, period: int = 5_000, noise: float = 0.05, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make a wave on a square that turns slowly: the function to learn changes all the time.

    Rows are uniform in [-1, 1]^2. In row t the label is ``(1 + sin(3 u)) / 2`` plus normal noise,
    where u is the coordinate along a direction that has turned by ``t / period`` of a circle.

    Parameters
    ----------
    n_rows
        Number of rows.
    period
        Rows of a full turn.
    noise
        Standard deviation of the noise.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 2) and labels of shape (n_rows,).

    Examples
    --------
    >>> import numpy as np
    >>> from nystream.datasets import drift
    >>> X, y = drift(1000, period=1000, noise=0.0)
    >>> bool(np.isclose(y[500], (1 - np.sin(3 * X[500, 0])) / 2))
    True
    """
    n_rows, period = whole("n_rows", n_rows), whole("period", period)
    rng = _checks.generator(random_state)
    X = rng.uniform(-1, 1, (n_rows, 2))
    angle = 2 * np.pi * np.arange(n_rows) / period
    along = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1]
    return X, _wave(along, noise, rng)


def _line(
    x: NDArray[np.float64], noise: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return x[:, None], _wave(x, noise, rng)


def _wave(u: NDArray[np.float64], noise: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a smooth label in [0, 1], plus noise."""
    noise = _checks.deviation("noise", noise)
    return (1 + np.sin(3 * u)) / 2 + noise * rng.standard_normal(len(u))
