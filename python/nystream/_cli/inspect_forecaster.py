"""A forecaster as ``nystream inspect`` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nystream._cli.forecast_report import report_of, when
from nystream._runs.forecast_files import known
from nystream._tables import steps

if TYPE_CHECKING:
    from nystream import Forecaster


def facts_of(model: Forecaster) -> dict[str, Any]:
    """Return the facts of a forecaster for programs."""
    rows = model.report.rows()
    params = {**model.params, "model": repr(model.params["model"])}
    return {
        "kind": "Forecaster",
        "params": params,
        "horizons": list(model.horizons),
        "seasons": list(model.seasons),
        "n_seen": model.n_seen,
        "n_too_late": model.n_too_late,
        "last": last(model),
        "nbytes": model.nbytes,
        "report": [{name: known(value) for name, value in row.items()} for row in rows],
    }


def last(model: Forecaster) -> str | None:
    """Return the last time that was learned."""
    moment = model._last()
    return None if moment is None else when([moment], model.params["every"] is not None)[0]


def described(model: Forecaster) -> str:
    """Describe a forecaster for people."""
    every, horizons = model.params["every"], model.horizons
    some = f"{horizons[0]} to {horizons[-1]}" if len(horizons) > 1 else str(horizons[0])
    n_all = horizons[-1] - horizons[0] + 1
    if 1 < len(horizons) < n_all:
        some = ", ".join(map(str, horizons))
    seasons = [f"{season} ({steps.season_in_words(season, every)})" for season in model.seasons]
    facts = {
        "learner": repr(model.params["model"]),
        "horizons": some,
        "every": every,
        "seasons": ", ".join(seasons) or "none",
        "known ahead": ", ".join(model.params["ahead"]) or None,
        "half-life": model.params["half_life"],
        "rows seen": f"{model.n_seen:,}",
        "last time": last(model),
        "came too late": f"{model.n_too_late:,}" if model.n_too_late else None,
        "memory": f"{model.nbytes:,} bytes",
    }
    told = [f"{label:<15}{value}" for label, value in facts.items() if value is not None]
    return "\n".join(["Forecaster", *told, "", report_of({"": model}, model)])
