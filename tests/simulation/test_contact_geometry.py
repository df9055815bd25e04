"""Where shapes touch grounds: distances, normals, Jacobians, and the surfaces of height fields."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import cos, hypot, sin

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, RegularGridInterpolator

import sixd
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.simulation import Moment
from sixd.simulation.contact import (
    GROUNDS,
    HEIGHTS,
    SHAPES,
    Box,
    Bump,
    Capsule,
    Contacts,
    Grid,
    HeightField,
    Plane,
    Point,
    Slope,
    Sphere,
    Stair,
    Wave,
)
from sixd.simulation.contact.factors import factors_of
from sixd.simulation.contact.laws.rigid import Delassus
from sixd.spatial import Vector
from tests.backends.compiled import Compiled, numbers
from tests.simulation.bodies import body

ROUGH = np.random.default_rng(7).uniform(-0.1, 0.1, size=(5, 4))
FIELDS = {
    "slope": Slope(0.3, -0.2, 0.1),
    "wave": Wave(0.1, 0.7, 0.4, 0.2),
    "bump": Bump(0.2, -0.1, 0.15, 0.9),
    "stair": Stair(0.05, 0.2, 0.3, 0.5),
    "grid": Grid(ROUGH, 0.5, (-1.0, -0.75), "cubic"),
}


def test_registries() -> None:
    assert set(SHAPES) == {"point", "sphere", "capsule", "box"}
    assert set(GROUNDS) == {"plane", "height field"}
    assert set(HEIGHTS) == set(FIELDS)


def test_balls_of_shapes() -> None:
    assert [b.center for b in Point("f", center=(1, 2, 3)).balls()] == [(1, 2, 3)]
    assert [(b.center, b.radius) for b in Capsule("f", 0.1, 0.6, center=(0, 1, 0)).balls()] == [
        ((0, 1, -0.3), 0.1),
        ((0, 1, 0.3), 0.1),
    ]
    corners = Box("f", (2, 4, 6)).balls()
    assert {b.center for b in corners} == {(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)}
    assert len({b.suffix for b in corners}) == 8
    assert Contacts([Box("body", (1, 1, 1)), Sphere("body", 0.1)]).names(body())[-2:] == ("body +x+y+z", "body")


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 2, 3), (-1, 0.2, 0.1), (0, 5, 0), (0, 0, -2)])
def test_axes_of_planes(normal: tuple[float, float, float]) -> None:
    plane = Plane(normal, 0.7)
    gap, axes = plane.nearest(Vector((0.3, -0.4, 2.0)))
    n = np.array(normal) / np.linalg.norm(normal)
    assert gap == pytest.approx(n @ (0.3, -0.4, 2.0) - 0.7, abs=1e-15)
    A = np.array([list(axis) for axis in axes])
    assert np.allclose(A @ A.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(A) == pytest.approx(1.0)
    assert np.allclose(A[2], n, atol=1e-15)


@pytest.mark.parametrize("name", FIELDS)
def test_normals_of_height_fields(name: str) -> None:
    field, step = HeightField(FIELDS[name]), 1e-6
    for x, y in np.random.default_rng(1).uniform(-0.6, 0.6, size=(20, 2)):
        gap, axes = field.nearest(Vector((x, y, 0.5)))
        A = np.array([list(axis) for axis in axes])
        assert np.allclose(A @ A.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(A) == pytest.approx(1.0)
        h = field.height
        slope = [(h(x + step, y) - h(x - step, y)) / (2 * step), (h(x, y + step) - h(x, y - step)) / (2 * step)]
        assert np.allclose(-A[2, :2] / A[2, 2], slope, atol=1e-8)
        assert gap == pytest.approx((0.5 - h(x, y)) / hypot(1.0, *slope), abs=1e-8)


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["hill", "hollow"])
def test_a_ball_on_a_round_ground(side: float) -> None:
    """On a sphere of radius R the distance of a ball is that of both middles, less both radii, or R less the rest."""
    R, r, gap = 1.0, 0.05, 1e-3
    field = HeightField(lambda x, y: side * sixd.ops.sqrt(R * R - x * x - y * y))
    reach = R + side * (r + gap)
    for angle in (0.0, 0.1, 0.3, 0.5):
        n = np.array([side * sin(angle) * 0.6, side * sin(angle) * 0.8, cos(angle)])  # out of the ground
        found = field.below_ball(Vector(side * reach * n), r)
        assert found.gap == pytest.approx(gap, abs=1e-6)
        np.testing.assert_allclose(list(found.axes[2]), n, atol=1e-3)


def test_slope_is_a_plane() -> None:
    angle = 0.4
    field, plane = HeightField(Slope(np.tan(angle))), Plane((-sin(angle), 0.0, cos(angle)))
    p = Vector((0.3, 0.2, 0.9))
    assert field.nearest(p).gap == pytest.approx(plane.nearest(p).gap, abs=1e-15)
    assert np.allclose(list(field.nearest(p).axes[2]), list(plane.nearest(p).axes[2]), atol=1e-15)


@pytest.mark.parametrize("smooth", ["linear", "cubic"])
def test_grids_pass_through_their_heights(smooth: str) -> None:
    grid = Grid(ROUGH, 0.5, (-1.0, -0.75), smooth)
    for i in range(5):
        for j in range(4):
            assert grid(-1.0 + 0.5 * i, -0.75 + 0.5 * j) == pytest.approx(ROUGH[i, j], abs=1e-15)
    assert grid(-9.0, 9.0) == pytest.approx(ROUGH[0, -1], abs=1e-15)  # beyond the edges
    if smooth == "linear":
        assert grid(-0.75, -0.5) == pytest.approx(ROUGH[:2, :2].mean(), abs=1e-15)


@pytest.mark.parametrize("smooth", ["linear", "cubic"])
def test_slopes_on_the_lines_of_a_grid(smooth: str) -> None:
    """On a line, where a linear grid has a kink, the slope is that of one of its sides; beyond the edges it is zero."""
    heights = ROUGH + 5.0
    field, step = HeightField(Grid(heights, 0.5, (-1.0, -0.75), smooth)), 1e-6
    for x, y in product(np.arange(-1.0, 1.01, 0.5), np.arange(-0.75, 0.76, 0.5)):
        after = (field.height(x + step, y) - field.height(x, y), field.height(x, y + step) - field.height(x, y))
        np.testing.assert_allclose(field.gradient(x, y), np.array(after) / step, atol=1e-4)
    assert field.gradient(-9.0, 9.0) == (0.0, 0.0)
    assert HeightField(Grid(np.full((3, 3), 7.0), 1.0, (-1.0, -1.0), smooth)).gradient(0.0, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize("size", [(2, 2), (2, 5), (7, 3), (40, 30)], ids=str)
def test_grids_are_the_splines_of_another_library(size: tuple[int, int]) -> None:
    """Against SciPy: a piecewise bilinear surface, and a cubic spline along each axis with no slope at the edges."""
    rng = np.random.default_rng(5)
    heights = rng.uniform(-0.1, 0.1, size)
    lines = [0.5 * np.arange(n) - 1.0 for n in size]
    places = rng.uniform(-1.0, [axis[-1] for axis in lines], (50, 2))
    linear = RegularGridInterpolator(lines, heights)(places)
    along_y = CubicSpline(lines[1], heights, axis=1, bc_type="clamped")(places[:, 1])
    for place, wanted, row in zip(places, linear, along_y.T, strict=True):
        assert Grid(heights, 0.5, (-1.0, -1.0))(*place) == pytest.approx(wanted, abs=1e-15)
        cubic = CubicSpline(lines[0], row, bc_type="clamped")(place[0])
        assert Grid(heights, 0.5, (-1.0, -1.0), "cubic")(*place) == pytest.approx(cubic, abs=2e-15)


@pytest.mark.parametrize("smooth", ["linear", "cubic"])
def test_compiled_grids_are_those_of_floats(smooth: str) -> None:
    """Heights and slopes by machine code: within a grid, on its lines, beyond it, and where a place is not finite."""
    rng = np.random.default_rng(6)
    field = HeightField(Grid(rng.uniform(-0.1, 0.1, (60, 40)), 0.125, (-3.0, -2.0), smooth))
    kernel = Compiled(numbers(lambda x, y: [field.height(x, y), *field.gradient(x, y)]), (2,))
    places = rng.uniform(-5.0, 5.0, (300, 2))
    places[:100] = np.round(places[:100] * 8.0) / 8.0
    places[100:104] = (np.nan, 0.0), (0.0, np.inf), (-np.inf, -np.inf), (1e300, -1e300)
    found = kernel(places)
    assert np.isnan(found[100]).all()
    for place, row in zip(np.delete(places, 100, axis=0).tolist(), np.delete(found, 100, axis=0), strict=True):
        np.testing.assert_allclose(row[0], field.height(*place), atol=1e-15)
        np.testing.assert_allclose(row[1:], field.gradient(*place), atol=1e-14)


def test_cubic_grids_are_smooth() -> None:
    """The curvature is the same on both sides of a grid line."""
    grid, step = Grid(ROUGH, 0.5, (-1.0, -0.75), "cubic"), 1e-4

    def curvature(x: float) -> float:
        return (grid(x + step, 0.1) - 2 * grid(x, 0.1) + grid(x - step, 0.1)) / step**2

    assert curvature(-0.5 - 2 * step) == pytest.approx(curvature(-0.5 + 2 * step), abs=0.01)


def test_height_of_one_s_own_and_sums() -> None:
    field = HeightField(lambda x, y: 0.1 * sixd.ops.sin(x) * y, Slope(0.0, 0.5))
    assert field.height(1.0, 2.0) == pytest.approx(0.2 * sin(1.0) + 1.0)
    assert field.gradient(1.0, 2.0) == pytest.approx((0.2 * cos(1.0), 0.1 * sin(1.0) + 0.5))


def coupled() -> sixd.Robot:
    """A chain of four revolute joints, the last of which follows the first."""
    builder = sixd.Builder("coupled")
    builder.link("body0")
    for i in range(1, 5):
        builder.body(
            f"body{i}",
            parent=f"body{i - 1}",
            joint=sixd.joints.Revolute((0.6 * (i % 2), 0.8, 1.0 - i % 2)),
            joint_name=f"joint{i}",
            mass=1.0,
            com=(0.1, 0.2, 0.0),
            inertia=0.1 * np.eye(3),
            xyz=(0.3, 0.1, 0.2),
            mimic=sixd.Mimic("joint1", -1.5, 0.2) if i == 4 else None,
        )
    return builder.build()


ROBOTS = {
    **{f"tree {seed}": partial(random_tree, 8, seed, joints=sorted(JOINTS), rotors=True) for seed in range(6)},
    "coupled": coupled,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_delassus_matrix(name: str) -> None:
    """J H^-1 J^T by sparse factors is that of dense matrices, for all joint types and with mimic joints."""
    rng, model = np.random.default_rng(3), ROBOTS[name]()
    robot = model if isinstance(model, sixd.Robot) else sixd.Robot.of(model)
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    names = [robot.body_list[i].name for i in (robot.n_bodies, robot.n_bodies // 2)]
    contacts = Contacts([Sphere(name, 0.1, center=(0.1, 0.2, -0.1)) for name in names], Plane((0.1, 0.2, 0.9)))
    moment = Moment(robot, 0.0, q.tolist(), qd.tolist(), {})
    touches = contacts.touches(moment)
    found = Delassus(factors_of(moment), [row for t in touches for row in t.rows(moment)])
    J = np.zeros((6, robot.nv))
    for k, touch in enumerate(touches):
        aligned = robot.jacobian(q, names[k], expressed_in="aligned")
        arm = touch.point.array() - robot.pose(q, names[k])[:3, 3]
        linear = aligned[3:] + np.cross(aligned[:3].T, arm).T
        J[3 * k : 3 * k + 3] = np.array([list(axis) for axis in touch.axes]) @ linear
        assert np.allclose(touch.velocity(moment).array(), J[3 * k : 3 * k + 3] @ qd, atol=1e-12)
    H = robot.mass_matrix(q)
    A = J @ np.linalg.solve(H, J.T)
    assert np.allclose(found.A, A, rtol=1e-9, atol=1e-11 * abs(A).max())
    p = rng.normal(size=6)
    assert np.allclose(found.response(p.tolist()), np.linalg.solve(H, J.T @ p), rtol=1e-8, atol=1e-10)
