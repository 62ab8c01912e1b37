"""``nystream list``: data sets, learners, kernels, losses and presets."""

from __future__ import annotations

import argparse
from pathlib import Path

import nystream
from nystream._cli.parsing import Commands, add_command
from nystream._core import default_params
from nystream._learner_names import title_of
from nystream.datasets import find, info, names

KINDS = ("datasets", "algorithms", "kernels", "losses", "presets")


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "list",
        run,
        summary="list data sets, learners, kernels, losses and presets",
        description="List what there is: data sets and where they are, learners and their "
        "parameters, kernels, losses, and the presets of nystream bench.",
        examples="examples:\n  nystream list\n  nystream list datasets --data-dir data\n",
    )
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only these")
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="folder with NAME.npz files")


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    from nystream._study import markdown

    if chosen.data_dir and not chosen.data_dir.expanduser().is_dir():
        raise ValueError(f"--data-dir should be a folder, but there is none at {chosen.data_dir}")
    for kind in (chosen.kind,) if chosen.kind else KINDS:
        columns = CONTENTS[kind](chosen.data_dir)
        rows = list(zip(*columns.values(), strict=True))
        print(markdown.lay_out(list(columns), rows, [False] * len(columns)), end="\n\n")
    return 0


def datasets(data_dir: Path | None) -> dict[str, list[str]]:
    """List data sets, and where they would come from."""
    lines = [info(name) for name in names()]
    places = [
        "made when asked for"
        if line.kind == "embedded"
        else str(find(line.name, data_dir) or "not on this machine: OpenML")
        for line in lines
    ]
    return {
        "data set": [line.name for line in lines],
        "rows": [f"{line.rows:,}" for line in lines],
        "features": [str(line.features) for line in lines],
        "what it is": [line.description for line in lines],
        "where": places,
    }


def algorithms(_: Path | None) -> dict[str, list[str]]:
    """List learners with their parameters."""
    names = nystream.algorithms()
    return {
        "algorithm": names,
        "name in the paper": [title_of(name) for name in names],
        "parameters": [", ".join(default_params(name)) for name in names],
    }


def kernels(_: Path | None) -> dict[str, list[str]]:
    """List kernels."""
    return {"kernel": [repr(getattr(nystream, name)()) for name in nystream.kernels()]}


def losses(_: Path | None) -> dict[str, list[str]]:
    """List losses."""
    return {"loss": [repr(getattr(nystream, name)()) for name in nystream.losses()]}


def presets(_: Path | None) -> dict[str, list[str]]:
    """List the presets of ``nystream bench --preset``."""
    from nystream._study.plan import PRESETS

    summaries = {name: preset.summary for name, preset in PRESETS.items()}
    summaries["scaling"] = "Table 1 of the paper: cost and dictionary against the stream's length"
    return {"preset": list(summaries), "what it is": list(summaries.values())}


CONTENTS = {
    "datasets": datasets,
    "algorithms": algorithms,
    "kernels": kernels,
    "losses": losses,
    "presets": presets,
}
