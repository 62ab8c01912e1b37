"""Forecasts of a series some steps ahead, slow and literal: the judge of the product's forecaster.

The model of each horizon is a linear ridge regression on all rows so far, behind the literal
columns. Means with forgetting are computed anew from all that went into them. Where the
documentation says nothing:

- the past is forgotten where it is eight first seasons old, or five of another, and never before
  three values; a gap that is longer begins it anew;
- errors of the first two seasons, or of 24 rows if they are shorter, are no scores;
- a row whose features ahead have come is encoded anew when its value comes, with what is known of
  the columns by then.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from reference_columns import Settings, forgetting_mean
from reference_least_squares import Squares, _margin
from reference_tables import LateModel

LATE = 24
N_APART = (7, 4)  # values of the same place of which means are taken: first season, others
LEVEL = 0.9


class Combination:
    """A mean with fixed shares, and a step by least squares on the differences from it."""

    def __init__(self, n_forecasts):
        self.squares = Squares(n_forecasts, 1, 30.0, 0.998)
        self.errors = []

    def combine(self, model, plain, shares, maturity):
        trust = 0.7 * maturity
        forecasts = np.array([model, *plain])
        mean = trust * model + (1 - trust) * np.dot(shares, plain)
        return mean, forecasts - mean, mean + self.squares.look(forecasts - mean)[0][0]

    def learn(self, y, mean, differences, forecast):
        """A row counts as the reciprocal of its error: squares become absolute errors."""
        self.errors.append(abs(y - forecast))
        _, scale = forgetting_mean(self.errors, np.ones(len(self.errors)), 0.99)
        if scale < 1e-100:
            return
        unit = max(scale, np.abs([*differences, y - mean]).max() / 1e3)
        weight = 1 / max(self.errors[-1] / scale, 0.1)
        self.squares.learn(differences / unit, (y - mean) / unit, weight)


class Margins:
    """Conformal scores relative to their size at the place of the season, and lately."""

    def __init__(self, season):
        self.season = season
        self.errors = defaultdict(list)  # by the place in the season
        self.scores, self.relative = [], []

    def rhythm(self, slot):
        """The mean error at this place of the season beside that of all."""
        means = {
            place: forgetting_mean(errors, np.ones(len(errors)), 0.97)
            for place, errors in self.errors.items()
        }
        count = sum(n for n, _ in means.values())
        total = sum(n * mean for n, mean in means.values())
        if total <= 0 or self.season == 1:
            return 1.0
        n, own = means.get(slot % self.season, (0.0, 0.0))
        here = (7 * total / count + n * own) / (7 + n)
        return np.clip(here / (total / count), 0.05, 20)

    def size(self):
        if not self.scores:
            return 0.0
        return forgetting_mean(self.scores, np.ones(len(self.scores)), 0.99)[1]

    def margin(self, rhythm, level):
        return _margin(self.relative[-1000:], level) * max(self.size(), 1e-300) * rhythm

    def learn(self, slot, error, rhythm, size, is_score):
        """Learn an error; rhythm and size are those when the forecast was made."""
        if is_score and size > 0:
            self.relative.append(error / rhythm / size)
        if is_score:
            self.scores.append(error / rhythm)
        self.errors[slot % self.season].append(error)


@dataclass
class Asked:
    """A forecast whose value has not come."""

    row: dict[str, Any]
    ticket: tuple
    plain: list[float]
    combined: tuple
    rhythm: float
    size: float
    margin: float


@dataclass
class Horizon:
    """One distance: its model, and what it said of values to come."""

    distance: int
    model: LateModel
    combination: Combination
    margins: Margins
    waiting: dict[int, Asked] = field(default_factory=dict)
    counted: list = field(default_factory=list)  # value, forecast, plain forecasts, margin

    def combine(self, yhat, plain, shares):
        known = [plain[0] if np.isnan(value) else value for value in plain]
        needed = max(self.margins.season, 12)
        maturity = self.model.n_seen / (self.model.n_seen + needed)
        return self.combination.combine(yhat, known, shares, maturity)

    def ask(self, slot, row, plain, shares):
        ticket = self.model.ask(row)
        combined = self.combine(ticket[0], plain, shares)
        rhythm = self.margins.rhythm(slot)
        margin = self.margins.margin(rhythm, LEVEL)
        size = self.margins.size()
        self.waiting[slot] = Asked(row, ticket, plain, combined, rhythm, size, margin)

    def answer(self, slot, y, ahead):
        """Learn a value, with what is known of its slot by now, if anything."""
        if slot not in self.waiting:
            return
        asked = self.waiting.pop(slot)
        _, generation, x = asked.ticket
        if ahead is not None:
            asked.row |= {name: ahead[name] for name in ahead if name in asked.row}
            x = self.model.encoded(asked.row)
        self.model.answer(asked.row, y, generation, x)
        forecast = asked.combined[-1]
        self.counted.append((y, forecast, asked.plain, asked.margin))
        is_score = self.model.n_seen > 2 * max(self.margins.season, 12)
        self.margins.learn(slot, abs(y - forecast), asked.rhythm, asked.size, is_score)
        self.combination.learn(y, *asked.combined)


class Forecaster:
    """A forecaster with slots in place of times; ``clock`` says which time a slot has."""

    def __init__(
        self, horizons, seasons=(), clock=None, ahead=(), ridge=0.01, forgetting=1.0, schema=None
    ):
        self.seasons, self.clock, self.ahead = list(seasons), clock, list(ahead)
        self.values, self.missing, self.rows = {}, set(), {}
        self.now, self.n_seen, self.n_too_late = None, 0, 0
        self.shares = self.shares_of_plain()
        kinds = dict.fromkeys(self.names(), "number") | ({"time": "time"} if clock else {})
        settings = Settings(schema=kinds | (schema or {}), scale=True)
        self.horizons = [
            Horizon(
                distance,
                LateModel(ridge, forgetting, settings),
                Combination(1 + len(self.shares)),
                Margins(self.seasons[0] if self.seasons else 1),
            )
            for distance in horizons
        ]
        self.longest = max(horizons)
        back = [(8 if i == 0 else 5) * season for i, season in enumerate(self.seasons)]
        self.depth = max([3, *back]) + self.longest

    # The past

    def value(self, slot):
        return self.values.get(slot, np.nan)

    def same_place(self, slot, season):
        """The last known slot that has the same place in a season as one to come."""
        return max(
            s for s in range(self.now - season + 1, self.now + 1) if (slot - s) % season == 0
        )

    def mean_apart(self, slot, i):
        season = self.seasons[i]
        first = self.same_place(slot, season)
        apart = [self.value(first - k * season) for k in range(N_APART[min(i, 1)])]
        known = [value for value in apart if not np.isnan(value)]
        return np.mean(known) if known else np.nan

    def past(self, slot):
        """The features of the past for a slot to come."""
        now = self.now
        features = [self.value(now), self.value(now - 1), self.value(now - 2)]
        for i, season in enumerate(self.seasons):
            same = self.same_place(slot, season)
            features.append(self.value(same))
            if i == 0:
                features.append(self.value(same - season))
            features.append(self.mean_apart(slot, i))
            last = [self.values[s] for s in range(now - season + 1, now + 1) if s in self.values]
            features.append(np.mean(last))
            before = self.value(now - season)
            features.append(0.0 if np.isnan(before) else self.value(now) - before)
        return [self.value(now) if np.isnan(feature) else feature for feature in features]

    def names(self):
        names = ["value now", "value 1 ago", "value 2 ago"]
        for i, season in enumerate(self.seasons):
            names.append(f"value {season} before")
            names += [f"value {2 * season} before"] * (i == 0)
            names += [f"mean of values {season} apart", f"mean of {season}"]
            names.append(f"change over {season}")
        return names

    def plain(self, slot):
        """No change; no change since the last season, for each; the mean of the last first ones."""
        same = [self.value(self.same_place(slot, season)) for season in self.seasons]
        return [self.value(self.now), *same, *([self.mean_apart(slot, 0)] if same else [])]

    def shares_of_plain(self):
        n = len(self.seasons) + 1
        return [1.0] if n == 1 else [0.0, *[1 / n] * n]

    def row(self, slot, rows):
        """All that is known of a slot to come."""
        row = dict(zip(self.names(), map(float, self.past(slot)), strict=True))
        if self.clock:
            row["time"] = self.clock(slot)
        here = rows.get(self.now, {})
        return (
            row | here | {name: rows.get(slot, here)[name] for name in here if name in self.ahead}
        )

    # Learning

    def learn(self, slots, y, X=None):
        """The forecasts made before for each value, of a call of many rows; NaN for none."""
        made = []
        for i, (slot, label) in enumerate(zip(slots, y, strict=True)):
            if X is not None:
                self.announce(slots, X, i)
            asked = [horizon.waiting.get(slot) for horizon in self.horizons]
            made.append([one.combined[-1] if one else np.nan for one in asked])
            if not np.isnan(label):
                self.learn_value(slot, label)
        return np.array(made)

    def announce(self, slots, X, i):
        n = self.longest if self.ahead else 0
        for later in range(i, min(i + n + 1, len(X))):
            if slots[later] <= slots[i] + n or later == i:
                self.rows[slots[later]] = X[later]

    def learn_value(self, slot, y):
        if self.now is not None and slot <= self.now:
            self.correct(slot, y)
            return
        self.fill(slot)
        if self.now is not None:
            for horizon in self.horizons:
                horizon.model.elapse(slot - self.now - 1)
        self.values[slot] = y
        self.answer(slot, y)
        self.now, self.n_seen = slot, self.n_seen + 1
        self.forget()
        for horizon in self.horizons:
            target = slot + horizon.distance
            horizon.ask(target, self.row(target, self.rows), self.plain(target), self.shares)

    def correct(self, slot, y):
        if slot not in self.values:
            self.n_too_late += 1
        else:
            self.values[slot] = y
            self.n_seen += slot in self.missing
            self.missing.discard(slot)
        self.answer(slot, y)

    def answer(self, slot, y):
        for horizon in self.horizons:
            row = self.rows.get(slot) if self.ahead else None
            horizon.answer(slot, y, row and {name: row[name] for name in self.ahead})

    def fill(self, slot):
        """What was forecast last stands for values that are missing, or that of a season before."""
        if self.now is None:
            return
        if slot - self.now > self.depth:
            self.values, self.missing = {}, set()
            return
        season = self.seasons[0] if self.seasons else 1
        for gap in range(self.now + 1, slot):
            before = self.values.get(gap - season, self.value(gap - 1))
            asked = [h.waiting[gap].combined[-1] for h in self.horizons if gap in h.waiting]
            self.values[gap] = asked[0] if asked else before
            self.missing.add(gap)

    def forget(self):
        oldest = self.now - self.longest - LATE
        self.rows = {slot: row for slot, row in self.rows.items() if slot >= oldest}
        for horizon in self.horizons:
            horizon.waiting = {s: asked for s, asked in horizon.waiting.items() if s >= oldest}
        self.values = {s: y for s, y in self.values.items() if s > self.now - self.depth}

    # What it says

    def predict(self, X=(), level=LEVEL):
        """Forecasts and margins, if the next rows are known to be these."""
        rows = self.rows | {self.now + 1 + i: row for i, row in enumerate(X)}
        found = []
        for horizon in self.horizons:
            slot = self.now + horizon.distance
            yhat = horizon.model.predict(self.row(slot, rows))
            forecast = horizon.combine(yhat, self.plain(slot), self.shares)[-1]
            margin = horizon.margins.margin(horizon.margins.rhythm(slot), level)
            found.append((forecast, margin))
        return np.array(found)

    def report(self, horizon):
        """What a report says of values for which there were all plain forecasts."""
        n_plain = 1 + len(self.seasons)
        all_counted = next(h for h in self.horizons if h.distance == horizon).counted
        counted = [one for one in all_counted if not np.isnan(one[2][:n_plain]).any()]
        y, forecast = np.array([one[:2] for one in counted]).T
        plain = np.array([one[2][:n_plain] for one in counted])
        margins = np.array([one[3] for one in counted])
        errors, finite = np.abs(y - forecast), np.isfinite(margins)
        return [
            len(y),
            errors.mean(),
            np.sqrt((errors**2).mean()),
            *np.abs(plain - y[:, None]).mean(0),
            (errors <= margins)[finite].mean(),
            2 * margins[finite].mean(),
        ]
