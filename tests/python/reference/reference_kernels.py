"""Kernels, written as their formulas."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.linalg import norm

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _differences(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return X[:, None, :] - Z[None, :, :]


def gaussian(X, Z, sigma):
    return np.exp(-(_differences(X, Z) ** 2).sum(-1) / (2 * sigma**2))


def laplacian(X, Z, sigma):
    return np.exp(-np.abs(_differences(X, Z)).sum(-1) / sigma)


def matern32(X, Z, sigma):
    a = np.sqrt(3) * norm(_differences(X, Z), axis=-1) / sigma
    return (1 + a) * np.exp(-a)


def matern52(X, Z, sigma):
    a = np.sqrt(5) * norm(_differences(X, Z), axis=-1) / sigma
    return (1 + a + a**2 / 3) * np.exp(-a)


def rational_quadratic(X, Z, sigma, alpha):
    return (1 + (_differences(X, Z) ** 2).sum(-1) / (2 * alpha * sigma**2)) ** -alpha


def linear(X, Z):
    return X @ Z.T


def polynomial(X, Z, degree, gamma, coef0, normalize):
    K = (gamma * X @ Z.T + coef0) ** degree
    if not normalize:
        return K
    x = (gamma * (X**2).sum(1) + coef0) ** degree
    z = (gamma * (Z**2).sum(1) + coef0) ** degree
    scale = np.sqrt(np.outer(x, z))
    return np.divide(K, scale, out=np.zeros_like(K), where=scale > 0)


def kernel_like(kernel) -> Kernel:
    """The literal kernel with the parameters of one of the product's: its name in snake case."""
    formula = globals()[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(kernel).__name__).lower()]
    return lambda X, Z: formula(X, Z, **kernel.params)
