"""A forecaster over HTTP: it learns a series, forecasts, tells of its errors, and is saved."""

from __future__ import annotations

import math
import signal

import numpy as np
import pytest
from serving import ask, in_process, needs_uvicorn, serving

import nystream
from nystream.serve import create_app

HOURS = [f"2024-01-{1 + n // 24:02}T{n % 24:02}:00" for n in range(200)]
Y = [50 + 20 * math.sin(n * math.pi / 12) + 9 * (n * n % 11 == 4) for n in range(230)]


def make(**params):
    params = {"every": "1h", "ahead": ["holiday"], "season": 24} | params
    return nystream.Forecaster(nystream.LinearRls(), [1, 2, 6], **params)


def row(n):
    return {"holiday": n * n % 11 == 4, "town": "Ulm" if n % 3 else None}


def rows(start, end):
    X = [row(n) for n in range(start, end)]
    return {"time": HOURS[start:end], "X": X, "y": Y[start:end]}


def learned(n_rows=150):
    model = make()
    many = rows(0, n_rows)
    model.learn_many(many["y"], many["X"], time=many["time"])
    return model


def test_forecasts_are_those_of_the_forecaster():
    async def scenario(app):
        for start in (0, 60):
            assert (await ask(app, "POST", "/learn", rows(start, start + 60)))[0] == 202
        for n in range(120, 150):
            one = {"time": HOURS[n], "x": row(n), "y": Y[n]}
            status, answer, _ = await ask(app, "POST", "/learn", one, b"wait=1")
        assert (status, answer) == (200, {"learned": 1, "n_seen": 150})
        ahead = {"X": [row(n) for n in range(150, 156)], "level": 0.5}
        return [(await ask(app, "POST", "/forecast", body))[1] for body in ({}, ahead)]

    plain = make()
    for start, end in ((0, 60), (60, 120), *((n, n + 1) for n in range(120, 150))):
        many = rows(start, end)
        plain.learn_many(many["y"], many["X"], time=many["time"])
    now, ahead = in_process(scenario, create_app(make()))
    assert now["times"] == ["2024-01-07T06:00:00", "2024-01-07T07:00:00", "2024-01-07T11:00:00"]
    assert now["forecasts"] == plain.predict().tolist()
    assert now["intervals"] == plain.predict_interval().tolist()
    assert (now["level"], ahead["level"]) == (0.9, 0.5)
    X = [row(n) for n in range(150, 156)]
    assert ahead["forecasts"] == plain.predict(X).tolist()
    assert ahead["intervals"] == plain.predict_interval(X, 0.5).tolist()


def test_a_series_without_times_or_features():
    async def scenario(app):
        first = (await ask(app, "POST", "/forecast", {}))[1]
        many = {"y": [float(n % 4) for n in range(80)]}
        assert (await ask(app, "POST", "/learn", many, b"wait=1"))[1]["n_seen"] == 80
        assert (await ask(app, "POST", "/learn", {"y": 7.5, "time": 83}, b"wait=1"))[0] == 200
        assert (await ask(app, "POST", "/learn", {"y": 1, "time": 81}, b"wait=1"))[0] == 200
        return first, (await ask(app, "POST", "/forecast", {}))[1]

    app = create_app(nystream.Forecaster(nystream.LinearRls(), 2, season=4))
    first, last = in_process(scenario, app)
    assert (first["times"], first["forecasts"]) == ([0, 1], [0.0, 0.0])
    assert first["intervals"] == [[None, None], [None, None]]
    assert last["times"] == [84, 85]


def test_a_row_without_a_value_announces():
    async def scenario(app):
        many = rows(150, 156) | {"y": [Y[150]] + 5 * [None]}
        assert (await ask(app, "POST", "/learn", many, b"wait=1"))[1]["n_seen"] == 151
        return (await ask(app, "POST", "/forecast", {}))[1]["forecasts"]

    plain, many = learned(), rows(150, 156)
    plain.learn_many([Y[150]] + 5 * [np.nan], many["X"], time=many["time"])
    assert in_process(scenario, create_app(learned())) == plain.predict().tolist()


def test_errors_are_told_beside_those_of_no_change():
    async def scenario(app):
        status = (await ask(app, "GET", "/status"))[1]
        await ask(app, "POST", "/forecast", {})
        sent = []

        async def send(message):
            sent.append(message)

        request = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
        await app({**request, "headers": []}, None, send)
        return status, sent[1]["body"].decode()

    model = learned()
    status, metrics = in_process(scenario, create_app(model))
    errors = model.report[6]
    assert status["errors"][2]["MAE"] == errors.mae < status["errors"][2]["no change"]
    assert (status["n_seen"], status["n_too_late"], status["waiting"]) == (150, 0, 0)
    assert f'nystream_mae{{horizon="6"}} {errors.mae:.12g}' in metrics
    assert f'nystream_mae_no_change{{horizon="6"}} {errors.no_change:.12g}' in metrics
    assert "nystream_rows_seen 150" in metrics
    assert "nystream_learner_stalled 0" in metrics


