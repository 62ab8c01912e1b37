"""What is refused: the message names the argument, and nothing has changed."""

from __future__ import annotations

import copy
import re
import warnings

import numpy as np
import pytest
from support import random_stream

import nystream

NAN, INF = float("nan"), float("inf")
X, Y = random_stream(20, 3)
EVERY_ROW = [
    nystream.Kogd,
    nystream.Kons,
    nystream.Kaar,
    nystream.OnlineKrr,
    nystream.SketchedKons,
    nystream.Pkawv,
]
SAMPLING = [nystream.ProsNKons, nystream.ConKons, nystream.SketchedKons, nystream.Pkawv]


def with_value(array, index, value):
    changed = array.copy()
    changed[index] = value
    return changed


def strict(name):
    """A learner that refuses gaps, which only Auto would take."""
    return nystream.Auto(missing="error") if name == "Auto" else getattr(nystream, name)()


@pytest.fixture(params=nystream.algorithms())
def model(request):
    """A learner of each kind that has seen 20 rows of 3 features."""
    model = strict(request.param)
    model.learn_many(X, Y)
    return model


ONE_ROW = [
    (
        [1.0, NAN, 0.0],
        ValueError,
        "x[1] should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (
        [1.0, 0.0, -INF],
        ValueError,
        "x[2] should be a finite number of magnitude at most 1e100, but is -inf",
    ),
    (
        [1e101, 0.0, 0.0],
        ValueError,
        "x[0] should be a finite number of magnitude at most 1e100, but is 1e101",
    ),
    ([1.0, 2.0], ValueError, "x should have 3 features, but has 2"),
    ([], ValueError, "x should have at least one feature, but is empty"),
    ([[1.0, 2.0, 3.0]], ValueError, "x should be one-dimensional, but has the shape (1, 3)"),
    (1.0, ValueError, "x should be one-dimensional, but has the shape ()"),
    ("text", TypeError, "x should hold real numbers, but has the dtype <U4"),
    (["1", "2", "3"], TypeError, "x should hold real numbers, but has the dtype <U1"),
    ([1.0, None, 2.0], TypeError, "x should hold real numbers, but has the dtype object"),
    ([1.0, 2j, 3.0], TypeError, "x should hold real numbers, but has the dtype complex128"),
    (None, TypeError, "x should hold real numbers, but has the dtype object"),
    ([[1.0], [2.0, 3.0]], ValueError, "x should be an array of numbers"),
]
LABEL = [
    (NAN, ValueError, "y should be a finite number of magnitude at most 1e100, but is NaN"),
    (INF, ValueError, "y should be a finite number of magnitude at most 1e100, but is inf"),
    ("high", TypeError, "y should be a number, but is 'high'"),
    (None, TypeError, "y should be a number, but is None"),
    ([1.0], TypeError, "y should be a number, but is [1.0]"),
    (1j, TypeError, "y should be a number, but is 1j"),
    (np.complex128(1j), TypeError, f"y should be a number, but is {np.complex128(1j)!r}"),
    (np.array("1.5"), TypeError, "y should be a number, but is array('1.5', dtype='<U3')"),
    (10**400, ValueError, "y should be a number that float64 can hold, but is 1000000"),
]
ROWS = [
    (
        with_value(X, (7, 1), NAN),
        ValueError,
        "X[7, 1] should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (
        with_value(X, (0, 2), INF),
        ValueError,
        "X[0, 2] should be a finite number of magnitude at most 1e100, but is inf",
    ),
    (X[:, :2], ValueError, "X should have 3 features, but has 2"),
    (X[0], ValueError, "X should be two-dimensional, but has the shape (3,)"),
    (X[None], ValueError, "X should be two-dimensional, but has the shape (1, 20, 3)"),
    (X[:0], ValueError, "X should have at least one row and one feature, but is empty"),
    (X[:, :0], ValueError, "X should have at least one row and one feature, but is empty"),
    (X.astype(object), TypeError, "X should hold real numbers, but has the dtype object"),
    (X.astype(complex), TypeError, "X should hold real numbers, but has the dtype complex128"),
    (X.astype(str), TypeError, "X should hold real numbers, but has the dtype <U"),
    (X.astype("M8[s]"), TypeError, "X should hold real numbers, but has the dtype datetime64[s]"),
    (None, TypeError, "X should hold real numbers, but has the dtype object"),
]
LABELS = [
    (
        with_value(Y, 3, NAN),
        ValueError,
        "y[3] should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (
        with_value(Y, 19, -INF),
        ValueError,
        "y[19] should be a finite number of magnitude at most 1e100, but is -inf",
    ),
    (Y[:-1], ValueError, "y should have as many labels as X has rows, 20, but has 19"),
    (Y[:0], ValueError, "y should have as many labels as X has rows, 20, but has 0"),
    (Y[:, None], ValueError, "y should be one-dimensional, but has the shape (20, 1)"),
    (Y.astype(str), TypeError, "y should hold real numbers, but has the dtype <U"),
    (Y.astype(object), TypeError, "y should hold real numbers, but has the dtype object"),
    (0.5, ValueError, "y should be one-dimensional, but has the shape ()"),
]


