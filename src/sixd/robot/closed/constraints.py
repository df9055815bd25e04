"""What the constraints of a closed robot demand of its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ArgumentError, ShapeError
from sixd.model import ModelTree
from sixd.process.forks import cached_property
from sixd.robot.closed.refused import Refusals
from sixd.robot.evaluator import Method
from sixd.runtime.batches import as_batch

__all__ = ["ConstraintMethods", "Targets"]

Array = NDArray[Any]
#: ``targets``: position, velocity and acceleration by the name of the constraint that prescribes them.
Targets = Mapping[str, ArrayLike] | None
#: Keys of methods in straight code.
_ERROR, _BIAS, _JACOBIAN = (
    (algorithm, "direct")
    for algorithm in (algorithms.constraint_error, algorithms.constraint_bias, algorithms.constraint_jacobian)
)


class _Ranks(NamedTuple):
    """`sixd.algorithms.ConstraintRanks` as arrays (..., rows)."""

    tolerances: Array
    sizes: Array


class ConstraintMethods(Refusals):
    """Methods of a closed robot about the equations of its constraints. Their rows stand in the order of `constraints`;
    ``closed.rows("name")`` is the slice of one.

    ``targets`` maps names of constraints that prescribe a motion to arrays (..., 3) of position, velocity and
    acceleration, or (..., rows, 3) if such a constraint has several rows. Without it they hold still.
    """

    def rows(self, constraint: str) -> slice:
        """Where the rows of a constraint are among those of all."""
        return self.closures[self.constraints.index(constraint)].rows

    def constraint_error(self, q: ArrayLike, targets: Targets = None, *, out: Array | None = None) -> Array:
        """phi(q), (..., rows): how far the position is from keeping the constraints, rad and m. FO00 (16).

        Rows that constrain velocities only, such as rolling, are zero.
        """
        code = self._code.get(_ERROR) if targets is None else None
        return self._error(q, self._target_array(targets), out) if code is None else code(q, out=out)

    def constraint_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """L = phi', (..., rows, nv), with L qd = 0 for velocities that keep the constraints. FO00 (17), (18)."""
        return (self._code.get(_JACOBIAN) or self._whole(algorithms.constraint_jacobian))(q, out=out)

    def constraint_bias(
        self, q: ArrayLike, qd: ArrayLike, targets: Targets = None, *, out: Array | None = None
    ) -> Array:
        """c, (..., rows), with L qdd = c for accelerations that keep the constraints: -(dL/dt) qd, plus the
        accelerations of rows whose motion is prescribed. FO00 (17), (18).
        """
        code = self._code.get(_BIAS) if targets is None else None
        return self._bias(q, qd, self._target_array(targets), out) if code is None else code(q, qd, out=out)

    # ---- inside

    def _error(self, q: ArrayLike, goals: Array | None, out: Array | None = None) -> Array:
        """phi(q), for targets of all rows."""
        more = {} if goals is None else {"targets": goals}
        return self._whole(algorithms.constraint_error, more)(q, *more.values(), out=out)

    def _bias(self, q: ArrayLike, qd: ArrayLike, goals: Array | None, out: Array | None = None) -> Array:
        """c(q, qd), for targets of all rows."""
        more = {} if goals is None else {"targets": goals}
        return self._whole(algorithms.constraint_bias, more)(q, qd, *more.values(), out=out)

    def _subspaces(self, q: ArrayLike) -> Array:
        """T^T of all constraints, (..., rows, 6)."""
        return self._whole(algorithms.constraint_subspaces)(q)

    def _ranks(self, q: ArrayLike) -> _Ranks:
        """What of rows counts, and their sizes."""
        return _Ranks(*self._whole(algorithms.constraint_ranks)(q))

    @cached_property
    def _units(self) -> Array:
        """For each degree of freedom a radian, or the length of the longest loop, m, (nv,)."""
        return np.array(algorithms.coordinate_units(ModelTree(self)), dtype=float)

    def _shapes(self, more: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """The shapes of external forces by body and of targets, as far as they are among further arguments."""
        known: dict[str, tuple[int, ...]] = {"f_ext": (self.n_bodies, 6), "targets": (self.n_targets, 3)}
        return {name: known[name] for name in more}

    def _whole(self, algorithm: Any, more: Mapping[str, Any] | None = None) -> Method:
        """The method of an algorithm with further arguments, as one kernel whatever its size."""
        shapes = self._shapes(more or {})
        key = (algorithm, "direct", *shapes)
        return self._code.get(key) or self._code.add(key, algorithm, {}, shapes or None)

    def _array(self, name: str, value: Any) -> Array:
        """An argument of NumPy's methods: positions have nq entries, all others nv."""
        size, what = (self.nq, "nq") if name in ("q", "q_guess") else (self.nv, "nv")
        array = as_batch(name, value, (size,), f"{what} of {self.name or 'this robot'}")
        if not isinstance(array, np.ndarray):
            raise ArgumentError(
                f"{name} is a Dask array, but for {self.name or 'this robot'} this is put together in NumPy: give an "
                "array in memory, as by compute()"
            )
        return array

    def _target_array(self, targets: Any) -> Array | None:
        """Targets by name as one array (..., targets, 3); those that are not given are held. None if none is given."""
        if targets is None:
            return None
        if not isinstance(targets, Mapping):
            raise ArgumentError(f"targets maps names of constraints to (..., 3), not {given.described(targets)}")
        driven = [c for c in self.closures if c.constraint.driven]
        known = [c.constraint.name for c in driven]
        for name in targets:
            if name not in known:
                shown = ", ".join(map(repr, known)) or "none"
                raise ArgumentError(f"targets names {name!r}, but the constraints that prescribe a motion are: {shown}")
        parts = []
        for c in driven:
            rows = c.constraint.rows
            if c.constraint.name not in targets:
                parts.append(np.array([[held, 0.0, 0.0] for held in c.constraint.held]))
                continue
            what = f"targets[{c.constraint.name!r}]"
            given_array = np.asarray(targets[c.constraint.name])
            if rows == 1 and given_array.shape[-2:] != (1, 3):
                given_array = given_array[..., None, :] if given_array.ndim else given_array
            if given_array.ndim < 2 or given_array.shape[-2:] != (rows, 3):
                wanted = "(..., 3)" if rows == 1 else f"(..., {rows}, 3)"
                raise ShapeError(f"{what} must have position, velocity and acceleration of each row, {wanted}")
            parts.append(as_batch(what, given_array, (rows, 3), "position, velocity, acceleration"))
        lead = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in parts], axis=-2)
