"""What the tables share: the stream, timing, the yardstick, Markdown and the machine."""

from __future__ import annotations

import importlib
import math
import os
import platform
import re
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

import nystream
from nystream._study.machine import cpuinfo, n_cores, processor
from nystream._study.markdown import lay_out
from nystream._study.tables import significant

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("NYSTREAM_DATA", ROOT.parent / "shared" / "data"))
WIDTH = 64  # columns of the right factor of the yardstick
BLOCK = 512  # rows for which NumPy's temporary arrays stay in the cache when it scores
ABSENT = "not installed"
NONE = "-"

Key = TypeVar("Key", bound=Hashable)
Case = Callable[[], Callable[[], Any]]


@dataclass(frozen=True)
class Settings:
    """What the command line says."""

    quick: bool
    rows: int
    out: Path

    @property
    def rounds(self) -> int:
        """How often each case is timed."""
        return 1 if self.quick else 7


@dataclass(frozen=True)
class Stream:
    """Rows, labels, and three widths that give small, medium and large dictionaries."""

    name: str
    X: np.ndarray
    y: np.ndarray
    sigmas: tuple[float, float, float]
    alpha: float


def stream(settings: Settings) -> Stream:
    """Read the elevators set in a fixed random order or, without its file, make friedman."""
    if nystream.datasets.find("elevators", DATA):
        data = nystream.datasets.load("elevators", data_dir=DATA)
        order = np.random.default_rng(0).permutation(len(data.y))
        name, X, y, sigmas = data.name, data.X[order], data.y[order], (8.0, 3.0, 2.0)
    else:
        X, y = nystream.datasets.friedman(16_599)
        name, sigmas = "friedman (no elevators.npz)", (11.5, 4.9, 3.35)
    n_rows = 2_000 if settings.quick else len(y)
    return Stream(name, X[:n_rows], y[:n_rows], sigmas, alpha=25 / len(y))


def each(call: Callable[..., Any], *columns: list[Any]) -> None:
    """Call a function for each row of some columns."""
    for arguments in zip(*columns, strict=True):
        call(*arguments)


def best_of(rounds: int, cases: dict[Key, Case], label: str) -> dict[Key, float]:
    """Fewest seconds of each case, which makes anew, untimed, the call that is timed.

    The cases take turns, so that a slow moment of the machine does not fall on one of them alone.
    """
    best = dict.fromkeys(cases, math.inf)
    turns = [key for _ in range(rounds) for key in cases]
    for key in tqdm(turns, desc=label, leave=False, disable=None):
        call = cases[key]()
        start = time.perf_counter()
        call()
        best[key] = min(best[key], time.perf_counter() - start)
    return best


def ready(call: Callable[..., Any], *arguments: Any) -> Case:
    """Make a case that has nothing to make anew."""
    return lambda: partial(call, *arguments)


class Dgemm:
    """The yardstick: NumPy's product of a (size, size) and a (size, 64) matrix, some ms of it."""

    def __init__(self, size: int) -> None:
        rng = np.random.default_rng(0)
        self.left, self.right = rng.random((size, size)), rng.random((size, WIDTH))
        self.product = np.empty((size, WIDTH))
        self.repeats = max(1, int(2e8 / (2 * WIDTH * size**2)))

    def __call__(self) -> None:
        """Multiply."""
        for _ in range(self.repeats):
            np.matmul(self.left, self.right, out=self.product)

    def gflops(self, seconds: float) -> float:
        """Speed of a call that took so long."""
        return 2e-9 * self.left.size * WIDTH * self.repeats / seconds


def learning_gflop(n_basis: int, n_features: int, n_experts: int = 1) -> float:
    """Count the operations of a learned row, 5 J^2 + 2 d J, in units of 1e9.

    Experts that share a dictionary share its features as well: J^2 + 2 d J of the operations.
    """
    return 1e-9 * ((1 + 4 * n_experts) * n_basis**2 + 2 * n_features * n_basis)


def thread_counts() -> list[int]:
    """1, 2, 4 and so on, and all cores."""
    cores = n_cores()
    return sorted({2**k for k in range(cores.bit_length())} | {cores})


def on_threads(n_threads: int, call: Callable[[], Any]) -> Case:
    """Make a case that has so many threads."""

    def case() -> Callable[[], Any]:
        nystream.set_num_threads(n_threads)
        return call

    return case


@cache
def peer(name: str) -> ModuleType | None:
    """Import a library to compare with; say once if it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name}: {ABSENT}\n")
        return None


@dataclass(frozen=True)
class Table:
    """A table in Markdown, with a title above it and a note below."""

    title: str
    note: str
    header: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def __str__(self) -> str:
        right = [
            any(not isinstance(value, str) for value in column)
            for column in zip(*self.rows, strict=True)
        ]
        body = lay_out(self.header, [[*map(cell, row)] for row in self.rows], right)
        return f"### {self.title}\n\n{body}\n\n{self.note}\n"


def cell(value: Any) -> str:
    """Three significant digits for a measured number; all digits for a count."""
    if isinstance(value, float):
        return significant(value, 3)
    return f"{value:,}" if isinstance(value, int) else str(value)


def machine() -> str:
    """One line: processor, cores, instruction sets, versions."""
    blas = np.show_config("dicts")["Build Dependencies"]["blas"]
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return (
        f"{processor()}, {n_cores()} cores, {instruction_sets()}; {platform.system()}; "
        f"{versions} with {blas['name']} {blas['version']}, nystream {nystream.__version__}"
    )


def instruction_sets() -> str:
    """Those that matter here, as Linux names them; else as NumPy does."""
    flags = re.findall(r"^(?:flags|Features)\s*: (.*)$", cpuinfo(), re.MULTILINE)
    if flags:
        wanted = ("sse4_2", "avx", "avx2", "fma", "avx512f", "asimd", "sve")
        return " ".join(flag for flag in wanted if flag in flags[0].split())
    simd = np.show_config("dicts")["SIMD Extensions"]
    return " ".join([*simd.get("baseline", []), *simd.get("found", [])])
