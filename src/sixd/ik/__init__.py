"""Inverse kinematics: configurations that bring frames where they should be."""

# NumPy imports these when they are first asked for; a fork while another thread does so leaves the child waiting
# forever. Here they come with the package, whose import no fork cuts (`sixd.process.forks`).
import numpy.ma
import numpy.random  # noqa: F401

from sixd.ik.result import IKResult, Status
from sixd.ik.solver import inverse_kinematics

__all__ = ["IKResult", "Status", "inverse_kinematics"]
