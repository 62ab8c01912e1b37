"""Cost and memory along a long stream, and cost against the size of the dictionary."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from common import NONE, Case, Dgemm, Settings, Table, best_of, learning_gflop, peer, ready
from tqdm import tqdm

import nystream

KERNEL = nystream.Gaussian(2.0)  # narrow enough to fill every dictionary below
ALPHA = 1e-3
CAP = 128
SLICES = 10
CHUNK = 5_000  # rows made and learned at a time: making them is not timed
SIZES = (16, 32, 64, 128, 256, 512)
NEWTON = (nystream.NonsAld, nystream.RidgeAld)
STOPS = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
# How far each learner is followed along the stream: those that keep every row become too slow.
FOLLOWED = {"NonsAld": 20_000, "Kogd": 20_000, "Kons": 2_000, "OnlineKrr": 2_000}

Points = dict[int, float]  # microseconds a row at each size or row number


def measure(settings: Settings) -> Iterator[Table]:
    by_size, table = against_size(settings)
    yield table
    by_row, table = against_row(settings)
    yield table
    slices, table = long_stream(settings)
    yield table
    by_row["NonsAld"] |= slices
    plot(by_size, by_row, settings.out / "cost.svg")


def capped(learner, n_basis: int) -> nystream.Learner:
    return learner(KERNEL, alpha=ALPHA, max_basis=n_basis)


def full(learner, n_basis: int) -> nystream.Learner:
    """Learn until the dictionary has reached its cap."""
    model = capped(learner, n_basis)
    seed = 0
    while model.n_basis < n_basis:
        seed += 1
        model.learn_many(*nystream.datasets.friedman(2_000, random_state=seed))
    return model


def against_size(settings: Settings) -> tuple[dict[str, Points], Table]:
    X, y = nystream.datasets.friedman(500 if settings.quick else 4_000)
    yardsticks = {n_basis: Dgemm(n_basis) for n_basis in SIZES}
    cases: dict[tuple, Case] = {}
    for n_basis in SIZES:
        cases["DGEMM", n_basis] = ready(yardsticks[n_basis])
        for learner in NEWTON:
            cases[learner.__name__, n_basis] = ready(full(learner, n_basis).progressive, X, y)
    seconds = best_of(settings.rounds, cases, "cost against J")
    costs: dict[str, Points] = {learner.__name__: {} for learner in NEWTON}
    rows = []
    for n_basis in SIZES:
        for name, points in costs.items():
            spent = seconds[name, n_basis] / len(y)
            points[n_basis] = 1e6 * spent
            gflops = learning_gflop(n_basis, X.shape[1]) / spent
            dgemm = yardsticks[n_basis].gflops(seconds["DGEMM", n_basis])
            rows.append((name, n_basis, points[n_basis], gflops, dgemm, gflops / dgemm))
    note = "`progressive` at a full dictionary (`max_basis`), friedman, d = 10, one thread."
    header = ("learner", "J", "us/row", "GFLOP/s", "DGEMM GFLOP/s", "ratio")
    return costs, Table("Cost against the size of the dictionary", note, header, rows)


def against_row(settings: Settings) -> tuple[dict[str, Points], Table]:
    last = 1_000 if settings.quick else max(STOPS)
    models = {
        "NonsAld": partial(capped, nystream.NonsAld, CAP),
        "Kogd": partial(nystream.Kogd, KERNEL),
        "Kons": partial(nystream.Kons, KERNEL),
        "OnlineKrr": partial(nystream.OnlineKrr, KERNEL),
    }
    cases: dict[tuple, Case] = {}
    for name, model in models.items():
        cases |= segments(name, model, [t for t in STOPS if t <= min(last, FOLLOWED[name])])
    rounds = 1 if settings.quick else 3
    seconds = best_of(rounds, cases, "cost against t")
    costs: dict[str, Points] = {name: {} for name in models}
    for (name, first, stop), spent in seconds.items():
        costs[name][stop] = 1e6 * spent / (stop - first)
    rows = [(t, *(points.get(t, NONE) for points in costs.values())) for t in STOPS if t <= last]
    note = (
        f"Microseconds a row between the row number of the line before and this one. `NonsAld` "
        f"keeps at most {CAP} rows, the others keep every row and are stopped early."
    )
    return costs, Table("Cost along the stream", note, ("t", *costs), rows)


def segments(name: str, model, stops: list[int]) -> dict[tuple, Case]:
    """One case between two stops; the first starts a new model, the others go on with it."""
    X, y = nystream.datasets.friedman(max(stops))
    current: list[nystream.Learner] = []

    def segment(first: int, last: int) -> Case:
        def case():
            if first == 0:
                current[:] = [model()]
            return partial(current[0].progressive, X[first:last], y[first:last])

        return case

    pairs = zip([0, *stops], stops, strict=False)
    return {(name, first, last): segment(first, last) for first, last in pairs}


def long_stream(settings: Settings) -> tuple[Points, Table]:
    model, yardstick = full(nystream.NonsAld, CAP), Dgemm(CAP)
    chunks = max(1, round(settings.rows / SLICES / CHUNK))
    points: Points = {}
    rows = []
    total = SLICES * chunks * CHUNK
    with tqdm(total=total, desc="long stream", unit_scale=True, leave=False, disable=None) as bar:
        for _ in range(SLICES):
            best, mean, ratio = one_slice(model, yardstick, chunks, bar)
            points[model.n_seen] = best
            memory = resident_mib()
            rows.append((model.n_seen, model.n_basis, best, mean, ratio, memory, model.nbytes))
    note = (
        f"`NonsAld`, friedman, slices of {chunks * CHUNK:,} rows. Best and mean are over the "
        f"{chunks} chunks of a slice; the ratio is that of the best to NumPy's DGEMM, timed "
        "between the chunks. Resident memory is that of the whole process, Python and its "
        "libraries included."
    )
    header = ("t", "J", "best us/row", "mean us/row", "ratio", "resident MiB", "nbytes")
    return points, Table(f"A stream of {total:,} rows", note, header, rows)


def one_slice(
    model: nystream.Learner, yardstick: Dgemm, chunks: int, bar: tqdm
) -> tuple[float, float, float]:
    """Learn some chunks: microseconds a row, best and mean, and the ratio of speeds to DGEMM's."""
    spent, products = [], []
    for _ in range(chunks):
        X, y = nystream.datasets.friedman(CHUNK, random_state=model.n_seen)  # never the same rows
        products.append(seconds_of(yardstick))
        spent.append(seconds_of(partial(model.progressive, X, y)))
        bar.update(CHUNK)
    best, mean = min(spent) / CHUNK, sum(spent) / chunks / CHUNK
    gflops = learning_gflop(model.n_basis, X.shape[1]) / best
    return 1e6 * best, 1e6 * mean, gflops / yardstick.gflops(min(products))


