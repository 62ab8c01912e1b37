"""The machine that figures are measured on: processor, cores, instruction set, versions."""

from __future__ import annotations

import os
import platform
import re
from functools import cache
from pathlib import Path

import numpy as np

from nystream._core import instruction_set


@cache
def machine() -> dict[str, str | int]:
    """Facts that every result carries."""
    return {
        "processor": processor(),
        "cores": n_cores(),
        "instruction_set": instruction_set(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def processor() -> str:
    """Name of the processor, where the system tells it."""
    names = re.findall(r"^model name\s*: (.*)$", cpuinfo(), re.MULTILINE)
    return names[0] if names else platform.processor() or platform.machine()


def cpuinfo() -> str:
    """Read what Linux says of the processor; nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def n_cores() -> int:
    """Cores that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
