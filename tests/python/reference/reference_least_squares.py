"""Least squares by a QR decomposition of all rows: RidgeAld, its merge, linear ridge, intervals."""

from __future__ import annotations

import copy

import numpy as np
from numpy.linalg import lstsq, norm, qr, solve
from reference_features import Dictionary, Run, change_of
from reference_kernels import Kernel


def running_mean(X, y) -> Run:
    """The mean of the labels before each row."""
    predictions = np.array([y[:t].mean() if t else 0.0 for t in range(len(y))])
    return Run(predictions, q=np.array([1 / t if t else 10.0 for t in range(len(y))]))


class Squares:
    """Least squares on features: sum_s f^(t-s) (w.phi_s - y_s)^2 + ridge_t |w|^2 is least.

    Where f < 1 the ridge fades like the rows, and is renewed whenever half is forgotten. Rows
    (phi_s, y_s), times the root of how often they count, are replaced by the triangle of their QR
    decomposition, which has the same least squares: all of them would be T rows a round.
    """

    def __init__(self, size, n_targets, ridge, forgetting=1.0):
        self.size, self.ridge, self.forgetting = size, ridge, forgetting
        self.rows = np.zeros((0, size + n_targets))
        self.period = 1 if forgetting == 1 else int(np.ceil(np.log(0.5) / np.log(forgetting)))
        self.rounds = 0  # since the ridge was renewed

    def move(self, Q):
        """Past features become these other coordinates of theirs."""
        self.rows = np.hstack([self.rows[:, : self.size] @ Q.T, self.rows[:, self.size :]])
        self.size = len(Q)

    def triangle(self, rows=None):
        """R with R^T R = A in its first columns, and then what R w is."""
        rows = self.rows if rows is None else rows
        ridge = self.ridge * self.forgetting**self.rounds
        penalty = np.sqrt(ridge) * np.eye(self.size, rows.shape[1])
        R = qr(np.vstack([rows, penalty]), mode="r")[: self.size]
        return R[:, : self.size], R[:, self.size :]

    def look(self, phi, forward=False):
        """w.phi and phi.P phi; forward: with the w for which the row counts too, with label 0."""
        R, Rw = self.triangle()
        q = norm(solve(R.T, phi)) ** 2
        if forward:
            # When it counts once, the others count that much less.
            row = np.append(phi / np.sqrt(self.forgetting), np.zeros(Rw.shape[1]))
            R, Rw = self.triangle(np.vstack([self.rows, row]))
        return phi @ solve(R, Rw), q

    def learn(self, phi, y, weight=1.0):
        row = np.sqrt(weight) * np.append(phi, y)
        self.rows = qr(np.vstack([np.sqrt(self.forgetting) * self.rows, row]), mode="r")
        self.rounds = (self.rounds + 1) % self.period

    def rise(self, span):
        """By how much what is least would rise if features were projected onto these columns."""
        R, Rw = self.triangle()
        inside = lstsq(R @ span, Rw, rcond=None)[0]
        return norm(Rw - R @ span @ inside) ** 2


def cheapest(dictionary, squares):
    """The row without which the regularised squared error rises least."""
    return int(np.argmin([squares.rise(dictionary.span_without(j)) for j in range(squares.size)]))


def clipped(prediction, y_before):
    return np.clip(prediction, y_before.min(0), y_before.max(0)) if len(y_before) else prediction


def ridge_ald(
    X,
    y,
    kernel: Kernel,
    *,
    alpha,
    ridge,
    forward=False,
    clip=False,
    max_basis=None,
    policy="freeze",
    forgetting=1.0,
    weights=None,
    start=None,
) -> Run:
    """Least squares on the ALD basis; forward: the prediction of Vovk, Azoury and Warmuth.

    With y of shape (n, k) for k targets. It starts with nothing, or goes on from the end of a run
    or a merge, whose rows are in X as the dictionary has it.
    """
    T, Y = len(X), y.reshape(len(X), -1)
    weights = np.ones(T) if weights is None else weights
    run = Run(np.zeros(Y.shape), q=np.zeros(T))
    if start is None:
        start = (
            Dictionary(X[:0], kernel, alpha, max_basis),
            Squares(0, Y.shape[1], ridge, forgetting),
        )
    dictionary, squares = run.end = copy.deepcopy(start)
    run.basis = dictionary.S
    before = len(dictionary.X)
    dictionary.X = np.vstack([dictionary.X, X])
    for t in range(T):
        place = before + t
        novel, full = dictionary.is_novel(place), dictionary.is_full()
        if novel and not full:
            squares.move(dictionary.append(place))
        phi = dictionary.phi(place)
        yhat, run.q[t] = squares.look(phi, forward)
        run.predictions[t] = clipped(yhat, Y[:t]) if clip else yhat
        if novel and full and policy == "replace":
            j = cheapest(dictionary, squares)
            run.replaced.append(run.basis[j])
            squares.move(dictionary.remove(j))
            squares.move(dictionary.append(place))
            phi = dictionary.phi(place)
        squares.learn(phi, Y[t], weights[t])
    run.predictions = run.predictions.reshape(y.shape)
    return run


