"""A learner that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nystream._core import Learner
from nystream._learners._base import Parameters, learner
from nystream._parameters import Constructed, parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Auto", "Expert"]

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
        ``"trees"``: boosted trees.
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
        for an expert that sleeps, because others with kernels do better.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Auto()
    >>> model.learn_many(*nystream.datasets.friedman(1000))
    >>> best = min(model.experts, key=lambda expert: expert.loss)
    >>> best.kind, best.forgetting
    ('smooth', 1.0)
    """

    kind: str
    width: float | None
    ridge: float | None
    forgetting: float
    weight: float | list[float]
    loss: float | list[float]


@parameters
class AutoParameters(Parameters):
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
class Auto(AutoParameters, Constructed, Learner):
    """Good predictions without tuning: many experts, combined.

    Nothing has to be known of the stream: not its length, nor the ranges, scales or units of
    features and labels, nor which features matter. Features are brought to one scale by the median
    and the range without the outer tenths of the first rows, and compressed like logarithms where
    they are more than three scales away. The experts are ridge regression on ALD dictionaries, as
    :class:`RidgeAld`, with Gaussian kernels of 1/2, 1, 2, 4 and 8 median distances between two
    rows, and with kernels in metrics that are learned; two ridges for each, of which the larger
    goes with a short memory; one whose memory is very short; linear ridge regression, with and
    without the past of the labels; boosted trees; the mean of the labels, that of the last ones,
    and the last one. Their predictions are combined by least squares and kept within what the
    labels so far suggest.

    It follows streams that change. Experts are compared by how well they did lately. Where a short
    memory does clearly better than a long one, the stream may have changed: the long one takes
    over what the short one knows, and if little of what came before is of use, it is forgotten. A
    full dictionary replaces its least useful row now and then, and faster where rows come that it
    does not know.

    A prediction is that for the row that comes next: it may depend on the last labels, unless
    ``use_past`` is False.

    Experts begin after 8 rows, and anew after 16, 32 and so on until the warm-up ends; before
    that the mean of the labels is predicted. A row costs O(dJ + J^2) for each of at most nine
    dictionaries with J rows kept, however long the stream; later only the best four dictionaries
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
        """The experts, the means last; none before 8 rows are learned.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Auto()
        >>> model.experts
        []
        >>> model.learn_many(*nystream.datasets.friedman(100))
        >>> len(model.experts)
        26
        >>> round(sum(expert.weight for expert in model.experts), 9)
        1.0
        """
        return [
            Expert(kind, width, ridge, forgetting, _one_or_all(weights), _one_or_all(losses))
            for kind, width, ridge, forgetting, weights, losses in self._experts()
        ]

    @property
    def relevance(self) -> NDArray[np.float64]:
        """How much each feature matters: numbers that add up to 1; none before 8 rows are learned.

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


def _one_or_all(numbers: list[T]) -> T | list[T]:
    """Return the number of the one target, or those of several."""
    return numbers[0] if len(numbers) == 1 else numbers
