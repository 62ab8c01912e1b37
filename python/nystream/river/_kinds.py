"""Bases of regressors whose learners have a kernel or a limit of rows, and the decorator."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import nystream
from nystream._checks import whole
from nystream._parameters import dataclass_transform, document, parameters, store
from nystream.river._base import Regressor, WeightedRegressor
from nystream.river._columns import check_number, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


R = TypeVar("R", bound=Regressor)

EXAMPLE = """\
>>> from nystream.river import {name}
>>> from river import datasets, evaluate, metrics, preprocessing
>>> regressor = preprocessing.TargetStandardScaler({name}({given}))
>>> model = preprocessing.StandardScaler() | regressor
>>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
MAE: {mae}"""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def regressor(given: str = "", *, mae: str = "") -> Callable[[type[R]], type[R]]:
    """Make a regressor of the learner of the same name: its constructor and its docstring.

    ``given`` are the parameters of the example, which has this mean absolute error; a docstring
    with an example of its own needs neither.
    """

    def complete(cls: type[R]) -> type[R]:
        learner = cls.__name__.removesuffix("Regressor")
        cls._kind = getattr(nystream, learner)
        store(cls)
        cls.__module__ = "nystream.river"
        weights = " Rows may have weights." if issubclass(cls, WeightedRegressor) else ""
        example = EXAMPLE.format(name=cls.__name__, given=given, mae=mae)
        document(cls, Regressor, f":class:`nystream.{learner}` for river.{weights}", example)
        return cls

    return complete


@parameters
class KernelRegressor(Regressor):
    """A regressor whose learner compares rows by a kernel.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    """

    kernel: nystream.Kernel | None = field(default=None, kw_only=False)

    def __post_init__(self) -> None:
        """Take the default kernel if none was given, and make the learner."""
        if self.kernel is None:
            self.kernel = nystream.Gaussian()
        super().__post_init__()


class CappedRegressor(Regressor):
    """A regressor with a limit of rows: once it is full, it predicts, but learns no more."""

    # The parameter that is the limit, and the attribute of the learner that it limits.
    _cap: ClassVar[str]
    _count: ClassVar[str]

    def _room(self, learner: nystream.Learner) -> int | None:
        cap = getattr(self, self._cap)
        return None if cap is None else max(cap - getattr(learner, self._count), 0)

    def _learn(self, x: dict[Hashable, Any], y: float, *weight: float) -> None:
        if self._is_full:
            numbers(x)
            check_number("y", y)
        else:
            super()._learn(x, y, *weight)


@parameters
class EveryRowRegressor(CappedRegressor):
    """A regressor that is full when ``max_rows`` rows are stored.

    Parameters
    ----------
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.
    """

    _cap, _count = "max_rows", "n_seen"

    max_rows: int | None = 1000


@parameters
class SampledRegressor(CappedRegressor):
    """A regressor that is full when ``max_basis`` rows are kept.

    Parameters
    ----------
    max_basis
        The most rows to keep. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no cap, and memory that may grow with the stream.
    """

    _cap, _count = "max_basis", "n_basis"

    max_basis: int | None = 300

    def __post_init__(self) -> None:
        """Check the cap, of which the learner knows nothing, and make the learner."""
        if self.max_basis is not None:
            self.max_basis = whole("max_basis", self.max_basis)
        super().__post_init__()