def refuses(model, call, error, message):
    """The call fails as it should, and the model is exactly as before."""
    before = model.to_bytes()
    with pytest.raises(error, match="^" + re.escape(message)):
        call()
    assert model.to_bytes() == before


@pytest.mark.parametrize(("x", "error", "message"), ONE_ROW)
def test_one_row(model, x, error, message):
    refuses(model, lambda: model.predict_one(x), error, message)
    refuses(model, lambda: model.learn_one(x, 0.5), error, message)


def test_a_row_with_names_is_none_of_numbers(model):
    if isinstance(model, nystream.Auto):
        refused = ValueError, "X should have 3 features, but has 1"
    else:
        refused = TypeError, "x should hold real numbers, but has the dtype object"
    refuses(model, lambda: model.predict_one({"a": 1.0}), *refused)
    refuses(model, lambda: model.learn_one({"a": 1.0}, 0.5), *refused)


@pytest.mark.parametrize(("y", "error", "message"), LABEL)
def test_one_label(model, y, error, message):
    refuses(model, lambda: model.learn_one(X[0], y), error, message)


@pytest.mark.parametrize(("rows", "error", "message"), ROWS)
def test_many_rows(model, rows, error, message):
    refuses(model, lambda: model.predict_many(rows), error, message)
    refuses(model, lambda: model.learn_many(rows, Y), error, message)
    refuses(model, lambda: model.progressive(rows, Y), error, message)


@pytest.mark.parametrize(("y", "error", "message"), LABELS)
def test_many_labels(model, y, error, message):
    refuses(model, lambda: model.learn_many(X, y), error, message)
    refuses(model, lambda: model.progressive(X, y), error, message)


def test_a_first_call_that_is_refused_leaves_no_trace():
    for name in nystream.algorithms():
        model = strict(name)
        refuses(model, lambda m=model: m.learn_one([1.0, NAN], 0.0), ValueError, "x[1]")
        refuses(model, lambda m=model: m.learn_many([[1.0]], [NAN]), ValueError, "y[0]")
        assert model.n_features is None
        model.learn_one([1.0, 2.0, 3.0, 4.0], 0.5)
        assert model.n_features == 4


@pytest.mark.parametrize("kernel", [nystream.Polynomial(8), nystream.Linear()])
def test_a_kernel_that_overflows_names_the_row(kernel):
    model = nystream.NonsAld(kernel)
    rows = with_value(X, (5, 0), 1e60)
    message = "the kernel value of X[5] with itself should be at most 50000000000000, but is "
    refuses(model, lambda: model.learn_many(rows, Y), ValueError, message)
    refuses(model, lambda: model.predict_one(rows[5]), ValueError, message.replace("X[5]", "x"))


@pytest.mark.parametrize("learner", EVERY_ROW)
def test_no_row_is_stored_beyond_max_rows(learner):
    model = learner(max_rows=25)
    model.learn_many(X, Y)
    message = "max_rows is 25, and 20 rows are stored: there is no room for 20 more"
    refuses(model, lambda: model.learn_many(X, Y), ValueError, message)
    refuses(model, lambda: model.progressive(X, Y), ValueError, message)
    model.predict_many(X)
    model.learn_many(X[:5], Y[:5])
    message = "max_rows is 25, and 25 rows are stored: there is no room for 1 more"
    refuses(model, lambda: model.learn_one(X[0], 0.5), ValueError, message)
    assert np.isfinite(model.predict_many(X)).all()


@pytest.mark.parametrize("learner", SAMPLING)
def test_draws_run_out(learner):
    model = learner(uniforms=np.full(25, 0.5))
    model.learn_many(X, Y)
    message = "uniforms should have a number for each row, 40 by now, but has 25"
    refuses(model, lambda: model.learn_many(X, Y), ValueError, message)
    model.learn_many(X[:5], Y[:5])
    message = "uniforms should have a number for each row, 26 by now, but has 25"
    refuses(model, lambda: model.learn_one(X[0], 0.5), ValueError, message)
    assert np.isfinite(model.predict_many(X)).all()


