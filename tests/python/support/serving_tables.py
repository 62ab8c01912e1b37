"""Rows of tables for a service, models that take them, and requests."""

from __future__ import annotations

from serving import ask

import nystream

TOWNS = ["Ulm", "Bonn", "Köln", "Trier"]


def row(i):
    """A row with a text, numbers, a truth, a time, and gaps in three of them."""
    return {
        "town": TOWNS[i * i % 4] if i % 7 else None,
        "rooms": i % 5,
        "area": None if i % 11 == 3 else 20.5 + i * 7 % 60,
        "garden": i % 3 == 0,
        "since": f"2024-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:30" if i % 13 else "",
    }


def label(i):
    return 2.0 * (i % 5) + len(TOWNS[i * i % 4]) + 0.1 * (i % 3)


ROWS = [row(i) for i in range(400)]
LABELS = [label(i) for i in range(400)]


def tabular():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40))


def adding():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40), on_new_columns="add")


def ignoring():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40), on_new_columns="ignore")


async def post(app, path, document, query=b"", expected=200):
    status, answer, _ = await ask(app, "POST", path, document, query)
    assert status == expected, answer
    return answer


async def learn(app, **document):
    return await post(app, "/learn", document, b"wait=1")


async def taught(app, n=40):
    await learn(app, X=ROWS[:n], y=LABELS[:n])


async def refused(app, document, path="/learn"):
    """The status and the error of a request that changes nothing."""
    before = app.service._learner.to_bytes(), app.service.columns, len(app.service.pending)
    status, answer, _ = await ask(app, "POST", path, document, b"wait=1" * (path == "/learn"))
    assert status >= 400, answer
    after = app.service._learner.to_bytes(), app.service.columns, len(app.service.pending)
    assert after == before
    return status, answer["error"]
