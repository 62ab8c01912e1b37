"""The kernels: signatures and documentation; the core computes the values."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TypeVar

from nystream._core import Kernel
from nystream._parameters import Constructed, construct, dataclass_transform, document, parameters

__all__ = [
    "Gaussian",
    "Laplacian",
    "Linear",
    "Matern32",
    "Matern52",
    "Polynomial",
    "RationalQuadratic",
]


K = TypeVar("K", bound=Kernel)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def kernel(cls: type[K]) -> type[K]:
    """Make the kernel of this name in the core public: its constructor and its docstring."""
    construct(cls, Kernel)
    document(cls, Kernel)
    return cls


@parameters
class KernelWithWidth(Constructed, Kernel):
    """A kernel that looks as far as its width.

    Parameters
    ----------
    sigma
        Width, positive.
    """

    __slots__ = ()

    sigma: float = field(default=1.0, kw_only=False)


@kernel
class Gaussian(KernelWithWidth):
    """The Gaussian kernel ``exp(-||x - z||^2 / (2 sigma^2))``.

    It is the kernel of the paper's experiments. In terms of scikit-learn's ``gamma``,
    ``sigma = 1 / sqrt(2 gamma)``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Gaussian(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6065]])
    """

    __slots__ = ()


@kernel
class Laplacian(KernelWithWidth):
    """The Laplacian kernel ``exp(-||x - z||_1 / sigma)``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Laplacian(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.3679]])
    """

    __slots__ = ()


@kernel
class Matern32(KernelWithWidth):
    """The Matérn kernel of smoothness 3/2.

    ``(1 + a) exp(-a)`` with ``a = sqrt(3) ||x - z|| / sigma``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Matern32(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.4834]])
    """

    __slots__ = ()


@kernel
class Matern52(KernelWithWidth):
    """The Matérn kernel of smoothness 5/2.

    ``(1 + a + a^2 / 3) exp(-a)`` with ``a = sqrt(5) ||x - z|| / sigma``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Matern52(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.524]])
    """

    __slots__ = ()


@kernel
class RationalQuadratic(KernelWithWidth):
    """The rational quadratic kernel ``(1 + ||x - z||^2 / (2 alpha sigma^2))^(-alpha)``.

    It is a mixture of Gaussian kernels of many widths.

    Parameters
    ----------
    alpha
        Exponent, positive; the larger, the closer to a Gaussian kernel.

    Examples
    --------
    >>> import nystream
    >>> nystream.RationalQuadratic(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6667]])
    """

    __slots__ = ()

    alpha: float = 1.0


@kernel
class Polynomial(Constructed, Kernel):
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

    __slots__ = ()

    degree: int = field(default=3, kw_only=False)
    gamma: float = 1.0
    coef0: float = 1.0
    normalize: bool = False


@kernel
class Linear(Constructed, Kernel):
    """The linear kernel ``x . z``.

    Examples
    --------
    >>> import nystream
    >>> nystream.Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    __slots__ = ()


def norm_of_new_features(kernel: Kernel) -> int | None:
    """Return 1 or 2: the norm of features that other rows lack, from which a kernel follows.

    Other rows are 0 in such features. None: the kernel follows from neither norm.
    """
    (value,) = kernel([[1.0, 3.0, 4.0]], [[1.0, 0.0, 0.0]])[0]
    for order, norm in ((2, 5.0), (1, 7.0)):
        if math.isclose(value, kernel([[1.0, norm]], [[1.0, 0.0]])[0, 0]):
            return order
    return None
