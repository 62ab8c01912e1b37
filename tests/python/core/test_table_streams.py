"""Rows of tables as a stream: no label comes too early, and every copy goes on bit for bit."""

from __future__ import annotations

import copy
import datetime as dt
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_streams import MAKERS, quietly, schema_of, small_auto, small_tabular, stream

import nystream

ROWS, Y = stream(330)
DELAY = 6
ROOMY = [row["rooms"] > 2 for row in ROWS]
STAGES = [0, 1, 3, 31, 100, 255, 256, 300]


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


# Labels


@st.composite
def random_tables(draw):
    """Rows of some columns of random kinds, from a seed: repeated texts, ids, times, gaps."""
    sorts = draw(st.lists(st.sampled_from(sorted(SORTS)), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.sampled_from([40, 150, 290]))
    gap = draw(st.sampled_from([0.0, 0.2]))

    def value(sort, i):
        return None if rng.random() < gap else SORTS[sort](rng, i)

    names = [f"{i} {sort}" for i, sort in enumerate(sorts)]
    rows = [
        {name: value(sort, i) for name, sort in zip(names, sorts, strict=True)}
        for i in range(n_rows)
    ]
    return rows, rng.normal(size=n_rows), draw(st.integers(0, n_rows - 1))


SORTS = {
    "number": lambda rng, i: rng.normal(),
    "counter": lambda rng, i: i,
    "truth": lambda rng, i: bool(rng.random() < 0.3),
    "town": lambda rng, i: f"town {rng.integers(30)}",
    "rare": lambda rng, i: "often" if rng.random() < 0.9 else f"rare {i}",
    "id": lambda rng, i: f"id {i}",
    "time": lambda rng, i: dt.datetime(2024, 1, 1) + dt.timedelta(hours=float(i * 7)),
    "date or not": lambda rng, i: f"{1 + i % 28}/{1 + i % 12}/2023" if i < 120 else "never",
}
LEARNERS = {
    "Auto": small_auto,
    "kernel": small_tabular,
    "linear": lambda: nystream.Tabular(nystream.LinearRls(), max_categories=4),
    "gradient": lambda: nystream.Tabular(nystream.NonsAld(max_basis=9)),
}


@settings(max_examples=60, derandomize=True, deadline=None)
@given(random_tables(), st.sampled_from(sorted(LEARNERS)), st.sampled_from([0, 1, 5]))
def test_no_label_reaches_a_prediction_made_before_it_was_known(table, name, delay):
    rows, y, t = table
    other = y.copy()
    other[t:] = y[t:][::-1] * 3 + 7
    found = [
        quietly(LEARNERS[name]().progressive, rows, labels, delay=delay) for labels in (y, other)
    ]
    last = t + delay + 1
    np.testing.assert_array_equal(found[0][:last], found[1][:last])


@settings(max_examples=30, derandomize=True, deadline=None)
@given(random_tables(), st.sampled_from(sorted(LEARNERS)))
def test_later_rows_reach_no_prediction(table, name):
    rows, y, t = table
    whole = quietly(LEARNERS[name]().progressive, rows, y)
    part = quietly(LEARNERS[name]().progressive, rows[: t + 1], y[: t + 1])
    np.testing.assert_allclose(part, whole[: t + 1], rtol=1e-9, atol=1e-9)


def test_predictions_learn_nothing(make):
    model = make()
    model.learn_many(ROWS[:100], Y[:100])
    before = model.to_bytes()
    model.predict_many(ROWS)
    model.predict_interval(ROWS)
    model.scorer().predict_many(ROWS)
    assert model.to_bytes() == before


# Copies


def through_a_file(model, folder):
    model.save(folder / "model.nystream")
    return nystream.load(folder / "model.nystream")


COPIES = {
    "save": through_a_file,
    "to_bytes": lambda model, _: nystream.Learner.from_bytes(model.to_bytes()),
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "copy": lambda model, _: copy.copy(model),
}


def assert_same(one, other, rows, y, **kwargs):
    np.testing.assert_array_equal(
        one.progressive(rows, y, **kwargs), other.progressive(rows, y, **kwargs)
    )
    assert one.to_bytes() == other.to_bytes()
    assert schema_of(one) == schema_of(other)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("stage", STAGES)
def test_a_copy_goes_on_bit_for_bit(make, stage, way, tmp_path):
    model = make()
    if stage:
        model.learn_many(ROWS[:stage], Y[:stage])
    again = COPIES[way](model, tmp_path)
    assert type(again) is type(model)
    assert again.params == model.params or isinstance(model, nystream.Tabular)
    assert repr(again) == repr(model)
    assert again.to_bytes() == model.to_bytes()
    assert_same(model, again, ROWS[stage:], Y[stage:])


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_copy_with_rows_that_wait_goes_on_bit_for_bit(make, stage, way, tmp_path):
    whole = make().progressive(ROWS, Y, delay=DELAY)
    model = make()
    first = model.progressive(ROWS[:stage], Y[:stage], delay=DELAY)
    again = COPIES[way](model, tmp_path)
    assert again.n_pending == min(stage, DELAY)
    rest = copy.deepcopy(again).progressive(ROWS[stage:], Y[stage:], delay=DELAY)
    np.testing.assert_array_equal(np.concatenate([first, rest]), whole)
    assert_same(model, again, ROWS[stage:], Y[stage:], delay=DELAY)


@pytest.mark.parametrize("stage", STAGES)
def test_tickets_outlive_files_and_changes_of_kinds(make, stage):
    model = make()
    if stage:
        model.learn_many(ROWS[:stage], Y[:stage])
    tickets = [model.ask(row, level=0.9) for row in ROWS[stage : stage + 5]]
    again = pickle.loads(pickle.dumps(model))
    for one, labels in ((model, tickets), (again, pickle.loads(pickle.dumps(tickets)))):
        for ticket, label in zip(labels, Y[stage:], strict=False):
            one.answer(ticket, label)
    assert again.to_bytes() == model.to_bytes()
    assert_same(model, again, ROWS[stage + 5 :], Y[stage + 5 :])


def test_tickets_and_a_delay_are_the_same(make):
    model, waiting, found = make(), [], []
    for row, label in zip(ROWS, Y, strict=True):
        waiting.append((model.ask(row), label))
        found.append(waiting[-1][0].prediction)
        if len(waiting) > DELAY:
            model.answer(*waiting.pop(0))
    again = make()
    np.testing.assert_array_equal(again.progressive(ROWS, Y, delay=DELAY), found)
    np.testing.assert_array_equal(again.predict_many(ROWS[:9]), model.predict_many(ROWS[:9]))


@pytest.mark.parametrize("stage", STAGES)
def test_scorers_predict_what_the_model_did(make, stage, tmp_path):
    model = make()
    if stage:
        model.learn_many(ROWS[:stage], Y[:stage])
    scorer, expected = model.scorer(), model.predict_many(ROWS)
    one = model.predict_one(ROWS[0])
    scorer.save(tmp_path / "scorer.nystream")
    model.learn_many(ROWS, -Y)
    again = [
        nystream.Scorer.from_bytes(scorer.to_bytes()),
        pickle.loads(pickle.dumps(scorer)),
        nystream.load(tmp_path / "scorer.nystream"),
    ]
    for each in (scorer, *again):
        np.testing.assert_array_equal(each.predict_many(ROWS), expected)
        assert each.predict_one(ROWS[0]) == one
        assert each.schema == scorer.schema


# Targets and weights


def test_several_targets_are_learned_from_a_table():
    labels = np.column_stack([Y, -2 * Y])
    for model in (small_auto(n_targets=2), nystream.Tabular(nystream.LinearRls(n_targets=2))):
        found = model.progressive(ROWS, labels)
        assert found.shape == labels.shape
        errors = np.abs(found - labels)[100:].mean(axis=0)
        assert (errors < 0.5 * np.abs(labels - labels.mean(axis=0)).mean(axis=0)).all()
        again = nystream.Learner.from_bytes(model.to_bytes())
        assert_same(model, again, ROWS, labels)
        assert model.predict_one(ROWS[0]).shape == (2,)
        assert model.predict_interval(ROWS[:3]).shape == (3, 2, 2)


def test_a_row_of_weight_0_is_only_predicted(make):
    weights = np.ones(len(Y))
    weights[::3] = 0.0
    kept = [i for i in range(len(Y)) if i % 3]
    model, other = make(), make()
    found = model.progressive(ROWS, Y, weights)
    expected = other.progressive([ROWS[i] for i in kept], Y[kept], weights[kept])
    np.testing.assert_allclose(found[kept], expected, rtol=1e-9, atol=1e-9)
    assert model.n_seen == len(kept)
    assert schema_of(model) == schema_of(other)
    singly = make()
    for row, label, weight in zip(ROWS, Y, weights, strict=True):
        singly.learn_one(row, label, weight)
    assert schema_of(singly) == schema_of(model)


def test_a_weight_of_two_is_not_a_weight_of_one(make):
    found = [make().progressive(ROWS, Y, np.where(ROOMY, w, 1.0)) for w in (1.0, 2.0)]
    assert (found[0] != found[1]).any()


# Learners


def unit_rows(rows):
    return [{name: row[name] for name in ("town", "rooms", "area")} for row in rows]


@pytest.mark.parametrize("name", sorted(set(nystream.algorithms()) - {"Auto"}))
def test_every_learner_takes_tables(name):
    rows, y = unit_rows(ROWS), Y / Y.max()
    model = nystream.Tabular(getattr(nystream, name)())
    assert repr(model) == f"Tabular(model={getattr(nystream, name)()!r})"
    found = model.progressive(rows, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.isfinite(found).all()
    assert_same(model, again, rows, y)
    np.testing.assert_array_equal(model.scorer().predict_many(rows), model.predict_many(rows))
    before = model.to_bytes()
    with pytest.raises(ValueError, match='column "rooms" should be a number, but is "x"'):
        model.learn_many([rows[0] | {"rooms": "x"}], [0.0])
    assert model.to_bytes() == before
