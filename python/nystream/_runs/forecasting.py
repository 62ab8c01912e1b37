"""Forecasts and learns series in a way that can stop anywhere and go on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import Forecaster
from nystream._runs import forecaster_files
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.forecast_files import known
from nystream._runs.going_on import starts_of
from nystream._runs.progress import UNFIT, Progress, count
from nystream._runs.resuming import check_settings
from nystream._tables.hashing import RunningHash
from nystream._tables.table import Position, changed, fewer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nystream._runs.forecast_files import History
    from nystream._runs.forecaster_files import Forecasters
    from nystream._tables.series import Series
    from nystream._tables.values import Values

CHUNK = 256  # rows that are learned at a time
MOST_SHOWN = 2000  # rows at the end that are kept for a plot


@dataclass
class Tail:
    """The last rows: times, values, and what had been forecast for them at one horizon."""

    length: int
    times: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    forecasts: list[float] = field(default_factory=list)

    def add(self, rows: Series, forecasts: Values) -> None:
        """Append rows, and forget those before the last so many."""
        new = (rows.times.tolist(), rows.y.tolist(), forecasts.tolist())
        for own, more in zip((self.times, self.values, self.forecasts), new, strict=True):
            own += more
            del own[: -self.length]

    def to_json(self) -> list[list[Any]]:
        """Return what a checkpoint holds; a number that is missing is null."""
        return [self.times, *(list(map(known, own)) for own in (self.values, self.forecasts))]

    @classmethod
    def of(cls, length: int, held: Any) -> Tail:
        """Return the tail that a checkpoint holds."""
        times, *numbers = held
        values, forecasts = ([math.nan if v is None else float(v) for v in own] for own in numbers)
        return cls(length, [int(time) for time in times], values, forecasts)


@dataclass
class Place:
    """How far a series has been learned: rows, and a hash of them if that is wanted."""

    n_rows: int = 0
    running: RunningHash | None = None

    def go_to(self, n_rows: int, rows: Series) -> None:
        """Count rows that have been learned."""
        if self.running is not None:
            self.running.add(rows.to_bytes())
        self.n_rows = n_rows


@dataclass(frozen=True)
class Setting:
    """What a run shares with the one that it goes on from, and how often that is written."""

    template: Forecaster
    has_times: bool
    looks_ahead: bool
    shown: int  # the horizon whose forecasts the tail has
    n_shown: int
    checkpoint: str | None
    every: int
    settings: Mapping[str, Any]


class Forecasting:
    """A run: forecasters of series, each by its key, go through their rows."""

    def __init__(self, setting: Setting, models: Forecasters) -> None:
        self.setting, self.models = setting, models
        self.history: History | None = None
        self.history_length = 0
        self.starts = starts_of(models)
        self.places: dict[str, Place] = {}
        self.tails: dict[str, Tail] = {}
        self.progress = Progress()
        self._written = 0

    def resume(self) -> None:
        """Go on from the checkpoint."""
        path = str(self.setting.checkpoint)
        checkpoint = Checkpoint.read(path)
        try:
            then = checkpoint.state["forecast"]
            settings = dict(then["settings"])
            n_shown = self.setting.n_shown
            places = {key: count("rows", n) for key, (n, _) in then["places"].items()}
            self._digests = {key: str(digest) for key, (_, digest) in then["places"].items()}
            self.tails = {key: Tail.of(n_shown, tail) for key, tail in then["tails"].items()}
            self.starts = {key: int(last) for key, last in then["starts"].items()}
            self.history_length = count("history", then["history"])
        except UNFIT as error:
            raise ValueError(f"{path} is no checkpoint of nystream forecast: {error!r}") from error
        check_settings(path, settings, self.setting.settings)
        data = checkpoint.models.items()
        self.models = {key: forecaster_files.of_bytes(model, path) for key, model in data}
        self.places = {key: Place(n) for key, n in places.items()}

    def check_rows(self, name: str, series: Sequence[Series]) -> None:
        """Refuse rows that are not those that were learned."""
        found = {own.key: own for own in series}
        for key, place in self.places.items():
            own = found.get(key)
            if own is None or len(own) < place.n_rows:
                raise fewer(name, "rows")
            place.running = RunningHash()
            place.running.add(own.take(0, place.n_rows).to_bytes())
            if place.running.digest() != self._digests[key]:
                raise changed(name, f"{place.n_rows:,} rows in order of time")

    def run(self, series: Sequence[Series], show: Callable[[Progress], None]) -> None:
        """Go through all series, one after the other."""
        self._count()
        self._written = self.progress.position.row
        for own in series:
            self._learn(own, show)
        self._write()

    def _learn(self, own: Series, show: Callable[[Progress], None]) -> None:
        model = self._model(own.key)
        place, end = self.places[own.key], own.n_known
        for first in range(place.n_rows, end, CHUNK):
            last = min(first + CHUNK, end)
            rows = own.take(first, last)
            made = self._progressive(model, own, first, last)
            self._keep(model, rows, made)
            place.go_to(last, rows)
            self._count()
            if self.progress.position.row - self._written >= self.setting.every:
                self._write()
            show(self.progress)
        if len(own) > end and self.setting.looks_ahead:
            self._progressive(model, own, end, end)

    def _model(self, key: str) -> Forecaster:
        """Return the forecaster of a key, a new one if there is none."""
        if key not in self.models:
            self.models[key] = Forecaster(**self.setting.template.params)
        running = RunningHash() if self.setting.checkpoint else None
        self.places.setdefault(key, Place(0, running))
        self.tails.setdefault(key, Tail(self.setting.n_shown))
        return self.models[key]

    def _progressive(self, model: Forecaster, own: Series, first: int, last: int) -> Values:
        """Learn rows; those after them announce what is known ahead, as far as horizons reach."""
        n_ahead = model.horizons[-1] if self.setting.looks_ahead else 0
        end = min(last + n_ahead, len(own))
        rows = own.take(first, end)
        y = rows.y.copy()
        y[last - first :] = np.nan
        times = rows.times.astype("datetime64[us]") if self.setting.has_times else rows.times
        made: Values = model.progressive(y, rows.X, time=times)
        return made[: last - first]

    def _keep(self, model: Forecaster, rows: Series, made: Values) -> None:
        """Write what was forecast, and keep the last of it."""
        if self.history is not None:
            self.history.write(rows, self.setting.has_times, made)
        column = model.horizons.index(self.setting.shown)
        self.tails[rows.key].add(rows, made[:, column])

    def _count(self) -> None:
        n_rows = sum(place.n_rows for place in self.places.values())
        self.progress.position = Position(n_rows)

    def _write(self) -> None:
        """Replace the checkpoint, after the forecasts before it are safely on disk."""
        if self.setting.checkpoint is None:
            return
        length = 0 if self.history is None else self.history.secure()
        places = self.places.items()
        state = {
            "settings": self.setting.settings,
            "places": {key: [p.n_rows, p.running and p.running.digest()] for key, p in places},
            "tails": {key: tail.to_json() for key, tail in self.tails.items()},
            "starts": self.starts,
            "history": length,
        }
        files = {key: model.to_bytes() for key, model in self.models.items()}
        Checkpoint(files, {"forecast": state}).write(self.setting.checkpoint)
        self._written = self.progress.position.row
