"""Damaged and forged .npz files, for both who read them: all at once and row by row."""

from __future__ import annotations

import contextlib
import io
import random
import tracemalloc
import zipfile

import numpy as np
import pytest
import tables

from nystream import datasets
from nystream._cli import main
from nystream._tables.opening import open_table
from nystream._tables.table import Position

X = np.random.default_rng(0).uniform(-1, 1, (20, 3))
ARRAYS = {"X": X, "y": X[:, 0], "feature_names": np.array(["a", "b", "c"])}


def at_once(path):
    return datasets.read(path, scale=None)


def row_by_row(path):
    table = open_table(str(path), None)
    try:
        return list(table.chunks(tables.numbers(table, *range(table.columns.count)), 7, Position()))
    finally:
        table.close()


READERS = pytest.mark.parametrize("read", [at_once, row_by_row])


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def write(path, change, kind=zipfile.ZIP_STORED):
    """An archive of arrays, each of whose files is changed."""
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, array in ARRAYS.items():
            archive.writestr(f"{name}.npy", change(name, npy(array)))


def replaced(before, after):
    def change(name, data):
        if name != "X":
            return data
        assert before in data
        return data.replace(before, after.ljust(len(before))[: max(len(before), len(after))])

    return change


@READERS
@pytest.mark.parametrize(
    "change",
    [
        replaced(b"(20, 3)", b"(-1, 3)"),
        replaced(b"(20, 3)", b"(9999999999999999, 3)"),
        replaced(b"(20, 3)", b"(21, 3)"),
        replaced(b"(20, 3)", b"(20.,3)"),
        replaced(b"(20, 3)", b"[20, 3]"),
        replaced(b"(20, 3)", b"((((((("),
        replaced(b"(20, 3)", b"(True,)"),
        replaced(b"(20, 3)", b"2 0, 3 "),
        replaced(b"'<f8'", b"'<q9'"),
        replaced(b"'<f8'", b"',,8'"),
        replaced(b"'<f8'", b"'|O8'"),
        replaced(b"'<f8'", b"'<c8'"),
        replaced(b"'<f8'", b"[1,2]"),
        replaced(b"False", b"'yes"),
        replaced(b"{'descr'", b"\n descr'"),
        replaced(b"'shape'", b"'shade'"),
        replaced(b"\x93NUMPY\x01", b"\x93NUMPY\x09"),
        replaced(b"\x93NUMPY", b"\x93NUMPX"),
        lambda name, data: data[:9],
        lambda name, data: data[:-8],
        lambda name, data: data + bytes(8),
        lambda name, data: b"",
    ],
)
def test_a_header_that_cannot_be_is_refused(change, read, tmp_path):
    path = tmp_path / "t.npz"
    write(path, change)
    with pytest.raises(ValueError, match=r"t\.npz") as refused:
        read(path)
    assert "\n" not in str(refused.value)
    assert main(["info", str(path)]) == 2


@READERS
def test_a_header_that_unpacks_to_gigabytes_is_refused_in_little_memory(read, tmp_path):
    path = tmp_path / "t.npz"
    long = b"\x93NUMPY\x02\x00" + (10**8).to_bytes(4, "little") + bytes(10**8)
    write(path, lambda name, data: long if name == "X" else data, zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="the header of an array has 100,000,000 bytes"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@READERS
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_chance_does_to_a_file_is_refused_or_read(save, read, tmp_path):
    path, rng = tmp_path / "t.npz", random.Random(save.__name__)
    save(path, **ARRAYS)
    sound = path.read_bytes()
    for _ in range(300):
        data = bytearray(sound[: rng.choice([len(sound), rng.randrange(len(sound))])])
        for _ in range(rng.randint(0, 4) if data else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(ValueError):
            read(path)


@READERS
def test_what_chance_does_to_a_header_is_refused_or_read(read, tmp_path):
    """The archive is sound: its checksums do not find it."""
    path, rng = tmp_path / "t.npz", random.Random(0)
    signs = b"0123456789(){}[],:'-.\n TL\\#"

    def change(name, data):
        data = bytearray(data)
        for _ in range(rng.randint(0, 3)):
            data[rng.randrange(8, 128)] = rng.choice(signs)
        return bytes(data)

    for _ in range(500):
        write(path, change)
        with contextlib.suppress(ValueError):
            read(path)


@READERS
def test_words_that_cannot_be_read_are_no_loss(read, tmp_path):
    path = tmp_path / "t.npz"
    write(path, lambda name, data: data if name in "Xy" else b"no array")
    read(path)
    table = open_table(str(path), None)
    assert table.columns.names is None
    table.close()
