"""The application of models by key: rows come with their keys."""

from __future__ import annotations

from nystream.serve import _status
from nystream.serve._app import App, Request
from nystream.serve._http import Answer, as_json
from nystream.serve._metrics import KIND

SIZE = "keys", "Keys that have a model."


class KeyedApp(App):
    """An application that serves models by key."""

    _predict_forms = ({"key", "x"}, {"keys", "X"})
    _learn_forms = ({"key", "x", "y"}, {"keys", "X", "y"}, {"id", "y"}, {"ids", "y"})

    async def _status(self, _: Request) -> Answer:
        return as_json(_status.status(self.service, "n_keys"))

    async def _metrics(self, _: Request) -> Answer:
        text = _status.metrics(self.service, self._requests, SIZE)
        return Answer(200, text.encode(), KIND)
