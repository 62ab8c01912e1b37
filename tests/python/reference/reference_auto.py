"""Auto, slow and literal, made of the literal least squares and dictionaries.

Every expert has sums of its own over all rows, in coordinates of its dictionary that are computed
anew whenever a row joins or leaves it. Nothing here is shared with the product.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.linalg import norm, solve
from reference import Dictionary, Run, Squares, cheapest, gaussian

# Widths in median distances, each with a ridge for a long memory and one for a short one.
KERNELS = [
    (0.5, 1e-1, 1.0),
    (1.0, 1e-2, 1e-1),
    (2.0, 1e-3, 1e-1),
    (4.0, 1e-4, 1e-2),
    (8.0, 1e-5, 1e-3),
]
FINER, MOST_FINER = 0.25, 3
QUICK_WIDTH, QUICK_RIDGE, QUICK_PART = 1.0, 3e-2, 4
LINEAR = [100.0, 10.0, 10.0]  # two with a long memory, then one with a short one
ALPHA = 1e-6
FIRST = 8
SAME = 1e-12  # scales: rows that are nearer count as the same


@dataclass
class AutoRun(Run):
    """What an Auto did, and its experts after the last row."""

    team: Team | None = None
    weights: list = field(default_factory=list)  # those of the experts after each row
    starts: list[int] = field(default_factory=list)  # rows with which experts began anew


# Scales


def location(numbers):
    """The median, and the scale for which the outer tenths are those of a normal variable."""
    low, centre, high = np.quantile(numbers, [0.1, 0.5, 0.9])
    scale = (high - low) / 2.563103131089201
    return centre, scale if scale > 0 else np.sqrt(np.mean((numbers - centre) ** 2))


class Scaling:
    """Centre and scale of each feature."""

    def __init__(self, X):
        self.centres, self.scales = np.array([location(column) for column in X.T]).T

    def notice(self, x):
        """A feature that varies for the first time gets its scale."""
        away = np.abs(x - self.centres)
        varies = (self.scales == 0) & (away > 1e-6 * np.abs(self.centres))
        self.scales = np.where(varies, away, self.scales)

    def scaled(self, x):
        scales = np.where(self.scales == 0, np.inf, self.scales)  # once noticed, only at the centre
        return np.clip((x - self.centres) / scales, -1e6, 1e6)


def compress(z):
    """From three scales on, features grow like logarithms."""
    far = np.maximum(np.abs(z) / 3, 1)
    return np.where(far > 1, np.sign(z) * 3 * (1 + np.log(far)), z)


def median_distance(Z):
    """The larger of two medians, if there are two; of rows that differ, if most do not.

    Of more than 512 rows every second, third or so counts.
    """
    Z = Z[:: -(-len(Z) // 512)]
    distances = np.sort([norm(a - b) for i, a in enumerate(Z) for b in Z[:i]])
    apart = distances[distances >= SAME]
    if len(apart) == 0:
        return 1.0
    some = distances if len(distances) - len(apart) < len(distances) // 2 else apart
    return max(some[len(some) // 2], apart[0])


def limits(y):
    """Where predictions may be: an end that one label alone has reached is as far off again."""
    if len(y) == 0:
        return -np.inf, np.inf
    low, high = y.min(), y.max()
    at_low, at_high = (y == low).sum(), (y == high).sum()
    return low - (at_low == 1) * (high - low), high + (at_high == 1) * (high - low)


# Experts


class Pace:
    """When a row may take the place of another: seldom, but soon where the stream has moved."""

    def __init__(self):
        self.rows = self.waited = self.count = self.credit = self.overdue = 0
        self.lately = self.in_the_long_run = 0.0

    def note(self, distance, size):
        """A row comes that is so far from the span of a full dictionary."""
        self.waited += 1
        self.count = min(self.count + 1, 2048)
        self.lately += (distance - self.lately) / min(self.count, 64)
        self.in_the_long_run += (distance - self.in_the_long_run) / self.count
        now, usual = self.lately, self.in_the_long_run
        if now > max(0.03, 2 * usual) or 1 - now**2 < (1 - usual**2) / 2:
            self.credit = size

    def is_due(self):
        if self.credit > 0:
            return self.waited >= 4
        patience = 32 if self.overdue > 0 else 128
        return self.waited >= patience and (self.rows - 1) % 32 == 0  # the first of 32

    def restart(self):
        self.waited, self.credit = 0, max(self.credit - 1, 0)
        self.overdue = max(self.overdue - 1, 0)


class Watch:
    """Whether a short memory does better than even the best of some long ones."""

    def __init__(self, n_long):
        self.losses, self.gains, self.squares = np.zeros((3, n_long))

    def note(self, long, short):
        self.losses = 0.997 * self.losses + long
        self.gains = 0.997 * self.gains + (long - short)
        self.squares = 0.997 * self.squares + (long - short) ** 2

    def has_changed(self):
        best = np.argmin(self.losses)
        gain = self.gains[best]
        return gain > 0.05 * self.losses[best] and gain > 3 * np.sqrt(self.squares[best])


class Group:
    """Experts of several ridges and memories on the same features."""

    width = None

    def __init__(self, memories, n_targets, size):
        self.memories = memories
        self.experts = [Squares(size, n_targets, *memory) for memory in memories]
        self.n_long = sum(forgetting == 1 for _, forgetting in memories)
        self.is_watched = 0 < self.n_long < len(memories)
        self.watch = Watch(self.n_long)
        self.rounds = self.take_overs = 0

    def learn(self, t, y, weight):
        """One round: what each expert says of row t, and phi.P phi."""
        self.offer(t)
        phi = self.phi(t)
        said = [expert.look(phi) for expert in self.experts]
        self.make_room(t)
        phi = self.phi(t)
        for expert in self.experts:
            expert.learn(phi, y, weight)
        self.rounds += 1
        if self.is_watched:
            self.look(np.array([((yhat - y) ** 2).sum() for yhat, _ in said]))
        return said

    def look(self, losses):
        """Looks, after every 64 rows, whether a short memory has done clearly better."""
        self.watch.note(losses[: self.n_long], losses[-1])
        if self.rounds % 64 == 0 and self.watch.has_changed():
            self.watch = Watch(self.n_long)
            self.take_overs += 1
            for expert in self.experts[: self.n_long]:
                expert.rows = self.experts[-1].rows.copy()
            self.hasten()

    def hasten(self):
        """There is no dictionary whose rows should be looked at."""


class Linear(Group):
    """Experts on a constant and the features in scales."""

    def __init__(self, Z, memories, n_targets):
        super().__init__(memories, n_targets, Z.shape[1] + 1)
        self.Z = Z

    def phi(self, t):
        return np.append(1.0, self.Z[t])

    def offer(self, t):
        """There is no dictionary that the row could join."""

    def make_room(self, t):
        """Nor one to make room in."""


def dictionary_of(Z, width, max_basis):
    return Dictionary(Z, lambda X, Y: gaussian(X, Y, width), ALPHA, max_basis)


class Gaussians(Group):
    """Experts on the features of a dictionary of compressed rows."""

    def __init__(self, Z, width, memories, cap, n_targets):
        super().__init__(memories, n_targets, 0)
        max_basis, self.policy = cap
        self.width, self.dictionary = width, dictionary_of(Z, width, max_basis)
        self.pace = Pace()
        self.replaced = self.replaced_fast = 0

    def phi(self, t):
        return self.dictionary.phi(t)

    def offer(self, t):
        """The row joins while there is room; then it may have to take the place of another."""
        self.pace.rows += 1
        novel, full = self.dictionary.is_novel(t), self.dictionary.is_full()
        if novel and not full:
            self.move(self.dictionary.append(t))
        if full:
            self.pace.note(np.sqrt(self.dictionary.distance(t)), len(self.dictionary.S))
        self.is_replacing = novel and full and self.policy == "replace" and self.pace.is_due()

    def hasten(self):
        """What is predicted has changed: rows take the place of others sooner than usual."""
        self.pace.overdue = len(self.dictionary.S)

    def make_room(self, t):
        """The row goes that the long memory needs least.

        Where the stream has moved the short one is asked, for which rows of before are of no use.
        """
        if self.is_replacing:
            is_fast = self.pace.credit > 0
            judge = self.experts[-1 if is_fast else 0]
            self.move(self.dictionary.remove(cheapest(self.dictionary, judge)))
            self.move(self.dictionary.append(t))
            self.pace.restart()
            self.replaced += 1
            self.replaced_fast += is_fast

    def move(self, Q):
        for expert in self.experts:
            expert.move(Q)


def finer_widths(Z, distance, max_basis):
    """A finer one while the dictionary of the narrowest kernel is not half full with these rows."""
    widths = [KERNELS[0][0]]
    for _ in range(MOST_FINER):
        dictionary = dictionary_of(Z, widths[-1] * distance, max_basis)
        for t in range(len(Z)):
            if dictionary.is_novel(t) and not dictionary.is_full():
                dictionary.append(t)
        if 2 * len(dictionary.S) >= min(max_basis, len(Z)):
            break
        widths.append(FINER * widths[-1])
    return widths[1:]


class Mean:
    """The mean of the labels, of which old ones count less and less."""

    def __init__(self, n_targets, forgetting):
        self.forgetting, self.mean, self.count = forgetting, np.zeros(n_targets), 0.0

    def learn(self, y, weight):
        """What it says of the next row, and phi.P phi of one that is always 1."""
        said = self.mean, 1 / max(self.count, 1.0)
        self.count = self.forgetting * self.count + weight
        self.mean = self.mean + (y - self.mean) * weight / self.count
        return said


# One prediction of many


class Combiner:
    """The weighted mean of the experts, and a step of least squares away from it."""

    def __init__(self, n_experts, forgetting):
        self.forgetting = forgetting
        self.losses, self.count = np.zeros(n_experts), 0.0
        self.squares = Squares(n_experts, 1, 300.0, forgetting)

    def noise(self):
        return max(self.losses.min() / self.count, 1e-100) if self.count else 1.0

    def shares(self):
        shares = np.exp((self.losses.min() - self.losses) / (2 * 16 * self.noise()))
        return shares / shares.sum()

    def weights(self):
        w = solve(*self.squares.triangle())[:, 0]
        return (1 - w.sum()) * self.shares() + w

    def learn(self, experts, y, weight):
        mean = self.shares() @ experts
        yhat = mean + self.squares.look(experts - mean)[0][0]
        noise = self.noise() + 0.03 * (y - yhat) ** 2
        self.squares.learn(experts - mean, y - mean, weight / noise)
        self.losses = self.forgetting * self.losses + weight * (experts - y) ** 2
        self.count = self.forgetting * self.count + weight
        return yhat


class Team:
    """The experts for rows like these, and what becomes of their predictions."""

    def __init__(self, X, Y, T, cap, forgetting):
        self.forgetting = forgetting
        self.scaling = Scaling(X)
        self.centre, scale = np.array([location(column) for column in Y.T]).T
        self.scale = np.where(scale > 0, scale, 1.0)
        self.Z, self.compressed = np.zeros((2, T, X.shape[1]))  # of all rows to come
        self.groups = list(self.make_groups(compress(self.scaling.scaled(X)), cap, Y.shape[1]))
        memories = [forgetting, self.memory(100)] if forgetting < 1 else [1.0]
        self.means = [Mean(Y.shape[1], memory) for memory in memories]
        self.combiners = [Combiner(len(self.kinds()), forgetting) for _ in Y.T]

    def memory(self, times):
        """The forgetting of experts that forget so many times as fast as they are compared."""
        return max(1 - times * (1 - self.forgetting), 0.5)

    def make_groups(self, Z, cap, n_targets):
        short, quick = self.memory(2), self.memory(16)
        m, max_basis = median_distance(Z), cap[0]
        finer = [(width, *KERNELS[0][1:]) for width in finer_widths(Z, m, max_basis)]
        for width, ridge, larger in finer + KERNELS:
            memories = [(ridge, 1.0), (larger, short)]
            yield Gaussians(self.compressed, width * m, memories, cap, n_targets)
        if quick < 1:
            memories, part = [(QUICK_RIDGE, quick)], (-(-max_basis // QUICK_PART), cap[1])
            yield Gaussians(self.compressed, QUICK_WIDTH * m, memories, part, n_targets)
        yield Linear(self.Z, list(zip(LINEAR, [1.0, 1.0, short], strict=True)), n_targets)

    def learn(self, t, x, y, weight):
        """One round: the predictions for row t, and how little is known about it."""
        self.scaling.notice(x)
        self.Z[t] = self.scaling.scaled(x)
        self.compressed[t] = compress(self.Z[t])
        y = np.clip((y - self.centre) / self.scale, -1e50, 1e50)
        said = list(chain.from_iterable(group.learn(t, y, weight) for group in self.groups))
        said.extend(mean.learn(y, weight) for mean in self.means)
        predictions, q = np.array([yhat for yhat, _ in said]), np.array([q for _, q in said])
        uncertainty = np.mean([combiner.shares() @ q for combiner in self.combiners])
        each = zip(self.combiners, predictions.T, y, strict=True)
        combined = np.array([combiner.learn(said, y, weight) for combiner, said, y in each])
        return self.centre + self.scale * combined, uncertainty

    def kinds(self):
        """Width, ridge and forgetting of each expert; the last are the means."""
        own = [(group.width, *memory) for group in self.groups for memory in group.memories]
        return own + [(None, None, mean.forgetting) for mean in self.means]

    def weights(self):
        """Those of the experts, a column for each target."""
        return np.array([combiner.weights() for combiner in self.combiners]).T

    def losses(self):
        """Mean squared errors of the experts lately, a column for each target."""
        means = [combiner.losses / max(combiner.count, 1.0) for combiner in self.combiners]
        return np.array(means).T * self.scale**2


def auto(
    X, y, *, warm_up=300, max_basis=150, policy="replace", forgetting=0.999, weights=None
) -> AutoRun:
    """Experts on scaled features, combined; with y of shape (n, k) for k targets."""
    T, Y = len(X), y.reshape(len(X), -1)
    weights = np.ones(T) if weights is None else weights
    run = AutoRun(np.zeros(Y.shape), q=np.zeros(T))
    starts = {warm_up, *(FIRST * 2**i for i in range(64) if FIRST * 2**i < warm_up)}
    team = None
    for t in range(T):
        if team is None:
            before = weights[:t].sum()
            run.q[t] = 1 / max(before, 0.1)
            yhat = weights[:t] @ Y[:t] / before if t else np.zeros(Y.shape[1])
        else:
            yhat, run.q[t] = team.learn(t, X[t], Y[t], weights[t])
        run.predictions[t] = np.clip(yhat, *np.transpose([limits(past) for past in Y[:t].T]))
        now = t + 1
        if now in starts:
            run.starts.append(now)
            team = Team(X[:now], Y[:now], T, (max_basis, policy), forgetting)
            for s in range(now):
                team.learn(s, X[s], Y[s], weights[s])
        run.weights.append(team.weights() if team else None)
    run.team, run.predictions = team, run.predictions.reshape(y.shape)
    return run
