"""What workers do with the rows of a stream: each is predicted, then learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._frames import NamedRows
from nystream.spark._engine import StatefulProcessor, pd
from nystream.spark._models import (
    Start,
    answer_rows,
    check_features,
    file_name,
    inspect,
    opened,
    use_cores_of_task,
)
from nystream.spark._source import Source, short_names

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle, TimerValues


class OnlineLearning(StatefulProcessor):
    """A worker, which learns the rows that a key has in a micro-batch."""

    def __init__(self, start: Start, source: Source) -> None:
        self._start = start
        self._keys = [column.short for column in source.key]
        self._orders = [column.short for column in source.order]
        self._features = source.features
        self._texts = source.texts
        self._target = source.target

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Begin a task."""
        use_cores_of_task()
        self._state = handle.getValueState("model", "model binary")

    def handleInputRows(  # noqa: N802
        self, key: Any, rows: Iterator[Any], timerValues: TimerValues
    ) -> Iterator[Any]:
        """Learn the rows of a key in their order."""
        frame = gathered(rows, self._orders)
        model = self._model(key)
        predictions, errors = self._answer(model, frame)
        self._keep(model)
        answer = frame[[*self._orders, "label"]].assign(prediction=predictions, error=errors)
        yield answer.assign(**dict(zip(self._keys, key, strict=True)))

    def close(self) -> None:
        """End a task."""

    def _answer(
        self, model: Any, frame: Any, keys: NDArray[Any] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Predict and learn rows in their order; with keys, by a model of many."""
        cells = frame[short_names(len(self._features))]
        y = frame["label"].to_numpy(np.float64)
        if model.schema is not None:
            dicts = cells.set_axis(self._features, axis=1).to_dict("records")
            return answer_rows(model, dicts, self._target, y, keys)
        X, predictions = cells.to_numpy(np.float64), np.full(len(y), np.nan)
        sound, errors = inspect(self._features, self._target, X, y)
        keys = None if keys is None else keys[sound]
        predictions[sound] = predict_then_learn(model, self._features, X[sound], y[sound], keys)
        return predictions, errors

    def _model(self, key: tuple[Any, ...]) -> Any:
        if (state := self._state.get()) is None:
            return self._start.learner(self._features, key, self._texts)
        model = opened(self._known(state))
        # A query may be started again with others.
        check_features(model, self._features, key, self._texts)
        return model

    def _known(self, state: tuple[Any, ...]) -> bytes:
        """Return the model among what was kept."""
        return bytes(state[0])

    def _keep(self, model: Any) -> None:
        self._state.update((model.to_bytes(),))


class GroupLearning(OnlineLearning):
    """A worker, which learns the rows that a group of keys has in a micro-batch."""

    def __init__(self, start: Start, source: Source, n_groups: int) -> None:
        super().__init__(start, source)
        self._n_groups = n_groups

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Begin a task."""
        use_cores_of_task()
        self._state = handle.getValueState("models", "models binary, groups int")

    def handleInputRows(  # noqa: N802
        self, key: Any, rows: Iterator[Any], timerValues: TimerValues
    ) -> Iterator[Any]:
        """Learn the rows of a group in their order, and in that of the keys where it is equal."""
        frame = gathered(rows, [*self._orders, *self._keys])
        model = self._model((f"group {key[0]}",))
        keys = map(file_name, frame[self._keys].itertuples(index=False, name=None))
        predictions, errors = self._answer(model, frame, np.array(list(keys), dtype=object))
        self._keep(model)
        answer = frame[[*self._keys, *self._orders, "label"]]
        yield answer.assign(prediction=predictions, error=errors)

    def _known(self, state: tuple[Any, ...]) -> bytes:
        models, n_groups = state
        if n_groups != self._n_groups:
            raise ValueError(
                f"groups should be {n_groups}, as when the query began, but is {self._n_groups}"
            )
        return bytes(models)

    def _keep(self, model: Any) -> None:
        self._state.update((model.to_bytes(), self._n_groups))


def gathered(rows: Iterator[Any], by: list[str]) -> Any:
    """Return all rows in the order of some columns, which can go back to Spark."""
    frame = pd.concat(list(rows)).sort_values(by, kind="stable")
    # PySpark cannot send text that lies in several pieces.
    texts = [name for name in by if isinstance(frame[name].dtype, pd.StringDtype)]
    return frame.astype(dict.fromkeys(texts, object))


def predict_then_learn(
    model: Any,
    names: list[str],
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    keys: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """Predict each row, then learn it if it has a label; with keys, by a model of many.

    One by one: blocks would be faster, but they end where a micro-batch ends, and so the last bits
    would depend on how Spark cuts the stream.
    """
    predictions = np.empty(len(y))
    labelled = ~np.isnan(y)
    for i in range(len(y)):
        one = slice(i, i + 1)
        # A model remembers the names of the first row that it learns.
        rows: Any = X[one] if model.n_seen else NamedRows(names, X[one])
        given = (rows,) if keys is None else (keys[one], rows)
        predictions[one] = (
            model.progressive(*given, y[one]) if labelled[i] else model.predict_many(*given)
        )
    return predictions
