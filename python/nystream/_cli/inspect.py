"""``nystream inspect``: describes a model or a checkpoint."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nystream
from nystream import Keyed
from nystream._cli.parsing import Commands, add_command
from nystream._runs.checkpoint import Checkpoint, is_checkpoint
from nystream._runs.progress import UNFIT, Progress

if TYPE_CHECKING:
    from typing import TypeAlias

    from nystream import Column, Forecaster, Learner, Scorer

    Model: TypeAlias = "Learner | Scorer | Forecaster | Keyed"

LABELS = {
    "params": "parameters",
    "n_seen": "rows seen",
    "n_basis": "rows kept",
    "n_features": "features",
    "n_targets": "targets",
    "feature_names": "columns",
    "schema": "schema",
    "nbytes": "memory",
    "n_keys": "keys",
    "max_keys": "most in memory",
}


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "inspect",
        run,
        summary="describe a model or a checkpoint",
        description="Describe a model, a scorer, a forecaster or a checkpoint: parameters, rows "
        "seen and kept, columns, sizes, errors of forecasts, and how far a run has come.",
        examples="examples:\n  nystream inspect fare.nys\n  nystream inspect run.ckpt --json\n",
    )
    parser.add_argument("model", type=Path, metavar="MODEL")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    print(as_json(chosen.model) if chosen.json else described(chosen.model))
    return 0


def as_json(path: Path) -> str:
    """Describe a model or a checkpoint for programs."""
    models, state = opened(path)
    facts = {name: facts_of(model) for name, model in models.items()}
    known = {"bytes": path.stat().st_size, "models": facts, "state": state}
    return json.dumps(known, default=repr, indent=2)


def described(path: Path) -> str:
    """Describe a model or a checkpoint for people."""
    models, state = opened(path)
    parts, tables = [], []
    for name, model in models.items():
        if isinstance(model, nystream.Forecaster):
            from nystream._cli import inspect_forecaster

            parts += [f"{name}:"] * (len(models) > 1) + [inspect_forecaster.described(model), ""]
            continue
        parts.append(f"{name}: {model!r}" if len(models) > 1 else repr(model))
        facts = facts_of(model)
        parts.append(lines(facts))
        tables += [schema_lines(facts["schema"])] if "schema" in facts else []
    size = {"on disk": f"{path.stat().st_size:,} bytes"}
    return "\n".join([*parts, lines(progress(path, state or {}) | size), *tables])


def opened(path: Path) -> tuple[dict[str, Model], dict[str, Any] | None]:
    """Return the models of a file by name, and the state in a checkpoint.

    A model file holds one model, a checkpoint any number.
    """
    if not is_checkpoint(path):
        return {path.name: nystream.load(path)}, None
    checkpoint = Checkpoint.read(path)
    models: dict[str, Model] = {name: checkpoint.model(name, path) for name in checkpoint.models}
    return models, checkpoint.state


def facts_of(model: Model) -> dict[str, Any]:
    """Return the kind of a model, and its attributes by name."""
    if isinstance(model, nystream.Forecaster):
        from nystream._cli import inspect_forecaster

        return inspect_forecaster.facts_of(model)
    names = [name for name in LABELS if hasattr(model, name)]
    facts = {"kind": type(model).__name__, **{name: getattr(model, name) for name in names}}
    if facts["schema"]:  # which has the names, too
        facts["schema"] = [column_facts(column) for column in facts["schema"]]
    else:
        del facts["schema"]
    return facts_of_keys(model) | facts if isinstance(model, Keyed) else facts


def facts_of_keys(model: Keyed) -> dict[str, Any]:
    """Return what models by key have beside other models.

    Their shared model is a parameter here: a copy of it, which learns on, is no fact.
    """
    own, shared, most = (model.params[name] for name in ("model", "shared", "max_keys"))
    words = {"learner": repr(own), "shared": "none" if shared is None else repr(shared)}
    return {**words, "n_keys": len(model), "max_keys": most}


def column_facts(column: Column) -> dict[str, Any]:
    """Return a column of a schema for programs."""
    return {"name": column.name, "kind": column.kind, "missing": column.n_missing}


def progress(path: Path, state: dict[str, Any]) -> dict[str, Any]:
    """Return how far a run of nystream learn had come; nothing for other checkpoints."""
    if not isinstance(state.get("position"), dict):
        return {}
    try:
        known = Progress.from_state(state)
    except UNFIT as error:
        raise ValueError(f"{path} is not a sound checkpoint: {error!r}") from error
    return {"rows read": known.position.row, "bad rows": known.tally.bad}


def lines(facts: dict[str, Any]) -> str:
    """Write facts one a line; parameters are left out, as the model's own line has them."""
    # The columns of a schema are a table of their own.
    hidden = ("kind", "schema", *(["feature_names"] if "schema" in facts else []))
    shown = {LABELS.get(name, name): value for name, value in facts.items() if name not in hidden}
    return "\n".join(
        f"{label:<15}{text(label, value)}"
        for label, value in shown.items()
        if label != "parameters" and value is not None
    )


def schema_lines(schema: list[dict[str, Any]]) -> str:
    """Write the columns of a model one a line: name, kind and rows without a value."""
    from nystream._study import markdown

    cells = [(c["name"], c["kind"] or "empty", f"{c['missing']:,}") for c in schema]
    return "\n" + markdown.lay_out(("column", "kind", "missing"), cells, [False, False, True])


def text(label: str, value: Any) -> str:
    """Write a fact."""
    if isinstance(value, list):
        return ", ".join(value)
    unit = " bytes" if label == "memory" else ""
    return f"{value:,}{unit}" if isinstance(value, int) else str(value)
