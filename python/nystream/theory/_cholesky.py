"""Partial Cholesky factors of a kernel matrix that is never formed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nystream._core import Kernel

# Chooses the next pivot, or None, from the residuals of all rows and the last pivot (-1 at first).
Choose = Callable[["NDArray[np.float64]", int], "int | None"]


def diagonal(kernel: Kernel, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute kappa(x, x) of each row."""
    return np.array([kernel(x)[0, 0] for x in X[:, None]])


def partial_cholesky(
    kernel: Kernel,
    X: NDArray[np.float64],
    choose: Choose,
    max_rank: int,
    nugget: float = 0.0,
) -> tuple[NDArray[np.float64], list[int], NDArray[np.float64]]:
    """Factor K = F^T F + E: one column of K for each row of F, until there is no next pivot.

    F has the shape (rank, T), so that products with it read memory in order. Also returned are
    the pivots and the diagonal of E, which is positive semidefinite: each row's squared distance
    from the span of the pivots. The factor stops at the rank ``max_rank``. A ``nugget``, relative
    to the diagonal of K, is added to that diagonal: it limits rounding if pivots come in a poor
    order.
    """
    added = nugget * diagonal(kernel, X)
    residual = diagonal(kernel, X) + added
    pivots: list[int] = []
    F = np.empty((16, len(X)))
    pivot = choose(residual, -1)
    while pivot is not None and len(pivots) < max_rank:
        rank = len(pivots)
        if rank == len(F):
            F = np.concatenate([F, np.empty_like(F)])
        F[rank] = kernel(X, X[pivot : pivot + 1])[:, 0] - F[:rank, pivot] @ F[:rank]
        F[rank, pivot] += added[pivot]
        F[rank] /= np.sqrt(residual[pivot])
        residual = np.maximum(residual - F[rank] ** 2, 0)
        residual[pivot] = 0  # whatever rounding leaves: no row is chosen twice
        pivots.append(pivot)
        pivot = choose(residual, pivot)
    return F[: len(pivots)], pivots, residual


def farthest(tolerance: float) -> Choose:
    """Choose the row farthest from the span, while the residuals sum to more than the tolerance."""

    def choose(residual: NDArray[np.float64], _: int) -> int | None:
        return int(residual.argmax()) if residual.sum() > tolerance else None

    return choose


def approximately_independent(threshold: NDArray[np.float64]) -> Choose:
    """Choose as ALD does: the first row, then the next in time with a residual above threshold."""

    def choose(residual: NDArray[np.float64], last: int) -> int | None:
        above = residual[last + 1 :] > (threshold[last + 1 :] if last >= 0 else 0)
        return last + 1 + int(above.argmax()) if above.any() else None

    return choose
