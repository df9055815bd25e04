"""Positions, velocities and accelerations of a closed robot that keep its constraints."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ArgumentError, AssemblyError, ModelError, ModelWarning
from sixd.model import configuration
from sixd.model.configuration import random_generator
from sixd.process.told import warn
from sixd.robot.closed.constraints import ConstraintMethods, Targets
from sixd.robot.closed.dofs import dofs_of
from sixd.robot.closed.newton import Newton

__all__ = ["AssemblyMethods", "Impulse"]

Array = NDArray[Any]
#: Steps of Newton's method from a position beside the constraints, which double the digits each time.
NEWTON = 12


class Impulse(NamedTuple):
    """What happens when constraints close at once."""

    #: The velocity afterwards, (..., nv).
    qd: Array
    #: The impulses by row, (..., rows), N s and N m s.
    impulses: Array


class AssemblyMethods(ConstraintMethods):
    """Methods of a closed robot that find consistent states."""

    def assemble(
        self,
        q_guess: ArrayLike,
        *,
        fixed: str | Iterable[str] = (),
        targets: Targets = None,
        limits: bool = True,
        seed: int | np.random.Generator | None = None,
        restarts: int = 32,
        tolerance: float = 1e-11,
    ) -> Array:
        """A position that keeps all constraints, (..., nq): phi(q) = 0 within ``tolerance``, rad and m.

        Gauss-Newton steps L dq = -phi with the least dq, damped while they do not help, lead from ``q_guess`` to a
        position near it; redundant rows do no harm. Joints in ``fixed`` stay where they are. Positions stay within the
        joint limits unless ``limits=False``. A mechanism may have several modes of assembly: with a ``seed`` the search
        starts from a random position instead, and different seeds lead to different ones. Where a start leads nowhere,
        ``restarts`` others are tried, farther and farther from it.

        If nothing is found for any sample, `AssemblyError` tells the smallest error and the constraint that holds it;
        if only for some, these are NaN, with a warning.
        """
        guess = np.asarray(self._array("q_guess", q_guess), dtype=float)
        rng = random_generator(0 if seed is None else seed)
        if not given.number(tolerance, "tolerance") > 0.0 or not isfinite(tolerance):
            raise ModelError(f"tolerance must be positive, not {tolerance}")
        flat, goals, shape = self._samples(guess, self._target_array(targets))
        newton = Newton(self, goals, frozenset(dofs_of(self, fixed, "fixed")), given.flag(limits, "limits"), tolerance)
        every = np.arange(len(flat))
        found, error = newton.search(flat.copy() if seed is None else self._elsewhere(flat, rng, 1.0, newton), every)
        best, least = found.copy(), error.copy()
        for k in range(given.count(restarts, "restarts", least=0)):
            left = np.flatnonzero(~(least <= tolerance) & np.isfinite(flat).all(axis=-1))
            if not left.size:
                break
            spread = 1.0 if seed is not None else min(1.0, 0.1 * 2.0**k)
            found, error = newton.search(self._elsewhere(flat[left], rng, spread, newton), left)
            better = error < least[left]
            best[left[better]], least[left[better]] = found[better], error[better]
        return self._assembled(best, least, tolerance, shape, newton)

    @overload
    def project(self, q: ArrayLike, *, targets: Targets = None) -> Array: ...
    @overload
    def project(self, q: ArrayLike, qd: ArrayLike, *, targets: Targets = None) -> tuple[Array, Array]: ...
    @overload
    def project(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, targets: Targets = None
    ) -> tuple[Array, Array, Array]: ...

    def project(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *, targets: Targets = None
    ) -> Any:
        """The consistent state near an arbitrary one, as much of it as is given: q, (q, qd) or (q, qd, qdd).

        Positions are led to the constraints by Gauss-Newton steps, velocities and accelerations by the least change in
        the metric of the mass matrix (Gauss' principle), with L qd = 0 and L qdd = c. Positions are not searched for:
        if the steps do not lead to one, `AssemblyError` is raised.
        """
        goals = self._target_array(targets)
        guess = np.asarray(self._array("q", q), dtype=float)
        if qd is None and qdd is not None:
            raise ArgumentError("project needs qd to make qdd consistent, and it was not given")
        flat, each, shape = self._samples(guess, goals)
        newton = Newton(self, each, frozenset(), False, 1e-11)
        found, error = newton.search(flat, np.arange(len(flat)))
        at = self._assembled(found, error, newton.tolerance, shape, newton)
        if qd is None:
            return at
        velocity = self._projected(algorithms.constrained_velocity, goals, at, qd)[0]
        if qdd is None:
            return at, velocity
        return at, velocity, self._projected(algorithms.constrained_acceleration, goals, at, velocity, qdd)[0]

    def impulse(self, q: ArrayLike, qd: ArrayLike, restitution: float = 0.0, *, targets: Targets = None) -> Impulse:
        """The jump of the velocity when the constraints close at once, at a position that keeps them.

        H (qd' - qd) = L^T impulses with L qd' = 0: what violates the constraints is lost, the rest of the motion is
        kept. With ``restitution`` e it is L qd' = -e L qd: the constraints spring open again.
        """
        e = given.number(restitution, "restitution")
        if not 0.0 <= e <= 1.0:
            raise ModelError(f"restitution must be from 0 to 1, not {e:g}")
        after, impulses = self._projected(algorithms.constrained_velocity, self._target_array(targets), q, qd)
        before = self._array("qd", qd)
        return Impulse(after + e * (after - before), (1.0 + e) * impulses)

    def random(self, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()) -> Array:
        """Positions (*size, nq) that keep the constraints, reached by `assemble` from random positions of the tree."""
        return self.assemble(configuration.random(self, rng, size))

    # ---- inside

    def _projected(self, algorithm: Any, goals: Array | None, *state: ArrayLike) -> tuple[Array, Array]:
        """The result of a projection, and its multipliers."""
        more = {} if goals is None else {"targets": goals}
        value, multipliers = self._whole(algorithm, more)(*state, *more.values())
        return value, multipliers

    def _samples(self, q: Array, goals: Array | None) -> tuple[Array, Array | None, tuple[int, ...]]:
        """Positions (samples, nq) and targets (samples, targets, 3) of a batch, and the shape of its positions."""
        lead = np.broadcast_shapes(q.shape[:-1], () if goals is None else goals.shape[:-2])
        flat = np.broadcast_to(q, (*lead, self.nq)).reshape(-1, self.nq).copy()
        if goals is not None:
            goals = np.broadcast_to(goals, (*lead, *goals.shape[-2:])).reshape(-1, *goals.shape[-2:])
        return flat, goals, (*lead, self.nq)

    def _nearest(self, q: Array) -> Array | None:
        """The consistent position that Newton's steps from q (nq,) lead to; None if they lead to none."""
        correction, sizes = self._whole(algorithms.constraint_correction, {}), self._ranks(q).sizes
        for _ in range(NEWTON):
            if np.linalg.norm(self._error(q, None) / sizes) <= 1e-11:
                return q
            q = np.asarray(self.integrate(q, correction(q)))
        return None

    def _elsewhere(self, q: Array, rng: np.random.Generator, spread: float, newton: Newton) -> Array:
        """Positions part of the way to random ones; coordinates that are fixed stay."""
        to = self.difference(q, configuration.random(self, rng, (len(q),), limits=newton.limits))
        to = np.where(newton.fixed_mask, 0.0, to)
        return np.asarray(self.integrate(q, spread * to))

    def _assembled(self, q: Array, error: Array, tolerance: float, shape: tuple[int, ...], newton: Newton) -> Array:
        """The positions found, with NaN for samples that are not assembled."""
        failed = ~(error <= tolerance)
        finite = np.isfinite(q).all(axis=-1)
        if failed.any():
            k = int(np.nanargmin(np.where(failed & finite, error, np.inf)))
            if (failed & finite).any():
                text, size = newton.failure(q[k], k)
                if failed.all():
                    raise AssemblyError(text, q=q[k], error=size)
                warn(ModelWarning(f"{text}. {failed.sum()} of {len(q)} samples are NaN"))
            q = np.where(failed[:, None], np.nan, q)
        return np.asarray(q.reshape(shape))
