"""Files of the user's own: NumPy arrays and Parquet."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from files import refused, write

from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


GOOD = {"X": np.ones((3, 2)), "y": np.arange(3.0)}
BAD_NPZ = [
    ({"X": GOOD["X"]}, {}, "{} should hold an array y, but holds X"),
    ({"x": GOOD["X"], "y": GOOD["y"]}, {}, "{} should hold an array X, but holds x, y"),
    (GOOD, {"target": "price"}, "{} should hold an array price, but holds X, y"),
    ({**GOOD, "y": np.ones(4)}, {}, "y of {} should have 3 labels, but has 4"),
    ({**GOOD, "X": np.ones(3)}, {}, "X of {} should be two-dimensional, but has the shape (3,)"),
    ({**GOOD, "X": np.full((3, 2), "a")}, {}, "X of {} should hold real numbers"),
    ({**GOOD, "X": np.full((3, 2), None)}, {}, "{} is not a sound .npz file: Object arrays"),
    ({"X": np.ones((0, 2)), "y": []}, {}, "{} should have at least one row and one feature"),
    (
        {**GOOD, "X": np.array([[1, 2], [3, np.nan], [4, 5]])},
        {},
        "X[1, 1] of {} should be a finite number of magnitude at most 1e100, but is nan",
    ),
    ({**GOOD, "y": np.array([1, 2, np.inf])}, {}, "y[2] of {} should be a finite number"),
    (GOOD, {"drop": [0, 1]}, "there should be a feature beside the target, column 2"),
    (GOOD, {"drop": [2]}, "drop should be an index from -2 to 1, as there are no names, but is 2"),
]


@pytest.mark.parametrize(("arrays", "arguments", "message"), BAD_NPZ)
def test_arrays_that_are_refused(arrays, arguments, message, tmp_path):
    path = tmp_path / "own.npz"
    np.savez(path, **arrays)
    with refused(ValueError, message.format(path)):
        datasets.read(path, **arguments)


def test_arrays_of_other_names_and_types(tmp_path):
    path = tmp_path / "own.npz"
    X = np.asfortranarray(np.arange(6).reshape(3, 2))
    odd = {"feature_names": np.array(["a", None]), "more": np.array([None]), "target_range": 3}
    np.savez(path, X=X, price=np.float32([1, 2, 4]), **odd)
    data = datasets.read(path, target="price", drop=-1, scale=None)
    assert (data.feature_names, data.target_name) == (None, "price")
    np.testing.assert_array_equal(data.X, [[0], [2], [4]])
    np.testing.assert_array_equal(data.y, [1, 2, 4])
    assert data.X.dtype == data.y.dtype == np.float64
    np.savez(path, X=X, y=[1, 2, 3], price=[1, 2, 4], target_name="rent")
    assert datasets.read(path).target_name == "rent"
    assert datasets.read(path, target="price").target_name == "price"
    with refused(TypeError, "target should be the name of an array, but is 3"):
        datasets.read(path, target=3)


BAD_PARQUET = [
    ({"a": ["x", "z"], "y": [1, 2]}, "{}: column 'a' should hold numbers, but holds string"),
    ({"a": [1, 2], "y": [1.0, None]}, "{}, row 1: column 'y' should be a finite number"),
    (
        {"a": [1.0, float("nan")], "y": [1, 2]},
        "{}, row 1: column 'a' should be a finite number of magnitude at most 1e100, but",
    ),
    ({"a": [[1], [2]], "y": [1, 2]}, "{}: column 'a' should hold numbers, but holds list"),
    ({"a": [], "y": []}, "{} should have at least one row, but has none"),
    ({"a": [1], "b": [2]}, "target should be one of the columns 'a', 'b', but is 'y'"),
]


@pytest.mark.parametrize(("columns", "message"), BAD_PARQUET)
def test_tables_that_are_refused(columns, message, tmp_path, parquet):
    import pyarrow

    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    with refused(ValueError, message.format(path)):
        datasets.read(path, target="y")


def test_tables_of_other_types(tmp_path, parquet):
    import decimal

    import pyarrow

    columns = {
        "a.b": pyarrow.array([True, False]),
        "t": ["x", None],
        "a": pyarrow.array([3, 4], pyarrow.int8()),
        "d": [decimal.Decimal("1.5"), decimal.Decimal("2.5")],
        "y": pyarrow.array([1, 2], pyarrow.float32()),
    }
    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    data = datasets.read(path, target=-1, drop=["t"], scale=None)
    np.testing.assert_array_equal(data.X, [[1, 3, 1.5], [0, 4, 2.5]])
    assert data.feature_names == ("a.b", "a", "d")
    np.testing.assert_array_equal(data.y, [1, 2])


def test_a_table_whose_columns_share_a_name_is_refused(tmp_path, parquet):
    import pyarrow

    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table([[1], [2], [3]], names=["a", "a", "y"]), path)
    with refused(ValueError, f"{path} should have columns of different names"):
        datasets.read(path, target="y")


def test_a_missing_pyarrow_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "own.parquet"
    path.write_bytes(b"PAR1")
    message = f"reading {path} needs pyarrow: pip install 'nystream[bench]'"
    with refused(ImportError, message):
        datasets.read(path, target="y")


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_damaged_files_are_refused_or_read_as_they_are(suffix, tmp_path):
    whole, path = tmp_path / f"whole{suffix}", tmp_path / f"damaged{suffix}"
    table = np.random.default_rng(0).random((40, 3))
    write(whole, ["a", "b", "y"], table)
    data = whole.read_bytes()
    for cut in [0, 1, 4, 30, len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:cut])
        kind = {".npz": ".npz", ".parquet": "Parquet"}[suffix]
        with refused(ValueError, f"{path} is not a sound {kind} file: "):
            datasets.read(path, target="y")
    rng = np.random.default_rng(1)
    for _ in range(150):
        changed = bytearray(data)
        changed[rng.integers(len(data))] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(changed))
        try:
            found = datasets.read(path, target="y", scale=None)
        except ValueError:
            continue
        assert found.X.shape[0] == len(found.y)
        assert np.isfinite(found.X).all()


def test_an_array_that_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "own.npz"
    with path.open("wb") as file:
        np.save(file, np.ones(3))
    with refused(ValueError, f"{path} is not a sound .npz file: it is one array"):
        datasets.read(path)
