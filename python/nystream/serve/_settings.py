"""Settings of the service, and counts of what it has done."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """The limits on requests, and the intervals of snapshots and checkpoints."""

    max_rows: int
    max_features: int
    max_text: int
    max_queue: int
    max_pending: int
    max_age: float
    max_keys_total: int
    refresh: float
    stall: float
    checkpoint: Path | None
    every: float


@dataclass
class Counts:
    """Counts of what was done since the start."""

    predicted: int = 0
    learned: int = 0
    refused: int = 0
    saved: int = 0
    not_saved: int = 0
    started: float = field(default_factory=time.time)
