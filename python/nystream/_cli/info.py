"""``nystream info``: describes a model, a data file or results."""

from __future__ import annotations

import argparse
from pathlib import Path

from nystream._cli import inspect
from nystream._cli.parsing import Commands, add_command
from nystream._tables.opening import ENDINGS, ending, unpacked_ending

RESULTS = "results.jsonl"  # what nystream bench leaves


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "info",
        run,
        summary="describe a model, a data file or the results of a comparison",
        description="Describe a file: a saved model or checkpoint, a table of any format "
        "that is read, with the kinds and gaps of its columns, "
        "or the results.jsonl of nystream bench (or its folder).",
        examples="examples:\n  nystream info model.nys\n  nystream info my.csv\n",
    )
    parser.add_argument("file", type=Path, metavar="FILE")


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    path: Path = chosen.file
    if path.is_dir():
        path = path / RESULTS
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.name == RESULTS:
        print(results(path))
    elif is_data(path):
        from nystream._cli.description import described

        print(described(path))
    else:
        print(model(path))
    return 0


def is_data(path: Path) -> bool:
    """Tell a data file from a model by its ending."""
    return unpacked_ending(ending(path)) in ENDINGS


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


def model(path: Path) -> str:
    """Describe a learner, a scorer or a checkpoint."""
    try:
        return inspect.described(path)
    except ValueError as error:
        reason = str(error).removeprefix(f"{path}: ")
        what = "neither a data file nor results by its ending, and no model"
        raise ValueError(f"{path} is {what}: {reason}") from None
