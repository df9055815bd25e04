"""Wrong arguments where robots are loaded, built, edited and looked at end in a `SixdError` that names the argument."""

from __future__ import annotations

import io
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixd
from sixd import Builder, gallery, layouts
from sixd.joints import Revolute
from sixd.model import ModelBuilder
from sixd.model.parts import DATA_SHEET

URDF = Path(__file__).parents[2] / "examples" / "two_link.urdf"
ARM = gallery.seven_axis_arm()
WORDS = (None, 3, 2.5, "abc", "", b"x", [], {}, (1, 2), object(), np.zeros(2), nan, ["a", "b", "c"])
#: What no place in three dimensions is.
TRIPLES = (
    *(3, "abc", "123", (1, 2), (1, 2, 3, 4), ("a", 0, 0), (nan, 0, 0), (inf, 0, 0), ("1", "2", "3"), {}, object(), 1j),
)
POSES = (
    *("abc", 3, (1, 2, 3), np.eye(3), np.zeros((4, 4)), [["a"] * 4] * 4, np.full((4, 4), nan), {}, object(), np.eye(5)),
)
NOT_NAMES = (None, 3, 2.5, "", b"x", [], {}, (1, 2), object(), np.zeros(2), nan, ["a", "b", "c"])
NO_PEERS = (None, 3, "abc", object())
NO_NUMBERS = ("x", "1", None, object(), ("a",), (1, 2), {}, nan, 1j)
NO_INERTIAS = (
    *(None, 3, "abc", (1, 2), ("a", 1, 1), [[1, 2], [3, 4]], {}, object(), nan, (nan, 1, 1), np.eye(4)),
    [[1, 0, 0], 1, 2],
)


def body(**options: Any) -> Builder:
    return Builder().body("a", **{"joint": Revolute(), "joint_name": "j", **options})


def without(wrong: tuple[Any, ...], *right: Any) -> tuple[Any, ...]:
    return tuple(w for w in wrong if not any(w is r or (type(w) is type(r) and w == r) for r in right))


