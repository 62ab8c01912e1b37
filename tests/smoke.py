"""What an installed nystream does with NumPy alone: run as ``python tests/smoke.py``.

For wheels: it reads nothing but the installed package, so that it cannot pass by a checkout.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import re
import subprocess
import sysconfig
import tempfile
from importlib.metadata import metadata
from pathlib import Path

import nystream


def the_readmes_example_prints_what_it_says() -> None:
    readme = metadata("nystream").get_payload()
    code, expected = re.search(
        r"```python\n(.*?)```\s+```text\n(.*?)```", readme, re.DOTALL
    ).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == expected, printed.getvalue()


def saved(model: nystream.Learner) -> nystream.Learner:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.nys"
        model.save(path)
        return nystream.load(path)


def a_model_goes_on_where_it_stopped() -> None:
    X, y = nystream.datasets.mackey_glass(2000)
    model = nystream.RidgeAld(nystream.Gaussian(sigma=1.0), alpha=0.01)
    model.learn_many(X[:1000], y[:1000])
    copies = [pickle.loads(pickle.dumps(model)), saved(model)]
    expected = model.progressive(X[1000:], y[1000:])
    for copy in copies:
        assert (copy.progressive(X[1000:], y[1000:]) == expected).all()


def the_command_lists_every_learner() -> None:
    command = Path(sysconfig.get_path("scripts")) / "nystream"
    run = subprocess.run([command, "list"], capture_output=True, text=True, check=True)
    for name in [*nystream.algorithms(), *nystream.kernels()]:
        assert name in run.stdout, name


if __name__ == "__main__":
    the_readmes_example_prints_what_it_says()
    a_model_goes_on_where_it_stopped()
    the_command_lists_every_learner()
    place = Path(nystream.__file__).parent
    print(f"nystream {nystream.__version__} works: {nystream.instruction_set()}, in {place}")
