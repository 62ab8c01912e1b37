"""The actors behind :class:`Shards`, which go forward and back together."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from nystream._runs.keyed import Model
from nystream.ray._engine import answers, ray
from nystream.ray._models import stand_alone
from nystream.ray._record import Record
from nystream.ray._shard import Shard

if TYPE_CHECKING:
    from pathlib import Path


class Actors:
    """Actors that have all learned the same part of a stream, each the rows of its keys.

    Attributes
    ----------
    position
        How many rows of the stream they have behind them.
    validator
        A small learner that sees all rows first, and refuses those that do not go together.
    """

    def __init__(self, model: Model, n_shards: int, folder: Path) -> None:
        self._n_shards = n_shards
        self._folder = folder.absolute()  # workers have a current folder of their own
        self._folder.mkdir(parents=True, exist_ok=True)
        self._record = self._opened(model)
        self._actors: list[Any] = []
        self.position: int
        self._go_back()
        self._start()

    @property
    def saved(self) -> int:
        """The position to which they would go back."""
        return self._record.position

    def ask(
        self, method: str, arguments: list[tuple[Any, ...]], position: int | None = None
    ) -> list[Any]:
        """Have each do something, which brings all to a position; if one fails, all go back."""
        if not self._actors:
            self._start()
        pairs = zip(self._actors, arguments, strict=True)
        try:
            done = answers([getattr(actor, method).remote(*given) for actor, given in pairs])
            self.position = self.position if position is None else position
        except BaseException as error:  # also if interrupted: who has learned what is not known
            self._go_back()
            if not isinstance(error, Exception):
                raise
            reason = str(error).partition("\n")[0].rstrip(".")
            raise RuntimeError(
                f"a shard failed: {reason}; all are back at row {self.position}, "
                "from which to feed again"
            ) from error
        return done

    def save(self) -> None:
        """Have each write a file, and then record that these belong together."""
        if self.position == self.saved:
            return
        names = [f"shard-{i}-{self.position}" for i in range(self._n_shards)]
        files = self.ask("save", [(self._folder / name,) for name in names])
        record = Record(self._record.model, copy.deepcopy(self.validator), self.position, files)
        record.write(self._folder)
        self._record = record

    def _opened(self, model: Model) -> Record:
        """Return the record of the folder, where there is one, or begin one."""
        record = Record.read(self._folder)
        if record is None:
            record = Record.first(model)
            record.write(self._folder)
        if record.model.to_bytes() != model.to_bytes():
            raise ValueError(
                f"model should be what {self._folder} began with, {record.model!r}, "
                f"but is {model!r}"
            )
        if len(record.files) not in (0, self._n_shards) and not stand_alone(model):
            raise ValueError(
                f"n_shards should be {len(record.files)}, as in {self._folder}, where the keys of "
                f"a shard have a shared model or columns in common, but is {self._n_shards}"
            )
        return record

    def _go_back(self) -> None:
        """End all actors; others will begin with the last record."""
        actors, self._actors = self._actors, []
        self.position = self._record.position
        self.validator = copy.deepcopy(self._record.validator)
        for actor in actors:
            ray.kill(actor)

    def _start(self) -> None:
        """Begin all shards with the last record."""
        n = self._n_shards
        files = [self._folder / file for file in self._record.files]
        # The files of another number of shards have the keys of all.
        chosen = [[file] for file in files] if len(files) == n else [files] * n
        actors = [ray.remote(Shard).remote(self._record.model) for _ in range(n)]
        calls = [
            actor.restore.remote(chosen[i], self.position, i, n) for i, actor in enumerate(actors)
        ]
        answers(calls)
        self._actors = actors
