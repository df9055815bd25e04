"""The steps of the constraint-force algorithm on rows of numbers, one row a place: blocks of FO00 (28), elimination.

Joint k of a chain has body k - 1 on its left and body k on its right. Its relative acceleration is
r = a_k - s X a_(k-1), and its force f acts on the bodies as f and -s X^T f, where s is 1. A joint that closes a loop to
the base is the last of the chain: it has s = -1 and X = 1, and on its right a body that cannot move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixd.operators.inverse_inertia import InverseInertia
from sixd.ops import Scalar, stack, unstack
from sixd.spatial import Force, Forces, Matrix, Motion, Transform, Vector, inverse

__all__ = [
    "Blocks",
    "Unknown",
    "at_rest",
    "diagonal",
    "eliminate",
    "joint_force",
    "joint_rate",
    "off_diagonal",
    "substitute",
]


@dataclass(frozen=True)
class Unknown:
    """The unknowns of a joint with n freedoms: beta, or, if it is ``extended``, beta, mu and qdd.

    A joint with a rotor is extended, since the force along its motions is not known: see `ConstraintForceSystem`.
    """

    n: int
    extended: bool

    @property
    def size(self) -> int:
        return 6 + self.n if self.extended else 6 - self.n


@dataclass(frozen=True)
class Blocks:
    """The sizes of an unknown that is eliminated and of those on its left and right; 0 where there is none."""

    own: int
    left: int
    right: int


def at_rest(model: Any, b: Any, inverse: Any, own: Any, step: Any, following: Any) -> Any:
    """The acceleration of a body under known joint forces, of its joint and the next: b + I^-1 (f - s X^T f_next).

    ``step`` has the twelve numbers of X and s.
    """
    found = _motion(b) + _inverse(inverse) @ (_force(own) + _on_left(step, _force(following)))
    return stack(found.components())


def diagonal(
    model: Any, step: Any, joint: Any, right: Any, left: Any, a: Any, a_left: Any, form: Unknown
) -> tuple[Any, Any]:
    """The diagonal block of a joint, row by row, and its right-hand side.

    ``joint`` has T, V, R (a diagonal), tau and c; ``right`` and ``left`` are the inverse inertias of its bodies, ``a``
    and ``a_left`` their accelerations under known forces.
    """
    basis, R, tau, c = _joint(joint, form)
    far = Forces(_on_left(step, f) for f in basis)
    block = basis.T @ (_inverse(right) @ basis) + far.T @ (_inverse(left) @ far)
    r = c - _relative(step, _motion(a), _motion(a_left))
    rhs = list(basis.T @ r)
    if form.extended:
        block, rhs = _extended(block, R, form.n), [*rhs, *(-x for x in tau)]
    return stack(block.components()), stack(rhs)


def off_diagonal(
    model: Any, inverse: Any, joint: Any, step: Any, following: Any, form: Unknown, next_form: Unknown
) -> Any:
    """The block of a joint and the next one, which have the body between them in common."""
    basis, next_basis = _joint(joint, form)[0], _joint(following, next_form)[0]
    far = Forces(_on_left(step, f) for f in next_basis)
    rows = (basis.T @ (_inverse(inverse) @ far)).rows
    wide = [[*row, *([0.0] * (next_form.size - len(row)))] for row in rows]
    return stack([x for row in [*wide, *([[0.0] * next_form.size] * (form.size - len(wide)))] for x in row])


def eliminate(model: Any, block: Any, rhs: Any, left: Any, right: Any, form: Blocks) -> tuple[Any, ...]:
    """D^-1 (b, A_left^T, A_right), and what is taken from the neighbours: A^T D^-1 (A, b) of each, and between them.

    ``left`` is the block of the left neighbour and this unknown, ``right`` that of this one and the right neighbour. An
    array for a neighbour that is not there is not read, and what would come of it is left out.
    """
    D, b = inverse(_matrix(block, form.own)), Vector(unstack(rhs))
    y = D @ b
    sides = [_matrix(left, form.own).T] if form.left else []
    sides += [_matrix(right, form.right)] if form.right else []
    scaled = [D @ A for A in sides]
    out = [stack(y.entries), *(stack(W.components()) for W in scaled)]
    for A, W in zip(sides, scaled, strict=True):
        out += [stack((A.T @ W).components()), stack((A.T @ y).entries)]
    if len(sides) == 2:
        out.append(stack((-(sides[0].T @ scaled[1])).components()))
    return tuple(out)


def substitute(model: Any, y: Any, left: Any, x_left: Any, right: Any, x_right: Any, form: Blocks) -> Any:
    """x = y - W_left x_left - W_right x_right; arrays of neighbours that are not there are not read."""
    x = Vector(unstack(y))
    if form.left:
        x = x - _matrix(left, form.left) @ Vector(unstack(x_left))
    if form.right:
        x = x - _matrix(right, form.right) @ Vector(unstack(x_right))
    return stack(x.entries)


def joint_force(model: Any, joint: Any, x: Any, form: Unknown) -> Any:
    """The joint force that unknowns stand for."""
    basis = _joint(joint, form)[0]
    return stack((basis @ Vector(unstack(x)[: len(basis)])).components())


def joint_rate(model: Any, step: Any, joint: Any, a: Any, a_left: Any, form: Unknown) -> Any:
    """qdd = V^T (r - c)."""
    n, numbers = form.n, unstack(joint)
    V, c = Forces.from_components(numbers[36 - 6 * n : 36]), Motion.from_components(numbers[-6:])
    return stack((V.T @ (_relative(step, _motion(a), _motion(a_left)) - c)).entries)


def _joint(joint: Any, form: Unknown) -> tuple[Forces, list[Scalar], list[Scalar], Motion]:
    """The basis of the unknown forces, R, tau and c."""
    n, x = form.n, unstack(joint)
    count = 36 if form.extended else 36 - 6 * n
    return Forces.from_components(x[:count]), x[36 : 36 + n], x[36 + n : 36 + 2 * n], Motion.from_components(x[-6:])


def _extended(block: Matrix, R: list[Scalar], n: int) -> Matrix:
    """[A, -E; -E^T, -R]: mu are the last n of six forces."""
    rows = [[*row, *(-1.0 if r == 6 - n + c else 0.0 for c in range(n))] for r, row in enumerate(block.rows)]
    below = [
        [*(-1.0 if r == 6 - n + c else 0.0 for r in range(6)), *(-R[c] if k == c else 0.0 for k in range(n))]
        for c in range(n)
    ]
    return Matrix(rows + below)


def _on_left(step: Any, f: Force) -> Force:
    """-s X^T f."""
    X, s = _step(step)
    return (X.inv @ f) * -s


def _relative(step: Any, a: Motion, a_left: Motion) -> Motion:
    X, s = _step(step)
    return a - (X @ a_left) * s


def _step(step: Any) -> tuple[Transform, Scalar]:
    x = unstack(step)
    return Transform.from_components(x[:12]), x[12]


def _inverse(x: Any) -> InverseInertia:
    return InverseInertia.from_components(unstack(x))


def _motion(x: Any) -> Motion:
    return Motion.from_components(unstack(x))


def _force(x: Any) -> Force:
    return Force.from_components(unstack(x))


def _matrix(x: Any, columns: int) -> Matrix:
    return Matrix.from_components(unstack(x), columns)
