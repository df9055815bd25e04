"""sixd: rigid-body dynamics with 6-D vectors.

>>> import sixd
>>> robot = sixd.load("panda.urdf")
>>> tau = robot.inverse_dynamics(q, qd, qdd)
"""

from sixd.process import sources as sources  # before all others: what is imported from here on is what it has read

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING

from sixd import (
    algorithms,
    flexible,
    gallery,
    identification,
    joints,
    lagrangian,
    layouts,
    lie,
    mechanisms,
    motion,
    operators,
    parallel,
    simulation,
    spatial,
    view,
)
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
from sixd.simulation.simulate import simulate
from sixd.spatial import ArticulatedInertia, Force, Inertia, Motion, Transform

if TYPE_CHECKING:
    from sixd import historical
else:

    def __getattr__(name):
        """What few programs need is imported when it is first asked for."""
        if name != "historical":
            raise AttributeError(f"module 'sixd' has no attribute {name!r}")
        return import_module(f"sixd.{name}")


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
