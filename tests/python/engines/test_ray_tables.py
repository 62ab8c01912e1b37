"""Learners on Ray whose rows are tables: text, times, truths and gaps."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from messy import messy_frame, messy_rows, taxis

import nystream

pytest.importorskip("ray", reason="not installed: ray")

from nystream.ray import Shards, score, sweep

pytestmark = pytest.mark.ray

ROWS, LABELS = messy_rows()
KEYS = np.array(["north", "south", "7"] * 100)
SIZE = 100


def tabular():
    return nystream.Tabular(nystream.RidgeAld(max_basis=50), missing_values=[-1.0])


def feed(shards, rows):
    predictions = np.empty(len(LABELS))
    for i in range(0, len(LABELS), SIZE):
        batch = slice(i, i + SIZE)
        predictions[batch] = shards.progressive(KEYS[batch], rows[batch], LABELS[batch], offset=i)
    return predictions


def plain(model):
    """A model for each key in this process, with the rows in the same batches."""
    models, predictions = {}, np.empty(len(LABELS))
    for i in range(0, len(LABELS), SIZE):
        for key in np.unique(KEYS):
            places = i + np.flatnonzero(KEYS[i : i + SIZE] == key)
            model_of_key = models.setdefault(str(key), copy.deepcopy(model))
            some = [ROWS[place] for place in places]
            predictions[places] = model_of_key.progressive(some, [LABELS[p] for p in places])
    return models, predictions


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "dicts"])
def test_shards_learn_tables_as_one_process_does(cluster, tmp_path, library):
    rows = ROWS if library == "dicts" else messy_frame(library)[0]
    shards = Shards(tabular(), 2, tmp_path)
    models, expected = plain(tabular())
    np.testing.assert_array_equal(feed(shards, rows), expected)
    found = shards.models()
    assert {k: m.to_bytes() for k, m in found.items()} == {
        k: m.to_bytes() for k, m in models.items()
    }
    asked = shards.predict_many(KEYS[:50], rows[:50])
    expected = [models[key].predict_one(row) for key, row in zip(KEYS[:50], ROWS, strict=False)]
    np.testing.assert_allclose(asked, expected, rtol=1e-9)


def test_shards_of_tables_go_on_from_their_files(cluster, tmp_path):
    frame, _ = messy_frame()
    whole = Shards(nystream.Auto(), 2, tmp_path / "whole")
    expected = feed(whole, frame)
    first = Shards(nystream.Auto(), 2, tmp_path / "parts")
    first.progressive(KEYS[:SIZE], frame[:SIZE], LABELS[:SIZE], offset=0)
    first.save()
    again = feed(Shards(nystream.Auto(), 1, tmp_path / "parts"), frame)
    assert np.isnan(again[:SIZE]).all()
    np.testing.assert_array_equal(again[SIZE:], expected[SIZE:])


@pytest.mark.parametrize(
    ("rows", "kind", "message"),
    [
        ([{"town": "Ulm"}], ValueError, 'column "rooms" is missing'),
        ([{**ROWS[0], "new": 1.0}], ValueError, 'column "new" is new'),
        ([{**ROWS[0], "rooms": math.inf}], ValueError, 'column "rooms" should be a number of'),
        (nystream.Table(ROWS[:1]), TypeError, "X should be a data frame or a list of dicts"),
    ],
)
def test_a_refused_table_changes_nothing(cluster, tmp_path, rows, kind, message):
    shards = Shards(tabular(), 1, tmp_path)
    shards.progressive(KEYS[:SIZE], ROWS[:SIZE], LABELS[:SIZE], offset=0)
    for call in (
        lambda: shards.progressive(["7"], rows, [1.0], offset=SIZE),
        lambda: shards.predict_many(["7"], rows),
    ):
        with pytest.raises(kind, match=message):
            call()
    assert shards.position == SIZE
    assert shards.models()["7"].n_seen == np.count_nonzero(KEYS[:SIZE] == "7")


def test_a_model_that_knows_columns_begins_each_key(cluster, tmp_path):
    model = tabular()
    model.learn_many(ROWS, LABELS)
    shards = Shards(model, 1, tmp_path)
    asked = shards.predict_many(["new"] * 5, ROWS[:5])
    np.testing.assert_array_equal(asked, model.predict_many(ROWS[:5]))
    shards.progressive(["new"] * 5, ROWS[:5], LABELS[:5], offset=0)
    with pytest.raises(RuntimeError, match='column "new" is new'):
        Shards(model, 1, tmp_path / "other").progressive(
            ["new"], [{**ROWS[0], "new": 1.0}], [1.0], offset=0
        )


def test_learners_of_numbers_refuse_text_as_before(cluster, tmp_path):
    frame, _ = messy_frame()
    shards = Shards(nystream.RidgeAld(), 1, tmp_path)
    with pytest.raises(TypeError, match="column 'town' of X should hold real numbers"):
        shards.progressive(KEYS, frame, LABELS, offset=0)
    assert shards.position == 0


def test_tables_are_scored_in_tasks(cluster):
    frame, _ = messy_frame()
    model = tabular()
    model.learn_many(ROWS, LABELS)
    expected = model.predict_many(ROWS)
    for blocks in ([frame[:100], frame[100:]], [ROWS[:100], ROWS[100:]]):
        np.testing.assert_array_equal(np.concatenate(list(score(model, blocks))), expected)


def test_a_sweep_over_tables(cluster):
    frame, _ = messy_frame()
    models = {"auto": nystream.Auto(), "ridge": tabular(), "numbers": nystream.RidgeAld()}
    trials = sweep(models, frame, LABELS)
    assert {trial.name for trial in trials[:2]} == {"auto", "ridge"}
    expected = np.mean((nystream.Auto().progressive(ROWS, LABELS) - LABELS) ** 2)
    assert trials[0].mse == pytest.approx(expected, rel=1e-6)
    assert (trials[-1].name, trials[-1].mse) == ("numbers", math.inf)
    assert "column 'town' of X should hold real numbers" in trials[-1].error


@pytest.mark.slow
def test_taxis_by_where_they_begin(cluster, tmp_path):
    trips, fares = taxis()
    keys = trips["pickup_borough"].fillna("?").to_numpy(dtype=str)
    shards = Shards(nystream.Auto(max_basis=30), 2, tmp_path)
    predictions = np.concatenate(
        [
            shards.progressive(keys[i : i + 500], trips[i : i + 500], fares[i : i + 500], offset=i)
            for i in range(0, 2000, 500)
        ]
    )
    errors = np.abs(predictions - fares[:2000])
    assert errors.mean() < 0.5 * np.abs(fares - np.median(fares)).mean()
