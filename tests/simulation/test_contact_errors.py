"""What contacts refuse, and what they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixd
from sixd.errors import ArgumentError, ChoiceError, ModelError, NameNotFoundError, ShapeError, SixdError
from sixd.simulation import simulate
from sixd.simulation.contact import (
    Box,
    Bump,
    Capsule,
    Compliant,
    Contacts,
    Grid,
    HeightField,
    Plane,
    Point,
    Rigid,
    Slope,
    Sphere,
    Stair,
    Wave,
    impact,
    step_limit,
)
from sixd.simulation.contact.shapes import Shape, register
from sixd.simulation.forces import MovingBase
from sixd.simulation.forces.moving_base import Oscillation
from tests.simulation.bodies import FEET, body, quadruped
from tests.surface import WRONG

ROBOT = body()
#: Calls that are refused, the type of the error and what it says.
REFUSED: dict[str, tuple[Callable[[], Any], type[SixdError], str]] = {
    "no shapes": (lambda: Contacts([]), ModelError, "at least one shape"),
    "one shape, no list": (lambda: Contacts(Point("body")), ArgumentError, "list of shapes"),
    "shape by name": (lambda: Contacts(["body"]), ArgumentError, "Point"),
    "ground by name": (lambda: Contacts([Point("body")], "floor"), ArgumentError, "Plane"),
    "law": (lambda: Contacts([Point("body")], law="soft"), ChoiceError, "'compliant', 'rigid'"),
    "law of another kind": (lambda: Contacts([Point("body")], law=3), ChoiceError, "law must be"),
    "parameter": (lambda: Contacts.of(ROBOT, "body", stifness=1.0), ChoiceError, "'stifness': it has stiffness"),
    "frame": (lambda: Contacts.of(ROBOT, "bodi"), NameNotFoundError, "did you mean 'body'"),
    "fixed frame": (lambda: Contacts.of(ROBOT, "world"), ModelError, "never moves"),
    "frame at last": (lambda: Contacts([Point("leg")]).sites(ROBOT), NameNotFoundError, "no frame named 'leg'"),
    "frame is no name": (lambda: Point(3), ModelError, "must be a name"),
    "center": (lambda: Point("body", center=(0, 0)), ModelError, "center must be 3 numbers"),
    "radius": (lambda: Sphere("body", 0.0), ModelError, "sphere at 'body'.*more than 0"),
    "negative radius": (lambda: Contacts.of(ROBOT, "body", radius=-0.1), ModelError, "radius"),
    "length": (lambda: Capsule("body", 0.1, float("nan")), ModelError, "length"),
    "size": (lambda: Box("body", (1, 1, 0)), ModelError, "three positive"),
    "friction": (lambda: Rigid(friction=-0.1), ModelError, "friction of rigid contact.*at least 0"),
    "friction of compliant": (lambda: Compliant(friction=-1), ModelError, "friction of compliant contact"),
    "restitution": (lambda: Rigid(restitution=1.2), ModelError, "at least 0 and at most 1, not 1.2"),
    "recovery": (lambda: Rigid(recovery=-0.2), ModelError, "recovery"),
    "sweeps": (lambda: Rigid(sweeps=0), ModelError, "sweeps"),
    "sweeps without end": (lambda: Rigid(sweeps=10**6), ModelError, "sweeps.*at most 1,000, not 1000000"),
    "joint friction": (lambda: Rigid(joint_friction="yes"), ArgumentError, "True or False"),
    "stiffness": (lambda: Compliant(stiffness=0.0), ModelError, "more than 0"),
    "stiffness as text": (lambda: Compliant(stiffness="hard"), ModelError, "must be a number"),
    "damping": (lambda: Compliant(damping=float("inf")), ModelError, "finite"),
    "normal": (lambda: Plane((0, 0, 0)), ModelError, "direction"),
    "offset": (lambda: Plane(offset=float("nan")), ModelError, "offset"),
    "no heights": (lambda: HeightField(), ModelError, "at least one height"),
    "height is no function": (lambda: HeightField(0.1), ArgumentError, r"function h\(x, y\)"),
    "height of nothing": (lambda: HeightField(lambda x, y: None), ArgumentError, "one number"),
    "height by NumPy": (lambda: HeightField(lambda x, y: np.sin(x)), ArgumentError, "sixd.ops"),
    "height by math": (lambda: HeightField(lambda x, y: math.sin(x)), ArgumentError, "sixd.ops"),
    "several heights": (lambda: HeightField(lambda x, y: np.zeros(2)), ArgumentError, "one number"),
    "slope": (lambda: Slope("steep"), ModelError, "slope"),
    "wave": (lambda: Wave(0.1, 0.0), ModelError, "length of a wave"),
    "bump": (lambda: Bump(0, 0, 0.1, -1), ModelError, "radius of a bump"),
    "stair": (lambda: Stair(0, 0.1, 0.0), ModelError, "width of a stair"),
    "grid of one row": (lambda: Grid([[1.0, 2.0]], 0.1), ModelError, "at least 2 rows"),
    "ragged grid": (lambda: Grid([[1.0], [1.0, 2.0]], 0.1), SixdError, "the heights of a grid"),
    "grid with NaN": (lambda: Grid(np.full((2, 2), np.nan), 0.1), ModelError, "finite"),
    "grid without width": (lambda: Grid(np.zeros((2, 2)), 1e-320), ModelError, "the spacing of a grid must be"),
    "grid beyond measure": (lambda: Grid(np.full((2, 2), 1e308), 1.0), ModelError, "within 1e.100 m, not 1e.308"),
    "huge grid": (lambda: Grid(np.zeros((2000, 1000)), 0.1), ModelError, "at most 1,048,576 points, not 2,000,000"),
    "grid by a method": (lambda: Grid(np.zeros((3, 3)), 0.1, smooth="quintic"), ChoiceError, "'linear', 'cubic'"),
    "impact of compliant": (
        lambda: impact(ROBOT, ROBOT.neutral(), np.zeros(6), Contacts([Point("body")])),
        ChoiceError,
        "law='rigid'",
    ),
    "impact of nothing": (
        lambda: impact(ROBOT, ROBOT.neutral(), np.zeros(6), Contacts([], law=Rigid(joint_friction=True))),
        ModelError,
        "at least one shape",
    ),
    "impact far away": (
        lambda: impact(ROBOT, ROBOT.neutral(), np.zeros(6), Contacts([Point("body")], law="rigid"), near=-1.0),
        ModelError,
        "near",
    ),
    "limit of rigid": (
        lambda: step_limit(ROBOT, ROBOT.neutral(), Contacts([Point("body")], law="rigid")),
        ChoiceError,
        "compliant",
    ),
    "limit of a batch": (
        lambda: step_limit(ROBOT, np.zeros((2, 7)), Contacts([Point("body")])),
        ShapeError,
        r"one position \(7,\)",
    ),
    "base that moves": (
        lambda: simulate(
            ROBOT,
            ROBOT.neutral(),
            np.zeros(6),
            0.1,
            forces=[MovingBase(Oscillation((0.0, 0.0, 0.0, 0.0, 0.0, 0.1), 1.0))],
            contacts=Contacts([Point("body")], law="rigid"),
        ),
        ChoiceError,
        "a MovingBase does not: use law='compliant'",
    ),
    "integrator": (
        lambda: simulate(
            ROBOT, ROBOT.neutral(), np.zeros(6), 0.1, integrator="rk4", contacts=Contacts([Point("body")], law="rigid")
        ),
        ChoiceError,
        "this integrator does not provide for: use 'semi_implicit_euler'",
    ),
}


#: Calls that work; each argument is replaced by wrong values.
FINE: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
    (Point, {"frame": "body", "center": (0, 0, 0)}),
    (Sphere, {"frame": "body", "radius": 0.1}),
    (Capsule, {"frame": "body", "radius": 0.1, "length": 0.2}),
    (Box, {"frame": "body", "size": (1, 1, 1)}),
    (Plane, {"normal": (0, 0, 1), "offset": 0.0}),
    (Slope, {"along_x": 0.0, "along_y": 0.0, "base": 0.0}),
    (Wave, {"amplitude": 0.1, "length": 1.0, "heading": 0.0, "phase": 0.0}),
    (Bump, {"x": 0.0, "y": 0.0, "height": 0.1, "radius": 1.0}),
    (Stair, {"at": 0.0, "height": 0.1, "width": 0.1, "heading": 0.0}),
    (Grid, {"heights": np.zeros((3, 3)), "spacing": 0.1, "origin": (0, 0), "smooth": "cubic"}),
    (HeightField, {}),
    (Compliant, {"stiffness": 1e4, "damping": 1.0, "friction": 0.5, "slip_speed": 0.1, "viscosity": 10.0}),
    (Rigid, {"friction": 0.5, "restitution": 0.0, "recovery": 0.1, "sweeps": 2, "joint_friction": False}),
    (Contacts, {"shapes": [Point("body")], "ground": Plane(), "law": "rigid"}),
    (Contacts.of, {"robot": ROBOT, "frames": ["body"], "radius": 0.1, "ground": Plane(), "law": "rigid"}),
    (step_limit, {"robot": ROBOT, "q": ROBOT.neutral(), "contacts": Contacts([Point("body")])}),
)
#: Wrong everywhere: no number, no name, no object of any of these types.
NEVER = (
    "object",
    "dict",
    "set",
    "ragged",
    "words",
    "nones",
    "complex",
    "function",
    "class",
    "cube",
    "complexes",
    "huge",
)


@pytest.mark.parametrize(("function", "arguments"), FINE, ids=lambda x: getattr(x, "__qualname__", ""))
def test_wrong_values(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """They end in an error of sixd, whatever they are."""
    for value in NEVER:
        for name in arguments:
            with pytest.raises(SixdError):
                function(**{**arguments, name: WRONG[value]()})
        if not arguments:
            with pytest.raises(SixdError):
                function(WRONG[value]())


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        function()


def test_steps_far_above_the_limit_are_refused() -> None:
    robot, stand, control = quadruped("solo")
    given = {"control": control, "integrator": "semi_implicit_euler"}
    hard = Contacts.of(robot, FEET["solo"], viscosity=1e4, slip_speed=1e-3)
    with pytest.raises(
        ModelError, match="the limit that the viscosity of friction of compliant contact sets for 'solo"
    ):
        simulate(robot, stand, np.zeros(robot.nv), 0.01, contacts=hard, **given)
    near = Contacts.of(robot, FEET["solo"], viscosity=100.0)
    with pytest.warns(sixd.errors.SimulationWarning, match="smaller dt"):
        simulate(robot, stand, np.zeros(robot.nv), 0.01, contacts=near, **given)


def test_a_name_is_registered_once() -> None:
    class Another(Shape):
        name = "point"

    with pytest.raises(ChoiceError, match="the contact shape 'point' is registered already"):
        register(Another)


def test_contacts_are_frozen_data() -> None:
    a, b = (Contacts([Sphere("body", 0.1)], Plane((0, 0, 2)), Rigid(friction=1)) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Contacts([Sphere("body", 0.1)], Plane(), Rigid(friction=0.9))
    with pytest.raises(AttributeError):
        a.law = Rigid()  # type: ignore[misc]
