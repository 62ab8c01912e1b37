"""Files of the user's own: what is read of any of them, and of text."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest
from files import refused, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


NUMBERS = st.floats(-1e100, 1e100).map(lambda value: value + 0.0)  # text does not tell -0 from 0
TABLES = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=6
    )
)
SMALL = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".npz"])
@SMALL
@given(rows=TABLES)
def test_files_give_back_what_was_written(tmp_path, suffix, rows):
    table = np.array(rows)
    names = [*(f"c, {i}" for i in range(table.shape[1] - 1)), "y"]
    path = tmp_path / f"own.v1{suffix}"
    write(path, names, table)
    data = datasets.read(path, target="y", scale=None)
    np.testing.assert_array_equal(data.X, table[:, :-1])
    np.testing.assert_array_equal(data.y, table[:, -1])
    assert data.X.flags.c_contiguous
    assert data.y.flags.c_contiguous
    assert (data.name, data.source) == ("own.v1", str(path))
    assert (data.feature_names, data.target_name) == (tuple(names[:-1]), "y")
    assert (data.scaling, data.note) == ("not scaled", "")
    assert data.target_range == (table[:, -1].min(), table[:, -1].max())
    scaled = datasets.read(path, target="y")
    X, y = datasets.scale_as_paper(table[:, :-1], table[:, -1])
    np.testing.assert_array_equal(scaled.X, X)
    np.testing.assert_array_equal(scaled.y, y)


@SMALL
@given(rows=TABLES)
def test_scaling_fills_the_intervals_and_keeps_the_order(rows):
    table = np.array(rows)
    X, y = datasets.scale_as_paper(table[:, 1:], table[:, 0])
    for before, after, low in [
        *((b, a, -1.0) for b, a in zip(table[:, 1:].T, X.T, strict=True)),
        (table[:, 0], y, 0.0),
    ]:
        if before.min() == before.max():
            assert set(after) == {0.0}
        else:
            assert (after.min(), after.max()) == (low, 1)
            assert (np.diff(after[np.argsort(before)]) >= 0).all()


def test_what_is_constant_is_said(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,y\n1,5,3\n2,5,3\n")
    data = datasets.read(path, target="y")
    np.testing.assert_array_equal(data.X, [[-1, 0], [1, 0]])
    np.testing.assert_array_equal(data.y, [0, 0])
    assert data.note == "column 'b' is constant; the target is constant"
    assert "[-1, 1]" in data.scaling
    assert data.target_range == (3, 3)


# Text, target, what is dropped; then features and labels.
CSV = {
    "plain": ("a,b,y\n1,2,3\n4,5,6\n", "y", (), [[1, 2], [4, 5]], [3, 6]),
    "no last newline": ("a,b,y\n1,2,3\n4,5,6", "y", (), [[1, 2], [4, 5]], [3, 6]),
    "semicolons": ("a;b;y\n1;2;3\n", "y", (), [[1, 2]], [3]),
    "tabs": ("a\tb\ty\n1\t2\t3\n", "y", (), [[1, 2]], [3]),
    "Windows": ("\ufeffa,b,y\r\n1,2,3\r\n4,5,6\r\n\r\n", "a", (), [[2, 3], [5, 6]], [1, 4]),
    "blank lines": ("\n \na,y\n\n1,2\n  \n\n3,4\n\n\n", "y", (), [[1], [3]], [2, 4]),
    "quoted names": ('"a;b","say ""y"""\n1,2\n', 'say "y"', (), [[1]], [2]),
    "quoted numbers": ('a,y\n"1.5","2"\n', "y", (), [[1.5]], [2]),
    "spaces": ("a, y\n 1 , 2 \n", "y", (), [[1]], [2]),
    "exponents": ("a,y\n-1e-3,+2E2\n", "y", (), [[-0.001]], [200]),
    "an index": ("a,b,y\n1,2,3\n", 1, (), [[1, 3]], [2]),
    "an index from the end": ("a,b,y\n1,2,3\n", -1, (), [[1, 2]], [3]),
    "an index as text": ("a,b,y\n1,2,3\n", "-1", (), [[1, 2]], [3]),
    "NumPy's index": ("a,b,y\n1,2,3\n", np.int64(2), (), [[1, 2]], [3]),
    "a name before an index": ("1,x,0\n1,2,3\n", "0", (), [[1, 2]], [3]),
    "no names": ("1,2,3\n4,5,6\n", 0, (), [[2, 3], [5, 6]], [1, 4]),
    "one row, no names": ("1,2", -1, (), [[1]], [2]),
    "text is dropped": ('a,t,y\n1,"x,\ny",3\n4,é,6\n', "y", ["t"], [[1], [4]], [3, 6]),
    "a number sign": ("#,t,y\n1,# 1,3\n", "y", "t", [[1]], [3]),
    "missing is dropped": ("a,t,y\n1,,3\n4,nan,6\n", "y", "t", [[1], [4]], [3, 6]),
    "dropped by index": ("a,t,y,z\n1,x,3,x\n", 2, [1, -1], [[1]], [3]),
    "dropped alone": ("a,t,y\n1,x,3\n", "y", 1, [[1]], [3]),
    "same names": ("a,a,y\n1,2,3\n", "y", (), [[1, 2]], [3]),
}


