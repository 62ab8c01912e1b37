"""The learners as regressors of river: dicts of features that come and go, data frames, pipelines.

Start with :class:`AutoRegressor`, which has nothing to tune and takes features of any scale.

>>> from nystream.river import AutoRegressor
>>> from river import datasets, evaluate, metrics
>>> error = evaluate.progressive_val_score(datasets.TrumpApproval(), AutoRegressor(), metrics.MAE())
>>> error.get() < 0.5
True
"""

from nystream.river._ald import (
    AogdAldRegressor,
    KrlsAldRegressor,
    NonsAldRegressor,
    RidgeAldRegressor,
)
from nystream.river._auto import AutoRegressor
from nystream.river._baselines import LinearRlsRegressor, RunningMeanRegressor
from nystream.river._budgeted import (
    ConKonsRegressor,
    FogdRegressor,
    NogdRegressor,
    ProsNKonsRegressor,
)
from nystream.river._every_row import (
    KaarRegressor,
    KogdRegressor,
    KonsRegressor,
    OnlineKrrRegressor,
    PkawvRegressor,
    SketchedKonsRegressor,
)

__all__ = [
    "AogdAldRegressor",
    "AutoRegressor",
    "ConKonsRegressor",
    "FogdRegressor",
    "KaarRegressor",
    "KogdRegressor",
    "KonsRegressor",
    "KrlsAldRegressor",
    "LinearRlsRegressor",
    "NogdRegressor",
    "NonsAldRegressor",
    "OnlineKrrRegressor",
    "PkawvRegressor",
    "ProsNKonsRegressor",
    "RidgeAldRegressor",
    "RunningMeanRegressor",
    "SketchedKonsRegressor",
]
