"""The loop over single rows from Python, beside river's."""

from __future__ import annotations

from collections.abc import Iterator

from common import ABSENT, Case, Settings, Stream, Table, best_of, each, peer, ready, stream

import nystream

RIVER = ("river LinearRegression", "river StandardScaler, LinearRegression")


def measure(settings: Settings) -> Iterator[Table]:
    data = stream(settings)
    # A pass takes milliseconds: many of them cost little and find the best.
    yield loops(data, 3 * settings.rounds)
    yield edge(data, 3 * settings.rounds)


def loops(data: Stream, rounds: int) -> Table:
    models, rivers = ours(data), river_models()
    dicts = [{f"x{i}": v for i, v in enumerate(x)} for x in data.X.tolist()]
    cases = {name: loop(model, list(data.X), data) for name, model in models.items()}
    cases |= {name: loop(model, dicts, data) for name, model in rivers.items()}
    seconds = best_of(rounds, cases, "row loops")
    rows: list[tuple] = []
    for name in [*models, *RIVER]:
        us = 1e6 * seconds[name] / len(data.y) if name in seconds else ABSENT
        rows.append((name, us, *(ratio(seconds, name, other) for other in RIVER)))
    return Table(
        f"Row by row from Python, {data.name}, {len(data.y):,} rows",
        f"`predict_one` and `learn_one` for each row, Gaussian kernel of width {data.sigmas[0]:g}, "
        f"{models['NonsAld'].n_basis} rows kept. nystream gets rows of a NumPy array, river gets "
        "dicts made beforehand. All models have learned the stream once before. river's models "
        "are linear and written for dicts of any keys: the ratio is one of time, not of task.",
        ("loop", "us/row", "time / river LR", "time / river scaled LR"),
        rows,
    )


def ratio(seconds: dict[str, float], name: str, other: str) -> float | str:
    return seconds[name] / seconds[other] if {name, other} <= seconds.keys() else ABSENT


def edge(data: Stream, rounds: int) -> Table:
    """Measure what a call for one row costs above its share of a call for all rows."""
    rows: list[tuple] = []
    for name, model in ours(data).items():
        seconds = best_of(rounds, edge_cases(model, data), f"edge, {name}")
        us = {call: 1e6 * spent / len(data.y) for call, spent in seconds.items()}
        for one, many in CALLS.items():
            rows.append((name, one, many, us[one], us[many], us[one] - us[many]))
    return Table(
        f"The Python edge, {data.name}, {len(data.y):,} rows",
        "The difference is what Python, the checks of a row and the lost work in blocks cost. "
        "`RunningMean` does next to nothing with a row: its difference is Python and the checks "
        "alone. `progressive` finds the kernel values of a row once, the loop twice.",
        ("learner", "one row", "whole array", "one us/row", "array us/row", "difference us"),
        rows,
    )


CALLS = {
    "predict_one": "predict_many",
    "learn_one": "learn_many",
    "predict_one + learn_one": "progressive",
}


def edge_cases(model: nystream.Learner, data: Stream) -> dict[str, Case]:
    rows, labels = list(data.X), data.y.tolist()
    return {
        "predict_one": ready(each, model.predict_one, rows),
        "predict_many": ready(model.predict_many, data.X),
        "learn_one": ready(each, model.learn_one, rows, labels),
        "learn_many": ready(model.learn_many, data.X, data.y),
        "predict_one + learn_one": loop(model, rows, data),
        "progressive": ready(model.progressive, data.X, data.y),
    }


def loop(model, rows: list, data: Stream) -> Case:
    return ready(predict_and_learn, model, rows, data.y.tolist())


def predict_and_learn(model, rows: list, labels: list[float]) -> None:
    for x, y in zip(rows, labels, strict=True):
        model.predict_one(x)
        model.learn_one(x, y)


def ours(data: Stream) -> dict[str, nystream.Learner]:
    kernel = nystream.Gaussian(data.sigmas[0])
    models = {
        "NonsAld": nystream.NonsAld(kernel, alpha=data.alpha),
        "RidgeAld": nystream.RidgeAld(kernel, alpha=data.alpha),
        "LinearRls": nystream.LinearRls(),
        "RunningMean": nystream.RunningMean(),
    }
    for model in models.values():
        model.learn_many(data.X, data.y)
    return models


def river_models() -> dict:
    if peer("river") is None:
        return {}
    from river.linear_model import LinearRegression
    from river.preprocessing import StandardScaler

    plain, scaled = RIVER
    return {plain: LinearRegression(), scaled: StandardScaler() | LinearRegression()}
