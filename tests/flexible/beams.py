"""Beams and arms that the tests of flexible links share, and the equations of linear theory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import sixd
from sixd.flexible import Beam
from sixd.joints import Joint, Revolute

#: beta L of a beam that is clamped at one end: cos(x) cosh(x) = -1.
CLAMPED = np.array([1.875104068711961, 4.694091132974174, 7.854757438237612, 10.995540734875467])
#: A beam with EI, mass and length 1: its frequencies are (beta L)^2.
UNIT = Beam(1.0, 1.0, EI_y=1.0, EI_z=1.0)


def clamped(beam: Beam = UNIT, joint: Joint | None = None, load: dict[str, object] | None = None, **options: object):
    """A beam welded to the base, or carried by a joint; with a rigid load at its tip."""
    builder = sixd.Builder("beam", gravity=(0, 0, 0))
    builder.flexible_body("beam", beam, joint=joint, joint_name="hub", **options)
    if load is not None:
        builder.body("load", "beam_tip", **load)
    return builder.assemble()


def stiffness(robot: sixd.Robot) -> np.ndarray:
    """The stiffness of all joints, as a matrix."""
    return -np.array([robot.passive_forces(e, np.zeros(robot.nv)) for e in np.eye(robot.nv)]).T


def frequencies(robot: sixd.Robot) -> np.ndarray:
    """The frequencies of small motions about rest, rad/s; zero for motions that no spring resists.

    The eigenvalues of (K + H)^-1 H are 1 / (w^2 + 1): rounding there is a part of the largest, of the lowest frequency.
    Those of H^-1 K are w^2: rounding is a part of the highest w^2, which of 8 polynomials is 650,000 times the lowest.
    """
    H = robot.mass_matrix(robot.neutral())
    inverse = np.linalg.eigvals(np.linalg.solve(stiffness(robot) + H, H)).real
    return np.sqrt(np.maximum(np.sort(1.0 / inverse - 1.0), 0.0))


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a function between two points where its signs differ, by bisection."""
    below = f(low)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle) > 0.0) == (below > 0.0) else (low, middle)
    return 0.5 * (low + high)


def roots(f: Callable[[float], float], start: float, end: float, n: int) -> np.ndarray:
    """The first n zeros of a function, by the signs of its values on a grid."""
    grid = np.linspace(start, end, 2000)
    signs = np.sign([f(x) for x in grid])
    at = np.flatnonzero(signs[1:] != signs[:-1])[:n]
    return np.array([root(f, grid[k], grid[k + 1]) for k in at])


def chain(n: int, beam: Beam = UNIT) -> sixd.Robot:
    """The beam as n rigid links with springs between them, each half a link at the ends of the chain.

    Springs of stiffness EI/h are h apart; the first and the last piece have half the length of the others.
    """
    h = beam.length / n
    builder = sixd.Builder("chain", gravity=(0, 0, 0))
    lengths = [0.5 * h, *[h] * (n - 1), 0.5 * h]
    parent, x = "base", 0.0
    for k, length in enumerate(lengths):
        m = beam.mass_per_length * length
        joint = None if k == 0 else Revolute("z")
        data = {} if k == 0 else {"stiffness": beam.EI_z / h}
        turn = m * length**2 / 12.0
        place = (x, 0.0, 0.0)
        builder.body(
            f"link{k}", parent, joint, xyz=place, mass=m, com=(length / 2, 0, 0), inertia=(0, turn, turn), **data
        )
        parent, x = f"link{k}", length
    return builder.assemble()
