"""Energy and the centre of mass."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Number, Position, Velocity
from sixd.algorithms.kinematics import forward_kinematics, velocities
from sixd.model.tree import Tree
from sixd.ops import divide
from sixd.spatial import Vector

__all__ = ["center_of_mass", "kinetic_energy", "potential_energy"]


@algorithm
def kinetic_energy(tree: Tree, q: Position, qd: Velocity) -> Number:
    """T = sum 1/2 v_i . I_i v_i, F10b (39), and the energy of the rotors; J."""
    v = velocities(tree, q, qd)
    T = tree.cell(0.0)
    for i, _ in tree.outward():
        T.now = T.now + tree.inertia(i).kinetic_energy(v[i]) + 0.5 * (qd[i] @ (tree.rotor_inertia(i) @ qd[i]))
    return T.now


@algorithm
def potential_energy(tree: Tree, q: Position) -> Number:
    """U = -sum m_i g . c_i, zero where the centre of mass is level with the world's origin; J. PBP95 (58)."""
    return -(tree.gravity.lin @ _first_moment(tree, q)[1])


@algorithm
def center_of_mass(tree: Tree, q: Position) -> Vector:
    """The centre of mass of all moving bodies, in world coordinates; m."""
    mass, moment = _first_moment(tree, q)
    return moment * divide(1.0, mass)


def _first_moment(tree: Tree, q: Position) -> tuple[Number, Vector]:
    """The mass of the moving bodies and its first moment about the world's origin, in world coordinates."""
    X = forward_kinematics(tree, q)
    mass, moment = tree.cell(0.0), tree.cell(Vector.zero())
    for i, _ in tree.outward():
        I = tree.inertia(i)
        mass.now = mass.now + I.m
        moment.now = moment.now + (X[i].E.T @ I.h + X[i].r * I.m)
    return mass.now, moment.now
