"""The equations of motion of frames of a closed robot."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.algorithms.tasks import Kinds, kinds_of
from sixd.compiler.frames import frame_of
from sixd.errors import ArgumentError
from sixd.model import Frame
from sixd.robot.closed.derivatives import ClosedDerivativeMethods
from sixd.robot.evaluator import BODY, EXPRESSIONS, NAMED
from sixd.robot.operational_space import Frames, OperationalSpace

__all__ = ["ClosedOperationalSpaceMethods"]

Array = NDArray[Any]
NAMED[algorithms.constrained_operational_space] = OperationalSpace


class ClosedOperationalSpaceMethods(ClosedDerivativeMethods):
    """The method of a closed robot about operational space."""

    def operational_space(
        self, q: ArrayLike, qd: ArrayLike, frame: Frames, kind: Kinds = "pose", expressed_in: str = BODY
    ) -> OperationalSpace:
        """Lambda (..., n, n), mu (..., n) and p (..., n) of frames, with Lambda x'' + mu + p = f for tau = J^T f.

        Arguments are those of `Robot.operational_space`. Lambda^-1 = J W J^T, where W tau are the accelerations that
        joint forces make while the constraints hold: the frames feel all that moves along with them. A frame of a
        closed robot has few directions to move in; choose a ``kind`` with no more of them. Where it cannot move in
        every direction of the task, results are NaN, with a warning, or `SingularError` if that is so for all samples.
        """
        key = algorithms.constrained_operational_space, frame, expressed_in, kind
        method = self._code.find(key)
        if method is None:
            each: Any = (frame,) if (one := isinstance(frame, str | Frame)) else frame
            if not isinstance(each, list | tuple) or not each:
                raise ArgumentError(f"frame must be the name of a frame, or several, not {given.described(frame)}")
            names = tuple(frame_of(self, name).name for name in each)
            given.choice(expressed_in, "expressed_in", EXPRESSIONS)
            kinds = kinds_of(kind, len(names))
            key = algorithms.constrained_operational_space, frame if one else names, expressed_in, kinds
            fixed = {"frames": names, "kinds": kinds, "expressed_in": expressed_in}
            method = self._code.find(key) or self._code.add(key, algorithms.constrained_operational_space, fixed)
        found: OperationalSpace = method(q, qd)
        self._warn_of_singular(found.p, 1, (q, qd), frame, kind)
        return found
