"""The equations of motion of a closed robot in independent coordinates."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.errors import ModelError
from sixd.ir import TooLargeError
from sixd.robot.closed.actuation import ActuationMethods
from sixd.robot.closed.constraints import Targets
from sixd.robot.closed.dofs import warn_of_undetermined
from sixd.robot.evaluator import BODY, NAMED, Method

__all__ = ["ReducedDynamics", "ReducedDynamicsMethods"]

Array = NDArray[Any]
#: The most nodes of a kernel here. A Stewart platform has 54,000, compiled in twenty seconds.
LARGEST = 250_000


class ReducedDynamics(NamedTuple):
    """H y'' + C + g = G^T tau, for the m independent degrees of freedom y of a closed robot."""

    #: The mass matrix, (..., m, m).
    H: Array
    #: Coriolis and centrifugal forces, (..., m).
    C: Array
    #: The forces that gravity takes, (..., m).
    g: Array
    #: How all degrees of freedom move along, (..., nv, m): qd = G y'.
    G: Array
    #: The accelerations at y'' = 0, (..., nv): qdd = G y'' + drift.
    drift: Array


NAMED[algorithms.constrained_reduced_dynamics] = ReducedDynamics


class ReducedDynamicsMethods(ActuationMethods):
    """Methods of a closed robot in as many coordinates as it has freedoms."""

    def reduced_dynamics(
        self, q: ArrayLike, qd: ArrayLike, *, independent: Any = None, targets: Targets = None
    ) -> ReducedDynamics:
        """Mass matrix, Coriolis and gravity forces in m independent coordinates: H y'' + C + g = G^T tau.

        FO00 3.4, its method 3: projection to the motions that keep the constraints, whose forces vanish from the
        equations. y are ``independent`` joints by name, or degrees of freedom by number, as many as the robot has; by
        default those of `independent`. All others follow: qd = G y' and qdd = G y'' + drift, where drift, C and
        Baumgarte's terms are as in `forward_dynamics`. A force f at a frame adds G^T J^T f on the right.

        q and qd should keep the constraints. With ``targets``, prescribed motions, qd is not G y' alone, but the
        equations and qdd = G y'' + drift hold. Samples in which these coordinates do not determine the others are NaN,
        with a warning; `SingularError` is raised if all are.
        """
        free = self._independent(independent)
        more = self._more(q, None, BODY, targets)
        found: ReducedDynamics = self._reduced(algorithms.constrained_reduced_dynamics, more, free)(
            q, qd, *more.values()
        )
        if self.may_be_singular:
            found = ReducedDynamics._make(map(partial(self._if_regular, q), found, (2, 1, 1, 2, 1)))
        warn_of_undetermined(self, found.G, 2, (q, qd), free)
        return found

    def _if_regular(self, q: ArrayLike, result: Array, rank: int) -> Array:
        """A result with NaN where the mass matrix of the tree is singular; `SingularError` if it is everywhere."""
        return self._without_singular(q, result, rank, None)

    def _reduced(self, algorithm: Any, more: dict[str, Array], free: tuple[int, ...], **options: Any) -> Method:
        """The method of an algorithm in independent degrees of freedom, of which there must be some."""
        if not free:
            raise ModelError(f"no freedom is left to {self.name or 'this robot'}: its constraints hold it still")
        key = algorithm, free, *options.values(), *more
        found = self._code.get(key)
        if found is None:
            try:
                found = self._code.add(key, algorithm, {"independent": free, **options}, self._shapes(more), LARGEST)
            except TooLargeError:
                raise self._too_large_for(f"its equations in {len(free)} independent coordinates") from None
        return found

    def _too_large_for(self, what: str) -> TooLargeError:
        return TooLargeError(
            f"{self.name or 'this robot'} is too large for {what}: they would take more than {LARGEST:,} operations; "
            "forward_dynamics takes robots of any size"
        )