#: A call with a wrong value, the wrong values, and what the message names.
CALLS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...], str]] = {
    "load": (sixd.load, (None, 3, 2.5, [], {}, object(), np.zeros(2), ARM, True), "a description is a path"),
    "load text": (sixd.load, ("", "a\nb", "x<y"), "a description given as text must be XML"),
    "load NUL": (sixd.load, ("a\0b", Path("a\0b"), "\0"), "is no path"),
    "load nothing": (sixd.load, ("nowhere.urdf", Path("nowhere.urdf")), "nowhere.urdf: it cannot be read"),
    "load folder": (sixd.load, (".", Path(".")), r"\.: it cannot be read"),
    "load odd file": (sixd.load, (type("F", (), {"read": lambda self, n: 3})(),), "the open file gives int"),
    "load empty": (sixd.load, (io.BytesIO(b""), b"", bytearray()), "the description is empty"),
    "load gravity": (lambda x: sixd.load(URDF, gravity=x), TRIPLES, "gravity must be three finite numbers"),
    "load base": (lambda x: sixd.load(URDF, base=x), WORDS, "base must be 'fixed' or 'free'"),
    "load base_joint": (lambda x: sixd.load(URDF, base="free", base_joint=x), NOT_NAMES, "base_joint must be"),
    "check": (sixd.check, (None, 3, [], object(), np.zeros(2)), "a description is a path"),
    "check robot": (lambda x: sixd.check(ARM, base=x), ("free",), "a robot has no base"),
    "build base": (lambda x: body().build(x), WORDS, "base must be 'fixed' or 'free'"),
    "build gravity": (lambda x: body().build(gravity=x), TRIPLES, "gravity must be three finite numbers"),
    "build base_joint": (lambda x: body().build("free", base_joint=x), NOT_NAMES, "base_joint must be"),
    "builder gravity": (lambda x: Builder(gravity=x).link("a").build(), TRIPLES, "gravity must be three"),
    "builder name": (lambda x: Builder(x).link("a").build(), (None, 3, [], object()), "the name and the source"),
    "mass": (lambda x: body(mass=x), (None, "x", "1", [], (1,), {}, object(), 1j, nan, -1, inf), "link 'a': .*mass"),
    "com": (lambda x: body(mass=1, com=x), (None, *TRIPLES), "link 'a': .*(com|centre of mass)"),
    "inertia": (
        lambda x: body(mass=1, inertia=x),
        NO_INERTIAS,
        "link 'a': .*inertia",
    ),
    "joint": (lambda x: body(joint=x), without(WORDS, None), "joint 'j': its type is a Joint"),
    "joint class": (lambda x: body(joint=x), (Revolute,), "joint 'j': its type is a Joint"),
    "joint_name": (lambda x: body(joint_name=x), without(WORDS, "abc", None), "the name of a joint must be"),
    "parent": (lambda x: body(parent=x), without(WORDS, "abc"), "the parent of 'a' must be"),
    "at": (lambda x: body(at=x), POSES, "joint 'j': at"),
    "xyz": (lambda x: body(xyz=x), TRIPLES, "joint 'j': .*xyz"),
    "rpy": (lambda x: body(rpy=x), TRIPLES, "joint 'j': .*rpy"),
    "frame at": (lambda x: body().frame("f", on="a", at=x), POSES, "frame 'f': at"),
    "frame xyz": (lambda x: body().frame("f", on="a", xyz=x), TRIPLES, "frame 'f': .*xyz"),
    "mimic": (lambda x: body(mimic=x), without(WORDS, None), "joint 'j': mimic is a Mimic"),
    **{item: (lambda x, item=item: body(**{item: x}), NO_NUMBERS, f"joint 'j': {item}") for item in DATA_SHEET},
    "robot of": (sixd.Robot.of, (None, 3, "abc", object()), "a robot is made of a Model"),
    "with_gravity": (ARM.with_gravity, (None, *TRIPLES), "gravity must be three finite numbers"),
    "with_name": (ARM.with_name, without(WORDS, "abc", ""), "the name and the source"),
    "with_frame name": (lambda x: ARM.with_frame(x, "tool"), without(WORDS, "abc"), "name must be"),
    "with_frame on": (lambda x: ARM.with_frame("f", x), WORDS, "no frame named"),
    "with_frame offset": (lambda x: ARM.with_frame("f", "tool", x), POSES, "frame 'f': offset"),
    "with_frame xyz": (lambda x: ARM.with_frame("f", "tool", xyz=x), TRIPLES, "xyz"),
    "lock": (ARM.lock, without(WORDS, {}), "lock takes"),
    "lock joint": (lambda x: ARM.lock({x: 0.0}), (None, 3, 2.5, "abc", "", b"x", (1, 2)), "no joint named"),
    "lock position": (lambda x: ARM.lock({"joint1": x}), ("x", "1", object(), {}, ["a"], 1j, (1, 2)), "joint 'joint1'"),
    "lock nan": (lambda x: ARM.lock({"joint1": x}), (nan, inf), "not finite"),
    "subtree root": (ARM.subtree, (None, 3, b"x", [], object(), ""), "the root of a subtree must be"),
    "subtree name": (ARM.subtree, ("abc",), "no body named 'abc'"),
    "subtree base": (lambda x: ARM.subtree("link3", x), WORDS, "base must be 'fixed' or 'free'"),
    "join other": (lambda x: ARM.join(x, "tool"), WORDS, "the robot to be joined is"),
    "join at": (lambda x: ARM.join(ARM, x, prefix="b_"), WORDS, "no frame named"),
    "join offset": (lambda x: ARM.join(ARM, "tool", offset=x, prefix="b_"), POSES, "offset"),
    "join xyz": (lambda x: ARM.join(ARM, "tool", xyz=x, prefix="b_"), TRIPLES, "xyz"),
    "join joint": (lambda x: ARM.join(ARM, "tool", joint=x, prefix="b_"), without(WORDS, None), "its type is a Joint"),
    "join prefix": (lambda x: ARM.join(ARM, "tool", prefix=x), without(WORDS, "abc", ""), "prefix is text"),
    "path": (ARM.path, (None, "a", 2.5, [], object()), "a body is given by its number"),
    "path number": (ARM.path, (-1, 99), "there is no body"),
    "subtree_of": (ARM.subtree_of, (None, "a", 2.5, -1, 99), "body"),
    "body": (ARM.body, WORDS, "no body named"),
    "joint by name": (ARM.joint, WORDS, "no joint named"),
    "frame by name": (ARM.frame, WORDS, "no frame named"),
    "bodies": (lambda x: ARM.bodies[x], without(WORDS, 3), "no body named"),
    "bodies number": (lambda x: ARM.bodies[x], (8, -9, 10**30), "no body at position"),
    "bodies slice": (lambda x: ARM.bodies[x:], ("a", 2.5), "a slice of positions needs whole numbers"),
    "index": (ARM.joints.index, WORDS, "no joint named"),
    "random": (ARM.random, ("abc", 2.5, -1, object()), "rng must be"),
    "random size": (lambda x: ARM.random(0, x), ("abc", 2.5, -1, (2, -1), None, object()), "size must be"),
    "pendulum mass": (gallery.pendulum, ("x", None, -1, nan, (1,)), "mass"),
    "pendulum length": (lambda x: gallery.pendulum(1.0, x), ("x", None, -1, nan, inf), "length"),
    "double_pendulum": (lambda x: gallery.double_pendulum(length=x), ("x", None, -1, nan, inf), "length"),
    "chain": (gallery.chain, (0, -3, "x", None, 2.5, nan), "n must be a whole number"),
    "chain axes": (lambda x: gallery.chain(2, axes=x), (None, 3, ()), "axes must be"),
    "chain axis": (lambda x: gallery.chain(2, axes=x), ("w", (3,), ((0, 0, 0),)), "the axis of a revolute joint"),
    "binary_tree": (gallery.binary_tree, (0, -3, "x", None, 2.5, nan), "n must be a whole number"),
    "particle": (gallery.particle, ("x", None, -1, nan), "mass"),
    "particle gravity": (lambda x: gallery.particle(1.0, x), ("x", None, nan, (1,)), "gravity must be"),
    "random_tree": (gallery.random_tree, (-3, "x", None, 2.5, nan), "n must be a whole number"),
    "random_tree rng": (lambda x: gallery.random_tree(2, x), ("abc", 2.5, -1), "rng must be"),
    "random_tree joints": (lambda x: gallery.random_tree(2, 0, joints=x), ("revolute", 3, ()), "joints must"),
    "random_tree joint": (lambda x: gallery.random_tree(2, 0, joints=x), (["revolut"], [3]), "no joint type named"),
    "random_tree branching": (lambda x: gallery.random_tree(2, 0, branching=x), ("x", None, nan, -1, 2), "branching"),
    "pinocchio_layout": (lambda x: layouts.pinocchio_layout(ARM, x), NO_PEERS, "peer must be a pinocchio"),
    "mujoco_layout": (lambda x: layouts.mujoco_layout(ARM, x), NO_PEERS, "peer must be a mujoco.MjModel"),
    "drake_layout": (lambda x: layouts.drake_layout(ARM, x), NO_PEERS, "joint_names must be names"),
    "drake names": (lambda x: layouts.drake_layout(ARM, x), ([3], [None], [[]]), "each entry of joint_names"),
    "bullet_layout": (lambda x: layouts.bullet_layout(ARM, x), NO_PEERS, "joint_names must be names"),
    "layout model": (lambda x: layouts.bullet_layout(x, []), (None, 3, "abc", object()), "model must be a Model"),
    "layout q": (
        layouts.bullet_layout(ARM, ARM.joints.names).q_to,
        (None, 3, "abc", ["a"] * 7, [1j] * 7, [[1], [1, 2]], np.zeros(3), object()),
        "q ",
    ),
    "layout v": (
        lambda x: layouts.bullet_layout(ARM, ARM.joints.names).v_to(np.zeros((2, 7)), x),
        (None, "abc", ["a"] * 7, np.zeros(3), np.zeros((3, 7))),
        "v |broadcast",
    ),
    "linear_first": (layouts.linear_first, (None, 3, "abc", np.zeros(5), np.zeros((6, 5))), "x needs 6 entries"),
    "linear_first axis": (lambda x: layouts.linear_first(np.zeros(6), x), (1, -2, "a", None, 0.5), "along axis"),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_end_in_the_family(name: str) -> None:
    call, values, message = CALLS[name]
    for value in values:
        with pytest.raises(sixd.SixdError, match=message) as info:
            call(value)
        assert len(str(info.value)) < 2000


def test_the_old_kinds_of_errors_are_kept() -> None:
    with pytest.raises(IndexError):
        _ = ARM.bodies[99]
    with pytest.raises(KeyError):
        _ = ARM.bodies["hand"]
    with pytest.raises(FileNotFoundError) as info:
        sixd.load("nowhere.urdf")
    assert (info.value.filename, info.value.errno) == ("nowhere.urdf", 2)
    with pytest.raises(OSError):
        sixd.load(URDF.parent)
    assert next(reversed(ARM.joints)).name == "joint7"
    assert ARM.bodies[np.int64(2)] is ARM.bodies[2]


def test_right_arguments_of_unusual_kinds_are_taken() -> None:
    numbers = np.array([0.0, 0.0, 1.0])
    limits = {"lower": np.float64(-1), "upper": np.array(1)}
    robot = body(mass=np.float32(2), com=numbers, inertia=np.eye(3), xyz=numbers, **limits).build()
    assert robot.lower[0] == -1
    assert robot.upper[0] == 1
    assert robot.mass == 2.0
    assert ModelBuilder().link("a", mass=True).build().bodies[0].inertia.m == 1.0
    assert robot.lock({"j": np.array(0.5)}) == robot.lock({"j": [0.5]}) == robot.lock({"j": 0.5})
    assert gallery.chain(np.int64(2)) == gallery.chain(2)
    assert sixd.load(memoryview(URDF.read_bytes())) == sixd.load(URDF)
