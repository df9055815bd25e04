"""`Contacts`: what of a robot touches what, and by which law."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import Signature
from typing import Any, Self

from sixd.errors import ArgumentError, ChoiceError, ModelError
from sixd.given import choice, described, instance, words
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.grounds import Ground, Plane
from sixd.simulation.contact.laws import LAWS, ForceLaw, ImpulseLaw, Law
from sixd.simulation.contact.shapes import Point, Shape, Sphere
from sixd.simulation.contact.sites import Site, Touch, sites_of, touches
from sixd.simulation.content import Computing, Reader, UnknownError
from sixd.simulation.forces.element import EnergyLaw, ForceElement, Resistance
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import need_each_once
from sixd.simulation.signatures import signature_of
from sixd.simulation.system import Resolved, array_of
from sixd.spatial import Vector

__all__ = ["ContactForces", "Contacts"]


@dataclass(frozen=True)
class Contacts(Computing):
    """The contact of a robot with the ground: shapes at its frames, the ground, and a law.

    >>> Contacts([Sphere("ball", 0.1)], Plane(), "rigid")
    >>> Contacts([Point("toe"), Point("heel")], HeightField(Slope(0.2)), Compliant(stiffness=1e5))

    ``law`` is the name of a law with its usual parameters, "compliant" or "rigid", or one with its own. Frozen data:
    two equal ones are the same. Bodies do not touch one another, and there are no meshes: `sixd.layouts` leads to
    MuJoCo, which has both.
    """

    #: What can touch the ground.
    shapes: tuple[Shape, ...]
    #: What is touched; the floor z = 0 if none is given.
    ground: Ground
    #: How the ground answers.
    law: Law

    def __init__(self, shapes: Iterable[Shape], ground: Ground | None = None, law: Law | str = "compliant") -> None:
        if isinstance(shapes, Shape) or not isinstance(shapes, Iterable):
            raise ArgumentError(f"shapes must be a list of shapes, such as [Point('foot')], not {described(shapes)}")
        listed = tuple(shapes)
        for shape in listed:
            if not isinstance(shape, Shape):
                raise ArgumentError(f"each of the shapes must be one such as Point('foot'), not {described(shape)}")
        ground = Plane() if ground is None else ground
        if not isinstance(ground, Ground):
            raise ArgumentError(f"ground must be a Plane() or a HeightField(...), not {described(ground)}")
        law = law if isinstance(law, Law) else LAWS[choice(law, "law", LAWS)]()
        need_each_once(listed, "bear its load")
        if not listed and not getattr(law, "joint_friction", False):
            raise ModelError("contacts need at least one shape, such as Contacts([Point('foot')])")
        for name, value in (("shapes", listed), ("ground", ground), ("law", law)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        robot: Model,
        frames: Iterable[str] | str,
        *,
        radius: float = 0.0,
        ground: Ground | None = None,
        law: str = "compliant",
        **parameters: Any,
    ) -> Self:
        """Points at frames of a robot, or spheres of a radius; ``parameters`` are those of the law.

        >>> Contacts.of(robot, ["LF_FOOT", "RF_FOOT"], law="rigid", friction=0.6)
        """
        instance(robot, "robot", Model, "sixd.load(...)")
        names, size = words(frames, "frames"), within(radius, "radius", 0.0)
        kind = LAWS[choice(law, "law", LAWS)]
        known = [field.name for field in fields(kind)]
        for name in parameters:
            if name not in known:
                raise ChoiceError(f"{law} contact has no parameter {name!r}: it has {', '.join(known)}")
        found = cls([Sphere(n, size) if size else Point(n) for n in names], ground, kind(**parameters))
        found.sites(robot)
        return found

    def sites(self, model: Model) -> tuple[Site, ...]:
        """Where the model can touch the ground. Unknown frames raise, and frames that never move."""
        return sites_of(model, self.shapes)

    def names(self, model: Model) -> tuple[str, ...]:
        """The names of the sites: that of the frame, with the corner or the end if the shape has several."""
        return tuple(site.name for site in self.sites(model))

    def touches(self, moment: Moment) -> list[Touch]:
        """All sites at one instant: how far they are from the ground, and its axes there."""
        return touches(moment, self.sites(moment.model), self.ground)

    @property
    def is_rigid(self) -> bool:
        """Whether velocities jump: then only integrators that ask for it can be used."""
        return isinstance(self.law, ImpulseLaw)

    def content(self, reader: Reader) -> Hashable:
        """What contact computes: by the data of its parts; by a recording of a ground that users write."""
        key = type(self), reader.key(self.shapes), reader.key(self.law)
        try:
            return (*key, reader.key(self.ground))
        except UnknownError:
            radii = tuple(dict.fromkeys(ball.radius for shape in self.shapes for ball in shape.balls()))
            return (*key, radii, reader.recorded(_Surface(self.ground, radii), {"p": (3,)}, [self.ground]))

    # ---- what a simulation asks

    def elements(self) -> tuple[ForceElement, ...]:
        """The force elements that a simulation adds to those it was given."""
        return (ContactForces(self),) if isinstance(self.law, ForceLaw) else ()

    def memory(self, model: Model) -> int:
        """How many numbers a step hands on: the force on each site along the world's axes, N, then the law's own.

        Those of the dry friction of other sources follow.
        """
        return 3 * len(self.sites(model)) + self.law.memory(model)

    def forces(self, moment: Moment) -> list[Scalar]:
        """The forces of a `ForceLaw`, three for each site along the world's axes, N."""
        law = self.law
        assert isinstance(law, ForceLaw)
        return [x for touch in self.touches(moment) for x in touch.force(law.force(moment, touch))]

    def resolve(
        self,
        moment: Moment,
        free: Sequence[Scalar],
        h: Scalar,
        memory: Sequence[Scalar],
        friction: Sequence[Mapping[int, Resistance]] = (),
    ) -> Resolved:
        """The end of a step under an `ImpulseLaw`; ``free`` is the velocity there without contact and dry friction."""
        law = self.law
        assert isinstance(law, ImpulseLaw)
        return law.resolve(moment, self.touches(moment), free, h, memory, friction)

    def power(self, moment: Moment, memory: Sequence[Scalar]) -> Scalar:
        """The work per time of what an `ImpulseLaw` hands on, W."""
        law, total = self.law, 0.0
        assert isinstance(law, ImpulseLaw)
        for k, touch in enumerate(self.touches(moment)):
            v = touch.force(touch.velocity(moment))
            total = total + sum((a * b for a, b in zip(memory[3 * k :], v, strict=False)), 0.0)
        return total + law.power(moment, memory[3 * len(self.sites(moment.model)) :])

    def check(self, model: Model, takes_impulses: bool, able: Iterable[str]) -> None:
        """Raise unless the model has all frames and the integrator can carry out the law.

        ``takes_impulses`` tells whether it asks for impulses, and ``able`` are the names of those that do.
        """
        self.sites(model)
        if self.is_rigid and not takes_impulses:
            fit = ", ".join(map(repr, able))
            raise ChoiceError(
                f"{self.law.name} contact changes velocities at once, which this integrator does not provide for: "
                f"use {fit}, or law='compliant'"
            )


