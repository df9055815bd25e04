"""Steps that are too long for a sample, wherever it is in the batch; numbers of samples that are those of no robot."""

import numpy as np
import pytest

import sixd
from sixd.simulation import Controller
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import JointPD, Motor, Saturated
from sixd.simulation.forces import Field, JointFriction, JointSpring
from sixd.spatial import Vector

ROBOT = sixd.gallery.double_pendulum().with_gravity((0.0, 0.0, 0.0))
TIP = ROBOT.frames[-1].name


class Gain(Controller):
    name = "gain"

    def inputs(self, model):
        return {"gain": (1,)}

    def torque(self, moment):
        return [-moment.inputs["gain"][0] * x for x in moment.q]


def scaled(factors):
    return {"inertia": np.array(factors)[:, None, None] * sixd.parameters(ROBOT, "inertia")}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    "given",
    [
        {"forces": JointFriction(0.05), "integrator": "rk4"},
        {"forces": JointSpring(100.0), "integrator": "semi_implicit_euler"},
        {"contacts": Contacts.of(ROBOT, [TIP]), "gravity": True, "integrator": "semi_implicit_euler"},
    ],
    ids=["friction", "springs", "contact"],
)
def test_a_light_sample_anywhere(given, place):
    factors = [1.0, 1.0, 1.0]
    factors[place] = 1e-7
    robot = ROBOT.with_gravity((0.0, 0.0, -9.81)) if given.get("gravity") else ROBOT
    chosen = {name: x for name, x in given.items() if name != "gravity"}
    with pytest.raises(sixd.ModelError, match=r"^dt = 0\.001 s is"):
        sixd.simulate(robot, [0.1, 0.2], [1.0, 1.0], 0.01, parameters=scaled(factors), **chosen)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_sample_that_begins_where_a_force_is_steep(place):
    """A field that pulls with 1e9 x^3 N/kg: nothing at the middle, steep at 1 m."""
    pull = Field(lambda p, v, t: Vector((-1e9 * p[0] * p[0] * p[0], 0.0, 0.0)))
    q = np.zeros((3, 2))
    q[place, 0] = 1.0
    with pytest.raises(sixd.ModelError, match="springs, dampers or gains"):
        sixd.simulate(ROBOT, q, [0.0, 0.0], 0.01, forces=pull, integrator="rk4")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_sample_whose_input_makes_it_steep(place):
    """A controller that multiplies with an input."""
    gains = np.ones((3, 10, 1))
    gains[place] = 1e9
    given = {"control": Gain(), "inputs": {"gain": gains}, "integrator": "rk4"}
    with pytest.raises(sixd.ModelError, match="springs, dampers or gains"):
        sixd.simulate(ROBOT, [0.1, 0.2], [0.0, 0.0], 0.01, **given)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("rotor", [-1.0, 0.0], "rotor is negative, -1"),
        ("inertia", [[1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], [1.0, 0, 0, 0, -1, 0, 0, 1, 0, 1]], "'link2' has a negative"),
        ("inertia", [[1.0, 2, 0, 0, 1, 0, 0, 1, 0, 1], [1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]], "'link1' has a negative"),
    ],
)
def test_numbers_of_no_robot(name, value, text):
    with pytest.raises(sixd.ModelError, match=text):
        sixd.simulate(ROBOT, [0.1, 0.2], [1.0, 1.0], 0.01, parameters={name: np.array(value)})


def test_rods_and_point_masses_are_robots():
    """Moments of zero, about the centre of mass, are none that are negative, whatever rounding leaves."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(50):
        m, c, axis = rng.uniform(0.1, 10.0), rng.normal(size=3), rng.normal(size=3)
        rod = np.dot(axis, axis) * np.eye(3) - np.outer(axis, axis)
        I = rng.integers(0, 2) * rod + m * (np.dot(c, c) * np.eye(3) - np.outer(c, c))
        rows.append([m, *(m * c), *I[np.triu_indices(3)]])
    inertias = np.array(rows).reshape(25, 2, 10)
    inertias[..., 4:] += 1e-3 * np.array([1, 0, 0, 1, 0, 1])  # both joints must feel some inertia
    sixd.simulate(ROBOT, [0.1, 0.2], [0.0, 0.0], 0.002, parameters={"inertia": inertias})


def test_friction_within_a_limit_is_refused():
    motor = Motor(JointPD(0.0, 0.0, q=0.0), 5.0, 1000.0, gear=50.0, friction=0.05)
    for outer in (
        Saturated(motor, 1000.0),
        Motor(motor, 5.0, 1000.0),
        Saturated(motor, 9.0) + JointPD(1.0, 1.0, q=0.0),
    ):
        with pytest.raises(sixd.ChoiceError, match="'motor' has dry friction"):
            sixd.simulate(ROBOT, [0.0, 0.0], [1.0, 1.5], 0.1, control=outer)
    inner = Motor(Saturated(motor.controller, 1000.0), 5.0, 1000.0, gear=50.0, friction=0.05)
    assert np.array_equal(sixd.simulate(ROBOT, [0.0, 0.0], [1.0, 1.5], 3.0, control=inner).qd[-1], [0.0, 0.0])
