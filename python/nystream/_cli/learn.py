"""``nystream learn``: a model goes through a stream, predicting each row before it learns it."""

from __future__ import annotations

import argparse
import copy
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nystream import Keyed
from nystream._cli import key_options, learner_options, outputs, table_options
from nystream._cli.parsing import Commands, add_command, at_least_one, not_negative
from nystream._cli.progress import ColumnSummary, ProgressDisplay, tell
from nystream._runs.bad_rows import BadRows
from nystream._runs.learning import Learning
from nystream._runs.progress import Progress
from nystream._runs.resuming import CheckpointWriter, Resumed, algorithm, recorded
from nystream._runs.sinks import TEXT, Nowhere, Sink, open_sink, output_format
from nystream._tables.csv_table import CsvTable
from nystream._tables.npz_table import NpzTable
from nystream._tables.opening import STANDARD, name_of, open_table
from nystream._tables.selection import Reading, Selection, select
from nystream._tables.table import Chunk, Position, Table
from nystream._tables.text_table import empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nystream import Learner

EXAMPLES = """\
examples:
  nystream learn trips.csv --target fare --predictions fare.csv --save fare.nys
  nystream learn trips.parquet --target fare --algorithm RidgeAld --set max_basis=200
  zcat trips.jsonl.gz | nystream learn - --format jsonl --target fare --predictions -
  nystream learn big.csv --target y --predictions p.csv --checkpoint big.ckpt --resume
  nystream learn readings.csv --target value --key sensor --save sensors.nys
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "learn",
        run,
        summary="predict and learn a file or a pipe, row after row",
        description="Go through a table: predict each row, then learn it. Any length fits into "
        "memory. Prints the mean absolute error (MAE) of the predictions and the root of the mean "
        "squared one (RMSE) in the unit of the labels, R2, speed and dictionary. Ctrl-C "
        "ends it in order, a second one at once.",
        examples=EXAMPLES,
    )
    table_options.add_input_to(parser)
    parser.add_argument(
        "--target",
        action="append",
        metavar="COLUMN",
        help="its column to predict (y of an .npz file); again for several",
    )
    model = parser.add_argument_group("model")
    learner_options.add_to(model)
    learner_options.add_columns_to(model)
    model.add_argument("--model", type=Path, metavar="FILE", help="a model that learns on")
    model.add_argument(
        "--delay",
        type=not_negative,
        default=0,
        metavar="N",
        help="learn each label when N more rows have been predicted (0): a forecast h steps ahead "
        "has the delay h - 1",
    )
    key_options.add_to(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--save", type=Path, metavar="FILE", help="where the model goes")
    output.add_argument(
        "--predictions", metavar="FILE", help="where predictions go; - is the standard output"
    )
    output.add_argument(
        "--predictions-format",
        choices=table_options.WRITTEN,
        help="their format, if the file's name does not tell",
    )
    add_going_on_to(parser)


def add_going_on_to(parser: argparse.ArgumentParser) -> None:
    """Add the options for a run that may be stopped."""
    going_on = parser.add_argument_group("stopping and going on")
    going_on.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="keeps the model and how far it has read; a last line without its end then waits",
    )
    going_on.add_argument(
        "--every", type=at_least_one, metavar="N", help="rows between checkpoints (100,000)"
    )
    going_on.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoint, if there is one; the input may have grown, not changed",
    )


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    check(chosen)
    key_options.check(chosen)
    names = ("predictions", "checkpoint", "save")
    files = {f"--{name}": getattr(chosen, name) for name in names}
    is_resumable = chosen.checkpoint is not None
    # What the first rows told then, they may tell otherwise when more of them have come.
    then = recorded(chosen.checkpoint) if is_resumed(chosen) else {}
    dialect = table_options.dialect(chosen) or table_options.dialect_of(then.get("dialect"))
    if not (chosen.features or chosen.drop) and isinstance(then.get("features"), list):
        chosen.features = [str(name) for name in then["features"]]
    with (
        outputs.reserved(files, chosen.input),
        closing(open_table(chosen.input, chosen.format, is_resumable, dialect)) as table,
    ):
        return learn(chosen, table)


def is_resumed(chosen: argparse.Namespace) -> bool:
    """Tell whether there is a checkpoint to go on from."""
    return bool(chosen.resume and chosen.checkpoint and Path(chosen.checkpoint).exists())


def check(chosen: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if not chosen.checkpoint and (chosen.resume or chosen.every):
        raise ValueError("--resume and --every need --checkpoint, the file to go on from")
    if chosen.predictions is None:
        return
    form = output_format(chosen.predictions, chosen.predictions_format)
    if chosen.checkpoint and (chosen.predictions == STANDARD or form not in TEXT):
        kind = "the standard output" if chosen.predictions == STANDARD else form
        formats = ", ".join(TEXT)
        raise ValueError(f"--checkpoint needs predictions in a file of {formats}, not {kind}")


def learn(chosen: argparse.Namespace, table: Table) -> int:
    """Make or load the model, go through the table, and write the files that were asked for."""
    model = begin(chosen)
    selection = choose(chosen, table, model)
    settings = described(chosen, model, selection)
    settings["dialect"] = list(table.dialect) if isinstance(table, CsvTable) else None
    resumed = resumed_from(chosen, settings)
    start = resumed.progress.position if resumed else Position()
    model = resumed.model if resumed else model
    selection = replace(selection, reading=Reading.of(model))
    chunks = table.chunks(selection, chosen.chunk, start)
    learning = learning_of(chosen, model, selection, settings, resumed)
    rate = go_through(table, learning, chunks)
    if table.unread():
        reason = "it may not be whole, and is left for the next --resume"
        tell(f"{name_of(chosen.input)}, {table.unread()}: {reason}")
    if not learning.progress.tally.good:
        what = " with a label" if learning.progress.tally.unlabelled else ""
        raise ValueError(f"{chosen.input} should have at least one good row{what}, but has none")
    if chosen.save:
        finished(learning.model).save(chosen.save)
    summarise(chosen, learning, rate)
    return 0


def begin(chosen: argparse.Namespace) -> Learner | Keyed:
    """Load the model that learns on, or make a new one."""
    if chosen.model is not None:
        model: Learner | Keyed = learner_options.loaded(chosen, "--model", Keyed)
        key_options.check_model(chosen.key, model, str(chosen.model))
        return model
    return key_options.make(chosen)


def finished(model: Learner | Keyed) -> Learner | Keyed:
    """Return a copy that has learned all labels: at the end of the table they are known."""
    if isinstance(model, Keyed):  # which has learned them at once
        return model
    copied = copy.deepcopy(model)
    copied.learn_pending()
    return copied


def go_through(table: Table, learning: Learning, chunks: Iterator[Chunk]) -> float:
    """Learn all that is left of the table, show how it goes, and return rows a second."""
    n_before = learning.progress.position.row
    model = learning.model
    display = ProgressDisplay(
        table, lambda progress, rate: figures(model, progress, rate), n_before
    )
    summary = ColumnSummary(model)

    def show(progress: Progress) -> None:
        summary.tell_once()
        display(progress)

    try:
        learning.run(chunks, show)
    finally:
        display.close()
        learning.sink.close()
    summary.tell_once(is_end=True)
    return display.rate(learning.progress)


def choose(chosen: argparse.Namespace, table: Table, model: Learner | Keyed) -> Selection:
    """Find the columns to read; the target of an .npz file is its y."""
    targets = chosen.target
    if targets is None and isinstance(table, NpzTable):
        targets = table.targets
    if not targets:
        raise ValueError("--target should name the column to predict, but is not given")
    if not isinstance(model, Keyed) and len(targets) != model.n_targets:
        count = f"has {model.n_targets} target(s), but --target names {len(targets)}"
        raise ValueError(f"{type(model).__name__} {count}: --set n_targets={len(targets)} says so")
    reading = Reading.of(model)
    wanted = (targets, chosen.features, chosen.drop, reading, empty(table), chosen.key)
    selection = select(table.columns, *wanted)
    key_options.check_columns(selection, table)
    return selection


def described(
    chosen: argparse.Namespace, model: Learner | Keyed, selection: Selection
) -> dict[str, Any]:
    """Return the settings that a resumed run has to share with the one before."""
    return {
        "algorithm": algorithm(model),
        **selection.described(),
        "chunk": chosen.chunk,
        "on-error": chosen.on_error,
        "predictions": chosen.predictions is not None,
        "delay": chosen.delay,
    }


def resumed_from(chosen: argparse.Namespace, settings: dict[str, Any]) -> Resumed | None:
    """Return the run of the checkpoint, if there is one to go on from."""
    if not chosen.checkpoint or not Path(chosen.checkpoint).exists():
        return None
    if not chosen.resume:
        outputs.check_absent(chosen.checkpoint)
    resumed = Resumed.read(chosen.checkpoint, settings)
    if resumed.progress.position.row and resumed.progress.position.digest is None:
        reason = "it was written by an earlier version"
        tell(f"{chosen.checkpoint} cannot tell whether the input has changed: {reason}")
    return resumed


def learning_of(
    chosen: argparse.Namespace,
    model: Learner | Keyed,
    selection: Selection,
    settings: dict[str, Any],
    resumed: Resumed | None,
) -> Learning:
    """Put the parts of a run together."""
    writer = None
    if chosen.checkpoint:
        writer = CheckpointWriter(chosen.checkpoint, chosen.every or 100_000, settings)
    sink: Sink = Nowhere()
    if chosen.predictions is not None:
        length = resumed.output_length if resumed else 0
        names = selection.target_names()
        sink = open_sink(chosen.predictions, chosen.predictions_format, names, length)
    bad_rows = BadRows(chosen.on_error, name_of(chosen.input), tell)
    progress = resumed.progress if resumed else None
    return Learning(model, sink, bad_rows, writer, progress, chosen.delay)


def figures(model: Learner | Keyed, progress: Progress, rate: float | None) -> str:
    """Return errors, speed and the size of the dictionary or the number of keys as a line."""
    tally = progress.tally
    speed = "" if rate is None else f", {rate:,.0f} rows/s"
    size = f"keys {len(model):,}" if isinstance(model, Keyed) else f"dictionary {model.n_basis:,}"
    return f"{tally.figures}{speed}, {size}"


def summarise(chosen: argparse.Namespace, learning: Learning, rate: float) -> None:
    """Print the figures of the run, to the standard error if predictions go to the output."""
    progress = learning.progress
    lines = [f"{progress.tally.good:,} rows, {figures(learning.model, progress, rate)}"]
    if progress.tally.unlabelled:
        lines.append(f"{progress.tally.unlabelled:,} rows without a label")
    if progress.tally.bad:
        lines.append(f"bad rows left out: {progress.tally.bad:,}")
    place = sys.stderr if chosen.predictions == "-" else sys.stdout
    print("\n".join(lines), file=place)
