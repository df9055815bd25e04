"""The poses of a beam's sections against the integral of its strains."""

import numpy as np
import pytest

from sixd.flexible import Beam
from sixd.flexible.link import bending_of, pieces
from sixd.flexible.shapes import values
from sixd.lie import se3
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector
from tests.flexible.beams import clamped

BEAM = Beam(1.3, 0.5, EI_y=3.0, EI_z=2.0, GJ=1.0, EA=30.0, inertia_per_length=(0.01, 0.005, 0.005))
ALL = {"bending_y": 2, "bending_z": 2, "torsion": 2, "axial": 1}


def integrated(bending, q, steps=400):
    """The pose of the tip, step by step along the beam: Magnus's method of the fourth order."""
    modes, h = bending.modes, 1.0 / steps
    components = [{"torsion": 0, "bending_y": 1, "bending_z": 2, "axial": 3}[kind] for kind in modes.kinds]

    def strain(s):
        x = np.array([0.0, 0.0, 0.0, modes.length, 0.0, 0.0])
        for component, value, qj in zip(components, values(modes.shapes, np.array([s]))[:, 0], q, strict=True):
            x[component] += value * qj
        return Motion.from_array(x)

    pose = np.eye(4)
    for k in range(steps):
        a, b = (strain((k + 0.5 + sign * np.sqrt(3.0) / 6.0) * h) for sign in (-1.0, 1.0))
        step = (a + b) * (0.5 * h) + a.cross(b) * (np.sqrt(3.0) / 12.0 * h * h)
        pose = pose @ se3.exp(step).pose()
    return pose


def tip_pose(bending, q):
    """The pose of the tip by the flexures of the link."""
    *_, tip = found = pieces(bending)
    path = [tip]
    while path[0].on >= 0:
        path.insert(0, found[path[0].on])
    pose = np.eye(4)
    for piece in path:
        place = np.eye(4)
        place[0, 3] = piece.x
        pose = pose @ place @ piece.joint.transform(Vector.from_array(q)).pose()
    return pose


@pytest.mark.parametrize("shapes", ["polynomial", "cantilever", "pinned"])
def test_exact_to_the_second_order(shapes):
    """Half the deflection has an eighth of the error."""
    bending = bending_of(BEAM, **ALL, shapes=shapes)
    q = np.random.default_rng(0).normal(size=7)
    errors = [np.abs(tip_pose(bending, h * q) - integrated(bending, h * q)).max() for h in (0.04, 0.02, 0.01)]
    assert errors[-1] < 1e-4
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 8.0, rtol=0.1)


def test_segments_converge_to_large_deflections():
    """With the square of their number: a beam bent by a radian and twisted."""
    q = np.array([0.8, 0.2, -0.5, 0.1, 0.6, -0.2, 0.05])
    exact = integrated(bending_of(BEAM, **ALL), q)
    errors = [np.abs(tip_pose(bending_of(BEAM, **ALL, segments=m), q) - exact).max() for m in (2, 4, 8)]
    assert errors[0] < 0.03
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 4.0, rtol=0.1)


def test_a_moment_bends_a_beam_to_an_arc():
    """kappa = M / EI; the tip is at (sin(a), 1 - cos(a)) / kappa. At a quarter turn eight segments are within 1 %."""
    beam, angle = Beam(2.0, 0.5, EI_z=20.0), np.pi / 2
    robot = clamped(beam, bending_z=2, segments=8, stations=1)
    moment = 20.0 * angle / 2.0
    q = np.zeros(2)
    for _ in range(30):
        # The moment does work on the tip: tau = J^T (0, 0, M) in world axes.
        tau = moment * robot.jacobian(q, "beam_tip", expressed_in="aligned")[2]
        q = tau / robot.joint("beam_modes").data.stiffness
    assert q == pytest.approx([angle, 0.0], abs=0.015)
    tip = robot.pose(q, "beam_tip")[:2, 3]
    assert tip == pytest.approx(np.array([np.sin(angle), 1.0 - np.cos(angle)]) * 2.0 / angle, abs=0.02)


@pytest.mark.parametrize("options", [{}, {"stations": 2}, {"segments": 3, "stations": 2}, {"shapes": "pinned"}])
def test_inertia_at_rest_is_that_of_the_bar(options):
    """Of all stations, about the start of the beam."""
    robot = clamped(BEAM, **options)
    found = Inertia.zero()
    for name in robot.bodies.names[1:]:
        found = found + Transform.from_pose(robot.pose(robot.neutral(), name)).inv @ robot.body(name).inertia
    about = np.diag([0.0, 1.0, 1.0]) * 0.5 * 1.3**3 / 3.0 + 1.3 * np.diag(BEAM.inertia_per_length)
    expected = Inertia(0.65, Vector((0.65 * 0.65, 0.0, 0.0)), Matrix.from_array(about))
    np.testing.assert_allclose(found.components(), expected.components(), rtol=1e-13, atol=1e-15)
