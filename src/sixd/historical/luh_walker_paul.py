"""The recursive Newton-Euler algorithm in 3-D vectors, as Luh, Walker and Paul gave it in 1980."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import Link, links_of
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar
from sixd.spatial import Vector
from sixd.spatial.linear import cross

__all__ = ["luh_walker_paul", "newton_euler"]


@algorithm(rolled=False)
def luh_walker_paul(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Output:
    """tau = ID(q, qd, qdd) by the recursive Newton-Euler algorithm in 3-D vectors, O(N).

    Luh, Walker and Paul, 1980. Angular velocities and accelerations go from the base to the tip, link by link; Newton's
    and Euler's equations give the force and the moment that each link needs at its centre of mass; these are added up
    from the tip to the base. The idea that made it fast: every vector is in coordinates of its own link, where inertias
    are constant. Gravity is an upward acceleration of the base. `sixd.algorithms.rnea` is the same in 6-D vectors.
    """
    links, tau = links_of(tree, q, "luh_walker_paul"), tree.output()
    rates, accelerations = ({link.i: x[link.i][0] for link in links} for x in (qd, qdd))
    found = newton_euler(links, rates, accelerations, -tree.gravity.lin)
    for link in links:
        tau[link.i] = Vector((found[link.i] + link.rotor * accelerations[link.i],))
    return tau


def newton_euler(
    links: Sequence[Link], qd: dict[int, Scalar], qdd: dict[int, Scalar], lift: Vector
) -> dict[int, Scalar]:
    """The force of each joint, rotors apart, in links that accelerate with their base by ``lift``.

    The links may be those on one link of a larger robot: that one is then their base, and is at rest.
    """
    base = links[0].p
    w, dw, a = {base: Vector.zero()}, {base: Vector.zero()}, {base: lift}
    f, n = ({base: Vector.zero()} for _ in range(2))
    for k in links:
        turning = k.E @ w[k.p]
        w[k.i] = turning + k.u * qd[k.i]
        dw[k.i] = k.E @ dw[k.p] + k.u * qdd[k.i] + cross(turning, k.u * qd[k.i])
        at_joint = a[k.p] + cross(dw[k.p], k.r) + cross(w[k.p], cross(w[k.p], k.r))
        a[k.i] = k.E @ at_joint + k.s * qdd[k.i] + cross(turning, k.s * qd[k.i]) * 2.0
        at_com = a[k.i] + cross(dw[k.i], k.c) + cross(w[k.i], cross(w[k.i], k.c))
        f[k.i] = at_com * k.m
        n[k.i] = k.I @ dw[k.i] + cross(w[k.i], k.I @ w[k.i]) + cross(k.c, f[k.i])
    tau = {}
    for k in reversed(links):
        tau[k.i] = k.u @ n[k.i] + k.s @ f[k.i]
        carried = k.E.T @ f[k.i]
        f[k.p] = f[k.p] + carried
        n[k.p] = n[k.p] + k.E.T @ n[k.i] + cross(k.r, carried)
    return tau


LUH_WALKER_PAUL = register(
    luh_walker_paul,
    Computes.INVERSE_DYNAMICS,
    Takes.SCREWS,
    "O(N)",
    1980,
    "J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, "
    "Trans. ASME, J. Dynamic Systems, Measurement and Control 102",
)
