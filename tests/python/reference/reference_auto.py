"""Auto, slow and literal: experts, and the combination of what they say.

Nothing here is shared with the product.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.linalg import solve
from reference import Run, Squares
from reference_adaptive import Adaptive, Data
from reference_experts import (
    UNKNOWN,
    Linear,
    Means,
    OnDictionary,
    Scaling,
    compress,
    dictionary_of,
    limits,
    location,
    median_distance,
)

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
FIRST, FEWEST = 4, 64  # rows with which there are experts, and with which some are made anew
PAST_HELPS = 0.97  # the part of the loss without it that is left with it
AWAKE, SLEEP_AFTER = 3, 4  # groups with kernels, so many warm-ups after a change
MUCH_WORSE = 1.1  # trees than others, so that they sleep
CHECK_EVERY, PATIENCE = 256, 8  # rows, and the part of those since a change: how seldom it is asked
MOVED = 8.0  # scales from its centre that the median of a feature is
ALL_CHANGED = 0.5  # the part of the error that is left, below which nothing before is of use


@dataclass
class AutoRun(Run):
    """What an Auto did, and its experts after the last row."""

    team: Team | None = None
    weights: list = field(default_factory=list)  # those of the experts after each row
    starts: list[int] = field(default_factory=list)  # rows with which experts began anew
    gains: list = field(default_factory=list)  # of forgetting, and after which row


@dataclass
class Settings:
    """Those of an Auto."""

    warm_up: int = 300
    max_basis: int = 150
    policy: str = "replace"
    forgetting: float = 0.999
    use_past: bool = True


# One prediction of many


class Combiner:
    """The weighted mean of the experts, and a step of least squares away from it.

    Experts that are asleep have an infinite loss.
    """

    def __init__(self, n_experts, forgetting):
        self.forgetting = forgetting
        self.losses, self.count = np.zeros(n_experts), 0.0
        self.squares = Squares(n_experts, 1, 300.0, forgetting)

    def noise(self):
        return max(self.losses.min() / self.count, 1e-100) if self.count else 1.0

    def shares(self):
        temperature = np.clip(self.count / 20, 4, 16)
        shares = np.exp((self.losses.min() - self.losses) / (2 * temperature * self.noise()))
        return shares / shares.sum()

    def weights(self):
        w = np.where(self.losses < np.inf, solve(*self.squares.triangle())[:, 0], 0.0)
        return (1 - w.sum()) * self.shares() + w

    def look(self, experts):
        """The mean of the experts, and how each differs from it, if it is awake."""
        mean = self.shares() @ experts
        return mean, np.where(self.losses < np.inf, experts - mean, 0.0)

    def combined(self, experts):
        mean, differences = self.look(experts)
        return mean + self.squares.look(differences)[0][0]

    def learn(self, experts, y, weight):
        mean, differences = self.look(experts)
        yhat = self.combined(experts)
        noise = self.noise() + 0.03 * (y - yhat) ** 2
        self.squares.learn(differences, y - mean, weight / noise)
        self.losses = self.forgetting * self.losses + weight * (experts - y) ** 2
        self.count = self.forgetting * self.count + weight
        return yhat


class Correction:
    """What least squares tell of the next error by the last errors and labels of a target."""

    def __init__(self, forgetting):
        self.squares = Squares(7, 1, 300.0, forgetting)
        self.errors, self.labels, self.weights = [], [], []
        self.losses, self.count = np.zeros(2), 0.0

    def mean(self, factor):
        """The mean of the errors, which count so much less with each row."""
        if not self.errors:
            return 0.0
        ages = np.arange(len(self.errors))[::-1]
        return np.average(self.errors, weights=factor**ages * np.array(self.weights))

    def propose(self, yhat):
        """The prediction, the step that should correct it, and the features it is told by."""
        errors = [0.0, 0.0, 0.0, *self.errors][:-4:-1]
        labels = [*self.labels[:1] * 3, *self.labels]
        differences = np.diff(labels)[:-3:-1] if labels else [0.0, 0.0]
        features = np.array([*errors, self.mean(0.8), self.mean(0.97), *differences])
        return yhat, self.squares.look(features)[0][0], features

    def corrected(self, proposal):
        yhat, step, _ = proposal
        return yhat + step if self.losses[1] < 0.95 * self.losses[0] else yhat

    def learn(self, proposal, y, weight):
        yhat, step, features = proposal
        noise = max(self.losses[0] / self.count, 1e-100) if self.count else 1.0
        noise += 0.03 * (y - yhat - step) ** 2
        self.squares.learn(features, y - yhat, weight / noise)
        squares = np.array([y - yhat, y - yhat - step]) ** 2
        self.losses = 0.995 * self.losses + weight * squares
        self.count = 0.995 * self.count + weight
        self.errors.append(y - yhat)
        self.labels.append(y)
        self.weights.append(weight)


def finer_widths(Z, distance, max_basis):
    """A finer one while the dictionary of the narrowest kernel is not half full with these rows."""
    widths = [KERNELS[0][0]]
    for _ in range(MOST_FINER):
        width = widths[-1] * distance
        dictionary = dictionary_of(Z, width, max_basis, some=range(len(Z)))
        if 2 * len(dictionary.S) >= min(max_basis, len(Z)):
            break
        widths.append(FINER * widths[-1])
    return widths[1:]


class Team:
    """The experts for rows like these, and what becomes of their predictions."""

    def __init__(self, X, Y, T, settings):
        """For rows like X and labels like Y; T rows at most are to come."""
        self.T, self.settings = T, settings
        self.forgetting, self.warm_up = settings.forgetting, settings.warm_up
        self.scaling = Scaling(X)
        self.centre, scale = np.array([location(column) for column in Y.T]).T
        self.scale = np.where(scale > 0, scale, 1.0)
        self.Z, self.compressed = np.zeros((2, T, X.shape[1]))  # of all rows to come
        Z, self.n_targets = compress(self.scaling.scaled(X)), Y.shape[1]
        cap = settings.max_basis, settings.policy
        self.fixed = [*self.kernels(Z, cap), *self.others()]
        data = Data(X, self.in_scales(Y), T, self.scaling, settings.use_past)
        memories = self.forgetting, self.memory(2)
        self.adaptive = Adaptive(data, Z, self.in_scales(Y), cap, memories)
        self.combiners = [Combiner(len(self.kinds()), self.forgetting) for _ in Y.T]
        self.corrections = [Correction(self.forgetting) for _ in Y.T if settings.use_past]
        self.n_rows = self.rounds = 0  # of this team, and of the stream
        self.changed_at = self.checked_at = self.take_overs = 0
        self.renewed_next = 2 * self.warm_up
        self.events = []  # row, kind, size and feature

    def memory(self, times):
        """The forgetting of experts that forget so many times as fast as they are compared."""
        return max(1 - times * (1 - self.forgetting), 0.5)

    def in_scales(self, y):
        return np.clip((y - self.centre) / self.scale, -1e50, 1e50)

    def kernels(self, Z, cap):
        short, quick = self.memory(2), self.memory(16)
        m, max_basis = median_distance(Z), cap[0]
        finer = [(width, *KERNELS[0][1:]) for width in finer_widths(Z, m, max_basis)]
        for width, ridge, larger in finer + KERNELS:
            yield self.gaussians(width * m, [(ridge, 1.0), (larger, short)], cap)
        if quick < 1:
            part = -(-max_basis // QUICK_PART), cap[1]
            yield self.gaussians(QUICK_WIDTH * m, [(QUICK_RIDGE, quick)], part)

    def gaussians(self, width, memories, cap):
        max_basis, policy = cap
        dictionary = dictionary_of(self.compressed, width, max_basis)
        return OnDictionary("kernel", width, dictionary, memories, policy, self.n_targets)

    def others(self):
        """The linear experts; the mean, that of the last labels, and the last label alone."""
        memories = list(zip(LINEAR, [1.0, 1.0, self.memory(2)], strict=True))
        means = [self.forgetting, self.memory(100)] if self.forgetting < 1 else [1.0]
        yield Linear("linear", self.Z, memories, self.n_targets)
        yield Means(means + [0.0] * self.settings.use_past, self.n_targets)

    @property
    def groups(self):
        """All experts, in the order in which they are combined."""
        return [*self.fixed, *self.adaptive.groups()]

    def ask(self, x):
        """What is said of a row whose label comes later."""
        t, data = self.n_rows, self.adaptive.data
        self.place(t, x)
        past = data.past(t)
        data.place(t, x, past)
        said = [group.ask(t) for group in self.groups]
        outputs = np.array([yhat for group in said for yhat, _ in group])
        each = zip(self.combiners, outputs.T, strict=True)
        combined = np.array([combiner.combined(experts) for combiner, experts in each])
        proposals = self.propose(combined)
        prediction = self.centre + self.scale * self.corrected(combined, proposals)
        return Asked(self, said, past * self.units + self.centres, prediction, proposals)

    def propose(self, combined):
        """How the combined predictions may be corrected."""
        return [c.propose(yhat) for c, yhat in zip(self.corrections, combined, strict=False)]

    def corrected(self, combined, proposals):
        each = zip(self.corrections, proposals, strict=True)
        corrected = [correction.corrected(proposal) for correction, proposal in each]
        return np.array(corrected) if corrected else combined

    @property
    def units(self):
        """The unit of each feature of the past."""
        return np.repeat(self.scale, 5)[: self.adaptive.data.n_past]

    @property
    def centres(self):
        """The centre of each feature of the past: labels have one, differences have none."""
        centres = np.outer(self.centre, [1, 0, 0, 0, 0]).ravel()
        return centres[: self.adaptive.data.n_past]

    def place(self, t, x):
        self.Z[t] = self.scaling.scaled(x)
        self.compressed[t] = compress(self.Z[t])

    def learn_late(self, x, y, weight, asked):
        """Learns a row that was asked for, perhaps when there was another team."""
        t, y = self.n_rows, self.in_scales(y)
        for feature in self.scaling.notice(x):
            scale = self.scaling.scales[feature]
            self.events.append((self.rounds + 1, "feature", scale, feature))
        self.place(t, x)
        n_past = self.adaptive.data.n_past
        past = (asked.past - self.centres) / self.units if asked.team else np.zeros(n_past)
        self.adaptive.data.add(t, x, y, weight, past)
        is_own = asked.team is self
        said = asked.said if is_own else [UNKNOWN] * len(self.groups)
        for group, own in zip(self.groups, said, strict=True):
            group.learn(t, y, weight, own)
        if is_own:
            outputs = np.array([yhat for group in said for yhat, _ in group])
            for combiner, experts, label in zip(self.combiners, outputs.T, y, strict=True):
                combiner.learn(experts, label, weight)
            self.learn_corrections(asked.proposals, y, weight)
        self.n_rows, self.rounds = t + 1, self.rounds + 1

    def learn(self, x, y, weight):
        """One round: the predictions for a row, and how little is known about it."""
        t = self.n_rows
        for feature in self.scaling.notice(x):
            scale = self.scaling.scales[feature]
            self.events.append((self.rounds + 1, "feature", scale, feature))
        self.place(t, x)
        y = self.in_scales(y)
        self.adaptive.data.add(t, x, y, weight)
        said = [pair for group in self.groups for pair in group.learn(t, y, weight)]
        predictions, q = np.array([yhat for yhat, _ in said]), np.array([q for _, q in said])
        uncertainty = np.mean([combiner.shares() @ q for combiner in self.combiners])
        each = zip(self.combiners, predictions.T, y, strict=True)
        combined = np.array([combiner.learn(said, y, weight) for combiner, said, y in each])
        proposals = self.propose(combined)
        corrected = self.corrected(combined, proposals)
        self.learn_corrections(proposals, y, weight)
        self.n_rows, self.rounds = t + 1, self.rounds + 1
        return self.centre + self.scale * corrected, uncertainty

    def learn_corrections(self, proposals, y, weight):
        for correction, proposal, label in zip(self.corrections, proposals, y, strict=False):
            correction.learn(proposal, label, weight)

    def follow(self, gain):
        """Makes adaptive experts anew if it is time, or if it is better to forget; after a row."""
        if gain < 1:
            self.events.append((self.rounds, "forgetting", 1 - gain, None))
            self.changed_at = self.rounds - self.warm_up
            self.adaptive.data.forgotten = self.n_rows - self.warm_up
        if gain < 1 or self.rounds >= self.renewed_next:
            self.renewed_next = self.rounds + (self.rounds - self.changed_at)
            self.renew()

    def gain_of_forgetting(self):
        """The part of the error that is left with the last rows only, if it should be asked for.

        That is if some group took over, or features have moved; otherwise it is infinite.
        """
        if self.rounds % CHECK_EVERY != 0:
            return np.inf
        take_overs = sum(getattr(group, "take_overs", 0) for group in self.groups)
        more, self.take_overs = max(take_overs - self.take_overs, 0), take_overs
        if more > 0:
            self.events.append((self.rounds, "take-over", more, None))
        wait = max(2 * self.warm_up, (self.rounds - self.changed_at) // PATIENCE)
        if self.rounds - self.checked_at < wait:
            return np.inf
        last = self.adaptive.data.last(self.n_rows)[-self.warm_up :]
        has_moved = self.scaling.farthest_move(self.adaptive.data.X[last])[1] > MOVED
        if more == 0 and not has_moved:
            return np.inf
        self.checked_at = self.rounds
        return self.adaptive.gain_of_forgetting(self.n_rows, self.warm_up)

    def begun_anew(self, gain):
        """A team that knows the last rows only, with which a part of the error is left."""
        data, last = self.adaptive.data, self.adaptive.data.last(self.n_rows)[-self.warm_up :]
        Y = self.centre + self.scale * data.Y[last]
        rows = data.X[last], Y, data.weights[last]
        team = begin(*rows, self.T, self.settings, self.delay)
        team.rounds = team.checked_at = self.rounds
        team.changed_at = self.rounds - self.warm_up
        team.renewed_next = self.rounds + self.warm_up
        team.events = [*self.events, (self.rounds, "restart", 1 - gain, None)]
        feature, size = self.scaling.farthest_move(data.X[last])
        if feature is not None:
            team.events.append((self.rounds, "rescaling", size, feature))
        return team

    def renew(self):
        """Makes adaptive experts anew."""
        families = np.array([family for family, *_ in self.kinds()])
        with_past, without = (self.least(families == name) for name in ("past", "linear"))
        if self.rounds - self.changed_at >= SLEEP_AFTER * self.warm_up:
            self.send_to_sleep()
        self.adaptive.renew(self.n_rows, with_past < PAST_HELPS * without)

    def least(self, experts):
        """The least mean loss of some experts, summed over the targets."""
        some = [c.losses[experts] / max(c.count, 1.0) for c in self.combiners]
        return sum(losses.min(initial=np.inf) for losses in some)

    def send_to_sleep(self):
        """Of the groups with kernels, and of trees, only the best stay awake."""
        whose = np.repeat(np.arange(len(self.groups)), [len(g.memories) for g in self.groups])
        groups = list(enumerate(self.groups))
        kernels = [i for i, g in groups if g.width and not g.is_asleep]
        trees = [i for i, g in groups if "trees" in g.family and not g.is_asleep]
        worse = sorted(kernels, key=lambda i: self.least(whose == i))[AWAKE:]
        best = min((self.least(whose == i) for i in trees), default=np.inf)
        worse += [i for i in trees if self.least(whose == i) > MUCH_WORSE * best]
        for i in worse:
            self.groups[i].is_asleep = True
            for combiner in self.combiners:
                combiner.losses[whose == i] = np.inf

    def kinds(self):
        """Family, width, ridge and forgetting of each expert."""
        return [(g.family, g.width, *memory) for g in self.groups for memory in g.memories]

    def weights(self):
        """Those of the experts, a column for each target."""
        return np.array([combiner.weights() for combiner in self.combiners]).T

    def losses(self):
        """Mean squared errors of the experts lately, a column for each target."""
        means = [combiner.losses / max(combiner.count, 1.0) for combiner in self.combiners]
        return np.array(means).T * self.scale**2


def begin(X, Y, weights, T, settings, delay=0):
    """A team that has learned some rows; if they are enough, it is renewed half way and at last."""
    team, asked = Team(X, Y, T, settings), []
    team.delay = delay
    for now in range(1, len(X) + 1):
        if delay == 0:
            team.learn(X[now - 1], Y[now - 1], weights[now - 1])
        else:
            asked += [team.ask(x) for x in X[len(asked) : now + delay]]
            team.learn_late(X[now - 1], Y[now - 1], weights[now - 1], asked[now - 1])
        team.follow(team.gain_of_forgetting())
        if len(X) >= FEWEST and now in (len(X) // 2, len(X)):
            team.renew()
    return team


def auto(X, y, weights=None, **params) -> AutoRun:
    """Experts on scaled features, combined; with y of shape (n, k) for k targets."""
    T, Y, settings = len(X), y.reshape(len(X), -1), Settings(**params)
    weights = np.ones(T) if weights is None else weights
    run = AutoRun(np.zeros(Y.shape), q=np.zeros(T))
    starts = {FIRST * 2**i for i in range(64) if 2 * FIRST * 2**i <= settings.warm_up}
    for t in range(T):
        yhat, run.q[t] = next_round(run, X[t], Y[: t + 1], weights[: t + 1])
        run.predictions[t] = np.clip(yhat, *np.transpose([limits(past) for past in Y[:t].T]))
        now = t + 1
        if now in starts | {settings.warm_up}:
            run.starts.append(now)
            run.team = begin(X[:now], Y[:now], weights, T, settings)
        run.weights.append(run.team.weights() if run.team else None)
    run.predictions = run.predictions.reshape(y.shape)
    return run


@dataclass
class Asked:
    """What was known of a row when it was asked for."""

    team: Team | None
    said: list
    past: np.ndarray
    prediction: np.ndarray
    proposals: list = field(default_factory=list)


def auto_late(X, y, delay, **params) -> AutoRun:
    """Auto with labels that are known after so many more rows have been asked for."""
    T, settings, ones = len(X), Settings(**params), np.ones(len(X))
    run, Y, asked = AutoRun(np.zeros((T, 1)), q=np.zeros(T)), y.reshape(T, 1), []
    starts = {FIRST * 2**i for i in range(64) if 2 * FIRST * 2**i <= settings.warm_up}
    for t, x in enumerate(X):
        known = Y[: max(t - delay, 0)]
        mean = known.mean(0) if len(known) else np.zeros(1)
        asked.append(run.team.ask(x) if run.team else Asked(None, [], np.zeros(0), mean))
        run.predictions[t] = np.clip(asked[t].prediction, *limits(known))
        if t >= delay:
            learn_late(run, X, Y, t - delay, asked[t - delay], delay)
            now = t - delay + 1
            if now in starts | {settings.warm_up}:
                run.starts.append(now)
                run.team = begin(X[:now], Y[:now], ones, T, settings, min(delay, now // 2))
    run.predictions = run.predictions[:, 0]
    return run


def learn_late(run, X, Y, t, asked, delay):
    """Learns row t, which was asked for before; the team may begin anew."""
    if run.team is None:
        return
    run.team.delay = delay
    run.team.learn_late(X[t], Y[t], 1.0, asked)
    gain = run.team.gain_of_forgetting()
    if gain < ALL_CHANGED:
        run.starts.append(t + 1)
        run.team = run.team.begun_anew(gain)
    else:
        run.team.follow(gain)


def next_round(run, x, Y, weights):
    """The predictions for a row, which is learned; before there is a team, the mean label."""
    if run.team is None:
        before = weights[:-1].sum()
        mean = weights[:-1] @ Y[:-1] / before if len(Y) > 1 else np.zeros(Y.shape[1])
        return mean, 1 / max(before, 0.1)
    said = run.team.learn(x, Y[-1], weights[-1])
    gain = run.team.gain_of_forgetting()
    if gain < np.inf:
        run.gains.append((len(Y), gain))
    if gain < ALL_CHANGED:
        run.starts.append(len(Y))
        run.team = run.team.begun_anew(gain)
    else:
        run.team.follow(gain)
    return said
