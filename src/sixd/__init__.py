"""sixd: rigid-body dynamics with 6-D vectors.

>>> import sixd
>>> robot = sixd.load("panda.urdf")
>>> tau = robot.inverse_dynamics(q, qd, qdd)
"""

from sixd import algorithms, gallery, joints, layouts, lie, spatial
from sixd._version import __version__
from sixd.compile import Kernel, compile
from sixd.derivative import gradient, hessian, jacobian, jvp, vjp
from sixd.errors import (
    ChoiceError,
    ModelError,
    ModelWarning,
    NameNotFoundError,
    ShapeError,
    SingularError,
    SixdError,
    SpatialTypeError,
)
from sixd.load import check, load
from sixd.model import Mimic, Model
from sixd.robot import Builder, Robot
from sixd.spatial import ArticulatedInertia, Force, Inertia, Motion, Transform

__all__ = [
    "ArticulatedInertia",
    "Builder",
    "ChoiceError",
    "Force",
    "Inertia",
    "Kernel",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "NameNotFoundError",
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
    "gradient",
    "hessian",
    "jacobian",
    "joints",
    "jvp",
    "layouts",
    "lie",
    "load",
    "spatial",
    "vjp",
]
