"""Labels of keys that come late: all is judged and taught by what was said with the question."""

from __future__ import annotations

import copy
import pickle
from collections import deque

import numpy as np
import pytest
from table_streams import small_auto, stream

import nystream

DELAY = 7
KEYS = [i * i % 23 % 9 for i in range(300)]
X = np.random.default_rng(0).normal(size=(300, 3))
Y = X.sum(1) + np.array(KEYS)
ROWS, LABELS = stream(300)

MAKERS = {
    "LinearRls": lambda: nystream.Keyed(nystream.LinearRls()),
    "RidgeAld": lambda: nystream.Keyed(nystream.RidgeAld(max_basis=9)),
    "Auto": lambda: nystream.Keyed(small_auto()),
    "alone": lambda: nystream.Keyed(nystream.LinearRls(), shared=False),
    "Tabular": lambda: nystream.Keyed(nystream.Tabular(nystream.LinearRls())),
}


@pytest.fixture(params=MAKERS)
def model(request):
    return MAKERS[request.param]()


def data(model):
    return (X, Y) if model.schema is None else (ROWS, LABELS)


def asked(model, delay):
    """The predictions of all rows, whose labels are answered ``delay`` rows late."""
    found, waiting = [], deque()
    for key, x, label in zip(KEYS, *data(model), strict=True):
        waiting.append((model.ask(key, x), label))
        found.append(waiting[-1][0].prediction)
        if len(waiting) > delay:
            model.answer(*waiting.popleft())
    return np.array(found)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "Auto"])
def test_to_ask_and_answer_at_once_is_to_learn(name):
    model, again = MAKERS[name](), MAKERS[name]()
    expected = []
    for key, x, label in zip(KEYS, *data(model), strict=True):
        expected.append(again.predict_one(key, x))
        again.learn_one(key, x, label)
    np.testing.assert_allclose(asked(model, 0), expected, rtol=1e-9, atol=1e-9)
    assert (model.n_seen, len(model)) == (again.n_seen, len(again))


def test_tickets_and_a_delay_are_the_same(model):
    again = copy.deepcopy(model)
    tickets = asked(model, DELAY)
    found = again.progressive(KEYS, *data(model), delay=DELAY)
    assert (found == tickets).all()
    assert (again.n_seen, again.n_pending) == (300 - DELAY, DELAY)


def test_cuts_files_and_copies_do_not_matter(model, tmp_path):
    rows, labels = data(model)
    whole = copy.deepcopy(model).progressive(KEYS, rows, labels, delay=DELAY)
    first = model.progressive(KEYS[:101], rows[:101], labels[:101], delay=DELAY)
    model.save(tmp_path / "keys.nys")
    again = nystream.load(tmp_path / "keys.nys")
    assert again.n_pending == DELAY
    for rest in (copy.deepcopy(model), again):
        found = rest.progressive(KEYS[101:], rows[101:], labels[101:], delay=DELAY)
        assert (np.concatenate([first, found]) == whole).all()


def test_no_label_reaches_a_prediction_made_before_it_was_known(model):
    rows, labels = data(model)
    other = np.where(np.arange(300) < 200, labels, 50.0 - labels)
    found = [copy.deepcopy(model).progressive(KEYS, rows, y, delay=DELAY) for y in (labels, other)]
    assert (found[0][: 200 + DELAY + 1] == found[1][: 200 + DELAY + 1]).all()
    assert (found[0] != found[1]).any()


def test_the_labels_that_wait_are_learned_when_asked_for(model):
    rows, labels = data(model)
    model.learn_many(KEYS[:50], rows[:50], labels[:50], delay=20)
    assert (model.n_seen, model.n_pending) == (30, 20)
    model.learn_many(KEYS[50:55], rows[50:55], labels[50:55], delay=3)
    assert (model.n_seen, model.n_pending) == (52, 3)
    model.learn_many(KEYS[55:60], rows[55:60], labels[55:60])
    assert (model.n_seen, model.n_pending) == (60, 0)
    model.learn_many(KEYS[60:], rows[60:], labels[60:], delay=9)
    model.learn_pending()
    assert (model.n_seen, model.n_pending) == (300, 0)


def test_tickets_can_be_pickled_and_answered_in_any_order(model):
    rows, labels = data(model)
    model.learn_many(KEYS[:200], rows[:200], labels[:200])
    tickets = [model.ask(KEYS[i], rows[i], level=0.9) for i in range(200, 240)]
    copies = pickle.loads(pickle.dumps(tickets))
    for ticket, other in zip(tickets, copies, strict=True):
        assert (ticket.key, ticket.prediction) == (other.key, other.prediction)
        assert (ticket.interval == other.interval).all()
        assert (ticket.x == other.x).all()
    again = copy.deepcopy(model)
    for one, given in ((model, tickets), (again, copies)):
        for i in range(39, -1, -1):
            one.answer(given[i], labels[200 + i])
    assert again.to_bytes() == model.to_bytes()


def test_a_ticket_says_the_prediction_the_interval_and_the_key(model):
    rows, labels = data(model)
    model.learn_many(KEYS, rows, labels)
    ticket = model.ask(KEYS[3], rows[3], level=0.8)
    assert ticket.key == KEYS[3]
    assert ticket.prediction == pytest.approx(model.predict_one(KEYS[3], rows[3]), rel=1e-9)
    expected = model.predict_interval(KEYS[3], rows[3], level=0.8)
    np.testing.assert_allclose(ticket.interval, expected, rtol=1e-9)
    assert model.ask("new", rows[3]).interval is None


def test_what_others_learn_in_between_does_not_teach_the_key():
    model = nystream.Keyed(nystream.RunningMean())
    model.learn_one("a", [0.0], 4.0)
    ticket = model.ask("a", [0.0])
    model.learn_many(["b"] * 100, [[0.0]] * 100, [1000.0] * 100)
    model.answer(ticket, 6.0)
    # It had predicted 0 and then, for all keys, 4: 4 and 2 were left.
    assert model.model("a").predict_one([0.0]) == 3.0


def test_tickets_of_others_are_refused_and_change_nothing(model):
    rows, labels = data(model)
    model.learn_many(KEYS[:50], rows[:50], labels[:50])
    learner = nystream.LinearRls()
    before = model.to_bytes()
    with pytest.raises(ValueError, match="ticket should be one that this Keyed has given"):
        model.answer(learner.ask([0.0] * 3), 1.0)
    with pytest.raises(ValueError, match="y should be a finite"):
        model.answer(model.ask(1, rows[0]), np.nan)
    with pytest.raises(ValueError, match="level should be"):
        model.ask(1, rows[0], level=1.0)
    assert model.n_seen == 50
    with pytest.raises(ValueError, match="ticket should be one that this LinearRls has given"):
        learner.answer(model.ask(1, rows[0]), 1.0)
    again = nystream.Keyed.from_bytes(before)
    assert again.n_seen == 50


def test_a_wrong_pickle_is_refused():
    ticket = nystream.Keyed(nystream.LinearRls()).ask(1, [0.0])
    restore, (parts,) = ticket.__reduce__()
    lists, texts, interval, names = parts
    for wrong in ((lists[:3], texts), (lists, texts[:1]), (lists, ["", ""]), ([[]] * 4, texts)):
        with pytest.raises(ValueError, match="ticket should be"):
            restore((*wrong, interval, names))
