"""Writes a golden file for each learner that has none yet, and reads all of them.

python tests/python/golden/make.py tests/python/golden/format-N

A golden file, NAME.npz, has the bytes of a model and of its scorer after 20 rows, and what it then
predicted for the next 20, before it learned them and while it did. The first learners have these in
NAME.nys, NAME-scorer.nys and predictions.json instead.
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
    "Auto-adaptive": nystream.Auto(warm_up=8, max_basis=6),
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


def golden(folder):
    """Name, bytes and expected predictions of each model and scorer in a folder."""
    told = folder / "predictions.json"
    predictions = json.loads(told.read_text()) if told.exists() else {}
    for path in sorted(folder.glob("*.nys")):
        yield path.stem, path.read_bytes(), predictions[path.stem.removesuffix("-scorer")]
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            yield path.stem, file["model"].tobytes(), file["predictions"]
            yield f"{path.stem}-scorer", file["scorer"].tobytes(), file["predictions"]


def write(path, model):
    """Let a model learn, and write it, its scorer, and what it predicts from there on."""
    X, y = stream()
    model.learn_many(X[:20], y[:20])
    parts = {"model": model.to_bytes(), "scorer": model.scorer().to_bytes()}
    before = model.predict_many(X[20:])
    predictions = np.concatenate([before, model.progressive(X[20:], y[20:])])
    arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    np.savez(path, predictions=predictions, **arrays)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    there = {name for name, _, _ in golden(folder)}
    for name, model in learners().items():
        if name not in there:
            write(folder / f"{name}.npz", model)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
