"""Tables of random values, for models that have learned tame rows of the same names."""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import warnings

import numpy as np
from hypothesis import strategies as st

import nystream

NAMES = ("size", "town", "new", "when", "id")


def tame_row(i):
    return {
        "size": None if i % 9 == 4 else i * 7 % 13 / 2,
        "town": ("Ulm", "Bonn", None, "Köln")[i * i % 4],
        "new": i % 3 == 0,
        "when": dt.datetime(2024, 1, 1) + dt.timedelta(hours=5 * i),
        "id": f"a{i}",
    }


def tame(n_rows):
    return [tame_row(i) for i in range(n_rows)], [i * 7 % 13 + i % 4 / 3 for i in range(n_rows)]


MAKERS = {
    "Auto": lambda **kwargs: nystream.Auto(warm_up=16, max_basis=6, **kwargs),
    "linear": lambda **kwargs: nystream.Tabular(nystream.LinearRls(), **kwargs),
    "kernel": lambda **kwargs: nystream.Tabular(
        nystream.RidgeAld(nystream.Polynomial(2), max_basis=6), **kwargs
    ),
    "gradient": lambda **kwargs: nystream.Tabular(nystream.NonsAld(max_basis=6), **kwargs),
}
SETTINGS = [
    {},
    {"missing": "error"},
    {"on_new_columns": "add", "max_categories": 3},
    {"on_new_columns": "ignore", "missing_values": (0.0, -200.0)},
    {"schema": {"id": "text", "when": "category"}, "on_new_columns": "ignore"},
    {"schema": {"size": "category", "town": "time"}, "on_new_columns": "add"},
]
LEARNED = (0, 3, 31, 255, 260)


@functools.cache
def _trained(name, settings, n_rows):
    """The bytes of a model that has learned tame rows; of one that has not if it refuses them."""
    model = MAKERS[name](**SETTINGS[settings])
    before = model.to_bytes()
    if n_rows == 0:
        return before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.learn_many(*tame(n_rows))
        except ValueError:
            return before
    return model.to_bytes()


@functools.cache
def _trained_by_key(name, n_rows):
    """The bytes of models by key that have learned tame rows."""
    model = nystream.Keyed(MAKERS[name](on_new_columns="add"))
    if n_rows:
        model.learn_many([i % 5 for i in range(n_rows)], *tame(n_rows))
    return model.to_bytes()


models_by_key = st.builds(
    lambda *choice: nystream.Keyed.from_bytes(_trained_by_key(*choice)),
    st.sampled_from(["linear", "gradient"]),
    st.sampled_from(LEARNED[:3]),
)
models = st.builds(
    lambda *choice: nystream.Learner.from_bytes(_trained(*choice)),
    st.sampled_from(sorted(MAKERS)),
    st.integers(0, len(SETTINGS) - 1),
    st.sampled_from(LEARNED),
)

ANY_TEXT = st.text(st.characters(), max_size=8)  # halves of surrogate pairs, too
numbers = st.one_of(
    st.integers(-3, 3),
    st.floats(),
    st.floats(-1e3, 1e3),
    st.sampled_from([10**400, -(10**400), 2**63, 1e100, 1.1e100, -0.0, 5e-324]),
)
texts = st.one_of(
    st.sampled_from(["Ulm", "", " ", "\0", "\ud800", "NaN", "12:30", "13/01/2013", "31.12.9999"]),
    ANY_TEXT,
    st.integers(200, 300).map(lambda n: "ä" * n),
    st.just("x" * 100_000),
)
times = st.one_of(
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.timezone(dt.timedelta(hours=-11, minutes=-7)))),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.integers(-(2**63), 2**63 - 1).map(lambda n: np.datetime64(n, "s")),
    st.integers(-(2**63), 2**63 - 1).map(lambda n: np.timedelta64(n, "D")),
    st.sampled_from(["NaT", "2020", "2020-01-01T12"]).map(np.datetime64),
    st.integers(-5, 5).map(np.timedelta64),  # of no unit
)
scalars = st.one_of(
    st.floats(width=32).map(np.float32),
    st.floats(width=16).map(np.float16),
    st.integers(0, 255).map(np.uint8),
    st.booleans().map(np.bool_),
    st.floats().map(np.longdouble),
    ANY_TEXT.map(np.str_),
    st.decimals(allow_nan=True),
    st.sampled_from([decimal.Decimal("sNaN"), decimal.Decimal("1e999999")]),
)
foreign = st.one_of(
    st.just([1.0]), st.just({"a": 1}), st.just(()), st.just(b"x"), st.just(1j), st.builds(object)
)
sorts = st.sampled_from(
    [
        st.none() | numbers,
        st.none() | texts,
        st.none() | st.booleans(),
        st.none() | times,
        st.none() | scalars,
        st.one_of(numbers, texts, times, scalars),
        st.one_of(numbers, foreign),
        st.just(None),
    ]
)
names = st.one_of(st.sampled_from(NAMES), st.sampled_from(NAMES), ANY_TEXT)


@st.composite
def tables(draw, max_rows=6):
    """Columns of as many values: some tame ones of the names known, and others."""
    n_rows = draw(st.integers(1, max_rows))
    start = draw(st.integers(0, 400))
    chosen = draw(st.lists(names, max_size=4, unique=True))
    columns = {}
    if draw(st.integers(0, 3)):
        columns = {name: [tame_row(start + i)[name] for i in range(n_rows)] for name in NAMES}
    for name in chosen:
        values = draw(sorts)
        columns[name] = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    return columns


def rows_of(columns):
    n_rows = max(map(len, columns.values()), default=1)
    return [{name: values[i] for name, values in columns.items()} for i in range(n_rows)]


def as_pandas(columns):
    pandas = __import__("pandas")
    return pandas.DataFrame(columns)


def as_objects(columns):
    pandas = __import__("pandas")
    return pandas.DataFrame({name: pandas.Series(v, dtype=object) for name, v in columns.items()})


def as_polars(columns):
    # Not from the columns themselves: polars panics at some of them.
    return __import__("polars").from_arrow(as_arrow(columns))


def as_arrow(columns):
    # Not from NumPy's scalars: pyarrow ends the process at some of them.
    plain = {name: [_plain(value) for value in values] for name, values in columns.items()}
    return __import__("pyarrow").table(plain)


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


FORMS = [rows_of, lambda columns: nystream.Table(rows_of(columns))]
FRAMES = [as_pandas, as_objects, as_polars, as_arrow]
