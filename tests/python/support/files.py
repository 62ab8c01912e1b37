"""Files of the user's own, to be read at once."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest


def answer(monkeypatch, result):
    """Put something in place of scikit-learn that gives this, or raises it; returns its calls."""
    calls = []

    def fetch_openml(**arguments):
        calls.append(arguments)
        if isinstance(result, Exception):
            raise result
        return result

    module = SimpleNamespace(fetch_openml=fetch_openml)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", module)
    return calls


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


def write(path, names, table):
    """Write a table as the ending says."""
    if path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow", reason="pyarrow is missing: pip install '.[bench]'")
        from pyarrow import parquet

        columns = dict(zip(names, table.T, strict=True))
        parquet.write_table(arrow.table(columns), path)
    elif path.suffix == ".npz":
        np.savez(path, X=table[:, :-1], y=table[:, -1], feature_names=names[:-1], target_name="y")
    else:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter="\t" if ".tsv" in path.name else ",")
        writer.writerows([names, *table.tolist()])
        data = text.getvalue().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
