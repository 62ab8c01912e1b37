"""The state of a service of models by key, which a checkpoint holds beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from nystream import Keyed
from nystream.serve._facts import listed
from nystream.serve._http import RefusedError
from nystream.serve._keys import Key, KeyedRow, keys_of
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row, Unasked
from nystream.serve._state import State

LONGEST = 2**31  # characters of a key that a file may have


class Facts(NamedTuple):
    """What is to be known of a model to read the rows that it was asked for."""

    n_targets: int = 1
    has_intervals: bool = False
    schema: None = None


class KeyedState(State):
    """The service at one moment, apart from the models and their progress."""

    kind = "nystream serve: models by key"
    model = Keyed

    def _stored(self, model: Any) -> Any:
        return model  # which goes to the file key by key

    def _packed(self) -> dict[str, Any]:
        rows = [(name, replace(row, asked=without_key(row.asked))) for name, row in self.pending]
        keys = [key_in(row.asked) for _, row in self.pending]
        return {**pack(rows), "keys": keys}

    @staticmethod
    def _unpacked(packed: dict[str, Any], n_features: int, model: Any) -> list[tuple[str, Row]]:
        rows = unpack(packed, n_features, Facts())
        keys = listed("keys", packed.get("keys"), len(rows))
        try:
            keys = keys_of(keys, len(rows), LONGEST)
        except RefusedError as error:
            raise ValueError(str(error)) from None
        return [(name, with_key(row, key)) for (name, row), key in zip(rows, keys, strict=True)]


def key_in(asked: Any) -> Key:
    """Return the key of a row that was asked for."""
    key: Key = asked.x.key
    return key


def without_key(asked: Any) -> Unasked:
    """Return a row as one of a learner."""
    return Unasked(asked.x.x, asked.prediction)


def with_key(row: Row, key: Key) -> Row:
    """Return a row of a learner as one of a key."""
    asked = Unasked(KeyedRow(key, row.asked.x), row.asked.prediction)
    return replace(row, asked=asked)
