"""The equations of motion of frames of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.algorithms.tasks import TASKS, Kinds, kinds_of
from sixd.compiler.frames import frame_of
from sixd.errors import ArgumentError, ModelWarning, SingularError
from sixd.ir import TooLargeError
from sixd.model import Frame
from sixd.process.told import warn
from sixd.robot.dynamics import DIRECT, DynamicsMethods
from sixd.robot.evaluator import BODY, EXPRESSIONS, NAMED
from sixd.robot.tasks_by_lapack import by_lapack
from sixd.runtime.arguments import is_lazy

__all__ = ["OperationalSpace", "OperationalSpaceMethods", "TaskAlgorithms"]

Array = NDArray[Any]
#: A frame by its name, or several.
Frames: TypeAlias = str | Sequence[str]
_ARRAY = np.ndarray
#: For each algorithm of one frame that of several.
_SEVERAL = {
    algorithms.operational_space: algorithms.operational_space_of_frames,
    algorithms.inverse_operational_inertia: algorithms.inverse_operational_inertia_of_frames,
}


class OperationalSpace(NamedTuple):
    """Lambda x'' + mu + p = f: the equations of motion of frames that forces f at them drive."""

    #: The inertia that a force at the frames feels, (..., n, n).
    Lambda: Array
    #: Coriolis and centrifugal forces, (..., n).
    mu: Array
    #: The force that holds the frames against gravity, (..., n).
    p: Array


NAMED[algorithms.operational_space] = OperationalSpace
NAMED[algorithms.operational_space_of_frames] = OperationalSpace


class TaskAlgorithms(NamedTuple):
    """The algorithms that the methods of operational space run."""

    space: Any
    mobility: Any
    inverse: Any
    projector: Any


class OperationalSpaceMethods(DynamicsMethods):
    """Methods of a robot about operational space.

    In all of them ``frame`` is the name of a frame, or several names: their tasks then stand one above the other in the
    order of the names. ``kind`` says which rows of a frame's Jacobian are the task: "pose" (6, angular first),
    "position" or "rotation" (3); it is one for all frames, or one for each. J has n rows in all. ``expressed_in`` is as
    in `jacobian`.

    For a closed robot, W takes the place of H^-1: W tau are the accelerations that joint forces make while the
    constraints hold. Its frames feel all that moves along with them, and have few directions to move in.
    """

    #: The algorithms of the four methods, and the most nodes of code that they may have. Beyond, they are put together
    #: in NumPy, for trees.
    _task_algorithms: ClassVar[TaskAlgorithms] = TaskAlgorithms(
        algorithms.operational_space,
        algorithms.inverse_operational_inertia,
        algorithms.dynamically_consistent_inverse,
        algorithms.null_space_projector,
    )
    _largest_task: ClassVar[float] = DIRECT

    def operational_space(
        self, q: ArrayLike, qd: ArrayLike, frame: Frames, kind: Kinds = "pose", expressed_in: str = BODY
    ) -> OperationalSpace:
        """Lambda (..., n, n), mu (..., n) and p (..., n) of a frame, with Lambda x'' + mu + p = f for tau = J^T f.

        Khatib (1987): Lambda = (J H^-1 J^T)^-1, mu = Lambda (J H^-1 c - (dJ/dt) qd), p = Lambda J H^-1 g, where c are
        Coriolis and centrifugal forces and g those of gravity. ``kind`` says which rows of J the task has: "pose"
        (n = 6, angular first), "position" or "rotation" (n = 3). x'' = J qdd + (dJ/dt) qd is the spatial acceleration
        of the frame, for "aligned" the conventional one; ``expressed_in`` as in `jacobian`. Several frames, each with
        its kind or all with one, stand one above the other; Lambda couples them.

        If the frames cannot move in every direction of the task, because they are at a singular position or the robot
        has too few joints, such samples are NaN, with a warning; if all samples are, `SingularError` is raised.
        """
        algorithm = self._task_algorithms.space
        method = self._code.find((algorithm, frame, expressed_in, kind))
        if method is None:
            method = self._task(algorithm, frame, kind, expressed_in)
        found = method(q, qd)
        p = found[2]
        if type(p) is not _ARRAY or p.ndim != 1 or (x := p.item(0)) != x:  # one state is quick to look at
            self._warn_of_singular(p, 1, (q, qd), frame, kind)
        return found if type(found) is OperationalSpace else OperationalSpace(*found)

    def inverse_operational_inertia(
        self,
        q: ArrayLike,
        frame: Frames,
        kind: Kinds = "pose",
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """Lambda^-1 = J H^-1 J^T, (..., n, n): the accelerations that unit forces at frames make, at rest.

        Arguments as in `operational_space`. It exists everywhere; where it is singular, the frames cannot move in every
        direction of the task. O(N) for one frame, by propagation of forces (Lilly and Orin, 1993), and
        O(N + m d + m^2) for m frames in a tree of depth d: the extended-force-propagator algorithm (Wensing,
        Featherstone and Orin, 2012).
        """
        algorithm = self._task_algorithms.mobility
        method = self._code.find((algorithm, frame, expressed_in, kind))
        if method is None:
            method = self._task(algorithm, frame, kind, expressed_in)
        return method(q, out=out)

    def dynamically_consistent_inverse(
        self,
        q: ArrayLike,
        frame: Frames,
        kind: Kinds = "pose",
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """Jbar = H^-1 J^T Lambda, (..., nv, n), the inverse of J whose motions take the least kinetic energy.

        Khatib (1987). J Jbar = 1, and Jbar^T tau are the forces at the frames that joint forces tau amount to.
        Arguments, and singular positions, as in `operational_space`.
        """
        return self._inverse(self._task_algorithms.inverse, q, frame, kind, expressed_in, out)

    def null_space_projector(
        self,
        q: ArrayLike,
        frame: Frames,
        kind: Kinds = "pose",
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """N^T = 1 - J^T Jbar^T, (..., nv, nv): N^T tau is the part of joint forces that does not accelerate the frames.

        tau = J^T f + N^T tau_0 moves the frames as f alone does, whatever tau_0 is: a posture, a damping of the joints.
        The transpose N is for velocities: J N qd = 0. Khatib (1987), with Jbar of `dynamically_consistent_inverse`.
        Arguments, and singular positions, as in `operational_space`.
        """
        return self._inverse(self._task_algorithms.projector, q, frame, kind, expressed_in, out)

    # ---- inside

    def _inverse(
        self, algorithm: Any, q: ArrayLike, frame: Frames, kind: Kinds, expressed_in: str, out: Array | None
    ) -> Array:
        """The result, (..., nv, m), of an algorithm that needs Lambda."""
        method = self._code.find((algorithm, frame, expressed_in, kind))
        if method is None:
            method = self._task(algorithm, frame, kind, expressed_in)
        found: Array = method(q, out=out)
        if type(found) is not _ARRAY or found.ndim != 2 or not found.size or (x := found.item(0)) != x:
            self._warn_of_singular(found, 2, (q,), frame, kind)
        return found

    def _task(self, algorithm: Any, frame: Any, kind: Any, expressed_in: str) -> Any:
        """The method of an algorithm for frames; if its code would be too large, a function that takes its place."""
        is_one = isinstance(frame, str | Frame)
        if not is_one and (not isinstance(frame, list | tuple) or not frame):
            raise ArgumentError(f"frame must be the name of a frame, or several, not {given.described(frame)}")
        names = tuple(frame_of(self, each).name for each in ((frame,) if is_one else frame))
        kinds = (given.choice(kind, "kind", TASKS),) if is_one else kinds_of(kind, len(names))
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        key = algorithm, frame if is_one else names, expressed_in, kind if isinstance(kind, str) else kinds
        found = self._code.find(key)
        if found is None and key not in self._too_large:
            fixed: dict[str, Any] = {"frames": names, "kinds": kinds}
            if is_one and algorithm in _SEVERAL:
                fixed = {**self._place(names[0]), "kind": kinds[0]}
            try:
                own = algorithm if is_one else _SEVERAL.get(algorithm, algorithm)
                found = self._code.add(key, own, {**fixed, "expressed_in": expressed_in}, limit=self._largest_task)
            except TooLargeError:
                self._too_large.add(key)
        return found or partial(by_lapack, self, algorithm, names, kinds, expressed_in)

    def _warn_of_singular(self, result: Any, rank: int, state: Sequence[ArrayLike], frame: Any, kind: Any) -> None:
        """Raise if the frames can nowhere move in every direction of the task, warn if they cannot in some states.

        The result of such a state, of this rank, is NaN.
        """
        if is_lazy(result) or not result.size:
            return
        singular = np.isnan(result).all(axis=tuple(range(-rank, 0)))
        if not singular.any():
            return
        for x in state:
            singular = singular & np.isfinite(np.asarray(x, dtype=float)).all(axis=-1)
        where = f"{_who(frame)} cannot move in every direction of its {kind}"
        if singular.any() and singular.all():
            raise SingularError(
                f"{where}: Lambda does not exist; move the robot out of the singular position, or choose a kind with "
                "fewer directions: 'position' or 'rotation'"
            )
        if singular.any():
            text = f"{where} in {singular.sum()} of {singular.size} states: NaN there"
            warn(ModelWarning(text))


def _who(frame: Any) -> str:
    """A frame, or several, as errors name them."""
    if isinstance(frame, str | Frame):
        return f"frame {getattr(frame, 'name', frame)!r}"
    return f"one of the frames {', '.join(repr(getattr(each, 'name', each)) for each in frame)}, beside the others,"
