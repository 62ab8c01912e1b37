"""The checkpoint of a run: what it has to hold, and how it is known again."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from nystream._checkpoint import Checkpoint
from nystream._checks import real, whole
from nystream._streams.table import Position
from nystream._streams.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream import Learner

MODEL = "model"
MOST = 1 << 62  # of anything that is counted
UNFIT = (KeyError, TypeError, ValueError, OverflowError)


@dataclass
class Progress:
    """How far a run has come."""

    position: Position = field(default_factory=Position)
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Progress:
        """Read what a checkpoint holds, or raise one of `UNFIT`."""
        place, counted = dict(state["position"]), dict(state["tally"])
        digest = place.pop("digest", None)
        position = Position(**place, digest=None if digest is None else text("digest", digest))
        for name in ("row", "line", "byte"):
            count(name, getattr(position, name))
        tally = Tally(**counted)
        if count("good", tally.good) + count("bad", tally.bad) != position.row:
            raise ValueError(f"good and bad rows should be {position.row} together")
        for name in ("squared_errors", "means", "spreads"):
            check_figures(name, getattr(tally, name), tally.good)
        return cls(position, tally)


def check_figures(name: str, values: Any, n_good: int) -> None:
    """Refuse figures that no row could have led to."""
    if not isinstance(values, list) or (n_good and not values):
        raise TypeError(f"{name} should be a list of numbers, but is {values!r:.100}")
    for value in values:
        number = real(name, value)
        if not math.isfinite(number) or (number < 0 and name != "means"):
            raise ValueError(f"{name} should hold finite numbers, but holds {value!r}")


def count(name: str, value: Any) -> int:
    """Return a number of rows, lines or bytes."""
    if whole(name, value, 0) > MOST:
        raise ValueError(f"{name} should be at most {MOST}, but is larger")
    return int(value)


def text(name: str, value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} should be a text, but is {value!r:.100}")
    return value


@dataclass(frozen=True)
class Keeper:
    """Writes a checkpoint each so many rows, and knows what it has to be resumed with."""

    path: str
    every: int
    settings: Mapping[str, Any]

    def keep(self, model: Learner, progress: Progress, output_length: int) -> None:
        """Replace the checkpoint."""
        state = {
            "position": asdict(progress.position),
            "tally": progress.tally.to_json(),
            "output_length": output_length,
            "settings": self.settings,
        }
        Checkpoint({MODEL: model.to_bytes()}, state).write(self.path)


@dataclass(frozen=True)
class Kept:
    """What a checkpoint of a run holds."""

    model: Learner
    progress: Progress
    output_length: int

    @classmethod
    def read(cls, path: str, settings: Mapping[str, Any]) -> Kept:
        """Read a checkpoint that was written with the same settings."""
        checkpoint = Checkpoint.read(path)
        try:
            then = dict(checkpoint.state["settings"])
            progress = Progress.from_state(checkpoint.state)
            length = count("output_length", checkpoint.state["output_length"])
        except UNFIT as error:
            raise ValueError(f"{path} is not a checkpoint of nystream learn: {error!r}") from error
        check_settings(path, then, settings)
        kept = cls(checkpoint.learner(MODEL, path), progress, length)
        kept._check(path, settings)
        return kept

    def _check(self, path: str, settings: Mapping[str, Any]) -> None:
        """Refuse parts that do not belong together."""
        tally = self.progress.tally
        figures = (tally.squared_errors, tally.means, tally.spreads)
        n_targets = len(settings["target"]) if tally.good else 0
        if any(len(values) != n_targets for values in figures):
            raise ValueError(f"{path} should have figures of {n_targets} target(s)")
        if repr(self.model) != settings["algorithm"] or self.model.n_seen < tally.good:
            raise ValueError(f"{path} holds a model of another run, {self.model!r}")
        if tally.good and bool(self.output_length) != settings["predictions"]:
            raise ValueError(f"{path} has a wrong length of the predictions")


def check_settings(path: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a run that would not go on as it began."""
    for name, value in now.items():
        if then.get(name) != value:
            was = f"but was {then.get(name)!r} when {path} was written"
            raise ValueError(f"--{name} is {value!r}, {was}")
