"""Tables in pieces: read on from any chunk, damaged, with lines that are no rows."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import random

import numpy as np
import pytest
import tables
from support import random_stream

from nystream._tables.opening import open_table
from nystream._tables.table import Position


@pytest.mark.parametrize("name", tables.WRITERS)
@pytest.mark.parametrize("chunk", [1, 190, 1000])
@pytest.mark.parametrize("resumable", [False, True])
def test_a_table_is_read_on_from_any_chunk(name, chunk, resumable, tmp_path):
    X, y = random_stream(600 if chunk > 1 else 7, 3)
    path = tables.write(tmp_path, name, X, y)

    def read(start):
        table = open_table(str(path), None, resumable)
        parts = list(table.chunks(tables.numbers(table, 3, 1), chunk, start))
        assert table.fraction(parts[-1].end) in (None, 1.0) if parts else True
        table.close()
        return parts

    whole = read(Position())
    np.testing.assert_array_equal(np.concatenate([p.X.rows for p in whole]), np.c_[y, X[:, 1]])
    for i, part in enumerate(whole):
        rest = read(part.end)
        assert len(rest) == len(whole) - i - 1
        for one, other in zip(rest, whole[i + 1 :], strict=True):
            np.testing.assert_array_equal(one.rows, other.rows)
            np.testing.assert_array_equal(one.X.rows, other.X.rows)
            assert one.end == other.end


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows", "t.csv.gz"])
def test_a_damaged_table_is_refused_or_read(name, tmp_path):
    path, rng = tables.write(tmp_path, name, *random_stream(300, 3)), random.Random(1)
    sound = path.read_bytes()
    for _ in range(300):
        damaged = bytearray(sound[: rng.choice([len(sound), rng.randrange(1, len(sound))])])
        for _ in range(4):
            damaged[-rng.randrange(1, 800) % len(damaged)] = rng.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            table = open_table(str(path), None, resumable=True)
            with contextlib.closing(table):
                list(
                    table.chunks(
                        tables.numbers(table, *range(min(4, table.columns.count))), 97, Position()
                    )
                )


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_lines_that_are_no_rows_are_part_of_the_position(name, tmp_path, monkeypatch):
    monkeypatch.setattr("nystream._tables.source.LONGEST", 100)
    rows = ["[1, 2]", "", "x" * 1000, '{"a": 1, "y": 2}', " " * 101, '{"a": 3, "y": 4}', "z" * 350]
    text = "\n".join([*rows, '{"a": 5, "y": 6}', ""]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)

    def read(start):
        table = open_table(str(path), None, resumable=True)
        parts = list(table.chunks(tables.numbers(table, 0, 1), 1, start))
        table.close()
        return parts

    whole = read(Position())
    assert [part.end.line for part in whole] == [1, 3, 4, 5, 6, 7, 8]
    assert [part.X.rows.tolist() for part in whole if len(part.rows)] == [
        [[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]],
    ]  # fmt: skip
    assert whole[-1].end.byte == len(text)
    assert whole[-1].end.digest == hashlib.blake2b(text, digest_size=32).hexdigest()
    for i, part in enumerate(whole):
        assert [other.end for other in read(part.end)] == [p.end for p in whole[i + 1 :]]
