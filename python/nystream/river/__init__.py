"""The learners as regressors of river: dicts of features that come and go, data frames, pipelines.

>>> import nystream
>>> from nystream.river import NonsAldRegressor
>>> from river import datasets, evaluate, metrics, preprocessing
>>> regressor = NonsAldRegressor(nystream.Gaussian(sigma=4.0), bound=3.0)
>>> model = preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(regressor)
>>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
MAE: 0.253142
"""

from nystream.river._ald import (
    AogdAldRegressor,
    KrlsAldRegressor,
    NonsAldRegressor,
    RidgeAldRegressor,
)
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
