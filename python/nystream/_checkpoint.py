"""Models, and how far they are in their stream, in one file."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nystream._core import write_file

if TYPE_CHECKING:
    from os import PathLike

STATE = "state.json"
FORMAT = 1
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, NotImplementedError)


@dataclass(frozen=True)
class Checkpoint:
    """Models by name, and the facts that are true of the moment when they were like that.

    The file is an ordinary zip archive that holds each model as its own file writes it, so that
    any tool can take a model out; the archive's checksums find damage. Equal checkpoints have
    equal bytes.

    Parameters
    ----------
    models
        What ``Learner.to_bytes`` returns, by name.
    state
        Anything that JSON can hold: where the input stands, what was counted so far.
    """

    models: dict[str, bytes]
    state: dict[str, Any]

    def write(self, path: str | PathLike[str]) -> None:
        """Replace a file: at every moment the old one is there, or all of the new one."""
        write_file(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return what the file holds."""
        # Models are numbered, since a name may be none that a file can have.
        state = {"format": FORMAT, "models": list(self.models), "state": self.state}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            # Infinities have no place in JSON, but NaN would be read back unlike itself.
            archive.writestr(member(STATE), json.dumps(state, allow_nan=False))
            for i, model in enumerate(self.models.values()):
                archive.writestr(member(model_name(i)), model)
        return buffer.getvalue()

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Checkpoint:
        """Read a file, or raise ``ValueError`` that says why it is no sound checkpoint."""
        with open(path, "rb") as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    known = json.loads(archive.read(STATE))
                    if known["format"] != FORMAT:
                        raise ValueError(f"it has format {known['format']}, not {FORMAT}")
                    names = known["models"]
                    models = {name: archive.read(model_name(i)) for i, name in enumerate(names)}
                    return cls(models, known["state"])
            except DAMAGED as error:
                raise ValueError(f"{path} is not a sound checkpoint: {error}") from error


def is_checkpoint(path: str | PathLike[str]) -> bool:
    """Tell a checkpoint from a model by its first bytes."""
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


def model_name(i: int) -> str:
    """Return the name that the archive has for a model."""
    return f"model-{i}.nys"


def member(name: str) -> zipfile.ZipInfo:
    """Return a member without a date, so that equal checkpoints have equal bytes."""
    return zipfile.ZipInfo(name)
