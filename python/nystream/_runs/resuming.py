"""The checkpoint of a run: written while it goes on, and read by the next run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from nystream import Forecaster
from nystream._core import Keyed
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.progress import UNFIT, Progress, count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream._core import Learner

MODEL = "model"


@dataclass(frozen=True)
class CheckpointWriter:
    """Replaces the checkpoint of a run every ``every`` rows; ``settings`` are the run's."""

    path: str
    every: int
    settings: Mapping[str, Any]

    def write(self, model: Learner | Keyed, progress: Progress, output_length: int) -> None:
        """Replace the checkpoint."""
        state = {
            "position": asdict(progress.position),
            "tally": progress.tally.to_json(),
            "output_length": output_length,
            "settings": self.settings,
        }
        Checkpoint({MODEL: model.to_bytes()}, state).write(self.path)


@dataclass(frozen=True)
class Resumed:
    """A run read from a checkpoint: model, progress, and bytes of predictions written."""

    model: Learner | Keyed
    progress: Progress
    output_length: int

    @classmethod
    def read(cls, path: str, settings: Mapping[str, Any]) -> Resumed:
        """Read a checkpoint that was written with the same settings."""
        checkpoint = Checkpoint.read(path)
        try:
            then = dict(checkpoint.state["settings"])
            progress = Progress.from_state(checkpoint.state)
            length = count("output_length", checkpoint.state["output_length"])
        except UNFIT as error:
            raise ValueError(f"{path} is not a checkpoint of nystream learn: {error!r}") from error
        check_settings(path, then, settings)
        model = checkpoint.model(MODEL, path)
        if isinstance(model, Forecaster):
            raise ValueError(f"{path} is not a checkpoint of nystream learn: it has a forecaster")
        resumed = cls(model, progress, length)
        resumed._check(path, settings)
        return resumed

    def _check(self, path: str, settings: Mapping[str, Any]) -> None:
        """Refuse parts that do not belong together."""
        tally = self.progress.tally
        figures = (tally.absolute_errors, tally.squared_errors, tally.means, tally.spreads)
        n_targets = len(settings["target"]) if tally.good else 0
        if any(len(values) != n_targets for values in figures):
            raise ValueError(f"{path} should have figures of {n_targets} target(s)")
        n_rows = self.model.n_seen + getattr(self.model, "n_pending", 0)
        if algorithm(self.model) != settings["algorithm"] or n_rows < tally.good:
            raise ValueError(f"{path} holds a model of another run, {self.model!r}")
        if tally.good and bool(self.output_length) != settings["predictions"]:
            raise ValueError(f"{path} has a wrong length of the predictions")


def algorithm(model: Learner | Keyed) -> str:
    """Return what is the same of a model from its first row to its last."""
    if not isinstance(model, Keyed):
        return repr(model)
    own, shared, most = (model.params[name] for name in ("model", "shared", "max_keys"))
    return f"Keyed({own!r}, shared={shared!r}, max_keys={most})"


def recorded(path: str) -> dict[str, Any]:
    """Return the settings of the run in a checkpoint; none for what is no checkpoint of a run."""
    settings = Checkpoint.read(path).state.get("settings")
    return settings if isinstance(settings, dict) else {}


def check_settings(path: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with settings other than those that the run began with."""
    # Checkpoints of earlier versions have neither.
    then = {"delay": 0, "dialect": now.get("dialect"), **then}
    now = {"key": None, **now} if "key" in then else now
    for name, value in now.items():
        if then.get(name) != value:
            was = f"but was {then.get(name)!r} when {path} was written"
            raise ValueError(f"--{name} is {value!r}, {was}")
