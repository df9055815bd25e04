"""Inverse kinematics: configurations that bring frames where they should be."""

from sixd.ik.result import IKResult, Status
from sixd.ik.solver import inverse_kinematics

__all__ = ["IKResult", "Status", "inverse_kinematics"]
