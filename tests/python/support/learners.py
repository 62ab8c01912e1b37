"""Every learner and every kernel, to test what all of them have in common."""

from __future__ import annotations

import nystream

LEARNERS = {
    "NonsAld": nystream.NonsAld(nystream.Gaussian(1.0), alpha=0.01),
    "NonsAld, capped": nystream.NonsAld(nystream.Matern52(2.0), alpha=0.01, max_basis=7),
    "AogdAld": nystream.AogdAld(nystream.Gaussian(1.0), alpha=0.01),
    "AogdAld, switched": nystream.AogdAld(nystream.Gaussian(1.0), alpha=0.01, switch_at=8),
    "RidgeAld": nystream.RidgeAld(nystream.Gaussian(1.0), alpha=0.01),
    "RidgeAld, forward": nystream.RidgeAld(
        nystream.Laplacian(2.0), alpha=0.01, forward=True, clip=True, max_basis=50
    ),
    "RidgeAld, replacing": nystream.RidgeAld(
        nystream.Gaussian(0.5), alpha=0.01, max_basis=20, policy="replace", forgetting=0.99
    ),
    "KrlsAld": nystream.KrlsAld(nystream.Matern32(2.0), alpha=0.01, max_basis=60),
    "Kogd": nystream.Kogd(nystream.RationalQuadratic(1.0)),
    "Kons": nystream.Kons(nystream.Gaussian(1.0), bound=0.8),
    "Kaar": nystream.Kaar(nystream.Gaussian(1.0)),
    "OnlineKrr": nystream.OnlineKrr(nystream.Gaussian(1.0)),
    "SketchedKons": nystream.SketchedKons(nystream.Gaussian(1.0), random_state=1),
    "Pkawv": nystream.Pkawv(nystream.Gaussian(1.0), random_state=2),
    "Fogd": nystream.Fogd(nystream.Gaussian(1.0), n_frequencies=37, random_state=3),
    "Nogd, filling": nystream.Nogd(nystream.Gaussian(1.0), budget=100_000),
    "Nogd, full": nystream.Nogd(nystream.Gaussian(1.0), budget=30, rank=20),
    "ProsNKons": nystream.ProsNKons(nystream.Gaussian(1.0), random_state=4),
    "ConKons": nystream.ConKons(nystream.Gaussian(1.0), random_state=5),
    "LinearRls": nystream.LinearRls(clip=True),
    "LinearRls, forgetting": nystream.LinearRls(forgetting=0.95),
    "RunningMean": nystream.RunningMean(),
    "Auto": nystream.Auto(warm_up=40, max_basis=15),
    "Auto, warming up": nystream.Auto(warm_up=1000, policy="freeze", forgetting=1.0),
}
LEARNERS |= {
    name: getattr(nystream, name)()
    for name in nystream.algorithms()
    if name not in {type(model).__name__ for model in LEARNERS.values()}
}
KERNELS = [
    nystream.Gaussian(8.0),
    nystream.Laplacian(2.0),
    nystream.Matern32(0.5),
    nystream.Matern52(0.5),
    nystream.RationalQuadratic(2.0, alpha=0.5),
    nystream.Polynomial(2, gamma=0.5, coef0=0.0, normalize=True),
]
KERNELS += [
    getattr(nystream, name)()
    for name in nystream.kernels()
    if name not in {type(kernel).__name__ for kernel in KERNELS}
]
