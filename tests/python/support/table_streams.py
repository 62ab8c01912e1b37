"""A stream of rows of every type, and the forms that a table of them may have."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pytest

import nystream

TOWNS = ("Ulm", "Bonn", "Köln", "Trier", "Aachen")
BEGIN = dt.datetime(2024, 1, 30, 7, 30)


def row(i):
    """A row whose label depends on a text, a number with gaps, a truth and a time."""
    return {
        "town": TOWNS[i * i % 7 % 5] if i % 11 else None,
        "rooms": i * 7 % 5,
        "area": None if i % 6 == 3 else 20.0 + i * 37 % 61 / 4,
        "garden": i * 5 % 3 == 0,
        "since": BEGIN + dt.timedelta(hours=5 * i, microseconds=i),
        "waited": dt.timedelta(minutes=i * 13 % 50, milliseconds=250),
    }


def label(i):
    known = row(i)
    size = 40.0 if known["area"] is None else known["area"]
    return size / 10 + known["rooms"] + len(known["town"] or "") + 3 * known["garden"] + i % 3 / 9


def stream(n_rows):
    return [row(i) for i in range(n_rows)], np.array([label(i) for i in range(n_rows)])


def rows_of_ids(n_rows):
    """Rows whose ids and notes never come again."""
    return [
        {"id": f"a{i * 7}", "town": TOWNS[i % 5], "note": f"seen by {i}", "stated": f"b{i}"}
        for i in range(n_rows)
    ]


def columns_of(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def small_auto(**kwargs):
    return nystream.Auto(warm_up=40, max_basis=12, **kwargs)


def small_tabular(**kwargs):
    return nystream.Tabular(nystream.RidgeAld(max_basis=12), **kwargs)


MAKERS = {"Auto": small_auto, "Tabular": small_tabular}


def schema_of(model):
    return [(column.name, column.kind, column.n_missing) for column in model.schema]


def quietly(call, *args, **kwargs):
    """Call without the warning of columns that are left out."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "columns whose values", UserWarning)
        return call(*args, **kwargs)


def library(name):
    return pytest.importorskip(name, reason=f"not installed: {name}")


def pandas_numpy(rows):
    """Columns as pandas makes them of Python's values."""
    return library("pandas").DataFrame(columns_of(rows))


def pandas_objects(rows):
    pandas = library("pandas")
    columns = columns_of(rows).items()
    return pandas.DataFrame({name: pandas.Series(v, dtype=object) for name, v in columns})


def pandas_nullable(rows):
    return pandas_numpy(rows).convert_dtypes()


def pandas_arrow(rows):
    library("pyarrow")
    return pandas_numpy(rows).convert_dtypes(dtype_backend="pyarrow")


def pandas_categories(rows):
    frame = pandas_numpy(rows)
    # Categories that do not come are no values.
    towns = frame["town"].astype("category").cat.set_categories(["Rom", *reversed(TOWNS)])
    return frame.assign(town=towns, garden=frame["garden"].astype("category"))


def pandas_index(rows):
    """Rows under an index that is no column."""
    return pandas_numpy(rows).set_axis([f"row {i}" for i in range(len(rows))])


def polars_frame(rows):
    return library("polars").DataFrame(columns_of(rows))


def polars_categories(rows):
    polars = library("polars")
    return polars_frame(rows).with_columns(polars.col("town").cast(polars.Categorical))


def arrow_table(rows):
    return library("pyarrow").table(columns_of(rows))


def arrow_chunks(rows):
    pyarrow = library("pyarrow")
    table = arrow_table(rows)
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=17), table.schema)


def arrow_batch(rows):
    return library("pyarrow").record_batch(columns_of(rows))


def arrow_dictionaries(rows):
    table = arrow_table(rows)
    return table.set_column(0, "town", table["town"].dictionary_encode())


def duckdb_relation(rows):
    relation = library("duckdb").connect().from_arrow(arrow_table(rows))
    if "waited" not in rows[0]:
        return relation
    # DuckDB's intervals have months, which are no number of seconds.
    return relation.project("* replace (epoch(waited) as waited)")


def other_stream(rows):
    """A class of no known library, which hands out an Arrow stream."""
    table = arrow_table(rows)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    return Stream()


FORMS = {
    "dicts": list,
    "Table": nystream.Table,
    "Table of a frame": lambda rows: nystream.Table(arrow_table(rows)),
    "pandas, NumPy": pandas_numpy,
    "pandas, objects": pandas_objects,
    "pandas, nullable": pandas_nullable,
    "pandas, Arrow": pandas_arrow,
    "pandas, categories": pandas_categories,
    "pandas, index": pandas_index,
    "polars": polars_frame,
    "polars, categories": polars_categories,
    "pyarrow": arrow_table,
    "pyarrow, chunks": arrow_chunks,
    "pyarrow, batch": arrow_batch,
    "pyarrow, dictionaries": arrow_dictionaries,
    "DuckDB": duckdb_relation,
    "other": other_stream,
}
