"""Dry friction in a step of time, found together with the velocity at its end: it stops joints and never drives them.

Where friction is left out a step ends with the velocity u. With it, it ends with the velocity v of

    H (v - u) = -h sum_j L_j v_j / sqrt(v_j^2 + e_j^2) + G^T lambda,    G v = G u  for a closed robot

where L_j is the level of friction and e_j its threshold. That is the minimum of the convex function

    (v - u)^T H (v - u) / 2 + h sum_j L_j sqrt(v_j^2 + e_j^2)

Newton's method looks for it. It begins with the lower of two guesses: that all joints stick, and that each goes on to
stick or slip as it does. Where a step of it leads up, the next one takes h L_j / sqrt(v_j^2 + e_j^2) for the slope of
friction, which always leads down. The number of steps is fixed; after however few, v has no more kinetic energy than u.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sixd.algorithms import crba
from sixd.algorithms.constraint_ranks import row_tolerances
from sixd.algorithms.constraints import constraint_jacobian
from sixd.algorithms.guarded import dot
from sixd.algorithms.schur_complement import SchurComplement
from sixd.ops import Scalar, absolute, divide, sqrt, where
from sixd.simulation.forces.element import Resistance
from sixd.simulation.moment import Moment

__all__ = ["Braked", "brake"]

Numbers = list[Scalar]
#: Steps towards the minimum after the first guess.
STEPS = 6
#: The threshold of friction that has none, rad/s or m/s: a joint that it holds creeps more slowly.
HELD = 1e-5
#: A work that is none, J: its inverse is still a number.
LEAST = 1e-300


class Braked(NamedTuple):
    """The velocity after friction, the friction forces of each source, by degree of freedom, and H (v - u)."""

    qd: Numbers
    tau: list[dict[int, Scalar]]
    impulse: Numbers

    def works(self, mean: Sequence[Scalar], h: Scalar) -> Numbers:
        """The work of the friction of each source in a step with this mean velocity.

        All of it is (v - u)^T H mean, what the motion really lost. Where the fixed number of steps did not find v
        exactly, the forces of the law differ from that: the rest is shared in proportion to their works.
        """
        found: Numbers = [sum((h * x * mean[k] for k, x in tau.items()), 0.0) for tau in self.tau]
        rest = dot(self.impulse, mean) - sum(found)
        sizes = [absolute(x) for x in found]
        size = sum(sizes)
        size = where(size > LEAST, size, 1.0)
        return [x + rest * divide(each, size) for x, each in zip(found, sizes, strict=True)]


def brake(moment: Moment, friction: Sequence[Mapping[int, Resistance]], free: Sequence[Scalar], h: Scalar) -> Braked:
    """The end of a step of length h that ends with the velocity ``free`` without the friction of some sources."""
    problem = _Problem(moment, [item for found in friction for item in found.items()], free, h)
    v = problem.solution()
    tau = [{k: -_held(r).at(v[k]) for k, r in found.items()} for found in friction]
    return Braked(v, tau, problem.momentum(v))


def _held(resistance: Resistance) -> Resistance:
    return resistance if resistance.threshold else resistance._replace(threshold=HELD)


class _Problem:
    """The minimum of the function above."""

    def __init__(
        self, moment: Moment, friction: Sequence[tuple[int, Resistance]], free: Sequence[Scalar], h: Scalar
    ) -> None:
        tree = moment.tree
        q = tree.positions(moment.q)
        self.friction = [(k, h * r.level, _held(r).threshold) for k, r in friction]
        self.free, self.before = list(free), moment.qd
        self.H, self.parents = crba(tree, q).rows, moment.model.dof_parent
        self.G = constraint_jacobian(tree, q).rows
        self.tolerances = row_tolerances(tree, q, self.G)

    def solution(self) -> Numbers:
        """v after some steps."""
        stick, goes_on = self._guess([0.0] * len(self.free)), self._guess(self.before)
        v = _chosen(self._rise(goes_on, stick) < 0.0, stick, goes_on)
        lower = None
        for _ in range(STEPS):
            newton, safe, gradient = self._slopes(v)
            new = self._moved(v, newton if lower is None else _chosen(lower, newton, safe), gradient)
            lower = self._rise(v, new) < 0.0
            v = _chosen(lower, new, v)
        return v if self.G else self._not_faster(v)

    def _guess(self, v: Sequence[Scalar]) -> Numbers:
        """The end of the step if friction is proportional to the velocity, as much so as it is at v."""
        _, safe, _ = self._slopes(v)
        return self._moved(self.free, safe, [w * u for w, u in zip(safe, self.free, strict=True)])

    def _moved(self, v: Sequence[Scalar], slopes: Sequence[Scalar], gradient: Sequence[Scalar]) -> Numbers:
        """v - (H + slopes)^-1 gradient, along the constraints."""
        H = [list(row) for row in self.H]
        for k in {k for k, _, _ in self.friction}:
            H[k][k] = H[k][k] + slopes[k]
        system = SchurComplement(H, self.G, self.tolerances, self.parents)
        step = system.solve([0.0] * len(self.G), [-x for x in gradient]).x
        return [a + b for a, b in zip(v, step, strict=True)]

    def _slopes(self, v: Sequence[Scalar]) -> tuple[Numbers, Numbers, Numbers]:
        """The slopes of friction for Newton's method, those that lead down, and the gradient."""
        newton: Numbers = [0.0] * len(v)
        safe: Numbers = [0.0] * len(v)
        gradient = self.momentum(v)
        for k, most, e in self.friction:
            square = v[k] * v[k] + e * e
            slope = divide(most, sqrt(square))
            newton[k], safe[k] = newton[k] + divide(slope * (e * e), square), safe[k] + slope
            gradient[k] = gradient[k] + slope * v[k]
        return newton, safe, gradient

    def momentum(self, v: Sequence[Scalar]) -> Numbers:
        """H (v - u)."""
        change = [a - b for a, b in zip(v, self.free, strict=True)]
        return [dot(row, change) for row in self.H]

    def _rise(self, v: Sequence[Scalar], new: Sequence[Scalar]) -> Scalar:
        """How much larger the function to be made least is at ``new`` than at v, to some digits however close they are.

        d^T H (v + d / 2 - u) + h sum_j L_j (s_j' - s_j), with d = new - v and s' - s = d (v' + v) / (s' + s).
        """
        change = [b - a for a, b in zip(v, new, strict=True)]
        total = dot(change, self.momentum([0.5 * (a + b) for a, b in zip(v, new, strict=True)]))
        for k, most, e in self.friction:
            sizes = sqrt(v[k] * v[k] + e * e) + sqrt(new[k] * new[k] + e * e)
            total = total + divide(most * change[k] * (v[k] + new[k]), sizes)
        return total

    def _not_faster(self, v: Numbers) -> Numbers:
        """v, or so much of it that it has no more kinetic energy than u: v^T H v <= v^T H u holds at the minimum."""
        own, common = (dot(v, [dot(row, x) for row in self.H]) for x in (v, self.free))
        positive = where(common > 0.0, common, 0.0)
        share = where(own > common, divide(positive, where(own > 0.0, own, 1.0)), 1.0)
        return [share * x for x in v]


def _chosen(first: Scalar, a: Sequence[Scalar], b: Sequence[Scalar]) -> Numbers:
    return [where(first, x, y) for x, y in zip(a, b, strict=True)]
