"""All sets by name: the paper's and the embedded streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import whole
from nystream.datasets import _drifting, _synthetic
from nystream.datasets._dataset import Dataset, Info
from nystream.datasets._paper import PAPER_SETS, load_paper_set, search

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Maker = Callable[..., tuple[NDArray[np.float64], NDArray[np.float64]]]

ROWS = 10_000

EMBEDDED = {
    line.name: line
    for line in (
        Info("friedman", "embedded", "Friedman's nonlinear regression with noise", ROWS, 10, 4.0),
        Info("mackey_glass", "embedded", "chaotic Mackey-Glass series", ROWS, 8, 1.0),
        Info("coin_flips", "embedded", "one row with fair labels of -1 and 1", ROWS, 1, 1.0),
        Info("normal_line", "embedded", "normal rows on a line: fast eigenvalues", ROWS, 1, 0.5),
        Info("uniform_line", "embedded", "uniform rows on a line: slow eigenvalues", ROWS, 1, 0.5),
        Info("drift", "embedded", "a wave on a square that turns slowly", ROWS, 2, 1.0),
        Info("abrupt_drift", "embedded", "friedman, its features swap at once", 20_000, 10, 4.0),
        Info("gradual_drift", "embedded", "friedman, its features swap gradually", 20_000, 10, 4.0),
    )
}
MAKERS: dict[str, Maker] = {
    "friedman": _synthetic.friedman,
    "mackey_glass": _synthetic.mackey_glass,
    "coin_flips": _synthetic.coin_flips,
    "normal_line": _synthetic.normal_line,
    "uniform_line": _synthetic.uniform_line,
    "drift": _synthetic.drift,
    "abrupt_drift": _drifting.abrupt_drift,
    "gradual_drift": _drifting.gradual_drift,
}
INFO = {**{name: line.info for name, line in PAPER_SETS.items()}, **EMBEDDED}


def names(kind: str | None = None) -> tuple[str, ...]:
    """Return the names that `load` knows.

    Parameters
    ----------
    kind
        ``"paper"`` for the paper's eight, ``"embedded"`` for the streams that need no file; None
        for both.

    Examples
    --------
    >>> from nystream.datasets import names
    >>> names("paper")[:3]
    ('parkinson', 'elevators', 'cpusmall')
    >>> "friedman" in names()
    True
    """
    if kind not in (None, "paper", "embedded"):
        raise ValueError(f"kind should be 'paper', 'embedded' or None, but is {kind!r}")
    return tuple(name for name, line in INFO.items() if kind in (None, line.kind))


def info(name: str) -> Info:
    """Return what is known of a set without reading it.

    Parameters
    ----------
    name
        One of `names`.

    Examples
    --------
    >>> from nystream.datasets import info
    >>> info("bank").description
    "share of customers who leave a simulated bank's queue (bank32nh)"
    """
    if not isinstance(name, str) or name not in INFO:
        raise ValueError(f"name should be one of {', '.join(INFO)}, but is {name!r}")
    return INFO[name]


def find(name: str, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the file that `load` would read, without reading it and without the network.

    Parameters
    ----------
    name
        One of `names`.
    data_dir
        A folder to look in first.

    Returns
    -------
    path
        None for an embedded stream, and for a set that `load` would have to fetch.

    Examples
    --------
    >>> from nystream.datasets import find
    >>> print(find("friedman"))
    None
    """
    return search(name, data_dir).file() if info(name).kind == "paper" else None


def load(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    n_rows: int | None = None,
    random_state: int = 0,
) -> Dataset:
    """Return a set of the paper or an embedded stream.

    A set of the paper is read from ``<name>.npz``, which is looked for in `data_dir`, then in the
    folder that the environment variable ``NYSTREAM_DATA`` names, then in the cache. A place that
    lacks it is passed over. If none has it, it is fetched from OpenML through scikit-learn
    (``pip install 'nystream[bench]'``), scaled, and kept in the cache for the next time.

    The cache is the folder ``nystream`` in ``XDG_CACHE_HOME``, else in ``~/.cache``; on Windows in
    ``LOCALAPPDATA``; or it is the folder that ``NYSTREAM_CACHE`` names.

    A file holds X, scaled to [-1, 1], and y, scaled to [0, 1]. The features of parkinson, cpusmall
    and tomshardware are brought to [0, 1] from there, where the paper's widths fit them.

    Parameters
    ----------
    name
        One of `names`.
    data_dir
        A folder to look in first.
    n_rows
        Only so many rows, the first ones of a file. An embedded stream has so many rows, for None
        as many as `info` tells.
    random_state
        Seed of an embedded stream.

    Returns
    -------
    data
        Its `note` says what should be known before comparing with the paper.

    Raises
    ------
    FileNotFoundError
        If a set is in none of the places; the message lists them with the reasons.

    Examples
    --------
    >>> from nystream.datasets import load
    >>> data = load("mackey_glass", n_rows=500)
    >>> data.X.shape, data.sigma
    ((500, 8), 1.0)
    """
    about = info(name)
    if n_rows is not None:
        n_rows = whole("n_rows", n_rows)
    if about.kind == "paper":
        return load_paper_set(name, data_dir, n_rows)
    X, y = MAKERS[name](n_rows or about.rows, random_state=random_state)
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X),
        y=y,
        source=f"embedded, random_state {random_state}",
        sigma=about.sigma,
    )
