"""The roles of columns: checked on the driver, and in a form that can be sent to workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nystream.spark._engine import F, types

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, GroupedData

KEYS = (types.StringType, types.IntegralType, types.BooleanType, types.DateType)
ORDERS = (types.StringType, types.NumericType, types.DateType, types.TimestampType)
NUMBERS = (types.NumericType, types.BooleanType)
GROUP = "group"  # the name of the number of a group of keys
# What a model with columns reads.
VALUES = (
    *NUMBERS,
    types.StringType,
    types.DateType,
    types.TimestampType,
    types.TimestampNTZType,
)


@dataclass(frozen=True)
class Carried:
    """A column that goes to the workers and comes back as it was."""

    role: str
    name: str
    short: str
    kind: types.DataType

    @classmethod
    def all_of(
        cls, df: DataFrame, role: str, names: str | Sequence[str], kinds: tuple[type, ...]
    ) -> list[Carried]:
        """Check the columns of a role, and number them."""
        return [
            cls(role, name, f"{role}{i}", df.schema[name].dataType)
            for i, name in enumerate(names_of(df, role, names, kinds))
        ]

    @property
    def is_time(self) -> bool:
        """Tell whether it would come as a local time, of which an hour in autumn comes twice."""
        return isinstance(self.kind, types.TimestampType)

    def there(self) -> Column:
        """Return the column in the form that is sent to the workers."""
        value = column(self.name)
        if isinstance(self.kind, (types.FloatType, types.DoubleType)):
            value = F.when(~F.isnan(value), value)
        value = given(value, f"{self.name!r} is the {self.role}")
        return (F.unix_micros(value) if self.is_time else value).alias(self.short)

    def field(self) -> types.StructField:
        """Return name and type of the column as the workers send it back."""
        return types.StructField(self.short, types.LongType() if self.is_time else self.kind)

    def back(self) -> Column:
        """Return the column that came back, under its own name and in its own type."""
        value = F.col(self.short)
        return (F.timestamp_micros(value) if self.is_time else value).alias(self.name)


@dataclass(frozen=True)
class Source:
    """Rows to learn, and the roles of their columns.

    Columns travel as ``key0``, ``order0``, ``x0``, ``label`` and so on, so that one may be both a
    feature and the order, whatever its name.
    """

    df: DataFrame
    key: list[Carried]
    order: list[Carried]
    features: list[str]
    target: str
    takes_tables: bool = field(kw_only=True)

    @classmethod
    def of(
        cls,
        df: DataFrame,
        key: str | Sequence[str],
        features: str | Sequence[str],
        target: str,
        order: str | Sequence[str],
        takes_tables: bool = False,
    ) -> Source:
        """Check names and types of all columns."""
        source = cls(
            df,
            Carried.all_of(df, "key", key, KEYS),
            Carried.all_of(df, "order", order, ORDERS),
            names_of(df, "features", features, VALUES if takes_tables else NUMBERS),
            *names_of(df, "target", target, NUMBERS),
            takes_tables=takes_tables,
        )
        if target in source.features:
            raise ValueError(f"features should not hold the target, but hold {target!r}")
        return source

    def grouped(self, n_groups: int | None = None) -> GroupedData:
        """Return the rows of each key, or of so many groups of keys, as workers read them."""
        numbers = [*map(self._feature, self.features), column(self.target).cast("double")]
        shorts = [*short_names(len(self.features)), "label"]
        rows = self.df.select(
            *(carried.there() for carried in (*self.key, *self.order)),
            *(number.alias(short) for number, short in zip(numbers, shorts, strict=True)),
        )
        keys = [key.short for key in self.key]
        if n_groups is None:
            return rows.groupBy(*keys)
        group = F.pmod(F.hash(*keys), F.lit(n_groups))
        return rows.withColumn(GROUP, group).groupBy(GROUP)

    def _feature(self, name: str) -> Column:
        is_number = isinstance(self.df.schema[name].dataType, types.NumericType)
        return column(name) if self.takes_tables and not is_number else column(name).cast("double")

    @property
    def texts(self) -> list[str]:
        """The features that are no numbers, which only a model with columns takes."""
        return [n for n in self.features if not isinstance(self.df.schema[n].dataType, NUMBERS)]


def short_names(n_features: int) -> list[str]:
    """Return the names under which features travel."""
    return [f"x{i}" for i in range(n_features)]


def names_of(
    df: DataFrame, argument: str, names: str | Sequence[str], kinds: tuple[type, ...]
) -> list[str]:
    """Return names as a list; refuse a column that is missing or of another type."""
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise ValueError(f"{argument} should name at least one column, but is empty")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{argument} should name a column once, but has {name!r} twice")
        if name not in df.columns:
            known = ", ".join(df.columns)
            raise ValueError(f"{argument} should name columns of df, {known}, but has {name!r}")
        if not isinstance(kind := df.schema[name].dataType, kinds):
            words = ", ".join(kind.__name__.removesuffix("Type").lower() for kind in kinds)
            raise TypeError(
                f"{argument} should name columns of the types {words}, "
                f"but {name!r} holds {kind.simpleString()}"
            )
    return names


def check_answer(names: Sequence[str]) -> None:
    """Refuse an answer in which two columns have one name."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"the answer should have columns of different names, but has {', '.join(names)}: "
                f"rename {name!r} before"
            )


def column(name: str) -> Column:
    """Return a column by its name as it is, dots and all."""
    return F.col(f"`{name.replace('`', '``')}`")


def given(value: Column, what: str) -> Column:
    """Return a column of which a null ends the query: such a row has no place in a stream."""
    message = f"{what}, which should never be null or NaN: filter such rows before"
    return F.coalesce(value, F.raise_error(message))
