"""A gas sensor that ages, calibrated while it runs, by labels that come an hour late.

Each minute the sensor gives a raw signal and a temperature, and the gas is predicted from them. The
laboratory tells the true value an hour later; only then can the row be learned. The sensor loses
sensitivity all the while, so that a model which remembers everything learns what is no longer true.
`Renewed` keeps two models instead, and the younger one takes over from time to time.

Prints a table, and draws predictions and running error.

Usage: python examples/live_sensor.py [--rows N] [--delay N] [--plot FILE] [--live]
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import nystream

WINDOW = 500  # rows of the running error
REFRESH = 100  # rows between two pictures of --live


def sensor(n_rows: int, seed: int = 0) -> Iterator[tuple[np.ndarray, float]]:
    """Row by row: raw signal and temperature, both about [-1, 1], and the gas, in [0, 1]."""
    rng = np.random.default_rng(seed)
    for t in range(n_rows):
        gas = 0.5 + 0.3 * np.sin(t / 33.6) + 0.2 * np.sin(t / 7.53)
        temperature = 0.7 * np.sin(t / 115) + 0.3 * np.sin(t / 26 + 1)
        gain = 1 - 0.6 * t / n_rows
        raw = gain * np.tanh(1.5 * gas * (1 + 0.4 * temperature)) + 0.25 * temperature**2
        raw += 0.02 * rng.standard_normal()
        yield np.array([2 * raw - 1, temperature]), gas


def ridge() -> nystream.Learner:
    kernel = nystream.Gaussian(sigma=0.7)
    return nystream.RidgeAld(kernel, alpha=1e-3, clip=True, max_basis=200)


class Renewed:
    """Two models: the older one predicts, both learn, and after ``period`` rows a new one begins.

    No model is older than two periods, so that what is no longer true is forgotten.
    """

    def __init__(self, make: Callable[[], nystream.Learner], period: int = 500) -> None:
        self.make, self.period, self.models = make, period, [make()]

    def predict_one(self, x: np.ndarray) -> float:
        """Predict with the older model."""
        return self.models[0].predict_one(x)

    def learn_one(self, x: np.ndarray, y: float) -> None:
        """Learn with both; begin a new model when the younger one is of age."""
        for model in self.models:
            model.learn_one(x, y)
        if self.models[-1].n_seen == self.period:
            self.models = [self.models[-1], self.make()]

    @property
    def n_basis(self) -> int:
        """Rows that both keep."""
        return sum(model.n_basis for model in self.models)


class Late:
    """A model whose labels come ``delay`` rows late, and what it predicted."""

    def __init__(self, model: nystream.Learner | Renewed, delay: int) -> None:
        self.model, self.delay = model, delay
        self.waiting: deque[tuple[np.ndarray, float]] = deque()
        self.predictions: list[float] = []

    def step(self, x: np.ndarray, y: float) -> None:
        """Predict a row, and learn the one whose label has come."""
        self.predictions.append(self.model.predict_one(x))
        self.waiting.append((x, y))
        if len(self.waiting) > self.delay:
            self.model.learn_one(*self.waiting.popleft())


def running(squared: np.ndarray) -> np.ndarray:
    """Mean of the last ``WINDOW`` squared errors, after each row."""
    total = np.concatenate([[0.0], np.cumsum(squared)])
    end = np.arange(1, len(total))
    start = np.maximum(end - WINDOW, 0)
    return (total[end] - total[start]) / (end - start)


def draw(figure, runs: dict[str, Late], labels: list[float]) -> None:
    """Draw the last minutes above, the running error below."""
    figure.clear()
    above, below = figure.subplots(2, 1)
    y = np.array(labels)
    t = np.arange(len(y))
    above.plot(t[-300:], y[-300:], "k", label="gas")
    for i, (name, late) in enumerate(runs.items()):
        predictions = np.array(late.predictions)
        style = {"color": f"C{i}", "label": name, "alpha": 0.8}
        if name != "RunningMean":
            above.plot(t[-300:], predictions[-300:], **style)
        below.semilogy(t, running((predictions - y) ** 2), **style)
    above.set(title="the last five hours", xlabel="minute", ylabel="gas")
    below.set(xlabel="minute", ylabel=f"MSE of the last {WINDOW}")
    for ax in (above, below):
        ax.grid(alpha=0.3)
        ax.legend(loc="upper right")


def canvas(live: bool):
    """Make a figure, on the screen if it is to be live."""
    import matplotlib

    if not live:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.backends import BackendFilter, backend_registry

    screens = backend_registry.list_builtin(BackendFilter.INTERACTIVE)
    if live and matplotlib.get_backend().lower() not in map(str.lower, screens):
        raise SystemExit("--live needs a screen that matplotlib can draw on, but there is none")
    return plt.figure(figsize=(10, 7), layout="constrained")


def follow(runs: dict[str, Late], n_rows: int, figure=None) -> list[float]:
    """Run all models side by side over the stream; the labels."""
    labels: list[float] = []
    for t, (x, y) in enumerate(sensor(n_rows), 1):
        labels.append(y)
        for late in runs.values():
            late.step(x, y)
        if figure is not None and t % REFRESH == 0:
            import matplotlib.pyplot as plt

            draw(figure, runs, labels)
            plt.pause(0.01)
    return labels


def print_table(runs: dict[str, Late], labels: list[float]) -> None:
    print(f"| {'learner':16} | {'MSE':>7} | {'last 1000':>9} | {'rows kept':>9} |")
    print("|------------------|--------:|----------:|----------:|")
    for name, late in runs.items():
        squared = (np.array(late.predictions) - labels) ** 2
        last, kept = squared[-1000:].mean(), late.model.n_basis
        print(f"| {name:16} | {squared.mean():7.5f} | {last:9.5f} | {kept:9} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=8000, help="minutes to run")
    parser.add_argument("--delay", type=int, default=60, help="minutes until a label is known")
    parser.add_argument("--plot", type=Path, default=Path("build/live_sensor.png"))
    parser.add_argument("--live", action="store_true", help="draw in a window while it runs")
    arguments = parser.parse_args()
    if arguments.rows < 1:
        parser.error(f"--rows should be at least 1, but is {arguments.rows}")
    if arguments.delay < 0:
        parser.error(f"--delay should be 0 or more, but is {arguments.delay}")

    models = {
        "RunningMean": nystream.RunningMean(),
        "LinearRls": nystream.LinearRls(),
        "RidgeAld": ridge(),
        "RidgeAld renewed": Renewed(ridge),
    }
    runs = {name: Late(model, arguments.delay) for name, model in models.items()}
    figure = canvas(live=True) if arguments.live else None
    labels = follow(runs, arguments.rows, figure)
    print_table(runs, labels)

    figure = figure or canvas(live=False)
    draw(figure, runs, labels)
    arguments.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.plot, dpi=120)
    print(f"\npredictions and running error: {arguments.plot}")


if __name__ == "__main__":
    main()
