"""Fields of force in world coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self, TypeAlias

import numpy as np

from sixd.dual import duals, rates
from sixd.errors import ArgumentError, ModelError
from sixd.given import described
from sixd.model import Model
from sixd.ops import Scalar, divide, where
from sixd.samples import as_samples
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment, sample_moment
from sixd.simulation.parts import Names, for_any_number, formula, is_scalar, joint_names, scalars, settle
from sixd.spatial import Matrix, Vector

__all__ = ["Field", "masses", "vector_from"]

#: The force and the gradient of the potential are compared at these places beside the first point that a field acts on,
#: m, at rest and at this velocity, m/s; and may differ by this share.
SLACK = 1e-3
_OFFSETS = ((0.31, -0.17, 0.23), (-0.13, 0.29, -0.41), (-0.83, -0.61, 0.47))
_SPEED = np.array([0.7, -0.4, 0.5])

#: Three numbers, for a place, a velocity and a time.
ForceLaw: TypeAlias = Callable[[Vector, Vector, Scalar], Any]
#: A number, for a place.
Potential: TypeAlias = Callable[[Vector], Scalar]


@register
@dataclass(frozen=True)
class Field(ForceElement):
    """A field of force, by a function of one's own: ``force(position, velocity, t)`` gives three numbers.

    Position, m, velocity, m/s, and result are in world coordinates, the first two a `sixd.spatial.Vector`. Without
    ``frames`` the result is a force per mass, m/s^2, on the centre of mass of every body; with them it is a force, N,
    at the origin of each of these frames. ``potential(position)`` is its energy, J/kg or J, if it has one: then the
    force must be its negative gradient, which is compared at some places near the robot. Both are written for any kind
    of number, like all that is compiled: no branch on a value, functions from `sixd.ops`.
    """

    name = "field"
    force: ForceLaw
    potential: Potential | None = None
    frames: Names = None

    def __post_init__(self) -> None:
        formula(self.force, "force", "force(position, velocity, t)", 3)
        if self.potential is not None:
            formula(self.potential, "potential", "potential(position)", 1)
        settle(self, frames=joint_names(self.frames, "frames"))

    @property
    def law(self) -> EnergyLaw:
        return "active" if self.potential is None else "conservative"

    def check(self, model: Model) -> None:
        super().check(model)
        if self.potential is not None:
            moment = sample_moment(model, {})
            with np.errstate(all="ignore"):
                for body, r, _ in islice(self._points(moment), 1):
                    place = moment.position(body, r)
                    for offset in _OFFSETS:
                        self._compare(self.potential, place + Vector(offset))

    def _compare(self, potential: Potential, place: Vector) -> None:
        """Raise if at a place the force is not the negative gradient of the potential, or later has power beside it."""
        units = Matrix.identity(3).rows
        place = Vector(map(_sample, place))
        with for_any_number("the potential of a field"):
            found = [potential(Vector(duals(place.entries, unit))) for unit in units]
        slope = rates(map(_number, found), 0)
        for speed, t in ((np.zeros(3), 0.0), (_SPEED, 1.3)):
            with for_any_number("the force of a field"):
                value = self.force(place, Vector(map(_sample, speed)), _sample(t))
            force = vector_from(value, "the force of a field")
            f, g = np.array([float(x) for x in force]), np.array([float(x) for x in slope])
            beside = abs((f + g) @ speed) if speed.any() else np.abs(f + g).max()
            if np.isfinite(beside) and beside > SLACK * np.abs([f, g]).max():
                where = f"position {np.array(place.array(), dtype=float)}, velocity {speed} and t = {t:g} s"
                remedy = (
                    "at rest it is: make what depends on velocity or time, such as drag, a second element, without "
                    "potential"
                    if speed.any()
                    else "correct one of them, or leave out the potential"
                )
                raise ModelError(
                    f"the force of a field is not the negative gradient of its potential: at {where} the force is {f}, "
                    f"the negative gradient {-g}; {remedy}"
                )

    def apply(self, moment: Moment, loads: Loads) -> None:
        for body, r, share in self._points(moment):
            position, velocity = moment.position(body, r), moment.velocity(body, r)
            f = vector_from(self.force(position, velocity, moment.t), "the force of a field")
            loads.at_point(moment, body, r, f * share)

    def energy(self, moment: Moment) -> Scalar:
        E: Scalar = 0.0
        if self.potential is not None:
            for body, r, share in self._points(moment):
                E = E + share * _number(self.potential(moment.position(body, r)))
        return E

    def _points(self, moment: Moment) -> Iterator[tuple[int, Vector, Scalar]]:
        """The body, the place on it, and the factor of the field, for every point that it acts on."""
        if self.frames is None:
            yield from masses(moment.model)
        else:
            for name in self.frames:
                frame = moment.frame(name)
                yield frame.body, frame.offset.r, 1.0

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(_well, _hollow), cls(_swirl, frames=model.frames[-1].name)]


def masses(model: Model) -> Iterator[tuple[int, Vector, Scalar]]:
    """Every moving body that has a mass: its number, its centre of mass in its own coordinates, its mass.

    Where masses differ from sample to sample, all bodies are there, and one without mass has its centre at its origin.
    """
    for i, body in enumerate(model.body_list[1:], start=1):
        m, h = body.inertia.m, body.inertia.h
        if isinstance(m, float | int) and not m > 0.0:
            continue
        yield i, Vector(where(m > 0.0, divide(x, where(m > 0.0, m, 1.0)), 0.0) for x in h), m


def vector_from(value: Any, what: str) -> Vector:
    """What a function of a user returned, as three numbers."""
    return Vector(scalars(value, f"the function of {what}", 3))


def _sample(x: Any) -> Any:
    """A number of a check: it divides by zero, and its comparisons are numbers."""
    return as_samples(np.asarray(x))


def _number(value: Any) -> Any:
    """What a potential of a user returned, if it is one number."""
    if not is_scalar(value):
        raise ArgumentError(f"the potential of a field is one number, but the function returned {described(value)}")
    return value


def _well(p: Vector, v: Vector, t: Scalar) -> Vector:
    """A field that pulls towards the z axis, the harder the farther away: an example."""
    x, y, _ = p
    return Vector((x, y, 0.0)) * (-2.0 * (x * x + y * y))


def _hollow(p: Vector) -> Scalar:
    """The potential of `_well`."""
    square = p[0] * p[0] + p[1] * p[1]
    return 0.5 * square * square


def _swirl(p: Vector, v: Vector, t: Scalar) -> Vector:
    """A field that turns with time and has no potential: an example."""
    return Vector((-p[1] * t, p[0], -0.1 * v[2]))
