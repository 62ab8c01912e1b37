"""What the learners share: how they are made from their parameters, and what these mean."""

from __future__ import annotations

import inspect
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from nystream._core import Learner
from nystream._kernels import Gaussian
from nystream._parameters import dataclass_transform, document, parameters, signature

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from nystream._core import Kernel

L = TypeVar("L", bound=Learner)


class Parameters:
    """Parameters that mean the same for all learners that have them.

    Parameters
    ----------
    kernel
        The kernel.
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are
        learned through their projection. None: no cap.
    max_rows
        The most rows to store. A call that would go beyond it raises ValueError and learns
        nothing. None: no limit.
    mu
        Regularisation, 1e-10 to 1e100: the matrix of the Newton step starts as ``mu`` times
        identity.
    ridge
        Regularisation, 1e-10 to 1e100: the penalty is ``ridge`` times the squared norm of the
        function.
    bound
        Positive: predictions stay within [-bound, bound].
    gamma
        Regularisation of the leverage scores, positive; the larger, the fewer rows are kept.
    beta
        Factor of the leverage scores in the probabilities, positive.
    epsilon
        Accuracy of the leverage scores: they are multiplied by 1 + ``epsilon``.
    random_state
        Seed of the draws, a whole number, not negative. The same number gives the same draws on
        every platform, and so the same result to rounding.
    uniforms
        The draws themselves, a number in [0, 1) for each row: row t is kept if ``uniforms[t]`` is
        below its probability. There must be one for every row learned; otherwise learning raises
        ValueError. None: drawn from ``random_state``.
    forward
        Whether to predict as Vovk, Azoury and Warmuth do: the prediction of least squares divided
        by 1 + q, where q is larger the less is known about the row. It shrinks towards 0, so that
        labels should be centred.
    clip
        Whether to keep predictions within the range of the labels seen so far.
    forgetting
        How much a row counts a row later, 0.5 to 1: with 0.999, half after 693 rows. 1 forgets
        nothing. The ridge is not forgotten: it stays between half of ``ridge`` and ``ridge``, so
        that nothing fades away where no rows come, however long the stream.
    n_targets
        Number of labels that a row has. They share all matrices, so that a target more costs
        little.
    """

    __slots__ = ()


class OnlineLearner(Learner):
    """A learner of the core whose constructor takes the fields of its class."""

    __slots__ = ()

    if TYPE_CHECKING:
        # Type checkers read the fields; without this they would ask for the name of the learner.
        def __new__(cls, *args: Any, **params: Any) -> Self: ...


@parameters
class KernelLearner(OnlineLearner):
    """A learner that compares rows by a kernel."""

    __slots__ = ()

    kernel: Kernel = field(default=Gaussian(), kw_only=False)


class ReadParameter:
    """A parameter as an attribute of a learner, to be read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, learner: Learner | None, owner: type) -> Any:
        """Return the value that the learner has; the class has none."""
        return self if learner is None else learner.params[self.name]


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def learner(cls: type[L]) -> type[L]:
    """Make the learner of this name in the core public: its constructor and its docstring."""
    parameters(cls)
    for name in [parameter.name for parameter in fields(cls)]:  # type: ignore[arg-type]
        if name in vars(cls):
            delattr(cls, name)
        if not hasattr(Learner, name):
            setattr(cls, name, ReadParameter(name))
    cls.__new__ = staticmethod(_constructor(cls))  # type: ignore[method-assign, assignment]
    cls.__module__ = "nystream"
    document(cls, Learner)
    return cls


def _constructor(cls: type[L]) -> Callable[..., L]:
    """Return a constructor that passes what it is given to the core, which has the defaults."""
    name, expected = cls.__name__, signature(cls)

    def __new__(cls: type[L], /, *args: Any, **params: Any) -> L:  # noqa: N807
        try:
            given = expected.bind(*args, **params).arguments
        except TypeError as error:
            raise TypeError(f"{name}.__new__() {error}") from None
        return Learner.__new__(cls, name, **given)

    first = inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)
    __new__.__signature__ = expected.replace(  # type: ignore[attr-defined]
        parameters=[first, *expected.parameters.values()]
    )
    return __new__
