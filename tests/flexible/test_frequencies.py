"""Frequencies of flexible links against those of Euler and Bernoulli's beam, and against a chain of rigid links."""

from math import cos, cosh, pi, sin, sinh

import numpy as np
import pytest

import sixd
from sixd.flexible import Beam
from sixd.joints import Revolute
from tests.flexible.beams import CLAMPED, chain, clamped, frequencies, roots, stiffness


def test_natural_modes_of_a_cantilever_are_exact():
    robot = clamped(bending_y=0, bending_z=4, shapes="cantilever")
    np.testing.assert_allclose(frequencies(robot), CLAMPED**2, rtol=1e-8)
    H, K = robot.mass_matrix(robot.neutral()), stiffness(robot)
    np.testing.assert_allclose(K, np.diag(np.diag(K)), atol=1e-12)
    np.testing.assert_allclose(H, np.diag(np.diag(H)), atol=1e-7 * H.max())
    np.testing.assert_allclose(np.diag(H), 0.25, rtol=1e-7)  # q is the deflection of the tip: a quarter of the mass


@pytest.mark.parametrize(
    ("n", "errors"), [(2, (5e-3, 0.6)), (3, (3.1e-4, 9.1e-3)), (5, (4e-8, 3e-5)), (8, (1e-14, 1e-8))]
)
def test_polynomials_converge_from_above(n, errors):
    """The theorem of Rayleigh and Ritz: every frequency is too high, and less so with more modes."""
    found = frequencies(clamped(bending_y=0, bending_z=n))[:2] / CLAMPED[:2] ** 2 - 1.0
    assert (found > -1e-14).all()
    assert (found < errors).all()


def test_units_and_both_planes():
    beam = Beam(2.0, 0.5, EI_y=30.0, EI_z=20.0)
    robot = clamped(beam, bending_y=6, bending_z=6)
    scale = np.sqrt(1.0 / (beam.mass_per_length * beam.length**4))
    expected = np.sort(np.concatenate([np.sqrt(EI) * scale * CLAMPED[:2] ** 2 for EI in (20.0, 30.0)]))
    np.testing.assert_allclose(frequencies(robot)[:4], expected, rtol=2e-5)
    np.testing.assert_allclose(beam.frequencies("bending_y", 3), np.sqrt(30.0) * scale * CLAMPED[:3] ** 2, rtol=1e-12)


@pytest.mark.parametrize("kind", ["torsion", "axial"])
def test_twisting_and_stretching(kind):
    """A rod that is clamped at one end: (2 k - 1) pi/2 times the speed of its waves by its length."""
    beam = Beam(2.0, 0.5, GJ=7.0, EA=90.0, inertia_per_length=(0.02, 0.0, 0.0))
    speed = np.sqrt(7.0 / 0.02) if kind == "torsion" else np.sqrt(90.0 / 0.5)
    expected = (np.arange(1, 3) - 0.5) * pi * speed / beam.length
    np.testing.assert_allclose(frequencies(clamped(beam, **{kind: 8}))[:2], expected, rtol=1e-7)
    np.testing.assert_allclose(beam.frequencies(kind, 2), expected, rtol=1e-12)


def test_load_at_the_tip():
    """A mass m and a moment of inertia J at the tip of the unit beam: the equation of linear theory."""
    m, J = 0.8, 0.2

    def determinant(b):
        """Of the conditions at the tip, w'' = J b^4 w' and w''' = -m b^4 w, for sums of the two clamped solutions."""
        s, c, sh, ch = sin(b), cos(b), sinh(b), cosh(b)
        w = np.array([ch - c, sh - s]), b * np.array([sh + s, ch - c])
        w2, w3 = b**2 * np.array([ch + c, sh + s]), b**3 * np.array([sh - s, ch + c])
        return np.linalg.det([w2 - J * b**4 * w[1], w3 + m * b**4 * w[0]]) / cosh(b) ** 2

    expected = roots(determinant, 0.3, 8.0, 3) ** 2
    load = {"mass": m, "inertia": (J, J, J)}
    np.testing.assert_allclose(frequencies(clamped(load=load, bending_y=0, bending_z=8))[:3], expected, rtol=2e-8)
    two = frequencies(clamped(load=load, bending_y=0, bending_z=3))[:2] / expected[:2] - 1.0
    assert 0.0 < two.max() < 3e-4  # three polynomials do well whatever the beam carries ...
    assert frequencies(clamped(load=load, bending_y=0, bending_z=3, shapes="cantilever"))[1] > 1.2 * expected[1]


