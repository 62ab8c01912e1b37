"""The experts of Auto that learn what to look at, slow and literal.

They look at rows that are extended by the past of the labels. Those in a metric and the trees are
made anew from the last rows now and then. Nothing here is shared with the product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.linalg import eigh
from reference import cheapest, features_of, gaussian, laplacian
from reference_boosting import boost, screen
from reference_experts import (
    Linear,
    OnDictionary,
    Scaling,
    compress,
    dictionary_of,
    median_distance,
)
from reference_stretched import Line, OnCurves, Stretched, curve_of

PAST_MEANS = [0.8, 0.97]  # what the labels of the row before count for
MOST_ROWS, MOST_NUMBERS = 8192, 2**18  # that are kept
LEARNED_AGAIN, SCOUTED, TWICE, GRADIENTS = 4096, 1024, 700, 512  # numbers of rows
TRIED = 2048  # rows that trees learn to tell whether the stream has changed
LEAST, MOST_DIRECTIONS = 1e-4, 64
MIXED_WIDTHS = range(3, 129)
PAST_RIDGES = [100.0, 10.0]


@dataclass
class Form:
    """A kind of experts in a metric: its kernel, the norm of its distances, a width and ridges."""

    name: str
    kernel: Callable
    order: int
    width: float
    ridges: tuple[float, float]


SMOOTH = Form("smooth", gaussian, 2, 1.0, (1e-2, 1e-1))
ROUGH = Form("rough", laplacian, 1, 2.0, (1e-1, 1.0))
MIXED = Form("mixed", gaussian, 2, 1.0, (1e-2, 1e-1))
EVEN = Form("focused kernel", gaussian, 2, 2.0, (1e-3, 1e-1))
STRETCHED = Form("stretched", gaussian, 2, 1.0, (1e-2, 1e-1))
ENOUGH, FEWEST_SCREENED, MOST_SCREENED = 6.0, 64, 4096


# The past of the labels


def past_of(Y, weights):
    """The features that the labels before a row make, of which those that there are not are 0.

    For each target: the last label, the last two differences, and how far two means are from it.
    """
    features = []
    for y in Y.T:
        third, second, last = np.append(np.zeros(3), y)[-3:]
        features += [last, last - second, second - third]
        for forgetting in PAST_MEANS:
            counts = weights * forgetting ** np.arange(len(y))[::-1]
            features.append((counts @ y / counts.sum() if len(y) else 0.0) - last)
    return np.array(features)


class Data:
    """All rows of a stream as adaptive experts see them, which are filled in one by one.

    The past of the labels comes first, then the features.
    """

    def __init__(self, X, Y, T, scaling, use_past):
        """For labels Y of the warm-up and rows as wide as X, with the scaling of their features."""
        self.own, self.n_targets = X.shape[1], Y.shape[1]
        self.n_pasts = self.n_targets if use_past else 0
        pasts = [past_of(Y[:t, : self.n_pasts], np.ones(t)) for t in range(len(Y))]
        self.scaling, self.scaling_of_past = scaling, Scaling(np.array(pasts))
        self.n_past = len(pasts[0])
        self.width = self.n_past + self.own
        self.plain, self.shown = np.zeros((2, T, self.width))
        self.X, self.Y, self.weights = (
            np.zeros((T, self.own)),
            np.zeros((T, self.n_targets)),
            np.zeros(T),
        )
        self.uses_past, self.forgotten = False, 0

    def past(self, t):
        """The past that row t has."""
        return past_of(self.Y[:t, : self.n_pasts], self.weights[:t])

    def place(self, t, x, past):
        """Row t with this past, without its label."""
        self.plain[t] = np.append(self.scaling_of_past.scaled(past), self.scaling.scaled(x))
        self.X[t] = x
        self.show([t])

    def add(self, t, x, y, weight, past=None):
        """Row t with its label, and the past that it had when it was asked for, if it was."""
        past = self.past(t) if past is None else past
        self.scaling_of_past.notice(past)
        self.place(t, x, past)
        self.Y[t], self.weights[t] = y, weight

    def show(self, rows):
        """Compressed rows, with the scales of now; without the past, unless it helps."""
        past, scaled = self.plain[rows, : self.n_past], self.scaling.scaled(self.X[rows])
        self.shown[rows] = compress(np.hstack([past if self.uses_past else 0 * past, scaled]))

    def last(self, now):
        """The rows that are still kept after so many."""
        most = max(min(MOST_ROWS, MOST_NUMBERS // self.width), 64)
        return np.arange(max(now - most, self.forgotten), now)


# Experts in a metric


class InMetric(OnDictionary):
    """Experts on a dictionary of rows that a matrix maps."""

    most_candidates = 0  # of all dictionaries so far

    def __init__(self, form, data, metric, width, memories, cap, some=(), is_focused=False):
        """Rows of the dictionary are the first of some."""
        self.is_focused = is_focused
        self.form, self.data, self.metric, self.max_basis = form, data, metric, cap[0]
        mapped = data.shown @ metric.T
        dictionary = dictionary_of(mapped, width, self.max_basis, form.kernel, some)
        name = f"focused {form.name}" if self.is_focused and form is not EVEN else form.name
        super().__init__(name, width, dictionary, memories, cap[1], data.n_targets)

    def place(self, t):
        self.dictionary.X[t] = self.metric @ self.data.shown[t]

    def offer(self, t):
        self.place(t)
        super().offer(t)

    def fit(self, rows):
        """Learns some rows at once, with the dictionary as it is."""
        S, X = self.dictionary.S, self.dictionary.X
        phi = features_of(self.dictionary.root, self.dictionary.kernel(X[S], X[rows])).T
        both = np.hstack([phi, self.data.Y[rows]])
        for expert in self.experts:
            faded = expert.forgetting ** np.arange(len(rows))[::-1]
            expert.rows = np.sqrt(faded * self.data.weights[rows])[:, None] * both
        return self

    def renewed(self, last, focus):
        """Experts in the metric that the last rows ask for, which have learned them.

        Those with a focus begin with it, and never look at more.
        """
        part = last[:: -(-len(last) // SCOUTED)]
        cap = self.max_basis
        most = (
            cap
            if self.form in (SMOOTH, STRETCHED)
            else min(max(len(last) // 4, cap), cap + cap // 2)
        )
        first = np.diag(focus) if self.is_focused else self.learned_metric(part)
        scout = self.scout(first, part, most)
        if self.form is not EVEN and (len(last) <= TWICE or self.is_focused):
            metric = scout.learned_metric(part)
            scout = self.scout(metric * focus if self.is_focused else metric, part, most)
        n_candidates = len(scout.dictionary.S)
        some, cap = scout.worth_keeping(self.max_basis), (self.max_basis, self.policy)
        at = self.form, self.data, scout.metric, scout.width
        group = InMetric(*at, self.memories, cap, some, self.is_focused).fit(last)
        group.most_candidates = max(self.most_candidates, n_candidates)
        group.replaced, group.replaced_fast = self.replaced, self.replaced_fast
        group.take_overs = self.take_overs
        return group

    def scout(self, metric, part, most):
        """An expert in a metric, with more rows in its dictionary than there will be.

        Rows that lie evenly come first, then the others.
        """
        is_even = np.arange(len(part)) % max(len(part) // most, 1)
        some = [*part[is_even == 0], *part[is_even != 0]]
        distance = median_distance(self.data.shown[part] @ metric.T, self.form.order)
        at = self.form, self.data, metric, self.form.width * distance
        return InMetric(*at, self.memories[:1], (most, "freeze"), some).fit(part)

    def worth_keeping(self, size):
        """What is left of the dictionary when the cheapest row goes again and again."""
        while len(self.dictionary.S) > size:
            self.move(self.dictionary.remove(cheapest(self.dictionary, self.experts[0])))
        return list(self.dictionary.S)

    def learned_metric(self, part):
        """The root of the sum of the gradients' products with themselves, or of its diagonal."""
        products = sum(np.outer(g, g) for g in self.gradients(part))
        trace = np.trace(products)
        if trace == 0:
            return self.metric
        if self.form is not MIXED:
            return np.diag(np.sqrt(np.diag(products) / trace))
        values, vectors = eigh(products / trace)
        values, vectors = values[::-1], vectors[:, ::-1]
        n = min(max((values > LEAST).sum(), 2), MOST_DIRECTIONS)
        return np.sqrt(np.maximum(values[:n], 0))[:, None] * vectors[:, :n].T

    def gradients(self, part):
        """Those of each target's prediction by the first expert at some rows, up to a factor."""
        Z = self.dictionary.X[self.dictionary.S]
        R, Rw = self.experts[0].triangle()
        C = features_of(self.dictionary.root.T, np.linalg.solve(R, Rw))
        for t in part[:: -(-len(part) // GRADIENTS)]:
            x = self.metric @ self.data.shown[t]
            k = self.dictionary.kernel(Z, x[None])[:, 0]
            slopes = np.sign(Z - x) if self.form is ROUGH else Z - x
            yield from (self.metric.T @ ((c * k) @ slopes) for c in C.T)


# Trees


class Trees:
    """Trees for each target, which are fitted to the last rows."""

    width, memories, is_asleep = None, [(None, 1.0)], False

    def __init__(self, data, family="trees"):
        self.data, self.family, self.trees = data, family, []

    def renew(self, rows, useless=()):
        """Fits trees that do not ask for useless features."""
        if self.is_asleep:
            return self
        X, Y = self.data.shown[rows].copy(), self.data.Y[rows]
        X[:, np.flatnonzero(useless)] = 0
        self.trees = [boost(X, y, seed=0) for y in Y.T]
        return self

    def predict(self, t):
        trees = [] if self.is_asleep else self.trees
        said = [tree.predict(self.data.shown[t]) for tree in trees]
        return np.array(said or np.zeros(self.data.n_targets))

    def squared_error(self, rows):
        return sum(((self.predict(t) - self.data.Y[t]) ** 2).sum() for t in rows)

    def ask(self, t):
        """What they say of row t; they are certain."""
        return [(self.predict(t), 0.0)]

    def learn(self, t, y, weight, asked=None):
        """What they say of row t, of which they learn nothing."""
        return asked or self.ask(t)


# All of them


def focus_of(X, Y, n_known):
    """The factor of each feature in a focus, and whether trees should not ask for it."""
    if len(X) < FEWEST_SCREENED:
        return np.ones(X.shape[1]), np.zeros(X.shape[1], bool)
    X, Y = (numbers[:: -(-len(X) // MOST_SCREENED)] for numbers in (X, Y))
    each = [screen(X, n_known, y, seed=1) for y in Y.T]
    ratios = np.max([ratios for ratios, _ in each], axis=0)
    useless = np.all([useless for _, useless in each], axis=0)
    factors = np.minimum(ratios / ENOUGH, 1.0) ** 2
    return np.append(np.ones(n_known), factors), np.append(np.zeros(n_known, bool), useless)


def renewed(groups, last, focus):
    """These experts, made anew if they are awake."""
    recent = last[-LEARNED_AGAIN:]
    return [group if group.is_asleep else group.renewed(recent, focus) for group in groups]


class Adaptive:
    """The experts on extended rows, in the order in which they are combined."""

    def __init__(self, data, Z, Y, cap, forgetting):
        """For rows like Z, which are compressed, and labels like Y; a long memory and a short."""
        forgetting, short = forgetting
        self.data = data
        memories = list(zip(PAST_RIDGES, [1.0, short], strict=True))
        linear = Linear("past", data.plain, memories, data.n_targets)
        self.linear, self.trees = [linear] if data.n_past else [], Trees(data)
        forms = [SMOOTH, ROUGH] + [MIXED] * (data.width in MIXED_WIDTHS)
        self.relevant = [self.first(form, Z, cap, short) for form in forms]
        self.focused, self.useless = [], []
        if 0 < sum(focus_of(Z, Y, 0)[1]) < Z.shape[1]:
            forms = [EVEN, *(form for form in forms if form is not ROUGH)]
            metrics = [self.first(form, Z, cap, short, is_focused=True) for form in forms]
            self.focused = [*metrics, Trees(data, "focused trees")]
        curves, self.stretched = [curve_of(y) for y in Y.T], []
        if not all(isinstance(curve, Line) for curve in curves):
            group = self.first(STRETCHED, Z, cap, short, data=OnCurves(data, curves))
            self.stretched = [Stretched(group, forgetting)]
        self.renewals = []  # after which row, and whether the past helped

    def first(self, form, Z, cap, short, is_focused=False, data=None):
        """Experts in the metric in which each feature counts the same."""
        memories = list(zip(form.ridges, [1.0, short], strict=True))
        width = form.width * median_distance(Z, form.order)
        at = form, data or self.data, np.eye(self.data.width), width
        return InMetric(*at, memories, cap, is_focused=is_focused)

    def groups(self):
        return [*self.linear, *self.relevant, self.trees, *self.focused, *self.stretched]

    def renew(self, now, past_helps):
        """Makes experts anew that are awake."""
        self.renewals.append((now, bool(past_helps)))
        self.data.uses_past = past_helps
        last = self.data.last(now)
        self.data.show(last)
        self.relevant = renewed(self.relevant, last, None)
        self.trees.renew(last)
        if not all(group.is_asleep for group in self.focused):
            X, Y = self.data.shown[last], self.data.Y[last]
            focus, self.useless = focus_of(X, Y, self.data.n_past)
            trees = self.focused.pop().renew(last, self.useless)
            self.focused = [*renewed(self.focused, last, focus), trees]
        for group in self.stretched:
            group.renew(last[-LEARNED_AGAIN:])

    def gain_of_forgetting(self, now, n_rows):
        """The part of the error of trees that is left if they know the last rows only.

        Both are asked for the last third of so many rows, of which neither knows.
        """
        last, third = self.data.last(now), n_rows // 3
        self.data.show(last)
        before, end = last[:-third], last[-third:]
        few, all_of_them = before[third - n_rows :], before[:: -(-len(before) // TRIED)]
        is_focused = not all(group.is_asleep for group in self.focused)
        useless = self.useless if is_focused else ()
        trees = [Trees(self.data).renew(rows, useless) for rows in (few, all_of_them)]
        errors = [some.squared_error(end) for some in trees]
        return errors[0] / max(errors[1], np.finfo(float).tiny)

    def relevance(self):
        """The squares of a metric's factors for the features, made to add up to 1."""
        focused = [g for g in self.focused if g.family == "focused smooth" and not g.is_asleep]
        metric = [*focused, self.relevant[0]][0].metric
        own = np.diag(metric)[self.data.n_past :] ** 2
        return own / own.sum() if own.sum() > 0 else np.full(len(own), 1 / len(own))
