"""The eigendecomposition of a kernel matrix, and the figures that it gives directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from nystream.theory import _checks
from nystream.theory._cholesky import diagonal, farthest, partial_cholesky
from nystream.theory._comparator import Comparator, solve_in_ball

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from nystream._core import Kernel

ROUNDING = float(np.finfo(float).eps)
CUT = 1e-14  # about 45 ROUNDING: residuals below it are noise
SMALL = 256  # up to so many rows a factor of full rank costs nothing


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum:
    """The kernel matrix of T rows as K = V diag(lambda) V^T; :func:`spectrum` makes it.

    Its methods are the functions of this module that need the decomposition, so that it is paid
    for once.

    Attributes
    ----------
    kernel, X
        The kernel and the rows that K is the matrix of.
    eigenvalues
        lambda, positive and in decreasing order, of shape (rank,).
    eigenvectors
        V, of shape (T, rank): one eigenvector a column.
    error
        The most that may be missing from the sum of all T eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> import nystream
    >>> X = np.linspace(-1, 1, 500)[:, None]
    >>> s = nystream.theory.spectrum(nystream.Gaussian(1.0), X)
    >>> s.eigenvalues[:3].round(1)
    array([385.9,  99.5,  13.4])
    >>> s.effective_dimension([0.1, 1.0, 10.0]).round(2)
    array([4.38, 3.53, 2.57])
    """

    kernel: Kernel
    X: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    eigenvectors: NDArray[np.float64]
    error: float

    def __repr__(self) -> str:
        T, rank = self.eigenvectors.shape
        return f"Spectrum(kernel={self.kernel!r}, T={T}, rank={rank})"

    def ridge_leverage_scores(self, mu: float) -> NDArray[np.float64]:
        """Compute the leverage of each row: see :func:`ridge_leverage_scores`.

        Examples
        --------
        >>> import nystream
        >>> s = nystream.theory.spectrum(nystream.Gaussian(1.0), [[0.0], [0.0], [9.0]])
        >>> s.ridge_leverage_scores(mu=1.0).round(3)
        array([0.333, 0.333, 0.5  ])
        """
        mu = _checks.positive("mu", mu)
        return self.eigenvectors**2 @ (self.eigenvalues / (self.eigenvalues + mu))

    @overload
    def effective_dimension(self, mu: float) -> float: ...
    @overload
    def effective_dimension(
        self, mu: Sequence[float] | NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def effective_dimension(
        self, mu: float | Sequence[float] | NDArray[np.float64]
    ) -> float | NDArray[np.float64]:
        """Compute the sum of the leverages: see :func:`effective_dimension`.

        Examples
        --------
        >>> import nystream
        >>> s = nystream.theory.spectrum(nystream.Gaussian(1.0), [[0.0], [0.0], [9.0]])
        >>> s.effective_dimension([1.0, 2.0]).round(3)
        array([1.167, 0.833])
        """
        mus = _checks.positives("mu", mu)[..., None]
        sums = np.asarray((self.eigenvalues / (self.eigenvalues + mus)).sum(-1))
        return sums if sums.ndim else float(sums)

    def best_in_ball(self, y: ArrayLike, U: float) -> Comparator:
        """Find the best function of norm at most U in hindsight: see :func:`best_in_ball`.

        Examples
        --------
        >>> import nystream
        >>> s = nystream.theory.spectrum(nystream.Gaussian(1.0), [[0.0], [0.0], [9.0]])
        >>> s.best_in_ball([1.0, 0.0, 0.5], U=2.0).predictions.round(3)
        array([0.5, 0.5, 0.5])
        """
        y = _checks.labels(y, len(self.X))
        U = _checks.positive("U", U)
        c = self.eigenvectors.T @ y
        nu, norm = solve_in_ball(self.eigenvalues, c, U)
        shrunk = c / (self.eigenvalues + nu)
        predictions = self.eigenvectors @ (self.eigenvalues * shrunk)
        loss = float(((predictions - y) ** 2).sum())
        coefficients = self.eigenvectors @ shrunk
        return Comparator(self.kernel, self.X, coefficients, predictions, loss, norm, nu)


def spectrum(kernel: Kernel, X: ArrayLike, *, tolerance: float = CUT) -> Spectrum:
    """Decompose the kernel matrix of the rows: K = V diag(lambda) V^T.

    A Cholesky factor is built from single columns of K. Each pivot is the row farthest from the
    span of those before, until the residuals sum to at most ``tolerance`` T max kappa(x, x). The
    singular values of the factor are the roots of the eigenvalues; K itself is never formed. The
    rest is positive semidefinite with that sum as its trace: no eigenvalue is too large, and their
    sum lacks at most the trace. A rank of r costs O(T r^2) time and O(T r) memory.

    If the rank passes T / 4 (and 256), K is formed and given to LAPACK, which takes O(T^3) time
    and O(T^2) memory; eigenvalues below rounding are left out.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows, of shape (T, n_features).
    tolerance
        The part of the trace that may be missing, 1e-14 to 1. An effective dimension lacks at
        most ``tolerance`` T / mu, so that 1e-10 is plenty for most uses, and much quicker.

    Returns
    -------
    Spectrum
        Eigenvalues and eigenvectors, with methods for all that follows from them.

    Examples
    --------
    >>> import numpy as np
    >>> import nystream
    >>> X = np.linspace(-1, 1, 500)[:, None]
    >>> nystream.theory.spectrum(nystream.Linear(), X)
    Spectrum(kernel=Linear(), T=500, rank=1)
    >>> s = nystream.theory.spectrum(nystream.Laplacian(1.0), X, tolerance=1e-2)
    >>> len(s.eigenvalues) < 100
    True
    """
    kernel, X = _checks.kernel(kernel), _checks.rows(X)
    T = len(X)
    error = _checks.between("tolerance", tolerance, CUT, 1.0) * T * float(diagonal(kernel, X).max())
    factor, _, residual = partial_cholesky(kernel, X, farthest(error), max(T // 4, SMALL))
    if residual.sum() <= error:
        V, s, _ = np.linalg.svd(factor.T, full_matrices=False)
        return Spectrum(kernel, X, s**2, V, error)
    del factor
    lam, V = np.linalg.eigh(kernel(X))
    rank = int((lam > ROUNDING * lam[-1]).sum())
    lam, V = lam[: -rank - 1 : -1], V[:, : -rank - 1 : -1]
    return Spectrum(kernel, X, lam, V, ROUNDING * T * float(lam[0]))


def eigenvalues(kernel: Kernel, X: ArrayLike) -> NDArray[np.float64]:
    """Compute the eigenvalues of the kernel matrix of the rows, as :func:`spectrum` does.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows, of shape (T, n_features).

    Returns
    -------
    array
        The positive eigenvalues in decreasing order; the others are 0, up to rounding.

    Examples
    --------
    >>> import nystream
    >>> nystream.theory.eigenvalues(nystream.Gaussian(1.0), [[0.0], [0.0], [9.0]]).round(6)
    array([2., 1.])
    """
    return spectrum(kernel, X).eigenvalues


def ridge_leverage_scores(kernel: Kernel, X: ArrayLike, mu: float) -> NDArray[np.float64]:
    """Compute the ridge leverage scores: how unlike the others each row is.

    The diagonal of ``K (K + mu I)^{-1}``, Definition 2.1 of [1]_.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows, of shape (T, n_features).
    mu
        Regularisation, positive.

    Returns
    -------
    array
        A number between 0 and 1 for each row.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X = [[0.0], [0.0], [0.0], [9.0]]
    >>> nystream.theory.ridge_leverage_scores(nystream.Gaussian(1.0), X, mu=1.0).round(3)
    array([0.25, 0.25, 0.25, 0.5 ])
    """
    mu = _checks.positive("mu", mu)
    return spectrum(kernel, X).ridge_leverage_scores(mu)


@overload
def effective_dimension(kernel: Kernel, X: ArrayLike, mu: float) -> float: ...
@overload
def effective_dimension(
    kernel: Kernel, X: ArrayLike, mu: Sequence[float] | NDArray[np.float64]
) -> NDArray[np.float64]: ...
def effective_dimension(
    kernel: Kernel, X: ArrayLike, mu: float | Sequence[float] | NDArray[np.float64]
) -> float | NDArray[np.float64]:
    """Compute the effective dimension: how many directions rise above ``mu``.

    ``d_eff(mu) = tr(K (K + mu I)^{-1})``, Definition 2.1 of [1]_, the sum of the ridge leverage
    scores.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows, of shape (T, n_features).
    mu
        Regularisation, positive: a number, or an array of them.

    Returns
    -------
    float or array
        A number for each mu.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> nystream.theory.effective_dimension(nystream.Gaussian(1.0), X, [1.0, 10.0]).round(1)
    array([22.4,  9.2])
    """
    mus = _checks.positives("mu", mu)
    return spectrum(kernel, X).effective_dimension(mus)


def best_in_ball(kernel: Kernel, X: ArrayLike, y: ArrayLike, U: float) -> Comparator:
    """Find the function of norm at most ``U`` that would have had the least loss.

    It minimises ``L(f) = sum_t (f(x_t) - y_t)^2`` over ``||f||_H <= U``: the comparator f* of the
    regret. It is kernel ridge regression whose ridge ``nu`` makes the norm U, found by Newton's
    method on ``1 / ||f||``, or 0 if least squares lies in the ball.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows, of shape (T, n_features).
    y
        A label for each row.
    U
        Radius of the ball, positive.

    Returns
    -------
    Comparator
        The function, its predictions, loss and norm, and nu.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> best = nystream.theory.best_in_ball(nystream.Gaussian(1.0), X, y, U=1.0)
    >>> round(best.norm, 6), round(best.loss, 1)
    (1.0, 1.9)
    >>> best = nystream.theory.best_in_ball(nystream.Gaussian(1.0), X, y, U=2.0)
    >>> round(best.norm, 6), round(best.loss, 2)
    (2.0, 0.03)
    """
    U = _checks.positive("U", U)
    return spectrum(kernel, X).best_in_ball(y, U)
