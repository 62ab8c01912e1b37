"""Labels that come late: a learner is judged by what it predicted when the row was asked for."""

from __future__ import annotations

import copy
import pickle
from collections import deque

import numpy as np
import pytest
from auto_streams import skewed_stream
from support import random_stream

import nystream

DELAY = 7


def asked(model, X, y, delay, level=None):
    """The tickets of all rows, whose labels are answered ``delay`` rows late."""
    tickets, waiting = [], deque()
    for x, label in zip(X, y, strict=True):
        tickets.append(model.ask(x, level))
        waiting.append((tickets[-1], label))
        if len(waiting) > delay:
            model.answer(*waiting.popleft())
    return tickets


def predictions(tickets):
    return np.array([ticket.prediction for ticket in tickets])


def hourly(n_rows=4000):
    """Labels that are like those of the same hour and of the hours before."""
    rng = np.random.default_rng(5)
    hours = np.arange(n_rows)
    noise = np.zeros(n_rows)
    for t in range(1, n_rows):
        noise[t] = 0.97 * noise[t - 1] + rng.normal(scale=0.2)
    X = np.column_stack(
        [np.sin(hours * np.pi / 12), np.cos(hours * np.pi / 12), rng.random(n_rows)]
    )
    return X, 3 * X[:, 0] + X[:, 1] ** 2 + noise


def test_without_a_delay_nothing_changes(model, stream):
    again = copy.deepcopy(model)
    expected = model.progressive(*stream)
    assert (again.progressive(*stream, delay=0) == expected).all()
    assert again.to_bytes() == model.to_bytes()


def test_tickets_and_a_delay_are_the_same(model, stream):
    X, y = stream
    again = copy.deepcopy(model)
    tickets = predictions(asked(model, X, y, DELAY))
    assert (again.progressive(X, y, delay=DELAY) == tickets).all()
    assert (again.n_seen, again.n_pending) == (len(y) - DELAY, DELAY)
    assert (again.predict_many(X[:9]) == model.predict_many(X[:9])).all()


def test_cuts_files_and_copies_do_not_matter(model, stream):
    X, y = stream
    whole = copy.deepcopy(model).progressive(X, y, delay=DELAY)
    first = model.progressive(X[:101], y[:101], delay=DELAY)
    again = nystream.Learner.from_bytes(model.to_bytes())
    assert again.n_pending == DELAY
    for rest in (copy.deepcopy(model), again):
        assert (
            np.concatenate([first, rest.progressive(X[101:], y[101:], delay=DELAY)]) == whole
        ).all()


def test_no_label_reaches_a_prediction_made_before_it_was_known(model, stream):
    X, y = stream
    other = y.copy()
    other[200:] += 1.0
    found = [copy.deepcopy(model).progressive(X, labels, delay=DELAY) for labels in (y, other)]
    assert (found[0][: 200 + DELAY + 1] == found[1][: 200 + DELAY + 1]).all()
    assert (found[0] != found[1]).any()


def test_the_labels_that_wait_are_learned_when_asked_for(model, stream):
    X, y = stream
    model.learn_many(X[:50], y[:50], delay=20)
    assert (model.n_seen, model.n_pending) == (30, 20)
    model.learn_many(X[50:55], y[50:55], delay=3)
    assert (model.n_seen, model.n_pending) == (52, 3)
    model.learn_many(X[55:60], y[55:60])
    assert (model.n_seen, model.n_pending) == (60, 0)
    model.learn_pending()
    assert model.n_seen == 60


def test_a_mean_knows_the_labels_that_are_known():
    y = np.arange(10.0)
    found = nystream.RunningMean().progressive(np.zeros((10, 1)), y, delay=2)
    assert found == pytest.approx([0, 0, 0, *(y[: t - 2].mean() for t in range(3, 10))])


def test_least_squares_predicts_as_if_rows_had_come_later():
    X, y = random_stream(200, 3)
    model, expected = nystream.LinearRls(ridge=0.1, intercept=False), []
    for t, x in enumerate(X):
        known, labels = X[: max(t - DELAY, 0)], y[: max(t - DELAY, 0)]
        w = np.linalg.solve(0.1 * np.eye(3) + known.T @ known, known.T @ labels)
        expected.append(x @ w)
    assert model.progressive(X, y, delay=DELAY) == pytest.approx(expected, abs=1e-9)


def test_weights_wait_with_their_rows(stream):
    X, y = stream
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weights[::9] = 0.0
    found = nystream.RidgeAld().progressive(X, y, weights, delay=DELAY)
    model, waiting = nystream.RidgeAld(), deque()
    for t, x in enumerate(X):
        waiting.append((model.ask(x), y[t], weights[t]))
        assert waiting[-1][0].prediction == found[t]
        if len(waiting) > DELAY:
            model.answer(*waiting.popleft())


def test_tickets_travel_and_are_answered_in_any_order(model, stream):
    X, y = stream
    model.learn_many(X, y)
    tickets = [pickle.loads(pickle.dumps(model.ask(x))) for x in X[:5]]
    again = nystream.Learner.from_bytes(model.to_bytes())
    for own in (model, again):
        for i in (3, 0, 4, 1, 2):
            own.answer(tickets[i], y[i])
    assert (model.predict_many(X[:9]) == again.predict_many(X[:9])).all()
    assert model.n_seen == len(y) + 5
    assert repr(tickets[0]).startswith("Ticket(prediction=[")
    assert (tickets[0].x == X[0]).all()
    assert tickets[0].interval is None


