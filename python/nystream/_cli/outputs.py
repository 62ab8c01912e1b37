"""Files that a command writes: checked before it begins, and kept from other processes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from nystream._runs.locks import locked
from nystream._runs.sinks import same_file
from nystream._tables.opening import STANDARD


@contextlib.contextmanager
def reserved(outputs: Mapping[str, str | Path | None], source: str) -> Iterator[None]:
    """Hold the locks of files by option, once it is sure that all of them can be written.

    ``source`` is the input, which no output may be. An output that is no file, such as a pipe or
    /dev/null, needs no lock.
    """
    files = {name: str(path) for name, path in outputs.items() if path and is_file(str(path))}
    for option, path in files.items():
        if same_file(path, source):
            raise ValueError(f"{option} should not be the input, {source}")
        check_place(option, Path(path))
    for one, other in combinations(files, 2):
        if os.path.realpath(files[one]) == os.path.realpath(files[other]):
            raise ValueError(f"{one} and {other} should not be the same file, {files[one]}")
    with contextlib.ExitStack() as locks:
        for path in files.values():
            locks.enter_context(locked(path))
        yield


def check_absent(checkpoint: str | Path) -> None:
    """Refuse to begin anew where there is a checkpoint to go on from."""
    if os.path.exists(checkpoint):
        way = "--resume goes on from it, removing it starts anew"
        raise ValueError(f"--checkpoint {checkpoint} is there already: {way}")


def is_file(path: str) -> bool:
    """Tell whether a path is that of a file, which need not exist yet."""
    return path != STANDARD and (not os.path.exists(path) or not is_device(path))


def is_device(path: str) -> bool:
    """Tell whether a path is neither that of a file nor that of a folder."""
    return not os.path.isfile(path) and not os.path.isdir(path)


def check_place(option: str, path: Path) -> None:
    """Say at once, not after an hour, that a file could not be written."""
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        raise IsADirectoryError(f"{option} should be a file, but {path} is a folder")
    if not folder.is_dir():
        raise FileNotFoundError(f"{option} {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise PermissionError(f"{option} {path} may not be written")
