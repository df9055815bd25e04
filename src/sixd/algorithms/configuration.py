"""Positions and the velocities that lead from one to another: steps and differences in the tangent space."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.model.tree import Output, Tree

__all__ = ["difference", "difference_force", "difference_rate", "integrate", "integrate_force", "integrate_rate"]


@algorithm(rolled="uncoupled")
def integrate(tree: Tree, q: Position, dv: Velocity) -> Output:
    """The position reached from q by the velocity dv in unit time, (..., nq); exact on quaternions."""
    reached = tree.position_output()
    for i, _ in tree.outward():
        reached[i] = tree.joint(i).integrate(q[i], dv[i])
    return reached


@algorithm(rolled="uncoupled")
def difference(tree: Tree, q0: Position, q1: Position) -> Output:
    """The velocity that leads from q0 to q1 in unit time, (..., nv): integrate(q0, difference(q0, q1)) is q1."""
    dv = tree.velocity_output()
    for i, _ in tree.outward():
        dv[i] = tree.joint(i).difference(q0[i], q1[i])
    return dv


@algorithm(rolled="uncoupled")
def difference_rate(tree: Tree, q0: Position, q1: Position, qd: Velocity) -> Output:
    """d difference(q0, q1) / dt for a fixed q0 and a q1 that moves with qd, (..., nv): how the way to q1 grows.

    It is qd where positions are vectors; with quaternions, the inverse of the right Jacobian of exp times qd.
    """
    rate = tree.velocity_output()
    for i, _ in tree.outward():
        rate[i] = tree.joint(i).difference_jacobian(q0[i], q1[i]) @ qd[i]
    return rate


@algorithm(rolled="uncoupled")
def integrate_rate(tree: Tree, q: Position, dv: Velocity, rate: Velocity) -> Output:
    """The velocity of integrate(q, dv) as dv grows at this rate, for a fixed q, (..., nv).

    It is the rate itself where positions are vectors; with quaternions, the right Jacobian of exp times it. It undoes
    `difference_rate`.
    """
    velocity = tree.velocity_output()
    for i, _ in tree.outward():
        velocity[i] = tree.joint(i).integrate_jacobian(q[i], dv[i]) @ rate[i]
    return velocity


@algorithm(rolled="uncoupled")
def difference_force(tree: Tree, q0: Position, q1: Position, f: JointForces) -> Output:
    """The joint forces at q1 that do the work of forces f on the way from q0: J^T f, J that of `difference_rate`."""
    tau = tree.velocity_output()
    for i, _ in tree.outward():
        tau[i] = tree.joint(i).difference_jacobian(q0[i], q1[i]).T @ f[i]
    return tau


@algorithm(rolled="uncoupled")
def integrate_force(tree: Tree, q: Position, dv: Velocity, f: JointForces) -> Output:
    """The forces on dv that do the work of joint forces f at integrate(q, dv): J^T f, J that of `integrate_rate`."""
    tau = tree.velocity_output()
    for i, _ in tree.outward():
        tau[i] = tree.joint(i).integrate_jacobian(q[i], dv[i]).T @ f[i]
    return tau
