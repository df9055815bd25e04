"""External forces as users give them, by frame name, and as algorithms take them, by body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ShapeError
from sixd.ops import doubt
from sixd.process.forks import cached_property
from sixd.robot.evaluator import BODY, EXPRESSIONS, Evaluated
from sixd.runtime.arguments import common_lead
from sixd.runtime.batches import as_batch

__all__ = ["Forced", "Forces"]

Array = NDArray[Any]
#: ``f_ext``: forces (..., 6) by the name of the frame they act on.
Forces = Mapping[str, ArrayLike] | None
_FLOAT, _SIX = np.dtype(np.float64), (6,)
#: A frame that was not used yet has no mount.
_NOWHERE: tuple[int, Any] = (0, None)


class Forced(Evaluated):
    """A model on which forces act at frames."""

    @cached_property
    def _mounts(self) -> dict[Any, tuple[int, Array]]:
        """What was used so far of: for a frame, its body and the matrix with f_body = matrix f_frame."""
        return {}

    def _mount(self, frame: Any) -> tuple[int, Array]:
        """The body that carries a frame, and X*^-1 (6, 6) of the frame's offset X on it."""
        found = self._mounts.get(frame)
        if found is None:
            place = self._place(frame)
            matrix = np.asarray(place["offset"].inverse().force_matrix().array(), dtype=float)
            found = self._mounts[frame] = place["body"], matrix
        return found

    def _forces_by_body(self, q: ArrayLike, forces: Any, expressed_in: str) -> Array:
        """Forces by frame as forces (..., N, 6) in body coordinates; ``expressed_in`` as in `inverse_dynamics`.

        On the base they do nothing, but a sample in which one is not finite is NaN there too.
        """
        if type(forces) is dict and expressed_in is BODY:
            total = self._single_forces(forces)
            if total is not None:
                return total
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        if not isinstance(forces, Mapping):
            raise ShapeError("f_ext must map frame names to forces (..., 6), such as {'hand': [0, 0, 0, 0, 0, -9.81]}")
        arrays = {name: as_batch(f"f_ext[{name!r}]", f, _SIX, "moment, then force") for name, f in forces.items()}
        if expressed_in != BODY:
            arrays = self._in_frames(q, arrays, expressed_in)
        lead = common_lead({name: a.shape[:-1] for name, a in arrays.items()}, "f_ext")
        total = np.zeros((*lead, self.n_bodies, 6), np.result_type(np.float32, *(a.dtype for a in arrays.values())))
        for name, array in arrays.items():
            body, matrix = self._mount(name)
            with np.errstate(invalid="ignore", over="ignore"):
                if body:
                    total[..., body - 1, :] += array @ matrix.T.astype(array.dtype, copy=False)
                elif self.n_bodies:
                    total[..., 0, :] += doubt(np.moveaxis(array, -1, 0))[..., None]
        return total

    def _single_forces(self, forces: dict[str, Any]) -> Array | None:
        """The quick way for arrays (6,) of float64 on bodies that move, one for each; None for anything else."""
        total, mounts, used = np.zeros((self.n_bodies, 6)), self._mounts, set()
        for name, array in forces.items():
            body, matrix = mounts.get(name, _NOWHERE)
            if not body or body in used or type(array) is not np.ndarray or array.dtype is not _FLOAT:
                return None
            if array.shape != _SIX:
                return None
            used.add(body)
            matrix.dot(array, total[body - 1])
        return total

    def _in_frames(self, q: ArrayLike, forces: Mapping[str, Array], expressed_in: str) -> dict[str, Array]:
        """Forces in the coordinates of their frames, wherever they were expressed in: FDSV (15)."""
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        common_lead({"q": q.shape[:-1], **{f"f_ext[{name!r}]": a.shape[:-1] for name, a in forces.items()}})
        found = dict(forces)
        for name, array in forces.items():
            if self._mount(name)[0]:
                found[name] = self._at(algorithms.force_in_frame, name, expressed_in)(q, array)
        return found
