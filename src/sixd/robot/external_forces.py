"""External forces as users give them, by frame name, and as algorithms take them, by body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ShapeError
from sixd.model.configuration import neutral
from sixd.process.forks import cached_property
from sixd.robot.evaluator import BODY, EXPRESSIONS, Evaluated, Method
from sixd.runtime.arguments import common_lead
from sixd.runtime.batches import as_batch

__all__ = ["Forced", "Forces"]

Array = NDArray[Any]
#: ``f_ext``: forces (..., 6) by the name of the frame they act on.
Forces = Mapping[str, ArrayLike] | None
_SIX, _FLOAT, _ON_FRAME = (6,), np.dtype(np.float64), algorithms.external_force


class Forced(Evaluated):
    """A model on which forces act at frames."""

    def _forced(self, algorithm: Any) -> Method:
        """The code of an algorithm whose last argument is ``f_ext``, forces by body."""
        method = self._code.get((algorithm, "f_ext"))
        return method or self._code.add((algorithm, "f_ext"), algorithm, shapes={"f_ext": (self.n_bodies, 6)})

    def _forces_by_body(self, q: ArrayLike, forces: Any, expressed_in: str) -> Array:
        """Forces by frame as forces (..., N, 6) in body coordinates; ``expressed_in`` as in `inverse_dynamics`.

        On the base they do nothing, but a sample in which one is not finite is NaN there too.
        """
        if type(forces) is not dict and not isinstance(forces, Mapping):
            raise ShapeError("f_ext must map frame names to forces (..., 6), such as {'hand': [0, 0, 0, 0, 0, -9.81]}")
        if expressed_in is BODY:
            q = self._some_position  # a force in the coordinates of its frame does not depend on where that is
        else:
            given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        code, total = self._code, None
        for frame, force in forces.items():
            if type(force) is not np.ndarray or force.shape != _SIX or force.dtype is not _FLOAT:
                part = self._forces_of_batch(q, frame, force, expressed_in)
            else:
                method = code.get((_ON_FRAME, frame, expressed_in)) or self._force_on(frame, expressed_in)
                part = method(q, force)
            part = part[1:] if part.ndim == 2 else part[..., 1:, :]
            try:
                total = part if total is None else total + part
            except ValueError:
                common_lead({name: np.shape(f)[:-1] for name, f in forces.items()}, "f_ext")
                raise
        return np.zeros((self.n_bodies, 6)) if total is None else total

    def _force_on(self, frame: str, expressed_in: str) -> Method:
        """The code that maps a force on a frame to forces by body, base first."""
        key = _ON_FRAME, frame, expressed_in
        fixed = {**self._place(frame), "expressed_in": expressed_in}
        return self._code.get(key) or self._code.add(key, _ON_FRAME, fixed)

    @cached_property
    def _some_position(self) -> Array:
        return neutral(self)

    def _forces_of_batch(self, q: ArrayLike, frame: str, force: Any, expressed_in: str) -> Any:
        """The same for any array; errors name the frame."""
        name = f"f_ext[{frame!r}]"
        array = as_batch(name, force, _SIX, "moment, then force")
        if q is self._some_position:
            q = self._some_position.astype(array.dtype)
        common_lead({"q": np.shape(q)[:-1], name: array.shape[:-1]})
        return self._force_on(frame, expressed_in)(q, array)
