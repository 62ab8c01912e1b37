"""The model that a key begins with, and how a worker learns a row."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

import nystream
from nystream._checks import FIT
from nystream._core import LARGEST
from nystream._frames import NamedRows
from nystream._runs.checkpoint import kind_of
from nystream._runs.keyed import Model, new_learner
from nystream.spark._engine import TaskContext

KEY = "{key}"
LARGEST_CLOSURE = 500_000  # of the 1 MB that Spark sends to its stateful workers


@dataclass(frozen=True)
class Start:
    """The model of a new key: a file, an unfitted learner, or that learner if there is no file.

    It is sent to the workers with the query, so it is small.
    """

    path: str = ""
    fresh: bytes = b""

    @classmethod
    def of(cls, model: Any, otherwise: Any) -> Start:
        """Check the arguments ``model`` and ``otherwise`` of the user."""
        if isinstance(model, nystream.Learner | nystream.Keyed):
            if otherwise is not None:
                raise ValueError("otherwise is for keys without a file, but model is no path")
            return cls(fresh=unfitted("model", model))
        if not isinstance(model, (str, os.PathLike)):
            raise TypeError(f"model should be a learner, a Keyed or a path, but is {model!r:.100}")
        path = os.path.abspath(os.fspath(model))  # workers have a folder of their own
        if KEY in os.path.dirname(path):
            raise ValueError(f"{KEY} should be in the name of the file alone, but model is {model}")
        if otherwise is None:
            return cls(path)
        if KEY not in path:
            raise ValueError(f"otherwise is for a path with {KEY}, but model is {model}")
        if not isinstance(otherwise, nystream.Learner):
            raise TypeError(f"otherwise should be a learner, but is {otherwise!r:.100}")
        return cls(path, unfitted("otherwise", otherwise))

    @property
    def takes_tables(self) -> bool:
        """True if features may hold text and times; a file is read later, by the workers."""
        return bool(self.path) or opened(self.fresh).schema is not None

    @property
    def is_keyed(self) -> bool:
        """True for a model of many keys."""
        return bool(self.fresh) and kind_of(self.fresh) is nystream.Keyed

    def learner(self, features: list[str], key: tuple[Any, ...], texts: Sequence[str] = ()) -> Any:
        """Return the model for a key, or a group of keys, that has none yet."""
        path = self.path.replace(KEY, file_name(key))
        has_file = os.path.exists(path)
        # Without even the folder the path is wrong: reading it says so.
        if self.path and (has_file or not self.fresh or not os.path.isdir(os.path.dirname(path))):
            learner = read_learner(path)
        else:
            learner = opened(self.fresh)
        check_features(learner, features, key, texts)
        return learner


def opened(data: bytes) -> Any:
    """Return the model, or the models of keys, that bytes hold."""
    return kind_of(data).from_bytes(data)


def unfitted(argument: str, learner: Model) -> bytes:
    """Return a model as bytes; refuse one that has learned, or is too large for a query."""
    if learner.n_seen > 0:
        raise ValueError(
            f"{argument} should not have learned yet, but has seen {learner.n_seen} rows: "
            "save it, and pass the path of the file"
        )
    check_one_target(argument, new_learner(learner))
    data = learner.to_bytes()
    if len(data) > LARGEST_CLOSURE:
        raise ValueError(
            f"{argument} should have at most {LARGEST_CLOSURE} bytes, but has {len(data)}: "
            "save it, and pass the path of the file"
        )
    return data


def read_learner(path: str) -> nystream.Learner:
    """Return the learner in a file."""
    try:
        learner = nystream.load(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"model should be a file, but there is no {path}") from None
    if not isinstance(learner, nystream.Learner):
        raise TypeError(f"model should be the file of a learner, but {path} holds {learner!r:.100}")
    check_one_target("model", learner)
    return learner


def check_one_target(argument: str, learner: nystream.Learner) -> None:
    """Refuse learners of several targets: a stream has one."""
    if learner.n_targets != 1:
        raise ValueError(f"{argument} should have 1 target, but has {learner.n_targets}")


def file_name(key: Sequence[Any]) -> str:
    """Return the name of the file of a key, which no other key has."""
    name = ",".join(quote(str(value), safe="") for value in key)
    # A name that begins with a dot is hidden, or even that of a folder.
    return f"%2E{name[1:]}" if name.startswith(".") else name


def inspect(
    features: list[str], target: str, X: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Tell which rows can be predicted, and of the others which cell is at fault.

    A label that is missing is no fault.
    """
    values = np.column_stack([X, np.where(np.isnan(y), 0.0, y)])
    bad = ~(np.abs(values) <= LARGEST)
    sound = ~bad.any(axis=1)
    faults = np.full(len(y), None, dtype=object)
    for row in np.flatnonzero(~sound):
        column = int(bad[row].argmax())
        faults[row] = fault([*features, target][column], values[row, column])
    return sound, faults


def fault(name: str, value: float) -> str:
    """Say what is wrong with a cell."""
    # Null has become NaN on the way to the worker.
    shown = "null or NaN" if np.isnan(value) else value
    return f"{name} should be {FIT}, but is {shown}"


def answer_rows(
    model: Any,
    rows: Sequence[Mapping[str, Any]],
    target: str,
    y: NDArray[np.float64],
    keys: Any = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Predict each row of a table, then learn it if it has a label; tell what is wrong with rows.

    A row with a fault is not learned, and its prediction is NaN. With keys, the model is one of
    many keys.
    """
    predictions, faults = np.full(len(y), np.nan), np.full(len(y), None, dtype=object)
    for i, (row, label) in enumerate(zip(rows, y.tolist(), strict=True)):
        if abs(label) > LARGEST:
            faults[i] = fault(target, label)
            continue
        one = (row,) if keys is None else (keys[i], row)
        try:
            predictions[i] = model.predict_one(*one)
        except (TypeError, ValueError) as error:
            faults[i] = str(error)
            continue
        if not np.isnan(label):
            model.learn_one(*one, label)
    return predictions, faults


def check_features(
    model: Any, names: list[str], key: tuple[Any, ...], texts: Sequence[str] = ()
) -> None:
    """Refuse features other than those that the model has learned, and texts if it takes none."""
    shown = ", ".join(map(str, key))
    if model.schema is not None:
        check_names(model, names, shown)
        return
    if texts:
        raise TypeError(
            f"the model of {shown} takes numbers alone, but {texts[0]!r} holds something else"
        )
    row = NamedRows(names, np.zeros((1, len(names))))
    try:
        model.predict_many(*((["a key"], row) if isinstance(model, nystream.Keyed) else (row,)))
    except ValueError as error:
        raise ValueError(f"the model of {shown} has learned other features: {error}") from error


def check_names(model: Model, names: list[str], shown: str) -> None:
    """Refuse other columns than those that the model has learned, unless it lets them come."""
    known, settings = model.feature_names, new_learner(model).params
    if known and settings["on_new_columns"] == "error" and set(known) != set(names):
        raise ValueError(
            f"the model of {shown} has learned other features: {', '.join(known)}, "
            f"but gets {', '.join(names)}"
        )


def numbers(column: Any) -> NDArray[np.float64]:
    """Return a column of Arrow as numbers, NaN for null."""
    array: NDArray[np.float64] = column.cast("float64").to_numpy(zero_copy_only=False)
    return array


def use_cores_of_task() -> None:
    """Use as many threads as Spark has set aside for a task: other tasks use the other cores."""
    context = TaskContext.get()
    nystream.set_num_threads(context.cpus() if context else 1)
