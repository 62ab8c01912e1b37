"""``nystream bench`` from the options to the report."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tqdm import tqdm

from nystream._study.comparison import Comparison
from nystream._study.machine import n_cores
from nystream._study.runner import run
from nystream._study.scaling import Scaling
from nystream._study.store import NAME, Store
from nystream._study.tasks import Result, Task

if TYPE_CHECKING:
    from nystream._study.own_file import OwnFile


class Study(Protocol):
    """A set of runs, and what to make of their results."""

    def tasks(self) -> list[Task]:
        """All runs."""

    def report(self, results: Mapping[str, Result], folder: Path) -> str:
        """Write tables, plots and pages to the folder, and return what to print."""


def bench(chosen: argparse.Namespace, own: OwnFile | None = None) -> int:
    """Carry out the runs that are not yet on disk, and report on all of them."""
    name = chosen.preset or ("own" if chosen.datasets or chosen.data else "quick")
    default = Path("nystream-bench") / (chosen.data.stem if chosen.data else name)
    folder = (chosen.out or default).expanduser()
    store = Store(folder / NAME)
    store.read()  # says at once, before data are loaded, if it cannot be read
    if store.path.exists() and not chosen.resume:
        raise ValueError(
            f"{folder} has results already: --resume goes on with them, --out names another folder"
        )
    study = study_of(name, chosen, own)
    tasks = study.tasks()
    with store.opened():
        results = store.read()
        complete = carry_out(tasks, results, store, chosen.jobs or n_cores())
    done = {task.key: results[task.key] for task in tasks if task.key in results}
    if complete:
        if done:
            print(study.report(done, folder))
        return 0 if len(done) == len(tasks) else 1
    print(
        f"\nstopped: {len(done)} of {len(tasks)} runs are in {store.path}; "
        "the same command with --resume goes on",
        file=sys.stderr,
    )
    with contextlib.suppress(ValueError):  # there may be too little to report
        print(study.report(done, folder))
    return 130


def study_of(name: str, chosen: argparse.Namespace, own: OwnFile | None) -> Study:
    """Return the study that the options mean."""
    if name == "scaling":
        return Scaling.chosen(chosen)
    return Comparison.chosen(name, chosen, own)


def carry_out(tasks: Sequence[Task], results: dict[str, Result], store: Store, jobs: int) -> bool:
    """Do what is missing from ``results``, and add it; False if the user has stopped it."""
    missing = [task for task in tasks if task.key not in results]

    def done(result: Result) -> None:
        store.append(result)
        results[result.key] = result

    def progress(task: Task) -> None:
        bar.set_postfix_str(f"{task.dataset.name}, {task.algorithm}", refresh=False)
        bar.update()

    initial = len(tasks) - len(missing)
    with tqdm(total=len(tasks), initial=initial, unit=" runs", disable=None) as bar:
        outcome = run(missing, jobs=jobs, done=done, progress=progress)
    for task, error in outcome.failures:
        print(f"{task.dataset.name}, {task.algorithm} failed: {error}", file=sys.stderr)
    return not outcome.stopped
