"""Simulation: a robot over time, with forces, contact and control, in compiled code."""

from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import CONTROLLERS, Controller
from sixd.simulation.equations import EquationsOfMotion
from sixd.simulation.events import Event, Happening
from sixd.simulation.forces import ELEMENTS, ForceElement
from sixd.simulation.gradients import Differentiable
from sixd.simulation.integrators import INTEGRATORS, Integrator
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.simulate import simulate
from sixd.simulation.system import State, System
from sixd.simulation.trajectory import Trajectory

__all__ = [
    "CONTROLLERS",
    "ELEMENTS",
    "INTEGRATORS",
    "Contacts",
    "Controller",
    "Differentiable",
    "EquationsOfMotion",
    "Event",
    "ForceElement",
    "Happening",
    "Integrator",
    "Loads",
    "Moment",
    "State",
    "System",
    "Trajectory",
    "simulate",
]
