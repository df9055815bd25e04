"""Regressors: what is linear in the inertial parameters of the bodies, as a matrix times these parameters.

The parameters p of a robot are ten numbers for each body, body by body, as `Inertia.components` gives them: m,
h = m c, and Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the body's origin, in body coordinates. Inertia enters the equation of
motion of a body, F10b (11), linearly, so that each column of a regressor is what one parameter alone would give: the
column of a body's mass, say, belongs to the inertia with m = 1, h = 0, I = 0. A body loads only the joints that carry
it, so that its columns are zero in all other rows.

The inertia of rotors is no part of p; it adds ``rotor_inertia * qdd`` to tau.
"""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.algorithms.kinematics import forward_kinematics, velocities
from sixd.model.tree import BodyIndex, RegressorOutput, Slots, Tree
from sixd.spatial import Forces, Inertia, Matrix, Motion, Transform

__all__ = ["energy_regressor", "momentum_regressor", "slotine_li_regressor", "torque_regressor"]

#: The inertias with one parameter 1 and all others 0, in the order of `Inertia.components`.
UNITS = tuple(Inertia.from_components([float(k == row) for k in range(10)]) for row in range(10))


@algorithm(nested=True)
def torque_regressor(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> RegressorOutput:
    """Y, nv x 10 N, with ID(q, qd, qdd) = Y p, rotors apart: F10b (9)-(13) for one parameter at a time.

    Block (j, b) has S_j^T of the ten forces I a_b + v_b x* I v_b that the unit parameters I of body b need.
    """
    X = tree.slots(Transform)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    Y = tree.regressor_output()
    for b, p in tree.outward():
        joint = tree.joint(b)
        S = joint.subspace(q[b])
        X[b] = joint.transform(q[b]) @ tree.placement(b)
        vJ = S @ qd[b]
        v[b] = X[b] @ v[p] + vJ
        a[b] = X[b] @ a[p] + S @ qdd[b] + joint.bias(q[b], qd[b]) + v[b].cross(vJ)
        _along_path(tree, Y, X, q, b, Forces(I @ a[b] + v[b].cross(I @ v[b]) for I in UNITS))
    return Y


@algorithm(nested=True)
def slotine_li_regressor(tree: Tree, q: Position, qd: Velocity, qd_r: Velocity, qdd_r: Acceleration) -> RegressorOutput:
    """Y, nv x 10 N, with H(q) qdd_r + C(q, qd) qd_r + g(q) = Y p, rotors apart: PBP95 section 5.

    C is the Coriolis matrix of the Christoffel symbols, PBP95 (29) and (52): dH/dt = C + C^T, so that dH/dt - 2 C is
    skew. This is what adaptive control needs: J.-J. Slotine, W. Li, "On the Adaptive Control of Robot Manipulators",
    1987. With v_r the velocities that qd_r would make, and

        a_r = X a_r(parent) + S qdd_r + (dS/dt) qd_r + v x S qd_r,    a_r(base) = -a_g,

    the force on a body is I a_r + 1/2 (v x* I v_r - I (v x v_r) + v_r x* I v). For qd_r = qd it is that of
    `torque_regressor`. For joints whose qd is no dq/dt (spherical, free), C is that of the Christoffel symbols with the
    structure constants of these velocities.
    """
    X = tree.slots(Transform)
    v, v_r = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=Motion.zero())
    a_r = tree.slots(Motion, base=-tree.gravity)
    Y = tree.regressor_output()
    for b, p in tree.outward():
        joint = tree.joint(b)
        S = joint.subspace(q[b])
        X[b] = joint.transform(q[b]) @ tree.placement(b)
        v[b] = X[b] @ v[p] + S @ qd[b]
        v_r[b] = X[b] @ v_r[p] + S @ qd_r[b]
        turned = joint.subspace_rate(q[b], qd[b]) @ qd_r[b] + v[b].cross(S @ qd_r[b])
        a_r[b] = X[b] @ a_r[p] + S @ qdd_r[b] + turned
        vb, wb, ab = v[b], v_r[b], a_r[b] - 0.5 * v[b].cross(v_r[b])
        _along_path(tree, Y, X, q, b, Forces(I @ ab + 0.5 * (vb.cross(I @ wb) + wb.cross(I @ vb)) for I in UNITS))
    return Y


def _along_path(tree: Tree, Y: RegressorOutput, X: Slots[Transform], q: Position, b: BodyIndex, f: Forces) -> None:
    """Write the columns of body b: S_j^T f for its own joint and all that carry it, with S_j in coordinates of b."""
    Y[b, b] = tree.joint(b).subspace(q[b]).T @ f
    X_bk = tree.cell(Transform.identity())
    for j, k in tree.ancestors(b):  # k is the child of j on the way to b
        X_bk.now = X_bk.now @ X[k]
        Y[j, b] = (X_bk.now @ tree.joint(j).subspace(q[j])).T @ f


@algorithm
def energy_regressor(tree: Tree, q: Position, qd: Velocity) -> RegressorOutput:
    """Y, 2 x 10 N: the kinetic energy, F10b (39), is its first row times p, rotors apart; the potential one, PBP95
    (58), its second row times p.
    """
    X: Slots[Transform] = forward_kinematics(tree, q)
    v: Slots[Motion] = velocities(tree, q, qd)
    g = tree.gravity.lin
    Y = tree.regressor_output(2)
    for b, _ in tree.outward():
        kinetic = [I.kinetic_energy(v[b]) for I in UNITS]
        potential = [-(g @ (X[b].E.T @ I.h + X[b].r * I.m)) for I in UNITS]
        Y[0, b] = Matrix([kinetic, potential])
    return Y


@algorithm
def momentum_regressor(tree: Tree, q: Position, qd: Velocity) -> RegressorOutput:
    """Y, 6 x 10 N, with momentum = Y p in world coordinates: about the world's origin, then linear. F10a (23)."""
    X: Slots[Transform] = forward_kinematics(tree, q)
    v: Slots[Motion] = velocities(tree, q, qd)
    Y = tree.regressor_output(6)
    for b, _ in tree.outward():
        h = [(X[b].inv @ (I @ v[b])).components() for I in UNITS]
        Y[0, b] = Matrix(zip(*h, strict=True))
    return Y
