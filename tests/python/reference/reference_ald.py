"""Learners on an ALD dictionary that take a gradient or a Newton step, and KRLS."""

from __future__ import annotations

import numpy as np
from numpy.linalg import inv, solve, svd
from reference_features import Growth, Run
from reference_kernels import Kernel
from reference_losses import slope_of_squares


def nons_ald(
    X,
    y,
    kernel: Kernel,
    *,
    alpha,
    mu,
    bound,
    target_bound=None,
    eta=None,
    max_basis=None,
    slope=slope_of_squares,
) -> Run:
    """NONS-ALD, Algorithm 3 with Lemmas 4.2 and 4.3 and the eager projection onto W_{t+1}."""
    U, Y = bound, bound if target_bound is None else target_bound
    eta = 1 / (4 * (U**2 + Y**2)) if eta is None else eta
    T, d = X.shape
    run = Run(np.zeros(T))
    S, X_S = run.basis, np.zeros((0, d))
    K_inverse = root = A = np.zeros((0, 0))  # root = Sigma^{-1/2} U^T, so phi_j(x) = root k_S(x)
    w = np.zeros(0)
    for t, x in enumerate(X[:, None]):
        k, kappa = kernel(X_S, x)[:, 0], kernel(x, x)[0, 0]
        alpha_t = kappa - k @ K_inverse @ k
        novel = alpha_t > alpha * kappa or (not S and kappa > 0)
        if novel and (max_basis is None or len(S) < max_basis):
            before, X_before, A_before, w_before = root, X_S, A, w
            S.append(t)
            X_S = X[S]
            K = kernel(X_S, X_S)
            K_inverse = inv(K)
            left, singular, _ = svd(K)
            root = np.diag(singular**-0.5) @ left.T
            Q = root @ kernel(X_S, X_before) @ before.T
            A = mu * np.eye(len(S)) + Q @ (A - mu * np.eye(len(A))) @ Q.T  # Lemma 4.2
            w = Q @ w  # Lemma 4.3
            phi = root @ kernel(X_S, x)[:, 0]
            run.growths.append(Growth(t, A_before, A, w_before, w, phi, Q))
        phi = root @ kernel(X_S, x)[:, 0]
        run.predictions[t] = w @ phi
        gradient = slope(run.predictions[t], y[t]) * phi
        A = A + eta * np.outer(gradient, gradient)
        w = w - solve(A, gradient)
        if t + 1 < T:
            phi_next = root @ kernel(X_S, X[t + 1 : t + 2])[:, 0]
            y_next = w @ phi_next
            m = np.sign(y_next) * max(abs(y_next) - U, 0)
            if m != 0:
                step = solve(A, phi_next)
                w = w - m * step / (phi_next @ step)
    return run


def aogd_ald(
    X, y, kernel: Kernel, *, alpha, bound, switch_at=None, max_basis=None, slope=slope_of_squares
) -> Run:
    """AOGD-ALD, Algorithm 1, with f = sum_i a_i kappa(x_i, .) and its norm as a quadratic form."""
    U = bound
    T, d = X.shape
    run = Run(np.zeros(T))
    S, X_S = run.basis, np.zeros((0, d))
    K = K_inverse = np.zeros((0, 0))
    a = np.zeros(0)
    squared_norms = 0.0
    for t, x in enumerate(X[:, None]):
        k, kappa = kernel(X_S, x)[:, 0], kernel(x, x)[0, 0]
        run.predictions[t] = a @ k
        derivative = slope(run.predictions[t], y[t])
        switched = switch_at is not None and len(S) >= switch_at
        beta = np.zeros(0) if switched else K_inverse @ k
        novel = switched or kappa - k @ beta > alpha * kappa or (not S and kappa > 0)
        if novel and (max_basis is None or len(S) < max_basis):
            S.append(t)
            X_S = X[S]
            K = kernel(X_S, X_S)
            K_inverse = None if switched else inv(K)
            a = np.append(a, 0.0)
            beta = np.append(np.zeros(len(S) - 1), 1.0)
        squared_norms += derivative**2 * (beta @ K @ beta)
        eta = U / np.sqrt(1 + squared_norms)
        a = a - eta * derivative * beta
        f_norm = np.sqrt(a @ K @ a)
        a = a * min(1.0, U / f_norm if f_norm > 0 else 1.0)
    return run


def krls_ald(X, y, kernel: Kernel, *, alpha, max_basis=None) -> Run:
    """Kernel recursive least squares, Table 1 of Engel, Mannor and Meir, 2004.

    The recursion loses three digits for each digit of alpha (in double precision predictions of
    2000 rows of elevators were off by 1e-9 at alpha = 1e-3, by 1e-3 at 1e-5), so it is done in
    extended precision. Below 1e-4 that is not enough: there ridge_ald with ridge = 0, the same
    least squares, is the better judge.
    """
    T = len(X)
    run = Run(np.zeros(T), q=np.zeros(T))
    S = run.basis
    K_inverse = P = np.zeros((0, 0), np.longdouble)
    weights = np.zeros(0, np.longdouble)  # alpha-tilde
    for t, x in enumerate(X[:, None]):
        k, kappa = kernel(X[S], x)[:, 0], kernel(x, x)[0, 0]
        run.predictions[t] = k @ weights
        error = y[t] - k @ weights
        a = K_inverse @ k
        delta = kappa - k @ a
        run.q[t] = a @ P @ a
        novel = delta > alpha * kappa or (not S and kappa > 0)
        if novel and (max_basis is None or len(S) < max_basis):
            S.append(t)
            one, zero = np.ones((1, 1)), np.zeros((len(a), 1))
            corner = delta * K_inverse + np.outer(a, a)
            K_inverse = np.block([[corner, -a[:, None]], [-a[None, :], one]]) / delta
            P = np.block([[P, zero], [zero.T, one]])
            weights = np.append(weights - a / delta * error, error / delta)
        elif kappa > 0:
            q = P @ a / (1 + a @ P @ a)
            P = P - np.outer(q, a @ P)
            weights = weights + K_inverse @ q * error
    return run
