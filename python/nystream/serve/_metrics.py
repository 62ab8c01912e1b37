"""Counters, gauges and histograms in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

KIND = b"text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Requests:
    """Counts of requests by path and status, and a histogram of their durations."""

    def __init__(self) -> None:
        self.statuses: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count one."""
        self.statuses[path, status] += 1
        self._seconds[path] += seconds  # type: ignore[assignment]
        buckets = self._buckets.setdefault(path, [0] * (len(BOUNDS) + 1))
        buckets[bisect_left(BOUNDS, seconds)] += 1

    def lines(self) -> Iterator[str]:
        """Return the metrics."""
        yield from head("requests_total", "counter", "Requests by path and status.")
        for (path, status), count in self.statuses.items():
            yield sample("requests_total", count, path=path, status=str(status))
        name = "request_seconds"
        yield from head(name, "histogram", "Time from a request's headers to its answer.")
        for path, buckets in self._buckets.items():
            for bound, count in zip([*BOUNDS, "+Inf"], accumulate(buckets), strict=True):
                yield sample(f"{name}_bucket", count, path=path, le=str(bound))
            yield sample(f"{name}_sum", self._seconds[path], path=path)
            yield sample(f"{name}_count", sum(buckets), path=path)


def single(kind: str, values: Mapping[str, tuple[float | None, str]]) -> Iterator[str]:
    """Return metrics without labels; None is for what there is no value of yet."""
    for name, (value, text) in values.items():
        yield from head(name, kind, text)
        yield sample(name, float("nan") if value is None else value)


def head(name: str, kind: str, text: str) -> Iterable[str]:
    """Say what a metric is."""
    return f"# HELP nystream_{name} {text}", f"# TYPE nystream_{name} {kind}"


def sample(name: str, value: float, **labels: str) -> str:
    """Return one line."""
    inside = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
    number = "NaN" if value != value else f"{value:.12g}" if isinstance(value, float) else value
    return f"nystream_{name}{{{inside}}} {number}" if inside else f"nystream_{name} {number}"


def escaped(text: str) -> str:
    """Escape the text of a label."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
