"""A stream of rows with keys, learned by several processes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._checks import whole
from nystream._frames import take
from nystream._runs.keyed import new_learner
from nystream.ray import _keys
from nystream.ray._actors import Actors
from nystream.ray._rows import blank, sendable

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Shards:
    """A model for each key of a stream, shared out among actors of Ray.

    The rows of a stream are numbered from 0 on. Each row goes to the shard of its key, which
    predicts it with the model of the key and then learns it. Every now and then all shards write
    their models into the folder, each into a file of its own; a record of which files belong
    together, and how many rows they have seen, comes last and is replaced as a whole.

    If anything fails, be it a learner, the process of a shard, a machine, or the program that feeds
    the rows, all shards go back to the last record together, at once or when ``Shards`` is made
    again with the same folder. :attr:`position` tells from which row on to feed again. Rows before
    it that are fed again are ignored, and a gap is refused: no row counts twice, none is left out.

    Parameters
    ----------
    model
        What the model of each key begins with: a learner, which may have learned rows before. If it
        takes tables, as :class:`nystream.Auto` and :class:`nystream.Tabular` do, rows may be data
        frames or lists of dicts with text, times and gaps. Or a :class:`nystream.Keyed` that has
        learned nothing: then each shard has a shared model of its own, and columns if it takes
        tables, from the rows of all its keys.
    n_shards
        The number of actors, at least 1. A folder may be opened again with another number, unless
        keys of a shard have a shared model or columns in common.
    folder
        A folder for the files and nothing else, made if need be. On a cluster, all machines must
        see it. One ``Shards`` at a time may use it.
    every
        After how many rows files are written, at least 1: the most that have to be fed again, but
        for the size of a batch.

    Examples
    --------
    >>> import tempfile
    >>> import nystream
    >>> from nystream.ray import Shards
    >>> X, y = nystream.datasets.friedman(4000, random_state=0)
    >>> keys = ["north", "south"] * 2000
    >>> folder = tempfile.mkdtemp()
    >>> shards = Shards(nystream.RidgeAld(), 2, folder, every=2000)
    >>> for i in range(0, 4000, 1000):
    ...     batch = slice(i, i + 1000)
    ...     predictions = shards.progressive(keys[batch], X[batch], y[batch], offset=i)
    >>> shards.position
    4000
    >>> del shards  # as if all had crashed
    >>> Shards(nystream.RidgeAld(), 1, folder).position
    2000
    """

    def __init__(
        self,
        model: nystream.Learner | nystream.Keyed,
        n_shards: int,
        folder: str | PathLike[str],
        *,
        every: int = 100_000,
    ) -> None:
        if not isinstance(model, nystream.Learner | nystream.Keyed):
            raise TypeError(f"model should be a learner or a Keyed, but is {model!r:.100}")
        if isinstance(model, nystream.Keyed) and model.n_seen:
            raise ValueError(
                f"model should be a Keyed without rows, but has learned {model.n_seen} of them"
            )
        model = copy.deepcopy(model)
        self._learner = new_learner(model)
        self._n_shards = whole("n_shards", n_shards)
        self._every = whole("every", every)
        self._actors = Actors(model, self._n_shards, Path(folder))

    @property
    def position(self) -> int:
        """Number of rows of the stream that have been learned, and so the number of the next one.

        Examples
        --------
        >>> import tempfile
        >>> import nystream
        >>> from nystream.ray import Shards
        >>> shards = Shards(nystream.RidgeAld(), 1, tempfile.mkdtemp())
        >>> shards.progressive(["a", "b"], [[0.5], [0.7]], [1.0, 2.0], offset=0)
        array([0., 0.])
        >>> shards.position
        2
        """
        return self._actors.position

    def progressive(
        self, keys: ArrayLike, X: Any, y: ArrayLike, offset: int
    ) -> NDArray[np.float64]:
        """Predict each row with the model of its key, then learn it; rows of a key in order.

        A batch that is refused changes nothing. Files are written at the beginning of a call, not
        at its end: of rows that a file counts as learned the predictions have been returned.

        Parameters
        ----------
        keys
            The key of each row, text or whole numbers. They are known by their text: 1 is "1".
        X, y
            Rows, an array or a data frame, and labels, as for ``Learner.progressive``.
        offset
            The number of the first row, at most :attr:`position`.

        Returns
        -------
        array
            The predictions in the order of the rows. NaN stands for rows before :attr:`position`,
            which are ignored.

        Raises
        ------
        RuntimeError
            If a shard fails. All of them go back to the last record then, and :attr:`position`
            tells from which row on to feed again.

        Examples
        --------
        >>> import tempfile
        >>> import nystream
        >>> from nystream.ray import Shards
        >>> shards = Shards(nystream.RunningMean(), 1, tempfile.mkdtemp())
        >>> shards.progressive(["a", "b", "a"], [[0.1], [0.2], [0.3]], [1.0, 5.0, 3.0], offset=0)
        array([0., 0., 1.])
        >>> shards.progressive(["a", "a"], [[0.3], [0.4]], [3.0, 4.0], offset=2)
        array([nan,  2.])
        >>> shards.progressive(["a"], [[0.9]], [9.0], offset=7)
        Traceback (most recent call last):
            ...
        ValueError: offset should be at most 4, or rows would be left out, but is 7
        """
        offset = whole("offset", offset, 0)
        if offset > self.position:
            raise ValueError(
                f"offset should be at most {self.position}, or rows would be left out, "
                f"but is {offset}"
            )
        keys, rows = self._checked(keys, X)
        self._actors.validator.learn_many(X, y)
        if self.position - self._actors.saved >= self._every:
            self.save()
        predictions = blank(self._learner, len(rows))
        new = slice(self.position - offset, None)
        if len(keys[new]):
            predictions[new] = self._learned(keys[new], take(rows, new), np.asarray(y)[new])
        return predictions

    def predict_many(self, keys: ArrayLike, X: Any) -> NDArray[np.float64]:
        """Predict each row with the model of its key; nothing changes.

        For labels that come late: predict now, and feed the rows when their labels are known.

        Parameters
        ----------
        keys
            The key of each row. A key that is new has the model with which all begin.
        X
            Rows, an array or a data frame.

        Returns
        -------
        array
            The predictions in the order of the rows.

        Examples
        --------
        >>> import tempfile
        >>> import nystream
        >>> from nystream.ray import Shards
        >>> shards = Shards(nystream.RunningMean(), 1, tempfile.mkdtemp())
        >>> predictions = shards.progressive(["a", "b"], [[0.1], [0.2]], [1.0, 5.0], offset=0)
        >>> shards.predict_many(["b", "a", "c"], [[0.3], [0.3], [0.3]])
        array([5., 1., 0.])
        """
        keys, rows = self._checked(keys, X)
        self._actors.validator.predict_many(X)
        parts = _keys.parts(keys, self._n_shards)
        predicted = self._actors.ask("predict_many", [(p, take(rows, p.places)) for p in parts])
        return self._joined(parts, predicted)

    def models(self) -> dict[str, nystream.Learner]:
        """Return a copy of the model that each key has of its own, sorted by key.

        Only those of tables, of several targets, with a bound on their rows, or that had learned
        rows at the beginning, have intervals.

        Examples
        --------
        >>> import tempfile
        >>> import nystream
        >>> from nystream.ray import Shards
        >>> shards = Shards(nystream.RunningMean(), 2, tempfile.mkdtemp())
        >>> predictions = shards.progressive([7, 8, 7], [[0.0]] * 3, [1.0, 2.0, 3.0], offset=0)
        >>> {key: model.predict_one([0.0]) for key, model in shards.models().items()}
        {'7': 2.0, '8': 2.0}
        """
        models: dict[str, nystream.Learner] = {}
        for some in self._actors.ask("models", [()] * self._n_shards):
            models |= some
        return dict(sorted(models.items()))

    def save(self) -> None:
        """Write files now: at the end of a stream, or before a planned stop.

        Examples
        --------
        >>> import os
        >>> import tempfile
        >>> import nystream
        >>> from nystream.ray import Shards
        >>> folder = tempfile.mkdtemp()
        >>> shards = Shards(nystream.RidgeAld(), 1, folder)
        >>> predictions = shards.progressive(["a"], [[0.5]], [1.0], offset=0)
        >>> shards.save()
        >>> sorted(os.listdir(folder))
        ['shard-0-1.nys', 'shards.ckpt']
        """
        self._actors.save()

    def _checked(self, keys: Any, X: Any) -> tuple[NDArray[Any], Any]:
        """Return the keys and the rows."""
        keys, rows = _keys.checked(keys), sendable(X, self._learner)
        if len(keys) != len(rows):
            raise ValueError(
                f"keys should be as many as X has rows, {len(rows)}, but there are {len(keys)}"
            )
        return keys, rows

    def _learned(self, keys: NDArray[Any], X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        """Have the shards predict and learn the rows that come next."""
        span = self.position, self.position + len(y)
        parts = _keys.parts(keys, self._n_shards)
        batches = [(span, p, take(X, p.places), y[p.places]) for p in parts]
        return self._joined(parts, self._actors.ask("progressive", batches, position=span[1]))

    def _joined(
        self, parts: list[_keys.Part], predicted: list[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return the predictions of all shards in the order of the rows."""
        predictions = blank(self._learner, sum(len(part.places) for part in parts))
        for part, some in zip(parts, predicted, strict=True):
            predictions[part.places] = some
        return predictions
