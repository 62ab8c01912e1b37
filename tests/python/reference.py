"""The paper's algorithms and their peers, slow and literal: the judge of the product.

Written from the text of Li and Liao, ICML 2023, with a singular value decomposition at each new
basis row and quadratic forms in kernel matrices; the peers from the papers they come from. Least
squares are solved by a QR decomposition of all rows, so that they lose no digits to the normal
equations. Nothing here is shared with the product. Where the text is ambiguous:

- a round whose row joins the dictionary also predicts and updates, and the first row always joins;
- the Newton step uses A_t, after its rank-one update;
- for a kernel whose value of a row with itself is not 1, ALD compares with alpha times that value;
- at the cap a row that would have joined is learned through its projection;
- a row is offered to the dictionary whether or not its gradient is 0, as in the pseudo-code;
- KORS scores a row with that row itself in the dictionary, with weight 1;
- CON-KONS carries over the weights from before the last step in the old space, and does not
  project in the first round of a new one;
- a row that takes the place of another is predicted before, in the span that it changes;
- rows of a peer that samples are kept when the round's uniform number is below the probability.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.linalg import cholesky, eigh, inv, lstsq, norm, qr, solve, svd

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


KERNELS = {
    "Gaussian": gaussian,
    "Laplacian": laplacian,
    "Linear": linear,
    "Matern32": matern32,
    "Matern52": matern52,
    "Polynomial": polynomial,
    "RationalQuadratic": rational_quadratic,
}


def kernel_like(kernel) -> Kernel:
    """The literal kernel with the parameters of one of the product's."""
    formula = KERNELS[type(kernel).__name__]
    return lambda X, Z: formula(X, Z, **kernel.params)


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