@pytest.mark.parametrize(
    ("path", "document", "status", "message"),
    [
        ("/learn", {"y": "one"}, 422, 'y[0] should be a number, but is "one"'),
        ("/learn", {"y": [1.0, True]}, 422, "y[1] should be a number, but is true"),
        ("/learn", {"y": [1e400]}, 422, "y[0] should be"),
        ("/learn", {"y": []}, 422, "y should be a list, and not empty"),
        ("/learn", {"y": [1.0] * 11}, 413, "y should have at most 10 rows, but has 11"),
        ("/learn", {"y": 1.0}, 422, "time should be given, since every is"),
        ("/learn", {"y": 1.0, "time": "soon"}, 422, "should be a time with a date"),
        ("/learn", {"y": 1.0, "time": True}, 422, "time[0] should be a text or a whole number"),
        ("/learn", {"y": 1.0, "time": "9" * 30_000}, 422, "time[0] should be a text or a whole"),
        ("/learn", {"y": [1.0], "time": []}, 422, "time should be a list of as many times"),
        (
            "/learn",
            {"y": [1.0], "time": HOURS[:1], "x": {}},
            422,
            'y should be one value beside "x"',
        ),
        ("/learn", {"y": 1.0, "time": HOURS[0], "x": {}}, 422, "X[0] should be an object"),
        ("/learn", {"y": 1.0, "time": HOURS[0], "x": [1]}, 422, "X[0] should be an object"),
        ("/learn", {"y": 1.0, "time": HOURS[0], "x": {"a": []}}, 422, 'X[0]["a"] should be a'),
        ("/learn", {"y": 1.0, "time": HOURS[0], "x": {"a": "b" * 30_000}}, 413, "characters of"),
        ("/learn", {"y": 1.0, "time": HOURS[0], "x": {"a": 1}}, 422, 'column "holiday" is missing'),
        (
            "/learn",
            {"id": "a-1", "y": 1.0},
            422,
            'the body should be an object with "y", or "time"',
        ),
        ("/forecast", {"x": {}}, 422, "the body should be an object with"),
        ("/forecast", {"level": 1}, 422, "level should be a number between 0 and 1, but is 1"),
        ("/forecast", {"X": [{"a": 1}]}, 422, 'column "holiday" is missing'),
        ("/forecast", {"X": [{"a": 1}] * 11}, 413, "X should have at most 10 rows, but has 11"),
        ("/forecast", {"X": [{str(n): 1 for n in range(6)}]}, 413, "at most 5 features"),
        ("/predict", {"x": [1.0]}, 404, "this service forecasts a series: POST /forecast"),
    ],
)
def test_what_makes_no_sense_is_refused(path, document, status, message):
    async def scenario(app):
        query = b"wait=1" if path == "/learn" else b""
        before = (await ask(app, "POST", "/forecast", {}))[1]
        answer = await ask(app, "POST", path, document, query)
        assert (await ask(app, "POST", "/forecast", {}))[1] == before
        assert app.service.waiting == 0
        return answer

    app = create_app(learned(), max_rows=10, max_features=5)
    found, answer, _ = in_process(scenario, app)
    assert (found, message in answer["error"]) == (status, True), answer


def test_services_of_learners_do_not_forecast():
    async def scenario(app):
        return await ask(app, "POST", "/forecast", {})

    status, answer, _ = in_process(scenario, create_app(nystream.RidgeAld()))
    assert (status, answer["error"][:26]) == (404, "this service predicts rows")


def test_a_checkpoint_goes_on(tmp_path):
    async def teach(app):
        await ask(app, "POST", "/learn", rows(0, 150))

    async def forecast(app):
        return (await ask(app, "POST", "/forecast", {}))[1]["forecasts"]

    path = tmp_path / "c"
    in_process(teach, create_app(make(), checkpoint=path))
    assert in_process(forecast, create_app(make(), checkpoint=path)) == learned().predict().tolist()
    with pytest.raises(ValueError, match="none of nystream serve"):
        create_app(nystream.RidgeAld(), checkpoint=path)
    in_process(nothing, create_app(nystream.RidgeAld(), checkpoint=tmp_path / "d"))
    with pytest.raises(ValueError, match="none of a forecaster that is served"):
        create_app(make(), checkpoint=tmp_path / "d")


async def nothing(app):
    app.service.start()


@needs_uvicorn
def test_a_killed_service_goes_on_from_its_checkpoint(tmp_path):
    make().save(tmp_path / "load.nys")
    options = [tmp_path / "load.nys", "--checkpoint", tmp_path / "c", "--every", "0.05"]
    with serving(*options) as server:
        assert server.greeting.startswith("Forecaster, 0 rows seen")
        client = server.client()
        assert client.post("/learn?wait=1", rows(0, 150))[1]["n_seen"] == 150
        while client.get("/status")[1]["checkpoints"]["written"] == 0:
            pass
        server.process.send_signal(signal.SIGKILL)
    with serving(*options) as server:
        assert server.greeting.startswith("Forecaster, 150 rows seen")
        found = server.client().post("/forecast", {})[1]["forecasts"]
    assert found == learned().predict().tolist()
