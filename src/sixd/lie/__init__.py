"""Lie groups: rotations and rigid displacements, their exponentials, and chains of them (Park, Bobrow, Ploen 1995).

`so3` and `se3` hold the functions of each group (exp, log, Ad, ad, Jacobians) under the same names.
"""

from sixd.lie import se3, so3
from sixd.lie.newton_euler import NewtonEuler, newton_euler
from sixd.lie.poe import (
    body_jacobian,
    body_jacobian_from_space,
    body_screws,
    poe_body,
    poe_local,
    poe_space,
    space_jacobian,
    space_screws,
)
from sixd.lie.quaternion import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_multiply

__all__ = [
    "NewtonEuler",
    "body_jacobian",
    "body_jacobian_from_space",
    "body_screws",
    "newton_euler",
    "poe_body",
    "poe_local",
    "poe_space",
    "quaternion_conjugate",
    "quaternion_exp",
    "quaternion_log",
    "quaternion_multiply",
    "se3",
    "so3",
    "space_jacobian",
    "space_screws",
]
