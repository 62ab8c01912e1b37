"""Kernels that nystream has not, by features that it is given: a period, and widths of their own.

A kernel of transformed rows, k(f(x), f(z)), is a kernel of the rows x and z. With a Gaussian one:

- f(t) = (cos, sin) of the angle of t in its period gives the periodic kernel, for which times a
  whole number of periods apart are the same;
- f(x) = x / widths gives a width for each feature (ARD): a wide one hardly counts.

Prints a table: each stream with the plain kernel and with its own.

Usage: python examples/your_own_kernel.py [--rows N]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

import nystream

DAY = 24.0


def consumption(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Hours since the start, and electricity used: two peaks a day, lower at weekends, noise."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, n_rows / 4, n_rows))
    hour, weekend = t % DAY, (t // DAY) % 7 >= 5
    peaks = np.exp(-(((hour - 8) / 2) ** 2)) + np.exp(-(((hour - 19) / 3) ** 2))
    y = 0.2 + (0.6 - 0.3 * weekend) * peaks + 0.03 * rng.standard_normal(n_rows)
    return t[:, None], y


def on_circle(t: np.ndarray, period: float) -> np.ndarray:
    """Time as a point on the unit circle: f of the periodic kernel."""
    angle = 2 * np.pi * t / period
    return np.hstack([np.cos(angle), np.sin(angle)])


def day_and_week(t: np.ndarray) -> np.ndarray:
    """Both periods. Gaussian kernels of features side by side are multiplied; the week is wider."""
    return np.hstack([on_circle(t, DAY) / 0.3, on_circle(t, 7 * DAY) / 0.5])


# Friedman's first five features matter, two of them bend much; the others do not matter at all.
WIDTHS = np.array([2.0, 2.0, 1.5, 6.0, 10.0, *[40.0] * 5])

Map = Callable[[np.ndarray], np.ndarray]


def comparisons(n_rows: int) -> Iterator[tuple[str, str, np.ndarray, np.ndarray, float, Map]]:
    """Stream, kernel, rows, labels, width and f."""
    t, y = consumption(n_rows)
    yield "consumption", "plain", t, y, 2.0, lambda t: t
    yield "consumption", "period of a day", t, y, 0.3, lambda t: on_circle(t, DAY)
    yield "consumption", "day x week", t, y, 1.0, day_and_week
    X, y = nystream.datasets.friedman(n_rows)
    yield "friedman", "plain", X, y, 4.0, lambda X: X
    yield "friedman", "own widths", X, y, 1.0, lambda X: X / WIDTHS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5000, help="length of each stream")
    arguments = parser.parse_args()
    if arguments.rows < 1:
        parser.error(f"--rows should be at least 1, but is {arguments.rows}")

    print(f"| {'stream':11} | {'kernel':15} | {'MSE':>7} | {'rows kept':>9} |")
    print("|-------------|-----------------|--------:|----------:|")
    for stream, kernel, X, y, sigma, f in comparisons(arguments.rows):
        model = nystream.RidgeAld(nystream.Gaussian(sigma), alpha=0.01, max_basis=300)
        error = ((model.progressive(f(X), y) - y) ** 2).mean()
        print(f"| {stream:11} | {kernel:15} | {error:7.5f} | {model.n_basis:9} |")


if __name__ == "__main__":
    main()
