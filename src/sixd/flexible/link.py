"""A flexible link: a beam between two frames, as bodies on joints that share its modal coordinates.

Book (1984, FO00 section 2) describes an elastic link by assumed modes: the deflection of each of its points is a sum of
shapes times modal coordinates, which are degrees of freedom like those of the joints. Here the link is a hub, at which
it is clamped; its tip, which carries what follows; and stations between them. Each moves on the hub by a `Flexure`, and
all of these share the same coordinates, as mimic joints do. Stations are at the nodes of Gauss's quadrature and have
its weights as masses, so kinetic energy, the coupling of rigid and elastic motion and modal masses are integrals over
the beam, exact for polynomials. So a flexible link is a part of the tree: the recursions are those of rigid bodies,
with no line of their own, and so are derivatives, kernels and batches.

The pose of every section is exact to the second order in the coordinates (`sixd.flexible.deflection`), which is what
centrifugal stiffening needs. For deflections of more than some 0.3 rad, ``segments`` cuts the beam into several such
pieces, one after the other, of the same coordinates: the error falls with the square of their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.flexible.beam import KINDS, Beam
from sixd.flexible.deflection import Modes, flexures
from sixd.flexible.shapes import gauss, shapes_of
from sixd.joints import Flexure
from sixd.spatial import Inertia, Matrix, Transform, Vector

__all__ = ["Bending", "Piece", "bending_of", "pieces"]

Array = NDArray[np.float64]

#: The error of the modal masses, relative to the largest, that quadrature may leave.
_QUADRATURE = 1e-10
#: Modes of bending unless told otherwise.
_USUAL = 3


@dataclass(frozen=True)
class Bending:
    """How a beam is to bend: its modes with their springs and dampers, and how it is cut up."""

    beam: Beam
    modes: Modes
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    #: Stations of each segment.
    stations: int
    segments: int


class Piece(NamedTuple):
    """A body of a flexible link, on a flexure of its own: its place at rest from piece ``on`` of the list, -1 the hub.

    The name is "" for the tip, else a number.
    """

    name: str
    on: int
    x: float
    joint: Flexure
    inertia: Inertia
    #: The length of beam that it stands for, m.
    share: float


def bending_of(
    beam: Any,
    *,
    bending_y: Any = None,
    bending_z: Any = None,
    torsion: Any = 0,
    axial: Any = 0,
    shapes: Any = "polynomial",
    damping_ratio: Any = 0.0,
    stations: Any = None,
    segments: Any = 1,
) -> Bending:
    """A checked `Bending`.

    The numbers of modes of each kind are three for bending of finite stiffness, unless given, and none for the others.
    """
    given.instance(beam, "beam", Beam, "sixd.flexible.Beam(length=1.0, mass_per_length=0.5, EI_z=20.0)")
    segments = given.count(segments, "segments")
    numbers = {"bending_y": bending_y, "bending_z": bending_z, "torsion": torsion, "axial": axial}
    ratio = given.number(damping_ratio, "damping_ratio")
    if not (isfinite(ratio) and ratio >= 0.0):
        raise ModelError(f"damping_ratio must be finite and not negative, not {ratio:g}")
    by_kind = dict(shapes) if isinstance(shapes, Mapping) else dict.fromkeys(KINDS, shapes)
    for kind in by_kind:
        given.choice(kind, "a kind of shapes", KINDS)
    kinds: list[str] = []
    found: list[Array] = []
    springs: list[float] = []
    dampers: list[float] = []
    for kind, number in numbers.items():
        count = _count(beam, kind, number, by_kind.get(kind, "polynomial"))
        if not count:
            continue
        own = shapes_of(beam, kind, count, by_kind.get(kind, "polynomial"))
        weights = 1.0 / (2.0 * np.arange(own.shape[1]) + 1.0)
        k = beam.stiffness(kind) / beam.length * (own**2 @ weights)
        kinds += [kind] * count
        found += list(own)
        springs += k.tolist()
        dampers += (2.0 * ratio / beam.frequencies(kind, 1)[0] * k).tolist() if ratio else [0.0] * count
    if not kinds:
        raise ModelError("a flexible link needs modes: a finite stiffness of the beam, or a number of modes above zero")
    width = max(map(len, found))
    series = np.array([np.pad(shape, (0, width - len(shape))) for shape in found])
    modes = Modes(tuple(kinds), series, beam.length)
    number = _stations(beam, modes, segments) if stations is None else given.count(stations, "stations")
    return Bending(beam, modes, tuple(springs), tuple(dampers), number, segments)


def _count(beam: Beam, kind: str, number: Any, shapes: Any) -> int:
    """How many modes of a kind there are."""
    rigid = not isfinite(beam.stiffness(kind))
    if number is None and kind.startswith("bending"):
        own = not isinstance(shapes, str) and hasattr(shapes, "__len__")
        return 0 if rigid else len(shapes) if own else _USUAL
    count = given.count(number, kind, least=0)
    if count and rigid:
        raise ModelError(f"{count} modes of {kind} need a finite stiffness {KINDS[kind].stiffness} of the beam")
    return count


def _stations(beam: Beam, modes: Modes, segments: int) -> int:
    """As many stations in each segment as integrate the modal masses at rest to `_QUADRATURE`."""
    most = modes.shapes.shape[1] + 3
    exact = _mass(beam, modes, most, segments)
    for n in range(2, most):
        if np.abs(_mass(beam, modes, n, segments) - exact).max() < _QUADRATURE * np.abs(exact).max():
            return n
    return most


def _mass(beam: Beam, modes: Modes, stations: int, segments: int) -> Array:
    """The mass matrix of the rigid and the elastic motion of a straight beam, (6 + n, 6 + n), by quadrature."""
    total = np.zeros((6 + len(modes.kinds),) * 2)
    for k in range(segments):
        s, w = gauss(stations, k / segments, (k + 1) / segments)
        for one, at, weight in zip(flexures(modes, 0.0, s), s, w, strict=True):
            rigid = np.hstack([_shift(beam.length * at), np.array(one.subspace(one.neutral()).array(), dtype=float)])
            total += rigid.T @ _slice(beam, weight).matrix().array() @ rigid
    return total


def _shift(x: float) -> Array:
    """The motion of a point at x on a rigid body, per motion of the body at 0."""
    return np.asarray(Transform.translation((x, 0.0, 0.0)).matrix().array(), dtype=float)


def _slice(beam: Beam, share: float) -> Inertia:
    """The inertia of a share of the beam, as a thin slice at its station."""
    about = Matrix.diagonal([share * beam.length * x for x in beam.inertia_per_length])
    return Inertia.from_mass_com(share * beam.mass, Vector.zero(), about)


def pieces(bending: Bending) -> list[Piece]:
    """The bodies of a flexible link beside its hub: stations and, at the end, the tip; later ones may be on earlier."""
    found: list[Piece] = []
    beam, on, start = bending.beam, -1, 0.0
    for k in range(bending.segments):
        end = (k + 1) / bending.segments
        s, w = gauss(bending.stations, start, end)
        joints = flexures(bending.modes, start, np.append(s, end))
        for joint, at, share in zip(joints, s, w, strict=False):
            length = float(share) * beam.length
            x = float(at - start) * beam.length
            found.append(Piece(f"{len(found) + 1}", on, x, joint, _slice(beam, float(share)), length))
        last = k == bending.segments - 1
        x = (end - start) * beam.length
        found.append(Piece("" if last else f"{len(found) + 1}", on, x, joints[-1], Inertia.zero(), 0.0))
        on, start = len(found) - 1, end
    return found
