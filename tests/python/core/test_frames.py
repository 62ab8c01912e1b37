"""Data frames of any library, and arrays of any layout, are read as they are."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections import namedtuple

import numpy as np
import pytest
from support import random_stream

import nystream

pytest.importorskip("narwhals", reason="narwhals is not installed")
X, Y = random_stream(200, 3)
NAMES = ["a", "b", "c"]


def pandas(rows, names=NAMES):
    return pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(
        rows, columns=names
    )


def polars(rows, names=NAMES):
    return pytest.importorskip("polars", reason="polars is not installed").DataFrame(
        rows, schema=list(names)
    )


def arrow(rows, names=NAMES):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return pyarrow.table(dict(zip(names, rows.T, strict=True)))


def batch(rows, names=NAMES):
    return arrow(rows, names).to_batches()[0]


FRAMES = [pandas, polars, arrow, batch]


@pytest.fixture(params=FRAMES)
def frame(request):
    return request.param


@pytest.fixture
def model():
    return nystream.RidgeAld(nystream.Gaussian(1.5), alpha=0.01)


def test_frames_are_rows(frame, model):
    other = nystream.RidgeAld(nystream.Gaussian(1.5), alpha=0.01)
    assert np.array_equal(model.progressive(frame(X), Y), other.progressive(X, Y))
    assert np.array_equal(model.predict_many(frame(X)), other.predict_many(X))
    assert np.array_equal(model.scorer().predict_many(frame(X)), other.predict_many(X))
    assert (model.feature_names, other.feature_names) == (NAMES, None)
    assert model.scorer().feature_names == NAMES


def test_labels_and_weights_may_be_columns(model):
    expected = model.progressive(X, Y, Y)
    columns = [pandas(X).assign(y=Y)["y"], polars(X).with_columns(y=Y)["y"]]
    columns.append(arrow(X).append_column("y", [Y])["y"])
    for column in columns:
        fresh = nystream.RidgeAld(nystream.Gaussian(1.5), alpha=0.01)
        assert np.array_equal(fresh.progressive(X, column, column), expected)


CHANGED = [
    (["a", "b", "d"], 'X should have the column "c", as the rows learned have'),
    (["b", "a", "c"], 'column 0 should be "a", but is "b"'),
]


@pytest.mark.parametrize(("names", "message"), CHANGED)
def test_other_columns_are_refused_by_name(frame, model, names, message):
    model.learn_many(frame(X), Y)
    before = model.to_bytes()
    wrong = frame(X, names)
    calls = [
        lambda: model.predict_many(wrong),
        lambda: model.learn_many(wrong, Y),
        lambda: model.progressive(wrong, Y),
        lambda: model.scorer().predict_many(wrong),
        lambda: nystream.Learner.from_bytes(before).predict_many(wrong),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
    assert model.to_bytes() == before


def test_missing_and_further_columns_are_refused_by_name(frame, model):
    model.learn_many(frame(X), Y)
    with pytest.raises(ValueError, match='X should have the column "c"'):
        model.predict_many(frame(X[:, :2], NAMES[:2]))
    with pytest.raises(ValueError, match='X should not have the column "d"'):
        model.predict_many(frame(np.c_[X, Y], [*NAMES, "d"]))


def test_a_row_of_pandas_has_names_too(model):
    frame = pandas(X)
    for (_, row), label in zip(frame.iterrows(), Y, strict=True):
        model.learn_one(row, label)
    assert model.feature_names == NAMES
    plain = nystream.RidgeAld(nystream.Gaussian(1.5), alpha=0.01)
    for row, label in zip(X, Y, strict=True):
        plain.learn_one(row, label)
    row, before = frame.iloc[0], model.to_bytes()
    assert model.predict_one(row) == model.scorer().predict_one(row) == plain.predict_one(X[0])
    for predict in (model.predict_one, model.scorer().predict_one):
        with pytest.raises(ValueError, match='order learned: column 0 should be "a", but is "c"'):
            predict(row[::-1])
    with pytest.raises(ValueError, match='x should not have the column "d"'):
        model.learn_one(pandas(np.c_[X, Y], [*NAMES, "d"]).iloc[0], 0.5)
    assert model.to_bytes() == before


def test_other_rows_may_have_an_index_of_their_own(model):
    market = namedtuple("market", ["index", "rate", "volume"])
    model.learn_one(market(*X[0]), 0.5)
    assert model.feature_names is None
    assert model.predict_one(market(*X[0])) == model.predict_one(X[0])


def test_a_refused_row_leaves_no_names(model):
    with pytest.raises(ValueError, match="y should be a finite number"):
        model.learn_one(pandas(X).iloc[0], np.nan)
    assert model.feature_names is None


def test_what_no_library_knows_is_an_array(model):
    class Table:
        columns = NAMES

        def __array__(self, dtype=None, copy=None):
            return X

    model.learn_many(Table(), Y)
    assert model.feature_names is None
    assert np.array_equal(model.predict_many(Table()), model.predict_many(X))


def test_one_library_may_learn_and_another_ask(model):
    model.learn_many(pandas(X), Y)
    expected = model.predict_many(X)
    for kind in FRAMES:
        assert np.array_equal(model.predict_many(kind(X)), expected)


def test_a_refused_frame_leaves_no_names(frame, model):
    with pytest.raises(ValueError, match="y should have as many labels"):
        model.learn_many(frame(X), Y[:-1])
    assert model.feature_names is None


def test_arrays_have_no_names_to_check(frame, model):
    model.learn_many(X, Y)
    assert np.array_equal(model.predict_many(frame(X, ["x", "y", "z"])), model.predict_many(X))
    assert model.feature_names is None


def test_named_columns_cannot_be_widened(model):
    model.learn_many(pandas(X), Y)
    with pytest.raises(ValueError, match="n_features cannot grow: columns have names"):
        model.widen(4)


def test_booleans_integers_and_missing_values(model):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    columns = {"a": [0.5, 1.5], "b": [True, False], "c": [3, 4]}
    expected = model.predict_many([[0.5, 1, 3], [1.5, 0, 4]])
    for library in [polars, pandas]:
        assert np.array_equal(model.predict_many(library.DataFrame(columns)), expected)
    for missing in [
        polars.DataFrame({**columns, "a": [0.5, None]}),
        pandas.DataFrame({**columns, "a": pandas.array([1, None], dtype="Int64")}),
        arrow(np.array([[0.5, 1, 3], [np.nan, 0, 4]])),
    ]:
        with pytest.raises(ValueError, match=r"X\[1, 0\] should be a finite number"):
            model.predict_many(missing)


def test_columns_that_are_no_numbers_are_refused_by_name(model):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    wrong = polars.DataFrame({"a": [0.5], "city": ["Paris"]})
    with pytest.raises(TypeError, match="column 'city' of X should hold real numbers, but holds"):
        model.predict_many(wrong)
    with pytest.raises(TypeError, match="data frame in memory"):
        model.predict_many(wrong.lazy())


def test_two_columns_of_one_name_are_refused(model):
    with pytest.raises(ValueError, match="two columns of X have the same name"):
        model.predict_many(pandas(X, ["a", "a", "b"]))


def test_numbered_columns_have_no_names(model):
    model.learn_many(pandas(X, range(3)), Y)
    assert model.feature_names is None


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "every other row": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "reversed": lambda rows: rows[::-1].copy()[::-1],
    "columns of a wider array": lambda rows: np.c_[rows, rows][:, :3],
    "float32 Fortran": lambda rows: np.asfortranarray(rows.astype(np.float32)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_read_as_they_are(layout, model):
    rows = LAYOUTS[layout](np.tile(X, (20, 1)))
    plain = np.ascontiguousarray(rows)
    other = nystream.RidgeAld(nystream.Gaussian(1.5), alpha=0.01)
    y = np.tile(Y, 20)
    assert np.array_equal(model.progressive(rows, y), other.progressive(plain, y))
    assert np.array_equal(model.predict_many(rows), other.predict_many(plain))
    rows = rows.copy(order="K")
    rows[3777, 2] = np.nan
    for call in [lambda: model.predict_many(rows), lambda: model.learn_many(rows, y)]:
        with pytest.raises(ValueError, match=r"X\[3777, 2\] should be a finite number"):
            call()


def test_a_frame_is_not_copied_as_a_whole(model):
    """NumPy, which makes the copies if there are any, tells tracemalloc of its memory."""
    rows = np.asfortranarray(np.tile(X, (2000, 1)))
    frame = pandas(rows)
    model.learn_many(X, Y)
    tracemalloc.start()
    try:
        for data in [rows, frame]:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            predictions = model.predict_many(data)
            used = tracemalloc.get_traced_memory()[1] - before
            assert used < predictions.nbytes + rows.nbytes / 4
    finally:
        tracemalloc.stop()


def test_frames_without_narwhals_say_what_to_install():
    script = (
        "import sys; sys.modules['narwhals'] = None\n"
        "import pandas, nystream\n"
        "try: nystream.NonsAld().predict_many(pandas.DataFrame({'a': [1.0]}))\n"
        "except ImportError as error: print(error)"
    )
    pytest.importorskip("pandas", reason="pandas is not installed")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "data frames need narwhals: pip install 'nystream[frames]'"
