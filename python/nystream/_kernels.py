"""The kernels: signatures and documentation; the core computes the values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nystream._core import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "Gaussian",
    "Laplacian",
    "Linear",
    "Matern32",
    "Matern52",
    "Polynomial",
    "RationalQuadratic",
]


class Gaussian(Kernel):
    """The Gaussian kernel ``exp(-||x - z||^2 / (2 sigma^2))``.

    It is the kernel of the paper's experiments. In terms of scikit-learn's ``gamma``,
    ``sigma = 1 / sqrt(2 gamma)``.

    Parameters
    ----------
    sigma
        Width, positive.

    Examples
    --------
    >>> import nystream
    >>> nystream.Gaussian(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6065]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls, sigma: float = 1.0) -> Self:
        return super().__new__(cls, "Gaussian", sigma=sigma)


class Laplacian(Kernel):
    """The Laplacian kernel ``exp(-||x - z||_1 / sigma)``.

    Parameters
    ----------
    sigma
        Width, positive.

    Examples
    --------
    >>> import nystream
    >>> nystream.Laplacian(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.3679]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls, sigma: float = 1.0) -> Self:
        return super().__new__(cls, "Laplacian", sigma=sigma)


class Matern32(Kernel):
    """The Matérn kernel of smoothness 3/2.

    ``(1 + a) exp(-a)`` with ``a = sqrt(3) ||x - z|| / sigma``.

    Parameters
    ----------
    sigma
        Width, positive.

    Examples
    --------
    >>> import nystream
    >>> nystream.Matern32(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.4834]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls, sigma: float = 1.0) -> Self:
        return super().__new__(cls, "Matern32", sigma=sigma)


class Matern52(Kernel):
    """The Matérn kernel of smoothness 5/2.

    ``(1 + a + a^2 / 3) exp(-a)`` with ``a = sqrt(5) ||x - z|| / sigma``.

    Parameters
    ----------
    sigma
        Width, positive.

    Examples
    --------
    >>> import nystream
    >>> nystream.Matern52(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.524]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls, sigma: float = 1.0) -> Self:
        return super().__new__(cls, "Matern52", sigma=sigma)


class RationalQuadratic(Kernel):
    """The rational quadratic kernel ``(1 + ||x - z||^2 / (2 alpha sigma^2))^(-alpha)``.

    It is a mixture of Gaussian kernels of many widths.

    Parameters
    ----------
    sigma
        Width, positive.
    alpha
        Exponent, positive; the larger, the closer to a Gaussian kernel.

    Examples
    --------
    >>> import nystream
    >>> nystream.RationalQuadratic(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6667]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls, sigma: float = 1.0, *, alpha: float = 1.0) -> Self:
        return super().__new__(cls, "RationalQuadratic", sigma=sigma, alpha=alpha)


class Polynomial(Kernel):
    """The polynomial kernel ``(gamma x . z + coef0)^degree``, normalised if asked.

    Parameters
    ----------
    degree
        Degree, 1 to 32.
    gamma
        Factor of the inner product, positive.
    coef0
        Constant, 0 or positive.
    normalize
        Whether to divide by the root of the values at (x, x) and (z, z), so that the kernel of
        a row with itself is 1, as the paper assumes of every kernel.

    Examples
    --------
    >>> import nystream
    >>> nystream.Polynomial(2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    >>> nystream.Polynomial(2, normalize=True)([[1.0, 2.0]]).round(12)
    array([[1.]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(
        cls,
        degree: int = 3,
        *,
        gamma: float = 1.0,
        coef0: float = 1.0,
        normalize: bool = False,
    ) -> Self:
        return super().__new__(
            cls, "Polynomial", degree=degree, gamma=gamma, coef0=coef0, normalize=normalize
        )


class Linear(Kernel):
    """The linear kernel ``x . z``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(cls) -> Self:
        return super().__new__(cls, "Linear")


def norm_of_new_features(kernel: Kernel) -> int | None:
    """Return 1 or 2: the norm that tells a kernel all about features that other rows have not.

    Rows that were compared before are 0 in such features. None: neither norm does.
    """
    (value,) = kernel([[1.0, 3.0, 4.0]], [[1.0, 0.0, 0.0]])[0]
    for order, norm in ((2, 5.0), (1, 7.0)):
        if math.isclose(value, kernel([[1.0, norm]], [[1.0, 0.0]])[0, 0]):
            return order
    return None
