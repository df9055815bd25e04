"""A base that moves in a given way: a robot on a ship, a shaking table, a turntable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, Self, TypeAlias

from sixd.dual import moving, rates
from sixd.errors import ArgumentError, ShapeError
from sixd.given import described, finite, numbers
from sixd.model import Model
from sixd.ops import Scalar, sin
from sixd.simulation.forces.element import ForceElement, register
from sixd.simulation.moment import BaseState, Loads, Moment
from sixd.simulation.parts import amount, for_any_number, formula, settle
from sixd.spatial import Force, Motion, Transform, Vector

__all__ = ["MovingBase", "Oscillation", "PolynomialMotion", "inertial_forces"]

#: Roll, pitch, yaw and position x, y, z of the base in the world, at a time: six numbers.
MotionOfTime: TypeAlias = Callable[[Scalar], Any]


@dataclass(frozen=True)
class Oscillation:
    """Six coordinates that swing: a sin(2 pi f t + phase), for roll, pitch, yaw (rad) and x, y, z (m).

    ``frequency`` is f, Hz: one number or six, like ``phase``, rad.
    """

    amplitude: Sequence[float]
    frequency: float | Sequence[float]
    phase: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        settle(self, amplitude=finite(self.amplitude, "amplitude", 6))
        for item in ("frequency", "phase"):
            value = getattr(self, item)
            several = (amount(value, item),) * 6 if isinstance(value, float | int) else finite(value, item, 6)
            settle(self, **{item: several})

    def __call__(self, t: Scalar) -> list[Scalar]:
        each = zip(self.amplitude, self._all(self.frequency), self._all(self.phase), strict=True)
        return [a * sin(2.0 * pi * f * t + phase) if a else 0.0 for a, f, phase in each]

    def _all(self, values: float | Sequence[float]) -> Sequence[float]:
        return values if isinstance(values, Sequence) else (values,) * 6


@dataclass(frozen=True)
class PolynomialMotion:
    """Six polynomials of time for roll, pitch, yaw (rad) and x, y, z (m): each by its coefficients, the constant first.

    ``((0,), (0,), (0, 1.5), (0,), (0,), (0.2,))`` turns about z with 1.5 rad/s, 0.2 m above the world's origin.
    """

    coefficients: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        rows: Any = self.coefficients
        if isinstance(rows, str) or not isinstance(rows, Iterable):
            raise ArgumentError(f"coefficients must be six polynomials, not {described(rows)}")
        found = tuple(numbers(row, "a polynomial") for row in rows)
        if len(found) != 6 or not all(found):
            raise ShapeError(f"coefficients must be six polynomials of at least one number, not {described(found)}")
        settle(self, coefficients=tuple(finite(row, "a polynomial", len(row)) for row in found))

    def __call__(self, t: Scalar) -> list[Scalar]:
        found: list[Scalar] = []
        for row in self.coefficients:
            value: Scalar = row[-1]
            for c in reversed(row[:-1]):
                value = value * t + c
            found.append(value)
        return found


@register
@dataclass(frozen=True)
class MovingBase(ForceElement):
    """A base that moves in a given way, whatever the robot does: v_0 and a_0 of FO00 (1)-(8).

    ``motion(t)`` gives roll, pitch, yaw (URDF's, rad) and position x, y, z (m) of the base in the world at time t:
    an `Oscillation`, a `PolynomialMotion` or a function of one's own, for any kind of number. Velocity and acceleration
    are its derivatives, by dual numbers.

    The equations of motion are written in base coordinates, where gravity turns and each body feels `inertial_forces`.
    ``moment.X`` and ``moment.v`` are those in the world, so that springs,
    drag and contact with what stands still are right. q and qd, and the energies of the robot, are relative to the
    base, and so is the work in the books of a simulation: that of this element is the work of the inertial forces.
    Contact must be compliant.
    """

    name = "moving_base"
    motion: MotionOfTime

    def __post_init__(self) -> None:
        formula(self.motion, "motion", "motion(t)", 1)

    def base(self, t: Scalar) -> BaseState:
        step, level = moving((1.0,), beside=(t,))
        v = self._velocity(t + step[0])
        a = Motion.from_components(rates(v.components(), level))
        return BaseState(self._pose(t), self._velocity(t), a)

    def apply(self, moment: Moment, loads: Loads) -> None:
        for i, f in enumerate(inertial_forces(moment, moment.base or self.base(moment.t))):
            loads.on_body(i, f)

    def _pose(self, t: Scalar) -> Transform:
        """X_B0 at a time."""
        with for_any_number("the motion of the base"):
            found = self.motion(t)
        if isinstance(found, str) or not hasattr(found, "__len__") or len(found) != 6:
            raise ShapeError(
                f"the motion of the base is six numbers (roll, pitch, yaw, x, y, z), but it is {described(found)}"
            )
        return Transform.from_rpy(list(found[:3]), list(found[3:]))

    def _velocity(self, t: Scalar) -> Motion:
        """v_0 in base coordinates: dE/dt = -(w x) E, and E dr/dt."""
        step, level = moving((1.0,), beside=(t,))
        X = self._pose(t + step[0])
        E, rate = self._pose(t).E, rates(X.components(), level)
        W = Transform.from_components(rate).E @ E.T
        w = Vector(0.5 * (W[i, j] - W[j, i]) for i, j in ((1, 2), (2, 0), (0, 1)))
        return Motion(w, E @ Vector(rate[9:]))

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        swell = Oscillation((0.1, 0.2, 0.05, 0.0, 0.3, 0.4), (0.2, 0.3, 0.1, 0.4, 0.5, 0.6), phase=0.4)
        turn = PolynomialMotion(((0.1,), (0.0,), (0.0, 1.5), (0.0,), (0.2, 0.1, 0.3), (0.2,)))
        return [cls(swell), cls(turn)]


def inertial_forces(moment: Moment, base: BaseState) -> list[Force]:
    """What a base that moves adds to the forces on bodies 0..N, in their coordinates, seen from it.

    For body i it is -(I (X a_0 + X v_0 x v_i) + V x* I V - v_i x* I v_i), with V = v_i + X v_0; X leads from base to
    body coordinates, v_i is relative to the base, and a_0 has the change of gravity along the base's axes in it.
    """
    g = Vector(moment.model.gravity)
    lifted = Motion(base.a.ang, base.a.lin - (base.X.E @ g - g))
    found = [Force.zero()]
    for i, body in enumerate(moment.model.body_list[1:], start=1):
        I, X, v = body.inertia, moment.X_base[i], moment.v_base[i]
        carried = X @ base.v
        V = v + carried
        found.append(-(I @ (X @ lifted + carried.cross(v)) + V.cross(I @ V) - v.cross(I @ v)))
    return found
