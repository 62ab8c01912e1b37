"""The paper's theorems, for a stream: spectra, comparators, regret and its bounds.

A kernel matrix K = V diag(lambda) V^T (:func:`spectrum`) tells how hard the rows are: how fast its
eigenvalues decay (:func:`decay`), how many directions rise above a regularisation mu
(:func:`effective_dimension`), how many rows a dictionary can keep (:func:`dictionary_size`), and
which function would have been best in hindsight (:func:`best_in_ball`). The regret against it
(:func:`regret`) stays below :func:`nons_ald_bound` and :func:`aogd_ald_bound`.

Functions and equations are numbered as in Junfan Li and Shizhong Liao, *Nearly Optimal Algorithms
with Sublinear Computational Complexity for Online Kernel Regression*, ICML 2023.

>>> import nystream
>>> from nystream import theory
>>> X, y = nystream.datasets.mackey_glass(500)
>>> kernel = nystream.Gaussian(sigma=1.0)
>>> s = theory.spectrum(kernel, X)
>>> best = s.best_in_ball(y, U=2.0)
>>> predictions = nystream.AogdAld(kernel, alpha=1 / 500, bound=2.0).progressive(X, y)
>>> regret = theory.regret(predictions, y, best.predictions)
>>> bool(regret[-1] < theory.aogd_ald_bound(best.loss, T=500, alpha=1 / 500, U=2.0))
True
"""

from nystream.theory._bounds import (
    aogd_ald_bound,
    aogd_ald_settings,
    nons_ald_bound,
    nons_ald_settings,
)
from nystream.theory._comparator import Comparator, regret
from nystream.theory._decay import Decay, decay
from nystream.theory._dictionary import SpectralError, dictionary_size, spectral_error
from nystream.theory._spectrum import (
    Spectrum,
    best_in_ball,
    effective_dimension,
    eigenvalues,
    ridge_leverage_scores,
    spectrum,
)

__all__ = [
    "Comparator",
    "Decay",
    "SpectralError",
    "Spectrum",
    "aogd_ald_bound",
    "aogd_ald_settings",
    "best_in_ball",
    "decay",
    "dictionary_size",
    "effective_dimension",
    "eigenvalues",
    "nons_ald_bound",
    "nons_ald_settings",
    "regret",
    "ridge_leverage_scores",
    "spectral_error",
    "spectrum",
]
