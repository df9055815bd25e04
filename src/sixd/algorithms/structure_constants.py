"""The brackets of unit velocities: what tells a velocity that is dq/dt from one that is not."""

from __future__ import annotations

from itertools import combinations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.axes import units
from sixd.algorithms.declared import Position, Tensor3
from sixd.joints import Joint
from sixd.model.tree import Tree
from sixd.spatial import Inertia, Matrix, Vector, inverse

__all__ = ["structure_constants"]


@algorithm(rolled=False)
def structure_constants(tree: Tree, q: Position) -> Tensor3:
    """c_ijk with [E_i, E_j] = sum_k c_ijk E_k, nv x nv x nv, where E_i is the field of unit velocity i.

    They are zero where qd is dq/dt. Those of a free joint are the brackets of se(3), PBP95 (1). With the symbols of
    `christoffel`, sum_r c_ijr H_rk = Gamma_ijk - Gamma_jik.
    """
    c = tree.tensor_output(3)
    for i, _ in tree.outward():
        joint, place = tree.joint(i), tree.model.coordinates[i].v
        if has_rates(joint):
            continue
        numbers = range(place.start, place.stop)
        for (k, x), (l, y) in combinations(zip(numbers, units(joint.nv), strict=True), 2):
            for r, entry in zip(numbers, bracket(joint, q[i], x, y), strict=True):
                c.add((k, l, r), entry)
                c.add((l, k, r), -entry)
    return c


def has_rates(joint: Joint) -> bool:
    """Whether qd of a joint is dq/dt, so that all its brackets are zero."""
    return type(joint).integrate is Joint.integrate


def bracket(joint: Joint, q: Vector, x: Vector, y: Vector) -> Vector:
    """[x, y] of two velocities of a joint that have constant entries: the velocity w with

    S w = S x x S y + (dS/dq x) y - (dS/dq y) x.
    """
    S, one = joint.subspace(q), Inertia(1.0, Vector.zero(), Matrix.identity(3))
    turned = (S @ x).cross(S @ y) + joint.subspace_rate(q, x) @ y - joint.subspace_rate(q, y) @ x
    return inverse(S.T @ (one @ S)) @ (S.T @ (one @ turned))
