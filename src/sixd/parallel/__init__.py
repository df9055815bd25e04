"""Dynamics in parallel: algorithms of `sixd.operators` with O(log N) steps, each step run for all bodies at once."""

from sixd.parallel.constraint_forces import ConstraintForces
from sixd.parallel.divide_and_conquer import DivideAndConquer

__all__ = ["ConstraintForces", "DivideAndConquer"]
