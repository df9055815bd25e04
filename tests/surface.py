"""Every public callable with a call that works, and what its arguments may be: for tests that try wrong ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import sixd
from sixd import algorithms, gallery, joints, layouts, lie, ops, spatial
from sixd.ik import inverse_kinematics
from sixd.joints import JOINTS, Joint
from sixd.spatial import Force, Forces, Inertia, Matrix, Motion, Motions, Transform, Vector, table1
from tests.algorithms.calls import ALGORITHMS, fixed_for, shapes

__all__ = ["CALLS", "WRONG", "Call", "public_callables", "wrong_values"]

#: Values that are wrong almost everywhere. Each is made anew, for a call may change it.
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "no such thing",
    "bytes": lambda: b"\x00\xff",
    "object": object,
    "dict": lambda: {"no such thing": 1.0},
    "set": lambda: {1.0},
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "words": lambda: ["a", "b"],
    "nones": lambda: [None, None],
    "complex": lambda: 1j,
    "function": lambda: len,
    "class": lambda: int,
    "cube": lambda: np.zeros((2, 2, 2, 2, 2)),
    "complexes": lambda: np.full(6, 1j),
    "dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "empty": lambda: [],
    "negative": lambda: -1,
    "fraction": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "huge": lambda: 10**400,
    "true": lambda: True,
}
NUMBERS = {"negative", "fraction", "nan", "inf", "true"}

#: What an argument may be, by its kind: which of `WRONG` are no mistakes there.
KINDS: dict[str, set[str]] = {
    "array": set(),
    "array or none": {"None"},
    "name": set(),
    "new name": {"text"},
    "new name or none": {"text", "None"},
    "choice": set(),
    "choice or none": {"None"},
    "flag": {"true"},
    "flag or none": {"true", "None"},
    "positive": {"fraction"},
    "not negative": {"fraction"},
    "finite": {"negative", "fraction"},
    "count": set(),
    "seed": {"None"},
    "three numbers": set(),
    "three numbers or none": {"None"},
    "thing": set(),
    "thing or none": {"None"},
    # Numbers of any kind, as they are: the algebra cannot tell what is one. An array is many samples.
    "scalar": {*NUMBERS, "huge", "object", "complex", "function", "class", "cube", "complexes", "dates"},
    "scalars": {"complexes", "cube", "dates", "set"},
    "anything": set(WRONG),
}


@dataclass(frozen=True)
class Call:
    """A function, arguments it takes, and the kind of each."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    kinds: dict[str, str] = field(default_factory=dict)
    #: Arguments given by position, since they have no name or because there are any number of them.
    positional: bool = False

    def __call__(self, **changed: Any) -> Any:
        given = {**self.arguments, **changed}
        return self.function(*given.values()) if self.positional else self.function(**given)


def wrong_values(call: Call, argument: str) -> Iterator[tuple[str, Any]]:
    """The values that are wrong for an argument, each with its name."""
    for label, make in WRONG.items():
        if label not in KINDS[call.kinds[argument]]:
            yield label, make()


@cache
def arm() -> sixd.Robot:
    return gallery.double_pendulum()


def _kinds(by_name: dict[str, str], arguments: dict[str, Any]) -> dict[str, str]:
    return {name: by_name[name] for name in arguments}


def _robot_calls() -> Iterator[tuple[str, Call]]:
    """Methods of `Robot`, with those it inherits."""
    kinds = {
        **dict.fromkeys(("q", "qd", "qdd", "tau", "dv", "q0", "q1", "force"), "array"),
        **dict.fromkeys(("frame", "left", "right", "name", "on", "at", "root"), "name"),
        **dict.fromkeys(("expressed_in", "method", "about", "base"), "choice"),
        **dict.fromkeys(("conventional", "passive", "limits"), "flag"),
        "f_ext": "thing or none",
        "states": "count",
        "seed": "seed",
        "rng": "seed",
        "size": "count",
        "i": "count",
        "positions": "thing",
        "other": "thing",
        "model": "thing",
        "joint": "thing or none",
        "joint_name": "new name or none",
        "prefix": "new name",
        "offset": "array or none",
        "xyz": "three numbers or none",
        "rpy": "three numbers or none",
        "gravity": "three numbers",
        "target": "array",
        "kind": "choice or none",
        "weights": "thing or none",
        "posture": "array or none",
        "tolerance": "positive",
        "max_iterations": "count",
        "restarts": "count",
    }
    robot, q = arm(), np.zeros(2)
    values = {
        **dict.fromkeys(("q", "qd", "qdd", "tau", "dv", "q0", "q1", "posture"), q),
        **{"force": np.zeros(6), "frame": "tip", "left": "link1", "right": "tip", "expressed_in": "aligned"},
        **{"method": "crba", "about": "com", "base": "fixed", "conventional": False, "passive": False, "limits": True},
        **{"f_ext": {"tip": np.zeros(6)}, "states": 1, "seed": 0, "rng": 0, "size": 2, "i": 1},
        **{"positions": {"joint1": 0.3}, "other": gallery.pendulum(), "at": "tip", "root": "link1", "model": robot},
        **{"joint": joints.Revolute(), "joint_name": "mount", "prefix": "second_", "offset": np.eye(4), "on": "tip"},
        **{"xyz": (0.0, 0.0, 1.0), "rpy": (0.0, 0.0, 1.0), "gravity": (0.0, 0.0, -1.62), "target": (0.5, 0.0, -1.0)},
        **{"kind": "position", "weights": 1.0, "tolerance": 1e-6, "max_iterations": 5, "restarts": 1},
    }
    for name, method in inspect.getmembers(robot, callable):
        if name.startswith("_"):
            continue
        wanted = [p for p in inspect.signature(method).parameters if p not in ("offset", "xyz", "rpy")]
        arguments, own = {p: values[p] for p in wanted if p != "name"}, dict(kinds)
        if "name" in wanted:
            arguments["name"] = {"joint": "joint1", "body": "link1", "frame": "tip"}.get(name, "another")
            own["name"] = "name" if name in ("joint", "body", "frame") else "new name"
        if name == "join":
            own["at"] = "name"
        yield f"Robot.{name}", Call(method, arguments, _kinds(own, arguments))
        for place in ("offset", "xyz", "rpy"):
            if place in inspect.signature(method).parameters:
                with_place = {**arguments, place: values[place]}
                yield f"Robot.{name} ({place})", Call(method, with_place, _kinds(own, with_place))


