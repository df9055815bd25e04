"""Pages of simulations show the ground that is touched: floors at their height, ramps and hills as surfaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sixd.ops import sqrt
from sixd.simulation import simulate
from sixd.simulation.contact import Bump, Contacts, Grid, Ground, HeightField, Plane, Slope, Sphere, Wave
from sixd.simulation.contact.grounds import Nearest
from sixd.simulation.pictures import heights_of
from sixd.spatial import Vector
from sixd.view.scene import Scene
from sixd.view.surface import GROUND
from tests.simulation.bodies import ball

X, Y = (c.ravel() for c in np.meshgrid(np.linspace(-1.0, 2.0, 31), np.linspace(-1.5, 1.5, 37)))
RAMP = Plane((-np.sin(0.3), 0.0, np.cos(0.3)), 0.2)


@dataclass(frozen=True)
class Dome(Ground):
    """A ball about (0, 0, height), touched from outside; pictures can show its upper half."""

    name = "dome"
    height: float

    def nearest(self, p: Vector) -> Nearest:
        way = p - Vector((0.0, 0.0, self.height))
        distance = sqrt(way @ way)
        n = way * (1.0 / distance)
        short = 1.0 / sqrt(n[0] * n[0] + n[2] * n[2])
        first = Vector((n[2] * short, 0.0, -n[0] * short))
        return Nearest(distance - 1.0, (first, n.cross(first), n))


@pytest.fixture
def drawn(monkeypatch):
    """What pages are asked to show: options by the name of the file."""
    asked = {}

    def save_html(path, robot, t, q, **options):
        asked[path] = Scene.of(robot, t, q, **options)

    monkeypatch.setattr("sixd.simulation.pictures.view.save_html", save_html)
    return asked


def fall(contacts, robot=None):
    robot = robot or ball()
    q0 = robot.neutral()
    q0[4:7] = (0.0, 0.0, 0.5)
    return simulate(robot, q0, np.zeros(robot.nv), 0.02, contacts=contacts)


def surface(scene):
    return next((layer.items[0].shape.mesh.points for layer in scene.layers if layer.name == GROUND), None)


def test_heights_of_ramps_and_hills():
    """One of Newton's steps is exact on planes and where the distance is linear in z; of planes by their equation."""
    z = heights_of(RAMP)(X, Y)
    np.testing.assert_allclose(z, np.tan(0.3) * X + 0.2 / np.cos(0.3), atol=1e-12)
    wave = HeightField(Wave(0.05, 0.7), Slope(0.1, 0.2))
    expected = 0.05 * np.sin(2.0 * np.pi * X / 0.7) + 0.1 * X + 0.2 * Y
    np.testing.assert_allclose(heights_of(wave)(X, Y), expected, atol=1e-9)
    table = np.random.default_rng(0).random((200, 200))
    i, j = np.random.default_rng(1).integers(0, 200, (2, 500))
    for smooth in ("linear", "cubic"):
        grid = HeightField(Grid(table, 0.05, (-5.0, -4.0), smooth))
        np.testing.assert_allclose(heights_of(grid)(-5.0 + 0.05 * i, -4.0 + 0.05 * j), table[i, j], atol=1e-9)
    bump = HeightField(Bump(0.0, 0.0, 0.1, 0.2))
    assert heights_of(bump)(np.zeros(1), np.zeros(1)) == pytest.approx(0.1)


def test_heights_that_there_are_none_of():
    assert np.isnan(heights_of(Plane((1.0, 0.0, 0.0), 0.5))(X, Y)).all()
    assert np.isnan(heights_of(Plane((0.0, 0.0, -1.0), 0.5))(X, Y)).all()


def test_heights_of_a_ground_of_one_s_own():
    """The upper half of a ball, z = sqrt(1 - x^2 - y^2); beside it there is none."""
    x, y = np.array([0.0, 0.3, -0.2, 3.0]), np.array([0.0, 0.1, 0.5, 0.0])
    found = heights_of(Dome(-1.5))(x, y)
    np.testing.assert_allclose(found[:3], np.sqrt(1.0 - x[:3] ** 2 - y[:3] ** 2) - 1.5, atol=1e-9)
    assert np.isnan(found[3])


def test_pages_show_what_is_touched(drawn):
    sphere = [Sphere("body", 0.1)]
    for name, ground in (("floor", Plane((0, 0, 1), 0.07)), ("ramp", RAMP), ("hills", HeightField(Wave(0.05, 0.7)))):
        fall(Contacts(sphere, ground)).save_html(name)
    fall(None).save_html("nothing")
    fall(Contacts(sphere, RAMP)).save_html("own", ground=0.3)
    fall(Contacts(sphere, HeightField(Slope(0.0)))).save_html("level field")
    assert (drawn["floor"].floor, surface(drawn["floor"])) == (0.07, None)
    x, _, z = surface(drawn["ramp"]).T
    np.testing.assert_allclose(z, np.tan(0.3) * x + 0.2 / np.cos(0.3), atol=1e-12)
    x, _, z = surface(drawn["hills"]).T
    np.testing.assert_allclose(z, 0.05 * np.sin(2.0 * np.pi * x / 0.7), atol=1e-9)
    assert [drawn[name].floor for name in ("ramp", "hills", "nothing")] == [None] * 3
    assert (drawn["own"].floor, surface(drawn["own"])) == (0.3, None)
    assert drawn["level field"].floor == 0.0


def test_a_floor_is_perpendicular_to_gravity(drawn):
    """Mechanisms have gravity along -y; a slope may be had by gravity that is not along -z."""
    robot = ball().with_gravity((0.0, -9.81, 0.0))
    fall(Contacts([Sphere("body", 0.1)], Plane((0, 1, 0), -0.2)), robot).save_html("y")
    assert (drawn["y"].floor, surface(drawn["y"])) == (-0.2, None)
    tilted = ball().with_gravity((2.0, 0.0, -9.0))
    fall(Contacts([Sphere("body", 0.1)], Plane()), tilted).save_html("slope")
    assert drawn["slope"].floor is None
    np.testing.assert_allclose(surface(drawn["slope"])[:, 2], 0.0, atol=1e-12)  # in the world, which is turned
