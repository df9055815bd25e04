"""A linearly implicit integrator, for stiff springs, dampers and controllers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, sqrt
from typing import Any, ClassVar

from sixd import algorithms
from sixd.algorithms.constraint_factors import ConstraintFactors
from sixd.algorithms.guarded import dot
from sixd.compiler.derivatives import Derivative
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.integrators.integrator import Integrator, plus, register
from sixd.simulation.linear import factorized, solved
from sixd.simulation.system import Numbers, Rates, State, System, array_of

__all__ = ["Implicit"]


@register
class Implicit(Integrator):
    """A Rosenbrock method of second order that is L-stable: motions too fast for the step die out, as they should.

    J. G. Verwer et al., "A second-order Rosenbrock method applied to photochemical dispersion problems", 1999:

        (1 - g h A) k1 = f(x),  (1 - g h A) k2 = f(x + h k1) - 2 k1,  x' = x + h (3 k1 + k2) / 2,  g = 1 - 1 / sqrt(2)

    For x = (way, qd) and A = df/dx, each of the two systems is one of nv equations, the same matrix for both:

        (M - g h F_v - (g h)^2 F_q) k = M r + g h F_q s

    F_q and F_v are the derivatives of all joint forces, inertial ones included, by position and velocity. They are
    exact: by `rnea_derivatives`, and automatic derivatives of force elements and controllers.

    With constraints L qd = 0, k - r is what these equations with multipliers give: L (k - r) = 0. How L changes with
    the position is left out, which the method allows: it has order 2 for every matrix A.

    Of the forces F = sum_i F_i of all sources, the step applies by these equations, with M' that of x + h k1,

        M (qd' - qd) = h / 2 sum_i [F_i(x) + M M'^-1 F_i(x + h k1) + g h dF_i/dx (k1 + k2)] + ...

    Each source's work is its summand times (qd + qd') / 2, so that all works add up to the change of kinetic energy,
    also those of forces so stiff that their power at x and at x + h k1 tells nothing of the power in between.
    """

    name, order, fastest, fastest_swing, damps = "implicit", 2, inf, inf, True
    G: ClassVar[float] = 1.0 - 1.0 / sqrt(2.0)

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        n, g = len(state.qd), self.G * h
        first = system.rates(t, state.q, None, state.qd)
        M, F_q, F_v = self._slopes(system, t, state, first.qdd)
        matrix = [[M[i][j] - g * (F_v[i][j] + g * F_q[i][j]) for j in range(n)] for i in range(n)]
        factors = factorized(matrix)
        constraints = None if system.closed is None else _Constraints(factors, system.closed.at(state.q))

        def solve(rates: Rates) -> tuple[Numbers, Numbers]:
            """(1 - g h A)^-1 applied to rates of way and velocity."""
            k = solved(factors, plus(_times(M, rates.qdd), (g, _times(F_q, rates.way))))
            if constraints is not None:
                k = plus(rates.qdd, (1.0, constraints.kept(plus(k, (-1.0, rates.qdd)))))
            return plus(rates.way, (g, k)), k

        way, k1 = solve(first)
        second = system.rates(t + h, state.q, [h * x for x in way], plus(state.qd, (h, k1)))
        rest = Rates(plus(second.way, (-2.0, way)), plus(second.qdd, (-2.0, k1)), [])
        way2, k2 = solve(rest)
        half = 0.5 * h
        moved = [half * (3.0 * a + b) for a, b in zip(way, way2, strict=True)]
        after = State(system.move(state.q, moved), plus(state.qd, (3.0 * half, k1), (half, k2)), state.work)
        if not system.books:
            return after
        q, stage = system.move(state.q, [h * x for x in way]), plus(state.qd, (h, k1))

        def kept(q: Numbers, v: Numbers) -> Numbers:
            """The velocity nearest to v under which constraints at q do no work but that of prescribed motion."""
            return v if system.closed is None else system.closed.velocity(t + half, q, v)

        mean = kept(state.q, [0.5 * (a + b) for a, b in zip(state.qd, after.qd, strict=True)])
        begins = _Powers(system, t, mean)
        ends = _Powers(system, t + h, kept(q, system.velocity(q, _times(M, mean))))
        slopes = begins.along(state, plus(way, (1.0, way2)), plus(k1, (1.0, k2)))
        work = plus(state.work, (half, begins.at(state.q, state.qd)), (half, ends.at(q, stage)), (half * g, slopes))
        return after._replace(work=work)

    @staticmethod
    def _slopes(system: System, t: Scalar, state: State, qdd: Numbers) -> tuple[Any, Any, Any]:
        """M, and the derivatives of joint forces by position (in the tangent space) and by velocity.

        Inertial forces are differentiated with the loads held fixed, then the loads with all else held fixed.
        """
        model, q, qd, a = system.model, array_of(state.q), array_of(state.qd), array_of(qdd)
        moment = system.moment(t, state.q, state.qd)
        held = system.forces(system.loads(moment)) if system.elements else None
        inertial: Any = algorithms.rnea_derivatives(model, q, qd, a, held)
        M, F_q, F_v = inertial.dqdd, -inertial.dq, -inertial.dqd
        if system.elements or system.controller is not None:

            def loads(_: Model, q: Any, qd: Any) -> Any:
                there = system.moment(t, list(q), list(qd))
                parts = system.loads(there)
                forces = system.forces(parts) if system.elements else None
                tau = system.total(parts).tau
                by_bodies = algorithms.rnea(model, array_of(state.q), array_of(state.qd), a, forces)
                return array_of([x - y for x, y in zip(tau, by_bodies, strict=True)])

            by_q, by_qd = Derivative("jacobian", loads, ("q", "qd"), tangent=True)(model, q, qd)
            F_q, F_v = F_q + by_q, F_v + by_qd
        return M.tolist(), F_q.tolist(), F_v.tolist()


class _Powers:
    """The power that the forces of each source would have, did the robot move with the velocity ``v`` under them."""

    def __init__(self, system: System, t: Scalar, v: Numbers) -> None:
        self.system, self.t, self.v = system, t, v

    def at(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Numbers:
        """Those of the forces at a state."""
        moving = self.system.moment(self.t, q, self.v)
        return [part.power(moving) for part in self.system.loads(self.system.moment(self.t, q, qd))]

    def along(self, state: State, dq: Numbers, dqd: Numbers) -> Numbers:
        """How they change with the state in this direction."""

        def powers(_: Model, q: Any, qd: Any) -> Any:
            return array_of(self.at(list(q), list(qd)))

        change = Derivative("jvp", powers, ("q", "qd"), tangent=True)
        return list(change(self.system.model, *(array_of(x) for x in (state.q, state.qd, dq, dqd))))


class _Constraints:
    """The constraints L x = 0 on the solutions x of W x = b + L^T lambda. Rows that depend on others are left out."""

    def __init__(self, factors: Any, change: ConstraintFactors) -> None:
        self.rows, self.counts = change.L, change.independent
        self.responses = [solved(factors, row) for row in self.rows]  # W^-1 L^T
        schur = [
            [dot(row, y) * a * b for y, b in zip(self.responses, self.counts, strict=True)] for row, a in self._each
        ]
        for k, count in enumerate(self.counts):
            schur[k][k] = schur[k][k] + (1.0 - count)
        self.schur = factorized(schur)

    @property
    def _each(self) -> Iterator[tuple[Sequence[Scalar], Scalar]]:
        return zip(self.rows, self.counts, strict=True)

    def kept(self, x: Numbers) -> Numbers:
        """x = W^-1 b without constraints as it is with them."""
        forces = solved(self.schur, [-count * dot(row, x) for row, count in self._each])
        return plus(x, *zip(forces, self.responses, strict=True))


def _times(matrix: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> Numbers:
    """A matrix times a vector."""
    found = []
    for row in matrix:
        total: Scalar = 0.0
        for a, b in zip(row, x, strict=True):
            total = total + a * b
        found.append(total)
    return found
