"""Pickles carry a version and are checked when they are read."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

import sixd
from sixd import ModelError, gallery
from sixd.joints import JOINTS, Helical, Planar, Revolute
from sixd.model import Body, Frame, JointData, Mimic, Visual
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector

ROBOT = (
    sixd.Builder("arm", gravity=(0.0, 0.0, -1.62))
    .body("a", joint=Revolute(), joint_name="j", mass=1, inertia=(1, 1, 1), xyz=(1, 2, 3))
    .body("b", parent="a", joint=Helical("x"), joint_name="k", mass=1, inertia=(1, 1, 1), mimic=Mimic("j", 2.0))
    .build()
)
PARTS = {
    "robot": ROBOT,
    "body": ROBOT.bodies[2],
    "frame": ROBOT.frames[1],
    "data": ROBOT.joints[1].data,
    "mimic": Mimic("j", 2.0),
    "view": ROBOT.joints[1],
    "visual": Visual("a", "box", (1.0, 2.0, 3.0), color=(1.0, 0.0, 0.0, 1.0)),
    "names": ROBOT.joints,
}
ERRORS = (
    sixd.ModelError("m", file="f", line=3, element="e"),
    sixd.FileError("m", file="f"),
    sixd.NameNotFoundError("joint", "elbo", ["elbow"]),
    sixd.OutOfRangeError("m"),
    sixd.PoseError("m"),
    sixd.ShapeError("m"),
    sixd.ModelWarning("m", line=3),
)


def restored(part: Any, **changes: Any) -> Any:
    """The part from a state in which some entries are changed; None leaves an entry out."""
    state = {**part.__getstate__(), **changes}
    new = object.__new__(type(part))
    new.__setstate__({key: value for key, value in state.items() if value != "left out"})
    return new


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_pickled_and_copied(name: str) -> None:
    part = PARTS[name]
    for twin in (*(pickle.loads(pickle.dumps(part, p)) for p in range(2, 6)), copy.copy(part), copy.deepcopy(part)):
        assert type(twin) is type(part)
        assert (list(twin) == list(part) and twin["k"] == part["k"]) if name == "names" else twin == part


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_are_pickled(error: Exception) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), str(twin)) == (type(error), str(error))


@pytest.mark.parametrize("name", [name for name in PARTS if name != "names"])
def test_states_that_do_not_fit_are_refused(name: str) -> None:
    part = PARTS[name]
    kind = type(part).__name__
    with pytest.raises(ModelError, match=f"this pickled {kind} has no version: .*load or build the robot again"):
        restored(part, version="left out")
    with pytest.raises(ModelError, match=f"this pickled {kind} has version 2, not 1"):
        restored(part, version=2)
    with pytest.raises(ModelError, match=f"this pickled {kind} has an unknown colour"):
        restored(part, colour="red")
    with pytest.raises(ModelError, match="has no version"):
        restored_raw(part, None)
    for field in part.__getstate__():
        if field != "version":
            with pytest.raises(ModelError, match=f"this pickled {kind} lacks {field}"):
                restored(part, **{field: "left out"})
            with pytest.raises(sixd.SixdError):
                restored(part, **{field: object()})


def restored_raw(part: Any, state: Any) -> None:
    object.__new__(type(part)).__setstate__(state)


def test_gravity_is_kept_or_missed() -> None:
    assert pickle.loads(pickle.dumps(ROBOT)).gravity == (0.0, 0.0, -1.62)
    for wrong in ((0.0, 0.0, nan), (0.0, 0.0), "abc", None, (0.0, 0.0, inf)):
        with pytest.raises(ModelError, match="gravity must be three finite numbers"):
            restored(ROBOT, gravity=wrong)


def test_numbers_in_pickles_are_checked() -> None:
    body, data = PARTS["body"], PARTS["data"]
    far = Transform.translation((nan, 0.0, 0.0))
    for part, changes in (
        (body, {"placement": far}),
        (body, {"placement": Transform(Matrix.diagonal((1.0, 1.0, -1.0)), (0.0, 0.0, 0.0))}),
        (body, {"inertia": Inertia.from_components((nan,) * 10)}),
        (body, {"inertia": Inertia.from_components((-1.0,) + (0.0,) * 9)}),
        (data, {"damping": (nan,)}),
        (data, {"rotor_inertia": (inf,)}),
        (data, {"lower": (0.0, 0.0)}),
        (data, {"type": Revolute.from_parameters((nan, 0.0, 0.0))}),
        (data, {"mimic": replace(PARTS["mimic"], ratio=nan)}),
        (PARTS["frame"], {"offset": far}),
        (PARTS["visual"], {"offset": far}),
        (PARTS["visual"], {"size": (nan,)}),
        (PARTS["visual"], {"color": (1.0, 0.0, nan, 1.0)}),
        (ROBOT, {"body_list": ()}),
        (ROBOT, {"body_list": ROBOT.body_list[::-1]}),
        (ROBOT, {"body_list": (ROBOT.body_list[0], ROBOT.body_list[2])}),
        (ROBOT, {"frame_list": (*ROBOT.frame_list, Frame("x", 9))}),
        (ROBOT, {"frame_list": ROBOT.frame_list * 2}),
        (ROBOT, {"visuals": (Visual("nowhere", "box"),)}),
    ):
        with pytest.raises(ModelError):
            restored(part, **changes)
        with pytest.raises(ModelError):
            replace(part, **changes)


@pytest.mark.parametrize("kind", sorted(JOINTS))
def test_joints_in_pickles_are_checked(kind: str) -> None:
    for joint in JOINTS[kind].examples():
        assert pickle.loads(pickle.dumps(joint)) == copy.deepcopy(joint) == joint
        numbers = joint.parameters
        for wrong in (None, (), (None, {}), (None, {"_parameters": "abc"}), (None, {"_parameters": (*numbers, 1.0)})):
            with pytest.raises(ModelError):
                object.__new__(type(joint)).__setstate__(wrong)
        for k in range(len(numbers)):
            bad = (*numbers[:k], nan, *numbers[k + 1 :])
            with pytest.raises(ModelError, match="damaged"):
                object.__new__(type(joint)).__setstate__((None, {"_parameters": bad}))


def test_axes_in_pickles_are_unit_vectors() -> None:
    for joint, numbers in ((Revolute(), (0.0, 0.0, 2.0)), (Helical(), (0.0, 0.0, 0.0, 1.0))):
        with pytest.raises(ModelError, match="no unit vector"):
            object.__new__(type(joint)).__setstate__((None, {"_parameters": numbers}))
    with pytest.raises(ModelError, match="do not belong to its normal"):
        object.__new__(Planar).__setstate__((None, {"_parameters": (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0)}))


@pytest.mark.parametrize("value", [kind.zero() for kind in (Vector, Matrix, Motion, Inertia)] + [Transform.identity()])
def test_values_in_pickles_are_checked(value: Any) -> None:
    slots = {name: getattr(value, name) for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    for state in (None, {}, (None, {}), (None, {**slots, "x": 1.0}), (None, dict(list(slots.items())[1:]))):
        with pytest.raises(sixd.SpatialTypeError, match="damaged: it needs"):
            object.__new__(type(value)).__setstate__(state)


def test_joint_types_inside_functions_are_refused() -> None:
    class Hinge(Revolute):
        __slots__ = ()

    robot = sixd.Builder("door").body("leaf", joint=Hinge(), mass=1, inertia=(1, 1, 1)).build()
    for part in (robot, robot.joints[0], Hinge(), Hinge):
        for dumps in (pickle.dumps, pickle._dumps):
            with pytest.raises(
                ModelError, match=r"test_pickles\..*Hinge cannot be pickled.*at the top level of a module"
            ):
                dumps(part)
        assert copy.copy(part) == copy.deepcopy(part) == part


def test_joint_types_inside_functions_are_pickled_by_value() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")

    class Hinge(Revolute):
        __slots__ = ()

    joint = pickle.loads(cloudpickle.dumps(Hinge("x")))
    assert (type(joint).__name__, joint.parameters) == ("Hinge", (1.0, 0.0, 0.0))


class Outer:
    class Hinge(Revolute):
        __slots__ = ()


@pytest.mark.parametrize("protocol", range(2, 6))
def test_joint_types_inside_classes_are_found(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(Outer.Hinge("x"), protocol)) == Outer.Hinge("x")


def test_what_is_in_the_gallery_survives() -> None:
    sizes = {"random_tree": (3, 0), "chain": (3,), "binary_tree": (3,)}
    for name in gallery.__all__:
        robot = getattr(gallery, name)(*sizes.get(name, ()))
        twin = pickle.loads(pickle.dumps(robot))
        assert twin == robot
        assert [str(w) for w in twin.warnings] == [str(w) for w in robot.warnings]
    assert isinstance(ROBOT.bodies[1], Body)
    assert isinstance(ROBOT.joints[0].data, JointData)
