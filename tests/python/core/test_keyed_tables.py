"""Models by key of tables: columns belong to all keys together."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from table_streams import FORMS, library, rows_of_ids, schema_of, small_auto, stream

import nystream

ROWS, Y = stream(300)
KEYS = [f"k{i * i % 23 % 9}" for i in range(300)]


def linear():
    return nystream.Keyed(nystream.Tabular(nystream.LinearRls()))


def kernels():
    return nystream.Keyed(nystream.Tabular(nystream.RidgeAld(max_basis=12)))


def automatic():
    return nystream.Keyed(small_auto())


def mixed():
    return nystream.Keyed(nystream.LinearRls(), shared=small_auto())


MAKERS = {"linear": linear, "kernels": kernels, "automatic": automatic, "mixed": mixed}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


@pytest.fixture(scope="module")
def expected():
    model = linear()
    return model.progressive(KEYS, ROWS, Y), model


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_any_form_gives_the_same_to_the_last_bit(form, expected):
    predictions, other = expected
    model = linear()
    np.testing.assert_array_equal(model.progressive(KEYS, FORMS[form](ROWS), Y), predictions)
    assert model.to_bytes() == other.to_bytes()
    many = model.predict_many(KEYS[:50], FORMS[form](ROWS[:50]))
    np.testing.assert_array_equal(many, other.predict_many(KEYS[:50], ROWS[:50]))


def test_rows_one_by_one_and_in_pieces_are_the_table(make):
    whole, one_by_one, pieces = make(), make(), make()
    found = []
    for key, row, label in zip(KEYS, ROWS, Y, strict=True):
        found.append(one_by_one.predict_one(key, row))
        one_by_one.learn_one(key, row, label)
    predictions = whole.progressive(KEYS, ROWS, Y)
    # Blocks and rows round otherwise, and what Auto learns to look at makes more of that.
    close = {"rtol": 1e-5, "atol": 1e-5} if make in {automatic, mixed} else {"rtol": 1e-8}
    np.testing.assert_allclose(found, predictions, **close)
    cuts = itertools.pairwise([0, 1, 2, 5, 100, 255, 257, 300])
    found = [pieces.progressive(KEYS[a:b], ROWS[a:b], Y[a:b]) for a, b in cuts]
    np.testing.assert_allclose(np.concatenate(found), predictions, **close)
    assert schema_of(one_by_one) == schema_of(pieces) == schema_of(whole)
    assert whole.keys() == pieces.keys() == list(dict.fromkeys(KEYS))


def test_the_columns_are_those_of_a_learner(expected):
    learner = nystream.Tabular(nystream.LinearRls())
    learner.learn_many(ROWS, Y)
    model = expected[1]
    assert schema_of(model) == schema_of(learner)
    assert model.feature_names == list(ROWS[0])
    assert model.n_features == learner.n_features == len(ROWS[0])


def test_labels_to_come_change_no_prediction(make):
    for cut in (1, 64, 255, 256):
        other = np.where(np.arange(300) < cut, Y, 90.0 - Y)
        first, second = (make().progressive(KEYS, ROWS, labels) for labels in (Y, other))
        np.testing.assert_array_equal(first[: cut + 1], second[: cut + 1])


def test_a_category_known_from_one_key_serves_all():
    towns = [{"town": town} for town in ("Ulm", "Bonn") * 100]
    labels = [10.0, -10.0] * 100
    model = linear()
    model.learn_many(["known"] * 200, towns, labels)
    assert model.predict_many(["new"] * 2, towns[:2]) == pytest.approx([10.0, -10.0], abs=1.0)
    assert model.predict_one("new", {"town": "Ulm"}) == model.predict_many(["new"], towns[:1])[0]


def test_copies_files_and_pickles_go_on_exactly(make, tmp_path):
    for n in (1, 40, 270):
        model = make()
        model.learn_many(KEYS[:n], ROWS[:n], Y[:n])
        model.save(tmp_path / "keys.nys")
        copies = [
            copy.deepcopy(model),
            pickle.loads(pickle.dumps(model)),
            nystream.load(tmp_path / "keys.nys"),
        ]
        expected = model.progressive(KEYS[n:], ROWS[n:], Y[n:])
        for other in copies:
            assert repr(other) != repr(model)
            np.testing.assert_array_equal(other.progressive(KEYS[n:], ROWS[n:], Y[n:]), expected)
            assert other.to_bytes() == model.to_bytes()
            assert repr(other) == repr(model)


def test_parameters_make_the_same_models_again():
    model = nystream.Keyed(
        nystream.Tabular(nystream.LinearRls(), schema={"rooms": "category"}), shared=small_auto()
    )
    again = nystream.Keyed(**model.params)
    assert repr(model) == repr(again)
    assert model.params["model"].params["schema"] == {"rooms": "category"}
    for one in (model, again):
        one.learn_many(KEYS, ROWS, Y)
    assert model.to_bytes() == again.to_bytes()
    assert schema_of(model)[1][1] == "category"


def test_models_of_keys_take_the_same_rows(make):
    model = make()
    model.learn_many(KEYS, ROWS, Y)
    shared, own = model.shared, model.model("k4")
    new = model.predict_many(["new"] * 9, ROWS[:9])
    np.testing.assert_allclose(new, shared.predict_many(ROWS[:9]))
    assert own.n_seen == KEYS.count("k4")
    assert schema_of(own) == schema_of(shared) == schema_of(model)
    for learner in (shared, own):
        learner.learn_many(ROWS[:9], Y[:9])
        again = nystream.Learner.from_bytes(learner.to_bytes())
        np.testing.assert_array_equal(again.predict_many(ROWS), learner.predict_many(ROWS))


def test_intervals_of_tables(make):
    model = make()
    model.learn_many(KEYS, ROWS, Y)
    ends = model.predict_interval(KEYS[-90:], ROWS[-90:], level=0.8)
    assert ends.shape == (90, 2)
    assert ((ends[:, 0] <= Y[-90:]) & (Y[-90:] <= ends[:, 1])).mean() > 0.6
    one = model.predict_interval(KEYS[-90], ROWS[-90], level=0.8)
    np.testing.assert_allclose(one, ends[0], rtol=1e-9)


def test_arrays_with_gaps(make):
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[::7, 1] = np.nan
    y, model = np.nan_to_num(X).sum(1), make()
    predictions = model.progressive(KEYS, X, y)
    assert np.isfinite(predictions).all()
    assert (model.n_features, model.feature_names) == (3, None)
    many = model.predict_many(KEYS[:9], X[:9])
    one_by_one = [model.predict_one(key, x) for key, x in zip(KEYS[:9], X[:9], strict=True)]
    np.testing.assert_allclose(one_by_one, many, rtol=1e-9)
    assert model.predict_interval(KEYS[0], X[0]).shape == (2,)
    with pytest.raises(ValueError, match="X should have 3 features"):
        model.predict_many(KEYS[:9], X[:9, :2])


WRONG = [
    (lambda m: m.learn_many(KEYS[:2], [{"town": "Ulm"}] * 2, [0, 0]), 'column "rooms" is missing'),
    (lambda m: m.learn_one("a", ROWS[0] | {"rooms": "many"}, 1.0), 'column "rooms" should be a'),
    (lambda m: m.learn_many(KEYS[:3], ROWS[:2], [0, 0]), "keys should have as many"),
    (lambda m: m.learn_many(KEYS[:2], ROWS[:2], [0]), "y should have as many"),
    (lambda m: m.predict_many(KEYS[:3], ROWS[:2]), "keys should have as many"),
    (lambda m: m.predict_interval(KEYS[:2], ROWS[:2], 1.0), "level should be"),
    (lambda m: m.learn_many([], nystream.Table.from_rows([]), []), "at least one row"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
@pytest.mark.parametrize("n", [30, 300])
def test_a_refused_call_changes_nothing(call, message, n):
    model = linear()
    model.learn_many(KEYS[:n], ROWS[:n], Y[:n])
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        call(model)
    assert model.to_bytes() == before


def test_numbers_alone_are_taken_by_a_learner_of_numbers():
    model = nystream.Keyed(nystream.LinearRls())
    with pytest.raises((TypeError, ValueError)):
        model.learn_one("a", {"town": "Ulm"}, 1.0)
    assert model.schema is None
    assert model.n_seen == 0


def test_columns_that_are_left_out_are_warned_of():
    rows, model = rows_of_ids(300), linear()
    with pytest.warns(nystream.ColumnWarning, match='"id" is unused'):
        model.learn_many(KEYS, rows, Y)


@pytest.mark.parametrize("max_keys", [2, 5])
def test_keys_on_the_disk_come_back_exactly(max_keys, tmp_path):
    everything = linear()
    few = nystream.Keyed(**everything.params | {"max_keys": max_keys, "store": tmp_path})
    for first in range(0, 300, 6):
        part = slice(first, first + 6)
        expected = everything.progressive(KEYS[part], ROWS[part], Y[part])
        np.testing.assert_array_equal(few.progressive(KEYS[part], ROWS[part], Y[part]), expected)
    np.testing.assert_array_equal(few.predict_many(KEYS, ROWS), everything.predict_many(KEYS, ROWS))


def test_new_columns_may_join():
    model = nystream.Keyed(nystream.Tabular(nystream.LinearRls(), on_new_columns="add"))
    model.learn_many(KEYS, ROWS, Y)
    wide = [row | {"late": float(i % 5)} for i, row in enumerate(ROWS)]
    labels = Y + 10.0 * (np.arange(300) % 5)
    for _ in range(3):
        errors = model.progressive(KEYS, wide, labels) - labels
    assert model.schema[-1].name == "late"
    assert np.abs(errors).mean() < 3.0


def test_keys_may_be_a_column_of_the_frame():
    frame = library("pandas").DataFrame(ROWS).assign(key=KEYS)
    model = linear()
    model.learn_many(frame["key"], frame.drop(columns="key"), Y)
    assert len(model) == len(set(KEYS))
