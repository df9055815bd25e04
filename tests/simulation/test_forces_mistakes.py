"""Force elements with wrong values: a `SixdError` at construction, or when they are checked against a robot."""

import math

import numpy as np
import pytest

import sixd
import sixd.simulation
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import (
    ELEMENTS,
    Buoyancy,
    CentralGravity,
    Drag,
    Field,
    JointDamper,
    JointFriction,
    JointSpring,
    JointStops,
    MovingBase,
    Oscillation,
    Passive,
    PointSpring,
    PolynomialMotion,
    Thruster,
    Wind,
)
from tests.laws.trees import tree
from tests.simulation.mistakes import refused

DOG = sixd.gallery.quadruped()


def force(p, v, t):
    return p


def air(p, t):
    return p


def motion(t):
    return [t, 0.0, 0.0, 0.0, 0.0, 0.0]


#: Each kind with arguments that are right, and what each of them is.
CALLS = [
    (JointSpring, {"stiffness": 1.0, "rest": 0.1, "joints": "FL_knee"}, ("not negative", "finite or none", "joints")),
    (JointDamper, {"damping": 1.0, "joints": "FL_knee"}, ("not negative", "joints")),
    (
        JointFriction,
        {"kinetic": 1.0, "static": 2.0, "stribeck": 0.1, "threshold": 0.1, "joints": "FL_knee"},
        ("not negative", "not negative or none", "positive", "positive", "joints"),
    ),
    (
        JointStops,
        {"stiffness": 1.0, "dissipation": 1.0, "lower": 0.0, "upper": 1.0, "joints": "FL_knee"},
        ("positive", "not negative", "limit", "limit", "joints"),
    ),
    (
        PointSpring,
        {"a": "FL_foot", "b": "FR_foot", "stiffness": 1.0, "damping": 1.0, "rest_length": 0.1},
        ("name", "name", "not negative", "not negative", "not negative"),
    ),
    (
        Drag,
        {"frame": "trunk", "linear": 1.0, "quadratic": 1.0, "angular_linear": 1.0, "current": (0.0, 0.0, 1.0)},
        ("name", "not negative", "not negative", "not negative", "three numbers"),
    ),
    (
        Buoyancy,
        {"frame": "trunk", "volume": 1.0, "center": (0.0, 0.0, 0.1), "density": 1.0},
        ("name", "not negative", "three numbers", "not negative"),
    ),
    (
        Wind,
        {"frame": "trunk", "velocity": air, "drag_area": 1.0, "density": 1.0},
        ("name", "function", "not negative", "not negative"),
    ),
    (
        Thruster,
        {"frame": "trunk", "thrust": 1.0, "axis": (0.0, 0.0, 1.0), "torque_ratio": 0.1},
        ("name", "finite or input", "three numbers", "finite"),
    ),
    (Field, {"force": force, "potential": None, "frames": "trunk"}, ("function", "function or none", "joints")),
    (CentralGravity, {"mu": 1.0, "center": (9.0, 0.0, 0.1)}, ("not negative", "three numbers")),
    (MovingBase, {"motion": motion}, ("function",)),
    (Passive, {}, ()),
    (Oscillation, {"amplitude": [0.1] * 6, "frequency": 1.0, "phase": 0.0}, ("numbers", "finite", "finite")),
    (PolynomialMotion, {"coefficients": [[0.1]] * 6}, ("numbers",)),
]
CASES = [
    pytest.param(kind, right, item, what, id=f"{kind.__name__}-{item}")
    for kind, right, kinds in CALLS
    for item, what in zip(right, kinds, strict=True)
]


def test_every_element_is_tried():
    assert set(ELEMENTS.values()) <= {kind for kind, _, _ in CALLS}


