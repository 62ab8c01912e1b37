"""A model as a service over HTTP: many predict, one thread learns, labels may come late.

``nystream serve`` runs it; :func:`create_app` is for those who have a server of their own.

>>> import nystream
>>> from nystream.serve import create_app
>>> app = create_app(nystream.Auto(), checkpoint="model.checkpoint")
>>> app.service.snapshot.n_seen
0
"""

from nystream.serve._app import App
from nystream.serve._create import create_app

__all__ = ["App", "create_app"]
