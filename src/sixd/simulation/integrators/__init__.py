"""Integrators with a fixed step, by name in `INTEGRATORS`. A new one is a file here and a line below."""

from sixd.simulation.integrators.implicit import Implicit
from sixd.simulation.integrators.integrator import INTEGRATORS, Integrator, register
from sixd.simulation.integrators.runge_kutta import RK4, RK43, Heun, RungeKutta
from sixd.simulation.integrators.semi_implicit_euler import SemiImplicitEuler, SemiImplicitParts
from sixd.simulation.integrators.variational import Variational, Variational4

__all__ = [
    "INTEGRATORS",
    "RK4",
    "RK43",
    "Heun",
    "Implicit",
    "Integrator",
    "RungeKutta",
    "SemiImplicitEuler",
    "SemiImplicitParts",
    "Variational",
    "Variational4",
    "register",
]
