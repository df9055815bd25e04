"""Forward and inverse dynamics in 6N dimensions: FO00 3.5 as algorithms."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, JointForces, Option, Position, Velocity
from sixd.algorithms.forward_dynamics import forward_dynamics_crba
from sixd.algorithms.inverse_mass_matrix import inverse_mass_matrix
from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.model.tree import MatrixOutput, Output, Tree
from sixd.operators.constraint_force_system import ConstraintForceSystem
from sixd.operators.innovations import Innovations
from sixd.operators.mechanism import Mechanism, closing_joints, mechanism, motion, need_inertias
from sixd.operators.operator import Operator
from sixd.operators.sparse_system import SparseSystem
from sixd.operators.stacks import ForceStack, JointStack
from sixd.operators.system import System
from sixd.spatial import Matrix, Motion

__all__ = [
    "forward_dynamics_constraint_forces",
    "forward_dynamics_innovations",
    "forward_dynamics_sparse",
    "inverse_dynamics_operators",
    "inverse_mass_matrix_innovations",
    "mass_matrix_operators",
]


@algorithm(rolled=False)
def inverse_dynamics_operators(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None
) -> Output:
    """tau = H^T P^-T (I a + v x I v - f^x) + R qdd with a = P^-1 (H qdd + (dH/dt) qd): FO00 (23), (24), (29).

    P^-1 is a recursion from the base to the tips, P^-T one from the tips to the base: the Newton-Euler algorithm.
    """
    system = System.of(tree, q, qd)
    rates, external = _by_joint(tree, qdd), _by_body(tree, f_ext)
    f = system.joint_forces(system.accelerations(rates), external)
    return _output(tree, system.H.T @ f + system.R @ rates)


@algorithm(rolled=False)
def mass_matrix_operators(tree: Tree, q: Position) -> MatrixOutput:
    """M = H^T P^-T I P^-1 H, the Newton-Euler factorisation after FO00 (29), applied to unit vectors; and rotors."""
    return _blocks(tree, System.of(tree, q).M)


@algorithm(rolled=False)
def inverse_mass_matrix_innovations(tree: Tree, q: Position) -> MatrixOutput:
    """M^-1 from the innovations factorisation of Rodriguez, Jain and Kreutz-Delgado: `Innovations.Minv`.

    Coupled (mimic) joints, which are no tree of independent joints, go through the factors of M itself.
    """
    if tree.is_coupled:
        return inverse_mass_matrix(tree, q)
    return _blocks(tree, Innovations.of(System.of(tree, q)).Minv)


@algorithm(rolled=False)
def forward_dynamics_innovations(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> Output:
    """qdd = M^-1 S^T (f_a - I a_0 - v x I v), FO00 (26), with M^-1 as the product of the innovations factorisation.

    It is the articulated-body algorithm in operators, O(N). Coupled (mimic) joints go through the mass matrix.
    """
    if tree.is_coupled:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    system = System.of(tree, q, qd)
    active = system.active(_by_joint(tree, tau), _by_body(tree, f_ext))
    return _output(tree, Innovations.of(system).Minv @ system.projected(active))


@algorithm(rolled=False)
def forward_dynamics_sparse(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> Output:
    """qdd from FO00 (27), the sparse system of accelerations and constraint forces, in its perfect elimination order.

    O(N): `SparseSystem`. Coupled (mimic) joints go through the mass matrix.
    """
    if tree.is_coupled:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    parts = mechanism(tree, q, qd, tau, f_ext, motion(tree, q, qd), ())
    subspaces = [tree.joint(i).subspace(q[i]) for i, _ in tree.outward()]
    accelerations, _, _ = SparseSystem(parts, subspaces).solve()
    return joint_accelerations(tree, parts, accelerations)


@algorithm(rolled=False)
def forward_dynamics_constraint_forces(
    tree: Tree,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces = None,
    loops: Option[Sequence[Loop]] = (),
) -> Output:
    """qdd from FO00 (28), the system of the constraint forces alone, from the tips to the base: O(N) for chains.

    ``loops`` are joints that close loops (`sixd.Loop`), beside those that a closed robot has. Each body needs an
    inertia that can be inverted, and each loop constraints that do not depend on others. Coupled (mimic) joints go
    through the mass matrix.
    """
    closing = closing_joints(tree.model, loops)
    if tree.is_coupled and not closing:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    need_uncoupled(tree)
    need_inertias(tree)
    parts = mechanism(tree, q, qd, tau, f_ext, motion(tree, q, qd), closing)
    system = ConstraintForceSystem(parts)
    return joint_accelerations(tree, parts, system.solve(system.inward).accelerations)


def need_uncoupled(tree: Tree) -> None:
    """Raises if joints mimic others, which these equations do not know."""
    if tree.is_coupled:
        raise ModelError(f"robot {tree.model.name!r} has mimic joints, which cannot be parts of loops here")


def joint_accelerations(tree: Tree, parts: Mechanism, a: Sequence[Motion]) -> Output:
    """qdd by joint from accelerations of the bodies."""
    qdd = tree.output()
    for i, _ in tree.outward():
        qdd[i] = parts.accelerations(i, a)
    return qdd


def _by_joint(tree: Tree, x: Velocity) -> JointStack:
    return JointStack(x[i] for i, _ in tree.outward())


def _by_body(tree: Tree, f: ExternalForces) -> ForceStack:
    return ForceStack(f[i] for i, _ in tree.outward())


def _output(tree: Tree, x: JointStack) -> Output:
    out = tree.output()
    for i, _ in tree.outward():
        out[i] = x[i]
    return out


def _blocks(tree: Tree, operator: Operator) -> MatrixOutput:
    """The matrix of an operator on joint vectors, by pairs of joints."""
    out, rows = tree.matrix_output(), operator.matrix().rows
    ends = [0]
    for size in operator.domain.sizes:
        ends.append(ends[-1] + size)
    n = len(ends)
    for i in range(1, n):
        for j in range(1, n):
            out[i, j] = Matrix(row[ends[j - 1] : ends[j]] for row in rows[ends[i - 1] : ends[i]])
    return out
