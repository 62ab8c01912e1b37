"""Learners that store every row."""

from __future__ import annotations

import numpy as np
from numpy.linalg import cholesky, inv, solve
from reference_features import Kors, Run, features_of, is_novel
from reference_kernels import Kernel
from reference_least_squares import Squares
from reference_losses import slope_of_squares


def kogd(X, y, kernel: Kernel, *, bound, slope=slope_of_squares) -> Run:
    """KOGD with the step sizes of AOGD-ALD, f = sum_i a_i kappa(x_i, .) over all rows."""
    U = bound
    T = len(X)
    run = Run(np.zeros(T), list(range(T)))
    K = np.zeros((T, T))
    a = np.zeros(T)
    squared_norms = 0.0
    for t, x in enumerate(X[:, None]):
        now = slice(t + 1)
        K[now, t] = K[t, now] = kernel(X[now], x)[:, 0]
        run.predictions[t] = a[now] @ K[now, t]
        derivative = slope(run.predictions[t], y[t])
        squared_norms += derivative**2 * K[t, t]
        a[t] -= U / np.sqrt(1 + squared_norms) * derivative
        f_norm = np.sqrt(a[now] @ K[now, now] @ a[now])
        a *= min(1.0, U / f_norm if f_norm > 0 else 1.0)
    return run


class _Growing:
    """Solves with a positive definite matrix that gains a row and a column a round.

    A whole solve a round would take minutes for 2000 rows. So a root of the inverse of a leading
    block is computed afresh every 100 rows, and the rest is eliminated by its Schur complement.
    """

    def __init__(self, largest):
        self.size = 0
        self.matrix = np.zeros((largest, largest))
        self.root = self.eliminated = np.zeros((0, 0))

    def append(self, column):
        new, self.size = self.size, self.size + 1
        self.matrix[: self.size, new] = self.matrix[new, : self.size] = column
        lead = len(self.root)
        if self.size - lead > 100:
            self.root = inv(cholesky(self.matrix[: self.size, : self.size]))
            self.eliminated = np.zeros((self.size, 0))
        else:
            self.eliminated = np.column_stack([self.eliminated, self.root @ column[:lead]])

    def solve(self, b):
        lead = len(self.root)
        beside = self.eliminated
        below = self.matrix[lead : self.size, lead : self.size]
        first = self.root @ b[:lead]
        last = solve(below - beside.T @ beside, b[lead:] - beside.T @ first)
        return np.append(self.root.T @ (first - beside @ last), last)


def _function_values(K, v):
    # Most coefficients of a gradient are 0.
    used = np.flatnonzero(v)
    return K[:, used] @ v[used]


def newton_step(v, H, K, solve_gram, mu):
    """(mu I + H H^T)^{-1} v = (v - H (H^T H + mu I)^{-1} H^T v) / mu.

    Columns of H and v are coefficients of functions over the rows whose kernel matrix is K.
    """
    return (v - H @ solve_gram(H.T @ _function_values(K, v))) / mu


def kons(
    X, y, kernel: Kernel, *, mu, eta=None, bound=None, alpha=None, slope=slope_of_squares
) -> Run:
    """KONS, Algorithm 2, by its implicit-computing theorem, with the gradients in kernel values.

    With alpha a gradient that passes ALD is replaced by its projection, as the theorem has it.
    """
    U = bound
    eta = 1 / (8 * (1.0 if U is None else U**2)) if eta is None else eta
    T = len(X)
    run = Run(np.zeros(T), list(range(T)) if alpha is None else [])
    S = run.basis
    K_inverse = np.zeros((0, 0))
    K = np.zeros((T, T))
    H = np.zeros((T, T))  # column s: the coefficients of sqrt(eta) times gradient s
    gram = _Growing(T)  # H^T H + mu I
    f = np.zeros(T)
    for t, x in enumerate(X[:, None]):
        now = slice(t + 1)
        K[now, t] = K[t, now] = kernel(X[now], x)[:, 0]
        phi = np.zeros(t + 1)
        if alpha is None:
            phi[t] = 1.0
        else:
            phi[S] = K_inverse @ K[S, t]
        run.predictions[t] = f[now] @ K[now, t]
        if U is not None and abs(run.predictions[t]) > U:
            m = np.sign(run.predictions[t]) * (abs(run.predictions[t]) - U)
            step = newton_step(phi, H[now, :t], K[now, now], gram.solve, mu)
            f[now] -= m * step / (phi @ K[now, now] @ step)
            run.predictions[t] = f[now] @ K[now, t]
        if alpha is not None and is_novel(K[S, t], K[t, t], K_inverse, alpha):
            S.append(t)
            K_inverse = inv(K[np.ix_(S, S)])
            phi = np.append(np.zeros(t), 1.0)
        gradient = slope(run.predictions[t], y[t]) * phi
        H[now, t] = np.sqrt(eta) * gradient
        column = H[now, now].T @ _function_values(K[now, now], H[now, t])
        column[t] += mu
        gram.append(column)
        f[now] -= newton_step(gradient, H[now, now], K[now, now], gram.solve, mu)
    return run


