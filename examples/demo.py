"""Auto, ridge regression, both learners of the paper and a running mean on two embedded streams.

Prints a table (mean squared error, rows kept, rows a second) and draws the running error.

Usage: python examples/demo.py [--rows N] [--plot FILE]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from tqdm import tqdm

import nystream

CHUNK = 500  # rows between two steps of the progress bar
STREAMS = {
    "friedman": (nystream.datasets.friedman, 4.0),
    "mackey_glass": (nystream.datasets.mackey_glass, 1.0),
}


def learners(sigma: float) -> dict[str, nystream.Learner]:
    kernel = nystream.Gaussian(sigma)
    return {
        "Auto": nystream.Auto(),
        "RidgeAld": nystream.RidgeAld(kernel, alpha=0.01),
        "NonsAld": nystream.NonsAld(kernel, alpha=0.01),
        "AogdAld": nystream.AogdAld(kernel, alpha=0.01),
        "RunningMean": nystream.RunningMean(),
    }


def run(
    model: nystream.Learner, X: np.ndarray, y: np.ndarray, bar: tqdm
) -> tuple[np.ndarray, float]:
    """Squared errors of the predictions made before each label, and the seconds it took."""
    predictions, seconds = [], 0.0
    for first in range(0, len(y), CHUNK):
        rows = slice(first, first + CHUNK)
        start = time.perf_counter()
        predictions.append(model.progressive(X[rows], y[rows]))
        seconds += time.perf_counter() - start
        bar.update(len(predictions[-1]))
    return (np.concatenate(predictions) - y) ** 2, seconds


def plot(errors: dict[tuple[str, str], np.ndarray], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(STREAMS), figsize=(11, 4), layout="constrained")
    for ax, stream in zip(axes, STREAMS, strict=True):
        for (name, learner), error in errors.items():
            if name == stream:
                t = np.arange(1, len(error) + 1)
                ax.loglog(t, np.cumsum(error) / t, label=learner)
        ax.set(title=stream, xlabel="rows seen", ylabel="mean squared error so far")
        ax.grid(alpha=0.3)
        ax.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000, help="length of each stream")
    parser.add_argument("--plot", type=Path, default=Path("build/demo.png"), help="where to draw")
    arguments = parser.parse_args()
    if arguments.rows < 1:
        parser.error(f"--rows should be at least 1, but is {arguments.rows}")

    errors, table = {}, []
    total = len(STREAMS) * len(learners(1.0)) * arguments.rows
    with tqdm(total=total, unit=" rows", unit_scale=True) as bar:
        for stream, (make, sigma) in STREAMS.items():
            X, y = make(arguments.rows)
            for name, model in learners(sigma).items():
                bar.set_description(f"{stream}, {name}")
                error, seconds = run(model, X, y, bar)
                errors[stream, name] = error
                table.append((stream, name, error.mean(), model.n_basis, len(y) / seconds))

    print(f"| {'stream':12} | {'learner':11} | {'MSE':>7} | {'rows kept':>9} | {'rows/s':>10} |")
    print("|--------------|-------------|--------:|----------:|-----------:|")
    for stream, name, mse, kept, speed in table:
        print(f"| {stream:12} | {name:11} | {mse:7.5f} | {kept:9} | {speed:10,.0f} |")
    plot(errors, arguments.plot)
    print(f"\nrunning error: {arguments.plot}")


if __name__ == "__main__":
    main()
