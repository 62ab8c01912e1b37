"""Writes the golden files of the current format that are not there yet, of a new format or learner.

python tests/python/golden/make.py tests/python/golden/format-N
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import nystream

GAUSSIAN = nystream.Gaussian(1.5)
SPECIAL = {
    "AogdAld-switched": nystream.AogdAld(GAUSSIAN, alpha=0.1, switch_at=4),
    "Auto": nystream.Auto(warm_up=16, max_basis=6),
    "Auto-warming": nystream.Auto(forgetting=1.0),
    "Fogd": nystream.Fogd(GAUSSIAN, n_frequencies=8, random_state=3),
    "Nogd": nystream.Nogd(GAUSSIAN, budget=10, rank=6),
    "RidgeAld": nystream.RidgeAld(nystream.Polynomial(2, normalize=True), clip=True),
    "RidgeAld-forward": nystream.RidgeAld(nystream.Matern52(2.0), forward=True, max_basis=9),
    "RidgeAld-replacing": nystream.RidgeAld(
        GAUSSIAN, max_basis=6, policy="replace", forgetting=0.9
    ),
    "SketchedKons": nystream.SketchedKons(GAUSSIAN, random_state=1),
}


def learners():
    names = {*nystream.algorithms(), *SPECIAL}
    return {name: SPECIAL.get(name) or getattr(nystream, name)() for name in sorted(names)}


def stream():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, (40, 3))
    return X, (np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]) / 2


def main(folder):
    X, y = stream()
    folder.mkdir(parents=True, exist_ok=True)
    told = folder / "predictions.json"
    predictions = json.loads(told.read_text()) if told.exists() else {}
    for name, model in learners().items():
        if name in predictions:
            continue
        model.learn_many(X[:20], y[:20])
        model.save(folder / f"{name}.nys")
        model.scorer().save(folder / f"{name}-scorer.nys")
        before = model.predict_many(X[20:])
        predictions[name] = [*before, *model.progressive(X[20:], y[20:])]
    told.write_text(json.dumps(dict(sorted(predictions.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
