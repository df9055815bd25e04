"""What a constraint is: the contract that every kind fulfils, and the only thing algorithms know of constraints.

A constraint takes freedoms from a tree of bodies. It has ``rows`` equations in the velocities,

    T^T (v_b - v_a) + sum_j G_j qd_j = r,

where v_a and v_b are the velocities of its two frames, the columns of T are forces in coordinates of frame b, and G_j
are constant matrices for joints j. A kind uses the first term, the second, or both. The forces T lambda are what the
constraint exerts on frame b, and the opposite on frame a: F10a (33), FO00 (19). r is zero, except for rows whose
motion is prescribed.

To add a kind, write one file with a frozen dataclass and import it in ``constraints/__init__.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, ClassVar, Self

from sixd import given
from sixd.dual import moving, rates
from sixd.errors import ArgumentError, ModelError, PoseError, ShapeError
from sixd.lie import se3
from sixd.spatial import Force, Forces, Matrix, Motion, Transform, Vector
from sixd.stored import Stored

__all__ = ["CONSTRAINTS", "RANK", "Constraint", "placed", "unit_forces"]

#: Every kind of constraint by name, users' own included: a class joins when it is defined.
CONSTRAINTS: dict[str, type[Constraint]] = {}
#: The default of ``rank_tolerance``.
RANK = 1e-10


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint(Stored, ABC):
    """A constraint of a model: frozen data with its mathematics.

    ``stabilisation`` (alpha, beta), 1/s, are Baumgarte's factors: forward dynamics then solves for
    L qdd = c - 2 alpha (L qd - r) - beta^2 phi, so that errors of position and velocity decay; one number w stands for
    (w, w), critical damping. By default there is none.

    ``rank_tolerance`` decides when a row counts as redundant: if the square of the sine of the angle between it and the
    rows before it is less, with angles in the metric of the inverse mass matrix, times the square of the row relative
    to what it could be elsewhere (`sixd.algorithms.constraint_ranks`). With the default, 1e-10, a position that is 1e-6
    off does not lock an over-constrained mechanism, and a mechanism counts as singular where it is nearer than about
    1e-5, rad or lengths of the loop, to a singular position. Less than 1e-14 counts as that, which is rounding.
    """

    #: The name in the registry and in messages.
    kind: ClassVar[str]
    #: Whether T is constant in frame b, so that its rate is zero.
    constant_forces: ClassVar[bool] = False

    name: str = ""
    stabilisation: Any = (0.0, 0.0)
    rank_tolerance: float = RANK

    def __init_subclass__(cls) -> None:
        if "kind" in cls.__dict__:
            known = CONSTRAINTS.setdefault(cls.kind, cls)
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise TypeError(f"a kind of constraint named {cls.kind!r} exists already: {known.__qualname__}")
            CONSTRAINTS[cls.kind] = cls

    def __post_init__(self) -> None:
        """Make the common fields sound. Kinds call it after they have checked their own."""
        if not isinstance(self.name, str):
            raise ModelError(f"the name of a {self.kind} is text, not {given.described(self.name)}")
        self._put(name=self.name or " ".join([self.kind, *dict.fromkeys((*self.frames, *self.joints))]))
        what = f"constraint {self.name!r}"
        pair = self.stabilisation if isinstance(self.stabilisation, Iterable) else (self.stabilisation,) * 2
        factors = given.finite(pair, f"{what}: stabilisation (alpha, beta)", 2)
        if min(factors) < 0.0:
            raise ModelError(f"{what}: stabilisation (alpha, beta) must not be negative: {factors}")
        tolerance = given.number(self.rank_tolerance, f"{what}: rank_tolerance")
        if not 0.0 <= tolerance < 1.0:
            raise ModelError(f"{what}: rank_tolerance must be at least 0 and less than 1, not {tolerance}")
        self._put(stabilisation=factors, rank_tolerance=tolerance)

    def _put(self, **values: Any) -> None:
        """Set fields of this frozen record while it is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # ---- what it refers to

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of its frames a and b; () if it has none."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of its joints, in the order of `coefficients`."""
        return ()

    @property
    def offset(self) -> Transform:
        """From coordinates of frame a to those of the place on it that is meant."""
        return Transform.identity()

    @property
    def brief(self) -> str:
        """What it is and what it ties, in a few words, for drawings of a model."""
        return f"{self.kind}: {', '.join(dict.fromkeys((*self.frames, *self.joints)))}"

    @abstractmethod
    def renamed(self, prefix: str) -> Self:
        """The same constraint of a model whose names have this prefix."""

    # ---- its mathematics, for any number

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of its equations."""

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """For each row, whether it is the rate of an error of position."""
        return (True,) * self.rows

    @property
    def driven(self) -> bool:
        """Whether its motion is prescribed: its rows have targets, and `error` is the position to be compared."""
        return False

    @property
    def held(self) -> tuple[float, ...]:
        """For each row, where it is held if no target is given."""
        return (0.0,) * self.rows

    @abstractmethod
    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        """phi, how far the position is from keeping the constraint; its rate is the velocity of the rows where phi = 0.

        X = X_ba leads from the coordinates of frame a to those of frame b, and q are the positions of its joints. Rows
        that constrain velocities only have zero.
        """

    def forces(self, X: Transform) -> Forces:
        """T, a column for each row, in coordinates of frame b."""
        return Forces([Force.zero()] * self.rows)

    def force_rate(self, X: Transform, v: Motion) -> Forces:
        """dT/dt, coordinate by coordinate, if frame b moves with v (its coordinates) relative to frame a.

        By default it is found from `forces`, by dual numbers.
        """
        if self.constant_forces:
            return Forces([Force.zero()] * self.rows)
        step, level = moving(v.components(), beside=(*X.components(), *v.components()))
        moved = se3.exp(Motion.from_components(step)) @ X
        return Forces.from_components(rates(self.forces(moved).components(), level))

    def coefficients(self) -> tuple[Matrix, ...]:
        """G_j for each of `joints`, rows x nv of the joint."""
        return ()

    # ---- identity

    @property
    def meaning(self) -> Any:
        """All that it is, but for its name: two constraints that agree in it are one and the same."""
        return replace(self, name="the same").content

    @property
    def content(self) -> Any:
        """Its type and fields."""
        return (type(self), *(getattr(self, f.name) for f in fields(self)))


def placed(offset: Any, what: str) -> Transform:
    """A place on a frame as a transform in floats: a `Transform`, a pose (4, 4), or None for the frame itself."""
    if offset is None:
        return Transform.identity()
    try:
        X = Transform.from_pose(offset.pose() if isinstance(offset, Transform) else offset)
    except (ArgumentError, PoseError, ShapeError) as error:
        raise ModelError(f"{what}: offset is a Transform or a pose (4, 4): {error}") from None
    numbers = given.numbers(tuple(X.components()), f"{what}: offset")
    if not all(map(isfinite, numbers)):
        raise ModelError(f"{what}: offset is not finite: {numbers}")
    return Transform.from_components(numbers)


def unit_forces(n: int) -> Forces:
    """The first n unit forces."""
    return Forces(Force.from_components([1.0 if k == r else 0.0 for k in range(6)]) for r in range(n))