@dataclass(frozen=True)
class _Surface:
    """The ground below points and balls, as a function of a place: ``f(model, p)``."""

    ground: Ground
    radii: tuple[float, ...]
    __name__ = "ground"

    @property
    def __signature__(self) -> Signature:
        return signature_of("p")

    def __call__(self, model: Model, p: Any) -> Any:
        place = Vector(p)
        found = [self.ground.nearest(place), *(self.ground.below_ball(place, radius) for radius in self.radii)]
        return array_of([x for gap, axes in found for x in (gap, *(y for axis in axes for y in axis))])


@dataclass(frozen=True)
class ContactForces(ForceElement):
    """Contact by a law that gives forces, as a force element."""

    name = "contact"
    contacts: Contacts

    @property
    def law(self) -> EnergyLaw:
        law = self.contacts.law
        assert isinstance(law, ForceLaw)
        return law.energy_law

    def apply(self, moment: Moment, loads: Loads) -> None:
        law = self.contacts.law
        assert isinstance(law, ForceLaw)
        for touch in self.contacts.touches(moment):
            X = moment.X[touch.site.body]
            point: Vector = X.E @ (touch.point - X.r)
            loads.at_point(moment, touch.site.body, point, touch.force(law.force(moment, touch)))

    def energy(self, moment: Moment) -> Scalar:
        law = self.contacts.law
        assert isinstance(law, ForceLaw)
        return sum((law.energy(touch) for touch in self.contacts.touches(moment)), 0.0)
