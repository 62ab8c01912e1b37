"""Dictionaries and their features, by a singular value decomposition at each new row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.linalg import qr, solve, svd
from reference_kernels import Kernel

if TYPE_CHECKING:
    from reference_least_squares import Squares


@dataclass
class Growth:
    """What happened in a round s_j whose row joined the dictionary."""

    t: int
    A_before: np.ndarray  # A_{j-1}(s_j - 1)
    A_after: np.ndarray  # A_j(s_j - 1)
    w_before: np.ndarray  # w_{j-1}(s_j)
    w_after: np.ndarray  # w_j(s_j)
    phi: np.ndarray  # phi_j(x_{s_j})
    Q: np.ndarray  # Q_{j,j-1}


@dataclass
class Run:
    """Predictions, the rows of X in the dictionary, and how they joined."""

    predictions: np.ndarray
    basis: list[int] = field(default_factory=list)
    growths: list[Growth] = field(default_factory=list)
    q: np.ndarray | None = None  # phi.P phi of each row before it is learned, of least squares
    replaced: list[int] = field(default_factory=list)  # rows that left the dictionary
    end: tuple[Dictionary, Squares] | None = None  # what least squares has learned


def root_of(K):
    """Sigma^{-1/2} U^T of the kernel matrix of a dictionary.

    The smallest singular values are off by the rounding of the largest: predictions were off by
    1e-9 at alpha = 1e-5, by 1e-6 at 1e-7. So root K root^T is brought back to I, in extended
    precision where the machine has one. Products in it are slow: the correction, which is small,
    needs none, and there is no second one if what the first leaves, its square, is less than that.
    """
    left, singular, _ = svd(K)
    root = (np.diag(singular**-0.5) @ left.T).astype(np.longdouble)
    for _ in range(2):
        excess = root @ K @ root.T - np.eye(len(root))
        root = root - excess.astype(float) @ root.astype(float) / 2
        if np.all(abs(excess) < 1e-10):
            break
    return root


def features_of(root, k):
    return (root @ k).astype(float)


def change_of(root, K_between, before):
    """Q, which takes coordinates in the space before to those in the new one."""
    return (root @ K_between @ before.T).astype(float)


def is_novel(k, kappa, K_inverse, alpha):
    """Whether a row fails ALD; the first one that is not 0 always does."""
    return kappa - k @ K_inverse @ k > alpha * kappa or (len(k) == 0 and kappa > 0)


# What is added to the kernel values of rows with themselves, relative to them, if alpha is below
# 1e-5: see src/features/ald.rs.
NUGGET = 1e-13


class Dictionary:
    """Rows kept by ALD, by their places in X, and the root of their kernel matrix."""

    def __init__(self, X, kernel: Kernel, alpha, max_basis=None, S=None):
        self.X, self.kernel = X, kernel
        self.nugget = NUGGET if alpha < 1e-5 else 0.0
        self.alpha = alpha + self.nugget  # the distance is that with the nugget
        self.max_basis = max_basis
        self.S = [] if S is None else S
        self.root = np.zeros((0, 0))

    def kernel_matrix(self, rows, others):
        K = self.kernel(self.X[rows], self.X[others])
        return K * (1 + self.nugget * np.equal.outer(rows, others)) if self.nugget else K

    def phi(self, t):
        return features_of(self.root, self.kernel_matrix(self.S, [t])[:, 0])

    def distance(self, t):
        """The squared distance of row t to the span, relative to its kernel value."""
        kappa, phi = self.kernel_matrix([t], [t])[0, 0], self.phi(t)
        return max(1 - phi @ phi / kappa, 0.0) if kappa > 0 else 0.0

    def is_novel(self, t):
        """Whether a row fails ALD; the first one that is not 0 always does."""
        return self.distance(t) > (self.alpha if self.S else 0.0)

    def is_full(self):
        return self.max_basis is not None and len(self.S) >= self.max_basis

    def append(self, t):
        return self._become([*self.S, t])

    def remove(self, j):
        return self._become(self.S[:j] + self.S[j + 1 :])

    def _become(self, S):
        """Q, which takes coordinates in the span to those of the projection onto the new one."""
        between, before = self.kernel_matrix(S, self.S), self.root
        self.root = root_of(self.kernel_matrix(S, S))
        self.S[:] = S
        return change_of(self.root, between, before)

    def span_without(self, j):
        """Orthonormal columns that span the features of all rows but row j."""
        features = features_of(self.root, self.kernel_matrix(self.S, self.S))
        return qr(np.delete(features, j, axis=1))[0]


class Kors:
    """KORS, the row sampling of Calandriello et al., 2017 (NIPS)."""

    def __init__(self, X, kernel, gamma, beta, epsilon):
        self.X, self.kernel = X, kernel
        self.gamma, self.beta, self.epsilon = gamma, beta, epsilon
        self.kept: list[int] = []
        self.kept_probabilities: list[float] = []
        self.members: list[int] = []  # those that extend the span of the ones before

    def probability(self, t):
        rows = [*self.kept, t]
        K = self.kernel(self.X[rows], self.X[rows])
        s = np.array([*self.kept_probabilities, 1.0]) ** -0.5
        k = s * K[:, -1]
        inside = k @ solve(np.outer(s, s) * K + self.gamma * np.eye(len(rows)), k)
        tau = (1 + self.epsilon) / self.gamma * (K[-1, -1] - inside)
        return min(self.beta * tau, 1.0)

    def offer(self, t, uniform):
        """Whether row t is kept."""
        p = self.probability(t)
        if uniform < p:
            self.kept.append(t)
            self.kept_probabilities.append(p)
            self.extend(t)
        return uniform < p

    def extend(self, t):
        # Rows can be kept twice or nearly so, and the kernel matrix of all would be singular.
        x, X_S = self.X[t : t + 1], self.X[self.members]
        k, kappa = self.kernel(X_S, x)[:, 0], self.kernel(x, x)[0, 0]
        if kappa - k @ solve(self.kernel(X_S, X_S), k) > 1e-8 * kappa:
            self.members.append(t)

    def root(self):
        return root_of(self.kernel(self.X[self.members], self.X[self.members]))
