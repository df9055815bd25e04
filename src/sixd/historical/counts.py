"""How many operations an algorithm takes, counted on the program that is recorded of it, as a function of N."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import pi
from typing import Any

from sixd import given
from sixd.algorithms.algorithm import Algorithm
from sixd.algorithms.declared import Kind
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.errors import ArgumentError, SixdError
from sixd.historical.formulation import FORMULATIONS, Takes
from sixd.historical.polynomial import Polynomial
from sixd.historical.written import Tally, Written
from sixd.joints import Revolute, Spherical
from sixd.model import Model, ModelBuilder, ModelTree
from sixd.ops import cos, sin
from sixd.spatial import Force, Forces, Inertia, Transform

__all__ = ["GEOMETRIES", "Counts", "Formula", "counted_robot", "crossover", "formula_of", "operation_counts"]

#: The chains that are counted on, by the place of a joint on the link before and its axis. The first joint of "dh" and
#: "orthogonal" is on the base without an offset.
GEOMETRIES = {
    "general": "any axis at any place: nothing is zero",
    "dh": "Denavit and Hartenberg's four numbers, all different from zero: the joint turns about z; papers count on it",
    "orthogonal": "the same with a twist of 90 degrees, as in most arms",
}
#: The directions in which the tip is held for algorithms that take such: its position.
HELD = Forces([Force((0.0, 0.0, 0.0), axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
#: A formula is looked for from this number of links on, up to this degree, and is tried on so many more sizes.
FIRST, HIGHEST, CHECKS = 5, 4, 2


@dataclass(frozen=True)
class Counts:
    """Operations for one state."""

    multiplications: int
    #: Additions and subtractions.
    additions: int
    divisions: int
    #: Sines, cosines and square roots.
    functions: int

    @property
    def total(self) -> int:
        """Multiplications, additions and divisions."""
        return self.multiplications + self.additions + self.divisions


@dataclass(frozen=True)
class Formula:
    """The counts as polynomials of the number of links n."""

    multiplications: Polynomial
    additions: Polynomial
    divisions: Polynomial
    #: The least n for which they are right; smaller robots take less, since more is zero at the base.
    start: int

    @property
    def total(self) -> Polynomial:
        """Multiplications, additions and divisions."""
        return self.multiplications + self.additions + self.divisions


def counted_robot(n: int, geometry: str = "dh", spherical: bool = False) -> Model:
    """A chain of n equal links on revolute joints, or spherical ones, in one of the `GEOMETRIES`.

    The numbers of a link are all different and neither 0 nor 1, so that nothing is saved by chance. Its moment of
    inertia about z is a power of two: what cancels at the tip, where inertias are constants, cancels without rounding.
    """
    n, geometry = given.count(n, "n"), given.choice(geometry, "geometry", GEOMETRIES)
    inertia = Inertia.from_parameters([1.37, 0.19, -0.23, 0.29, 0.83, 0.11, -0.13, 0.71, 0.17, 0.5])
    on_base, axis, length, offset = Transform.identity(), (0.0, 0.0, 1.0), 0.41, 0.37
    if geometry == "general":
        on_link = on_base = Transform.from_rpy((0.3, -0.7, 0.9), (0.41, -0.37, 0.53))
        axis = (1.0, 2.0, 3.7)
    elif geometry == "dh":
        on_link = Transform.from_rpy((0.6, 0.0, 0.0), (length, -offset * sin(0.6), offset * cos(0.6)))
    else:
        on_link = Transform.from_rpy((0.5 * pi, 0.0, 0.0), (length, -offset, 0.0))
    builder = ModelBuilder(f"{geometry} chain of {n}")
    for i in range(1, n + 1):
        builder.body(
            f"link{i}",
            parent=f"link{i - 1}" if i > 1 else "base",
            joint=Spherical() if given.flag(spherical, "spherical") else Revolute(axis),
            joint_name=f"joint{i}",
            at=on_link if i > 1 else on_base,
            inertia=inertia,
        )
    return builder.build()


def operation_counts(
    function: Algorithm[..., Any], n: int, geometry: str = "dh", written: bool = False, spherical: bool = False
) -> Counts:
    """The operations of an algorithm for one state of a chain of n links, in one of the `GEOMETRIES`.

    What is counted is the recorded program, as machine code is made from it: equal expressions occur once, operations
    with zeros and ones and on constants are gone, and so is what no result needs. A fused multiply-add is two
    operations; signs and selections are none. With ``written=True`` every operation on a number that depends on the
    state is counted, as the source has it: zeros, ones and repetitions too. The joints are revolute; they are
    spherical if that is asked for, and for formulations that take no others.
    """
    _need(function)
    model = counted_robot(n, geometry, given.flag(spherical, "spherical") or _on_spherical_joints(function))
    fixed: dict[str, Any] = {k: n for k, a in function.arguments.items() if a.kind is Kind.BODY and a.required}
    if "directions" in function.arguments:
        fixed["directions"] = HELD
    request = Request(function, model, {"accelerations": (len(HELD),)} if "directions" in fixed else {}, fixed)
    if given.flag(written, "written"):
        return _written(request)
    found = record_unrolled(request).counts()
    functions = found["sin"] + found["cos"] + found["sqrt"]
    return Counts(found["mul"], found["add"] + found["sub"], found["div"], functions)


def formula_of(
    function: Algorithm[..., Any], geometry: str = "dh", written: bool = False, spherical: bool = False
) -> Formula:
    """The counts as polynomials of n: the least degree that two more sizes agree with.

    `SixdError` if there is none of degree 4 or less.
    """
    _need(function)
    given.choice(geometry, "geometry", GEOMETRIES)
    return _found_formula(function, geometry, given.flag(written, "written"), given.flag(spherical, "spherical"))


@cache
def _found_formula(function: Algorithm[..., Any], geometry: str, written: bool, spherical: bool) -> Formula:
    known: dict[int, Counts] = {}

    def at(n: int) -> Counts:
        return known.setdefault(n, operation_counts(function, n, geometry, written, spherical))

    parts = ("multiplications", "additions", "divisions")
    for degree in range(1, HIGHEST + 1):
        sizes = range(FIRST, FIRST + degree + 1)
        found = [Polynomial.through({n: getattr(at(n), part) for n in sizes}) for part in parts]
        more = range(sizes.stop, sizes.stop + CHECKS)

        def agrees(n: int, found: list[Polynomial] = found) -> bool:
            return all(p(n) == getattr(at(n), part) for p, part in zip(found, parts, strict=True))

        if all(map(agrees, more)):
            start = FIRST
            while start > 1 and agrees(start - 1):
                start -= 1
            return Formula(found[0], found[1], found[2], start)
    raise SixdError(f"the operations of {function.__name__} are no polynomial of degree {HIGHEST} or less")


def crossover(
    one: Algorithm[..., Any], other: Algorithm[..., Any], geometry: str = "dh", most: int = 100
) -> int | None:
    """The least number of links from which on, up to ``most``, ``other`` takes fewer operations than ``one``.

    Multiplications, additions and divisions count alike. None if it takes more, or as many, at ``most`` links.
    """
    formulas = [(function, formula_of(function, geometry)) for function in (one, other)]
    found = None
    for n in reversed(range(1, given.count(most, "most") + 1)):
        first, second = (f.total(n) if n >= f.start else operation_counts(a, n, geometry).total for a, f in formulas)
        if second >= first:
            break
        found = n
    return found


def _need(function: Any) -> None:
    if not isinstance(function, Algorithm):
        raise ArgumentError(
            f"function must be an algorithm, such as sixd.algorithms.rnea, not {given.described(function)}"
        )


def _on_spherical_joints(function: Algorithm[..., Any]) -> bool:
    return any(f.function is function and f.takes is Takes.SPHERICAL for f in FORMULATIONS.values())


def _written(request: Request) -> Counts:
    """The operations of a run in Python on numbers that count."""
    tally, arguments = Tally(), dict(request.fixed)
    for port in request.ports():
        shape = request.shape_for_model(port.shape)
        arguments[port.name] = [Written(tally, 0.1 + 0.01 * k) for k in range(shape[0])]
    request.function(ModelTree(request.model), **arguments)
    return Counts(tally.multiplications, tally.additions, tally.divisions, tally.functions)
