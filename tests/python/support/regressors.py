"""Every regressor of river, and the loop that learns with it."""

from __future__ import annotations

import pandas as pd
from support import random_stream

import nystream
import nystream.river

# One for each learner, and those of them that take numbers alone.
NAMES = [f"{name}Regressor" for name in sorted(nystream.algorithms())]
OF_NUMBERS = [name for name in NAMES if name != "AutoRegressor"]


def make(name, **params):
    return getattr(nystream.river, f"{name.removesuffix('Regressor')}Regressor")(**params)


def learner_of(name):
    return getattr(nystream, name.removesuffix("Regressor"))


def stream(n_rows=60, names="cab", seed=0):
    X, y = random_stream(n_rows, len(names), seed)
    rows = [dict(zip(names, map(float, row), strict=True)) for row in X]
    return list(zip(rows, map(float, y), strict=True))


def learn(model, rows):
    for x, y in rows:
        model.learn_one(x, y)
    return model


def frame_of(library, rows):
    X = pd.DataFrame([x for x, _ in rows])
    y = pd.Series([y for _, y in rows], name="label")
    if library == "polars":
        import polars

        return polars.DataFrame(X.to_dict("list")), polars.Series("label", y.to_list())
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(X.to_dict("list")), pyarrow.chunked_array([y.to_list()])
    return X, y
