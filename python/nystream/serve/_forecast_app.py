"""The application of a forecaster: its routes, its status and its metrics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from nystream import __version__
from nystream.serve._app import App, Request, Route, absent
from nystream.serve._forecasting import ForecastService
from nystream.serve._http import Answer, as_json
from nystream.serve._metrics import KIND, Requests, head, sample, single
from nystream.serve._status import of_any, of_checkpoints, of_learning

FORECAST: tuple[set[str], ...] = (set(), {"level"}, {"X"}, {"X", "level"})
ONE = ({"y"}, {"time", "y"}, {"x", "y"}, {"time", "x", "y"})
MANY = ({"X", "y"}, {"time", "X", "y"})
ERRORS = {
    "MAE": ("mae", "Mean absolute error of the forecasts, by steps ahead."),
    "no change": ("mae_no_change", "Mean absolute error of repeating the last value known."),
    "coverage": ("coverage", "Part of the values within the interval of the level 0.9."),
}


class ForecastApp(App):
    """An application that serves a forecaster."""

    _learn_forms = (*ONE, *MANY)

    def _own_routes(self) -> dict[str, Route]:
        elsewhere = "this service forecasts a series: POST /forecast"
        return {
            "/forecast": Route("POST", self._forecast),
            "/predict": absent("POST", elsewhere),
            "/": absent("GET", "this service has no page: GET /status tells how it goes"),
        }

    async def _forecast(self, request: Request) -> Answer:
        document = await self._document(request, *FORECAST)
        return as_json(await self.service.forecast(document))

    async def _status(self, _: Request) -> Answer:
        return as_json(status(self.service))

    async def _metrics(self, _: Request) -> Answer:
        return Answer(200, metrics(self.service, self._requests).encode(), KIND)


def status(service: ForecastService) -> dict[str, Any]:
    """Return how it goes: for each number of steps ahead the errors, beside those of no change."""
    view = service.snapshot
    return {
        **of_any(service),
        "n_seen": view.n_seen,
        "n_too_late": view.n_too_late,
        "bytes": view.nbytes,
        "forecasts": service.counts.predicted,
        "errors": view.errors,
    }


def metrics(service: ForecastService, requests: Requests) -> str:
    """Return all metrics as text."""
    view, counts = service.snapshot, service.counts
    lines = [
        *head("info", "gauge", "The version."),
        sample("info", 1, version=__version__),
        *requests.lines(),
        *single("counter", {"forecasts_total": (counts.predicted, "Requests for forecasts.")}),
        *single("counter", of_checkpoints(service)),
        *single("gauge", of_learning(service)),
        *single(
            "gauge",
            {
                "rows_seen": (view.n_seen, "Values that the model has learned in its life."),
                "rows_too_late": (view.n_too_late, "Values that came too late."),
                "model_bytes": (view.nbytes, "Memory of the model."),
                "snapshot_age_seconds": (time.monotonic() - view.made, "Age of these numbers."),
            },
        ),
        *of_errors(service),
    ]
    return "\n".join(lines) + "\n"


def of_errors(service: ForecastService) -> Iterator[str]:
    """Return the errors of forecasts by steps ahead."""
    for key, (name, text) in ERRORS.items():
        yield from head(name, "gauge", text)
        for row in service.snapshot.errors:
            value = row[key]
            yield sample(
                name, float("nan") if value is None else value, horizon=f"{row['horizon']:.0f}"
            )