@pytest.mark.parametrize("J", [0.0, 0.1])
def test_hub_that_turns(J):
    """A beam on a pin with a hub: pinned and free for J = 0, where tan(b) = tanh(b)."""

    def determinant(b):
        """w = 0 and EI w'' = -J b^4 w' at the pin, w'' = w''' = 0 at the tip."""
        s, c, sh, ch = sin(b), cos(b), sinh(b), cosh(b)
        pin = [[1, 0, 1, 0], [-(b**2), J * b**5, b**2, J * b**5]]  # of cos, sin, cosh, sinh
        return np.linalg.det([*pin, [-c, -s, ch, sh], [s, -c, sh, ch]]) / (1.0 + b**5) / ch

    expected = roots(determinant, 0.5, 11.0, 3) ** 2
    if not J:
        np.testing.assert_allclose(np.sqrt(expected), [3.926602, 7.068583, 10.210176], rtol=1e-6)
    hub = {"mass": 1e-9, "inertia": (J, J, J)}
    found = frequencies(clamped(joint=Revolute("z"), bending_y=0, bending_z=9, **hub))
    assert found[0] < 1e-5
    np.testing.assert_allclose(found[1:4], expected, rtol=2e-5)
    np.testing.assert_allclose(found[1], expected[0], rtol=1e-9)
    for shapes in ("cantilever",) if J else ("cantilever", "pinned"):
        other = frequencies(clamped(joint=Revolute("z"), bending_y=0, bending_z=4, shapes=shapes, **hub))[1:3]
        np.testing.assert_allclose(other, expected[:2], rtol=2e-3)


def test_inertia_of_sections():
    """Rayleigh's beam: the frequencies are lower than Euler's, by the share of rotational energy."""
    slim = Beam.rectangular(1.0, 0.02, 0.05, E=70e9, density=2700.0)
    euler = np.sqrt(slim.EI_y / slim.mass_per_length) * CLAMPED[0] ** 2
    lower = frequencies(clamped(slim, bending_y=7, bending_z=0))[0] / euler
    # 1 / (1 + r^2 integral w'^2 / integral w^2) in the square, for w of the cantilever: 4.6478
    assert lower**2 == pytest.approx(1.0 / (1.0 + 0.05**2 / 12.0 * 4.64778), rel=1e-6)


def test_functions_of_the_user():
    shapes = {"bending_z": [lambda s: 1.0 - s, lambda s: 1.0, lambda s: (1.0 - s) ** 2]}
    robot = clamped(bending_y=0, shapes=shapes)
    assert robot.nv == 3
    np.testing.assert_allclose(frequencies(robot), frequencies(clamped(bending_y=0, bending_z=3)), rtol=1e-10)


def test_chain_of_rigid_links_converges_to_the_flexible_link():
    """With the square of the number of links, to frequencies that the flexible link has to 1e-9."""
    modal = frequencies(clamped(bending_y=0, bending_z=8))[:2]
    errors = np.array([frequencies(chain(n))[:2] / modal - 1.0 for n in (8, 16, 32)])
    np.testing.assert_allclose(errors[:-1] / errors[1:], 4.0, rtol=0.05)
    np.testing.assert_allclose((4.0 * errors[2] - errors[1]) / 3.0, 0.0, atol=1e-4)  # extrapolated


#: Wright, Smith, Thresher and Wang (1982): the lowest frequency of flapping of a uniform blade by speed of turning.
TURNING = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604, 8: 9.2568, 10: 11.2023}


