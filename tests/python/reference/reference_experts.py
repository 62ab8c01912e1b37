"""The experts of Auto, slow and literal, made of the literal least squares and dictionaries.

Every expert has sums of its own over all rows, in coordinates of its dictionary that are computed
anew whenever a row joins or leaves it. Nothing here is shared with the product.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm
from reference import Dictionary, Squares, cheapest, gaussian

ALPHA = 1e-6
SAME = 1e-12  # scales: rows that are nearer count as the same


# Scales


def location(numbers):
    """The median, and the scale for which the outer tenths are those of a normal variable."""
    low, centre, high = np.quantile(numbers, [0.1, 0.5, 0.9])
    scale = (high - low) / 2.563103131089201
    return centre, scale if scale > 0 else np.sqrt(np.mean((numbers - centre) ** 2))


class Scaling:
    """Centre and scale of each feature."""

    def __init__(self, X):
        locations = np.array([location(column) for column in X.T])
        self.centres, self.scales = locations.reshape(-1, 2).T

    def notice(self, x):
        """A feature that varies for the first time gets its scale; returns which."""
        away = np.abs(x - self.centres)
        varies = (self.scales == 0) & (away > 1e-6 * np.abs(self.centres))
        self.scales = np.where(varies, away, self.scales)
        return np.flatnonzero(varies).tolist()

    def farthest_move(self, X):
        """The feature whose median in some rows has moved most, and how far in scales."""
        varying = np.flatnonzero(self.scales > 0)
        if len(varying) == 0:
            return None, 0.0
        moves = (np.abs(np.median(X, axis=0) - self.centres)[varying]) / self.scales[varying]
        return varying[len(varying) - 1 - moves[::-1].argmax()], moves.max()

    def scaled(self, x):
        scales = np.where(self.scales == 0, np.inf, self.scales)  # once noticed, only at the centre
        return np.clip((x - self.centres) / scales, -1e6, 1e6)


def compress(z):
    """From three scales on, features grow like logarithms."""
    far = np.maximum(np.abs(z) / 3, 1)
    return np.where(far > 1, np.sign(z) * 3 * (1 + np.log(far)), z)


def median_distance(Z, order=2):
    """The larger of two medians, if there are two; of rows that differ, if most do not.

    Of more than 256 rows every second, third or so counts. The distance is that of the 2-norm, or
    of the 1-norm.
    """
    Z = Z[:: -(-len(Z) // 256)]
    distances = np.sort([d for i, a in enumerate(Z) for d in norm(a - Z[:i], order, axis=1)])
    apart = distances[distances >= SAME]
    if len(apart) == 0:
        return 1.0
    some = distances if len(distances) - len(apart) < len(distances) // 2 else apart
    return max(some[len(some) // 2], apart[0])


def limits(y):
    """Where predictions may be: beyond an end that one label alone has reached, but not far."""
    if len(y) == 0:
        return -np.inf, np.inf
    low, high = y.min(), y.max()
    at_low, at_high = (y == low).sum(), (y == high).sum()
    beyond = (high - low) * np.clip(len(y) / 1000, 0.25, 1)
    return low - (at_low == 1) * beyond, high + (at_high == 1) * beyond


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


UNKNOWN = "what experts said that are no more"


class Group:
    """Experts of several ridges and memories on the same features."""

    width = None
    is_asleep = False

    def __init__(self, family, memories, n_targets, size):
        self.family, self.memories, self.n_targets = family, memories, n_targets
        self.experts = [Squares(size, n_targets, *memory) for memory in memories]
        self.n_long = sum(forgetting == 1 for _, forgetting in memories)
        self.is_watched = 0 < self.n_long < len(memories)
        self.watch = Watch(self.n_long)
        self.rounds = self.take_overs = 0

    def ask(self, t):
        """What each expert says of row t, which is not learned; nothing while they sleep."""
        if self.is_asleep:
            return [(np.zeros(self.n_targets), 0.0) for _ in self.experts]
        self.place(t)
        phi = self.phi(t)
        return [expert.look(phi) for expert in self.experts]

    def place(self, t):
        """Nothing has to be known of a row before it is looked at."""

    def learn(self, t, y, weight, asked=None):
        """One round: what each expert says of row t, and phi.P phi; nothing while they sleep.

        The experts are judged by what they said when they were asked, if they were.
        """
        if self.is_asleep:
            return [(np.zeros(self.n_targets), 0.0) for _ in self.experts]
        self.offer(t)
        phi = self.phi(t)
        said = asked or [expert.look(phi) for expert in self.experts]
        self.make_room(t)
        phi = self.phi(t)
        for expert in self.experts:
            expert.learn(phi, y, weight)
        self.rounds += 1
        if self.is_watched:
            self.look(said, y)
        return said

    def look(self, said, y):
        """Looks, after every 64 rows, whether a short memory has done clearly better."""
        if said != UNKNOWN:
            losses = np.array([((yhat - y) ** 2).sum() for yhat, _ in said])
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

    def __init__(self, family, Z, memories, n_targets):
        super().__init__(family, memories, n_targets, Z.shape[1] + 1)
        self.Z = Z

    def phi(self, t):
        return np.append(1.0, self.Z[t])

    def offer(self, t):
        """There is no dictionary that the row could join."""

    def make_room(self, t):
        """Nor one to make room in."""


def dictionary_of(Z, width, max_basis, kernel=gaussian, some=()):
    """A dictionary of rows of Z: the first of some of them, as many as ALD takes."""
    dictionary = Dictionary(Z, lambda X, Y: kernel(X, Y, width), ALPHA, max_basis)
    for t in some:
        if not dictionary.is_full() and dictionary.is_novel(t):
            dictionary.append(t)
    return dictionary


class OnDictionary(Group):
    """Experts on the features of a dictionary of compressed rows."""

    def __init__(self, family, width, dictionary, memories, policy, n_targets):
        super().__init__(family, memories, n_targets, len(dictionary.S))
        self.width, self.dictionary, self.policy = width, dictionary, policy
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


class Means:
    """Means of the labels, of which old ones count less and less; or only the last one counts."""

    family, width = "mean", None

    def __init__(self, memories, n_targets):
        self.memories = [(None, forgetting) for forgetting in memories]
        self.means, self.counts = np.zeros((len(memories), n_targets)), np.zeros(len(memories))

    def ask(self, t):
        """What each says of the next row, and phi.P phi of one that is always 1."""
        return list(zip(self.means, 1 / np.maximum(self.counts, 1.0), strict=True))

    def learn(self, t, y, weight, asked=None):
        """One round: what each says of the next row."""
        said = asked or self.ask(t)
        self.counts = [f * count for (_, f), count in zip(self.memories, self.counts, strict=True)]
        self.counts = np.array(self.counts) + weight
        self.means = self.means + (y - self.means) * (weight / self.counts)[:, None]
        return said
