"""Regret bounds of the paper, as printed and as its proofs give them, and its settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from nystream import _core
from nystream._checks import whole
from nystream.theory import _checks
from nystream.theory._decay import Decay

if TYPE_CHECKING:
    Form = Literal["corrected", "printed"]

FORMS = ("corrected", "printed")


def aogd_ald_bound(
    loss: float, *, T: int, alpha: float, U: float, form: Form = "corrected"
) -> float:
    """Bound the regret of AOGD-ALD against a function f of norm at most U, Theorem 3.2 of [1]_.

    For kernels with kappa(x, x) at most 1, any labels, and no ``max_basis``, with or without
    ``switch_at``, the regret is at most ``a^2 + a sqrt(L(f) + b) + b``, where
    ``a = U (6 + 4 sqrt(alpha T))`` and ``b = 2 U``.

    The printed form, for alpha at most 1 / T, is the last line of the theorem's proof,
    ``9 U sqrt(L(f) + 3 U) + 81 U^2``. Two steps to it do not hold: two functions of the ball can
    be 2 U apart, so that the distances telescope to ``2 U^2 / eta_T`` and not to
    ``3 U^2 / (2 eta_T)``; and solving for the loss leaves a constant, ``b``, that the proof drops.

    Parameters
    ----------
    loss
        L(f), the sum of the squared errors of f, 0 or positive.
    T
        Number of rows.
    alpha
        Threshold of ALD, above 0 and at most 1.
    U
        ``bound`` of the learner, positive.
    form
        "corrected" or "printed".

    Returns
    -------
    float
        The bound: the regret does not exceed it.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> from nystream.theory import aogd_ald_bound
    >>> aogd_ald_bound(7.0, T=100, alpha=0.01, U=1.0)
    132.0
    >>> aogd_ald_bound(6.0, T=100, alpha=0.01, U=1.0, form="printed")
    108.0
    """
    loss = _checks.at_least_zero("loss", loss)
    T, alpha, U = whole("T", T), _checks.up_to_one("alpha", alpha), _checks.positive("U", U)
    _checks.choice("form", form, FORMS)
    if form == "corrected":
        a, b = U * (6 + 4 * math.sqrt(alpha * T)), 2 * U
        return a**2 + a * math.sqrt(loss + b) + b
    if alpha > 1 / T:
        raise ValueError(f"alpha should be at most 1 / T for the printed form, but is {alpha!r}")
    return 9 * U * math.sqrt(loss + 3 * U) + 81 * U**2


def nons_ald_bound(
    *,
    T: int,
    alpha: float,
    mu: float,
    U: float,
    Y: float,
    norm: float,
    effective_dimension: float,
    n_basis: int | None = None,
    form: Form = "corrected",
) -> float:
    """Bound the regret of NONS-ALD against a function f of norm at most U, Theorem 4.6 of [1]_.

    For kernels with kappa(x, x) at most 1, labels within [-Y, Y], Y at most U, eta as it is by
    default, 1 / (4 (U^2 + Y^2)), and no ``max_basis``, the regret is at most the sum of

    - ``(mu / 2 + T alpha) ||f||^2``,
    - ``sqrt(8 (U^2 + Y^2)) ||f|| T sqrt(alpha)``,
    - ``2 (U^2 + Y^2) d_eff(mu / 2) (1 + ln((2 T + mu) / mu))``,
    - ``2 (U^2 + Y^2) J ln(1 + 2 T sqrt(alpha) / mu)``.

    The printed theorem has ``1 / 2`` in place of ``2 (U^2 + Y^2)`` in the third term: its proof
    loses the factor 1 / eta after the determinants have been bounded. Its fourth term,
    ``T^2 sqrt(alpha) / (sqrt(2) mu)``, lacks the same factor, and comes from a Frobenius norm of
    ``T sqrt(2 alpha)`` where the entries, at most ``2 sqrt(alpha)``, give ``2 T sqrt(alpha)``. One
    row that comes again and again with labels tossed by a coin breaks the printed bound.

    The proof counts T eigenvalues in the fourth term, but only J, the size of the dictionary,
    are not 0.

    Parameters
    ----------
    T
        Number of rows.
    alpha
        Threshold of ALD, above 0 and at most 1.
    mu
        ``mu`` of the learner, positive.
    U
        ``bound`` of the learner, positive.
    Y
        ``target_bound`` of the learner, positive, at most U.
    norm
        ||f||_H, at most U.
    effective_dimension
        d_eff(mu / 2), with half the ``mu`` of the learner.
    n_basis
        J, the number of rows that the learner kept. None: T, for a bound in advance. The printed
        form does not use it.
    form
        "corrected" or "printed".

    Returns
    -------
    float
        The bound: the regret does not exceed it.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> kernel = nystream.Gaussian(1.0)
    >>> model = nystream.NonsAld(kernel, alpha=1e-6)
    >>> predictions = model.progressive(X, y)
    >>> best = nystream.theory.best_in_ball(kernel, X, y, U=1.0)
    >>> d_eff = nystream.theory.effective_dimension(kernel, X, mu=0.5)
    >>> bound = nystream.theory.nons_ald_bound(
    ...     T=500, alpha=1e-6, mu=1.0, U=1.0, Y=1.0, norm=best.norm, effective_dimension=d_eff
    ... )
    >>> bool(nystream.theory.regret(predictions, y, best.predictions)[-1] < bound)
    True
    """
    T, alpha = whole("T", T), _checks.up_to_one("alpha", alpha)
    mu, U = _checks.positive("mu", mu), _checks.positive("U", U)
    Y = _checks.at_most("Y", _checks.positive("Y", Y), "U", U)
    norm = _checks.at_most("norm", _checks.at_least_zero("norm", norm), "U", U)
    d_eff = _checks.at_least_zero("effective_dimension", effective_dimension)
    J = T if n_basis is None else int(_checks.at_most("n_basis", whole("n_basis", n_basis), "T", T))
    _checks.choice("form", form, FORMS)
    squares = U**2 + Y**2
    projection = T * math.sqrt(alpha)
    fixed = (mu / 2 + T * alpha) * norm**2 + math.sqrt(8 * squares) * norm * projection
    newton = d_eff * (1 + math.log((2 * T + mu) / mu))
    if form == "printed":
        return fixed + newton / 2 + T * projection / (math.sqrt(2) * mu)
    return fixed + 2 * squares * (newton + J * math.log1p(2 * projection / mu))


def aogd_ald_settings(T: int, n_features: int) -> tuple[float, int]:
    """Compute the paper's ``alpha`` and ``switch_at`` for AOGD-ALD on ``T`` rows.

    Theorem 3.2 of [1]_: ``alpha = 1 / T`` and ``B_0 = floor((sqrt(d^2 + 4 d T) - d) / 2)``.
    :meth:`nystream.AogdAld.for_horizon` makes a learner with them.

    Parameters
    ----------
    T
        Number of rows to come.
    n_features
        d, the width of the rows.

    Returns
    -------
    alpha, B_0
        For the learner's ``alpha`` and ``switch_at``.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> from nystream.theory import aogd_ald_settings
    >>> aogd_ald_settings(10_000, n_features=8)
    (0.0001, 278)
    """
    return _core.aogd_ald_settings(n_features, T)


def nons_ald_settings(
    T: int,
    decay: Literal["exponential", "polynomial"] | Decay = "exponential",
    p: float | None = None,
) -> tuple[float, float]:
    """Compute the paper's ``alpha`` and ``mu`` for NONS-ALD on ``T`` rows.

    Corollary 4.7 of [1]_, exponential decay: ``alpha = (ln T / T)^4`` and any ``mu``, here 1.
    Corollary 4.8, decay like i^-p: ``alpha = T^(-4p / (1 + p))`` and ``mu = T^(1 / (1 + p))``.
    :meth:`nystream.NonsAld.for_horizon` makes a learner with them, and raises an ``alpha`` that is
    too small for float64.

    Parameters
    ----------
    T
        Number of rows to come.
    decay
        "exponential", "polynomial", or the result of :func:`decay`, which also knows p.
    p
        Degree of polynomial decay, at least 1.

    Returns
    -------
    alpha, mu
        For the learner's ``alpha`` and ``mu``.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> from nystream.theory import decay, nons_ald_settings
    >>> nons_ald_settings(16, "polynomial", p=3)
    (0.000244140625, 2.0)
    >>> law = decay([8.0, 4.0, 2.0, 1.0, 0.5, 0.25])
    >>> nons_ald_settings(1000, law) == nons_ald_settings(1000, "exponential")
    True
    """
    if not isinstance(decay, Decay):
        return _core.nons_ald_settings(T, decay, p)
    if p is not None:
        raise ValueError(f"p should be None if decay knows it, but is {p!r:.100}")
    return _core.nons_ald_settings(T, decay.kind, decay.p if decay.kind == "polynomial" else None)
