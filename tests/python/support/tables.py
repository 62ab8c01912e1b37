"""Tables in every format, for the commands that read them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from nystream._tables.selection import Selection

NAMES = ("a", "b", "c")


def numbers(table, *columns):
    """Some columns of a table as a learner of numbers reads them."""
    return Selection(table.columns, columns, ())


def text_rows(X, y, names=NAMES, sign=","):
    """A header and rows that can be read back to the last bit."""
    lines = [sign.join((*names, "y"))]
    lines += [sign.join(map(repr, row)) for row in np.c_[X, y].tolist()]
    return "\n".join(lines) + "\n"


def json_rows(X, y, names=NAMES):
    keys = (*names, "y")
    rows = np.c_[X, y].tolist()
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


def arrow_table(X, y, names=NAMES):
    arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
    columns = dict(zip((*names, "y"), np.c_[X, y].T, strict=True))
    return arrow.table({name: np.ascontiguousarray(values) for name, values in columns.items()})


def write_parquet(path, X, y):
    table = arrow_table(X, y)
    import pyarrow.parquet

    # Groups of rows that no chunk is a multiple of, and few of them.
    pyarrow.parquet.write_table(table, path, row_group_size=300 if len(y) < 2000 else 30_000)


def write_arrow(path, X, y):
    table = arrow_table(X, y)
    import pyarrow.ipc

    kind = pyarrow.ipc.new_stream if path.suffix == ".arrows" else pyarrow.ipc.new_file
    with open(path, "wb") as file, kind(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=190)


WRITERS = {
    "t.csv": lambda path, X, y: path.write_text(text_rows(X, y)),
    "t.tsv": lambda path, X, y: path.write_text(text_rows(X, y, sign="\t")),
    "semicolons.csv": lambda path, X, y: path.write_text(text_rows(X, y, sign=";")),
    "t.csv.gz": lambda path, X, y: path.write_bytes(gzip.compress(text_rows(X, y).encode())),
    "t.jsonl": lambda path, X, y: path.write_text(json_rows(X, y)),
    "t.ndjson.gz": lambda path, X, y: path.write_bytes(gzip.compress(json_rows(X, y).encode())),
    "t.parquet": write_parquet,
    "t.arrow": write_arrow,
    "t.arrows": write_arrow,
    "t.npz": lambda path, X, y: np.savez(path, X=X, y=y, feature_names=NAMES),
    "packed.npz": lambda path, X, y: np.savez_compressed(path, X=X, y=y, feature_names=NAMES),
    "fortran.npz": lambda path, X, y: np.savez(
        path, X=np.asfortranarray(X), y=y[:, None], feature_names=NAMES
    ),
}


def write(folder, name, X, y):
    """Write a table in the format that its name tells."""
    path = folder / name
    WRITERS[name](path, X, y)
    return path
