"""The dynamics of a robot of which some accelerations and some joint forces are known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.compiler.compile import LARGE
from sixd.errors import ModelError
from sixd.ir import TooLargeError
from sixd.robot.dynamics import DynamicsMethods, check_expression
from sixd.robot.evaluator import BODY, NAMED, Method
from sixd.robot.external_forces import Forces
from sixd.robot.singular import without_singular
from sixd.runtime.arguments import by_chunk, is_lazy
from sixd.runtime.batches import as_batch

__all__ = ["HybridDynamics", "HybridDynamicsMethods"]

Array = NDArray[Any]
_HYBRID = algorithms.hybrid_dynamics


class HybridDynamics(NamedTuple):
    """All accelerations and all joint forces, each (..., nv): given where they were known, found elsewhere."""

    qdd: Array
    tau: Array


NAMED[_HYBRID] = HybridDynamics


class HybridDynamicsMethods(DynamicsMethods):
    """The method of a robot about hybrid dynamics."""

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tau: ArrayLike,
        known: Iterable[str] | ArrayLike,
        f_ext: Forces = None,
        expressed_in: str = BODY,
    ) -> HybridDynamics:
        """Accelerations qdd and joint forces tau, both (..., nv), where each joint has one of them known.

        ``known`` names the joints whose acceleration is known, and whose force is found; of all others the force is
        known, and the acceleration is found. What qdd and tau hold elsewhere is not used, but must be finite. All
        joints known is inverse dynamics, none forward dynamics. A floating base follows from its limbs if all joints
        but its own are known: its acceleration is found for the force tau at it, as a rule zero. If it alone is known,
        the result is the force that moves it so.

        In place of names, an array of booleans (..., nv) chooses by degree of freedom, and by sample. ``f_ext`` and
        ``expressed_in`` as in `inverse_dynamics`. The articulated-body algorithm with joints that are led, O(N):
        Featherstone (2008), 9.2. Where a motion that is not known moves no inertia, samples are NaN, as those of
        `forward_dynamics`.
        """
        if expressed_in is not BODY:
            check_expression(expressed_in)
        chosen = tuple(known) if type(known) is list else known
        method = self._code.find((_HYBRID, chosen, f_ext is None))
        if method is not None and f_ext is None:
            found: HybridDynamics = method(q, qd, qdd, tau)
        else:
            chosen = self._chosen(known)
            method, flags = self._hybrid(chosen, f_ext is None)
            forces = () if f_ext is None else (self._forces_by_body(q, f_ext, expressed_in),)
            found = method(q, qd, qdd, tau, *flags, *forces)
        return self._where_regular(q, self._flags(chosen), found) if self.may_be_singular else found

    def _hybrid(self, chosen: Any, without_forces: bool) -> tuple[Method, tuple[Array, ...]]:
        """The method, and the flags that it takes. Joints by name get code of their own, unless that is too large."""
        shapes = None if without_forces else {"f_ext": (self.n_bodies, 6)}
        own, shared = (_HYBRID, chosen, without_forces), (_HYBRID, "flags", without_forces)
        found = self._code.find(own)
        if found is not None:
            return found, ()
        flags = self._flags(chosen)
        if isinstance(chosen, tuple) and own not in self._too_large:
            try:
                return self._code.add(own, _HYBRID, {"known": tuple(flags.tolist())}, shapes, LARGE), ()
            except TooLargeError:
                self._too_large.add(own)
        return self._code.find(shared) or self._code.add(shared, _HYBRID, shapes=shapes), (flags,)

    def _chosen(self, known: Any) -> Any:
        """The names of joints as a tuple, or flags by degree of freedom as an array."""
        if getattr(known, "dtype", None) != np.bool_:
            return given.words(known, "known")
        return as_batch("known", known, (self.nv,), f"nv of {self.name or 'this robot'}")

    def _flags(self, chosen: Any) -> Array:
        """1 for each degree of freedom whose acceleration is known, else 0, (..., nv)."""
        if not isinstance(chosen, tuple):
            return chosen
        flags = np.zeros(self.nv)
        for name in chosen:
            joint = self.joint(name)
            if joint.mimic is not None:
                raise ModelError(f"joint {name!r} mimics {joint.mimic.joint!r}: name that one in known, not this")
            flags[joint.v] = 1.0
        return flags

    def _where_regular(self, q: Any, flags: Array, found: HybridDynamics) -> HybridDynamics:
        """What was found, with NaN in samples in which a motion that is not known moves no inertia."""
        if is_lazy(found.qdd):
            n = (self.nv,)
            return HybridDynamics(*by_chunk(self._regular, (q, flags, *found), ((self.nq,), n, n, n), (n, n)))
        return self._regular(q, flags, *found)

    def _regular(self, q: Any, flags: Array, qdd: Array, tau: Array) -> HybridDynamics:
        q = np.asarray(q, dtype=float)
        pivots = self._code[algorithms.relative_pivots_of_hybrid](q, flags)
        qdd = without_singular(self, q, pivots, qdd, 1)
        return HybridDynamics(qdd, np.where(np.isnan(qdd[..., :1]), qdd.dtype.type(np.nan), tau))
