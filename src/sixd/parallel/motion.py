"""The motion of many bodies at once: the steps between them, and what their velocities give, on rows of numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.model.tree import Slots, Tree
from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.scan import Step
from sixd.ops import stack, unstack
from sixd.spatial import Force, Inertia, Motion, Transform

__all__ = ["JointSteps", "body_terms", "compose", "joint_steps"]


class JointSteps(NamedTuple):
    """Of each joint: X from parent to body, the relative velocity S qd, and (dS/dt) qd."""

    X: Slots[Transform]
    w: Slots[Motion]
    bias: Slots[Motion]


@algorithm
def joint_steps(tree: Tree, q: Position, qd: Velocity) -> JointSteps:
    """What the joints do on their own. No body needs another, so the depth does not grow with their number."""
    X, w = tree.slots(Transform, base=Transform.identity()), tree.slots(Motion, base=Motion.zero())
    bias = tree.slots(Motion, base=Motion.zero())
    for i, _ in tree.outward():
        joint = tree.joint(i)
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        w[i] = joint.subspace(q[i]) @ qd[i]
        bias[i] = joint.bias(q[i], qd[i])
    return JointSteps(X, w, bias)


def compose(model: Any, first: Any, second: Any) -> Any:
    """The step (X, w), 18 numbers, that makes the first and then the second: see `sixd.operators.scan`."""
    found = _step(second).after(_step(first))
    return stack([*found.X.components(), *found.w.components()])


def body_terms(model: Any, v: Any, w: Any, bias: Any, force: Any, inertia: Any, inverse: Any) -> tuple[Any, Any]:
    """Of a body with velocity v: c of its joint, and b = -I^-1 (v x I v - f), its acceleration if no joint holds it.

    ``inertia`` has the ten numbers of an `Inertia`, ``inverse`` those of an `InverseInertia`.
    """
    moving, I = Motion.from_components(unstack(v)), Inertia.from_components(unstack(inertia))
    c = Motion.from_components(unstack(bias)) + moving.cross(Motion.from_components(unstack(w)))
    total = Force.from_components(unstack(force)) - moving.cross(I @ moving)
    return stack(c.components()), stack((InverseInertia.from_components(unstack(inverse)) @ total).components())


def _step(x: Any) -> Step:
    numbers = unstack(x)
    return Step(Transform.from_components(numbers[:12]), Motion.from_components(numbers[12:]))
