"""The Lagrangian formulation of PBP95 in closed form, in the paper's letters, for chains of joints with one freedom.

It is for reading, checking and deriving, with any kind of number, symbols too. Robots of every kind have fast forms of
the same: `mass_matrix`, `coriolis_matrix`, `christoffel`, `gravity_forces`, `curvature`.
"""

from sixd.lagrangian.chain import Chain
from sixd.lagrangian.factors import LinkFactors, SpaceFactors
from sixd.lagrangian.terms import (
    Pullback,
    christoffel,
    christoffel_symbol,
    coriolis_matrix,
    inertia_matrix,
    inverse_dynamics,
    kinetic_energy,
    potential_energy,
    potential_forces,
    pullback,
)

__all__ = [
    "Chain",
    "LinkFactors",
    "Pullback",
    "SpaceFactors",
    "christoffel",
    "christoffel_symbol",
    "coriolis_matrix",
    "inertia_matrix",
    "inverse_dynamics",
    "kinetic_energy",
    "potential_energy",
    "potential_forces",
    "pullback",
]