def merge_ridge_ald(ends, kernel: Kernel, *, alpha, max_basis=None) -> tuple[Dictionary, Squares]:
    """What ridge_ald has learned of several streams, as the end of one run.

    Of the rows of all dictionaries, taken in turn, it keeps as many as ALD takes: those left when
    the cheapest is removed again and again from what ALD with alpha / 10 takes. With Q_i,
    which takes features of model i to those of their projections, its rows become others: A is
    ridge I + sum_i Q_i (A_i - ridge I) Q_i^T, and A w is sum_i Q_i A_i w_i.
    """
    bases = [dictionary.X[dictionary.S] for dictionary, _ in ends]
    turns = sorted((place, i) for i, basis in enumerate(bases) for place in range(len(basis)))
    X = np.array([bases[i][place] for place, i in turns])
    merged = _offered(Dictionary(X, kernel, alpha, max_basis))
    fine = _offered(Dictionary(X, kernel, max(alpha / 10, 1e-10)))
    squares = _carried_over(ends, fine)
    while len(fine.S) > len(merged.S):
        squares.move(fine.remove(cheapest(fine, squares)))
    merged._become(fine.S)
    return merged, _carried_over(ends, merged)


def _offered(dictionary):
    for t in range(len(dictionary.X)):
        if dictionary.is_novel(t) and not dictionary.is_full():
            dictionary.append(t)
    return dictionary


def _carried_over(ends, merged):
    """All rows of several least squares, projected onto the span of one dictionary."""
    own = copy.deepcopy([squares for _, squares in ends])
    for (dictionary, _), squares in zip(ends, own, strict=True):
        between = merged.kernel(merged.X[merged.S], dictionary.X[dictionary.S])
        squares.move(change_of(merged.root, between, dictionary.root))
    own[0].rows = np.vstack([squares.rows for squares in own])
    own[0].rounds = 0
    return own[0]


def intervals(run: Run, y, level) -> np.ndarray:
    """The ends around each prediction, by the scores of the rows before: at most the last 1000."""
    shape = (len(y), -1)
    unit = np.sqrt(1 + run.q)[:, None]
    scores = np.abs(y - run.predictions).reshape(shape) / unit
    margins = [
        [_margin(column, level) for column in scores[max(t - 1000, 0) : t].T] for t in range(len(y))
    ]
    yhat, half = run.predictions.reshape(shape), np.array(margins) * unit
    return np.stack([yhat - half, yhat + half], axis=-1).reshape(*y.shape, 2)


def _margin(scores, level):
    rank = int(np.ceil(level * (len(scores) + 1)))
    return np.sort(scores)[rank - 1] if rank <= len(scores) else np.inf


def linear_rls(
    X, y, *, ridge, intercept=True, forward=False, clip=False, forgetting=1.0, weights=None
) -> Run:
    """Linear ridge regression on all rows so far; the constant is penalised like the others."""
    T, Y = len(X), y.reshape(len(X), -1)
    weights = np.ones(T) if weights is None else weights
    run = Run(np.zeros(Y.shape), q=np.zeros(T))
    rows = np.column_stack([X, np.ones(T)]) if intercept else X
    squares = Squares(rows.shape[1], Y.shape[1], ridge, forgetting)
    for t, phi in enumerate(rows):
        yhat, run.q[t] = squares.look(phi, forward)
        run.predictions[t] = clipped(yhat, Y[:t]) if clip else yhat
        squares.learn(phi, Y[t], weights[t])
    run.predictions = run.predictions.reshape(y.shape)
    return run
