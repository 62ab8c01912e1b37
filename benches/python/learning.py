"""Learning whole arrays, measured against NumPy's matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from common import Case, Dgemm, Settings, Stream, Table, best_of, learning_gflop, ready, stream

import nystream

NEWTON = (nystream.NonsAld, nystream.RidgeAld)
OTHERS = ("AogdAld", "KrlsAld", "ConKons", "Nogd", "Fogd", "LinearRls")


def measure(settings: Settings) -> Iterator[Table]:
    data = stream(settings)
    rows = [row for sigma in data.sigmas for row in newton(data, sigma, settings.rounds)]
    yield Table(
        f"Learning, {data.name}, {len(data.y):,} rows",
        "`progressive` on one thread. Growing: a fresh model learns the stream once, counted with "
        "its last J, so that the early, cheaper rows raise the figure. Full: the model has learned "
        "the stream before and J no longer changes. A row counts as 5 J² + 2 d J operations; "
        "DGEMM is NumPy's (J x J) @ (J x 64) in the same rounds.",
        ("learner", "sigma", "dictionary", "J", "us/row", "GFLOP/s", "DGEMM GFLOP/s", "ratio"),
        rows,
    )
    rows = [row for sigma in data.sigmas for row in others(data, sigma, settings.rounds)]
    yield Table(
        f"Other learners, {data.name}, {len(data.y):,} rows",
        "`progressive` over the stream once with a fresh model. `Nogd` gets as many rows and "
        "`Fogd` as many frequencies as `NonsAld` keeps; `ConKons` samples its own.",
        ("learner", "sigma", "us/row", "time / NonsAld"),
        rows,
    )


def newton(data: Stream, sigma: float, rounds: int) -> Iterator[tuple]:
    full = [learned(learner, sigma, data) for learner in NEWTON]
    yardstick = Dgemm(full[0].n_basis)
    cases: dict[tuple, Case] = {("DGEMM",): ready(yardstick)}
    for learner, model in zip(NEWTON, full, strict=True):
        cases[learner, "growing"] = fresh(partial(make, learner, sigma, data), data)
        cases[learner, "full"] = ready(model.progressive, data.X, data.y)
    seconds = best_of(rounds, cases, f"learning, sigma {sigma:g}")
    dgemm = yardstick.gflops(seconds.pop(("DGEMM",)))
    n_rows, n_features = data.X.shape
    n_basis = full[0].n_basis
    for (learner, dictionary), spent in seconds.items():
        gflops = learning_gflop(n_basis, n_features) * n_rows / spent
        name, us = learner.__name__, 1e6 * spent / n_rows
        yield name, f"{sigma:g}", dictionary, n_basis, us, gflops, dgemm, gflops / dgemm


def others(data: Stream, sigma: float, rounds: int) -> Iterator[tuple]:
    kernel = nystream.Gaussian(sigma)
    n_basis = learned(nystream.AogdAld, sigma, data).n_basis
    models = {
        "NonsAld": partial(make, nystream.NonsAld, sigma, data),
        "AogdAld": partial(make, nystream.AogdAld, sigma, data),
        "KrlsAld": partial(make, nystream.KrlsAld, sigma, data),
        "ConKons": partial(nystream.ConKons, kernel),
        "Nogd": partial(nystream.Nogd, kernel, budget=n_basis),
        "Fogd": partial(nystream.Fogd, kernel, n_frequencies=n_basis),
        "LinearRls": nystream.LinearRls,
    }
    cases = {name: fresh(model, data) for name, model in models.items()}
    seconds = best_of(rounds, cases, f"other learners, sigma {sigma:g}")
    for name in OTHERS:
        us = 1e6 * seconds[name] / len(data.y)
        yield name, f"{sigma:g}", us, seconds[name] / seconds["NonsAld"]


def make(learner, sigma: float, data: Stream) -> nystream.Learner:
    return learner(nystream.Gaussian(sigma), alpha=data.alpha)


def learned(learner, sigma: float, data: Stream) -> nystream.Learner:
    model = make(learner, sigma, data)
    model.learn_many(data.X, data.y)
    return model


def fresh(model, data: Stream) -> Case:
    """Make a case that learns the stream with a new model each time."""
    return lambda: partial(model().progressive, data.X, data.y)