def _kernel_matrix(X, kernel):
    # Column by column: the differences of all rows at once may be gigabytes.
    return np.column_stack([kernel(X, x)[:, 0] for x in X[:, None]])


def kernel_ridge_q(X, kernel: Kernel, *, ridge) -> np.ndarray:
    """phi.P phi of kaar and online_krr, in the space of the kernel: (kappa - k^T z) / ridge."""
    K = _kernel_matrix(X, kernel)
    z = [solve(K[:t, :t] + ridge * np.eye(t), K[:t, t]) for t in range(len(X))]
    return np.array([(K[t, t] - K[:t, t] @ z[t]) / ridge for t in range(len(X))])


def kaar(X, y, kernel: Kernel, *, ridge, rounds=None) -> Run:
    """The kernel aggregating algorithm for regression of Gammerman et al., 2004.

    A round does not depend on the predictions before it, so it is possible to ask for some alone;
    the predictions of the others are NaN.
    """
    run = Run(np.full(len(X), np.nan), list(range(len(X))))
    K = _kernel_matrix(X, kernel)
    for t in range(len(X)) if rounds is None else rounds:
        now = slice(t + 1)
        a_I = ridge * np.eye(t + 1)
        run.predictions[t] = np.append(y[:t], 0.0) @ solve(K[now, now] + a_I, K[now, t])
    return run


def online_krr(X, y, kernel: Kernel, *, ridge, rounds=None) -> Run:
    """Kernel ridge regression on all rows so far, as in Zhdanov and Kalnishkan, 2013.

    For rounds see kaar.
    """
    run = Run(np.full(len(X), np.nan), list(range(len(X))))
    K = _kernel_matrix(X, kernel)
    for t in range(len(X)) if rounds is None else rounds:
        run.predictions[t] = y[:t] @ solve(K[:t, :t] + ridge * np.eye(t), K[:t, t])
    return run


def sketched_kons(
    X, y, kernel: Kernel, *, mu, gamma, beta, epsilon, bound, eta=None, uniforms
) -> Run:
    """Sketched-KONS of Calandriello et al., 2017 (ICML): some gradients enter A, all are followed.

    Every round solves with the matrix of the gradients in A, so they should be some hundreds.
    """
    C = bound
    eta = 1 / (8 * C**2) if eta is None else eta
    T = len(X)
    run = Run(np.zeros(T), list(range(T)))
    K = np.zeros((T, T))
    H = np.zeros((T, 0))  # the coefficients of sqrt(eta) times the gradients in A
    f = np.zeros(T)
    for t, x in enumerate(X[:, None]):
        now = slice(t + 1)
        K[now, t] = K[t, now] = kernel(X[now], x)[:, 0]
        phi = np.append(np.zeros(t), 1.0)
        run.predictions[t] = f[now] @ K[now, t]
        if abs(run.predictions[t]) > C:
            m = np.sign(run.predictions[t]) * (abs(run.predictions[t]) - C)
            step = _solve_newton(phi, H[now], K[now, now], mu)
            f[now] -= m * step / (phi @ K[now, now] @ step)
            run.predictions[t] = f[now] @ K[now, t]
        gradient = 2 * (run.predictions[t] - y[t]) * phi
        v = np.sqrt(eta) * gradient
        with_v = np.column_stack([H, np.append(v, np.zeros(T - t - 1))])
        tau = (1 + epsilon) * (v @ K[now, now] @ _solve_newton(v, with_v[now], K[now, now], mu))
        if uniforms[t] < max(min(beta * tau, 1.0), gamma):
            H = with_v
        f[now] -= _solve_newton(gradient, H[now], K[now, now], mu)
    return run


def _solve_newton(v, H, K, mu):
    # Few rows of H are not 0, one for each gradient in A.
    used = np.flatnonzero(H.any(axis=1))
    gram = H[used].T @ K[np.ix_(used, used)] @ H[used] + mu * np.eye(H.shape[1])
    return newton_step(v, H, K, lambda b: solve(gram, b), mu)


def pkawv(X, y, kernel: Kernel, *, ridge, kors_mu, beta, epsilon, uniforms) -> Run:
    """PKAWV of Jézéquel, Gaillard and Rudi, 2019: the forward prediction in the span of KORS."""
    T = len(X)
    kors = Kors(X, kernel, kors_mu, beta, epsilon)
    run = Run(np.zeros(T), kors.kept, q=np.zeros(T))
    root = np.zeros((0, 0))
    squares = Squares(0, 1, ridge)
    for t, x in enumerate(X[:, None]):
        if kors.offer(t, uniforms[t]):
            root = kors.root()
            Phi = features_of(root, kernel(X[kors.members], X[:t])).T
            squares.size, squares.rows = len(root), np.column_stack([Phi, y[:t]])
        phi = features_of(root, kernel(X[kors.members], x)[:, 0])
        (run.predictions[t],), run.q[t] = squares.look(phi, forward=True)
        squares.learn(phi, y[t])
    return run
