"""How far a run has come, as a checkpoint tells it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nystream._checks import real, whole
from nystream._runs.tally import Tally
from nystream._tables.table import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

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
