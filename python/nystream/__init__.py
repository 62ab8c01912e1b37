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
    Kernel,
    Learner,
    Scorer,
    __version__,
    algorithms,
    get_num_threads,
    instruction_set,
    kernels,
    load,
    set_num_threads,
)
from nystream._kernels import (
    Gaussian,
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    RationalQuadratic,
)
from nystream._learners import (
    AogdAld,
    Auto,
    ConKons,
    Expert,
    Fogd,
    Kaar,
    Kogd,
    Kons,
    KrlsAld,
    LinearRls,
    Nogd,
    NonsAld,
    OnlineKrr,
    Pkawv,
    ProsNKons,
    RidgeAld,
    RunningMean,
    SketchedKons,
)

__all__ = [
    "AogdAld",
    "Auto",
    "ConKons",
    "Expert",
    "Fogd",
    "Gaussian",
    "Kaar",
    "Kernel",
    "Kogd",
    "Kons",
    "KrlsAld",
    "Laplacian",
    "Learner",
    "Linear",
    "LinearRls",
    "Matern32",
    "Matern52",
    "Nogd",
    "NonsAld",
    "OnlineKrr",
    "Pkawv",
    "Polynomial",
    "ProsNKons",
    "RationalQuadratic",
    "RidgeAld",
    "RunningMean",
    "Scorer",
    "SketchedKons",
    "__version__",
    "algorithms",
    "datasets",
    "get_num_threads",
    "instruction_set",
    "kernels",
    "load",
    "set_num_threads",
    "theory",
]
