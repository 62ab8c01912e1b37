"""Files of forecasters: one, or several by key."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, Any

from nystream import Forecaster
from nystream._core import write_file
from nystream._runs.checkpoint import Checkpoint, is_checkpoint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Forecasters = dict[str, Forecaster]

HEADER = struct.Struct("<Q")
LISTS = ("horizons", "seasons")  # parameters that are stored as arrays
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
    if not is_forecaster(data):
        raise ValueError(f"{path} holds no forecaster")
    try:
        model: Forecaster = Forecaster.from_bytes(completed(data))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return model


def is_forecaster(data: bytes) -> bool:
    """Tell a forecaster from other models."""
    return b'{"__metadata__":{"nystream":"{\\"forecaster\\":' in data[:128]


def completed(data: bytes) -> bytes:
    """Put lists of parameters that the core has stored as arrays back into the header.

    The core does not do so when it reads a forecaster. Bytes whose checksum is wrong stay as they
    are, for the core to refuse.
    """
    (length,) = HEADER.unpack_from(data)
    end = HEADER.size + length
    header, arrays = json.loads(data[HEADER.size : end]), data[end:]
    text = header["__metadata__"]["nystream"]
    before = json.loads(text)["sha256"]
    if checksum(bare(text, before), header, arrays) != before:
        return data
    text = bare(text, before)
    for name in LISTS:
        if (place := header.get(f"given_{name}")) is not None:
            text = text.replace(f'"{name}":null', f'"{name}":{json.dumps(whole(place, arrays))}', 1)
    text = text.replace("0" * 64, checksum(text, header, arrays), 1)
    header["__metadata__"]["nystream"] = text
    written = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    written += b" " * (-len(written) % HEADER.size)
    return HEADER.pack(len(written)) + written + arrays


def whole(place: dict[str, Any], arrays: bytes) -> list[int]:
    """Return an array of whole numbers."""
    first, end = place["data_offsets"]
    return [int(number) for (number,) in struct.iter_unpack("<d", arrays[first:end])]


def bare(text: str, sha256: str) -> str:
    """Return a header with zeros in place of its checksum."""
    return text.replace(sha256, "0" * 64, 1)


def checksum(text: str, header: dict[str, Any], arrays: bytes) -> str:
    """Return the SHA-256 of a header, and of name, shape and bytes of every array."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(set(header) - {"__metadata__"}):
        first, end = header[name]["data_offsets"]
        shape = header[name]["shape"]
        digest.update(name.encode() + bytes([0, len(shape)]))
        digest.update(struct.pack(f"<{len(shape)}Q", *shape))
        digest.update(arrays[first:end])
    return digest.hexdigest()
