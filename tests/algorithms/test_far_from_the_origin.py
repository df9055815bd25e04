"""Where a robot stands does not matter to what is measured from its own points: digits are kept far from the origin."""

from itertools import product

import mpmath
import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.joints import Prismatic

ROBOTS = ("quadruped", "gantry", "two arms")
DISTANCES = (0.0, 1e3, 1e4, 1e7, 1e10)
WAY = np.array([1.0, -0.7, 0.3])


def _gantry():
    """A body on three sliders and an arm of which only the outer parts have mass."""
    b = sixd.Builder("gantry")
    parent = "base"
    b.link("base")
    for axis in "xyz":
        b.body(axis, parent, Prismatic(axis), joint_name=f"slide {axis}")
        parent = axis
    b.body("box", parent, sixd.joints.Spherical(), mass=3.0, com=(0.1, 0.0, -0.2), inertia=(0.2, 0.3, 0.4))
    b.body("arm", "box", sixd.joints.Revolute((1, 2, 3)), mass=1.0, com=(0.3, 0.1, 0.0), inertia=(0.1, 0.1, 0.2))
    return b.build()


def _two_arms(d):
    """Two arms on one table, far away."""
    b = sixd.Builder("two arms").link("table")
    for side in (-0.5, 0.5):
        parent, at = "table", sixd.spatial.Transform.translation(d * WAY + np.array([0.0, side, 0.0]))
        for k in range(3):
            name = f"{'left' if side < 0 else 'right'} {k}"
            data = {"mass": 1.0 + k, "com": (0.2, 0.1, 0.3), "inertia": (1, 2, 2)}
            b.body(name, parent, sixd.joints.Revolute("xyz"[k]), at=at, **data)
            parent, at = name, sixd.spatial.Transform.translation((0.1, 0.2, 0.4))
    return b.build()


def _standing(name, d, seed):
    """A robot and its state, d away from the origin."""
    robot = {"quadruped": gallery.quadruped, "gantry": _gantry, "two arms": lambda: _two_arms(d)}[name]()
    rng = np.random.default_rng(seed)
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    if name != "two arms":
        place = slice(4, 7) if name == "quadruped" else slice(0, 3)
        q[place] = d * WAY + rng.normal(size=3)
    return robot, q, qd


def _exactly(function, robot, *state):
    with mpmath.workdps(60):
        exact = function(robot, *([mpmath.mpf(x) for x in part.tolist()] for part in state))
        return np.vectorize(float)(np.asarray(getattr(exact, "array", lambda: exact)(), dtype=object))


#: What does not depend on where the robot stands, with its arguments.
LOCAL = {
    "centroidal_momentum": 2,
    "centroidal_momentum_matrix": 1,
    "center_of_mass_jacobian": 1,
    "kinetic_energy": 2,
    "bias_forces": 2,
    "crba": 1,
    "coriolis_matrix": 2,
    "christoffel": 1,
    "mass_matrix_derivative": 1,
}


@pytest.mark.parametrize(("name", "robot", "d"), list(product(LOCAL, ROBOTS, DISTANCES)))
def test_digits_are_kept(name, robot, d):
    """To some units of the last place of the largest entry; moments have the lever from joints to what they carry."""
    function = getattr(algorithms, name)
    for seed in range(3):
        robot_, *state = _standing(robot, d, seed)
        state = state[: LOCAL[name]]
        exact, found = _exactly(function, robot_, *state), function(robot_, *state)
        found = np.asarray(getattr(found, "array", lambda found=found: found)())
        lever = d if robot == "gantry" and name.startswith("centroidal") else 0.0
        np.testing.assert_allclose(found, exact, rtol=0, atol=3e-15 * (1.0 + lever) * np.abs(exact).max())


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("name", ["centroidal_momentum", "centroidal_momentum_matrix"])
def test_compiled_code_keeps_them_too(name, rolled):
    robot, *state = _standing("quadruped", 1e7, 0)
    state = state[: LOCAL[name]]
    function = getattr(algorithms, name)
    found, exact = sixd.compile(function, robot, rolled=rolled)(*state), _exactly(function, robot, *state)
    np.testing.assert_allclose(found, exact, rtol=0, atol=3e-15 * np.abs(exact).max())


@pytest.mark.parametrize("expressed_in", ["body", "aligned"])
@pytest.mark.parametrize("d", DISTANCES)
def test_motions_of_a_frame(d, expressed_in):
    """Jacobian, its rate, velocity and acceleration, in the frame's own coordinates or the world's axes."""
    robot, q, qd = _standing("quadruped", d, 1)
    body = robot.n_bodies
    for function, state in (
        (lambda r, *s: algorithms.jacobian(r, *s, body, None, expressed_in), (q,)),
        (lambda r, *s: algorithms.jacobian_rate(r, *s, body, None, expressed_in), (q, qd)),
        (lambda r, *s: algorithms.velocity(r, *s, body, None, expressed_in), (q, qd)),
        (lambda r, *s: algorithms.acceleration(r, *s, body, None, expressed_in), (q, qd, qd)),
    ):
        exact, found = _exactly(function, robot, *state), function(robot, *state)
        found = np.asarray(getattr(found, "array", lambda found=found: found)())
        np.testing.assert_allclose(found, exact, rtol=0, atol=3e-15 * np.abs(exact).max())
