"""The status of the service, for the page and for Prometheus."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from nystream import __version__
from nystream.serve._metrics import Requests, head, sample, single
from nystream.serve._remembering import Remembering
from nystream.serve._taught import Taught


def status(service: Remembering, size: str = "n_basis") -> dict[str, Any]:
    """Return all that the page shows; ``size`` is what to call the size of the model."""
    snapshot, counts = service.snapshot, service.counts
    service.pending.drop_oldest()
    return {
        **of_any(service),
        "n_seen": snapshot.n_seen,
        size: snapshot.size,
        "n_targets": service.n_targets,
        "n_features": service.columns.n_features,
        "feature_names": service.columns.names,
        "schema": schema(service),
        "bytes": snapshot.nbytes,
        "mse": {"learner": snapshot.mse, "served": service.served.mean},
        "predicted": counts.predicted,
        "pending": len(service.pending),
        "dropped": service.pending.n_dropped,
        "curve": snapshot.points,
        "predictions": list(service.latest),
        "labelled": snapshot.latest,
    }


def of_any(service: Taught) -> dict[str, Any]:
    """Return what is told of any service."""
    counts = service.counts
    return {
        "model": service.model,
        "version": __version__,
        "uptime": time.time() - counts.started,
        "learned": counts.learned,
        "refused": counts.refused,
        "waiting": service.waiting,
        "trouble": service.trouble,
        "job_seconds": service.job_seconds,
        "snapshot_age": time.monotonic() - service.snapshot.made,
        "checkpoints": {"written": counts.saved, "failed": counts.not_saved},
    }


def schema(service: Remembering) -> list[dict[str, Any]] | None:
    """Return the columns of the rows learned, or None for a model that has none."""
    columns = service.snapshot.schema
    if columns is None:
        return None
    return [{"name": one.name, "kind": one.kind, "missing": one.n_missing} for one in columns]


def of_columns(service: Remembering) -> Iterator[str]:
    """Return the metrics of a model with columns."""
    columns = service.snapshot.schema
    if columns is None:
        return
    yield from head("columns", "gauge", "Columns of the rows learned, by kind.")
    # The reason why a column is left out is in parentheses.
    kinds = Counter((one.kind or "none").partition(" ")[0] for one in columns)
    for kind, count in kinds.items():
        yield sample("columns", count, kind=kind)
    text = "Values that were missing in the rows learned, in columns that are used."
    yield from single("gauge", {"missing_values": (sum(one.n_missing for one in columns), text)})


DICTIONARY = "dictionary_size", "Rows that the model keeps."


def metrics(service: Remembering, requests: Requests, size: tuple[str, str] = DICTIONARY) -> str:
    """Return all metrics as text; ``size`` is what to call the size of the model."""
    lines = [
        *head("info", "gauge", "The version."),
        sample("info", 1, version=__version__),
        *requests.lines(),
        *single("counter", counters(service)),
        *single("gauge", {size[0]: (service.snapshot.size, size[1]), **gauges(service)}),
        *of_columns(service),
    ]
    return "\n".join(lines) + "\n"


def counters(service: Remembering) -> dict[str, tuple[float | None, str]]:
    """Return what only grows, from the start of the process on."""
    return {
        "rows_predicted_total": (service.counts.predicted, "Rows predicted."),
        "pending_dropped_total": (
            service.pending.n_dropped,
            "Rows whose label had not come when they had to make room or were too old.",
        ),
        **of_checkpoints(service),
    }


def of_checkpoints(service: Taught) -> dict[str, tuple[float | None, str]]:
    """Return what grows with rows learned and checkpoints written, in any service."""
    counts = service.counts
    return {
        "rows_learned_total": (counts.learned, "Rows learned."),
        "rows_refused_total": (counts.refused, "Rows queued that the learner refused."),
        "checkpoints_total": (counts.saved, "Checkpoints written."),
        "checkpoint_failures_total": (counts.not_saved, "Checkpoints that were not written."),
    }


def gauges(service: Remembering) -> dict[str, tuple[float | None, str]]:
    """Return what rises and falls."""
    snapshot = service.snapshot
    service.pending.drop_oldest()
    return {
        "rows_seen": (snapshot.n_seen, "Rows that the model has learned in its life."),
        "model_bytes": (snapshot.nbytes, "Memory of the model."),
        "snapshot_age_seconds": (
            time.monotonic() - snapshot.made,
            "Age of the snapshot that predicts; it is renewed when rows are learned.",
        ),
        "mse_learner": (
            snapshot.mse,
            "Mean squared error of the model's predictions before it learned each row.",
        ),
        "mse_served": (
            service.served.mean,
            "Mean squared error of the predictions served, of rows whose label came by id.",
        ),
        "pending_rows": (len(service.pending), "Predicted rows that wait for their label."),
        **of_learning(service),
    }


def of_learning(service: Taught) -> dict[str, tuple[float | None, str]]:
    """Return how the thread that learns is, in any service."""
    return {
        "queue_rows": (service.waiting, "Rows that wait to be learned."),
        "learner_up": (int(service.learns), "1 while the learner's thread is alive."),
        "learner_stalled": (
            int(service.learns and service.trouble is not None),
            "1 while a job takes much longer than it should.",
        ),
        "learner_job_seconds": (
            service.job_seconds,
            "How long the learner's thread is on its job; 0 while it waits for one.",
        ),
    }
