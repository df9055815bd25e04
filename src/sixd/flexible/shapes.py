"""Assumed modes: how the strain of a beam varies along it, for each coordinate.

A mode is given by its strain, not by its deflection: curvature, rate of twist, or stretch. The strain of a kind is
sum_j shape_j(s) q_j / L with s = x/L, and the deflection follows from it by integration (`sixd.flexible.deflection`).
Linear theory gives the same deflections either way; with strains the energy 1/2 integral of EI (strain)^2 is exact for
large deflections too, and modes whose shapes are orthogonal have independent springs.

Shapes are series of Legendre polynomials on 0 <= s <= 1. A set of them is made by a function in `SHAPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.flexible.beam import KINDS, Beam

__all__ = ["SHAPES", "gauss", "natural_modes", "shapes_of", "values"]

Array = NDArray[np.float64]

#: Polynomials by which a function is replaced, and the error that is accepted, relative to its largest value.
_DEGREE, _TOLERANCE = 31, 1e-9
#: Polynomials beyond those asked for, from which natural modes are made: 1e-12 in the frequencies.
_MORE = 14


def gauss(n: int, start: float = 0.0, end: float = 1.0) -> tuple[Array, Array]:
    """The nodes and weights of Gauss and Legendre for an interval: exact for polynomials of degree 2 n - 1."""
    t, w = legendre.leggauss(n)
    return start + (end - start) * (t + 1.0) / 2.0, (end - start) * w / 2.0


def values(shapes: Array, s: Array) -> Array:
    """The values (n, ...) at s of shapes (n, degree + 1)."""
    return np.asarray(legendre.legval(2.0 * s - 1.0, shapes.T))


def polynomials(beam: Beam, kind: str, n: int) -> Array:
    """Legendre's polynomials: strain constant, linear, quadratic, ... along the beam.

    Static loads at the tip are met exactly by the first two, and what the beam carries does not matter: with n of them
    frequencies converge faster than any power of n. q_0 is the angle between the ends, rad, or the elongation, m.
    """
    return np.eye(n)


def natural(beam: Beam, kind: str, n: int) -> Array:
    """The natural modes of the beam that is clamped at its start and free at its end.

    Each has a frequency of its own if the beam carries nothing. Its strain vanishes at the tip, so they converge
    slowly if the beam carries a load there. q is the deflection of the tip by length, the angle of twist of the tip,
    rad, or its displacement, m.
    """
    return natural_modes(beam, kind, n)[1]


def pinned(beam: Beam, kind: str, n: int) -> Array:
    """Sines, sin(j pi s): the modes of a beam that is pinned at both ends, where its strain vanishes."""
    return np.array([_series(lambda s, j=j: np.sin(j * np.pi * s), f"mode {j}") for j in range(1, n + 1)])


#: Sets of shapes by name: functions of the beam, the kind of deformation and their number.
SHAPES: dict[str, Callable[[Beam, str, int], Array]] = {
    "polynomial": polynomials,
    "cantilever": natural,
    "pinned": pinned,
}


def shapes_of(beam: Beam, kind: str, n: int, given_shapes: Any) -> Array:
    """Shapes (n, degree + 1) of one kind: a set by name, or functions of s, which are made orthogonal in turn."""
    if isinstance(given_shapes, str):
        return SHAPES[given.choice(given_shapes, "shapes", SHAPES)](beam, kind, n)
    if not isinstance(given_shapes, Iterable):
        raise ModelError(f"shapes must be a name or functions of x/L, not {given.described(given_shapes)}")
    functions = list(given_shapes)
    if len(functions) != n:
        raise ModelError(f"{kind} has {n} modes but {len(functions)} shapes")
    return _orthogonal(np.array([_series(f, f"shape {j} of {kind}") for j, f in enumerate(functions)]), kind)


def _series(function: Any, what: str) -> Array:
    """A function of s as a series of polynomials, by its values at Gauss's nodes."""
    if not callable(function):
        raise ModelError(f"{what} must be a function of x/L, not {given.described(function)}")
    nodes, weights = gauss(_DEGREE + 1)
    found = np.array([given.number(function(float(s)), f"{what} at {s:.3g}") for s in nodes])
    basis = legendre.legvander(2.0 * nodes - 1.0, _DEGREE)
    series = (2.0 * np.arange(_DEGREE + 1) + 1.0) * (basis.T @ (weights * found))
    if not np.isfinite(series).all() or not found.any():
        raise ModelError(f"{what} must be finite, and not zero everywhere")
    tests = np.linspace(0.0, 1.0, 101)
    exact = np.array([float(function(float(s))) for s in tests])
    error = float(np.abs(values(series[None], tests)[0] - exact).max() / np.abs(exact).max())
    if not error < _TOLERANCE:
        raise ModelError(f"{what} is not smooth: a polynomial of degree {_DEGREE} misses it by {error:.1g}")
    return np.asarray(series)


def _orthogonal(shapes: Array, kind: str) -> Array:
    """Shapes made orthogonal, each to those before it; their sizes are kept."""
    weights = 1.0 / (2.0 * np.arange(shapes.shape[1]) + 1.0)
    found: list[Array] = []
    for j, shape in enumerate(shapes):
        size, rest = np.sqrt(weights @ shape**2), shape
        for before in (*found, *found):  # twice, for rounding
            rest = rest - before * ((weights * before) @ rest / (weights @ before**2))
        left = np.sqrt(weights @ rest**2)
        if left < 1e-8 * size:
            raise ModelError(f"shape {j} of {kind} is a sum of those before it")
        found.append(rest * (size / left))
    return np.array(found)


def natural_modes(beam: Beam, kind: str, n: int) -> tuple[Array, Array]:
    """Frequencies, rad/s, and strain shapes of the clamped beam's n lowest modes, by Ritz from polynomials."""
    m, k = n + _MORE, beam.stiffness(kind) / beam.length
    basis, (s, w), tip = np.eye(m), gauss(m + 3), np.ones(1)
    rotation = _integrals(basis, s)
    if kind.startswith("bending"):
        deflection, at_tip = _integrals(basis, s, 2), _integrals(basis, tip, 2)
        M = beam.mass * beam.length**2 * (deflection * w) @ deflection.T
        density = beam.inertia_per_length[KINDS[kind].component]
    else:
        M, at_tip = np.zeros((m, m)), _integrals(basis, tip)
        density = beam.mass_per_length if kind == "axial" else beam.inertia_per_length[0]
    M += beam.length * density * (rotation * w) @ rotation.T
    root = np.sqrt((2.0 * np.arange(m) + 1.0) / k)  # K^(-1/2)
    eigenvalues, vectors = np.linalg.eigh(root[:, None] * M * root)
    if not eigenvalues[-n] > 0.0:
        raise ModelError(
            f"the beam has no natural modes of {kind}: give it inertia_per_length and a finite stiffness of that kind"
        )
    modes = (root[:, None] * vectors[:, ::-1][:, :n]).T
    return 1.0 / np.sqrt(eigenvalues[::-1][:n]), modes / (modes @ at_tip)


def _integrals(shapes: Array, s: Array, times: int = 1) -> Array:
    """The integrals of shapes from 0 to s, once or several times."""
    return values(np.asarray(legendre.legint(shapes, times, scl=0.5, lbnd=-1, axis=1), dtype=float), s)
