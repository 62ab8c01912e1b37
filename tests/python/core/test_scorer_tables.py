"""Scorers of models with columns: the rows that they take, their files, and ONNX."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from messy import messy_frame, messy_rows, taxis

import nystream

ROWS, LABELS = messy_rows()
MODELS = {
    "auto": nystream.Auto,
    "tabular": lambda **columns: nystream.Tabular(nystream.RidgeAld(), **columns),
    "whole": lambda **columns: nystream.Tabular(nystream.Kaar(), **columns),
}


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


@pytest.fixture
def model(make):
    model = make()
    model.learn_many(ROWS, LABELS)
    return model


def stored(scorer, path):
    scorer.save(path)
    return [
        nystream.load(path),
        nystream.Scorer.from_bytes(scorer.to_bytes()),
        pickle.loads(pickle.dumps(scorer)),
        copy.deepcopy(scorer),
    ]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_scorer_takes_the_rows_that_its_learner_takes(model, library):
    frame, _ = messy_frame(library)
    scorer, expected = model.scorer(), model.predict_many(ROWS)
    for rows in (ROWS, frame, nystream.Table(ROWS)):
        assert np.array_equal(scorer.predict_many(rows), expected)
    assert [scorer.predict_one(row) for row in ROWS] == pytest.approx(expected.tolist(), rel=1e-9)
    assert scorer.schema == model.schema


def test_a_stored_scorer_predicts_bit_for_bit(model, tmp_path):
    scorer = model.scorer()
    expected = scorer.predict_many(ROWS)
    for twin in stored(scorer, tmp_path / "scorer.nys"):
        assert np.array_equal(twin.predict_many(ROWS), expected)
        assert twin.schema == scorer.schema


def test_a_scorer_keeps_the_columns_that_it_was_made_with(make):
    model = make(on_new_columns="add")
    model.learn_many(ROWS[:150], LABELS[:150])
    scorer, expected = model.scorer(), model.predict_many(ROWS)
    model.learn_many([{**row, "new": "x"} for row in ROWS[150:]], LABELS[150:])
    assert np.array_equal(scorer.predict_many(ROWS), expected)
    assert scorer.feature_names == ["town", "rooms", "lift", "when"]


def test_threads_share_a_scorer(model):
    scorer, expected = model.scorer(), model.predict_many(ROWS)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(scorer.predict_many, [ROWS] * 8):
            assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"town": "Ulm", "rooms": 2.0, "lift": True}, 'column "when" is missing'),
        ({**ROWS[0], "new": 1.0}, 'column "new" is new'),
        ({**ROWS[0], "rooms": "many"}, 'column "rooms" should be a number, but is "many"'),
    ],
)
def test_a_scorer_refuses_the_rows_that_its_learner_refuses(model, row, message):
    for predictor in (model, model.scorer()):
        with pytest.raises(ValueError, match=message):
            predictor.predict_one(row)
        with pytest.raises(ValueError, match=message):
            predictor.predict_many([row])


def test_models_with_columns_are_not_merged():
    model = nystream.Tabular(nystream.RidgeAld())
    model.learn_many(ROWS, LABELS)
    with pytest.raises(ValueError, match="cannot be merged, because it has columns"):
        nystream.RidgeAld.merge([model, model])


# ONNX


def test_columns_that_onnx_cannot_take_are_named(model, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    names = (
        r"'town' \(category\), 'rooms' \(number with gaps\), 'lift' \(category\), 'when' \(time\)"
    )
    with pytest.raises(ValueError, match=names):
        model.scorer().to_onnx(tmp_path / "x.onnx")
    assert not (tmp_path / "x.onnx").exists()


@pytest.mark.parametrize(
    "model",
    [nystream.Auto(missing_values=[-1.0]), nystream.Tabular(nystream.RidgeAld())],
)
def test_numbers_that_are_not_their_own_features_are_not_written(model, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    model.learn_many([{"rooms": row["rooms"] or 0.0} for row in ROWS], LABELS)
    with pytest.raises(ValueError, match="the scorer scales its columns; save the scorer itself"):
        model.scorer().to_onnx(tmp_path / "x.onnx")


def test_numbers_with_names_are_written_as_before(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    X, y = nystream.datasets.friedman(400)
    rows = [dict(zip("abcdefghij", row, strict=True)) for row in X.tolist()]
    model = nystream.Auto(use_past=False)
    model.learn_many(rows, y)
    model.scorer().to_onnx(tmp_path / "x.onnx")
    (found,) = runtime.InferenceSession(tmp_path / "x.onnx").run(["prediction"], {"X": X})
    np.testing.assert_allclose(found, model.predict_many(rows), rtol=1e-6, atol=1e-8)


@pytest.mark.slow
def test_a_scorer_of_taxis_scores_them_from_a_file(tmp_path):
    trips, fares = taxis()
    model = nystream.Auto(max_basis=50)
    model.learn_many(trips[:2000], fares[:2000])
    expected = model.predict_many(trips)
    for twin in stored(model.scorer(), tmp_path / "taxis.nys"):
        assert np.array_equal(twin.predict_many(trips), expected)
