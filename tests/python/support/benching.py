"""Comparisons that take no time."""

from __future__ import annotations

SMALL = ["--repeats", "2", "--no-tune", "--rows", "300"]
LEARNERS = ["--algorithms", "NONS-ALD", "RunningMean"]