def _builder_calls() -> Iterator[tuple[str, Call]]:
    kinds = {
        **dict.fromkeys(("name", "joint_name", "base_joint"), "new name"),
        **dict.fromkeys(("parent", "child", "on"), "name"),
        **dict.fromkeys(("lower", "upper"), "finite"),
        **dict.fromkeys(("velocity", "effort"), "not negative"),
        **dict.fromkeys(("damping", "friction", "rotor_inertia", "stiffness", "rest"), "finite"),
        **{"mass": "not negative", "com": "three numbers", "inertia": "array", "base": "choice"},
        **{"gravity": "three numbers or none", "type": "thing or none", "joint": "thing or none"},
        **{"mimic": "thing or none", "at": "array or none"},
    }

    def builder() -> sixd.Builder:
        return sixd.Builder("b").body("a", joint=joints.Revolute(), mass=1.0, inertia=(1.0, 1.0, 1.0)).link("loose")

    def call(name: str) -> Callable[..., Any]:
        def run(**arguments: Any) -> Any:
            return getattr(builder(), name)(**arguments)

        return run

    def build(name: str) -> Callable[..., Any]:
        """A call whose mistakes may show when the robot is built."""

        def run(**arguments: Any) -> Any:
            return getattr(sixd.Builder("b").body("a", joint=joints.Revolute()), name)(**arguments).build()

        return run

    data = dict.fromkeys(("damping", "friction", "rotor_inertia", "stiffness", "rest"), 0.1)
    limits = {"lower": -1.0, "upper": 1.0, "velocity": 2.0, "effort": 3.0}
    body = {"mass": 1.0, "com": (0.0, 0.0, 0.1), "inertia": (1.0, 1.0, 1.0)}
    calls = {
        "link": (call("link"), {"name": "l", **body}),
        "body": (build("body"), {"name": "l", "parent": "a", "joint": joints.Revolute(), "joint_name": "j", **body}),
        "joint": (
            lambda **arguments: call("joint")(**arguments).build(),
            {"name": "j", "parent": "a", "child": "loose", "type": joints.Revolute(), "mimic": None, **data, **limits},
        ),
        "frame": (build("frame"), {"name": "f", "on": "a", "at": np.eye(4)}),
        "build": (
            sixd.Builder("b").body("a", joint=joints.Revolute()).build,
            {"base": "free", "gravity": (0.0, 0.0, 1.0), "base_joint": "free"},
        ),
        "assemble": (
            sixd.Builder("b").body("a", joint=joints.Revolute()).assemble,
            {"base": "free", "gravity": (0.0, 0.0, 1.0), "base_joint": "free"},
        ),
    }
    for name, (function, arguments) in calls.items():
        yield f"Builder.{name}", Call(function, arguments, _kinds(kinds, arguments))