def test_a_ticket_has_the_prediction_and_the_interval_of_its_moment(stream):
    X, y = stream
    for model in (nystream.Auto(), nystream.RidgeAld(), nystream.Auto(n_targets=2)):
        labels = np.column_stack([y, -y]) if model.n_targets == 2 else y
        model.learn_many(X, labels)
        ticket = model.ask(X[7], level=0.8)
        assert ticket.prediction == pytest.approx(model.predict_one(X[7]), rel=1e-9)
        expected = model.predict_interval(X[7], 0.8)
        assert ticket.interval.shape == expected.shape
        assert ticket.interval == pytest.approx(expected, rel=1e-9)


def literal_intervals(tickets, y, delay, level=0.9):
    """The margins, from predictions and uncertainties: the errors relative to their mean lately."""
    scores, means, mean, count = [], [], 0.0, 0.0
    for t in range(len(y)):
        means.append(mean)
        rank = int(np.ceil(level * (len(scores) + 1)))
        margin = sorted(scores)[rank - 1] * mean if rank <= len(scores) else np.inf
        yield margin
        if t >= delay:
            error = abs(y[t - delay] - tickets[t - delay].prediction)
            if means[t - delay] > 0:
                scores = [*scores, error / means[t - delay]][-1000:]
            count = 0.99 * count + 1
            mean += (error - mean) / count


def test_intervals_are_those_of_the_literal_rule():
    X, y = hourly(1500)
    model = nystream.RidgeAld(nystream.Gaussian(1.0), ridge=1e3, max_basis=1)
    tickets = asked(model, X, y, DELAY, level=0.9)
    found = np.array([ticket.interval for ticket in tickets])
    half = (found[:, 1] - found[:, 0]) / 2
    expected = np.array(list(literal_intervals(tickets, y, DELAY)))
    known = np.isfinite(expected)
    assert (np.isfinite(half) == known).all()
    # With such a ridge and one row kept, q is at most 1 / 1000.
    assert half[known] == pytest.approx(expected[known], rel=2e-3)


def test_a_file_between_row_and_label_changes_nothing_where_labels_have_a_long_tail():
    X, y = skewed_stream(400)
    model = nystream.Auto(warm_up=64, max_basis=12)
    model.progressive(X[:300], y[:300], delay=DELAY)
    assert "stretched" in {expert.kind for expert in model.experts}
    tickets = [model.ask(x) for x in X[300:310]]
    expected = model.predict_many(X[300:310])
    np.testing.assert_allclose(predictions(tickets)[:1], expected[:1], rtol=1e-9)
    again = nystream.Auto.from_bytes(model.to_bytes())
    for one in (model, again):
        for ticket, label in zip(tickets, y[300:310], strict=True):
            one.answer(pickle.loads(pickle.dumps(ticket)), label)
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("make", [nystream.Auto, nystream.LinearRls], ids=["Auto", "LinearRls"])
def test_intervals_hold_what_they_say_when_labels_come_late(make):
    X, y = hourly()
    tickets = asked(make(), X, y, 24, level=0.9)
    low, high = np.array([ticket.interval for ticket in tickets])[1000:].T
    assert 0.88 < ((low <= y[1000:]) & (y[1000:] <= high)).mean() < 0.92


def test_auto_is_as_good_as_its_best_expert_when_labels_come_late():
    X, y = hourly()
    model = nystream.Auto()
    errors = (model.progressive(X, y, delay=24) - y) ** 2
    memory = 0.999 ** np.arange(len(y))[::-1]
    best = min(expert.loss for expert in model.experts)
    assert np.average(errors, weights=memory) < 1.02 * best


def test_rows_that_wait_grow_with_the_others(stream):
    X, y = stream
    model = nystream.RidgeAld()
    model.learn_many(X, y, delay=DELAY)
    model.widen(4)
    model.learn_pending()
    assert (model.n_seen, model.n_features) == (len(y), 4)


def test_what_is_not_a_ticket_is_refused_and_changes_nothing(stream):
    X, y = stream
    model = nystream.Auto()
    model.learn_many(X, y)
    ticket = model.ask(X[0])
    before = model.to_bytes()
    (row, (yhat, q, scales, details), interval) = ticket.__reduce__()[1][0]
    forged = [
        (row, (yhat, np.nan, scales, details), interval),
        (row, (yhat, -1.0, scales, details), interval),
        (row, (yhat, q, [], details), interval),
        (row, (yhat, q, [-1.0], details), interval),
        (row, (yhat, q, scales, [np.inf, *details]), interval),
    ]
    for parts in forged:
        with pytest.raises(ValueError, match="ticket should be one that this Auto has given"):
            model.answer(nystream.Ticket._restore(parts), 1.0)
    with pytest.raises(ValueError, match="3 features"):
        model.answer(nystream.LinearRls().ask([1.0]), 1.0)
    with pytest.raises(ValueError, match="y should be a finite number"):
        model.answer(ticket, np.nan)
    with pytest.raises(ValueError, match="level should be more than 0 and less than 1"):
        model.ask(X[0], level=1.0)
    with pytest.raises(ValueError, match="has no intervals"):
        nystream.NonsAld().ask(X[0], level=0.9)
    with pytest.raises((TypeError, ValueError), match="delay"):
        model.progressive(X, y, delay=-1)
    with pytest.raises(TypeError, match="Ticket"):
        model.answer("ticket", 1.0)
    assert model.to_bytes() == before


def test_opinions_of_other_experts_do_no_harm(stream):
    X, y = stream
    model, other = nystream.Auto(), nystream.Auto()
    other.learn_many(X[:20], y[:20])
    tickets = [model.ask(X[0]), other.ask(X[1])]
    model.learn_many(X, y)
    for ticket in tickets:
        model.answer(ticket, 1.0)
    assert np.isfinite(model.predict_many(X)).all()
