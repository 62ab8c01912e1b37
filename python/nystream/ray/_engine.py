"""Ray itself, and how it is asked."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from nystream._checks import whole

try:
    import ray as _ray
except ImportError as error:
    raise ImportError("nystream.ray needs Ray: pip install 'nystream[ray]'") from error

# Without its types: they know decorators only, and there are none where it is not installed.
ray: Any = _ray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["answers", "ray", "submitted", "window"]


def answers(calls: list[Any]) -> list[Any]:
    """Return what calls have come to; what one of them raised is raised as it was."""
    try:
        return list(ray.get(calls))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def window(in_flight: int | None) -> int:
    """Return how many calls may be under way: by default two for each core of the cluster."""
    if in_flight is not None:
        return whole("in_flight", in_flight)
    if not ray.is_initialized():
        ray.init()
    return max(2 * int(ray.cluster_resources().get("CPU", 1)), 2)


def submitted(submit: Callable[[Any], Any], items: Iterable[Any], size: int) -> Iterator[Any]:
    """Submit a call for each item and yield them in order; at most `size` are under way."""
    calls: deque[Any] = deque()
    for item in items:
        if len(calls) == size:
            yield calls.popleft()
        calls.append(submit(item))
    while calls:
        yield calls.popleft()
