"""Every estimator, and rows for it."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
from support import random_stream

import nystream
import nystream.sklearn

X, Y = random_stream(120, 3)
ESTIMATORS = {name: getattr(nystream.sklearn, f"{name}Regressor") for name in nystream.algorithms()}
COLUMNS = np.column_stack([Y, 1 - 2 * Y, X[:, 0] ** 2])


def settled(name):
    """An estimator in which nothing depends on the first rows."""
    model = ESTIMATORS[name]()
    given = {"sigma": 1.0, "bound": 1.0}
    return model.set_params(**{k: v for k, v in given.items() if k in model.get_params()})


def by_pickle(model, _path):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model, path):
    joblib.dump(model, path)
    return joblib.load(path)


def by_skops(model, path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    skops.dump(model, path)
    parts = {type(part) for part in (model, getattr(model, "model", model))}
    names = {f"{part.__module__}.{part.__name__}" for part in parts}
    expected = {name for name in names if name.startswith("nystream.sklearn.")}
    assert set(skops.get_untrusted_types(file=path)) == expected
    return skops.load(path, trusted=skops.get_untrusted_types(file=path))


STORES = [by_pickle, by_joblib, by_skops]


def weighted(seed=0):
    weights = np.random.default_rng(seed).integers(0, 4, len(Y))
    return weights.astype(np.float64), X.repeat(weights, axis=0), Y.repeat(weights)


def with_value(array, value):
    changed = array.copy()
    changed.flat[1] = value
    return changed
