"""``nystream bench``: compares online learners."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from nystream._cli import learner_options, table_options
from nystream._cli.parsing import Commands, add_command, at_least_one, positive
from nystream._cli.progress import tell
from nystream._runs.bad_rows import BadRows

if TYPE_CHECKING:
    from nystream._study.own_file import OwnFile

NOT_FOR_SCALING = ("datasets", "data-dir", "data", "rows", "order", "algorithms", "tune", "sigma")
FOR_A_FILE = (
    *("target", "features", "drop", "format", "separator", "decimal", "encoding"),
    *("schema", "missing-values", "on-error", "scale"),
)
EXAMPLES = """\
examples:
  nystream bench                                   # two embedded streams, a minute
  nystream bench --preset paper --data-dir data    # Table 3 of the paper
  nystream bench --preset scaling                  # Table 1 of the paper, seen
  nystream bench --data my.csv --target price      # your own data, with text, times and gaps
  nystream bench --datasets elevators --algorithms NONS-ALD RidgeAld --repeats 3
  nystream bench --preset paper --resume           # goes on after Ctrl-C
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "bench",
        run,
        summary="compare online learners on the paper's data, on embedded streams or on your own",
        description="Compare online learners: each predicts every row before it learns it. "
        "Prints a table, and writes results, tables, plots and an HTML report.",
        examples=EXAMPLES,
    )
    parser.add_argument(
        "--preset", choices=("paper", "quick", "scaling"), help="a whole comparison by name"
    )
    add_data_to(parser.add_argument_group("data"))
    add_file_to(parser.add_argument_group("a file of your own"))
    add_learners_to(parser.add_argument_group("learners"))
    add_running_to(parser.add_argument_group("running"))


def add_data_to(data: argparse._ArgumentGroup) -> None:
    """Add the options for data sets and files."""
    data.add_argument("--datasets", nargs="+", metavar="NAME", help="data sets by name")
    data.add_argument("--data-dir", type=Path, metavar="DIR", help="folder with NAME.npz files")
    data.add_argument("--rows", type=at_least_one, metavar="N", help="the first N rows only")
    data.add_argument(
        "--order",
        choices=("random", "given"),
        help="a random order in each repeat, or the rows as they stand",
    )


def add_file_to(own: argparse._ArgumentGroup) -> None:
    """Add the options for a file of the user's own."""
    own.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="a CSV, JSON lines, Parquet, Arrow IPC or .npz file; text, times and gaps are taken",
    )
    own.add_argument("--target", metavar="COLUMN", help="its column to predict")
    table_options.add_table_to(own)
    learner_options.add_kinds_to(own)
    own.add_argument(
        "--scale",
        choices=("paper", "none"),
        help="scale its target to [0, 1], and features to [-1, 1] if all are numbers without "
        "gaps (paper), or not",
    )


def add_learners_to(learners: argparse._ArgumentGroup) -> None:
    """Add the options for learners and their settings."""
    learners.add_argument("--algorithms", nargs="+", metavar="NAME", help="learners by name")
    learners.add_argument("--repeats", type=at_least_one, metavar="N", help="random orders (10)")
    learners.add_argument(
        "--tune",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="also try the whole grid of each learner",
    )
    learners.add_argument(
        "--sigma", type=positive, metavar="S", help="width of the Gaussian kernel"
    )


def add_running_to(running: argparse._ArgumentGroup) -> None:
    """Add the options for the runs and their results."""
    running.add_argument(
        "--jobs", type=at_least_one, metavar="N", help="runs at a time (as many as cores)"
    )
    running.add_argument(
        "--out", type=Path, metavar="DIR", help="folder to write to (nystream-bench/PRESET)"
    )
    running.add_argument(
        "--resume", action="store_true", help="keep the results in the folder and do the rest"
    )


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    require("matplotlib", "tqdm")
    check(chosen)
    from nystream._study.command import bench

    return bench(chosen, own_file(chosen) if chosen.data else None)


def own_file(chosen: argparse.Namespace) -> OwnFile:
    """Return the file of the user's own, and how it is to be read."""
    from nystream._study.own_file import OwnFile

    path = chosen.data.expanduser()
    return OwnFile(
        path=path,
        target=chosen.target,
        features=chosen.features,
        drop=chosen.drop,
        form=chosen.format,
        dialect=table_options.dialect(chosen),
        columns=learner_options.columns_of(chosen),
        bad_rows=BadRows(chosen.on_error or "stop", str(path), tell),
        scale=None if chosen.scale == "none" else "paper",
    )


def require(*modules: str) -> None:
    """Say at once, not after an hour, that an extra is not installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        raise ImportError(f"nystream bench needs {names}: pip install 'nystream[bench]'")


def check(chosen: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if chosen.preset == "scaling":
        for name in NOT_FOR_SCALING:
            if getattr(chosen, name.replace("-", "_")) is not None:
                raise ValueError(f"--preset scaling makes its own streams: --{name} has no use")
    if chosen.data is None:
        for name in FOR_A_FILE:
            if getattr(chosen, name.replace("-", "_")) is not None:
                raise ValueError(f"--{name} is for a file of your own: name it with --data")
    elif chosen.data_dir:
        raise ValueError("--data-dir is for data sets by name: --data names its file itself")
    elif chosen.datasets or chosen.preset:
        raise ValueError("--data and --datasets or --preset are two comparisons: choose one")
    elif chosen.target is None and "npz" not in (chosen.format, chosen.data.suffix[1:].lower()):
        raise ValueError("--data needs --target, the column to predict")
