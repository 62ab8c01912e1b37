"""The learners as regressors of river: dicts of features that come and go, data frames, pipelines.

Start with :class:`AutoRegressor`, which has nothing to tune and takes features of any scale and
kind: text, times and gaps too. The others take numbers alone, and such features inside of
:class:`TabularRegressor`. :class:`Forecaster` is for series.

>>> from nystream.river import AutoRegressor
>>> from river import datasets, evaluate, metrics
>>> error = evaluate.progressive_val_score(datasets.TrumpApproval(), AutoRegressor(), metrics.MAE())
>>> error.get() < 0.5
True
"""

from nystream.river import _forecaster, _regressors, _tabular
from nystream.river._forecaster import *  # noqa: F403
from nystream.river._regressors import *  # noqa: F403
from nystream.river._tabular import *  # noqa: F403

__all__ = sorted([*_forecaster.__all__, *_regressors.__all__, *_tabular.__all__])
