"""The product of exponentials: the pose of a frame at the end of a chain of joints that each move on a screw.

A chain is given along the path from the root to the frame, by the screw axis of each joint (a `Motion`; a unit rotation
for a revolute joint), the joint coordinates (rad or m) and the home pose, where all coordinates are zero. Poses are
`Transform`: X_BA for the frame B in the root frame A, as in `sixd.lie.se3`, so products run from right to left:
f_1 f_2 ... f_n is X_n @ ... @ X_2 @ X_1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from sixd.errors import ShapeError
from sixd.lie import se3
from sixd.ops import Scalar, unstack
from sixd.spatial.motion import Motion
from sixd.spatial.subspace import Motions
from sixd.spatial.transform import Transform
from sixd.spatial.value import need_kind

__all__ = [
    "body_jacobian",
    "body_jacobian_from_space",
    "body_screws",
    "poe_body",
    "poe_local",
    "poe_space",
    "space_jacobian",
    "space_screws",
]

T = TypeVar("T")


def _exponentials(screws: Iterable[Motion], coordinates: Iterable[Scalar]) -> list[Transform]:
    several = isinstance(coordinates, Iterable) and not isinstance(coordinates, str | bytes | dict | set)
    several = several and not hasattr(coordinates, "shape")
    screws, values = listed(screws, Motion), unstack(list(coordinates) if several else coordinates)
    _need("coordinates", len(values), len(screws))
    return [se3.exp(screw * x) for screw, x in zip(screws, values, strict=True)]


def listed(values: Any, kind: type[T]) -> list[T]:
    """Values of one type, in a list."""
    found = list(values) if isinstance(values, Iterable) else [values]
    for value in found:
        need_kind(value, kind, "a chain of screws")
    return found


def _need(what: str, found: int, screws: int) -> None:
    if found != screws:
        raise ShapeError(f"a chain of {screws} screws needs {screws} {what}, found {found}")


def poe_local(screws: Iterable[Motion], coordinates: Iterable[Scalar], homes: Iterable[Transform]) -> Transform:
    """f = e^(P1 x1) M1 e^(P2 x2) M2 ... e^(Pn xn) Mn, PBP95 (12).

    Screw P_i is in the coordinates of frame i-1, home M_i is the pose of frame i in frame i-1.
    """
    X, steps, homes = Transform.identity(), _exponentials(screws, coordinates), listed(homes, Transform)
    _need("home poses", len(homes), len(steps))
    for step, home in zip(steps, homes, strict=True):
        X = home @ step @ X
    return X


def poe_space(screws: Iterable[Motion], coordinates: Iterable[Scalar], home: Transform) -> Transform:
    """f = e^(A1 x1) e^(A2 x2) ... e^(An xn) M, PBP95 (13): screws at home in root coordinates."""
    need_kind(home, Transform, "a product of exponentials")
    X = Transform.identity()
    for step in _exponentials(screws, coordinates):
        X = step @ X
    return home @ X


def poe_body(screws: Iterable[Motion], coordinates: Iterable[Scalar], home: Transform) -> Transform:
    """f = M e^(B1 x1) e^(B2 x2) ... e^(Bn xn), PBP95 (14): screws at home in the coordinates of the frame."""
    need_kind(home, Transform, "a product of exponentials")
    X = home
    for step in _exponentials(screws, coordinates):
        X = step @ X
    return X


def space_screws(screws: Iterable[Motion], homes: Iterable[Transform]) -> Motions:
    """A_i = Ad_(M1 ... M(i-1)) P_i of PBP95 (13), from the screws and homes of PBP95 (12)."""
    screws, homes = listed(screws, Motion), listed(homes, Transform)
    _need("home poses", len(homes), len(screws))
    X, columns = Transform.identity(), []
    for screw, home in zip(screws, homes, strict=True):
        columns.append(X.inv @ screw)
        X = home @ X
    return Motions(columns)


def body_screws(screws: Iterable[Motion], home: Transform) -> Motions:
    """B_i = Ad_M^-1 A_i of PBP95 (14), from the screws A_i of PBP95 (13)."""
    need_kind(home, Transform, "a product of exponentials")
    return Motions(home @ screw for screw in listed(screws, Motion))


def body_jacobian(screws: Iterable[Motion], coordinates: Iterable[Scalar]) -> Motions:
    """The velocity of the frame in its own coordinates per joint rate, from the screws B_i: PBP95 (18).

    Column i is B_i moved by the joints after it, Ad^-1 of e^(B(i+1) x(i+1)) ... e^(Bn xn).
    """
    screws = listed(screws, Motion)
    X, columns = Transform.identity(), []
    for screw, step in zip(reversed(screws), reversed(_exponentials(screws, coordinates)), strict=True):
        columns.append(X @ screw)
        X = X @ step
    return Motions(reversed(columns))


def body_jacobian_from_space(screws: Iterable[Motion], coordinates: Iterable[Scalar], home: Transform) -> Motions:
    """The same as `body_jacobian`, from the screws A_i and the home pose M: PBP95 (19), (20)."""
    need_kind(home, Transform, "a product of exponentials")
    return home @ body_jacobian(screws, coordinates)


def space_jacobian(screws: Iterable[Motion], coordinates: Iterable[Scalar]) -> Motions:
    """The velocity of the frame in root coordinates per joint rate, from the screws A_i.

    Column i is A_i moved by the joints before it, Ad of e^(A1 x1) ... e^(A(i-1) x(i-1)).
    """
    screws = listed(screws, Motion)
    X, columns = Transform.identity(), []
    for screw, step in zip(screws, _exponentials(screws, coordinates), strict=True):
        columns.append(X.inv @ screw)
        X = step @ X
    return Motions(columns)
