"""Columns of tables: how they are treated, and learners that would not take them by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from nystream._core import Learner
from nystream._learners._base import Parameters, learner
from nystream._parameters import Constructed, parameters

__all__ = ["ColumnWarning", "Tabular"]


class ColumnWarning(UserWarning):
    """Columns are left out, since their values hardly ever come again; told once a model.

    Examples
    --------
    >>> import warnings
    >>> import nystream
    >>> model = nystream.Auto()
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     model.learn_many([{"id": f"x{i}", "size": i % 9} for i in range(300)], [0.0, 1.0] * 150)
    >>> str(told[0].message).partition(":")[0]
    'columns whose values hardly ever come again are left out'
    >>> model.schema[0].kind
    'unused (id)'
    """


ColumnWarning.__module__ = "nystream"


@parameters
class ColumnParameters(Parameters):
    """Parameters that say how the columns of a table are treated.

    Parameters
    ----------
    schema
        Kinds of columns by name: ``"number"``, ``"category"``, ``"time"``, ``"text"`` or
        ``"unused"``. The kinds of all others are found out from their first values.
    missing
        ``"fill"``: a missing number is taken for the median of its column's last ones, and is
        marked. ``"error"``: a missing value raises ``ValueError``, except in columns that are
        left out.
    missing_values
        Numbers that stand for missing values, such as -999.
    max_categories
        The most values of a category that are remembered; the rarest are forgotten first.
    on_new_columns
        What a column does that comes or goes once rows have been learned: ``"error"`` raises
        ``ValueError``; ``"ignore"`` leaves new ones out; ``"add"`` lets them join. With the last
        two, a column that does not come any more has missing values.
    """

    __slots__ = ()

    schema: Mapping[str, str] | None = None
    missing: str = "fill"
    missing_values: Sequence[float] | float | None = None
    max_categories: int = 1000
    on_new_columns: str = "error"


@learner()
class Tabular(ColumnParameters, Constructed, Learner):  # type: ignore[misc]  # both have a schema
    """Any learner on any table: columns of text, times and gaps become features, on line.

    :class:`Auto` has such columns by itself. Here they stand in front of another learner, whose
    features are brought to one scale by the first rows: the median and the range without the outer
    tenths are taken from 1, 2, 4 and so on up to 256 rows, which are then learned again, and
    features more than three scales away are compressed like logarithms.

    Two rows of n features are about the square root of 2n apart then, so kernels of tables with
    many columns should be wider than usual: ``Tabular(RidgeAld(Gaussian(4.0)))``, say.

    Parameters
    ----------
    model
        The learner, which has seen nothing.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Tabular(nystream.LinearRls())
    >>> rows = [{"town": town, "rooms": n % 5} for n, town in enumerate(["Ulm", "Bonn"] * 100)]
    >>> model.learn_many(rows, [row["rooms"] + len(row["town"]) for row in rows])
    >>> round(model.predict_one({"town": "Bonn", "rooms": 2}), 1)  # 2 rooms and 4 letters
    6.0
    >>> round(model.predict_one({"town": "Ulm", "rooms": 2}), 1)
    5.0
    >>> [(column.name, column.kind) for column in model.schema]
    [('town', 'category'), ('rooms', 'number')]
    """

    __slots__ = ()

    model: Learner = field(kw_only=False)