@pytest.mark.parametrize("case", CSV)
def test_texts_that_can_be_read(case, tmp_path):
    text, target, drop, X, y = CSV[case]
    path = tmp_path / "own.csv"
    path.write_bytes(text.encode())
    data = datasets.read(path, target=target, drop=drop, scale=None)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert (data.feature_names is None) == ("no names" in case)


GO_ON = "and nystream.Auto takes frames with text, times and gaps as they are"
NOT_A_NUMBER = f"; drop leaves a column out, {GO_ON}"
# Text, arguments, and what is wrong; {} stands for the path.
BAD_CSV = [
    ("a,y\n1,2\nx,3\n", {}, "{}, line 3: column 'a' should be a number, but is 'x'" + NOT_A_NUMBER),
    ("a,y\n\n1,2\n\n1,1_0\n", {}, "{}, line 5: column 'y' should be a number, but is '1_0'"),
    ('a,t,y\n1,"p\nq",2\n1,q,z\n', {"drop": "t"}, "{}, line 4: column 'y' should be a number"),
    ("a;y\n1.5;2\n1,5;2\n", {}, "{}, line 3: column 'a' should be a number, but is '1,5'"),
    ("a,y\n1,2\n,3\n", {}, "{}, line 3: column 'a' has no value"),
    ("a,y\n1,2\n,\n", {}, "{}, line 3: column 'a' has no value"),
    ("a\ty\n1\t2\n \n\t\n", {}, "{}, line 4: column 'a' has no value"),
    ("a,t,y\n1,x\0,2\n1,x,z\n", {"drop": "t"}, "{}, line 3: column 'y' should be a number"),
    ("a,y\n1,2\n1, \n", {}, "{}, line 3: column 'y' has no value"),
    (
        "a,y\n1,2\nNaN,3\n",
        {},
        "{}, line 3: column 'a' should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (
        "a,y\r\n\r\n1,2\r\n3,-inf\r\n",
        {},
        "{}, line 4: column 'y' should be a finite number of magnitude at most 1e100, but is -inf",
    ),
    (
        "a,y\n1e101,2\n",
        {},
        "{}, line 2: column 'a' should be a finite number of magnitude at most 1e100, but is 1e101",
    ),
    ("1,2\n3,x\n", {"target": 0}, "{}, line 2: column 1 should be a number, but is 'x'"),
    ("a,y\n1,2\n1,2,3\n", {}, "{}, line 3: there should be 2 columns, but there are 3"),
    ("a,y,b\n1,2\n", {}, "{}, line 2: there should be 3 columns, but there are 2"),
    ("a,t,y\n1,x,2\n1,x\n", {"drop": "t"}, "{}, line 3: there should be 3 columns"),
    ("", {}, "{} is empty"),
    ("\n \n", {}, "{} is empty"),
    ("a,y\n", {}, "{} should have at least one row, but has none"),
    ("a,y\n\n\n", {}, "{} should have at least one row, but has none"),
    ("y\n1\n", {}, "there should be a feature beside the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": ["a"]}, "there should be a feature beside the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": [1]}, "drop should not hold the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": ["b"]}, "drop should be one of the columns 'a', 'y', but is 'b'"),
    ("a,b\n1,2\n", {}, "target should be one of the columns 'a', 'b', but is 'y'"),
    ("a,y\n1,2\n", {"target": 2}, "target should be one of the columns 'a', 'y', but is 2"),
    ("a,y\n1,2\n", {"target": "-3"}, "target should be one of the columns 'a', 'y', but is '-3'"),
    ("y,y,a\n1,2,3\n", {}, "target should be an index, but is 'y', a name of 2 columns"),
    ("1,2\n", {}, "target should be an index from -2 to 1, as there are no names, but is 'y'"),
    ("a,y\n1,2\n", {"target": None}, "target should be the name or the index of a column"),
    ("a,y\n1,2\n", {"scale": "unit"}, "scale should be 'paper' or None, but is 'unit'"),
]


