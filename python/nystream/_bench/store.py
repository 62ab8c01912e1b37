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
        """All results by key; a last line that a crash has cut off is taken away."""
        if not self.path.exists():
            return {}
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        results = (self._parse(number, line) for number, line in enumerate(whole.splitlines(), 1))
        return {result.key: result for result in results}

    def append(self, result: Result) -> None:
        """Add a result; it is on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as file:
            file.write(result.to_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _parse(self, number: int, line: bytes) -> Result:
        try:
            return Result.from_json(line.decode())
        except (json.JSONDecodeError, UnicodeDecodeError, TypeError, KeyError) as error:
            raise ValueError(f"{self.path}: line {number} is no result: {error}") from None
