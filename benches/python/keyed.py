"""Models by key, beside a dict of models and one model for all keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from common import Case, Settings, Table, best_of, ready

import nystream

WIDTH = 8


def measure(settings: Settings) -> Iterator[Table]:
    sizes = (100, 1_000) if settings.quick else (1_000, 100_000)
    rows: list[tuple] = []
    for n_keys in sizes:
        rows.extend(of(n_keys, settings))
    yield Table(
        f"Models by key, {WIDTH} features",
        "Each row is predicted, then learned. Keys are whole numbers in a random order, and each "
        "has been learned before. One model: `LinearRls.progressive` without keys. A dict: "
        "`predict_one` and `learn_one` of a `LinearRls` for each key, rows of an array.",
        ("models", "keys", "us/row", "time / dict", "bytes/key"),
        rows,
    )


def of(n_keys: int, settings: Settings) -> list[tuple]:
    rng = np.random.default_rng(0)
    keys = np.concatenate([rng.permutation(n_keys), rng.integers(0, n_keys, n_keys)])
    X = rng.normal(size=(len(keys), WIDTH))
    y = X.sum(1) + rng.normal(size=len(keys))
    models: dict[int, nystream.Learner] = {}
    keyed = {
        "Keyed": nystream.Keyed(nystream.LinearRls()),
        "Keyed, shared=False": nystream.Keyed(nystream.LinearRls(), shared=False),
    }
    one = nystream.LinearRls()
    cases: dict[str, Case] = {
        "one model": ready(one.progressive, X, y),
        "a dict of models": ready(loop(models), keys.tolist(), list(X), y.tolist()),
    }
    cases |= {name: ready(model.progressive, keys, X, y) for name, model in keyed.items()}
    for case in cases.values():
        case()()
    seconds = best_of(settings.rounds, cases, f"{n_keys:,} keys")
    sizes = {name: model.nbytes / n_keys for name, model in keyed.items()}
    sizes["a dict of models"] = sum(model.nbytes for model in models.values()) / n_keys
    sizes["one model"] = one.nbytes
    base = seconds["a dict of models"]
    return [
        (name, f"{n_keys:,}", 1e6 * spent / len(y), spent / base, round(sizes[name]))
        for name, spent in seconds.items()
    ]


def loop(models: dict[int, nystream.Learner]) -> Callable[[list, list, list], Any]:
    def learn(keys: list, X: list, y: list) -> None:
        for key, x, label in zip(keys, X, y, strict=True):
            model = models.get(key)
            if model is None:
                model = models[key] = nystream.LinearRls()
            model.predict_one(x)
            model.learn_one(x, label)

    return learn
