"""The names of learners: of their classes, and in the literature."""

from __future__ import annotations

from nystream._core import algorithms

TITLES = {
    "Fogd": "FOGD",
    "Nogd": "NOGD",
    "ProsNKons": "PROS-N-KONS",
    "ConKons": "CON-KONS",
    "AogdAld": "AOGD-ALD",
    "NonsAld": "NONS-ALD",
    "RidgeAld": "RidgeAld",
    "Auto": "Auto",
    "KrlsAld": "KRLS",
    "Pkawv": "PKAWV",
    "SketchedKons": "Sketched-KONS",
    "Kogd": "KOGD",
    "Kons": "KONS",
    "Kaar": "KAAR",
    "OnlineKrr": "kernel ridge",
    "LinearRls": "linear ridge",
    "RunningMean": "running mean",
}


def title_of(name: str) -> str:
    """Return the name of a learner in the literature; that of its class if it has no other."""
    return TITLES.get(name, name)


def learner_called(name: str) -> str:
    """Return the class of a learner, which is named by it or as in the literature, in any case."""
    known = list(dict.fromkeys([*TITLES, *algorithms()]))
    for learner in known:
        if name.lower() in (learner.lower(), title_of(learner).lower()):
            return learner
    raise ValueError(f"algorithm should be one of {', '.join(known)}, but is {name!r}")
