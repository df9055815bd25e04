"""Differences between two models that can be undone one at a time: each says how to put the second's value into the
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from sixd.model.model import Model
from sixd.model.parts import Body, JointData
from sixd.spatial import Inertia, Transform

__all__ = ["Swap", "swaps"]

#: Numbers that differ by less, relative to the larger one or absolutely, are the same.
RELATIVE, ABSOLUTE = 1e-9, 1e-12

#: Puts a value of the second model into the first.
Put: TypeAlias = Callable[[Model], Model]


@dataclass(frozen=True)
class Swap:
    """One difference: what it is about, which parameter, its value in either model, and how to undo it."""

    subject: str
    parameter: str
    first: str
    second: str
    put: Put


def same(x: Any, y: Any) -> bool:
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return x.shape == y.shape and np.allclose(x, y, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)


def pair(one: Any, two: Any) -> tuple[str, str]:
    """Two sets of numbers as people read them, with as many digits as it takes to tell them apart."""
    for digits in (6, 10, 17):
        shown = _numbers(one, digits), _numbers(two, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _numbers(values: Any, digits: int) -> str:
    each = [f"{float(x) + 0.0:.{digits}g}" for x in np.ravel(np.asarray(values, dtype=float))]
    return each[0] if len(each) == 1 else f"({', '.join(each)})"


def swaps(a: Model, b: Model) -> Iterator[Swap]:
    """The differences of two models with the same joints, which may have other numbers in either."""
    if not same(a.gravity, b.gravity):
        yield Swap("the world", "gravity", *pair(a.gravity, b.gravity), lambda m: m.with_gravity(b.gravity))
    yield from _inertia(_with_welded(a, 0), 0, a.body_list[0].inertia, b.body_list[0].inertia)
    number_in_a = {joint.name: joint.index for joint in a.joints}
    for joint in a.joints:
        i, j = joint.index, b.joint(joint.name).index
        one, two = a.body_list[i], b.body_list[j]
        parent = number_in_a[b.joints[two.parent - 1].name] if two.parent else 0
        subject = f"joint {joint.name!r}"
        if parent != one.parent:
            names = a.body_list[one.parent].name, b.body_list[two.parent].name
            yield Swap(subject, "parent", *names, _put(i, parent=parent, placement=two.placement))
        else:
            yield from _placement(subject, i, one, two)
        assert one.joint is not None
        assert two.joint is not None
        yield from _type(subject, i, one.joint, two.joint)
        yield from _data(subject, i, one.joint, two.joint)
        yield from _inertia(_with_welded(a, i), i, one.inertia, two.inertia)


def _put(i: int, **values: Any) -> Put:
    """Replace values of body i."""
    return _change(i, lambda body: replace(body, **values))


def _change(i: int, change: Callable[[Body], Body]) -> Put:
    """Change body i."""

    def put(model: Model) -> Model:
        bodies = list(model.body_list)
        bodies[i] = change(bodies[i])
        return replace(model, body_list=tuple(bodies))

    return put


def _with_welded(model: Model, i: int) -> str:
    """The name of a body, and the links that are welded to it: its inertia is that of all."""
    name = model.body_list[i].name
    others = [f.name for f in model.frame_list if f.body == i and f.name != name]
    more = f" and {len(others) - 2} more" if len(others) > 2 else ""
    return f"body {name!r}" + (f" (with {', '.join(others[:2])}{more})" if others else "")


def _placement(subject: str, i: int, one: Body, two: Body) -> Iterator[Swap]:
    X, Y = one.placement, two.placement
    if not same(X.r.array(), Y.r.array()):
        put = _change(i, lambda body: replace(body, placement=Transform(body.placement.E, Y.r)))
        yield Swap(subject, "position, m", *pair(X.r.array(), Y.r.array()), put)
    if not same(X.E.array(), Y.E.array()):
        put = _change(i, lambda body: replace(body, placement=Transform(Y.E, body.placement.r)))
        yield Swap(subject, "rpy, degrees", *pair(*(np.degrees(Z.rpy().array()) for Z in (X, Y))), put)


def _joint(i: int, **values: Any) -> Put:
    """Replace values of the joint of body i."""
    return _change(i, lambda body: replace(body, joint=replace(body.joint, **values)))  # type: ignore[type-var]


def _type(subject: str, i: int, one: JointData, two: JointData) -> Iterator[Swap]:
    kinds = one.type, two.type
    if type(one.type) is not type(two.type):
        yield Swap(subject, "joint type", repr(kinds[0]), repr(kinds[1]), _joint(i, type=two.type))
    elif not same(one.type.parameters, two.type.parameters):
        what = "axis" if len(one.type.parameters) == 3 else "parameters of its type"
        yield Swap(subject, what, *pair(*(kind.parameters for kind in kinds)), _joint(i, type=two.type))


#: What a data sheet says of a joint: as people call it, and the fields of `JointData` that have it.
_DATA = {
    "rotor inertia, kg m^2": ("rotor_inertia",),
    "limits": ("lower", "upper"),
    "speed limit": ("velocity",),
    "force limit": ("effort",),
    "damping": ("damping",),
    "friction": ("friction",),
    "stiffness": ("stiffness",),
    "rest position": ("rest",),
}


def _data(subject: str, i: int, one: JointData, two: JointData) -> Iterator[Swap]:
    for what, items in _DATA.items():
        first, second = ([getattr(joint, item) for item in items] for joint in (one, two))
        if not same(first, second):
            yield Swap(subject, what, *pair(first, second), _joint(i, **dict(zip(items, second, strict=True))))


def _inertia(subject: str, i: int, one: Inertia, two: Inertia) -> Iterator[Swap]:
    if not (one.m and two.m):
        if not same(one.components(), two.components()):
            shown = pair(one.components(), two.components())
            yield Swap(subject, "mass, first moment, inertia", *shown, _put(i, inertia=two))
        return

    def put(change: Callable[[Inertia], tuple[Any, Any, Any]]) -> Put:
        """Make the inertia anew from the mass, the centre of mass and the inertia about it that ``change`` gives."""
        return _change(i, lambda body: replace(body, inertia=Inertia.from_mass_com(*change(body.inertia))))

    if not same(one.m, two.m):
        yield Swap(subject, "mass, kg", *pair(one.m, two.m), put(lambda I: (two.m, I.com, I.I_com)))
    if not same(one.com.array(), two.com.array()):
        shown = pair(one.com.array(), two.com.array())
        yield Swap(subject, "centre of mass, m", *shown, put(lambda I: (I.m, two.com, I.I_com)))
    if not _same_inertia(one, two):
        shown = pair(*(I.I_com.array()[np.triu_indices(3)] for I in (one, two)))
        what = "inertia xx xy xz yy yz zz, kg m^2"
        yield Swap(subject, what, *shown, put(lambda I: (I.m, I.com, two.I_com)))


def _same_inertia(one: Inertia, two: Inertia) -> bool:
    """Whether the inertias about the centre of mass are the same. They are differences of larger numbers."""
    x, y = one.I_com.array(), two.I_com.array()
    size = max(np.abs(I.I.array()).max() for I in (one, two))
    return bool(np.allclose(x, y, rtol=RELATIVE, atol=RELATIVE * size))
