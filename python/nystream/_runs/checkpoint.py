"""Models, and how far they are in their stream, in one file."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nystream import Forecaster
from nystream._core import Keyed, Learner, fill_file, write_file

if TYPE_CHECKING:
    from os import PathLike

STATE = "state.json"
FORMAT = 1
KEYED = b"nystream keys "  # the first bytes of models by key
FORECASTER = b'{"__metadata__":{"nystream":"{\\"forecaster\\":'  # among those of a forecaster
ENCRYPTED = 1  # a bit of a member's flags
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, IndexError, ValueError),
    *(OverflowError, RecursionError, NotImplementedError, RuntimeError, OSError),
)


@dataclass(frozen=True)
class Checkpoint:
    """Models by name, and the state of their run at that moment.

    The file is an ordinary zip archive that holds each model as its own file writes it, so that
    any tool can take a model out; the archive's checksums find damage. Equal checkpoints have
    equal bytes.

    Parameters
    ----------
    models
        The bytes of ``Learner.to_bytes``, or of ``Keyed.to_bytes``, by name. To be written, one
        may also be a ``Keyed``, or what writes itself as that does: it is never in memory as bytes.
    state
        Anything that JSON can hold, such as the position in the input and the counts so far.
    """

    models: dict[str, Any]
    state: dict[str, Any]

    def write(self, path: str | PathLike[str]) -> None:
        """Replace a file: at every moment the old one is there, or all of the new one."""
        if not all(isinstance(model, bytes) for model in self.models.values()):
            fill_file(path, self._fill)
        else:
            write_file(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the contents of the file."""
        buffer = io.BytesIO()
        self._fill(buffer)
        return buffer.getvalue()

    def _fill(self, file: Any) -> None:
        # Models are numbered, since their names need not be valid names of files.
        state = {"format": FORMAT, "models": list(self.models), "state": self.state}
        with zipfile.ZipFile(file, "w") as archive:
            # JSON has neither infinities nor NaN.
            archive.writestr(member(STATE), json.dumps(state, allow_nan=False))
            for i, model in enumerate(self.models.values()):
                if isinstance(model, bytes):
                    archive.writestr(member(model_name(i)), model)
                    continue
                with archive.open(member(model_name(i)), "w", force_zip64=True) as part:
                    model._write_to(part)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Checkpoint:
        """Read a file, or raise ``ValueError`` that says why it is no sound checkpoint.

        No more memory is taken than the file's length accounts for.
        """
        with open(path, "rb") as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    check_members(archive.infolist(), file.seek(0, os.SEEK_END))
                    names, state = read_state(archive)
                    models = {name: archive.read(model_name(i)) for i, name in enumerate(names)}
                    return cls(models, state)
            except DAMAGED as error:
                raise ValueError(f"{path} is not a sound checkpoint: {error}") from error

    def learner(self, name: str, path: str | PathLike[str]) -> Learner:
        """Return a learner by name; ``path`` is the file that the checkpoint was read from."""
        learner: Learner = self._read(name, path, Learner)
        return learner

    def model(self, name: str, path: str | PathLike[str]) -> Learner | Keyed | Forecaster:
        """Return a learner, a forecaster, or models by key, by name."""
        model: Learner | Keyed | Forecaster = self._read(
            name, path, kind_of(self.models.get(name, b""))
        )
        return model

    def _read(self, name: str, path: str | PathLike[str], kind: Any) -> Any:
        if name not in self.models:
            raise ValueError(f"{path} is not a sound checkpoint: it has no model {name!r:.100}")
        try:
            return kind.from_bytes(self.models[name])
        except ValueError as error:
            what = f"its model {name!r:.100} cannot be read"
            raise ValueError(f"{path} is not a sound checkpoint: {what}: {error}") from error


def kind_of(data: bytes) -> type[Learner | Keyed | Forecaster]:
    """Return the class of a model that bytes begin like."""
    if data.startswith(KEYED):
        return Keyed
    return Forecaster if FORECASTER in data[:128] else Learner


def check_members(members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse an archive that is not as `Checkpoint.to_bytes` writes it, before it is read."""
    wanted = {STATE, *(model_name(i) for i in range(len(members) - 1))}
    if {info.filename for info in members} != wanted:
        raise ValueError(f"it should hold {STATE} and models alone, each once")
    if any(info.compress_type != zipfile.ZIP_STORED for info in members):
        raise ValueError("its members should not be compressed")
    if any(info.flag_bits & ENCRYPTED for info in members):
        raise ValueError("its members should not be encrypted")
    if any(info.file_size != info.compress_size for info in members):
        raise ValueError("the sizes of a member disagree")
    if sum(info.file_size for info in members) > size:
        raise ValueError("its members are said to be larger than the file")


def read_state(archive: zipfile.ZipFile) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the models, and the state of their run."""
    known = json.loads(archive.read(STATE), parse_constant=refuse_constant)
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        found = known.get("format") if isinstance(known, dict) else known
        raise ValueError(f"it has format {found!r:.100}, not {FORMAT}")
    names, state = known.get("models"), known.get("state")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of its models should be a list of texts")
    if len(set(names)) != len(archive.infolist()) - 1 or len(set(names)) != len(names):
        raise ValueError("each of its models should have a name of its own")
    if not isinstance(state, dict):
        raise ValueError(f"its state should be an object, but is {state!r:.100}")
    return names, state


def refuse_constant(word: str) -> None:
    """Refuse NaN and infinities, which no checkpoint is written with."""
    raise ValueError(f"its state holds {word}")


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
