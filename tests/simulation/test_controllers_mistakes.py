"""Controllers with wrong values: a `SixdError` at construction, or when they are checked against a robot."""

import numpy as np
import pytest

import sixd
import sixd.simulation
from sixd.simulation.controllers import (
    CONTROLLERS,
    LQR,
    ComputedTorque,
    Controller,
    GravityCompensation,
    HybridForceControl,
    JointPD,
    Motor,
    OperationalSpaceControl,
    Saturated,
    Total,
)
from sixd.simulation.forces import PointSpring
from tests.simulation.mistakes import refused

ARM = sixd.gallery.seven_axis_arm()
JOINT = ARM.joints[0].name
PD = JointPD(1.0, 1.0)
SPRING = PointSpring("tool", (0.0, 0.0, 0.0), 1.0)

#: Each kind with arguments that are right, and what each of them is.
CALLS = [
    (
        JointPD,
        {"kp": 1.0, "kd": 1.0, "q": [0.0] * 7, "qd": 0.0, "joints": JOINT},
        ("not negative", "not negative", "target", "target", "joints"),
    ),
    (
        ComputedTorque,
        {"kp": 1.0, "kd": 1.0, "q": [0.0] * 7, "qd": 0.0, "qdd": 0.0, "joints": JOINT},
        ("not negative", "not negative", "target", "target", "target", "joints"),
    ),
    (GravityCompensation, {"joints": JOINT}, ("joints",)),
    (Saturated, {"controller": PD, "limit": 1.0}, ("thing", "not negative or none")),
    (Total, {"controllers": (PD,)}, ("thing",)),
    (
        Motor,
        {"controller": PD, "stall_torque": 1.0, "no_load_speed": 1.0, "torque_limit": 1.0, "gear": 2.0}
        | {"damping": 0.0, "friction": 0.0, "threshold": 1.0, "joints": JOINT},
        (
            *("thing", "positive", "positive", "not negative or none", "positive"),
            *("not negative", "not negative", "positive", "joints"),
        ),
    ),
    (
        OperationalSpaceControl,
        {"frame": "tool", "kp": 1.0, "kd": 1.0, "kind": "position", "target": (0.0, 0.0, 1.0), "velocity": None}
        | {"null_damping": 1.0, "joints": JOINT},
        (
            *("name", "not negative", "not negative", "choice", "numbers or input", "numbers, input or none"),
            *("not negative", "joints"),
        ),
    ),
    (
        OperationalSpaceControl,
        {"target": np.eye(4), "frame": "tool", "kp": 1.0, "kd": 1.0, "kind": "pose"},
        ("numbers or input", "name", "not negative", "not negative", "choice"),
    ),
    (
        HybridForceControl,
        {"frame": "tool", "kp": 1.0, "kd": 1.0, "force_along": "z", "force": (0.0, 0.0, 1.0), "target": (0.0, 0.0, 1.0)}
        | {"kind": "position", "velocity": None, "acceleration": None, "axes": np.eye(3)}
        | {"force_damping": 1.0, "null_damping": 1.0, "joints": JOINT},
        (
            *("name", "not negative", "not negative", "choice", "numbers, input or none", "numbers or input", "choice"),
            *("numbers, input or none", "numbers, input or none", "numbers, input or none"),
            *("not negative", "not negative", "joints"),
        ),
    ),
    (
        HybridForceControl,
        {
            "moment_about": "x",
            "sensor": SPRING,
            "force_gain": 1.0,
            "frame": "tool",
            "kp": 1.0,
            "kd": 1.0,
            "force_along": "z",
        }
        | {"force": [0.0] * 6, "kind": "pose", "target": np.eye(4)},
        (
            *("choice", "thing", "not negative", "name", "not negative", "not negative", "choice"),
            *("numbers, input or none", "choice", "numbers or input"),
        ),
    ),
    (
        LQR,
        {"q": [0.0] * 7, "qd": [0.0] * 7, "tau": [0.0] * 7, "gain": np.zeros((7, 14)), "joints": JOINT},
        ("numbers", "numbers", "numbers", "numbers", "joints"),
    ),
    (
        LQR.of,
        {"robot": ARM, "q": [0.0] * 7, "Q": 1.0, "R": 1.0, "qd": None, "tau": None, "joints": None},
        ("thing", "numbers", "not negative", "positive", "weights or none", "weights or none", "joints"),
    ),
]
CASES = [
    pytest.param(kind, right, item, what, id=f"{n}-{kind.__name__}-{item}")
    for n, (kind, right, kinds) in enumerate(CALLS)
    for item, what in zip(right, kinds, strict=True)
]