def seconds_of(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def resident_mib() -> float | str:
    status = Path("/proc/self/status")
    if not status.exists():
        return NONE
    return int(re.search(r"VmRSS:\s*(\d+) kB", status.read_text())[1]) / 1024


def plot(by_size: dict[str, Points], by_row: dict[str, Points], path: Path) -> None:
    matplotlib = peer("matplotlib")
    if matplotlib is None:
        return
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "nystream"  # the same figures give the same file
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for ax, costs in ((left, by_size), (right, by_row)):
        for name, points in costs.items():
            ax.loglog(list(points), list(points.values()), marker=".", label=name)
    largest = SIZES[-1]
    top = by_size["NonsAld"][largest]
    guide = [top * (n_basis / largest) ** 2 for n_basis in SIZES]
    left.loglog(SIZES, guide, "k:", label="J²")
    left.set_xticks(SIZES, SIZES)
    left.set_xticks([], minor=True)
    left.set(title="full dictionary", xlabel="rows kept, J", ylabel="microseconds a row")
    right.set(title=f"along the stream (NonsAld: J ≤ {CAP})", xlabel="rows seen, t")
    for ax in (left, right):
        ax.grid(alpha=0.3)
        ax.legend()
    figure.savefig(path, metadata={"Date": None})
    print(f"plot: {path}")
