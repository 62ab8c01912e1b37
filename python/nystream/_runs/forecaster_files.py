"""Files of forecasters: one, or several by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream import Forecaster
from nystream._core import write_file
from nystream._runs.checkpoint import Checkpoint, is_checkpoint, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Forecasters = dict[str, Forecaster]

ONLY = ""  # the key of a series that has none


def save(path: Path, models: Mapping[str, Forecaster], key: str | None) -> None:
    """Write a forecaster, or with a column of keys one for each of them, whole or not at all."""
    if key is None:
        write_file(path, models[ONLY].to_bytes())
    else:
        files = {name: model.to_bytes() for name, model in models.items()}
        Checkpoint(files, {"key": key}).write(path)


def read(path: Path) -> tuple[Forecasters, str | None]:
    """Return the forecasters of a file by key, and the column of keys if there is one."""
    if not is_checkpoint(path):
        return {ONLY: of_bytes(path.read_bytes(), path)}, None
    checkpoint = Checkpoint.read(path)
    key = checkpoint.state.get("key")
    models = {name: of_bytes(data, path) for name, data in checkpoint.models.items()}
    return models, key if isinstance(key, str) else None


def of_bytes(data: bytes, path: Path | str) -> Forecaster:
    """Return the forecaster that bytes of this file hold."""
    if kind_of(data) is not Forecaster:
        raise ValueError(f"{path} holds no forecaster")
    try:
        model: Forecaster = Forecaster.from_bytes(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return model
