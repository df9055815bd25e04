"""The curvature of the mass matrix in the plane of two velocities, without its tensor."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.along import derivative_along, independent, speeds_of
from sixd.algorithms.axes import units
from sixd.algorithms.brackets import bracket
from sixd.algorithms.covariant_derivative import covariant_derivative
from sixd.algorithms.curvature import product
from sixd.algorithms.declared import Number, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, Positions, Tree, Velocities
from sixd.ops import Scalar, divide
from sixd.spatial import Vector

__all__ = ["sectional_curvature"]


@algorithm(rolled=False)
def sectional_curvature(tree: Tree, q: Position, u: Velocity, v: Velocity) -> Number:
    """sum R_ijkl u_i v_j u_k v_l divided by |u|^2 |v|^2 - (u . v)^2, lengths and products by H; 1 / (kg m^2).

    It depends on the plane of u and v alone, and is NaN where they are parallel. With D_u v, of which
    `covariant_derivative` gives the product with H, the numerator needs no tensor:

        R(u, v) v . u = d_u (u . D_v v) - d_v (u . D_u v) + D_v u . D_u v - D_u u . D_v v - u . D_[u,v] v.
    """
    D, parents = _derivative, tree.model.dof_parent
    H = crba(tree, q).rows
    factors = ltdl(H, parents)
    x = product(u.values, derivative_along(D, tree, q, speeds_of(tree, u), v, v).values)
    x = x - product(u.values, derivative_along(D, tree, q, speeds_of(tree, v), u, v).values)
    x = x + product(D(tree, q, v, u).values, solve_ltdl(*factors, D(tree, q, u, v).values, parents))
    x = x - product(D(tree, q, u, u).values, solve_ltdl(*factors, D(tree, q, v, v).values, parents))
    x = x - product(u.values, D(tree, q, _bracket(tree, q, u, v), v).values)
    uu, uv, vv = (product(a.values, [product(row, b.values) for row in H]) for a, b in ((u, u), (u, v), (v, v)))
    return divide(x, uu * vv - uv * uv)


def _derivative(tree: Tree, q: Positions, u: Velocities, v: Velocities) -> Output:
    """H D_u v: that of `covariant_derivative`, and what rotors J add where qd is not dq/dt.

    In the direction e this is 1/2 (J [u, v] . e - J v . [u, e] - J u . [v, e]).
    """
    found = covariant_derivative(tree, q, u, v)
    for joint in independent(tree):
        if not joint.type.has_rates:
            J, at = tree.rotor_inertia(joint.index), Vector(q.values[joint.q])
            x, y = Vector(u.values[joint.v]), Vector(v.values[joint.v])
            Jw, Jx, Jy = J @ bracket(joint.type, at, x, y), J @ x, J @ y
            turned = (bracket(joint.type, at, x, e) @ Jy + bracket(joint.type, at, y, e) @ Jx for e in units(len(x)))
            terms = zip(found.values[joint.v], Jw, turned, strict=True)
            found.values[joint.v] = [a + 0.5 * (b - c) for a, b, c in terms]
    return found


def _bracket(tree: Tree, q: Positions, u: Velocities, v: Velocities) -> Velocities:
    """[u, v] of two velocities with constant entries; zero for joints whose qd is dq/dt."""
    found: list[Scalar] = [0.0] * tree.model.nv
    for joint in independent(tree):
        if not joint.type.has_rates:
            at, x, y = (Vector(entries) for entries in (q.values[joint.q], u.values[joint.v], v.values[joint.v]))
            found[joint.v] = bracket(joint.type, at, x, y).entries
    return tree.velocities(found)