def nons_ald(
    X, y, kernel: Kernel, *, alpha, mu, bound, target_bound=None, eta=None, max_basis=None
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
        gradient = 2 * (run.predictions[t] - y[t]) * phi
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


def aogd_ald(X, y, kernel: Kernel, *, alpha, bound, switch_at=None, max_basis=None) -> Run:
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
        derivative = 2 * (run.predictions[t] - y[t])
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


def running_mean(X, y) -> Run:
    """The mean of the labels before each row."""
    predictions = np.array([y[:t].mean() if t else 0.0 for t in range(len(y))])
    return Run(predictions, q=np.array([1 / t if t else 10.0 for t in range(len(y))]))


def _root(K):
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


def _features(root, k):
    return (root @ k).astype(float)


def _change(root, K_between, before):
    """Q, which takes coordinates in the space before to those in the new one."""
    return (root @ K_between @ before.T).astype(float)


def _novel(k, kappa, K_inverse, alpha):
    """Whether a row fails ALD; the first one that is not 0 always does."""
    return kappa - k @ K_inverse @ k > alpha * kappa or (len(k) == 0 and kappa > 0)


# What is added to the kernel values of rows with themselves, relative to them, if alpha is below
# 1e-5: see src/dictionary.rs.
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
        return K * (1 + self.nugget * np.equal.outer(rows, others))

    def phi(self, t):
        return _features(self.root, self.kernel_matrix(self.S, [t])[:, 0])

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
        self.root = _root(self.kernel_matrix(S, S))
        self.S[:] = S
        return _change(self.root, between, before)

    def span_without(self, j):
        """Orthonormal columns that span the features of all rows but row j."""
        features = _features(self.root, self.kernel_matrix(self.S, self.S))
        return qr(np.delete(features, j, axis=1))[0]


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


def _clipped(prediction, y_before):
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
        run.predictions[t] = _clipped(yhat, Y[:t]) if clip else yhat
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
        squares.move(_change(merged.root, between, dictionary.root))
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


def kogd(X, y, kernel: Kernel, *, bound) -> Run:
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
        derivative = 2 * (run.predictions[t] - y[t])
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


def _newton(v, H, K, solve_gram, mu):
    """(mu I + H H^T)^{-1} v = (v - H (H^T H + mu I)^{-1} H^T v) / mu.

    Columns of H and v are coefficients of functions over the rows whose kernel matrix is K.
    """
    return (v - H @ solve_gram(H.T @ _function_values(K, v))) / mu


def kons(X, y, kernel: Kernel, *, mu, eta=None, bound=None, alpha=None) -> Run:
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
            step = _newton(phi, H[now, :t], K[now, now], gram.solve, mu)
            f[now] -= m * step / (phi @ K[now, now] @ step)
            run.predictions[t] = f[now] @ K[now, t]
        if alpha is not None and _novel(K[S, t], K[t, t], K_inverse, alpha):
            S.append(t)
            K_inverse = inv(K[np.ix_(S, S)])
            phi = np.append(np.zeros(t), 1.0)
        gradient = 2 * (run.predictions[t] - y[t]) * phi
        H[now, t] = np.sqrt(eta) * gradient
        column = H[now, now].T @ _function_values(K[now, now], H[now, t])
        column[t] += mu
        gram.append(column)
        f[now] -= _newton(gradient, H[now, now], K[now, now], gram.solve, mu)
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


def fogd(X, y, *, frequencies, eta) -> Run:
    """FOGD of Lu et al., 2016: gradient descent on random Fourier features."""
    run = Run(np.zeros(len(X)))
    D = len(frequencies)
    w = np.zeros(2 * D)
    for t, x in enumerate(X):
        angles = frequencies @ x
        phi = np.append(np.cos(angles), np.sin(angles)) / np.sqrt(D)
        run.predictions[t] = w @ phi
        w = w - eta * 2 * (run.predictions[t] - y[t]) * phi
    return run


def nogd(X, y, kernel: Kernel, *, budget, rank=None, eta, carry_over=True) -> Run:
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
            a = np.append(a, -eta * 2 * (run.predictions[t] - y[t]))
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
        w = w - eta * 2 * (run.predictions[t] - y[t]) * phi
    return run


class _Kors:
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
        return _root(self.kernel(self.X[self.members], self.X[self.members]))


def _nystrom_kons(
    X, y, kernel, restart, *, mu, gamma, beta, epsilon, bound, eta=None, uniforms
) -> Run:
    C = bound
    eta = 1 / (16 * C**2) if eta is None else eta
    T = len(X)
    kors = _Kors(X, kernel, gamma, beta, epsilon)
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
            Q = _change(root, kernel(X[S], X[S_before]), before)
            if restart:
                A = mu * np.eye(len(root))
                w = np.zeros(len(root))
            else:
                A = mu * np.eye(len(root)) + Q @ (A - mu * np.eye(len(A))) @ Q.T
                w = Q @ w_predicting
        phi = _features(root, kernel(X[S], x)[:, 0])
        if not changed and abs(w @ phi) > C:
            m = np.sign(w @ phi) * (abs(w @ phi) - C)
            step = solve(A, phi)
            w = w - m * step / (phi @ step)
        run.predictions[t] = w @ phi
        w_predicting = w
        gradient = 2 * (run.predictions[t] - y[t]) * phi
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
    return _newton(v, H, K, lambda b: solve(gram, b), mu)


def pkawv(X, y, kernel: Kernel, *, ridge, kors_mu, beta, epsilon, uniforms) -> Run:
    """PKAWV of Jézéquel, Gaillard and Rudi, 2019: the forward prediction in the span of KORS."""
    T = len(X)
    kors = _Kors(X, kernel, kors_mu, beta, epsilon)
    run = Run(np.zeros(T), kors.kept, q=np.zeros(T))
    root = np.zeros((0, 0))
    squares = Squares(0, 1, ridge)
    for t, x in enumerate(X[:, None]):
        if kors.offer(t, uniforms[t]):
            root = kors.root()
            Phi = _features(root, kernel(X[kors.members], X[:t])).T
            squares.size, squares.rows = len(root), np.column_stack([Phi, y[:t]])
        phi = _features(root, kernel(X[kors.members], x)[:, 0])
        (run.predictions[t],), run.q[t] = squares.look(phi, forward=True)
        squares.learn(phi, y[t])
    return run


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
        run.predictions[t] = _clipped(yhat, Y[:t]) if clip else yhat
        squares.learn(phi, Y[t], weights[t])
    run.predictions = run.predictions.reshape(y.shape)
    return run
