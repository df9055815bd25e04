"""sixd: rigid-body dynamics with 6-D vectors.

>>> import sixd
>>> robot = sixd.load("panda.urdf")
>>> tau = robot.inverse_dynamics(q, qd, qdd)
"""

from sixd import sources as sources  # before all others: what is imported from here on is what it has read

# isort: split
from sixd import algorithms, gallery, joints, layouts, lie, spatial
from sixd._version import __version__
from sixd.compile import Kernel, compile
from sixd.derivative import gradient, hessian, jacobian, jvp, vjp
from sixd.errors import (
    ArgumentError,
    ChoiceError,
    FileError,
    ModelError,
    ModelWarning,
    NameNotFoundError,
    OutOfRangeError,
    PoseError,
    ShapeError,
    SingularError,
    SixdError,
    SpatialTypeError,
)
from sixd.kernels import get_kernels, set_kernels
from sixd.load import check, load
from sixd.model import Mimic, Model
from sixd.parameters import parameters
from sixd.robot import Builder, Robot
from sixd.spatial import ArticulatedInertia, Force, Inertia, Motion, Transform
from sixd.threads import get_threads, set_threads

__all__ = [
    "ArgumentError",
    "ArticulatedInertia",
    "Builder",
    "ChoiceError",
    "FileError",
    "Force",
    "Inertia",
    "Kernel",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "NameNotFoundError",
    "OutOfRangeError",
    "PoseError",
    "Robot",
    "ShapeError",
    "SingularError",
    "SixdError",
    "SpatialTypeError",
    "Transform",
    "__version__",
    "algorithms",
    "check",
    "compile",
    "gallery",
    "get_kernels",
    "get_threads",
    "gradient",
    "hessian",
    "jacobian",
    "joints",
    "jvp",
    "layouts",
    "lie",
    "load",
    "parameters",
    "set_kernels",
    "set_threads",
    "spatial",
    "vjp",
]