@pytest.mark.parametrize(("kind", "right", "item", "what"), CASES)
def test_wrong_values(kind, right, item, what):
    def make(**given):
        made = kind(**given)
        if hasattr(made, "check"):
            made.check(DOG)
        else:
            made(0.0)

    refused(make, right, item, what)


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (JointSpring(1.0, joints="FL_kne"), "no joint named 'FL_kne'; did you mean 'FL_knee'"),
        (JointDamper((1.0, 2.0), joints="FL_knee"), "damping needs one number or 1, not 2"),
        (JointSpring(1.0, rest=(1.0, 2.0), joints="FL_knee"), "rest needs one number or 1, not 2"),
        (JointStops(joints="base"), "joint 'base' can have no stops"),
        (JointStops(lower=1.0, upper=-1.0), "has its lower stop, .1.0,., above its upper one"),
        (JointStops(lower=2.0, joints="FL_knee"), "joint 'FL_knee' has its lower stop"),
        (Drag("trnk"), "no frame named 'trnk'; did you mean 'trunk'"),
        (PointSpring("FL_foot", "nowhere", 1.0), "no frame named 'nowhere'"),
        (Thruster("trnk", 1.0), "did you mean 'trunk'"),
        (Field(force, frames=("trunk", "FL_fot")), "did you mean 'FL_foot'"),
        (Field(lambda p, v, t: 1.0), "3 numbers in a list, not 1.0"),
        (Wind("trunk", lambda p, t: (1.0, 2.0), 0.1), "3 numbers in a list, not 2"),
        (MovingBase(lambda t: [t]), "six numbers"),
    ],
)
def test_what_does_not_fit_the_robot(element, message):
    with pytest.raises(sixd.SixdError, match=message):
        element.check(DOG)
    with pytest.raises(sixd.SixdError, match=message):
        sixd.simulation.simulate(DOG, DOG.neutral(), np.zeros(DOG.nv), 0.01, forces=[element])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: JointSpring(-1.0), "stiffness must be a finite number of at least 0"),
        (lambda: JointSpring([1.0, np.nan]), "stiffness: each entry must be a finite number"),
        (lambda: JointFriction(1.0, stribeck=0.0), "stribeck must be a finite number above 0"),
        (lambda: PointSpring((0, 0, 0), (1, 0, 0), 1.0), "one must be a frame"),
        (lambda: PointSpring("a", "a", 1.0), "both ends of a PointSpring are at frame 'a'"),
        (lambda: Drag("a", linear=(1.0, 2.0)), "linear needs one number or three"),
        (lambda: Thruster("a", 1.0, axis=(0, 0, 0)), "axis must have a direction"),
        (lambda: JointDamper(1.0, joints=("a", "a")), "each once"),
    ],
)
def test_messages(make, message):
    with pytest.raises(sixd.SixdError, match=message):
        make()


def test_mimic_joints_have_no_coordinates():
    with pytest.raises(sixd.ModelError, match="it follows 'arm_joint', name that one"):
        JointSpring(1.0, joints="forearm_joint").check(tree("mimic joints"))


def test_forces_beyond_all_measure_are_no_reason_to_divide_by_zero():
    """A lift of 1e304 N has no slopes that numbers can tell: the step is not judged."""
    ball = sixd.Builder("ball").body("ball", joint=sixd.joints.Free(), mass=1.0, inertia=(1, 1, 1)).build()
    run = sixd.simulation.simulate(ball, ball.neutral(), np.zeros(6), 0.001, forces=[Buoyancy("ball", 1e300)])
    assert run.qd[-1, 5] > 1e299


def test_inputs_of_the_same_name_need_the_same_shape():
    start, given = (DOG.neutral(), np.zeros(DOG.nv)), {"q_target": 0.0}
    parts = {"forces": [Thruster("trunk", "q_target")], "control": JointPD(1.0, 1.0)}
    with pytest.raises(sixd.ShapeError, match="the input 'q_target' has shape"):
        sixd.simulation.simulate(DOG, *start, 0.01, inputs=given, **parts)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Field(lambda p, v: p), r"force must be a function force\(position, velocity, t\), not .*\(p, v\)"),
        (lambda: Field(force, lambda p, t: 0.0), r"potential must be a function potential\(position\)"),
        (lambda: Field(force, lambda p: None), "the potential of a field is one number"),
        (lambda: Field(force, lambda p: (1.0, 2.0)), "the potential of a field is one number"),
        (lambda: Field(lambda p, v, t: (None, None, None)), "the force of a field must return 3 .* entry 0 is None"),
        (lambda: Field(lambda p, v, t: "abc"), "the force of a field must return 3 numbers in a list, not 'abc'"),
        (lambda: Field(lambda p, v, t: None), "the force of a field must return 3 numbers in a list, not None"),
        (lambda: Field(lambda p, v, t: {0: p[0]}), "the force of a field must return 3 numbers in a list, not"),
        (
            lambda: Field(lambda p, v, t: -p - 0.3 * v, lambda p: 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])),
            "at rest it is: make .* such as drag, a second element, without potential",
        ),
        (lambda: Wind("trunk", lambda p: p, 0.1), r"velocity must be a function velocity\(position, t\)"),
        (lambda: MovingBase(lambda: [0.0] * 6), r"motion must be a function motion\(t\)"),
        (lambda: MovingBase(lambda t: [0, 0, 0, math.sin(t), 0, 0]), "written for any kind of number"),
    ],
)
def test_functions_that_cannot_be_used(make, text):
    with pytest.raises(sixd.SixdError, match=text):
        make().check(DOG)
