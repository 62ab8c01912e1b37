"""Learners on Ray: a model for each key, shared out among processes; scoring; comparisons.

:class:`Shards` learns a stream of rows with keys and survives the death of any process.
:func:`score` predicts block after block, :func:`sweep` runs many learners over the same rows.

>>> import tempfile
>>> import nystream
>>> from nystream.ray import Shards
>>> X, y = nystream.datasets.friedman(600, random_state=0)
>>> keys = ["north", "south", "west"] * 200
>>> shards = Shards(nystream.RidgeAld(), 2, tempfile.mkdtemp())
>>> predictions = shards.progressive(keys, X, y, offset=0)
>>> shards.position, {key: model.n_seen for key, model in shards.models().items()}
(600, {'north': 200, 'south': 200, 'west': 200})
"""

from nystream.ray._shards import Shards
from nystream.ray._tasks import Trial, score, sweep

__all__ = ["Shards", "Trial", "score", "sweep"]
