"""The base of all learners: their construction, and parameters that several of them have."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

from nystream._core import Learner
from nystream._kernels import Gaussian
from nystream._parameters import Constructed, construct, dataclass_transform, document, parameters

if TYPE_CHECKING:
    from collections.abc import Callable

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
        Forgetting factor, 0.5 to 1: with each further row, a row counts this many times what it
        did before; with 0.999, half after 693 rows. 1 forgets nothing. The ridge is not
        forgotten: it stays between half of ``ridge`` and ``ridge``, so that nothing fades away
        where no rows come, however long the stream.
    loss
        The loss that is to be small: a loss such as ``nystream.Huber(delta=1.0)``, or the name of
        one with its default parameters, such as ``"absolute"``, ``"quantile"`` or ``"logistic"``.
        It says which labels are taken, and what predictions mean.
    n_targets
        Number of labels that a row has. They share all matrices, so that a target more costs
        little.
    """

    __slots__ = ()


@parameters
class KernelLearner(Constructed, Learner):
    """A learner that compares rows by a kernel."""

    __slots__ = ()

    kernel: Kernel = field(default=Gaussian(), kw_only=False)


EXAMPLE = """\
>>> import nystream
>>> X, y = nystream.datasets.mackey_glass(1000)
>>> model = nystream.{name}({given})
>>> predictions = model.progressive(X, y)
>>> bool(((predictions - y) ** 2).mean() < {mse})
True"""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def learner(given: str = "", *, mse: float = math.nan) -> Callable[[type[L]], type[L]]:
    """Make the learner of this name in the core public: its constructor and its docstring.

    ``given`` are the parameters of the example beside the kernel, which has at most this mean
    squared error; a docstring with an example of its own needs neither.
    """

    def complete(cls: type[L]) -> type[L]:
        arguments = ", ".join(filter(None, ["nystream.Gaussian(sigma=1.0)", given]))
        construct(cls, Learner)
        document(cls, Learner, example=EXAMPLE.format(name=cls.__name__, given=arguments, mse=mse))
        return cls

    return complete