def _package_calls() -> Iterator[tuple[str, Call]]:
    robot, rnea = arm(), algorithms.rnea
    urdf = str(Path(__file__).parents[1] / "examples" / "two_link.urdf")
    derived = {"function": rnea, "wrt": "q"}
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, str]]] = {
        "load": (
            sixd.load,
            {"source": urdf, "base": "free", "mimic": True, "gravity": (0, 0, 1), "strict": False, "base_joint": "b"},
            {"source": "thing", "base": "choice", "mimic": "flag", "gravity": "three numbers or none"}
            | {"strict": "flag", "base_joint": "new name"},
        ),
        "check": (sixd.check, {"source": urdf}, {"source": "thing"}),
        "compile": (
            sixd.compile,
            {"function": rnea, "model": robot, "shapes": {}, "name": "k", "rolled": None, "parameters": ()}
            | {"nonfinite": ()},
            {"function": "thing", "model": "thing", "shapes": "thing or none", "name": "new name or none"}
            | {"rolled": "flag or none", "parameters": "empty list", "nonfinite": "empty list"},
        ),
        "parameters": (sixd.parameters, {"model": robot, "name": "inertia"}, {"model": "thing", "name": "choice"}),
        "set_kernels": (sixd.set_kernels, {"kind": None}, {"kind": "choice or none"}),
        "set_threads": (sixd.set_threads, {"n": None}, {"n": "choice or none"}),
        "get_kernels": (sixd.get_kernels, {}, {}),
        "get_threads": (sixd.get_threads, {}, {}),
        **{
            name: (getattr(sixd, name), derived, {"function": "thing", "wrt": "choice"})
            for name in ("gradient", "hessian", "jacobian", "jvp", "vjp")
        },
        "Mimic": (
            lambda **given: sixd.Builder("b")
            .body("a", joint=joints.Revolute(), joint_name="j")
            .body("c", joint=joints.Revolute(), mimic=sixd.Mimic(**given))
            .build(),
            {"joint": "j", "ratio": 2.0, "offset": 0.1},
            {"joint": "name", "ratio": "finite", "offset": "finite"},
        ),
        "Model": (
            sixd.Model,
            {"name": "m", "body_list": robot.body_list, "frame_list": robot.frame_list, "gravity": (0.0, 0.0, -1.0)},
            {"name": "new name", "body_list": "thing", "frame_list": "empty list", "gravity": "three numbers"},
        ),
        "Builder": (
            lambda **given: sixd.Builder(**given).body("a", joint=joints.Revolute()).build(),
            {"name": "b", "gravity": (0.0, 0.0, -1.0)},
            {"name": "new name", "gravity": "three numbers"},
        ),
    }
    KINDS["empty list"] = {"empty"}
    yield from ((f"sixd.{name}", Call(*call)) for name, call in calls.items())
    yield "sixd.Robot", Call(sixd.Robot, *calls["Model"][1:])
    kernel = sixd.compile(rnea, robot)
    state = dict.fromkeys(("q", "qd", "qdd"), np.zeros(2))
    arrays = dict.fromkeys(state, "array")
    yield "Kernel.__call__", Call(kernel, state, arrays, positional=True)
    yield "Kernel.interpret", Call(kernel.interpret, state, arrays, positional=True)
    yield "Kernel.assembly", Call(kernel.assembly, {"dtype": np.float64}, {"dtype": "thing"})
    yield "Kernel.to_c", Call(kernel.to_c, {"path": None}, {"path": "new name or none"})
    yield "Kernel.report", Call(kernel.report, {})
    yield "Kernel.stack_bytes", Call(kernel.stack_bytes, {})
    solve = Call(
        inverse_kinematics,
        {"model": robot, "frame": "tip", "target": (0.5, 0.0, -1.0)},
        {"model": "thing", "frame": "name", "target": "array"},
    )
    yield "ik.inverse_kinematics", solve


def _gallery_calls() -> Iterator[tuple[str, Call]]:
    kinds = {"n": "count", "mass": "positive", "length": "positive", "gravity": "finite", "rng": "seed", "axes": "thing"}
    values = {"n": 3, "mass": 1.0, "length": 0.5, "gravity": 9.81, "rng": 0, "axes": ((0, 1, 0), (1, 0, 0))}
    for name in gallery.__all__:
        function = getattr(gallery, name)
        arguments = {p: values[p] for p in inspect.signature(function).parameters if p in values}
        yield f"gallery.{name}", Call(function, arguments, _kinds(kinds, arguments))


def _layout_calls() -> Iterator[tuple[str, Call]]:
    robot, names = arm(), ["joint1", "joint2"]
    for name in ("bullet_layout", "drake_layout"):
        arguments = {"model": robot, "joint_names": names}
        yield f"layouts.{name}", Call(getattr(layouts, name), arguments, {"model": "thing", "joint_names": "thing"})
    for name in ("mujoco_layout", "pinocchio_layout"):
        yield f"layouts.{name}", Call(getattr(layouts, name), {"model": robot, "peer": None}, {"peer": "thing"})
    yield (
        "layouts.linear_first",
        Call(layouts.linear_first, {"x": np.zeros(6), "axis": -1}, {"x": "six numbers", "axis": "axis"}),
    )
    KINDS["six numbers"], KINDS["axis"] = {"complexes"}, {"negative"}
    layout = layouts.drake_layout(robot, names)
    for name, method in inspect.getmembers(layout, callable):
        if not name.startswith("_"):
            wanted = list(inspect.signature(method).parameters)
            yield f"Layout.{name}", Call(method, {p: np.zeros(2) for p in wanted}, dict.fromkeys(wanted, "array"))


CALLS: dict[str, Call] = {
    **dict(_robot_calls()),
    **dict(_builder_calls()),
    **dict(_package_calls()),
    **dict(_gallery_calls()),
    **dict(_layout_calls()),
}
