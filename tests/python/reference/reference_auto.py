"""Auto, slow and literal: experts, and the combination of what they say.

Nothing here is shared with the product.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from reference import Run
from reference_adaptive import Adaptive, Data
from reference_combiner import Combiner, Correction
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
FIRST = 4  # rows with which there are experts
FEW, FEWEST = 16, 64  # rows with which some are made anew, by evidence and otherwise
PAST_HELPS = 0.97  # the part of the loss without it that is left with it
AWAKE, SLEEP_AFTER = 3, 4  # groups with kernels, so many warm-ups after a change
MUCH_WORSE = 1.1  # trees than others, so that they sleep
CHECK_EVERY, PATIENCE = 256, 8  # rows, and the part of those since a change: how seldom it is asked
MOVED = 8.0  # scales from its centre that the median of a feature is
TWIN_FIRST, TWIN_PATIENCE = 3, 2  # warm-ups without one, and how seldom there is one
ALL_CHANGED = 0.5  # the part of the error that is left, below which nothing before is of use


@dataclass
class AutoRun(Run):
    """What an Auto did, and its experts after the last row."""

    team: Team | None = None
    weights: list = field(default_factory=list)  # those of the experts after each row
    starts: list[int] = field(default_factory=list)  # rows with which experts began anew
    gains: list = field(default_factory=list)  # of forgetting, and after which row
    twins: list[int] = field(default_factory=list)  # rows after which a twin went on


@dataclass
class Settings:
    """Those of an Auto."""

    warm_up: int = 300
    max_basis: int = 150
    policy: str = "replace"
    forgetting: float = 0.999
    use_past: bool = True


# The experts


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
        self.changed_at = self.checked_at = self.compared_at = self.take_overs = 0
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

    def rows(self, last):
        """Some rows as they came, with their labels and weights."""
        data = self.adaptive.data
        return data.X[last], self.centre + self.scale * data.Y[last], data.weights[last]

    def begun_anew(self, gain):
        """A team that knows the last rows only, with which a part of the error is left."""
        last = self.adaptive.data.last(self.n_rows)[-self.warm_up :]
        team = begin(*self.rows(last), self.T, self.settings, self.delay)
        return self.followed_by(team, last, gain)

    def followed_by(self, team, last, gain):
        """Another team, which knows the last rows only, in the place of this one."""
        team.rounds = team.checked_at = self.rounds
        team.changed_at = self.rounds - len(last)
        team.renewed_next = self.rounds + len(last)
        team.events = [*self.events, (self.rounds, "restart", 1 - gain, None)]
        feature, size = self.scaling.farthest_move(self.adaptive.data.X[last])
        if feature is not None:
            team.events.append((self.rounds, "rescaling", size, feature))
        return team

    def better_twin(self):
        """A team that knows the last rows only, if it has done clearly better on some of them."""
        since, data, n = self.rounds - self.changed_at, self.adaptive.data, self.warm_up
        waited = self.rounds - max(self.compared_at, self.changed_at)
        if since < TWIN_FIRST * n or waited < since // TWIN_PATIENCE or not data.uses_past:
            return None
        self.compared_at, last = self.rounds, data.last(self.n_rows)[-2 * n :]
        if len(last) < 2 * n:
            return None
        X, Y, weights = self.rows(last)
        twin, asked = begin(X[:n], Y[:n], weights, self.T, self.settings, self.delay), []
        twin.checked_at, twin.renewed_next = twin.rounds, np.inf
        for t in range(n, 2 * n):
            twin.learn_in_turn((X, Y, weights), t, asked, first=n)
        errors = [self.last_errors(), twin.last_errors() * twin.scale / self.scale]
        if len(errors[0]) < n:
            return None
        gains = errors[0] ** 2 - errors[1] ** 2
        if gains.sum() <= np.sqrt((gains**2).sum()):
            return None
        twin.renew()
        return self.followed_by(twin, last, (errors[1] ** 2).sum() / (errors[0] ** 2).sum())

    def last_errors(self):
        """Those of the predictions made last, in scales, a column for each target."""
        return np.array([correction.made[-self.warm_up :] for correction in self.corrections]).T

    def learn_in_turn(self, rows, t, asked, first=0):
        """Learns a row, when those that are asked for before its label comes have been."""
        X, Y, weights = rows
        if self.delay == 0:
            self.learn(X[t], Y[t], weights[t])
        else:
            asked += [self.ask(x) for x in X[first + len(asked) : t + 1 + self.delay]]
            self.learn_late(X[t], Y[t], weights[t], asked[t - first])
        self.follow(self.gain_of_forgetting())

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
    for t in range(len(X)):
        team.learn_in_turn((X, Y, weights), t, asked)
        if len(X) >= FEW and t + 1 in (len(X) // 2, len(X)):
            team.renew() if len(X) >= FEWEST else team.adaptive.renew_by_evidence(t + 1)
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
    look_back(run, t + 1)


def next_round(run, x, Y, weights):
    """The predictions for a row, which is learned; before there is a team, the mean label."""
    if run.team is None:
        before = weights[:-1].sum()
        mean = weights[:-1] @ Y[:-1] / before if len(Y) > 1 else np.zeros(Y.shape[1])
        return mean, 1 / max(before, 0.1)
    said = run.team.learn(x, Y[-1], weights[-1])
    look_back(run, len(Y))
    return said


def look_back(run, now):
    """The team begins anew or is renewed, if the stream has changed or if it is time."""
    gain = run.team.gain_of_forgetting()
    if gain < np.inf:
        run.gains.append((now, gain))
    team = run.team.begun_anew(gain) if gain < ALL_CHANGED else None
    if ALL_CHANGED <= gain < np.inf:
        team = run.team.better_twin()
        run.twins += [now] * (team is not None)
    if team is None:
        run.team.follow(gain)
    else:
        run.starts.append(now)
        run.team = team