def test_given_frequencies_fix_the_width():
    model = nystream.Fogd(frequencies=np.ones((5, 2)))
    message = "x should have 2 features, but has 3"
    refuses(model, lambda: model.predict_one(X[0]), ValueError, message)
    refuses(model, lambda: model.learn_one(X[0], 0.5), ValueError, message)
    message = "X should have 2 features, but has 3"
    refuses(model, lambda: model.learn_many(X, Y), ValueError, message)
    model.learn_many(X[:, :2], Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nystream.datasets.friedman(0), "n_rows should be at least 1, but is 0"),
        (lambda: nystream.datasets.mackey_glass(-1), "n_rows should be at least 1, but is -1"),
        (lambda: nystream.datasets.mackey_glass(5, n_lags=0), "n_lags should be at least 1"),
        (lambda: nystream.datasets.mackey_glass(5, tau=-1), "tau should be at least 0"),
    ],
)
def test_datasets(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()


def test_kernel_matrices():
    kernel = nystream.Gaussian()
    for arguments, message in [
        ((X[0],), "X should be two-dimensional"),
        ((X, X[:, :2]), "Z should have 3 features, but has 2"),
        ((X, with_value(X, (4, 2), NAN)), "Z[4, 2] should be a finite number"),
        ((X[:0],), "X should have at least one row"),
    ]:
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            kernel(*arguments)


def test_a_kernel_matrix_that_there_is_no_room_for():
    rows = np.zeros((2_000_000, 1))
    with pytest.raises(MemoryError, match="no memory for a matrix of 2000000 x 2000000: "):
        nystream.Gaussian()(rows)


ENDLESS = [
    np.broadcast_to(np.zeros(3), (2**40, 3)),
    np.broadcast_to(np.zeros(3, np.float32), (2**40, 3)),
    np.broadcast_to(np.zeros(1), (2**12, 2**40)),
]


@pytest.mark.parametrize("rows", ENDLESS, ids=["long", "float32", "wide"])
@pytest.mark.parametrize(
    "call",
    [
        lambda model, rows: model.predict_many(rows),
        lambda model, rows: model.predict_interval(rows),
        lambda model, rows: model.scorer().predict_many(rows),
        lambda model, rows: model.learn_many(rows, np.broadcast_to(0.0, len(rows))),
        lambda model, rows: model.progressive(rows, np.broadcast_to(0.0, len(rows))),
        lambda _, rows: nystream.Auto().learn_many(rows, np.broadcast_to(0.0, len(rows))),
    ],
)
def test_rows_that_are_repeated_beyond_all_memory(rows, call):
    model = nystream.RidgeAld()
    model.learn_many(X, Y)
    before = model.to_bytes()
    with pytest.raises(MemoryError):
        call(model, rows)
    assert model.to_bytes() == before


def test_a_kernel_value_that_overflows():
    with pytest.raises(ValueError, match=r"the kernel value of Z\[0\] with itself .* but is inf"):
        nystream.Polynomial(32)([[1.0]], [[1e50]])


def test_masked_arrays_are_refused(model):
    masked = np.ma.masked_invalid(with_value(X, (3, 1), NAN))
    message = "X should not be a masked array"
    refuses(model, lambda: model.learn_many(masked, Y), TypeError, message)
    message = "y should not be a masked array"
    refuses(model, lambda: model.learn_many(X, np.ma.array(Y)), TypeError, message)


def test_exceptions_of_the_callers_own_objects_pass(model):
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

        def __float__(self):
            raise RuntimeError("mine")

    refuses(model, lambda: model.predict_one(Broken()), KeyboardInterrupt, "")
    refuses(model, lambda: model.learn_one(X[0], Broken()), KeyboardInterrupt, "")


def test_a_complaint_of_numpy_is_the_cause(model):
    with pytest.raises(ValueError, match="x should be an array of numbers") as caught:
        model.predict_one([[1.0], [2.0, 3.0]])
    assert isinstance(caught.value.__cause__, ValueError)


def test_converting_the_labels_may_change_the_rows(model):
    """Not that anybody should; but it is an exception or a result, never a crash."""

    class Labels:
        def __init__(self, change):
            self.change = change

        def __array__(self, dtype=None, copy=None):
            self.change()
            return Y

    rows = X.copy()
    changes = [lambda: setattr(rows, "shape", (60,)), lambda: rows.resize((1, 3), refcheck=False)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # setting a shape
        for change in changes:
            refuses(model, lambda c=change: model.learn_many(rows, Labels(c)), ValueError, "")


def test_messages_are_short(model):
    with pytest.raises(TypeError, match="y should be a number") as caught:
        model.learn_one(X[0], list(range(100_000)))
    assert len(str(caught.value)) < 200


def test_an_unknown_name_is_refused():
    with pytest.raises(TypeError, match="unknown variant `Magic`"):
        nystream.Learner("Magic")
    with pytest.raises(TypeError, match="unknown variant `Magic`"):
        nystream.Kernel("Magic")


def test_copies_are_independent(model):
    other = copy.deepcopy(model)
    before = model.to_bytes()
    other.learn_many(X, Y)
    assert model.to_bytes() == before
