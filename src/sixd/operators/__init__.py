"""Dynamics of a whole tree at once: vectors of 6N dimensions, operators on them, and what is solved with these.

FO00 3.5 with the spatial operator algebra of Rodriguez, Jain and Kreutz-Delgado: `System` has the operators H, P, I, S
and T of a robot in a state, `Innovations` the factors of its mass matrix. Forward dynamics follows from them in several
ways, each an algorithm that can be called with a model, compiled and differentiated like those of `sixd.algorithms`.
Two of them have O(log N) steps, and `sixd.parallel` runs one of these step by step. The sums over paths and subtrees
that F10b derives its algorithms from are here too.
"""

from sixd.operators.assembly import Assembly, Node
from sixd.operators.blocks import ArticulatedLink, BlockDiagonal, Incidence, Link, RigidLink
from sixd.operators.constraint_force_system import ConstraintForces, ConstraintForceSystem
from sixd.operators.dynamics import (
    forward_dynamics_constraint_forces,
    forward_dynamics_innovations,
    forward_dynamics_sparse,
    inverse_dynamics_operators,
    inverse_mass_matrix_innovations,
    mass_matrix_operators,
)
from sixd.operators.elimination import BlockSystem, Solution
from sixd.operators.innovations import Innovations
from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.logarithmic import constraint_force_algorithm, divide_and_conquer
from sixd.operators.mechanism import Connection, Mechanism
from sixd.operators.operator import Identity, Operator
from sixd.operators.pieces import Piece
from sixd.operators.sparse_system import SparseSystem
from sixd.operators.stacks import ForceStack, JointStack, MotionStack, Space
from sixd.operators.subspaces import active_forces, constraint_forces
from sixd.operators.sums import (
    acceleration_over_path,
    kinetic_energy_over_bodies,
    kinetic_energy_over_pairs,
    mass_matrix_over_subtrees,
    velocity_over_joints,
    velocity_over_path,
    velocity_product_acceleration,
)
from sixd.operators.system import System

__all__ = [
    "ArticulatedLink",
    "Assembly",
    "BlockDiagonal",
    "BlockSystem",
    "Connection",
    "ConstraintForceSystem",
    "ConstraintForces",
    "ForceStack",
    "Identity",
    "Incidence",
    "Innovations",
    "InverseInertia",
    "JointStack",
    "Link",
    "Mechanism",
    "MotionStack",
    "Node",
    "Operator",
    "Piece",
    "RigidLink",
    "Solution",
    "Space",
    "SparseSystem",
    "System",
    "acceleration_over_path",
    "active_forces",
    "constraint_force_algorithm",
    "constraint_forces",
    "divide_and_conquer",
    "forward_dynamics_constraint_forces",
    "forward_dynamics_innovations",
    "forward_dynamics_sparse",
    "inverse_dynamics_operators",
    "inverse_mass_matrix_innovations",
    "kinetic_energy_over_bodies",
    "kinetic_energy_over_pairs",
    "mass_matrix_operators",
    "mass_matrix_over_subtrees",
    "velocity_over_joints",
    "velocity_over_path",
    "velocity_product_acceleration",
]
