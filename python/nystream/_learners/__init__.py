"""The learners: signatures and documentation; the core does the work."""

from nystream._learners.ald import AogdAld, KrlsAld, NonsAld, RidgeAld
from nystream._learners.auto import Auto, Expert
from nystream._learners.baselines import LinearRls, RunningMean
from nystream._learners.budgeted import ConKons, Fogd, Nogd, ProsNKons
from nystream._learners.every_row import Kaar, Kogd, Kons, OnlineKrr, Pkawv, SketchedKons

__all__ = [
    "AogdAld",
    "Auto",
    "ConKons",
    "Expert",
    "Fogd",
    "Kaar",
    "Kogd",
    "Kons",
    "KrlsAld",
    "LinearRls",
    "Nogd",
    "NonsAld",
    "OnlineKrr",
    "Pkawv",
    "ProsNKons",
    "RidgeAld",
    "RunningMean",
    "SketchedKons",
]