@pytest.mark.parametrize(("text", "arguments", "message"), BAD_CSV)
def test_texts_that_are_refused(text, arguments, message, tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(text.encode())
    with refused(ValueError, message.format(path)):
        datasets.read(path, **{"target": "y", **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 1.5}, "target should be the name or the index of a column, but is 1.5"),
        ({"target": True}, "target should be the name or the index of a column, but is True"),
        (
            {"target": "y", "drop": [None]},
            "drop should be the name or the index of a column, but is None",
        ),
    ],
)
def test_columns_of_another_type_are_refused(arguments, message, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,y\n1,2\n")
    with refused(TypeError, message):
        datasets.read(path, **arguments)


def test_many_columns_are_not_all_listed(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(",".join(f"c{i}" for i in range(90)) + "\n")
    with pytest.raises(ValueError, match=r"'c19', \.\.\., but is 'y'"):
        datasets.read(path, target="y")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    good = b"a,y\n" + b"1,2\n" * 5000
    for name, data, problem in [
        ("head.csv", b"a\x81,y\n1,2\n", "text"),
        ("body.csv", good + b"\xff,2\n", ", line 5002: is not UTF-8 text"),
        ("cut.csv.gz", gzip.compress(good)[:-9], "is not a sound gzip file"),
        ("bent.csv.gz", gzip.compress(good)[:20] + b"\xff" * 40, "is not a sound gzip file"),
    ]:
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ValueError, match=re.escape(str(path))) as error:
            datasets.read(path, target="y")
        assert problem in str(error.value)


def test_a_file_of_another_name_is_read_by_its_first_bytes(tmp_path):
    path = tmp_path / "not.csv.gz"
    path.write_bytes(b"a,y\n1,2\n")
    assert datasets.read(path, target="y", scale=None).y == [2]


def test_files_that_are_not_there_or_not_known(tmp_path):
    with refused(FileNotFoundError, f"path should be a file, but there is none at {tmp_path}"):
        datasets.read(tmp_path, target="y")
    with refused(TypeError, "path should be a path, but is None"):
        datasets.read(None, target="y")
    path = tmp_path / "own.xlsx"
    path.write_bytes(b"")
    known = ".csv, .tsv, .csv.gz, .tsv.gz, .parquet, .npz"
    with refused(ValueError, f"path should end with one of {known}, but is {path}"):
        datasets.read(path, target="y")
