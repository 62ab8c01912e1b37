"""The dictionary that approximate linear dependence (ALD) keeps: its size and its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nystream.theory import _checks
from nystream.theory._cholesky import approximately_independent, diagonal, partial_cholesky
from nystream.theory._decay import Decay
from nystream.theory._spectrum import Spectrum, spectrum

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nystream._core import Kernel


NUGGET, FINE = 1e-13, 1e-5  # as in the learners' dictionaries: see src/features/ald.rs


def dictionary_size(eigenvalues: Spectrum | Decay | ArrayLike, alpha: float) -> int:
    """Bound the number of rows that ALD keeps, Lemma 3.1 of [1]_ with all its constants.

    For kernels with kappa(x, x) = 1; a spectrum allows for others. Each row that joins, but the
    first, is more than ``alpha`` away from the span of those before, so that J rows have
    det(K_S) > alpha^(J - 1). The determinant is at most the product of the J largest eigenvalues
    of K, because those of K_S interlace with them. J is therefore at most

    - from the eigenvalues, the largest J with ``sum_{i <= J} ln lambda_i >= (J - 1) ln alpha``;
    - from ``lambda_i <= R_0 r^i``, ``2 ln(R_0 / alpha) / ln(1 / r)``;
    - from ``lambda_i <= R_0 i^-p``, ``e (R_0 / alpha)^(1 / p)``.

    The constants C_1 and C_2 of the lemma are 1.

    Parameters
    ----------
    eigenvalues
        A spectrum, which knows its error; or the eigenvalues as an array, which is taken to be
        exact and complete; or a law of decay, which has to hold for all eigenvalues, also for
        those below rounding.
    alpha
        Threshold of ALD, above 0 and at most 1.

    Returns
    -------
    int
        The bound: the dictionary has at most so many rows, whatever their order.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> from nystream.theory import decay, dictionary_size, spectrum
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> kernel = nystream.Gaussian(1.0)
    >>> s = spectrum(kernel, X)
    >>> model = nystream.RidgeAld(kernel, alpha=1e-2)
    >>> model.learn_many(X, y)
    >>> model.n_basis <= dictionary_size(s, 1e-2) <= dictionary_size(decay(s.eigenvalues), 1e-2)
    True
    """
    alpha = _checks.up_to_one("alpha", alpha)
    if isinstance(eigenvalues, Decay):
        return _size_from_decay(eigenvalues, alpha)
    if isinstance(eigenvalues, Spectrum):
        _not_zero(eigenvalues)
        return _size_from_products(_log_products(eigenvalues), alpha)
    with np.errstate(divide="ignore"):
        logs = np.log(_checks.spectrum("eigenvalues", eigenvalues))
    return _size_from_products(np.cumsum(logs), alpha)


def _not_zero(s: Spectrum) -> Spectrum:
    """Refuse rows whose kernel with themselves is 0 for all: no dictionary keeps them."""
    if len(s.eigenvalues) == 0:
        raise ValueError("X should have a row whose kernel with itself is not 0")
    return s


def _size_from_decay(decay: Decay, alpha: float) -> int:
    ln_R0 = math.log(decay.scale / alpha)
    fall = -math.log(decay.r) if decay.kind == "exponential" else decay.p
    if fall <= 0:
        raise ValueError(f"eigenvalues should decay, but are {decay!r}")
    if decay.kind == "exponential":
        return max(1, int(2 * ln_R0 / fall))
    return max(1, int(math.exp(min(1 + ln_R0 / fall, 700.0))))


def _log_products(s: Spectrum) -> NDArray[np.float64]:
    """Bound ln of the product of the J largest eigenvalues of K, for J = 1, ..., T.

    Each eigenvalue of the spectrum is too small by at most the error. The k others sum to at most
    the error, so that their product is at most (error / k)^k. A row joins if it is more than
    alpha kappa(x, x) away, so that eigenvalues are taken in units of the least kappa(x, x).
    """
    kappa = diagonal(s.kernel, s.X)
    least = kappa[kappa > 0].min()
    present = np.cumsum(np.log((s.eigenvalues + s.error) / least))
    k = np.arange(1, len(s.X) - len(present) + 1)
    return np.concatenate([present, present[-1] + k * np.log(s.error / least / k)])


def _size_from_products(log_products: NDArray[np.float64], alpha: float) -> int:
    J = np.arange(1, len(log_products) + 1)
    possible = np.flatnonzero(log_products >= (J - 1) * math.log(alpha))
    return int(J[possible[-1]]) if len(possible) else 1


@dataclass(frozen=True, eq=False)
class SpectralError:
    """The error of ALD features against the kernel matrix, as :func:`spectral_error` measures it.

    Attributes
    ----------
    joined
        The rounds ``s_1 < ... < s_J``, from 0, in which a row joined; epoch j is from ``s_j`` to
        ``s_{j+1} - 1``.
    global_error, global_bound
        ``||K_T - Phi~^T Phi~||_2`` and ``T sqrt(alpha)``.
    local_errors, local_bounds
        ``||K_{T_j} - Phi_j^T Phi_j||_2`` and ``|T_j| alpha`` for each epoch.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(200)
    >>> e = nystream.theory.spectral_error(nystream.Gaussian(1.0), X, alpha=0.1)
    >>> len(e.joined) == len(e.local_errors) == len(e.local_bounds)
    True
    """

    joined: NDArray[np.intp]
    global_error: float
    global_bound: float
    local_errors: NDArray[np.float64]
    local_bounds: NDArray[np.float64]


def spectral_error(kernel: Kernel, X: ArrayLike, alpha: float) -> SpectralError:
    """Measure what ALD leaves out of the kernel matrix, beside the bounds of Lemma 4.5 of [1]_.

    Epoch j is the rounds T_j in which the dictionary has j rows. A row of epoch j has as features
    its coordinates in the span of these j rows, and 0 in the directions that come later: the
    columns of Phi~. Within an epoch the error is at most ``|T_j| alpha``, over the whole stream
    ``T sqrt(alpha)``; both are multiplied by the largest kappa(x, x), if it is not 1.

    The dictionary is that of the learners with an ALD dictionary. Norms are found from factors, as
    :func:`spectrum` finds eigenvalues and with the same error and cost.

    Parameters
    ----------
    kernel
        The kernel.
    X
        Rows in the order in which they come, of shape (T, n_features).
    alpha
        Threshold of ALD, above 0 and at most 1.

    Returns
    -------
    SpectralError
        The errors and their bounds.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> e = nystream.theory.spectral_error(nystream.Gaussian(1.0), X, alpha=0.01)
    >>> e.global_error < e.global_bound
    True
    >>> bool((e.local_errors <= e.local_bounds).all())
    True
    """
    alpha = _checks.up_to_one("alpha", alpha)
    s = _not_zero(spectrum(kernel, X))
    kappa = diagonal(s.kernel, s.X)
    phi, joined = _ald_features(s, alpha, kappa)
    root = np.sqrt(s.eigenvalues)[:, None] * s.eigenvectors.T  # K = root^T root
    epochs = [slice(*ends) for ends in zip(joined, [*joined[1:], len(s.X)], strict=True)]
    lengths = np.array([epoch.stop - epoch.start for epoch in epochs])
    return SpectralError(
        joined=np.array(joined),
        global_error=_norm_of_difference(root, phi),
        global_bound=float(len(s.X) * math.sqrt(alpha) * kappa.max()),
        local_errors=np.array(
            [_norm_of_difference(root[:, t], phi[: j + 1, t]) for j, t in enumerate(epochs)]
        ),
        local_bounds=lengths * alpha * kappa.max(),
    )


def _ald_features(
    s: Spectrum, alpha: float, kappa: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[int]]:
    """Compute Phi~ of shape (J, T) and the rounds in which rows joined.

    In the coordinates of a Cholesky factor the directions of earlier rows come first, so that
    Phi~ is the factor with zeros for rows that came before the direction.
    """
    nugget = NUGGET if alpha < FINE else 0.0
    choose = approximately_independent((alpha + nugget) * kappa)
    factor, joined, _ = partial_cholesky(s.kernel, s.X, choose, len(s.X), nugget)
    return np.where(np.arange(len(s.X)) >= np.array(joined)[:, None], factor, 0.0), joined


def _norm_of_difference(plus: NDArray[np.float64], minus: NDArray[np.float64]) -> float:
    """Compute ||plus^T plus - minus^T minus||_2, in as few dimensions as the shapes allow."""
    columns = np.concatenate([plus, minus]).T
    if columns.shape[1] < len(columns):
        columns = np.linalg.qr(columns).R  # the norm is the same without the orthogonal factor
    signs = np.repeat([1.0, -1.0], [len(plus), len(minus)])
    return float(np.abs(np.linalg.eigvalsh(columns * signs @ columns.T)).max())
