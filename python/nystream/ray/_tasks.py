"""Scoring and comparisons, in tasks of Ray that share nothing."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._frames import is_frame
from nystream.ray._engine import answers, ray, submitted, window
from nystream.ray._rows import sendable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray


def score(
    model: nystream.Learner | nystream.Scorer,
    blocks: Iterable[Any],
    *,
    read: Callable[[Any], Any] | None = None,
    in_flight: int | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Predict the rows of one block after another, each in a task of its own.

    The model is sent once. Predictions come in the order of the blocks, and a block is asked for
    only when it can be worked on, so that memory does not grow with their number.

    Parameters
    ----------
    model
        A learner or a scorer; what it predicts now.
    blocks
        Arrays or data frames of rows, or whatever `read` makes such rows of.
    read
        Called with a block by the task, where the rows are needed: ``pandas.read_parquet`` if
        blocks are the names of files. None if blocks are rows already, which have to be sent.
    in_flight
        How many blocks may be under way, at least 1; two for each core of the cluster if None.

    Returns
    -------
    iterator of arrays
        The predictions of each block.

    Raises
    ------
    RuntimeError
        If a block cannot be read or predicted; the message has its number, from 0 on.

    Examples
    --------
    >>> import nystream
    >>> from nystream.ray import score
    >>> X, y = nystream.datasets.friedman(3000, random_state=0)
    >>> model = nystream.RidgeAld()
    >>> model.learn_many(X[:1000], y[:1000])
    >>> for predictions in score(model, [X[1000:2000], X[2000:]]):
    ...     print((predictions == model.predict_many(X[1000:2000])).all())
    True
    False
    """
    if not isinstance(model, nystream.Learner | nystream.Scorer):
        raise TypeError(f"model should be a learner or a scorer, but is {model!r:.100}")
    if hasattr(blocks, "shape") or is_frame(blocks):
        raise TypeError(
            "blocks should be several arrays or frames, but is one: predict_many is for it"
        )
    size = window(in_flight)
    scorer = ray.put(model.scorer() if isinstance(model, nystream.Learner) else model)
    task = ray.remote(_scored)
    calls = submitted(lambda item: task.remote(scorer, *item, read), enumerate(blocks), size)
    return (answers([call])[0] for call in calls)


@dataclass(frozen=True)
class Trial:
    """The result of one learner of a sweep.

    Attributes
    ----------
    name
        The name that it has in the sweep.
    mse
        Mean squared error of the predictions made before each row was learned; infinite if the
        learner has failed.
    n_basis
        How many rows it keeps.
    seconds
        How long it took, which depends on what else the machine did.
    error
        Why it has failed; None if it has not.

    Examples
    --------
    >>> import nystream
    >>> from nystream.ray import sweep
    >>> [trial] = sweep({"short": nystream.Kogd(max_rows=2)}, [[0.0]] * 3, [1.0, 2.0, 3.0])
    >>> trial.mse, trial.error
    (inf, 'ValueError: max_rows is 2, and 0 rows are stored: there is no room for 3 more')
    """

    name: Hashable
    mse: float
    n_basis: int
    seconds: float
    error: str | None


def sweep(
    models: Mapping[Any, nystream.Learner],
    X: Any,
    y: ArrayLike,
    *,
    in_flight: int | None = None,
) -> list[Trial]:
    """Run each of several learners over the same rows, in a task of its own.

    The rows are sent once, and on one machine all tasks read the same memory. The learners given
    stay as they are.

    Parameters
    ----------
    models
        Learners by name; a name may be anything that a dict takes, such as a tuple of parameters.
    X, y
        Rows, an array or a data frame, and labels. If some learners take tables, rows may hold
        text, times and gaps; the others fail with such rows.
    in_flight
        How many learners may be under way, at least 1; two for each core of the cluster if None.

    Returns
    -------
    list of Trial
        One for each learner, the one with the least error first. Learners that fail are at the end,
        with the reason.

    Examples
    --------
    >>> import nystream
    >>> from nystream.ray import sweep
    >>> X, y = nystream.datasets.friedman(1000, random_state=0)
    >>> widths = (0.1, 1.0, 10.0)
    >>> trials = sweep({s: nystream.RidgeAld(nystream.Gaussian(sigma=s)) for s in widths}, X, y)
    >>> [(trial.name, round(trial.mse, 4)) for trial in trials]
    [(10.0, 0.0075), (1.0, 0.0141), (0.1, 0.255)]
    """
    for name, model in models.items():
        if not isinstance(model, nystream.Learner):
            raise TypeError(f"models[{name!r:.100}] should be a learner, but is {model!r:.100}")
    n_targets = np.shape(y)[1] if np.ndim(y) == 2 else 1
    judge: nystream.Learner = nystream.RidgeAld(max_basis=1, n_targets=n_targets)
    if any(model.schema is not None for model in models.values()):
        judge = nystream.Tabular(judge)
    rows = ray.put(sendable(X, judge))
    judge.learn_many(X, y)  # refuses what is unfit
    labels = ray.put(np.asarray(y))
    task = ray.remote(_tried)
    calls = submitted(lambda m: task.remote(m, rows, labels), models.values(), window(in_flight))
    trials = [Trial(name, *_outcome(call)) for name, call in zip(models, calls, strict=True)]
    return sorted(trials, key=lambda trial: trial.mse)


def _scored(scorer: nystream.Scorer, number: int, block: Any, read: Any) -> NDArray[np.float64]:
    nystream.set_num_threads(1)  # the other tasks are for the other cores
    try:
        return scorer.predict_many(block if read is None else read(block))
    except Exception as error:
        raise RuntimeError(f"block {number} cannot be predicted: {error}") from error


def _tried(
    model: nystream.Learner, X: Any, y: NDArray[Any]
) -> tuple[float, int, float, str | None]:
    nystream.set_num_threads(1)
    start = time.perf_counter()
    try:
        mse, reason = float(np.mean((model.progressive(X, y) - y) ** 2)), None
    except Exception as error:
        mse, reason = math.inf, f"{type(error).__name__}: {error}"
    return mse, model.n_basis, time.perf_counter() - start, reason


def _outcome(call: Any) -> Any:
    """Return what became of a task, also if its process has died."""
    try:
        return answers([call])[0]
    except ray.exceptions.RayError as error:
        return math.inf, 0, 0.0, str(error).partition("\n")[0]
