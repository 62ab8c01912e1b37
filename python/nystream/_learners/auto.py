"""A learner that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from nystream._core import Learner
from nystream._learners._base import Parameters, learner
from nystream._parameters import Constructed, parameters

__all__ = ["Auto", "Expert"]

T = TypeVar("T")


@dataclass(frozen=True)
class Expert:
    """One of the learners that :class:`Auto` combines.

    Attributes
    ----------
    width
        Width of its Gaussian kernel, in scales of the features; None for a linear expert and for
        a mean of the labels.
    ridge
        Its regularisation; None for a mean.
    forgetting
        How much a row counts for it a row later.
    weight
        Its weight in the prediction: the weights add up to 1, and may be negative. With several
        targets, a list with one for each.
    loss
        Its mean squared error lately; with several targets, a list with one for each.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Auto()
    >>> model.learn_many(*nystream.datasets.friedman(1000))
    >>> best = min(model.experts, key=lambda expert: expert.loss)
    >>> best.width is not None, best.forgetting
    (True, 1.0)
    """

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
    n_targets
        Number of labels that a row has. They share dictionaries and matrices.
    """

    __slots__ = ()

    warm_up: int = 300
    max_basis: int = 150
    policy: str = "replace"
    forgetting: float = 0.999


@learner()
class Auto(AutoParameters, Constructed, Learner):
    """Good predictions without tuning: many experts, combined.

    Nothing has to be known of the stream: not its length, nor the ranges, scales or units of
    features and labels. Features are brought to one scale by the median and the range without the
    outer tenths of the first rows, and compressed like logarithms where they are more than three
    scales away. The experts are ridge regression on ALD dictionaries, as :class:`RidgeAld`, with
    Gaussian kernels of 1/2, 1, 2, 4 and 8 median distances between two rows; two ridges for each
    width, of which the larger goes with a short memory; one whose memory is very short; linear
    ridge regression; the mean of the labels, and that of the last ones. Their predictions are
    combined by least squares and kept within what the labels so far suggest.

    It follows streams that change. Experts are compared by how well they did lately. Where a short
    memory does clearly better than a long one, the stream has changed, and the long one takes over
    what the short one knows. A full dictionary replaces its least useful row now and then, and
    faster where rows come that it does not know.

    Experts begin after 8 rows, and anew after 16, 32 and so on until the warm-up ends; before
    that the mean of the labels is predicted. A row costs O(dJ + J^2) for each of six dictionaries
    with J rows kept, however long the stream; in calls for many rows threads share them
    (:func:`set_num_threads`). A scorer is one kernel expansion for each width.

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
        16
        >>> round(sum(expert.weight for expert in model.experts), 9)
        1.0
        """
        return [
            Expert(width, ridge, forgetting, _one_or_all(weights), _one_or_all(losses))
            for width, ridge, forgetting, weights, losses in self._experts()
        ]


def _one_or_all(numbers: list[T]) -> T | list[T]:
    """Return the number of the one target, or those of several."""
    return numbers[0] if len(numbers) == 1 else numbers
