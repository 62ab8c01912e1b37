"""Data sets, with their rows and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOT_SCALED = "not scaled"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """Rows, labels, and where they come from.

    Attributes
    ----------
    name
        Name of the set, or of its file without the ending.
    X
        Features, float64 in C order, of shape (rows, features).
    y
        Labels, float64, of shape (rows,).
    feature_names
        Names of the columns of X, or None where they have none.
    target_name
        Name of the label, or None.
    source
        The file or the place that the rows were read from.
    scaling
        How features and target were scaled, in words.
    target_range
        Least and greatest label before scaling, or None where it is not known. An error in [0, 1]
        times their difference is an error in the target's own unit.
    sigma
        Width of the Gaussian kernel to begin with: the paper's for its sets; None for a file.
    paper_rows
        Rows that the set has in the paper, or None.
    note
        Facts to know before results are compared; may be empty.

    Examples
    --------
    >>> from nystream.datasets import load
    >>> data = load("friedman", n_rows=100)
    >>> data
    Dataset('friedman', rows=100, features=10)
    >>> data.X.shape, data.y.shape, data.sigma
    ((100, 10), (100,), 4.0)
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    source: str = ""
    scaling: str = NOT_SCALED
    target_range: tuple[float, float] | None = None
    sigma: float | None = None
    paper_rows: int | None = None
    note: str = ""

    @property
    def unit(self) -> float:
        """The size of 1 in a label in the target's own unit: 1 if it was not scaled.

        Examples
        --------
        >>> from nystream.datasets import load
        >>> load("friedman", n_rows=100).unit
        1.0
        """
        if not self.target_range or self.scaling == NOT_SCALED:
            return 1.0
        low, high = self.target_range
        return (high - low) or 1.0

    @property
    def n_features(self) -> int:
        """Number of columns of X.

        Examples
        --------
        >>> from nystream.datasets import load
        >>> load("friedman", n_rows=100).n_features
        10
        """
        return int(self.X.shape[1])

    def __repr__(self) -> str:
        size = f"rows={len(self.y)}, features={self.n_features}"
        return f"{type(self).__name__}({self.name!r}, {size})"


@dataclass(frozen=True)
class Info:
    """A set that `load` knows, described without reading it.

    Attributes
    ----------
    name
        Name to load it by.
    kind
        ``"paper"`` or ``"embedded"``.
    description
        What it is, in a line.
    rows
        Rows in the paper, or rows that are made unless told otherwise.
    features
        Number of features.
    sigma
        Width of the Gaussian kernel: the paper's, or one that suits an embedded stream.

    Examples
    --------
    >>> from nystream.datasets import info
    >>> elevators = info("elevators")
    >>> elevators.kind, elevators.rows, elevators.features, elevators.sigma
    ('paper', 16599, 18, 8.0)
    """

    name: str
    kind: str
    description: str
    rows: int
    features: int
    sigma: float
