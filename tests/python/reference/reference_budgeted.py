"""Learners on random frequencies, on the first rows, and on rows that are sampled."""

from __future__ import annotations

import numpy as np
from numpy.linalg import eigh, solve
from reference_features import Kors, Run, change_of, features_of
from reference_kernels import Kernel
from reference_losses import slope_of_squares


def fogd(X, y, *, frequencies, eta, slope=slope_of_squares) -> Run:
    """FOGD of Lu et al., 2016: gradient descent on random Fourier features."""
    run = Run(np.zeros(len(X)))
    D = len(frequencies)
    w = np.zeros(2 * D)
    for t, x in enumerate(X):
        angles = frequencies @ x
        phi = np.append(np.cos(angles), np.sin(angles)) / np.sqrt(D)
        run.predictions[t] = w @ phi
        w = w - eta * slope(run.predictions[t], y[t]) * phi
    return run


def nogd(
    X, y, kernel: Kernel, *, budget, rank=None, eta, carry_over=True, slope=slope_of_squares
) -> Run:
    """NOGD of Lu et al., 2016: gradient descent on all of the first rows, then in their space.

    Not to carry over what was learned on the first rows is a mistake that others have made.
    """
    T = len(X)
    run = Run(np.zeros(T))
    B = run.basis
    a = np.zeros(0)
    root = w = None
    for t, x in enumerate(X[:, None]):
        k = kernel(X[B], x)[:, 0]
        if len(B) < budget:
            run.predictions[t] = a @ k
            B.append(t)
            a = np.append(a, -eta * slope(run.predictions[t], y[t]))
            continue
        if root is None:
            values, vectors = eigh(kernel(X[B], X[B]))
            values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank]
            keep = values > 1e-10 * values[0]
            values, vectors = values[keep], vectors[:, keep]
            root = np.diag(values**-0.5) @ vectors.T
            w = carry_over * np.diag(values**0.5) @ vectors.T @ a
        phi = root @ k
        run.predictions[t] = w @ phi
        w = w - eta * slope(run.predictions[t], y[t]) * phi
    return run


def _nystrom_kons(
    X,
    y,
    kernel,
    restart,
    *,
    mu,
    gamma,
    beta,
    epsilon,
    bound,
    eta=None,
    uniforms,
    slope=slope_of_squares,
) -> Run:
    C = bound
    eta = 1 / (16 * C**2) if eta is None else eta
    T = len(X)
    kors = Kors(X, kernel, gamma, beta, epsilon)
    run = Run(np.zeros(T), kors.kept)
    S = []  # the rows that span the space, of those kept before the last round
    kept = 0
    root = A = np.zeros((0, 0))
    w = w_predicting = np.zeros(0)
    for t, x in enumerate(X[:, None]):
        changed = kept < len(kors.kept)
        if changed:
            kept = len(kors.kept)
            S_before, S = S, list(kors.members)
            before, root = root, kors.root()
            Q = change_of(root, kernel(X[S], X[S_before]), before)
            if restart:
                A = mu * np.eye(len(root))
                w = np.zeros(len(root))
            else:
                A = mu * np.eye(len(root)) + Q @ (A - mu * np.eye(len(A))) @ Q.T
                w = Q @ w_predicting
        phi = features_of(root, kernel(X[S], x)[:, 0])
        if not changed and abs(w @ phi) > C:
            m = np.sign(w @ phi) * (abs(w @ phi) - C)
            step = solve(A, phi)
            w = w - m * step / (phi @ step)
        run.predictions[t] = w @ phi
        w_predicting = w
        gradient = slope(run.predictions[t], y[t]) * phi
        A = A + eta * np.outer(gradient, gradient)
        w = w - solve(A, gradient)
        kors.offer(t, uniforms[t])
    return run


def pros_n_kons(X, y, kernel: Kernel, **params) -> Run:
    """PROS-N-KONS of Calandriello et al., 2017 (NIPS), which restarts in each new space."""
    return _nystrom_kons(X, y, kernel, True, **params)


def con_kons(X, y, kernel: Kernel, **params) -> Run:
    """CON-KONS, PROS-N-KONS that carries over what it has learned to each new space."""
    return _nystrom_kons(X, y, kernel, False, **params)
