"""What is given twice, or does not fit the other half of what is given, is refused."""

from dataclasses import dataclass

import numpy as np
import pytest

import sixd
from sixd import SixdError, ops
from sixd.simulation import Controller, Differentiable, EquationsOfMotion, ForceElement
from sixd.simulation.controllers import GravityCompensation, JointPD, Total
from sixd.simulation.forces import CentralGravity, Field, JointDamper, Passive, Thruster
from sixd.spatial import Vector

ARM = sixd.gallery.double_pendulum()


@dataclass
class Push(ForceElement):
    """Not frozen, with an array: it has no hash, and two are the same only if they are one object."""

    levels: np.ndarray
    name = "push"

    def apply(self, moment, loads):
        loads.tau[0] = loads.tau[0] + float(self.levels[0])


def simulated(**given):
    return sixd.simulate(ARM, [0.1, 0.2], [0.0, 0.0], 0.01, **given)


ONE = Push(np.ones(2))
TWICE = [
    [Passive(), Passive()],
    [JointDamper(0.1), Passive(), JointDamper(0.1)],
    [Thruster("tip", 2, (1, 0, 0)), Thruster("tip", 2.0, (1.0, 0.0, 0.0))],
    [ONE, ONE],
]


@pytest.mark.parametrize("elements", TWICE)
def test_equal_force_elements(elements):
    for given in (
        lambda: simulated(forces=elements),
        lambda: EquationsOfMotion(ARM, forces=elements),
        lambda: Differentiable(ARM, dt=0.01, forces=elements),
    ):
        with pytest.raises(SixdError, match=r"^(Passive|JointDamper|Thruster|Push)\(.* is there twice, and would act"):
            given()


def test_elements_that_are_alike_but_not_equal():
    simulated(forces=[JointDamper(0.1), JointDamper(0.2), ONE, Push(np.ones(2))])


def test_equal_controllers():
    with pytest.raises(SixdError, match=r"GravityCompensation\(.* is there twice"):
        Total([GravityCompensation(), JointPD(1.0, 1.0), GravityCompensation()])
    with pytest.raises(SixdError, match=r"GravityCompensation\(.* is there twice"):
        GravityCompensation() + JointPD(1.0, 1.0) + GravityCompensation()
    assert isinstance(Total([JointPD(1.0, 1.0), JointPD(2.0, 1.0)]), Controller)


# ---- a field and its potential


def pull(p, v, t):
    return p * -3.0


@pytest.mark.parametrize("frames", [None, "tip"])
@pytest.mark.parametrize(
    ("force", "potential"),
    [
        (pull, lambda p: -1.5 * (p @ p)),  # sign
        (pull, lambda p: 3.0 * (p @ p)),  # factor
        (pull, lambda p: 2.0),
        (lambda p, v, t: p * -3.0 - v * 0.2, lambda p: 1.5 * (p @ p)),
        (lambda p, v, t: p * (-3.0 - t), lambda p: 1.5 * (p @ p)),
        (lambda p, v, t: Vector((-p[1], p[0], 0.0)), lambda p: 0.0 * p[0]),  # it has a curl
    ],
)
def test_a_potential_that_is_not_that_of_the_force(force, potential, frames):
    with pytest.raises(SixdError, match="the force of a field is not the negative gradient of its potential: at posi"):
        simulated(forces=Field(force, potential, frames))


@pytest.mark.parametrize(
    ("force", "potential"),
    [
        (pull, lambda p: 1.5 * (p @ p)),
        (lambda p, v, t: p * ops.divide(-2.0, (p @ p) * (p @ p)), lambda p: -ops.divide(1.0, p @ p)),
        (lambda p, v, t: pull(p, v, t) + v.cross(Vector((0.0, 0.0, 2.0))), lambda p: 1.5 * (p @ p)),  # it has no power
        (lambda p, v, t: Vector.zero(), lambda p: 7.0),
    ],
)
def test_a_potential_of_the_force(force, potential):
    simulated(forces=Field(force, potential))


def test_the_potential_of_a_pole_far_away():
    """At 7,000 km from the Earth's centre, and at the pole itself."""
    centre = np.array([0.0, 0.0, -7e6])
    mu = 3.986e14

    def force(p, v, t):
        r = p - Vector(centre)
        return r * ops.divide(-mu, (r @ r) * ops.sqrt(r @ r))

    def potential(p):
        r = p - Vector(centre)
        return -ops.divide(mu, ops.sqrt(r @ r))

    simulated(forces=Field(force, potential))
    with pytest.raises(SixdError, match="not the negative gradient"):
        simulated(forces=Field(force, lambda p: -1.0 * potential(p)))
    CentralGravity(1.0).check(ARM)
