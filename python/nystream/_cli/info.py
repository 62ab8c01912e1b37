"""``nystream info``: describes a model, a data file or results."""

from __future__ import annotations

import argparse
from pathlib import Path

from nystream._cli import inspect
from nystream._cli.parsing import Commands, add_command
from nystream._tables.columns import UnfitColumnError
from nystream._tables.opening import ending
from nystream.datasets import Dataset, read
from nystream.datasets._files import ARRAYS, KNOWN


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "info",
        run,
        summary="describe a model, a data file or the results of a comparison",
        description="Describe a file: a saved model or checkpoint, a CSV, Parquet or .npz file, "
        "or the results.jsonl of nystream bench (or its folder).",
        examples="examples:\n  nystream info model.nys\n  nystream info my.csv\n",
    )
    parser.add_argument("file", type=Path, metavar="FILE")


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    path: Path = chosen.file
    if path.is_dir():
        path = path / "results.jsonl"  # what nystream bench leaves
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.suffix == ".jsonl":
        print(results(path))
    elif is_data(path):
        print(data(path))
    else:
        print(model(path))
    return 0


def is_data(path: Path) -> bool:
    """Tell a data file from a model by its ending."""
    return ending(path) in KNOWN


def results(path: Path) -> str:
    """Describe the results of a comparison."""
    from nystream._study.store import Store

    runs = Store(path).read().values()
    pairs = sorted({(run.dataset, run.algorithm) for run in runs})
    lines = [
        f"{dataset}, {algorithm}: {len(chosen)} runs, least MSE {min(r.mse for r in chosen):.5g}"
        for dataset, algorithm in pairs
        if (chosen := [r for r in runs if (r.dataset, r.algorithm) == (dataset, algorithm)])
    ]
    versions = ", ".join(sorted({run.version for run in runs})) or "-"
    return "\n".join([f"{path}: {len(runs)} runs of nystream {versions}", *lines])


def data(path: Path) -> str:
    """Describe the columns of a data file."""
    from nystream._study import markdown

    table, unfit = numbers(path)
    names = [*(table.feature_names or map(str, range(table.X.shape[1]))), table.target_name or "y"]
    columns = zip(names, [*table.X.T, table.y], strict=True)
    rows = [
        (name, *(f"{value:.6g}" for value in (column.min(), column.mean(), column.max())))
        for name, column in columns
    ]
    header = ("column", "least", "mean", "greatest")
    cells = markdown.lay_out(header, rows, [False, True, True, True])
    size = f"{path}: {len(table.y):,} rows, {len(rows) + len(unfit)} columns"
    return "\n\n".join([size, cells, *map(str, unfit)])


def numbers(path: Path) -> tuple[Dataset, list[UnfitColumnError]]:
    """Read the columns that are all numbers; return an error for each of the others."""
    unfit: dict[int, UnfitColumnError] = {}
    # Any column can be taken for the target here: the last one that is left.
    target = None if ending(path) == ARRAYS else -1
    while True:
        try:
            return read(path, target=target, drop=[*unfit], scale=None), [*unfit.values()]
        except UnfitColumnError as error:
            unfit[error.column] = error
            target = max(set(range(error.count)) - set(unfit), default=-1)


def model(path: Path) -> str:
    """Describe a learner, a scorer or a checkpoint."""
    try:
        return inspect.described(path)
    except ValueError as error:
        reason = str(error).removeprefix(f"{path}: ")
        what = "neither a data file nor results by its ending, and no model"
        raise ValueError(f"{path} is {what}: {reason}") from None
