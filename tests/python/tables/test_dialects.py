"""CSV as people have it: what is understood of any dialect, however its bytes come."""

from __future__ import annotations

import csv
import gzip
import io
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nystream._core import TextReader, csv_head
from nystream._tables.csv_table import SEPARATORS
from nystream._tables.opening import open_table
from nystream._tables.selection import Reading, select
from nystream._tables.table import Position
from nystream._tables.text_table import empty

ALL = Reading(is_tabular=True)


def read(path, *targets, chunk=1000, reading=ALL, **options):
    """The columns of a file by name, its labels, and its bad rows."""
    table = open_table(str(path), None, **options)
    selection = select(table.columns, targets, None, None, reading, ())
    columns, labels, bad = {}, [], []
    for part in table.chunks(selection, chunk, Position()):
        for name, values in part.X.to_dict().items():
            columns.setdefault(name, []).extend(values)
        labels += part.y.tolist()
        bad += map(str, part.bad)
    table.close()
    return columns, labels, bad


# What is written, and what is understood.
DIALECTS = {
    "commas": ("a,b\n1.5,x\n", {"a": [1.5], "b": ["x"]}),
    "semicolons and decimal commas": ("a;b\n1,5;x\n2;y\n", {"a": [1.5, 2], "b": ["x", "y"]}),
    "tabs": ("a\tb\n1\tx, y\n", {"a": [1], "b": ["x, y"]}),
    "bars": ("a|b\n1|x\n", {"a": [1], "b": ["x"]}),
    "a byte order mark": ("\ufeffa,b\n1,x\n", {"a": [1], "b": ["x"]}),
    "Windows": ("a,b\r\n1,x\r\n", {"a": [1], "b": ["x"]}),
    "spaces": (" a , b\n 1 , x \n", {"a": [1], "b": ["x"]}),
    "gaps": ("a,b\nNA,?\n1,x\n-,\n", {"a": [None, 1, None], "b": [None, "x", None]}),
    "quotes": ('a,"b ""c"""\n1,"x, ""y"""\n', {"a": [1], 'b "c"': ['x, "y"']}),
    "spaces before quotes": ('a, b\n1, "x, y"\n', {"a": [1], "b": ["x, y"]}),
    "lines in quotes": ('a,b\n1,"x\n\ny"\n2,z\n', {"a": [1, 2], "b": ["x\n\ny", "z"]}),
    "numbers among texts": ("a,b\n1,01\nx,02\n", {"a": ["1", "x"], "b": [1, 2]}),
    "dates": ("a\n18.00.00\n19.30.00\n", {"a": ["18.00.00", "19.30.00"]}),
    "an index": (",b\n0,x\n1,y\n", {"": [0, 1], "b": ["x", "y"]}),
    "no values at first": ("a,b\n" + ",x\n" * 600 + "y,x\n", {"a": [None] * 600 + ["y"]}),
}


@pytest.mark.parametrize("case", DIALECTS)
@pytest.mark.parametrize("chunk", [1, 1000])
def test_dialects_are_understood(case, chunk, tmp_path):
    text, expected = DIALECTS[case]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    columns, _, bad = read(path, chunk=chunk)
    assert bad == []
    assert {name: columns[name] for name in expected} == expected


def test_columns_without_name_and_value_are_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;;\n1,5;x;;\n;;;\n")
    with closing(open_table(str(path), None)) as table:
        assert empty(table) == [2, 3]
    assert select(table.columns, [], None, None, ALL, [2, 3]).features == (0, 1)
    with pytest.raises(ValueError, match="columns 2, 3 have values, but no names; drop leaves"):
        select(table.columns, [], None, None, ALL, [])


def test_names_that_come_twice_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,a\n1,x,2\n")
    with closing(open_table(str(path), None)) as table:
        pass
    with pytest.raises(ValueError, match="should have different names, but 'a' comes twice"):
        select(table.columns, ["b"], None, None, ALL)
    assert select(table.columns, ["b"], None, ["0"], ALL).features == (2,)


def test_other_encodings_are_guessed_and_what_is_not_of_them_is_bad(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("Stadt,T(°C)\nKöln,1\n".encode("latin-1") + b"Ulm\x81,2\nM\xfcnchen,3\n")
    columns, _, bad = read(path)
    assert columns == {"Stadt": ["Köln", "München"], "T(°C)": [1, 3]}
    assert bad == ["line 3: is not WINDOWS-1252 text"]
    path.write_bytes(b"a,b\n" + b"1,x\n" * 600 + b"1,\xff\n")
    assert read(path)[2] == ["line 602: is not UTF-8 text"]


def test_labels_may_be_truths_or_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,Yes\n2,\n3,no\n4,-200\n5,perhaps\n6,1e200\n")
    reading = Reading(is_tabular=True, missing_values=(-200.0,))
    columns, labels, bad = read(path, "y", reading=reading)
    np.testing.assert_array_equal(labels, [1, np.nan, 0, np.nan])
    assert columns == {"a": [1, 2, 3, 4]}
    assert bad[0].startswith("line 6: column 'y' should be a number, but is 'perhaps'")
    assert bad[1].startswith("line 7: column 'y' should be a finite number")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst"])
def test_packed_files_are_read(name, tmp_path):
    data = b"a,b\n" + b"1,x\n" * 100_000
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(data))
    else:
        arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
        path.write_bytes(arrow.compress(data, "zstd", asbytes=True))
    columns, _, bad = read(path, chunk=8192)
    assert (len(columns["a"]), set(columns["b"]), bad) == (100_000, {"x"}, [])


def test_thousands_of_columns_are_read(tmp_path):
    n, path = 5000, tmp_path / "t.csv"
    lines = [",".join(f"c{i}" for i in range(n)), *[",".join(map(str, range(n)))] * 3]
    path.write_text("\n".join(lines))
    columns, _, _ = read(path)
    assert [columns[f"c{i}"] for i in (0, n - 1)] == [[0] * 3, [n - 1] * 3]


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8
)
ROWS = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(CELLS.map(lambda text: f"x{text}x"), min_size=width, max_size=width),
        min_size=1,
        max_size=6,
    )
)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, sign=st.sampled_from(",;\t|"), quoting=st.sampled_from([0, 1]), data=st.data())
def test_what_a_program_writes_comes_back_however_it_is_cut(rows, sign, quoting, data):
    """The separator is told: of odd texts no one could guess it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=sign, quoting=quoting, lineterminator="\n")
    names = [f"name {i}" for i in range(len(rows[0]))]
    writer.writerows([names, *rows])
    text = buffer.getvalue().encode()
    dialect, found, types, n_bytes, _ = csv_head(text, True, sign, None, "utf-8")
    assert found == names
    features = [(i, name, types[i]) for i, name in enumerate(names)]
    reader = TextReader.csv(dialect, len(names), features, [], [])
    cuts = data.draw(st.lists(st.integers(n_bytes, len(text)), max_size=6).map(sorted))
    for start, stop in zip([n_bytes, *cuts], [*cuts, len(text)], strict=True):
        reader.feed(text[start:stop])
        reader.read(10)
    reader.end()
    reader.read(10)
    table, *_, faults, n_rows = reader.take()
    assert (faults, n_rows) == ([], len(rows))
    assert list(map(list, zip(*table.to_dict().values(), strict=True))) == rows


def test_separators_are_guessed_among_the_usual_ones():
    for sign in SEPARATORS["csv"]:
        head = csv_head(f"a{sign}b\n1{sign}x\n".encode(), True, SEPARATORS["csv"])
        assert head[0][0] == sign
