"""Results on disk: a line of JSON for each run, appended when the run is done."""

from __future__ import annotations

import json
import os
from pathlib import Path

from nystream._bench.runs import Result


class Store:
    """The file ``results.jsonl`` of a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "results.jsonl"

    def read(self) -> dict[str, Result]:
        """All results by key; a last line that a crash has cut off counts for nothing."""
        lines = enumerate(self._whole().splitlines(), 1)
        results = (self._parse(number, line) for number, line in lines)
        return {result.key: result for result in results}

    def repair(self) -> None:
        """Take away a last line that was cut off, so that the next one does not go on with it."""
        if self.path.exists():
            os.truncate(self.path, len(self._whole()))

    def append(self, result: Result) -> None:
        """Add a result; it is on disk when this returns."""
        with open(self.path, "ab") as file:
            file.write(result.to_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _whole(self) -> bytes:
        data = self.path.read_bytes() if self.path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def _parse(self, number: int, line: bytes) -> Result:
        try:
            return Result.from_json(line.decode())
        except (json.JSONDecodeError, UnicodeDecodeError, TypeError, KeyError) as error:
            raise ValueError(f"{self.path}: line {number} is no result: {error}") from None
