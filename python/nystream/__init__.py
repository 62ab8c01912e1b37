"""Online kernel regression with a Rust core.

Learners that see each row once, predict before they learn, and keep a small dictionary of rows.

>>> import nystream
>>> X, y = nystream.datasets.friedman(1000, random_state=0)
>>> model = nystream.NonsAld(nystream.Gaussian(sigma=2.0))
>>> predictions = model.progressive(X, y)
>>> model.n_seen
1000
"""

from nystream import datasets, theory
from nystream._core import (
    Column,
    Kernel,
    Keyed,
    Learner,
    Scorer,
    Table,
    Ticket,
    __version__,
    algorithms,
    get_num_threads,
    instruction_set,
    kernels,
    load,
    losses,
    set_num_threads,
)
from nystream._forecaster import Forecaster
from nystream._kernels import *  # noqa: F403
from nystream._learners import *  # noqa: F403
from nystream._losses import *  # noqa: F403
from nystream._report import Errors, Report

__all__ = [
    "Column",
    "ColumnWarning",  # noqa: F405
    "Errors",
    "Event",  # noqa: F405
    "Expert",  # noqa: F405
    "Forecaster",
    "Kernel",
    "Keyed",
    "Learner",
    "Loss",  # noqa: F405
    "Report",
    "Scorer",
    "Table",
    "Tabular",  # noqa: F405
    "Ticket",
    "__version__",
    "algorithms",
    "datasets",
    "get_num_threads",
    "instruction_set",
    "kernels",
    "load",
    "losses",
    "set_num_threads",
    "theory",
]
__all__ += algorithms()
__all__ += kernels()
__all__ += losses()
