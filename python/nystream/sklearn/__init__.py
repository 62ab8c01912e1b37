"""Every learner as a scikit-learn estimator.

It needs scikit-learn 1.6 or newer: ``pip install 'nystream[sklearn]'``. ``fit`` starts afresh and
learns the rows once, in their order; ``partial_fit`` goes on. Start with :class:`AutoRegressor`,
which has nothing to tune and takes data frames as they are: text, categories, times and gaps. The
others take numbers alone, and such frames inside of :class:`TabularRegressor`.
:class:`Forecaster` is for series.

The parameter ``gamma`` of estimators with a kernel says how narrow the kernel is:

- "rbf": the kernel is ``exp(-gamma ||x - z||^2)``, with a width ``sigma`` of ``1 / sqrt(2 gamma)``;
- "laplacian": the kernel is ``exp(-gamma ||x - z||_1)``, with a width of ``1 / gamma``;
- other kernels with a width, by their names in lower case, "matern32", "matern52" and
  "rational_quadratic": the width is ``1 / sqrt(2 gamma)`` as well;
- "poly": the kernel is ``(gamma x . z + coef0)^degree``;
- "linear" and a :class:`nystream.Kernel` do not use it.

``gamma="scale"`` is ``1 / (n_features * X.var())``. ``gamma="median"`` is the one for which the
width is the median distance of rows that differ, of at most 300 rows taken at even steps; for
"laplacian" distances are sums of absolute differences. Both are settled on the rows of ``fit`` or
of the first ``partial_fit``, where a row counts as often as its weight says, and are 1 if all rows
are the same.

>>> import nystream
>>> from nystream.sklearn import AutoRegressor
>>> X, y = nystream.datasets.mackey_glass(1000)
>>> model = AutoRegressor().fit(X[:800], y[:800])
>>> bool(model.score(X[800:], y[800:]) > 0.98)
True
"""

from nystream.sklearn import _estimators, _forecaster, _tabular
from nystream.sklearn._estimators import *  # noqa: F403
from nystream.sklearn._forecaster import *  # noqa: F403
from nystream.sklearn._tabular import *  # noqa: F403

__all__ = sorted([*_estimators.__all__, *_forecaster.__all__, *_tabular.__all__])
