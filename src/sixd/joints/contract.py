"""What a joint is: the contract that every joint type fulfils, and the only thing algorithms know of joints.

A joint connects a predecessor (its parent body) to a successor (its own body); F10b, "Joint Models". Its frames
coincide at the neutral position. To add a joint type, write one file with a subclass and import it in
``joints/__init__.py``; `sixd.testing.check_joint` verifies the mathematics.
"""

from __future__ import annotations

import copyreg
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from math import hypot, inf, isfinite, pi
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sixd.dual import moving, rates
from sixd.errors import ModelError, SixdError
from sixd.given import numbers
from sixd.joints.complement import complement
from sixd.ops import Scalar, arctan2
from sixd.spatial import Force, Forces, Matrix, Motion, Motions, Transform, Vector
from sixd.spatial.linear import largest

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ANGLE", "JOINTS", "LENGTH", "AxisJoint", "Joint", "units"]

#: Half the range that random coordinates take where no limit is set: half a turn, one metre.
ANGLE, LENGTH = pi, 1.0

#: Every joint type by name, users' own included: a class joins when it is defined.
JOINTS: dict[str, type[Joint]] = {}


class _JointType(ABCMeta):
    """The type of joint types."""


def _as_global(kind: _JointType) -> str:
    """The name by which a pickle finds a joint type. One inside a function cannot be found."""
    if "<locals>" in kind.__qualname__:
        raise ModelError(
            f"the joint type {kind.__module__}.{kind.__qualname__} cannot be pickled, nor can a robot with it: it is "
            "defined inside a function, where a pickle does not find it; define it at the top level of a module"
        )
    return kind.__qualname__


copyreg.pickle(_JointType, _as_global)  # asked before `pickle` looks for the name, but not by copies of joints


