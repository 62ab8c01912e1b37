"""The experts of Auto for labels with a long tail, slow and literal.

They learn labels on a curve on which the tail is short, and predict the mean label over their last
errors. Nothing here is shared with the product.
"""

from __future__ import annotations

import numpy as np
from reference_experts import UNKNOWN, limits, location

FEWEST = 64  # labels that tell of a tail
OUTSIDE, LONG, EVEN = 0.05, 2.0, 1.5  # the part beyond a tail; tails relative to each other
NEARER, NEAREST = 0.9, 0.01  # from a spread to the next, and the least, in long tails
LARGEST, KNOWN = 3.0, 20.0  # the largest error, and rows without one at first


class Line:
    """Labels as they are."""

    def number(self, y):
        return y


class Curve:
    """Labels ``origin + spread * sinh(argument)``, with arguments in scales from their centre."""

    def __init__(self, labels, origin, spread):
        self.origin, self.spread = origin, spread
        self.centre, scale = location(self.argument(labels))
        self.scale = scale if scale > 0 else 1.0

    def argument(self, y):
        return np.arcsinh((y - self.origin) / self.spread)

    def number(self, y):
        return (self.argument(y) - self.centre) / self.scale

    def label(self, argument):
        return self.origin + self.spread * np.sinh(argument)


def curve_of(y):
    """A curve that makes the tails of these labels about even, if one of them is long."""
    if len(y) < FEWEST:
        return Line()
    low, median, high = np.quantile(y, [OUTSIDE, 0.5, 1 - OUTSIDE])
    origin, far = (high, low) if median - low > high - median else (low, high)
    short, long = abs(median - origin), abs(far - median)
    if long < LONG * max(short, np.finfo(float).eps):
        return Line()
    spread = far - median
    while abs(spread) > NEAREST * long:
        middle, end = np.arcsinh([short / abs(spread), (short + long) / abs(spread)])
        if end - middle <= EVEN * middle:
            break
        spread *= NEARER
    return Curve(y, origin, spread)


class Errors:
    """The errors of an expert on the curve of a target, as arguments, and what they count for."""

    def __init__(self, curve, forgetting):
        self.curve, self.forgetting = curve, forgetting
        self.errors, self.weights = np.zeros(1), np.array([KNOWN])

    def label(self, number, ends):
        """The mean label of a number that errs."""
        if isinstance(self.curve, Line):
            return number
        arguments = self.curve.centre + self.curve.scale * number + self.errors
        return np.clip(np.average(self.curve.label(arguments), weights=self.weights), *ends)

    def number(self, label):
        """The number of which this is the mean label."""
        if isinstance(self.curve, Line):
            return label
        up, down = (
            np.average(np.exp(e), weights=self.weights) for e in (self.errors, -self.errors)
        )
        sine = (label - self.curve.origin) / self.curve.spread / np.sqrt(up * down)
        argument = np.arcsinh(sine) - np.log(up / down) / 2
        return (argument - self.curve.centre) / self.curve.scale

    def add(self, number, y, weight):
        """What an expert said, and the label."""
        if not isinstance(self.curve, Line):
            error = self.curve.scale * (self.curve.number(y) - number)
            self.errors = np.append(self.errors, np.clip(error, -LARGEST, LARGEST))
            self.weights = np.append(self.forgetting * self.weights, weight)


class OnCurves:
    """The rows of some data, with the numbers of their labels."""

    def __init__(self, data, curves):
        self.data, self.curves = data, curves

    def __getattr__(self, name):
        return getattr(self.data, name)

    Y = property(lambda self: self.numbers(self.data.Y.T).T)

    def numbers(self, labels):
        """Those of the labels of each target."""
        each = zip(self.curves, labels, strict=True)
        return np.array([curve.number(y) for curve, y in each])


class Stretched:
    """Experts in a metric on numbers, of which they make labels."""

    is_asleep = False

    def __init__(self, group, forgetting):
        """For a group of experts that looks at rows on curves."""
        self.group, self.data = group, group.data
        curves = self.data.curves
        self.errors = [[Errors(curve, forgetting) for curve in curves] for _ in group.memories]

    def __getattr__(self, name):
        return getattr(self.group, name)

    def renew(self, last):
        """Learns a new metric, and the last rows in it, if it is awake."""
        if not self.is_asleep:
            self.group = self.group.renewed(last, None)

    def labels(self, t, said):
        """Those that experts mean who say these numbers of row t."""
        ends = [limits(y) for y in self.data.data.Y[:t].T]
        return [
            (np.array([e.label(*each) for e, *each in zip(errors, yhat, ends, strict=True)]), q)
            for errors, (yhat, q) in zip(self.errors, said, strict=True)
        ]

    def ask(self, t):
        """What each expert says of row t; nothing while they sleep."""
        said = self.group.ask(t)
        return [(0 * yhat, 0.0) for yhat, _ in said] if self.is_asleep else self.labels(t, said)

    def learn(self, t, y, weight, asked=None):
        """One round: what each expert says of row t, or said when it was asked."""
        if self.is_asleep:
            return self.ask(t)
        said = self.group.learn(t, self.data.numbers(y), weight, self.numbers_of(asked))
        if said == UNKNOWN:
            return said
        labels = self.labels(t, said)
        for errors, (yhat, _) in zip(self.errors, said, strict=True):
            for some, number, label in zip(errors, yhat, y, strict=True):
                some.add(number, label, weight)
        return asked or labels

    def numbers_of(self, asked):
        """The numbers of which experts have made these labels."""
        if asked in (None, UNKNOWN):
            return asked
        return [
            (np.array([e.number(label) for e, label in zip(errors, yhat, strict=True)]), q)
            for errors, (yhat, q) in zip(self.errors, asked, strict=True)
        ]