@pytest.mark.parametrize("kind", ["bending_y", "bending_z"])
def test_a_turning_beam_is_stiffened(kind):
    """Out of the plane as published; in the plane the square is less by speed^2. Southwell's coefficient is 1.193."""
    robot = clamped(joint=Revolute("z"), **{"bending_y": 0, "bending_z": 0, kind: 6})
    H, q = robot.mass_matrix(robot.neutral())[1:, 1:], robot.neutral()
    for speed, flapping in TURNING.items():
        qd = np.array([speed, *[0.0] * 6])
        d = robot.inverse_dynamics_derivatives(q, qd, np.zeros(robot.nv))
        assert np.abs(d.dqd[1:, 1:]).max() < 1e-12  # to the first order no Coriolis forces on the modes
        square = np.linalg.eigvals(np.linalg.solve(H, (stiffness(robot) + d.dq)[1:, 1:])).real.min()
        if kind == "bending_z":
            square += speed**2
        assert np.sqrt(square) == pytest.approx(flapping, abs=1.2e-4)
        if speed == 1:
            assert square - CLAMPED[0] ** 4 == pytest.approx(1.193, abs=1e-3)


def test_a_mast_falls_over():
    """Under its own weight, at g mass_per_length L^3 / EI = 7.837: Greenhill's limit."""
    robot = clamped(bending_y=0, bending_z=6).with_gravity((-1.0, 0.0, 0.0))
    weight = robot.inverse_dynamics_derivatives(robot.neutral(), np.zeros(6), np.zeros(6)).dq
    critical = 1.0 / np.linalg.eigvals(np.linalg.solve(stiffness(robot), -weight)).real.max()
    assert critical == pytest.approx(7.837347, rel=1e-6)


def test_static_deflections():
    """A force and a moment at the tip: F L^3 / (3 EI) and M L^2 / (2 EI), exact with two polynomials."""
    beam = Beam(2.0, 0.5, EI_y=30.0, EI_z=20.0)
    robot = clamped(beam, bending_y=2, bending_z=2)
    F, M = 1e-4, 3e-4
    force = {"beam_tip": [0.0, 0.0, M, 0.0, F, F]}
    tau = robot.inverse_dynamics(robot.neutral(), np.zeros(4), np.zeros(4), f_ext=force)
    q = np.linalg.solve(stiffness(robot), -tau)
    x, y, z = robot.pose(q, "beam_tip")[:3, 3]
    assert y == pytest.approx(F * 2.0**3 / (3 * 20.0) + M * 2.0**2 / (2 * 20.0), rel=1e-6)
    assert z == pytest.approx(F * 2.0**3 / (3 * 30.0), rel=1e-6)
    assert 0.0 < 2.0 - x < 1e-8


def test_sag_under_its_own_weight():
    """mass_per_length g L^4 / (8 EI)."""
    beam = Beam(2.0, 0.5, EI_y=2e4)
    robot = clamped(beam, bending_y=3).with_gravity((0.0, 0.0, -9.81))
    q = np.linalg.solve(stiffness(robot), -robot.gravity_forces(robot.neutral()))
    assert robot.pose(q, "beam_tip")[2, 3] == pytest.approx(-0.5 * 9.81 * 2.0**4 / (8 * 2e4), rel=1e-5)


def test_damping():
    """The first mode of the clamped beam is damped as told; the others in proportion to their frequencies."""
    robot = clamped(bending_y=0, bending_z=2, shapes="cantilever", damping_ratio=0.03)
    data = robot.joint("beam_modes").data
    m = np.diag(robot.mass_matrix(robot.neutral()))
    ratios = np.array(data.damping) / (2.0 * np.sqrt(np.array(data.stiffness) * m))
    np.testing.assert_allclose(ratios, [0.03, 0.03 * (CLAMPED[1] / CLAMPED[0]) ** 2], rtol=1e-7)


def test_energy_is_conserved_in_a_swing():
    beam = Beam(1.0, 0.4, EI_z=0.3)
    builder = sixd.Builder("pendulum", gravity=(0, -9.81, 0))
    builder.flexible_body(
        "rod", beam, joint=Revolute("z"), joint_name="pin", bending_z=2, mass=0.1, inertia=(0.01,) * 3
    )
    robot = builder.build()
    forces = [sixd.simulation.forces.Passive()]
    for integrator, dt, error in (("rk4", 5e-4, 1e-8), ("variational", 5e-4, 2e-4)):
        run = sixd.simulate(robot, robot.neutral(), np.zeros(3), 0.5, dt=dt, forces=forces, integrator=integrator)
        assert np.abs(run.joint("rod_modes").q).max() > 0.1
        assert np.ptp(run.energy) < error * np.ptp(run.kinetic_energy)
