"""The decay of eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from nystream.theory import _checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Decay:
    """The two laws of decay that the paper knows, fitted to eigenvalues by :func:`decay`.

    Attributes
    ----------
    kind
        The law that fits better, "exponential" or "polynomial".
    r
        The ratio of the exponential law lambda_i ~ r^i.
    exponential_scale
        The smallest R_0 with lambda_i <= R_0 r^i for every eigenvalue above rounding.
    exponential_fit
        The share of the variance of ln lambda_i that the exponential law explains, at most 1.
    p
        The degree of the polynomial law lambda_i ~ i^-p.
    polynomial_scale
        The smallest R_0 with lambda_i <= R_0 i^-p for every eigenvalue above rounding.
    polynomial_fit
        The share of the variance of ln lambda_i that the polynomial law explains, at most 1.

    Examples
    --------
    >>> from nystream.theory import decay
    >>> law = decay([8.0, 4.0, 2.0, 1.0, 0.5, 0.25])
    >>> law.kind, round(law.r, 6), round(law.scale, 6)
    ('exponential', 0.5, 16.0)
    """

    kind: Literal["exponential", "polynomial"]
    r: float
    exponential_scale: float
    exponential_fit: float
    p: float
    polynomial_scale: float
    polynomial_fit: float

    @property
    def scale(self) -> float:
        """R_0 of the law that fits better.

        Examples
        --------
        >>> from nystream.theory import decay
        >>> round(decay([i**-2.0 for i in range(1, 50)]).scale, 6)
        1.0
        """
        return self.exponential_scale if self.kind == "exponential" else self.polynomial_scale


def decay(eigenvalues: ArrayLike) -> Decay:
    """Fit lambda_i <= R_0 r^i and lambda_i <= R_0 i^-p, and tell which fits better.

    These are the conditions of Lemma 3.1 and of Corollaries 4.7 and 4.8 of [1]_. Exponents are
    fitted by least squares of ln lambda_i on i and on ln i. The fit looks at the first half of the
    eigenvalues above rounding: the last ones of a finite sample fall faster than those of the
    distribution it comes from, because rows do not reach into its tails. The R_0 of both laws then
    hold for all of them. Those below rounding cannot be told from 0, and nothing is said of them.

    Parameters
    ----------
    eigenvalues
        Eigenvalues of a kernel matrix in any order, none negative, at least three above rounding:
        the largest one times their number times 2e-16.

    Returns
    -------
    Decay
        Both laws.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from nystream import Gaussian, Laplacian
    >>> from nystream.theory import decay, eigenvalues
    >>> X = np.linspace(-1, 1, 300)[:, None]
    >>> decay(eigenvalues(Gaussian(0.2), X)).kind
    'exponential'
    >>> law = decay(eigenvalues(Laplacian(1.0), X))
    >>> law.kind, round(law.p, 1)
    ('polynomial', 2.0)
    """
    lam = _checks.spectrum("eigenvalues", eigenvalues)
    log = np.log(lam[lam > lam[0] * len(lam) * np.finfo(float).eps])
    if len(log) < 3:
        raise ValueError(f"eigenvalues should have at least 3 above rounding, but have {len(log)}")
    i = np.arange(1.0, len(log) + 1)
    ln_r, exponential_scale, exponential_fit = _fit(i, log)
    minus_p, polynomial_scale, polynomial_fit = _fit(np.log(i), log)
    return Decay(
        kind="exponential" if exponential_fit > polynomial_fit else "polynomial",
        r=float(np.exp(ln_r)),
        exponential_scale=exponential_scale,
        exponential_fit=exponential_fit,
        p=-minus_p,
        polynomial_scale=polynomial_scale,
        polynomial_fit=polynomial_fit,
    )


def _fit(x: NDArray[np.float64], log: NDArray[np.float64]) -> tuple[float, float, float]:
    """Fit a line to the first half; return its slope, R_0 over all, and R^2 of the fit."""
    n = max(3, len(x) // 2)
    dx, dy = x[:n] - x[:n].mean(), log[:n] - log[:n].mean()
    slope = float(dx @ dy / (dx @ dx))
    explained = slope * float(dx @ dy)
    R2 = explained / float(dy @ dy) if dy.any() else 1.0
    return slope, float(np.exp((log - slope * x).max())), R2
