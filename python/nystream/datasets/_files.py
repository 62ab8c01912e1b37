"""Files of the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._tables.columns import Columns
from nystream._tables.join import join
from nystream._tables.opening import ending, open_table
from nystream._tables.selection import Selection
from nystream._tables.values import ADVICE
from nystream.datasets import _checks, _npz
from nystream.datasets._dataset import NOT_SCALED, Dataset
from nystream.datasets._scaling import constant, scale_as_paper

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from nystream._tables.values import Values

    # Features, labels, which columns they are, and the name of the target if it has one.
    Contents = tuple[Values, Values, Selection, str | None]

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
ARRAYS = ".npz"
KNOWN = (*TABLES, ARRAYS)
GO_ON = f"{ADVICE}, and nystream.Auto takes frames with text, times and gaps as they are"


def read(
    path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    drop: str | int | Sequence[str | int] = (),
    scale: str | None = "paper",
) -> Dataset:
    r"""Read a regression from a file: CSV, Parquet or NumPy's ``.npz``.

    The dialect of CSV is recognised from its first lines: commas, semicolons, tabs or bars between
    columns (``.tsv``: tabs), decimal commas, UTF-8 or Latin-1; it may be compressed (``.csv.gz``).
    Its first line names the columns, unless all of it is numbers. Parquet needs pyarrow
    (``pip install 'nystream[bench]'``). An ``.npz`` file has X of shape (rows, features) and
    the labels as a second array.

    Every value that is not dropped has to be a number, and none may be missing. `nystream.Auto` and
    `nystream.Tabular` take text, times and gaps, in frames of pandas, polars or pyarrow.

    Parameters
    ----------
    path
        The file. Its ending tells what it is: ``.csv``, ``.tsv``, ``.csv.gz``, ``.tsv.gz``,
        ``.parquet`` or ``.npz``.
    target
        Column to predict: its name or its index, negative from the end. In an ``.npz`` file, name
        of the array of labels, None for ``y``.
    drop
        Columns that are neither features nor target, by name or index.
    scale
        ``"paper"`` to bring every feature to [-1, 1] and the target to [0, 1], as
        `scale_as_paper` does; None to leave all as it is.

    Returns
    -------
    data
        Its `target_range` converts labels in [0, 1] back to the target's own unit.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from nystream.datasets import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "houses.csv"
    ...     _ = path.write_text("town,rooms,age,price\nUlm,3,10,200\nBonn,5,30,600\n")
    ...     data = read(path, target="price", drop=["town"])
    >>> data
    Dataset('houses', rows=2, features=2)
    >>> data.feature_names, data.target_range
    (('rooms', 'age'), (200.0, 600.0))
    >>> data.X
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    file = _checks.path("path", path)
    if scale not in ("paper", None):
        raise ValueError(f"scale should be 'paper' or None, but is {scale!r}")
    if not file.is_file():
        raise FileNotFoundError(f"path should be a file, but there is none at {file}")
    suffix = ending(file)
    if suffix == ARRAYS:
        return as_dataset(file, scale, *read_arrays(file, target, drop))
    if suffix not in TABLES:
        raise ValueError(f"path should end with one of {', '.join(KNOWN)}, but is {file}")
    if target is None:
        raise ValueError("target should be the name or the index of a column, but is None")
    return as_dataset(file, scale, *read_table(file, target, drop))


def read_table(path: Path, target: Any, drop: Any) -> Contents:
    """Read a table of text or a Parquet file."""
    try:
        with closing(open_table(str(path), None)) as table:
            selection = choose(table.columns, target, drop)
            X, y = join(table, selection.features, selection.targets[0], GO_ON)
    except ImportError as error:
        needed = "pip install 'nystream[bench]'"
        raise ImportError(f"reading {path} needs pyarrow: {needed}") from error
    if not len(y):
        raise ValueError(f"{path} should have at least one row, but has none")
    names = table.columns.names
    return X, y, selection, names[selection.targets[0]] if names else None


def read_arrays(path: Path, target: Any, drop: Any) -> Contents:
    """Read a file of arrays as a table whose last column is the target."""
    if target is not None and not isinstance(target, str):
        raise TypeError(f"target should be the name of an array, but is {target!r}")
    arrays = _npz.read(path, target)
    label = target or arrays.target_name or "y"
    features = Columns(arrays.X.shape[1], arrays.feature_names)
    dropped = [features.find("drop", column) for column in listed(drop)]
    names = arrays.feature_names and (*arrays.feature_names, label)
    selection = choose(Columns(features.count + 1, names), features.count, dropped)
    X = np.ascontiguousarray(arrays.X[:, selection.features])
    return X, arrays.y, selection, label


def choose(columns: Columns, target: Any, drop: Any) -> Selection:
    """Find the target, and take all other columns that are not dropped for features."""
    index = columns.find("target", target)
    dropped = {columns.find("drop", column) for column in listed(drop)}
    if index in dropped:
        raise ValueError(f"drop should not hold the target, {columns.describe(index)}")
    features = tuple(i for i in range(columns.count) if i != index and i not in dropped)
    if not features:
        raise ValueError(f"there should be a feature beside the target, {columns.describe(index)}")
    return Selection(columns, features, (index,))


def title_of(path: Path) -> str:
    """Return the name of a data set from a file: the file's, without the ending."""
    return path.name[: len(path.name) - len(ending(path))]


def listed(drop: Any) -> list[Any]:
    """Return the columns to drop as a list; one alone may be given as it is."""
    one = isinstance(drop, str) or not isinstance(drop, Iterable)
    return [drop] if one else list(drop)


def as_dataset(
    path: Path,
    scale: str | None,
    X: Values,
    y: Values,
    selection: Selection,
    target_name: str | None,
) -> Dataset:
    """Scale, and say what was done."""
    notes = []
    limits = float(y.min()), float(y.max())
    scaling = NOT_SCALED
    if scale == "paper":
        still = np.flatnonzero(constant(X))
        notes = [f"{selection.columns.describe(selection.features[j])} is constant" for j in still]
        notes += ["the target is constant"] if limits[0] == limits[1] else []
        X, y = scale_as_paper(X, y)
        scaling = "features to [-1, 1], target to [0, 1], by their ranges; what is constant to 0"
    return Dataset(
        name=title_of(path),
        X=X,
        y=y,
        feature_names=selection.feature_names,
        target_name=target_name,
        source=str(path),
        scaling=scaling,
        target_range=limits,
        note="; ".join(notes),
    )
