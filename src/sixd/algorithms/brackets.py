"""The brackets of unit velocities: what tells a velocity that is dq/dt from one that is not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from sixd.algorithms.axes import units
from sixd.joints import Joint
from sixd.model.tree import Positions, TensorOutput, Tree
from sixd.spatial import Inertia, Matrix, Vector, inverse

__all__ = ["bracket", "rotor_symbols", "structure_constants"]


def structure_constants(tree: Tree, q: Positions) -> TensorOutput:
    """c_ijk with [E_i, E_j] = sum_k c_ijk E_k, nv x nv x nv, where E_i is the field of unit velocity i.

    They are zero where qd is dq/dt. Those of a free joint are the brackets of se(3), PBP95 (1). With the symbols of
    `christoffel`, and H without rotors, sum_r c_ijr H_rk = Gamma_ijk - Gamma_jik.
    """
    c = tree.tensor_output(3)
    for i, numbers in _without_rates(tree):
        joint = tree.joint(i)
        for (k, x), (l, y) in combinations(zip(numbers, units(joint.nv), strict=True), 2):
            for r, entry in zip(numbers, bracket(joint, q[i], x, y), strict=True):
                c.add((k, l, r), entry)
                c.add((l, k, r), -entry)
    return c


def rotor_symbols(tree: Tree, q: Positions) -> TensorOutput:
    """What rotor inertias J add to the Christoffel symbols of H: 1/2 (c_ijk J_k - c_ikj J_j - c_jki J_i).

    It is zero where qd is dq/dt, for J is constant. Elsewhere the dynamics leave it out: there a rotor inertia only
    resists accelerations.
    """
    added, c = tree.tensor_output(3), structure_constants(tree, q)
    for joint, numbers in _without_rates(tree):
        J = dict(zip(numbers, (row[n] for n, row in enumerate(tree.rotor_inertia(joint).rows)), strict=True))
        for i, j, k in product(numbers, repeat=3):
            added.add((i, j, k), 0.5 * (c[i, j, k] * J[k] - c[i, k, j] * J[j] - c[j, k, i] * J[i]))
    return added


def _without_rates(tree: Tree) -> Iterator[tuple[int, range]]:
    """The bodies whose joint has a qd that is not dq/dt, each with the joint's degrees of freedom."""
    for i, _ in tree.outward():
        place = tree.model.coordinates[i].v
        if not tree.joint(i).has_rates:
            yield i, range(place.start, place.stop)


def bracket(joint: Joint, q: Vector, x: Vector, y: Vector) -> Vector:
    """[x, y] of two velocities of a joint that have constant entries: the velocity w with

    S w = S x x S y + (dS/dq x) y - (dS/dq y) x.
    """
    S, one = joint.subspace(q), Inertia(1.0, Vector.zero(), Matrix.identity(3))
    turned = (S @ x).cross(S @ y) + joint.subspace_rate(q, x) @ y - joint.subspace_rate(q, y) @ x
    return inverse(S.T @ (one @ S)) @ (S.T @ (one @ turned))
