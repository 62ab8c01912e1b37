"""``nystream score``: a model's predictions for a file or a pipe."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nystream import Forecaster, Keyed
from nystream._cli import key_options, outputs, table_options
from nystream._cli.inspect import opened
from nystream._cli.parsing import Commands, add_command
from nystream._cli.progress import ProgressDisplay, tell
from nystream._runs.bad_rows import BadRows
from nystream._runs.scoring import Scoring
from nystream._runs.sinks import open_sink
from nystream._tables.npz_table import NpzTable
from nystream._tables.opening import name_of, open_table
from nystream._tables.selection import Reading, Selection, select
from nystream._tables.table import Table
from nystream._tables.text_table import empty

if TYPE_CHECKING:
    from nystream import Learner, Scorer

EXAMPLES = """\
examples:
  nystream score fare.nys new.csv > predictions.csv
  nystream score fare.nys new.parquet --output predictions.parquet
  tail -f live.jsonl | nystream score fare.nys - --format jsonl --chunk 1 --output-format jsonl
  nystream score fare.nys test.csv --target fare --output /dev/null    # prints the error
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "score",
        run,
        summary="predict the rows of a file or a pipe with a saved model",
        description="Predict each row of a table with a model that nystream learn, or save, has "
        "written. The model learns nothing.",
        examples=EXAMPLES,
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model or a checkpoint")
    table_options.add_input_to(parser)
    parser.add_argument(
        "--target", action="append", metavar="COLUMN", help="labels to compare with"
    )
    key_options.add_key_to(parser)
    parser.add_argument(
        "--missing-values",
        nargs="+",
        type=float,
        metavar="NUMBER",
        help="numbers that stand for missing labels (those that the model has learned with)",
    )
    parser.add_argument(
        "--output", default="-", metavar="FILE", help="where predictions go (the standard output)"
    )
    parser.add_argument(
        "--output-format",
        choices=table_options.WRITTEN,
        help="their format, if the file's name does not tell",
    )


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    models, _ = opened(chosen.model)
    if len(models) != 1:
        raise ValueError(f"{chosen.model} should hold one model, but holds {len(models)}")
    (model,) = models.values()
    if isinstance(model, Forecaster):
        raise ValueError(f"{chosen.model} holds a forecaster: nystream forecast --model takes it")
    key_options.check_model(chosen.key, model, str(chosen.model))
    scorer = model.scorer() if hasattr(model, "scorer") else model
    reading = replace(Reading.of(scorer), missing_values=missing_values(chosen, model))
    with (
        outputs.reserved({"--output": chosen.output}, chosen.input),
        closing(
            open_table(chosen.input, chosen.format, dialect=table_options.dialect(chosen))
        ) as table,
    ):
        return score(chosen, scorer, reading, table)


def missing_values(
    chosen: argparse.Namespace, model: Learner | Scorer | Keyed
) -> tuple[float, ...]:
    """Return the numbers that stand for missing labels: those of the model, if not told."""
    return tuple(chosen.missing_values or Reading.of(model).missing_values)


def n_targets(scorer: Scorer | Keyed) -> int:
    """Return the number of targets; models by key have one."""
    return 1 if isinstance(scorer, Keyed) else scorer.n_targets


def score(
    chosen: argparse.Namespace, scorer: Scorer | Keyed, reading: Reading, table: Table
) -> int:
    """Go through the table."""
    selection = choose(chosen, scorer, reading, table)
    names = selection.target_names() or [str(i) for i in range(n_targets(scorer))]
    sink = open_sink(chosen.output, chosen.output_format, names)
    bad_rows = BadRows(chosen.on_error, name_of(chosen.input), tell)
    scoring = Scoring(scorer, table, selection, sink, bad_rows)
    display = ProgressDisplay(table, lambda _, rate: "" if rate is None else f"{rate:,.0f} rows/s")
    try:
        scoring.run(chosen.chunk, display)
    finally:
        display.close()
        sink.close()
    summarise(scoring)
    return 0


def choose(
    chosen: argparse.Namespace, scorer: Scorer | Keyed, reading: Reading, table: Table
) -> Selection:
    """Find the columns to read; the labels of an .npz file are no features."""
    if chosen.target and len(chosen.target) != n_targets(scorer):
        count = f"has {n_targets(scorer)} target(s), but --target names {len(chosen.target)}"
        raise ValueError(f"{chosen.model} {count}")
    drop, is_named = chosen.drop, bool(scorer.feature_names and table.columns.names)
    if isinstance(table, NpzTable) and not (chosen.features or chosen.target or is_named):
        drop = [*(drop or ()), *table.targets]
    targets = chosen.target or ()
    wanted = (targets, chosen.features, drop, reading, empty(table), chosen.key)
    return select(table.columns, *wanted)


def summarise(scoring: Scoring) -> None:
    """Print the error, if labels are known, and the number of bad rows."""
    tally = scoring.progress.tally
    if scoring.selection.targets:
        tell(f"{tally.good:,} rows, {tally.figures}")
    if tally.unlabelled:
        tell(f"{tally.unlabelled:,} rows without a label")
    if tally.bad:
        tell(f"bad rows left out: {tally.bad:,}")
