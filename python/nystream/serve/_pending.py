"""Rows that have been predicted and wait for their labels."""

from __future__ import annotations

import secrets
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from nystream import Ticket
from nystream.serve._http import RefusedError
from nystream.serve._rows import Array, Values, shown

LONGEST = 40  # characters of an id


class Unasked(NamedTuple):
    """A row that a snapshot has predicted, without a ticket of the learner."""

    x: Array | Values
    prediction: Any  # a number, or an array of several targets


Asked = Ticket | Unasked


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was predicted, and when."""

    asked: Asked
    when: float


class Pending:
    """Predicted rows by id, of which the oldest are dropped for new ones.

    An id is the name of this run and a number that counts up. Only the oldest are ever dropped,
    so that two numbers, the last one given and the last one dropped, tell what became of any id.
    """

    def __init__(self, most: int, max_age: float) -> None:
        self.most, self.max_age = most, max_age
        self.run = secrets.token_hex(4)
        self.given = self.dropped = self.n_dropped = 0
        self._rows: OrderedDict[str, Row] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, asked: Asked) -> str:
        """Remember a row, and return its id."""
        self.given += 1
        name = f"{self.run}-{self.given}"
        self._rows[name] = Row(asked, time.time())
        self.drop_oldest()
        return name

    def drop_oldest(self) -> None:
        """Drop what is too much or too old."""
        oldest = time.time() - self.max_age
        while self._rows and (
            len(self._rows) > self.most or next(iter(self._rows.values())).when < oldest
        ):
            name, _ = self._rows.popitem(last=False)
            run, number = _parts(name)
            if run == self.run:  # else of a run before, from a checkpoint
                self.dropped = number
            self.n_dropped += 1

    def find(self, names: list[Any]) -> list[Row]:
        """Return the rows of ids, or refuse with the reason why there is one without."""
        self.drop_oldest()
        rows = [self._find(name) for name in names]
        if len(set(names)) < len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            raise RefusedError(409, f"the id {shown(twice)} comes twice")
        return rows

    def _find(self, name: Any) -> Row:
        if not isinstance(name, str):
            raise RefusedError(422, f"an id should be text, but is {shown(name)}")
        return self._rows.get(name) or self._refuse(name)

    def remove(self, names: list[str]) -> None:
        """Forget rows that have their labels."""
        for name in names:
            del self._rows[name]

    def _refuse(self, name: str) -> NoReturn:
        run, number = _parts(name)
        if run != self.run or not 0 < number <= self.given:
            raise RefusedError(404, f"the id {shown(name)} is not known")
        if number <= self.dropped:
            raise RefusedError(410, f"the id {shown(name)} is no longer remembered")
        raise RefusedError(409, f"the id {shown(name)} has had its label")

    def copy(self) -> list[tuple[str, Row]]:
        """Return all, oldest first; a row never changes."""
        return list(self._rows.items())

    def restore(self, rows: list[tuple[str, Row]]) -> None:
        """Put back what :meth:`copy` returned in a run before."""
        self._rows.update(rows)
        self.drop_oldest()


def _parts(name: str) -> tuple[str, int]:
    run, _, number = name.rpartition("-")
    known = len(name) <= LONGEST and number.isascii() and number.isdigit()
    return (run, int(number)) if known else ("", 0)