class Joint(metaclass=_JointType):
    """A joint type with the values of its parameters. Instances never change.

    ======================  ==========================================================================
    ``nq``, ``nv``          numbers of position coordinates and of velocity coordinates
    ``transform(q)``        X_J, predecessor to successor coordinates (F10b (3))
    ``subspace(q)``         S, in successor coordinates: v_J = S qd (F10b (5))
    ``subspace_rate``       dS/dt, the rate of S's coordinates; found by dual numbers unless given
    ``bias(q, qd)``         (dS/dt) qd, the part of the joint's acceleration that its velocity makes
    ``integrate(q, dv)``    the position reached from q by the velocity dv in unit time
    ``difference(q0, q1)``  the velocity that leads from q0 to q1 in unit time
    ``nearest(X)``          the position at which the transform is nearest to X; for joints that close loops
    ======================  ==========================================================================

    All are written for any number, through `sixd.ops`; none may branch on a value. What tells one joint from another of
    its type is in ``parameters``, and nowhere else: two joints of a type with equal parameters are the same.
    """

    __slots__ = ("_parameters",)
    #: The name in the registry, in drawings and in files.
    name: ClassVar[str]
    nq: ClassVar[int]
    nv: ClassVar[int]
    #: Whether S is fixed in the successor, so that its rate is v x S and `bias` is zero.
    constant_subspace: ClassVar[bool] = True
    #: Whether the columns of S are independent at every position.
    full_rank: ClassVar[bool] = True
    #: Groups of position coordinates that must not all be zero, such as a quaternion: (first, number of entries).
    nonzero: ClassVar[tuple[tuple[int, int], ...]] = ()
    #: Half the range of random positions where there is no limit, one entry per position coordinate.
    extent: ClassVar[tuple[float, ...]]
    #: The parameters of a joint of this type in its own `frame`, None for those that tell joints apart there too.
    standard: ClassVar[tuple[float | None, ...]] = ()
    #: The place of a pitch among the parameters, if the type has one.
    pitch_at: ClassVar[int | None] = None
    _parameters: tuple[Scalar, ...]

    def __init_subclass__(cls, listed: bool = True) -> None:
        """``listed=False`` keeps a type out of the registry `JOINTS`: for families of types, made when needed."""
        if "valid" in cls.__dict__:
            raise TypeError(
                f"the joint type {cls.__qualname__} defines valid: say which coordinates must not all be zero by "
                "nonzero = ((first, number), ...)"
            )
        if "name" in cls.__dict__:
            missing = [attribute for attribute in ("nq", "nv", "extent") if not hasattr(cls, attribute)]
            if missing:
                raise TypeError(f"the joint type {cls.__qualname__} needs the attributes {', '.join(missing)}")
            if not listed:
                return
            known = JOINTS.setdefault(cls.name, cls)
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise TypeError(
                    f"a joint type named {cls.name!r} exists already: {known.__module__}.{known.__qualname__}; "
                    f"give {cls.__module__}.{cls.__qualname__} another name"
                )
            JOINTS[cls.name] = cls

    def __init__(self) -> None:
        self._parameters = ()

    @property
    def parameters(self) -> tuple[Scalar, ...]:
        """The numbers that tell this joint from others of its type (an axis, a pitch)."""
        return self._parameters

    @property
    def has_rates(self) -> bool:
        """Whether qd is dq/dt, so that unit velocities commute: unless the type has an `integrate` of its own."""
        return type(self).integrate is Joint.integrate

    @classmethod
    def from_parameters(cls, parameters: Iterable[Scalar]) -> Self:
        """The joint of this type with these parameters, of any number and taken as they are."""
        joint = cls.__new__(cls)
        joint._parameters = tuple(parameters)
        return joint

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Representative instances for the law suite."""
        return [cls()]

    @abstractmethod
    def transform(self, q: Vector) -> Transform: ...

    @abstractmethod
    def subspace(self, q: Vector) -> Motions: ...

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        """dS/dt in successor coordinates, differentiated coordinate by coordinate: zero where S is constant.

        By default it is computed from `subspace`, by dual numbers.
        """
        if self.constant_subspace:
            return Motions([Motion.zero()] * self.nv)
        where, level = self._moving(q, qd)
        return Motions.from_components(rates(self.subspace(where).components(), level))

    def bias(self, q: Vector, qd: Vector) -> Motion:
        """(dS/dt) qd, zero where S is constant: a_J = S qdd + bias + v x v_J."""
        return Motion.zero() if self.constant_subspace else self.subspace_rate(q, qd) @ qd

    def subspace_derivative(self, q: Vector, x: Vector) -> Motions:
        """d(S x)/dq for a constant x (nv), in successor coordinates: column k is the derivative along coordinate k.

        Zero where S is constant. For x = qd it holds the part of the joint velocity's derivative that is due to S.
        """
        if self.constant_subspace:
            return Motions([Motion.zero()] * self.nv)
        return Motions([self.subspace_rate(q, e) @ x for e in units(self.nv)])

    def subspace_force_derivative(self, q: Vector, f: Force) -> Matrix:
        """d(S^T f)/dq for a constant force f, nv x nv: column k is the derivative along coordinate k."""
        if self.constant_subspace:
            return Matrix.zero(self.nv)
        return Matrix(self.subspace_rate(q, e).T @ f for e in units(self.nv)).T

    def bias_derivative(self, q: Vector, qd: Vector) -> Motions:
        """d bias / dq for a constant qd: column k is the derivative along coordinate k. Zero where S is constant.

        By default it is computed from `bias`, by dual numbers.
        """
        if self.constant_subspace:
            return Motions([Motion.zero()] * self.nv)
        columns = []
        for e in units(self.nv):
            where, level = self._moving(q, e)
            columns.append(Motion.from_components(rates(self.bias(where, qd).components(), level)))
        return Motions(columns)

    def bias_derivative_by_velocity(self, q: Vector, qd: Vector) -> Motions:
        """d bias / dqd: since dS/dt is linear in qd, column k of dS/dt, and of d(S qd)/dq."""
        if self.constant_subspace:
            return Motions([Motion.zero()] * self.nv)
        return self.subspace_rate(q, qd) + self.subspace_derivative(q, qd)

    def _moving(self, q: Vector, qd: Vector) -> tuple[Vector, int]:
        """The position as dual numbers that move with velocity qd, and the level of these numbers."""
        step, level = moving(qd.entries, beside=q.entries)
        return self.integrate(q, Vector(step)), level

    def neutral(self) -> Vector:
        """The position at which the two frames of the joint coincide."""
        return Vector.zero(self.nq)

    def nearest(self, X: Transform) -> Vector:
        """A position whose transform is near X, the better the nearer X is to one: nearest(transform(q)) is q again.

        It tells where a loop joint is. Types that do not say it cannot close loops.
        """
        raise SixdError(
            f"a {self.name} joint cannot close a loop: it does not tell its position from the pose of its successor. "
            "Define its method nearest(X)" + ("" if self.constant_subspace else " and constraint_subspace(q)")
        )

    def constraint_subspace(self, q: Vector) -> Forces:
        """T, in successor coordinates: the forces that the joint transmits without work, T^T S = 0. F10a (33).

        It has 6 - nv columns, which must not jump as q changes. If S is constant, so is T, and it is found from S.
        Types whose S varies define it.
        """
        if not self.constant_subspace:
            raise SixdError(
                f"a {self.name} joint cannot close a loop: its motion subspace varies, and it does not tell the forces "
                "that do no work on it. Define its method constraint_subspace(q)"
            )
        return complement(self.subspace(self.neutral()))

    def integrate(self, q: Vector, dv: Vector) -> Vector:
        return q + dv

    def difference(self, q0: Vector, q1: Vector) -> Vector:
        return q1 - q0

    def difference_jacobian(self, q0: Vector, q1: Vector) -> Matrix:
        """d difference(q0, q1) / d(velocity of q1), nv x nv: how the way from q0 grows as q1 moves on."""
        return Matrix.identity(self.nv)

    def integrate_jacobian(self, q: Vector, dv: Vector) -> Matrix:
        """d(velocity of integrate(q, dv)) / d(dv), nv x nv: how the position that is reached moves as dv grows.

        It is 1 if qd is dq/dt, and the right Jacobian of exp if joints turn. By default it is found by dual numbers.
        """
        if self.has_rates:
            return Matrix.identity(self.nv)
        reached, columns = self.integrate(q, dv), []
        for unit in units(self.nv):
            step, level = moving(unit.entries, beside=(*q, *dv))
            there = self.integrate(q, Vector(a + b for a, b in zip(dv, step, strict=True)))
            columns.append(rates(self.difference(reached, there), level))
        return Matrix(columns).T

    def rate_in_fixed_axes(self, qd: Vector, qdd: Vector) -> Vector:
        """The rate of the velocity's vectors, as seen from axes that do not turn with the successor: qdd itself, unless
        the velocity has a linear part in turning axes, whose rate then is qdd + omega x v.
        """
        return qdd

    def in_axes_after(self, qd: Vector, dv: Vector) -> Vector:
        """A velocity given in the successor's axes at q, in its axes at integrate(q, dv): qd itself, unless it has a
        linear part in turning axes.
        """
        return qd

    def tangent_rate(self, q: Vector, qd: Vector) -> Matrix:
        """A, nv x nv, with de/dt = A e + d, to first order, for the way e from a moving joint to a neighbour.

        The joint is at q and moves with qd; the neighbour is at integrate(q, e) and moves with qd + d. A is zero if qd
        is dq/dt. It is minus the Lie bracket with qd if joints turn: -(qd x) for the spherical joint. By default it is
        found by dual numbers.
        """
        if type(self).integrate is Joint.integrate:
            return Matrix.zero(self.nv)
        columns = []
        for unit in units(self.nv):
            e, beside = moving(unit.entries, beside=(*q, *qd))
            there = self.integrate(q, Vector(e))
            step, time = moving(qd.entries, beside=there)
            way = self.difference(self.integrate(q, Vector(step)), self.integrate(there, Vector(step)))
            columns.append(rates(rates(way, time), beside))
        return Matrix(columns).T

    def screws(self, q: Vector) -> list[tuple[Motion, Scalar]]:
        """Screws, each with the time spent on it, that lead from the neutral position to q one after the other.

        Their exponentials in turn make the transform, PBP95 (12). A joint that is fixed in its successor moves on one
        screw; others must say how they move.
        """
        if not self.constant_subspace:
            raise SixdError(f"a {self.name} joint does not say by which screws it moves: define its method screws(q)")
        phi, S = self.difference(self.neutral(), q), self.subspace(q)
        return [(S[0], phi[0])] if self.nv == 1 else [(S @ phi, 1.0)]

    def axes_in_turn(self, q: Vector) -> list[tuple[Motion, Scalar]]:
        """What `screws` is for a joint that moves along its neutral axes one after the other."""
        return list(zip(self.subspace(self.neutral()), q, strict=True))

    def frame(self) -> Matrix:
        """E from coordinates of the bodies to those in which a joint of this type has its ``standard`` parameters."""
        return Matrix.identity(3)

    def valid(self, q: Vector) -> Scalar:
        """Whether q is a position at all: a group of ``nonzero`` entries that is all zero makes it none."""
        groups = (Vector(q.entries[first : first + number]) for first, number in self.nonzero)
        found: Scalar = True
        for group in groups:
            found = found & (largest(group) > 0.0)
        return found

    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The bounds of the position coordinates that the type itself sets, lower and upper."""
        return (-inf,) * self.nq, (inf,) * self.nq

    def random(
        self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float], size: tuple[int, ...] = ()
    ) -> Any:
        """Positions, an array (*size, nq): uniform within the limits, within ``extent`` where there are none."""
        bounds = [_range(*limits) for limits in zip(lower, upper, self.extent, strict=True)]
        return rng.uniform([b[0] for b in bounds], [b[1] for b in bounds], size=(*size, self.nq))

    def __setstate__(self, state: Any) -> None:
        """From a pickle, if its numbers are those of a joint of this type."""
        own, slots = state if isinstance(state, tuple) and len(state) == 2 else (None, None)
        numbers = slots.get("_parameters") if isinstance(slots, dict) else None
        if not isinstance(numbers, tuple) or not all(isinstance(x, float | int) and isfinite(x) for x in numbers):
            raise ModelError(f"this pickled {type(self).__name__} is damaged: its parameters are {numbers!r}")
        self._parameters = numbers
        for name, value in (own or {}).items():  # of a class without slots
            setattr(self, name, value)
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Raises unless there are as many parameters as joints of this type have."""
        needed = {len(joint.parameters) for joint in self.examples()}
        if len(self._parameters) not in needed:
            raise ModelError(f"a {self.name} joint does not have these parameters: {self._parameters}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parameters == other._parameters

    def __hash__(self) -> int:
        return hash((type(self), self._parameters))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{p:g}' for p in self._parameters)})"


def units(n: int) -> Iterator[Vector]:
    """The unit vectors of n dimensions."""
    return (Vector([1.0 if j == k else 0.0 for j in range(n)]) for k in range(n))


#: Axes that have a name.
LETTERS = {
    sign + letter: tuple(float(f"{sign}1") if k == place else 0.0 for k in range(3))
    for place, letter in enumerate("xyz")
    for sign in ("", "-", "+")
}


class AxisJoint(Joint):
    """A joint with an axis: a unit vector through the origin, the same in predecessor and successor."""

    __slots__ = ()
    standard: ClassVar[tuple[float | None, ...]] = (0.0, 0.0, 1.0)

    def __init__(self, axis: Iterable[float] | str = (0.0, 0.0, 1.0)) -> None:
        """The axis is three numbers, or a letter: "x", "-y"."""
        if isinstance(axis, str) and axis not in LETTERS:
            raise ModelError(f"the axis of a {self.name} joint is three numbers or a letter like 'z': {axis!r:.60}")
        entries = numbers(LETTERS[axis] if isinstance(axis, str) else axis, f"the axis of a {self.name} joint")
        largest = max(map(abs, entries), default=0.0)
        if len(entries) != 3 or not all(map(isfinite, entries)) or largest == 0.0:
            raise ModelError(f"the axis of a {self.name} joint must be three finite numbers, not all zero: {entries}")
        scaled = [x / largest for x in entries]  # so that no length under- or overflows
        length = hypot(*scaled)
        self._parameters = tuple(x / length for x in scaled)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if abs(hypot(*self._parameters[:3]) - 1.0) > 1e-9:
            raise ModelError(f"the axis of a {self.name} joint is no unit vector: {self._parameters[:3]}")

    @property
    def axis(self) -> Vector:
        return Vector(self._parameters[:3])

    def frame(self) -> Matrix:
        """Its third axis is the joint's, its first the projection of the coordinate axis after the nearest one."""
        n = x, y, z = self._parameters[:3]
        sizes = [abs(x), abs(y), abs(z)]
        after = (sizes.index(max(sizes)) + 1) % 3
        u = [(k == after) - n[after] * n[k] for k in range(3)]
        length = hypot(*u)
        ux, uy, uz = (c / length for c in u)
        return Matrix([(ux, uy, uz), (y * uz - z * uy, z * ux - x * uz, x * uy - y * ux), n])

    def turn(self, X: Transform) -> Scalar:
        """The angle about the axis that is nearest to the rotation of X, in (-pi, pi].

        E = u u^T + c (1 - u u^T) - s (u x), so 2 s = u . axial(E^T - E) and 2 c = tr E - u^T E u.
        """
        E, u = X.E, self.axis
        axial = Vector((E[1, 2] - E[2, 1], E[2, 0] - E[0, 2], E[0, 1] - E[1, 0]))
        return arctan2(u @ axial, E[0, 0] + E[1, 1] + E[2, 2] - u @ (E @ u))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        return [cls((1.0, 0.0, 0.0)), cls((0.0, 1.0, 0.0)), cls((0.0, 0.0, 1.0)), cls((1.0, -2.0, 3.0))]

    def __repr__(self) -> str:
        letter = next((name for name, axis in LETTERS.items() if axis == self._parameters), None)
        return super().__repr__() if letter is None else f"{type(self).__name__}({letter!r})"


def _range(lower: float, upper: float, extent: float) -> tuple[float, float]:
    if isfinite(upper - lower):
        return lower, upper
    if isfinite(lower) and not isfinite(upper):
        return lower, lower + 2.0 * extent
    if isfinite(upper) and not isfinite(lower):
        return upper - 2.0 * extent, upper
    return -extent, extent