def test_every_controller_is_tried():
    assert set(CONTROLLERS.values()) <= {kind for kind, _, _ in CALLS}


@pytest.mark.parametrize(("kind", "right", "item", "what"), CASES)
def test_wrong_values(kind, right, item, what):
    refused(lambda **given: kind(**given).check(ARM), right, item, what)


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (JointPD((1.0, 2.0), 1.0), "kp needs one number or 7, not 2"),
        (JointPD(1.0, 1.0, q=[1.0, 2.0]), "q needs 7 numbers for this robot, not 2"),
        (JointPD(1.0, 1.0, joints="elbw"), "no joint named 'elbw'"),
        (OperationalSpaceControl("tol", 1.0, 1.0), "no frame named 'tol'; did you mean 'tool'"),
        (HybridForceControl("tol", 1.0, 1.0, "z", None), "no frame named 'tol'; did you mean 'tool'"),
        (Saturated(PD, (1.0, 2.0)), "limit needs 7 numbers"),
        (LQR([0.0], [0.0], [0.0], [[0.0, 0.0]]), "q of the regulator needs 7 numbers"),
        (Motor(PD, (1.0, 2.0), 1.0), "stall_torque needs one number or 7, not 2"),
    ],
)
def test_what_does_not_fit_the_robot(controller, message):
    with pytest.raises(sixd.SixdError, match=message):
        controller.check(ARM)


def test_a_controller_of_ones_own_that_gives_too_few_forces():
    class Lazy(Controller):
        name = "lazy"

        def torque(self, moment):
            return [0.0]

    with pytest.raises(sixd.ShapeError, match=r"torque of .* 'lazy', .* nv = 7, must return 7 numbers .*, not 1"):
        Lazy().check(ARM)


@pytest.mark.parametrize("inner", [lambda part: part, lambda part: Saturated(part, 1.0), lambda part: part + PD])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not None"),
        (1.0, "not 1.0"),
        (np.array(1.0), "not a ndarray"),
        ("ab", "not 'ab'"),
        ({0: 1.0, 1: 2.0}, "not {0: 1.0, 1: 2.0}"),
        ({1.0, 2.0}, "not {1.0, 2.0}"),
        ([1.0, None], "but entry 1 is None"),
        ([[1.0], [2.0]], r"but entry 0 is \[1.0\]"),
        (np.ones((2, 1)), "but entry 0 is a ndarray"),
        ("1", "not '1'"),
    ],
)
def test_what_are_no_joint_forces(value, said, inner):
    class Odd(Controller):
        name = "odd"

        def torque(self, moment):
            return value

    robot = sixd.gallery.double_pendulum()
    with pytest.raises(sixd.SixdError, match=f"torque of the controller 'odd', .* must return 2 numbers.* {said}"):
        sixd.simulate(robot, [0.1, 0.2], [0.0, 0.0], 0.1, control=inner(Odd()))


def test_what_cannot_be_regulated_is_said():
    drop = sixd.Builder("drop").body("a", joint=sixd.joints.Prismatic((0, 0, 1)), mass=1.0, inertia=(1, 1, 1))
    robot = drop.body("b", "base", sixd.joints.Revolute(), joint_name="j", mass=1.0, inertia=(1, 1, 1)).build()
    with pytest.raises(sixd.ModelError, match="no regulator holds the robot"):
        LQR.of(robot, robot.neutral(), 1.0, 1.0, tau=[9.81, 0.0], joints="j")
    with pytest.raises(sixd.ModelError, match=r"'a_joint' is not driven and needs 9.81 there.*set point in balance"):
        LQR.of(robot, robot.neutral(), 1.0, 1.0, joints="j")
    with pytest.raises(sixd.ModelError, match="R must be positive definite"):
        LQR.of(robot, robot.neutral(), 1.0, 0.0)
    stone = sixd.Builder("stone").body("a", joint=sixd.joints.Free(), mass=1.0, inertia=(1, 1, 1)).build()
    with pytest.raises(sixd.ModelError, match="'stone' has no joint for a regulator to drive"):
        LQR.of(stone, stone.neutral(), 1.0, 1.0)
