"""sixd: rigid-body dynamics with 6-D vectors.

>>> import sixd
>>> robot = sixd.load("panda.urdf")
>>> tau = robot.inverse_dynamics(q, qd, qdd)
"""

from sixd.process import sources as sources  # before all others: what is imported from here on is what it has read

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING

from sixd import algorithms, gallery, joints, layouts, lie, spatial
from sixd._version import __version__
from sixd.compiler.choice import get_kernels, set_kernels
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import gradient, hessian, jacobian, jvp, vjp
from sixd.compiler.kernel import Kernel
from sixd.compiler.parameters import parameters
from sixd.constraints import Constraint, Coupling, Distance, Grasp, Loop, Prescribed, PrescribedFrame, Rolling
from sixd.errors import (
    ArgumentError,
    AssemblyError,
    ChoiceError,
    FileError,
    ModelError,
    ModelWarning,
    NameNotFoundError,
    OutOfRangeError,
    PoseError,
    ShapeError,
    SimulationError,
    SimulationWarning,
    SingularError,
    SixdError,
    SpatialTypeError,
)
from sixd.formats.load import check, load
from sixd.model import Mimic, Model
from sixd.robot import Builder, ClosedRobot, Robot
from sixd.runtime.threads import get_threads, set_threads
from sixd.spatial import ArticulatedInertia, Force, Inertia, Motion, Transform

if TYPE_CHECKING:
    from sixd import (
        flexible,
        historical,
        identification,
        lagrangian,
        mechanisms,
        motion,
        operators,
        parallel,
        simulation,
        view,
    )
    from sixd.simulation.simulate import simulate
else:
    #: What many programs do not need is imported when it is first asked for.
    _LATER = frozenset(
        {"flexible", "historical", "identification", "lagrangian", "mechanisms", "motion", "operators", "parallel"}
        | {"simulation", "view"}
    )

    def __getattr__(name):
        if name == "simulate":
            return import_module("sixd.simulation").simulate
        if name in _LATER:
            return import_module(f"sixd.{name}")
        raise AttributeError(f"module 'sixd' has no attribute {name!r}")


__all__ = [
    "ArgumentError",
    "ArticulatedInertia",
    "AssemblyError",
    "Builder",
    "ChoiceError",
    "ClosedRobot",
    "Constraint",
    "Coupling",
    "Distance",
    "FileError",
    "Force",
    "Grasp",
    "Inertia",
    "Kernel",
    "Loop",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "NameNotFoundError",
    "OutOfRangeError",
    "PoseError",
    "Prescribed",
    "PrescribedFrame",
    "Robot",
    "Rolling",
    "ShapeError",
    "SimulationError",
    "SimulationWarning",
    "SingularError",
    "SixdError",
    "SpatialTypeError",
    "Transform",
    "__version__",
    "algorithms",
    "check",
    "compile",
    "flexible",
    "gallery",
    "get_kernels",
    "get_threads",
    "gradient",
    "hessian",
    "historical",
    "identification",
    "jacobian",
    "joints",
    "jvp",
    "lagrangian",
    "layouts",
    "lie",
    "load",
    "mechanisms",
    "motion",
    "operators",
    "parallel",
    "parameters",
    "set_kernels",
    "set_threads",
    "simulate",
    "simulation",
    "spatial",
    "view",
    "vjp",
]


def __dir__() -> list[str]:
    """The public names: modules that sixd is made of are not among them."""
    return sorted(__all__)
