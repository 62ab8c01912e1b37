"""The paper's sets from OpenML, through scikit-learn."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._tables.values import first_unfit
from nystream.datasets._npz import Arrays
from nystream.datasets._scaling import constant, scale_as_paper

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class FetchError(Exception):
    """Why OpenML does not give a set."""


@dataclass(frozen=True)
class Recipe:
    """Which set of OpenML it is, and how the paper's is made of it."""

    shape: tuple[int, int]
    where: Mapping[str, Any]
    rows: int | None = None
    target: str = "default-target"
    unused: tuple[str, ...] = ()
    before_scaling: slice | None = None
    after_scaling: slice | None = None
    note: str = ""


def fetch(recipe: Recipe) -> Arrays:
    """Fetch a set, and select and scale as the paper did."""
    bunch = download(recipe)
    X, y, names = select(bunch, recipe)
    limits = float(y.min()), float(y.max())
    X, y = part(recipe.after_scaling, *scale_as_paper(X, y))
    notes = ["scaled anew by the paper's recipe", recipe.note]
    return Arrays(
        X,
        y,
        feature_names=names,
        target_name=str(bunch.target_names[0]),
        target_range=limits,
        source=str(bunch.get("url") or "OpenML"),
        note="; ".join(filter(None, notes)),
    )


def download(recipe: Recipe) -> Any:
    """Ask scikit-learn, and turn its failures into one kind."""
    from http.client import HTTPException

    try:
        fetch_openml = importlib.import_module("sklearn.datasets").fetch_openml
    except ImportError as error:
        reason = "scikit-learn is not installed: pip install 'nystream[bench]'"
        raise FetchError(reason) from error
    try:
        with warnings.catch_warnings():
            # It warns before each of its attempts; the last one raises.
            warnings.filterwarnings("ignore", "A network error occurred")
            # Its own cache and pandas are not needed: the scaled arrays are kept here.
            return fetch_openml(
                **recipe.where,
                target_column=recipe.target,
                cache=False,
                as_frame=False,
                parser="liac-arff",
            )
    except (OSError, HTTPException, ValueError, KeyError) as error:
        raise FetchError(f"{type(error).__name__}: {error}") from error


def select(
    bunch: Any, recipe: Recipe
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Take the rows and the features that vary, and check that they are the paper's."""
    rows = recipe.rows or recipe.shape[0]
    if bunch.target is None or len(bunch.data) != rows or np.shape(bunch.target) != (rows,):
        found = f"features of shape {np.shape(bunch.data)}, labels of {np.shape(bunch.target)}"
        raise FetchError(f"its set should have {rows} rows and one target, but has {found}")
    try:
        X, y = part(
            recipe.before_scaling,
            np.asarray(bunch.data, dtype=np.float64),
            np.asarray(bunch.target, dtype=np.float64),
        )
    except ValueError as error:
        raise FetchError(f"its set should hold numbers: {error}") from error
    if first_unfit(X) or first_unfit(y):
        raise FetchError("its set should hold finite numbers only, but some are not or are missing")
    unused = {plain(name) for name in recipe.unused}
    used = np.array([plain(name) not in unused for name in bunch.feature_names]) & ~constant(X)
    if used.sum() != recipe.shape[1]:
        raise FetchError(
            f"its set should have {recipe.shape[1]} features that vary, but has {used.sum()}"
        )
    names = tuple(str(n) for n, keep in zip(bunch.feature_names, used, strict=True) if keep)
    return X[:, used], y, names


def part(
    rows: slice | None, X: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Take some rows, or all of them."""
    return (X, y) if rows is None else (X[rows], y[rows])


def plain(name: str) -> str:
    """Return a column's name without what writers of files change."""
    return "".join(filter(str.isalnum, name)).lower()
