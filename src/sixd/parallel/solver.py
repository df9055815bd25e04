"""What evaluations round by round have in common: arguments, velocities by pieces, and the numbers of the joints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.compile import compile
from sixd.constraints import Loop
from sixd.errors import ArgumentError, ModelError, ShapeError
from sixd.given import choice, described
from sixd.model import Model, ModelTree
from sixd.operators.mechanism import ClosingJoint, need_inertias
from sixd.ops import stack
from sixd.parallel.constants import Constants, bases_at
from sixd.parallel.execution import CODES
from sixd.parallel.motion import body_terms, compose, joint_steps
from sixd.parallel.plan import Plan
from sixd.spatial import Motion, Transform

__all__ = ["Array", "RoundByRound", "State"]

Array = NDArray[np.float64]


class State(NamedTuple):
    """What a state gives, with rows of bodies or joints first, then samples, then numbers."""

    #: The accelerations of the bodies if no joint holds them.
    b: Array
    #: The numbers of the joints by how many freedoms they have: X, T, V, R, tau, c.
    joints: dict[int, Array]
    #: X from the world to each body, and its velocity.
    moving: Array


class RoundByRound(ABC):
    """qdd of a robot by an algorithm in rounds, each of which is a call for all its places and all samples.

    ``code`` says how rounds run: "kernels" compiles a function for each form of step, once for all robots; "numpy" runs
    the same functions on arrays. ``loops`` are joints that close loops (`sixd.Loop`), beside those of a closed robot.
    """

    def __init__(self, robot: Model, loops: Sequence[Loop] = (), code: str = "kernels") -> None:
        if not isinstance(robot, Model):
            raise ArgumentError(f"this is for a robot (sixd.load(...)), not for {described(robot)}")
        if robot.is_coupled:
            raise ModelError(f"robot {robot.name!r} has mimic joints, which are no tree of independent joints")
        if not robot.n_bodies:
            raise ModelError(f"robot {robot.name!r} has no moving bodies")
        need_inertias(ModelTree(robot))
        self.robot, self.plan = robot, Plan(robot, loops)
        self._call = CODES[choice(code, "code", CODES)]
        self._joint_steps = compile(joint_steps, robot, rolled=True)
        self._constants = Constants(self.plan)
        self._base = -robot.gravity_acceleration.array()

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds follow each other."""

    @abstractmethod
    def _solved(self, state: State) -> Array:
        """qdd, (samples, nv)."""

    def __call__(self, q: Any, qd: Any, tau: Any, f_ext: Any = None) -> Array:
        """qdd (..., nv), for q (..., nq), qd and tau (..., nv), and forces on the bodies (..., N, 6), each in the
        coordinates of its body.
        """
        robot = self.robot
        state = [
            _array(x, n, name) for x, n, name in ((q, robot.nq, "q"), (qd, robot.nv, "qd"), (tau, robot.nv, "tau"))
        ]
        shape = (robot.n_bodies, 6)
        force = np.zeros(shape) if f_ext is None else _numbers(f_ext, "f_ext")
        if force.shape[-2:] != shape:
            raise ShapeError(f"f_ext needs 6 numbers for each of {robot.n_bodies} bodies, not the shape {force.shape}")
        lead = _batch(
            {"q": state[0].shape[:-1], "qd": state[1].shape[:-1], "tau": state[2].shape[:-1], "f_ext": force.shape[:-2]}
        )
        flat = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in state]
        force = np.broadcast_to(force, (*lead, *shape)).reshape(-1, *shape)
        return self._run(flat[0], flat[1], flat[2], np.moveaxis(force, 1, 0)).reshape(*lead, robot.nv)

    def _run(self, q: Array, qd: Array, tau: Array, force: Array) -> Array:
        """For samples in rows. Arrays of rounds have rows of pieces or joints first, then samples, then numbers."""
        X, w, bias = (np.moveaxis(x, 1, 0) for x in self._joint_steps(q, qd))
        steps, moving = self._motion(X, w)
        fixed = self._constants
        c, b = self._call(
            body_terms,
            None,
            v=moving[..., 12:],
            w=w[1:],
            bias=bias[1:],
            force=force,
            inertia=fixed.inertias,
            inverse=fixed.inverses,
        )
        return self._solved(State(b, self._joints(q, tau, steps, moving, c), moving))

    def _motion(self, X: Array, w: Array) -> tuple[Array, Array]:
        """Steps (X, w) by the rows of the plan, and for each body X from the world and its velocity."""
        plan, n = self.plan, self.robot.n_bodies
        steps = np.empty((plan.steps, X.shape[1], 18))
        steps[: n + 1, :, :9] = np.swapaxes(X[..., :3, :3], -1, -2).reshape(n + 1, -1, 9)
        steps[: n + 1, :, 9:12], steps[: n + 1, :, 12:] = X[..., :3, 3], w
        for each in (*plan.up, *plan.down):
            steps[each.made] = self._call(compose, None, first=steps[each.first], second=steps[each.second])
        above, own = plan.above
        return steps, self._call(compose, None, first=steps[above], second=steps[own])

    def _joints(self, q: Array, tau: Array, steps: Array, moving: Array, c: Array) -> dict[int, Array]:
        """The numbers of the joints, by how many freedoms they have."""
        plan, fixed = self.plan, self._constants
        rows = {n: np.repeat(x, len(q), axis=1) for n, x in fixed.joints.items()}
        for n, (bodies, columns) in plan.tree_joints.items():
            own = rows[n][: len(bodies)]
            own[..., :12], own[..., -6:] = steps[bodies, :, :12], c[bodies - 1]
            own[..., 48 + n : 48 + 2 * n] = np.moveaxis(tau[:, columns], 1, 0)
        for view in fixed.varying:
            row = plan.joints[view.index]
            rows[row.n][row.row, :, 12:48] = bases_at(view.type, q[:, view.q])
        for k, loop in enumerate(plan.loops, self.robot.n_bodies + 1):
            row = plan.joints[k]
            rows[row.n][row.row, :, :12], rows[row.n][row.row, :, -6:] = _relative(moving, loop)
        return rows


def _relative(moving: Array, loop: ClosingJoint) -> tuple[Array, Array]:
    """X from predecessor to successor of a closing joint, 12 numbers, and c = v_s x (v_s - X v_p)."""

    def of(body: int) -> tuple[Transform, Motion]:
        if not body:
            return Transform.identity(), Motion.zero()
        x = list(np.moveaxis(moving[body - 1], -1, 0))
        return Transform.from_components(x[:12]), Motion.from_components(x[12:])

    (X_p, v_p), (X_s, v_s) = of(loop.predecessor), of(loop.successor)
    X = X_s @ X_p.inv
    return stack(X.components()), v_s.cross(v_s - X @ v_p).array()


def _batch(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of all samples together, from that of each argument."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"the batches of the arguments do not fit together: {found}") from None


def _array(x: Any, n: int, name: str) -> Array:
    found = _numbers(x, name)
    if not found.ndim or found.shape[-1] != n:
        raise ShapeError(f"{name} needs {n} entries, not the shape {found.shape}")
    return found


def _numbers(x: Any, name: str) -> Array:
    try:
        found = np.asarray(x)
    except ValueError as error:
        raise ShapeError(f"{name} is no array: {error}") from None
    if found.dtype.kind not in "biuf":
        raise ArgumentError(f"{name} must be an array of real numbers, not {described(x)}")
    return found.astype(float)
