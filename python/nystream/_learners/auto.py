"""A learner that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from nystream._core import Learner
from nystream._learners._base import learner
from nystream._learners.tabular import ColumnParameters
from nystream._parameters import Constructed, parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Auto", "Event", "Expert"]

T = TypeVar("T")


@dataclass(frozen=True)
class Expert:
    """One of the learners that :class:`Auto` combines.

    Attributes
    ----------
    kind
        ``"kernel"``: ridge regression with a Gaussian kernel. ``"linear"``: linear ridge
        regression. ``"mean"``: a mean of the labels; the last label if it forgets at once.
        ``"past"``: linear ridge regression that looks at the past of the labels too.
        ``"smooth"``, ``"rough"``, ``"mixed"``: ridge regression in a metric that is learned, with
        a Gaussian kernel, with a Laplacian kernel, and with a Gaussian kernel on mixed features.
        ``"trees"``: boosted trees. ``"focused kernel"``, ``"focused smooth"``, ``"focused mixed"``,
        ``"focused trees"``: the same on features that tell more about the labels than chance does.
        ``"stretched"``: as smooth, for labels with a long tail, on a curve on which it is short.
    width
        Width of its kernel, in scales of the features, or in the metric that is learned; None
        without a kernel.
    ridge
        Its regularisation; None for a mean and for trees.
    forgetting
        How much a row counts for it a row later.
    weight
        Its weight in the prediction: the weights add up to 1, and may be negative. With several
        targets, a list with one for each.
    loss
        Its mean squared error lately; with several targets, a list with one for each. Infinite
        for an expert that sleeps, because others of its kind do better.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Auto()
    >>> model.learn_many(*nystream.datasets.friedman(1000))
    >>> best = min(model.experts, key=lambda expert: expert.loss)
    >>> best.kind, best.forgetting
    ('focused smooth', 1.0)
    """

    kind: str
    width: float | None
    ridge: float | None
    forgetting: float
    weight: float | list[float]
    loss: float | list[float]


@dataclass(frozen=True)
class Event:
    """Something that :class:`Auto` has noticed of a stream that changes.

    Attributes
    ----------
    row
        Number of rows that had been learned.
    kind
        ``"take-over"``: short memories did clearly better than long ones, which took over what
        these know. ``"forgetting"``: rows before the last ones are of little use, and were
        forgotten. ``"restart"``: they are of no use, and all experts began anew.
        ``"rescaling"``: scales were taken anew, with a restart. ``"feature"``: a feature began to
        vary.
    size
        The number of take-overs since the last check, which comes every 256 rows; the part of the
        error that forgetting saves; how far, in scales, the feature that moved most is from where
        it was; the scale of a feature that began to vary.
    feature
        The feature that moved most, or that began to vary: its name if it has one, or its index.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.friedman(11_000)
    >>> X[10_000:] += 20  # from here on, features are elsewhere
    >>> model = nystream.Auto()
    >>> model.learn_many(X, y)
    >>> [event.row for event in model.events if event.kind == "restart"]
    [10240]
    """

    row: int
    kind: str
    size: float
    feature: str | int | None = None


@parameters
class AutoParameters(ColumnParameters):
    """Parameters of :class:`Auto`.

    Parameters
    ----------
    warm_up
        Number of rows from which scales and widths are taken, at least 8.
    max_basis
        The most rows that the dictionary of each width keeps. Twice as many cost about four times
        as much, and predict better where the label is not smooth.
    policy
        ``"replace"`` or ``"freeze"``: whether rows may take the place of others in a full
        dictionary.
    forgetting
        How much a row counts a row later where experts are compared, 0.5 to 1. Short memories
        forget twice as fast, the shortest sixteen times, and the mean of the last labels a hundred
        times. Where each label is much like the one before, 0.99 can be better. 1 is for streams
        that never change: nothing is forgotten, and there are no experts with short memories.
    use_past
        Whether experts may look at the past of the labels: the last ones, their differences and
        running means. Where each label is like the last ones this is most of what can be known.
        A prediction is then that for the row that comes next. False for predictions that depend
        on the row alone.
    n_targets
        Number of labels that a row has. They share dictionaries and matrices.
    """

    __slots__ = ()

    warm_up: int = 300
    max_basis: int = 150
    policy: str = "replace"
    forgetting: float = 0.999
    use_past: bool = True


@learner()
class Auto(AutoParameters, Constructed, Learner):  # type: ignore[misc]  # both have a schema
    """Good predictions without tuning: many experts, combined.

    Nothing has to be known of the stream: not its length, nor the ranges, scales or units of
    features and labels, nor which features matter. Features are brought to one scale by the median
    and the range without the outer tenths of the first rows, and compressed like logarithms where
    they are more than three scales away. The experts are ridge regression on ALD dictionaries, as
    :class:`RidgeAld`, with Gaussian kernels of 1/2, 1, 2, 4 and 8 median distances between two
    rows, and with kernels in metrics that are learned, some of which leave out features that tell
    nothing; two ridges for each, of which the larger
    goes with a short memory; one whose memory is very short; linear ridge regression, with and
    without the past of the labels; boosted trees; the mean of the labels, that of the last ones,
    and the last one. Their predictions are combined by least squares, corrected by what the last
    errors tell of the next one, and kept within what the labels so far suggest.

    It follows streams that change. Experts are compared by how well they did lately. Where a short
    memory does clearly better than a long one, the stream may have changed: the long one takes
    over what the short one knows, and if little of what came before is of use, it is forgotten.
    Where features have moved far away, scales are taken anew. ``events`` tells of all that. A
    full dictionary replaces its least useful row now and then, and faster where rows come that it
    does not know.

    A prediction is that for the row that comes next: it may depend on the last labels, unless
    ``use_past`` is False.

    Experts begin after 4 rows, and anew after 8, 16 and so on and when the warm-up ends; before
    that the mean of the labels is predicted. A row costs O(dJ + J^2) for each of at most thirteen
    dictionaries with J rows kept, however long the stream; later only the best three dictionaries
    are kept up. In calls for many rows threads share them (:func:`set_num_threads`).

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.friedman(2000)
    >>> model = nystream.Auto()
    >>> predictions = model.progressive(1e6 * X + 1e7, 1e-3 * y)
    >>> mse = ((predictions - 1e-3 * y) ** 2).mean()
    >>> mean = nystream.RunningMean().progressive(X, 1e-3 * y)
    >>> bool(mse < 0.2 * ((mean - 1e-3 * y) ** 2).mean())
    True

    Where labels are likely to be:

    >>> low, high = model.predict_interval(1e6 * X[0] + 1e7, level=0.9)
    >>> bool(low < 1e-3 * y[0] < high)
    True
    """

    __slots__ = ()

    n_targets: int = 1

    @property
    def experts(self) -> list[Expert]:
        """The experts, the means last; none before 4 rows are learned.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Auto()
        >>> model.experts
        []
        >>> model.learn_many(*nystream.datasets.friedman(100))
        >>> len(model.experts)
        33
        >>> round(sum(expert.weight for expert in model.experts), 9)
        1.0
        """
        return [
            Expert(kind, width, ridge, forgetting, _one_or_all(weights), _one_or_all(losses))
            for kind, width, ridge, forgetting, weights, losses in self._experts()
        ]

    @property
    def relevance(self) -> NDArray[np.float64]:
        """How much each feature matters: numbers that add up to 1; none before 4 rows are learned.

        Each is the part of the average squared gradient of the predictions that lies along the
        feature, measured in its scale. It says what the model has come to rely on: of two features
        that tell the same, either or both may have it.

        Examples
        --------
        >>> import nystream
        >>> X, y = nystream.datasets.friedman(2000)  # only the first five features matter
        >>> model = nystream.Auto()
        >>> model.learn_many(X, y)
        >>> bool(model.relevance[:5].sum() > 0.95)
        True
        """
        return np.array(self._relevance())

    @property
    def events(self) -> list[Event]:
        """The changes of the stream that it has noticed, the oldest first; at most the last 100.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Auto()
        >>> model.learn_many([[0.0, float(i % 9)] for i in range(400)], [1.0, 2.0] * 200)
        >>> model.learn_one([0.5, 3.0], 1.0)  # the first feature has never varied before
        >>> model.events[-1]
        Event(row=401, kind='feature', size=0.5, feature=0)
        """
        names = self.feature_names or ()
        return [
            Event(row, kind, size, names[feature] if names and feature is not None else feature)
            for row, kind, size, feature in self._events()
        ]

    def novelty(self, X: Any) -> NDArray[np.float64]:
        """How far rows are from all that it knows, each from 0 to 1; 1 before 4 rows are learned.

        It is the mean, over the dictionaries in use, of the squared distance of the row's kernel
        function from the span of those of the rows kept. Features that do not matter to the
        predictions count little or nothing in it. A prediction for a row whose novelty is near 1
        is little more than the mean of the labels.

        Examples
        --------
        >>> import nystream
        >>> X, y = nystream.datasets.friedman(1000)
        >>> model = nystream.Auto()
        >>> model.learn_many(X[:900], y[:900])
        >>> bool(model.novelty(X[900:]).max() < model.novelty(X[900:] + 9).min())
        True
        """
        return self._novelty(X)


def _one_or_all(numbers: list[T]) -> T | list[T]:
    """Return the number of the one target, or those of several."""
    return numbers[0] if len(numbers) == 1 else numbers
