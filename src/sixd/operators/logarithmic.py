"""Forward dynamics in O(log N) steps, if as many operations as there are may run at once."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import ExternalForces, JointForces, Option, Position, Velocity
from sixd.algorithms.forward_dynamics import forward_dynamics_crba
from sixd.constraints import Loop
from sixd.model.tree import Output, Tree
from sixd.operators.assembly import Assembly, Node
from sixd.operators.constraint_force_system import ConstraintForceSystem
from sixd.operators.dynamics import joint_accelerations, need_uncoupled
from sixd.operators.mechanism import Mechanism, closing_joints, mechanism, need_inertias
from sixd.operators.pieces import Closed, Handle, Piece, merged
from sixd.operators.scan import scanned_motion
from sixd.spatial import Force, Vector

__all__ = ["constraint_force_algorithm", "divide_and_conquer"]


@algorithm(rolled=False)
def divide_and_conquer(
    tree: Tree,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces = None,
    loops: Option[Sequence[Loop]] = (),
) -> Output:
    """qdd by Featherstone's divide-and-conquer articulated-body algorithm (1999), for trees and loops.

    Pieces are joined two by two until one is left, whose joints to the base are closed last; then the forces at their
    ends give those at the joints within, down to the bodies (`sixd.operators.pieces`). Velocities are found by the same
    tree of pieces. The longest chain of operations that need each other is O(log N); all of them are four to five times
    those of `sixd.algorithms.aba`.

    ``loops`` are joints that close loops (`sixd.Loop`), beside those that a closed robot has. Each body needs an
    inertia that can be inverted, and each loop constraints that do not depend on others. Coupled (mimic) joints go
    through the mass matrix.
    """
    closing = closing_joints(tree.model, loops)
    if tree.is_coupled and not closing:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    need_uncoupled(tree)
    need_inertias(tree)
    assembly = Assembly.of(tree.model, closing)
    parts = mechanism(tree, q, qd, tau, f_ext, scanned_motion(tree, q, qd, assembly), closing)
    qdd = tree.output()
    for joint, rate in _joint_accelerations(assembly, parts).items():
        if joint <= parts.n:
            qdd[joint] = rate
    return qdd


@algorithm(rolled=False)
def constraint_force_algorithm(
    tree: Tree,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces = None,
    loops: Option[Sequence[Loop]] = (),
) -> Output:
    """qdd by the constraint-force algorithm of Fijany, Sharf and D'Eleuterio (1995): FO00 (28) in O(log N) steps.

    For a chain the matrix of (28) is block tridiagonal, and its unknowns are eliminated by odd-even reduction: every
    other joint at once, then every other one of the rest. That is the order in which `Assembly` joins pieces, and it
    serves trees and loops too. The longest chain of operations that need each other is O(log N).

    What it needs of bodies, loops and coupled joints is what `divide_and_conquer` needs.
    """
    closing = closing_joints(tree.model, loops)
    if tree.is_coupled and not closing:
        return forward_dynamics_crba(tree, q, qd, tau, f_ext)
    need_uncoupled(tree)
    need_inertias(tree)
    assembly = Assembly.of(tree.model, closing)
    parts = mechanism(tree, q, qd, tau, f_ext, scanned_motion(tree, q, qd, assembly), closing)
    found = ConstraintForceSystem(parts).solve(assembly.order)
    return joint_accelerations(tree, parts, found.accelerations)


def _joint_accelerations(assembly: Assembly, parts: Mechanism) -> dict[int, Vector]:
    """Put the mechanism together, then take it apart."""
    pieces: list[Piece] = []
    closed: list[list[tuple[int, Closed]]] = []
    for node in assembly.nodes:
        piece, steps = _joined(node, pieces, parts)
        pieces.append(piece)
        closed.append(steps)
    forces: dict[int, dict[Handle, Force]] = {}
    rates: dict[int, Vector] = {}
    for group, joints in assembly.groups:
        _, steps = _close(merged(pieces[k] for k in group), joints, parts)
        found = _opened(steps, {}, rates)
        forces |= {k: {h: found[h] for h in pieces[k].b} for k in group}
    for k in range(len(pieces) - 1, -1, -1):
        node = assembly.nodes[k]
        if node.parts is not None:
            found = _opened(closed[k], forces[k], rates)
            forces |= {part: {h: found[h] for h in pieces[part].b} for part in node.parts}
    return rates


def _joined(node: Node, pieces: Sequence[Piece], parts: Mechanism) -> tuple[Piece, list[tuple[int, Closed]]]:
    """A piece from the pieces that it has, or from its body."""
    if node.parts is not None:
        return _close(merged(pieces[k] for k in node.parts), node.joints, parts)
    i = node.top
    handles = [(joint, parts.connection(joint).successor == i) for joint in node.open]
    return Piece.body(parts.inertias[i - 1], parts.bias[i - 1], handles), []


def _close(piece: Piece, joints: Sequence[int], parts: Mechanism) -> tuple[Piece, list[tuple[int, Closed]]]:
    steps = []
    for joint in joints:
        piece, step = piece.close(parts.connection(joint), joint, parts.base)
        steps.append((joint, step))
    return piece, steps


def _opened(
    steps: Sequence[tuple[int, Closed]], forces: dict[Handle, Force], rates: dict[int, Vector]
) -> dict[Handle, Force]:
    """The forces at the ends that the joints closed, the last of them first; ``rates`` gets their qdd."""
    for joint, step in reversed(steps):
        forces, rates[joint] = step.opened(forces)
    return forces
