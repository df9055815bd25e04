"""Hybrid dynamics: some joints have a known acceleration, the others a known force."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, Flags, JointForces, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.inverse_dynamics import bias_forces
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, where
from sixd.spatial import (
    ArticulatedInertia,
    Force,
    Forces,
    Matrix,
    Motion,
    Transform,
    Vector,
    inverse,
    symmetric_product,
)

__all__ = ["HybridDynamics", "hybrid_dynamics"]


class HybridDynamics(NamedTuple):
    """All accelerations and all joint forces: given where they were known, found elsewhere."""

    qdd: Output
    tau: Output


@algorithm(rolled="uncoupled")
def hybrid_dynamics(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    tau: JointForces,
    known: Flags,
    f_ext: ExternalForces = None,
) -> HybridDynamics:
    """Accelerations and joint forces, of which each degree of freedom has one known, O(N).

    ``known`` is 1 where qdd is known and tau is sought, 0 where tau is known and qdd is sought; what is given of the
    other is not used. All 1 is inverse dynamics, all 0 forward dynamics; 0 at a free joint alone is inverse dynamics of
    a floating base.

    The articulated-body algorithm (F10b (49)-(68)), in which a known acceleration is a part of the bias acceleration,
    c_i + S_i qdd_i, and only what is not known gives way to forces: D_i^-1 has zeros in known rows and columns.
    R. Featherstone, "Rigid body dynamics algorithms", 2008, 9.2. Coupled (mimic) joints go through the mass matrix.
    """
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, qd, qdd, tau, known, f_ext)
    X, c, U = tree.slots(Transform), tree.slots(Motion), tree.slots(Forces)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    pA = tree.slots(Force, base=Force.zero())
    Dinv, u = tree.slots(Matrix), tree.slots(Vector)
    accelerations, forces = tree.output(), tree.output()
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        vJ = S @ qd[i]
        v[i] = X[i] @ v[p] + vJ
        c[i] = joint.bias(q[i], qd[i]) + v[i].cross(vJ) + S @ _chosen(known[i], qdd[i])
        IA[i] = I.articulated()
        pA[i] = v[i].cross(I @ v[i]) - f_ext[i]
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        U[i] = IA[i] @ S
        Dinv[i] = inverse_where_free(S.T @ U[i] + tree.rotor_inertia(i), known[i].entries)
        u[i] = tau[i] - S.T @ pA[i]
        Ia = IA[i] - symmetric_product(U[i] @ Dinv[i], U[i])
        pa = pA[i] + Ia @ c[i] + U[i] @ (Dinv[i] @ u[i])
        IA[p] = IA[p] + X[i].inv @ Ia
        pA[p] = pA[p] + X[i].inv @ pa
    for i, p in tree.outward():
        S = tree.joint(i).subspace(q[i])
        ap = X[i] @ a[p] + c[i]
        found = Dinv[i] @ (u[i] - U[i].T @ ap)
        a[i] = ap + S @ found
        qdd_i = _chosen(known[i], qdd[i], found)
        accelerations[i] = qdd_i
        forces[i] = _chosen(known[i], S.T @ (IA[i] @ a[i] + pA[i]) + tree.rotor_inertia(i) @ qdd_i, tau[i])
    return HybridDynamics(accelerations, forces)


def _chosen(known: Iterable[Scalar], a: Iterable[Scalar], b: Iterable[Scalar] | None = None) -> Vector:
    """The entries of a where they are known, elsewhere those of b, or zero."""
    others = [0.0 for _ in known] if b is None else b
    return Vector(where(k > 0.5, x, y) for k, x, y in zip(known, a, others, strict=True))


def where_free(D: Matrix, known: Sequence[Scalar], unit: float = 1.0) -> Matrix:
    """D with the rows and columns of known accelerations replaced by those of the identity, times ``unit``."""

    def entry(r: int, c: int) -> Scalar:
        held = unit if r == c else 0.0
        return where(known[r] > 0.5, held, where(known[c] > 0.5, held, D[r, c]))

    n = range(len(known))
    return Matrix([entry(r, c) for c in n] for r in n)


def inverse_where_free(D: Matrix, known: Sequence[Scalar]) -> Matrix:
    """The inverse of D without the rows and columns of known accelerations, which are zero in the result."""
    return where_free(inverse(where_free(D, known)), known, unit=0.0)


def _by_mass_matrix(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    tau: JointForces,
    known: Flags,
    f_ext: ExternalForces,
) -> HybridDynamics:
    """The same from H qdd + C = tau: its rows in which tau is known give the accelerations, the others the forces."""
    parents, flags = tree.model.dof_parent, known.values
    H, C = Matrix(crba(tree, q).rows), Vector(bias_forces(tree, q, qd, f_ext).values)
    given = _chosen(flags, qdd.values)
    b = _chosen(flags, given, Vector(tau.values) - C - H @ given)
    accelerations, forces = tree.output(), tree.output()
    accelerations.values = solve_ltdl(*ltdl(where_free(H, flags).rows, parents), list(b), parents)
    forces.values = list(_chosen(flags, H @ Vector(accelerations.values) + C, tau.values))
    return HybridDynamics(accelerations, forces)
