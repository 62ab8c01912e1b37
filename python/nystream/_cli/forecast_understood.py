"""The line that says how ``nystream forecast`` has understood a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from nystream._cli.progress import tell
from nystream._tables import steps, times

if TYPE_CHECKING:
    from nystream import Forecaster
    from nystream._tables.series import Read, Roles

SLOW = 50_000  # forecasts: Auto takes minutes for more


def tell_understood(
    chosen: argparse.Namespace, roles: Roles, read: Read, model: Forecaster
) -> None:
    """Say how the table was understood."""
    is_found = not (chosen.every or chosen.model)
    parts = [rows(roles, read)]
    parts += clock(read, model.params["every"], is_found) if roles.time else []
    parts += [] if read.was_sorted else ["now sorted by time"]
    parts += known(roles)
    if n_next := sum(len(own) - own.n_known for own in read.series):
        parts.append(f"{n_next:,} rows at the end have no value yet")
    tell("; ".join(parts))
    if read.bad:
        tell(f"bad rows left out: {len(read.bad):,}")
    n_forecasts = sum(own.n_known for own in read.series) * len(model.horizons)
    if "warm_up" in model.params["model"].params and n_forecasts > SLOW:
        tell("Auto takes its time: --algorithm LinearRls takes a twentieth of it")


def rows(roles: Roles, read: Read) -> str:
    """Say how many rows there are."""
    n = sum(map(len, read.series))
    n_rows = f"{n:,} row{'s' if n > 1 else ''}"
    if roles.key is None:
        return n_rows
    return f"{n_rows} of {len(read.series):,} series by {roles.name(roles.key)}"


def clock(read: Read, every: str, is_found: bool) -> list[str]:
    """Say which times there are, how many are missing, and how many come twice."""
    ends = [own.times[place] for own in read.series for place in (0, -1)]
    shown = times.shown(np.array([min(ends), max(ends)]))
    found = [steps.slots(own.times, every, int(own.times[0])) for own in read.series]
    twice = sum(len(own) - len(np.unique(own)) for own in found)
    missing = sum(int(own.max() - own.min()) + 1 - len(np.unique(own)) for own in found)
    parts = [f"{shown[0]} to {shown[1]}"]
    parts.append(f"every {every}" + (", the median distance" if is_found else ""))
    parts += [f"{missing:,} missing"] if missing else []
    return parts + ([f"{twice:,} more than once"] if twice else [])


def known(roles: Roles) -> list[str]:
    """Say which columns are known ahead, and which up to now."""
    ahead = [roles.name(i) for i in roles.ahead]
    now = [roles.name(i) for i in roles.features if i not in roles.ahead]
    parts = [f"known ahead: {', '.join(ahead)}"] if ahead else []
    return parts + ([f"known up to now: {', '.join(now)}"] if now else [])
