"""Embedded streams whose concept changes: Friedman's regression with two sets of roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import FIT, real, whole
from nystream._core import LARGEST
from nystream.datasets import _checks
from nystream.datasets._synthetic import friedman_label

if TYPE_CHECKING:
    from numpy.typing import NDArray


def abrupt_drift(
    n_rows: int = 20_000,
    *,
    at: int | None = None,
    shift: float = 0.0,
    noise: float = 1.0,
    random_state: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make Friedman's regression whose features change their roles at one row.

    With features u in [0, 1], the label of the rows before `at` is that of `friedman`,
    ``10 sin(pi u1 u2) + 20 (u3 - 1/2)^2 + 10 u4 + 5 u5`` plus normal noise. From row `at` on it is
    ``10 sin(pi u6 u7) + 20 (u8 - 1/2)^2 + 10 u9 + 5 u10`` plus normal noise: the old
    features no longer matter. The function returns ``2 u - 1``, from row `at` on
    ``2 u - 1 + shift``, and the label divided by 30. With the same seed, the rows before `at` are
    those of `friedman`.

    Parameters
    ----------
    n_rows
        Number of rows, at least 2.
    at
        The first row of the new concept, counted from 0: 1 to ``n_rows - 1``. None: the middle,
        ``n_rows // 2``.
    shift
        How far all features move at row `at`. The label's function moves along: labels do not
        depend on the shift. If it is more than 2, or less than -2, no feature has a value again
        that it had before.
    noise
        Standard deviation of the noise, before the division.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 10) and labels of shape (n_rows,).

    Examples
    --------
    >>> from nystream.datasets import abrupt_drift, friedman
    >>> X, y = abrupt_drift(1000, at=600)
    >>> _, without_drift = friedman(1000)
    >>> int((y != without_drift).argmax())
    600
    """
    n_rows, noise = whole("n_rows", n_rows, 2), _checks.deviation("noise", noise)
    at = n_rows // 2 if at is None else whole("at", at)
    _check_at_most("at", at, "n_rows - 1", n_rows - 1)
    shift = _distance("shift", shift)
    u, old, new = _two_concepts(n_rows, noise, _checks.generator(random_state))
    is_new = np.arange(n_rows) >= at
    return 2 * u - 1 + shift * is_new[:, None], np.where(is_new, new, old)


def gradual_drift(
    n_rows: int = 20_000,
    *,
    start: int | None = None,
    length: int | None = None,
    noise: float = 1.0,
    random_state: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make Friedman's regression whose features change their roles in more and more rows.

    The two concepts are those of `abrupt_drift` without a shift. Row t, counted from 0, is of the
    new one with the probability ``(t - start) / length``, cut off at 0 and 1, independently of all
    other rows. With the same seed, the features of all rows are those of `friedman`, and so are
    the labels of the old concept.

    Parameters
    ----------
    n_rows
        Number of rows, at least 2.
    start
        The last row that is of the old concept for certain: 0 to ``n_rows - 1``. None: a quarter
        of the rows, ``n_rows // 4``.
    length
        Rows from `start` to the first that is of the new concept for certain: 1 to
        ``n_rows - start``. None: a quarter of the rows, or as many as there are from `start` on.
    noise
        Standard deviation of the noise, before the division.
    random_state
        Seed.

    Returns
    -------
    X, y
        Features of shape (n_rows, 10) and labels of shape (n_rows,).

    Examples
    --------
    >>> import numpy as np
    >>> from nystream.datasets import friedman, gradual_drift
    >>> X, y = gradual_drift(1000)
    >>> _, without_drift = friedman(1000)
    >>> [round(float(part.mean()), 1) for part in np.split(y != without_drift, 4)]
    [0.0, 0.5, 1.0, 1.0]
    """
    n_rows, noise = whole("n_rows", n_rows, 2), _checks.deviation("noise", noise)
    start = n_rows // 4 if start is None else whole("start", start, 0)
    _check_at_most("start", start, "n_rows - 1", n_rows - 1)
    left = n_rows - start
    length = min(max(n_rows // 4, 1), left) if length is None else whole("length", length)
    _check_at_most("length", length, "n_rows - start", left)
    rng = _checks.generator(random_state)
    u, old, new = _two_concepts(n_rows, noise, rng)
    # Draws are at least 0 and below 1: none is below a share of 0, and all are below one of 1.
    is_new = rng.random(n_rows) < (np.arange(n_rows) - start) / length
    return 2 * u - 1, np.where(is_new, new, old)


def _two_concepts(
    n_rows: int, noise: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return features in [0, 1], drawn as `friedman` does, and their old and new labels."""
    u = rng.random((n_rows, 10))
    errors = noise * rng.standard_normal(n_rows)
    return u, friedman_label(u[:, :5], errors), friedman_label(u[:, 5:], errors)


def _check_at_most(name: str, number: int, other: str, limit: int) -> None:
    if number > limit:
        raise ValueError(f"{name} should be at most {other}, {limit}, but is {number}")


def _distance(name: str, value: float) -> float:
    """Return a number that learners take as a feature."""
    number = real(name, value)
    if abs(number) <= LARGEST:
        return number
    raise ValueError(f"{name} should be {FIT}, but is {value}")
