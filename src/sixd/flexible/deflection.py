"""How a beam deflects: the pose of each of its sections, to the second order in the coordinates.

The kinematics of a beam that does not shear: a section at x has the rotation R and the position r, with
R' = R [k]x and r' = R (1 + e) e_x, where k is the twist and the curvatures about y and z, and e the stretch. With the
strains linear in q, the small rotation theta = theta_1 + theta_2 and r = x e_x + r_1 + r_2 are

    theta_1' = k             theta_2' = 1/2 theta_1 x k
    r_1' = theta_1 x e_x + e e_x
    r_2' = theta_2 x e_x + 1/2 theta_1 x (theta_1 x e_x) + e theta_1 x e_x

The first order is the deflection of linear theory. The second has the shortening -1/2 integral of w'^2 by which a
bent beam's tip comes nearer, and the turning of the bending plane by twist. Forces along the beam do work on it: a beam
that turns is stiffened, one that is pressed is softened. A model with deflections linear in q lacks that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from sixd.flexible.beam import KINDS
from sixd.flexible.shapes import gauss, values
from sixd.joints import Flexure

__all__ = ["Modes", "flexures"]

Array = NDArray[np.float64]


class Modes(NamedTuple):
    """The assumed modes of a beam: for each coordinate the kind of deformation and the shape of its strain."""

    kinds: tuple[str, ...]
    #: (n, degree + 1), series of Legendre polynomials on 0 <= x/L <= 1.
    shapes: Array
    length: float


def flexures(modes: Modes, start: float, stations: Array) -> list[Flexure]:
    """How sections at ``stations`` move as seen from the section at ``start``, all given as x/L."""
    first, second = _deflections(modes, start, float(stations.max()))
    at = 2.0 * (stations - start) / (float(stations.max()) - start) - 1.0
    y, yy = (
        _clean(np.moveaxis(np.asarray(legendre.legval(at, series), dtype=float), -1, 0)) for series in (first, second)
    )
    return [Flexure(one, 0.5 * (two + two.swapaxes(0, 1))) for one, two in zip(y, yy, strict=True)]


def _deflections(modes: Modes, start: float, end: float) -> tuple[Array, Array]:
    """y (degree + 1, n, 6) and its second derivatives (degree + 1, n, n, 6) as series on the interval."""
    degree = 2 * modes.shapes.shape[1] + 4
    s, weights = gauss(degree + 1, start, end)
    t = 2.0 * (s - start) / (end - start) - 1.0
    basis = legendre.legvander(t, degree)
    # Values at the nodes to the coefficients of their series, and those to the integral along the interval.
    series = (2.0 * np.arange(degree + 1)[:, None] + 1.0) * (basis * weights[:, None]).T / (end - start)
    integral = _integration(degree, end - start) @ series
    along = legendre.legvander(t, degree + 1)

    n, e_x = len(modes.kinds), np.array([1.0, 0.0, 0.0])
    strain = values(modes.shapes, s).T
    k, stretch = np.zeros((degree + 1, n, 3)), np.zeros((degree + 1, n))
    for j, kind in enumerate(modes.kinds):
        component = KINDS[kind].component
        if component < 3:
            k[:, j, component] = strain[:, j]
        else:
            stretch[:, j] = strain[:, j]

    def grown(x: Array) -> Array:
        return np.tensordot(along, np.tensordot(integral, x, 1), 1)

    theta = grown(k)
    tilt = np.cross(theta, e_x)
    slope = modes.length * tilt + stretch[..., None] * e_x
    pair = 0.5 * np.cross(theta[:, :, None], k[:, None])
    turning = pair + np.swapaxes(pair, 1, 2)
    pair = 0.5 * np.cross(theta[:, :, None], tilt[:, None])
    pair = modes.length * pair + stretch[:, :, None, None] * tilt[:, None]
    bending = modes.length * np.cross(grown(turning), e_x) + pair + np.swapaxes(pair, 1, 2)
    first, second = np.concatenate([k, slope], axis=-1), np.concatenate([turning, bending], axis=-1)
    return np.tensordot(integral, first, 1), np.tensordot(integral, second, 1)


def _integration(degree: int, size: float) -> Array:
    """The series (degree + 2) of the integral from the start of an interval, for each series (degree + 1) on it."""
    return np.asarray(legendre.legint(np.eye(degree + 1), axis=0, scl=size / 2.0, lbnd=-1))


def _clean(y: Array) -> Array:
    """Without what rounding leaves where a number is zero: an exact zero costs nothing in compiled code."""
    return np.where(np.abs(y) > 1e-14 * max(1.0, float(np.abs(y).max())), y, 0.0)
