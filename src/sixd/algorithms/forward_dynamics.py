"""Forward dynamics: the accelerations that given joint forces make."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Velocity
from sixd.algorithms.factorization import ltdl, ltl, solve_ltdl, solve_ltl
from sixd.algorithms.inverse_dynamics import bias_forces
from sixd.algorithms.mass_matrix import crba, rows_from_inverse_dynamics
from sixd.given import choice
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar
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

__all__ = ["aba", "forward_dynamics_crba", "forward_dynamics_naive"]


@algorithm(rolled="uncoupled")
def aba(tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None) -> Output:
    """qdd = FD(model, q, qd, tau) by the articulated-body algorithm, O(N), for joints with any number of freedoms.

    F10b (49)-(68), Fig. 9 (with I^a, p^a in the sums, as in (64), (65)); FO00 (11)-(14).
    Coupled (mimic) joints are no tree of independent joints: their equations go through the mass matrix instead.
    """
    if tree.is_coupled:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    X, c, U = tree.slots(Transform), tree.slots(Motion), tree.slots(Forces)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    pA = tree.slots(Force, base=Force.zero())
    Dinv, u, qdd = tree.slots(Matrix), tree.slots(Vector), tree.output()
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        vJ = joint.subspace(q[i]) @ qd[i]
        v[i] = X[i] @ v[p] + vJ
        c[i] = joint.bias(q[i], qd[i]) + v[i].cross(vJ)
        IA[i] = I.articulated()
        pA[i] = v[i].cross(I @ v[i]) - f_ext[i]
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        U[i] = IA[i] @ S
        Dinv[i] = inverse(S.T @ U[i] + tree.rotor_inertia(i))
        u[i] = tau[i] - S.T @ pA[i]
        Ia = IA[i] - symmetric_product(U[i] @ Dinv[i], U[i])
        pa = pA[i] + Ia @ c[i] + U[i] @ (Dinv[i] @ u[i])
        IA[p] = IA[p] + X[i].inv @ Ia
        pA[p] = pA[p] + X[i].inv @ pa
    for i, p in tree.outward():
        ap = X[i] @ a[p] + c[i]
        qdd_i = Dinv[i] @ (u[i] - U[i].T @ ap)
        qdd[i] = qdd_i
        a[i] = ap + tree.joint(i).subspace(q[i]) @ qdd_i
    return qdd


@algorithm(rolled=False)
def forward_dynamics_crba(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, factorization: str = "ltdl"
) -> Output:
    """qdd from H qdd = tau - C, H by `crba` and factorised with its sparsity: F10b (35)-(37), FDSV (6), FO00 3.2.

    ``factorization`` is "ltdl" (no square roots) or "ltl".
    """
    parents = tree.model.dof_parent
    rows = crba(tree, q).rows
    b = _less(tau, bias_forces(tree, q, qd, f_ext).values)
    if choice(factorization, "factorization", ("ltdl", "ltl")) == "ltdl":
        return _output(tree, solve_ltdl(*ltdl(rows, parents), b, parents))
    return _output(tree, solve_ltl(ltl(rows, parents), b, parents))


@algorithm(rolled=False)
def forward_dynamics_naive(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> Output:
    """qdd from n + 1 calls of inverse dynamics, one for C and one for each column of H, and a dense solution.

    FDSV (6)-(11), all calls at the given velocity and with the given forces, which cancel in H. Where they are large,
    they cost H its last digits.
    """
    dense = range(-1, tree.model.nv - 1)
    C = bias_forces(tree, q, qd, f_ext).values
    rows = rows_from_inverse_dynamics(tree, q, qd, f_ext, C)
    return _output(tree, solve_ltdl(*ltdl(rows, dense), _less(tau, C), dense))


def _less(tau: JointForces, C: list[Scalar]) -> list[Scalar]:
    """tau - C."""
    return [t - c for t, c in zip(tau.values, C, strict=True)]


def _output(tree: Tree, values: list[Scalar]) -> Output:
    out = tree.output()
    out.values = values
    return out
