"""Every public callable with a call that works, and what its arguments may be: for tests that try wrong ones."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np

import sixd
from sixd import (
    algorithms,
    flexible,
    gallery,
    historical,
    identification,
    joints,
    lagrangian,
    layouts,
    lie,
    mechanisms,
    motion,
    operators,
    parallel,
    spatial,
    view,
)
from sixd.algorithms.declared import Kind
from sixd.ik import inverse_kinematics
from sixd.joints import JOINTS
from sixd.simulation import Differentiable
from sixd.simulation.controllers import JointPD
from sixd.spatial import (
    Force,
    Forces,
    Inertia,
    InverseTransform,
    Matrix,
    Motion,
    Motions,
    Transform,
    Vector,
    linear,
    sound,
    table1,
)
from tests.algorithms.calls import ALGORITHMS, TASKS, fixed_for, is_constrained, shapes

__all__ = ["CALLS", "WRONG", "Call", "wrong_values"]

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
    "cube": lambda: np.zeros((3, 3, 3, 3, 5)),
    "complexes": lambda: np.full(6, 1j),
    "dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "empty": list,
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
    "positive": {"fraction", "true"},
    "positive or none": {"fraction", "true", "None"},
    "not negative": {"fraction", "true"},
    "not negative or none": {"fraction", "true", "None"},
    "finite": {"negative", "fraction", "true"},
    "limit": {"negative", "fraction", "true", "inf", "empty"},
    "data": {"negative", "fraction", "true", "empty"},
    "count": set(),
    "count or none": {"None"},
    "size": {"empty"},
    "seed of ik": set(),
    "seed of numpy": {"None", "huge", "true", "empty"},
    "weights": {"None", "fraction", "true"},
    "three numbers": set(),
    "three numbers or none": {"None"},
    "thing": set(),
    "thing or none": {"None"},
    # Numbers of any kind, as they are: the algebra cannot tell what is one. An array is many samples.
    "scalar": {*NUMBERS, "huge", "object", "complex", "function", "class", "cube", "complexes", "dates"},
    "angle": {*NUMBERS, "huge", "cube", "complexes", "dates"},
    # What holds numbers, each as it is: a list of them where their number is asked, else all that has entries.
    "entries": {"words", "nones", "ragged", "cube", "complexes", "dates", "empty"},
    "iterable": {"words", "nones", "ragged", "cube", "complexes", "dates", "empty", "text", "bytes", "dict", "set"},
    "rows": {"words", "ragged", "cube", "empty", "text", "dict"},
    "sixes": {"complexes", "empty"},
    "factor": {"cube"},
    "function": {"function"},  # errors of a function of one's own are left as they are
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
        **dict.fromkeys(("q", "qd", "qdd", "qd_r", "qdd_r", "tau", "dv", "q0", "q1", "u", "v", "force", "p"), "array"),
        **dict.fromkeys(("frame", "left", "right", "name", "on", "at", "root"), "name"),
        **dict.fromkeys(("expressed_in", "method", "about", "base"), "choice"),
        **dict.fromkeys(("conventional", "passive", "limits", "tensors"), "flag"),
        "f_ext": "thing or none",
        "states": "count",
        "seed": "seed of numpy",
        "rng": "seed of numpy",
        "size": "size",
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
        "body": "name",
        "inertia": "array or none",
        "mass": "not negative or none",
        "com": "three numbers or none",
        "target": "array",
        "kind": "choice or none",
        "weights": "weights",
        "posture": "array or none",
        "tolerance": "positive",
        "max_iterations": "count",
        "restarts": "count",
        "out": "out",
        "frames": "frames",
        "known": "frames",
        "batches": "flag",
        "dt": "positive or none",
        **PICTURES,
    }
    # As with NumPy's functions, results are written to complex numbers too, and a number to each entry of an array.
    KINDS["out"], KINDS["out of a number"] = {"None", "complexes"}, {"None", "cube", "complexes"}
    KINDS["frames"] = {"empty"}
    robot, q = arm(), np.zeros(2)
    values = {
        **dict.fromkeys(("q", "qd", "qdd", "qd_r", "qdd_r", "tau", "dv", "q0", "q1", "posture"), q),
        "p": robot.inertial_parameters,
        "u": np.array([1.0, 0.0]),
        "v": np.array([0.0, 1.0]),
        "force": np.zeros(6),
        "frame": "tip",
        "left": "link1",
        "right": "tip",
        "expressed_in": "aligned",
        "method": "crba",
        "about": "com",
        "base": "fixed",
        "conventional": False,
        "passive": False,
        "limits": True,
        "f_ext": {"tip": np.zeros(6)},
        "states": 1,
        "seed": 0,
        "rng": 0,
        "size": 2,
        "i": 1,
        "positions": {"joint1": 0.3},
        "other": gallery.pendulum(),
        "at": "tip",
        "root": "link1",
        "model": robot,
        "joint": joints.Revolute(),
        "joint_name": "mount",
        "prefix": "second_",
        "offset": np.eye(4),
        "on": "tip",
        "xyz": (0.0, 0.0, 1.0),
        "rpy": (0.0, 0.0, 1.0),
        "gravity": (0.0, 0.0, -1.62),
        "body": "link1",
        "inertia": (1.0, 1.0, 1.0),
        "mass": 2.0,
        "com": (0.0, 0.0, 0.1),
        "target": (0.5, 0.0, -1.0),
        "kind": "position",
        "weights": 1.0,
        "tolerance": 1e-6,
        "max_iterations": 5,
        "out": None,
        "frames": "tip",
        "known": ("joint1",),
        "batches": False,
        "tensors": False,
        "dt": None,
        "restarts": 1,
        **_picture(),
    }
    for name, method in inspect.getmembers(robot, callable):
        if name.startswith("_"):
            continue
        if name == "show":  # needs a server: tests/view/test_live.py
            continue
        if name in FLEXIBLE:  # below, with flexible links
            continue
        if name == "close":
            loop = sixd.Loop("base", "tip", "point")
            yield (
                "Robot.close",
                Call(lambda constraint, of=method: of(constraint), {"constraint": loop}, {"constraint": "thing"}),
            )
            continue
        if name == "derivatives":
            yield (
                "Robot.derivatives",
                Call(
                    lambda what, wrt, q, frame, expressed_in, of=method: of(
                        what, wrt, q, frame=frame, expressed_in=expressed_in
                    ),
                    {"what": "pose", "wrt": "q", "q": q, "frame": "tip", "expressed_in": "body"},
                    {
                        "what": "choice",
                        "wrt": "choice",
                        "q": "array",
                        "frame": "name",
                        "expressed_in": "choice or none",
                    },
                ),
            )
            continue
        if name in (*TASKS, "inverse_operational_inertia"):  # which need an arm that can move in space
            seven = gallery.seven_axis_arm()
            given = {"q": seven.random(1), "frame": "tool", "kind": "pose", "expressed_in": "body", "out": None}
            given["qd"] = np.zeros(7)
            given = {p: given[p] for p in inspect.signature(method).parameters}
            yield f"Robot.{name}", Call(getattr(seven, name), given, _kinds({**kinds, "kind": "choice"}, given))
            several = {**given, "frame": ["link5", "tool"], "kind": ["rotation", "position"]}
            yield (
                f"Robot.{name} (frames)",
                Call(getattr(seven, name), several, _kinds({**kinds, "kind": "choice"}, several)),
            )
            continue
        wanted = [p for p in inspect.signature(method).parameters if p not in ("offset", "xyz", "rpy")]
        arguments, own = {p: values[p] for p in wanted if p != "name"}, dict(kinds)
        if "name" in wanted:
            arguments["name"] = {"joint": "joint1", "body": "link1", "frame": "tip"}.get(name, "another")
            own["name"] = "name" if name in ("joint", "body", "frame") else "new name"
        if name.endswith(("energy", "sectional_curvature", "scalar_curvature")):
            own["out"] = "out of a number"
        if name == "save_html":
            arguments |= _picture("q", "t")
        if name == "plot":
            own["q"] = "array or none"
        if name == "inverse_kinematics":
            own |= {"q0": "array or none", "seed": "seed of ik"}
        yield f"Robot.{name}", Call(method, arguments, _kinds(own, arguments))
        for place in ("offset", "xyz", "rpy"):
            if place in inspect.signature(method).parameters:
                with_place = {**arguments, place: values[place]}
                yield f"Robot.{name} ({place})", Call(method, with_place, _kinds(own, with_place))


#: Methods of `Robot` that make parts of it flexible.
FLEXIBLE = ("with_flexible_link", "with_elastic_joint", "with_compliant_bearing")


def _flexible_calls() -> Iterator[tuple[str, Call]]:
    beam, own = flexible.Beam(1.0, 0.5, EI_y=3.0), Inertia.from_mass_com(1.0, (0, 0, 0), np.eye(3))
    bent = {"bending_y": 1, "bending_z": 0, "torsion": 0, "axial": 0, "shapes": "polynomial", "damping_ratio": 0.1}
    bent |= {"stations": 1, "segments": 1}
    KINDS["modes"] = {"None"}
    kinds = {"bending_y": "modes", "bending_z": "modes", "torsion": "count", "axial": "count", "shapes": "choice"}
    kinds |= {"damping_ratio": "not negative", "stations": "count or none", "segments": "count", "beam": "thing"}
    link = {"link": "link1", "beam": beam, "end": "joint2", **bent, "inertia": own, "keep": (), "y": None}
    robot = {"link": "name", "end": "name", "inertia": "thing or none", "keep": "empty list", "y": "array or none"}
    yield "Robot.with_flexible_link", Call(arm().with_flexible_link, link, kinds | robot)
    elastic = {"joint": "joint1", "stiffness": 3.0, "damping": 0.1, "rotor_inertia": 0.2}
    numbers = {"joint": "name", "stiffness": "positive", "damping": "not negative", "rotor_inertia": "positive"}
    yield "Robot.with_elastic_joint", Call(arm().with_elastic_joint, elastic, numbers)
    bearing = {"joint": "joint1", "stiffness": (1.0,) * 6, "damping": 0.1, "inertia": own}
    numbers = {"joint": "name", "stiffness": "array", "damping": "not negative", "inertia": "thing"}
    yield "Robot.with_compliant_bearing", Call(arm().with_compliant_bearing, bearing, numbers)
    body = {"name": "l", "beam": beam, "parent": "a", "joint": joints.Revolute(), "joint_name": "j", **bent}
    rigid = {"mass": 1.0, "com": (0.0, 0.0, 0.1), "inertia": (1.0, 1.0, 1.0)}
    kinds |= {"name": "new name", "parent": "name", "joint": "thing or none", "joint_name": "new name or none"}
    kinds |= {"mass": "not negative", "com": "three numbers", "inertia": "array"}

    def build(**given: Any) -> Any:
        return sixd.Builder("b").body("a", joint=joints.Revolute()).flexible_body(**given).build()

    yield "Builder.flexible_body", Call(build, body | rigid, kinds)
    values = {"length": 1.0, "mass_per_length": 0.5, "EI_y": 1.0, "EI_z": 1.0, "GJ": 1.0, "EA": 1.0}
    sound = dict.fromkeys(values, "stiffness") | {"length": "positive", "mass_per_length": "positive"}
    KINDS["stiffness"] = {"fraction", "true", "inf"}
    more = {"inertia_per_length": (0.0, 0.0, 0.0), "section": ("box", (0.1, 0.1))}
    sound |= {"inertia_per_length": "three numbers", "section": "thing or none"}
    yield "flexible.Beam", Call(flexible.Beam, values | more, sound)
    for name, size in (
        ("rectangular", {"width": 0.1, "height": 0.2}),
        ("circular", {"radius": 2.0, "inner_radius": 0.1}),
    ):
        material = {"length": 1.0, **size, "E": 1e9, "density": 1e3, "poisson": 0.3}
        sound = dict.fromkeys(material, "positive") | {"inner_radius": "not negative", "poisson": "poisson ratio"}
        yield f"flexible.Beam.{name}", Call(getattr(flexible.Beam, name), material, _kinds(sound, material))
    KINDS["poisson ratio"] = {"fraction"}
    asked = Call(beam.frequencies, {"kind": "bending_y", "n": 2}, {"kind": "choice", "n": "count"})
    yield "flexible.Beam.frequencies", asked
    yield "flexible.Beam.stiffness", Call(beam.stiffness, {"kind": "bending_y"}, {"kind": "choice"})


def _closed_calls() -> Iterator[tuple[str, Call]]:
    """Constraints, and the methods of `ClosedRobot` that a `Robot` does not have or has otherwise."""
    KINDS["joint of a loop"], KINDS["stabilisation"] = set(), {"fraction", "true"}
    KINDS["below one"], KINDS["dof names"], KINDS["position"] = (
        {"fraction"},
        {"empty"},
        {"negative", "fraction", "true"},
    )
    KINDS["not negative number or none"] = {"None", "fraction", "true", "inf"}
    KINDS["ratio"], KINDS["seed of assembly"] = {"fraction", "true"}, {"None", "huge", "true", "empty"}
    frames = {"frame_a": "base", "frame_b": "tip"}
    common = {"name": "c", "stabilisation": (1.0, 1.0), "rank_tolerance": 1e-9}
    kinds = {"name": "new name", "stabilisation": "stabilisation", "rank_tolerance": "below one"}
    kinds |= dict.fromkeys(("frame_a", "frame_b"), "name")
    records: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
        "Loop": ({**frames, "joint": "revolute", "axis": "y", "offset": np.eye(4)}, {"joint": "joint of a loop"}),
        "Grasp": ({**frames, "pose": np.eye(4)}, {"pose": "array or none"}),
        "Distance": ({**frames, "length": 1.0}, {"length": "positive"}),
        "Rolling": (
            {**frames, "radius": 1.0, "shape": "wheel", "axis": "y"},
            {"radius": "positive", "shape": "choice"},
        ),
        "Coupling": (
            {"ratios": {"joint1": 1.0, "joint2": 2.0}, "constant": 0.0},
            {"ratios": "thing", "constant": "finite"},
        ),
        "Prescribed": ({"joint": "joint1", "position": 0.0}, {"joint": "name", "position": "position"}),
        "PrescribedFrame": (
            {**frames, "what": "position", "at": None},
            {"what": "choice", "at": "three numbers or none"},
        ),
    }
    more = {"axis": "three numbers", "offset": "array or none"}
    for name, (given, own) in records.items():
        arguments = {**given, **common}
        make = getattr(sixd, name)
        yield (
            f"sixd.{name}",
            Call(
                lambda make=make, **x: arm().close(make(**x)),
                arguments,
                {**_kinds({**kinds, **more, **own}, arguments)},
            ),
        )
    closed = arm().close(sixd.Prescribed("joint1", name="motor"))
    q, targets = np.zeros(2), {"motor": np.zeros(3)}
    values = dict.fromkeys(("q", "qd", "qdd", "tau", "q_guess"), q)
    values |= {"targets": targets, "out": None, "constraint": "motor", "f_ext": {"tip": np.zeros(6)}, "passive": False}
    values |= {"expressed_in": "body", "method": "embedding", "independent": ["joint2"], "actuated": ["joint2"]}
    values |= {"bounds": 1.0, "restitution": 0.5, "fixed": (), "limits": True, "seed": 0, "restarts": 1}
    values |= {"tolerance": 1e-9, "rng": 0, "size": 2, "dt": None, "states": 1}
    own = dict.fromkeys(("q", "qd", "qdd", "tau", "q_guess"), "array")
    own |= {"targets": "thing or none", "f_ext": "thing or none", "out": "out", "constraint": "name", "passive": "flag"}
    own |= {"expressed_in": "choice", "method": "choice", "independent": "choice or none", "actuated": "dof names"}
    own |= {"bounds": "not negative number or none", "restitution": "ratio", "fixed": "dof names", "limits": "flag"}
    own |= {
        "seed": "seed of assembly",
        "restarts": "count",
        "tolerance": "positive",
        "rng": "seed of numpy",
        "size": "size",
        "dt": "positive or none",
        "states": "count",
    }
    seven = gallery.seven_axis_arm().close(sixd.Coupling({"joint1": 1.0, "joint3": -1.0}))
    task = {"q": np.full(7, 0.4), "qd": np.zeros(7), "frame": "tool", "kind": "position", "expressed_in": "body"}
    about = {**own, "frame": "name", "kind": "choice"}
    task["q"][2] = task["q"][0]
    yield "ClosedRobot.operational_space", Call(seven.operational_space, task, _kinds(about, task))
    asked = {"frame": "tool", "target": np.array([0.3, 0.2, 0.6]), "q0": task["q"], "kind": "position", "weights": 1.0}
    asked |= {"limits": True, "tolerance": 1e-6, "max_iterations": 3, "restarts": 1, "seed": 0}
    how = {"target": "array", "weights": "weights", "max_iterations": "count", "seed": "seed of ik"}
    about |= {"q0": "array or none", "kind": "choice or none", "limits": "flag", "tolerance": "positive"} | how
    about["restarts"] = "count"
    yield "ClosedRobot.inverse_kinematics", Call(seven.inverse_kinematics, asked, _kinds(about, asked))
    for name in own_methods_of_closed_robots():
        if name == "inverse_kinematics":  # above
            continue
        method = getattr(closed, name)
        arguments = {p: values[p] for p in inspect.signature(method).parameters}
        said = {**own, "actuated": "choice or none", "q": "array or none" if name == "independent" else "array"}
        said |= {"qd": "array or none", "qdd": "array or none"} if name == "project" else {}
        yield f"ClosedRobot.{name}", Call(method, arguments, _kinds(said, arguments))


def own_methods_of_closed_robots() -> Iterator[str]:
    """The methods of `ClosedRobot` that a `Robot` does not have or has otherwise, without those that are refused."""
    for name, method in inspect.getmembers(sixd.ClosedRobot, inspect.isfunction):
        if (
            not name.startswith("_")
            and method is not getattr(sixd.Robot, name, None)
            and name not in sixd.ClosedRobot.refused
        ):
            yield name


def _builder_calls() -> Iterator[tuple[str, Call]]:
    kinds = {
        **dict.fromkeys(("name", "base_joint"), "new name"),
        "joint_name": "new name or none",
        **dict.fromkeys(("parent", "child", "on"), "name"),
        **dict.fromkeys(("lower", "upper", "velocity", "effort"), "limit"),
        **dict.fromkeys(("damping", "friction", "rotor_inertia", "stiffness", "rest"), "data"),
        "mass": "not negative",
        "com": "three numbers",
        "inertia": "array",
        "base": "choice",
        "gravity": "three numbers or none",
        "type": "thing or none",
        "joint": "thing or none",
        "mimic": "thing or none",
        "at": "array or none",
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
    derived = {"function": rnea, "wrt": ("q", "inertia"), "tangent": True}
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, str]]] = {
        "load": (
            sixd.load,
            {"source": urdf, "base": "free", "mimic": True, "gravity": (0, 0, 1), "strict": False, "base_joint": "b"},
            {"source": "thing", "base": "choice", "mimic": "flag", "gravity": "three numbers or none"}
            | {"strict": "flag", "base_joint": "new name"},
        ),
        "check": (sixd.check, {"source": urdf}, {"source": "description"}),
        "compile": (
            sixd.compile,
            {"function": rnea, "model": robot, "shapes": {}, "name": "k", "rolled": None, "parameters": ()}
            | {"nonfinite": ()},
            {"function": "function", "model": "thing", "shapes": "thing or none", "name": "new name or none"}
            | {"rolled": "flag or none", "parameters": "empty list", "nonfinite": "empty list"},
        ),
        "parameters": (sixd.parameters, {"model": robot, "name": "inertia"}, {"model": "thing", "name": "choice"}),
        "set_kernels": (sixd.set_kernels, {"kind": None}, {"kind": "choice or none"}),
        "set_threads": (sixd.set_threads, {"n": None}, {"n": "choice or none"}),
        "get_kernels": (sixd.get_kernels, {}, {}),
        "get_threads": (sixd.get_threads, {}, {}),
        **{
            name: (getattr(sixd, name), derived, {"function": "thing", "wrt": "choice", "tangent": "flag"})
            for name in ("gradient", "hessian", "jacobian", "jvp", "vjp")
        },
        "Mimic": (
            lambda **given: (
                sixd.Builder("b")
                .body("a", joint=joints.Revolute(), joint_name="j")
                .body("c", joint=joints.Revolute(), mimic=sixd.Mimic(**given))
                .build()
            ),
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
    KINDS["description"] = {"text", "bytes"}  # what cannot be loaded is a finding
    yield from ((f"sixd.{name}", Call(*call)) for name, call in calls.items())
    on_frame = {"function": algorithms.pose, "model": robot, "frame": "tip"}
    yield "sixd.compile (frame)", Call(sixd.compile, on_frame, {"frame": "name"})
    hands = {"function": algorithms.grasp_constraint, "model": robot, "left": "link1", "right": "tip"}
    yield "sixd.compile (bodies)", Call(sixd.compile, hands, {"left": "name", "right": "name"})
    yield "sixd.Robot", Call(sixd.Robot, *calls["Model"][1:])
    kernel = sixd.compile(rnea, robot)
    state = dict.fromkeys(("q", "qd", "qdd"), np.zeros(2))
    arrays = dict.fromkeys(state, "array")
    yield "Kernel.__call__", Call(kernel, state, arrays, positional=True)
    yield "Kernel.interpret", Call(kernel.interpret, state, arrays, positional=True)
    yield "Kernel.assembly", Call(kernel.assembly, {"dtype": np.float64}, {"dtype": "thing"})
    yield "Kernel.to", Call(kernel.to, {"name": "c", "path": None}, {"name": "choice", "path": "new name or none"})
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
    kinds = {"n": "count", "mass": "positive", "length": "positive", "gravity": "finite", "rng": "seed of numpy"}
    kinds["axes"] = "thing"
    values = {"n": 3, "mass": 1.0, "length": 0.5, "gravity": 9.81, "rng": 0, "axes": ((0, 1, 0), (1, 0, 0))}
    for name in gallery.__all__:
        function = getattr(gallery, name)
        arguments = {p: values[p] for p in inspect.signature(function).parameters if p in values}
        yield f"gallery.{name}", Call(function, arguments, _kinds(kinds, arguments))


def _mechanism_calls() -> Iterator[tuple[str, Call]]:
    special = {"joint": "choice", "place": "three numbers", "angle": "finite", "drive": "finite"}
    special |= {"left": "finite", "right": "finite"}
    for name, function in mechanisms.MECHANISMS.items():
        parameters = inspect.signature(function).parameters
        arguments = {p: parameter.default for p, parameter in parameters.items()}
        yield f"mechanisms.{name}", Call(function, arguments, {p: special.get(p, "positive") for p in arguments})


def _identification_calls() -> Iterator[tuple[str, Call]]:
    robot, rng = gallery.seven_axis_arm(), np.random.default_rng(0)
    KINDS["joint parameters"] = {"empty"}
    KINDS["names or none"] = {"None", "empty"}
    q, (qd, qdd) = robot.random(rng, 20), rng.normal(size=(2, 20, 7))
    log = {"q": q, "qd": qd, "qdd": qdd, "tau": robot.inverse_dynamics(q, qd, qdd)}
    calls: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
        "base_parameters": (
            {"q": q, "qd": qd, "qdd": qdd, "joint": ("damping",)},
            {**dict.fromkeys(("q", "qd", "qdd"), "array"), "joint": "joint parameters"},
        ),
        "fit": (
            {"log": log, "joint": ("damping",), "method": "consistent", "noise": [1.0] * 7},
            {"log": "thing", "joint": "joint parameters", "method": "choice", "noise": "array or none"},
        ),
        "excite": (
            {"duration": 5.0, "harmonics": 2, "samples": 8, "velocity": [1.0] * 7, "effort": [400.0] * 7, "joint": ()}
            | {"iterations": 1, "seed": 0},
            {"duration": "positive", "harmonics": "count", "samples": "count", "iterations": "count"}
            | {"velocity": "array or none", "effort": "array or none", "joint": "joint parameters"}
            | {"seed": "seed of numpy"},
        ),
        "calibrate": (
            {"frame": "tool", "q": q, "measured": robot.pose(q, "tool"), "joints": ("joint2",), "tool": True}
            | {"noise": (1.0, 1.0)},
            {"frame": "name", "q": "array", "measured": "array", "joints": "names or none", "tool": "flag"}
            | {"noise": "array"},
        ),
    }
    for name, (arguments, kinds) in calls.items():
        call = Call(getattr(identification, name), {"robot": robot, **arguments}, {"robot": "thing", **kinds})
        yield f"identification.{name}", call


def _motion_calls() -> Iterator[tuple[str, Call]]:
    arguments = {"robot": arm(), "q0": [0.0, 0.0], "q1": [0.5, 0.3], "duration": 1.0, "cost": "energy", "pieces": 2}
    kinds = {"robot": "thing", "q0": "array", "q1": "array", "duration": "positive", "cost": "choice"}
    kinds |= {"pieces": "count", "rest": "flag or none"}
    KINDS["limits"] = {"empty"}
    more = {"limits": ("position",), "iterations": 3}
    call = Call(motion.optimize, arguments | more, kinds | {"limits": "limits", "iterations": "count"})
    yield "motion.optimize", call
    yield (
        "motion.check_gradient",
        Call(motion.check_gradient, arguments | {"seed": 0}, kinds | {"seed": "seed of numpy"}),
    )


def _simulation_calls() -> Iterator[tuple[str, Call]]:
    """`simulate` with a fixed step, and with steps of variable length; control by name has no meaning."""
    start = {"robot": arm(), "q0": [0.0, 0.1], "qd0": [0.0, 0.0], "duration": 0.5, "dt": 0.25, "control": [0.0, 0.0]}
    kinds = {"robot": "thing", "q0": "array", "qd0": "array", "duration": "whole steps", "dt": "length of steps"}
    KINDS["whole steps"], KINDS["length of steps"] = {"fraction", "true"}, {"fraction", "true"}
    KINDS["control"], KINDS["elements"], KINDS["inputs"] = (
        {"None", "function", "class"},
        {"empty", "set"},
        {"None", "empty"},
    )
    more = {"forces": (), "contacts": None, "integrator": "rk4", "inputs": None, "record": 1, "books": False}
    more |= {"parameters": None, "energy_check": "off"}
    kinds |= {"control": "control", "forces": "elements", "contacts": "thing or none", "integrator": "choice or none"}
    kinds |= {"inputs": "inputs", "record": "count or none", "books": "flag", "events": "elements"}
    kinds |= {"energy_check": "choice", "rtol": "positive or none", "atol": "positive or none", "parameters": "inputs"}
    yield "sixd.simulate", Call(sixd.simulate, start | more, kinds)
    adaptive = {"integrator": "dopri5", "rtol": 1e-3, "atol": 1e-3, "events": ()}
    yield "simulation.simulate", Call(sixd.simulate, start | adaptive, kinds)
    setup = {"robot": arm(), "dt": 0.125, "control": JointPD(1.0, 1.0), "forces": (), "contacts": None}
    own = {name: kinds[name] for name in ("robot", "forces", "contacts", "integrator", "energy_check")}
    own |= {"dt": "length of steps", "control": "controller", "parameters": "parameters"}
    KINDS["controller"], KINDS["parameters"] = {"None", "class"}, {"empty"}
    setup |= {"integrator": "rk4", "parameters": "inertia", "energy_check": "off"}
    yield "simulation.Differentiable", Call(Differentiable, setup, own)
    run = {"q0": [0.0, 0.1], "qd0": [0.0, 0.0], "tau": [[0.0, 0.0]] * 2, "inputs": {"q_target": [0.1, 0.2]}}
    arrays = dict.fromkeys(("q0", "qd0", "tau"), "array")
    KINDS["needed inputs"] = set()
    arrays |= {"inputs": "needed inputs", "every_step": "flag"}
    made = Differentiable(**setup)
    yield "simulation.Differentiable.__call__", Call(made, run, arrays)
    changes = {"dq0": [1.0, 0.0], "dqd0": [0.0, 0.0], "dtau": [[0.0, 0.0]] * 2, "dparameters": None, "dinputs": None}
    more = dict.fromkeys(("dq0", "dqd0", "dtau"), "array") | dict.fromkeys(("dparameters", "dinputs"), "inputs")
    yield "simulation.Differentiable.jvp", Call(made.jvp, run | changes, arrays | more)
    bars = {"q_bar": [1.0, 0.0], "qd_bar": [0.0, 0.0]}
    yield "simulation.Differentiable.vjp", Call(made.vjp, run | bars, arrays | dict.fromkeys(bars, "array"))


GIF = Path(gettempdir()) / "sixd-surface.gif"
#: The kinds of arguments for pictures.
PICTURES = {
    **dict.fromkeys(("t", "q", "path"), "array"),
    **dict.fromkeys(("robot", "scene"), "thing"),
    **dict.fromkeys(("points", "forces"), "array or none"),
    **dict.fromkeys(("fps", "speed", "dpi"), "positive"),
    "curves": "thing or none",
    "layers": "layers",
    "title": "new name or none",
    "ax": "thing or none",
    "renderer": "choice",
    "path": "path",
}
KINDS["layers"], KINDS["path"] = {"None", "empty"}, {"text"}


def _picture(*names: str) -> dict[str, Any]:
    """Arguments for pictures of a motion with three samples, all of them or some."""
    every = {
        "path": os.devnull,
        "robot": arm(),
        "t": np.arange(3.0),
        "q": np.zeros((3, 2)),
        "points": np.zeros((3, 1, 3)),
        "forces": np.ones((3, 1, 3)),
        "curves": {"height": np.zeros(3)},
        "layers": "skeleton",
        "title": "arm",
        "ax": None,
    }
    return {name: every[name] for name in names or ("path", "t", "curves", "layers", "ax")}


def _view_calls() -> Iterator[tuple[str, Call]]:
    motion = ("robot", "t", "q", "points", "forces", "layers", "title")
    still = _picture("robot", "layers", "title", "ax") | {"q": np.zeros(2)}
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "save_html": (view.save_html, _picture("path", *motion, "curves")),
        "save_gif": (
            lambda fps, speed, dpi, **more: view.save_gif(path=GIF, fps=fps, speed=speed, dpi=dpi, **more),
            _picture(*motion) | {"fps": 1.0, "speed": 1.0, "dpi": 20.0},
        ),
        "plot": (view.plot, still),
        "plot_tree": (view.plot_tree, _picture("robot", "ax")),
        "render": (
            lambda scene, renderer: view.render(scene, renderer, path=os.devnull),
            {"scene": view.Scene.of(arm()), "renderer": "html"},
        ),
        "Scene.of": (view.Scene.of, _picture(*motion, "curves")),
    }
    for name, (function, arguments) in calls.items():
        kinds = _kinds(PICTURES, arguments) | ({"q": "array or none"} if name == "plot" else {})
        yield f"view.{name}", Call(function, arguments, kinds)


def _layout_calls() -> Iterator[tuple[str, Call]]:
    robot, names = arm(), ["joint1", "joint2"]
    for name in ("bullet_layout", "drake_layout"):
        arguments = {"model": robot, "joint_names": names}
        yield f"layouts.{name}", Call(getattr(layouts, name), arguments, {"model": "thing", "joint_names": "thing"})
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


def _algebra_calls() -> Iterator[tuple[str, Call]]:
    """The algebra, the groups, the joints: what is a number is not asked, for it may be of any kind."""
    kinds = {
        **dict.fromkeys(("ang", "lin", "h", "r", "com", "c", "axis", "phi", "rpy", "position"), "vector"),
        "v6": "six",
        **dict.fromkeys(
            ("E", "I", "H", "M", "I_com", "I_c", "R", "matrix", "pose", "quaternion", "q", "a", "b"), "vector"
        ),
        **dict.fromkeys(("X", "v", "m6", "f", "y", "x", "home", "A", "W", "U", "quantity", "other", "inv"), "thing"),
        **dict.fromkeys(("acceleration", "rate_of_coordinates"), "thing"),
        **dict.fromkeys(("n", "nv"), "count"),
        "width": "count or none",
        **{name: name for name in ("entries", "iterable", "rows", "sixes")},
        **dict.fromkeys(("first", "second"), "factor"),
        "k": "axis",
        "slack": "not negative",
        **dict.fromkeys(("screws", "coordinates", "homes", "inertias", "dx", "ddx"), "columns"),
        **dict.fromkeys(("chain", "model", "B"), "thing"),
        **dict.fromkeys(("i", "j", "l", "link"), "count"),
        **dict.fromkeys(("m", "mass"), "scalar"),
        **dict.fromkeys(("angle", "theta"), "angle"),
        "p": "vector",
        "array": "any array",
        "columns": "columns",
    }
    X, v, f = Transform.identity(), Motion((1, 2, 3), (4, 5, 6)), Force((1, 2, 3), (4, 5, 6))
    I = Inertia.from_mass_com(1.0, (0.1, 0.2, 0.3), np.eye(3))
    three, one, two = (0.1, 0.2, 0.3), np.eye(3), Matrix.identity(2)
    inertias = (I, I.articulated())
    quantities = (v, f, Motions([v]), Forces([f]), *inertias)
    chain = {"screws": [v, v], "coordinates": [0.1, 0.2], "home": X}
    homes = {"screws": [v, v], "coordinates": [0.1, 0.2], "homes": [X, X]}
    both = {"ang": three, "lin": three}
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "Motion": (Motion, both),
        "Force": (Force, both),
        "Motion.from_array": (Motion.from_array, {"array": np.zeros(6)}),
        "Force.from_array": (Force.from_array, {"array": np.zeros(6)}),
        "Motion.dot": (v.dot, {"f": f}),
        "Motion.cross": (v.cross, {"other": f}),
        "Motion.conventional": (v.conventional, {"v": v}),
        "Motion.from_conventional": (Motion.from_conventional, {"acceleration": v, "v": v}),
        "Force.dot": (lambda m6: f.dot(m6), {"m6": v}),
        "Motions": (Motions, {"columns": [v]}),
        "Forces": (Forces, {"columns": [f]}),
        "Inertia": (Inertia, {"m": 1.0, "h": three, "I": one}),
        "Inertia.from_mass_com": (Inertia.from_mass_com, {"mass": 1.0, "com": three, "I_com": one}),
        "Inertia.from_matrix": (Inertia.from_matrix, {"matrix": np.asarray(I.matrix().array())}),
        "Inertia.from_parameters": (Inertia.from_parameters, {"p": np.arange(1.0, 11.0)}),
        "Inertia.kinetic_energy": (I.kinetic_energy, {"v": v}),
        "Inertia.bias_force": (I.bias_force, {"v": v}),
        "Inertia.force": (I.force, {"a": v, "v": v}),
        "ArticulatedInertia": (spatial.ArticulatedInertia, {"I": one, "H": one, "M": one}),
        "ArticulatedInertia.from_matrix": (spatial.ArticulatedInertia.from_matrix, {"matrix": np.eye(6)}),
        "Transform": (Transform, {"E": one, "r": three}),
        "Transform.translation": (Transform.translation, {"r": three}),
        "Transform.rotation": (Transform.rotation, {"axis": (0.0, 0.6, 0.8), "angle": 0.3}),
        "Transform.from_pose": (Transform.from_pose, {"pose": np.eye(4)}),
        "Transform.from_matrix": (Transform.from_matrix, {"matrix": np.eye(6)}),
        "Transform.from_quaternion": (Transform.from_quaternion, {"quaternion": (0, 0, 0, 1), "position": three}),
        "Transform.from_rpy": (Transform.from_rpy, {"rpy": three, "position": three}),
        "Transform @": (lambda other: X @ other, {"other": v}),
        "InverseTransform": (InverseTransform, {"inv": X}),
        "InverseTransform @": (lambda other: X.inv @ other, {"other": v}),
        "Inertia @": (lambda other: I @ other, {"other": v}),
        **{f"{type(x).__name__}.transformed": (x.transformed, {"X": X}) for x in quantities},
        **{f"{type(x).__name__}.transformed_back": (x.transformed_back, {"X": X}) for x in quantities},
        **{f"{type(x).__name__}.crossed_by": (x.crossed_by, {"v": v}) for x in quantities[:-1]},
        **{
            f"{type(x).__name__}.from_components": (type(x).from_components, {"c": x.components()})
            for x in (X, *inertias)
        },
        **{
            f"{kind.__name__}.from_components": (lambda v6, kind=kind: kind.from_components(v6), {"v6": np.zeros(6)})
            for kind in (Motion, Force)
        },
        **{
            f"{kind.__name__}.from_components": (
                lambda sixes, kind=kind: kind.from_components(sixes),
                {"sixes": [0] * 12},
            )
            for kind in (Motions, Forces)
        },
        **{
            f"{kind.__name__}.size": (kind.size, {"nv": 2})
            for kind in (*map(type, (*quantities, X, X.inv)), Vector, Matrix)
        },
        "Vector": (lambda iterable: Vector(iterable), {"iterable": three}),
        "Vector.zero": (Vector.zero, {"n": 2}),
        "Vector.from_components": (lambda entries: Vector.from_components(entries), {"entries": three}),
        "Vector.cross": (Vector(three).cross, {"other": Vector(three)}),
        "Matrix": (Matrix, {"rows": [three]}),
        "Matrix.zero": (lambda n, width: Matrix.zero(n, width), {"n": 2, "width": 3}),
        "Matrix.identity": (Matrix.identity, {"n": 2}),
        "Matrix.diagonal": (Matrix.diagonal, {"entries": three}),
        "Matrix.column": (two.column, {"k": 1}),
        "Matrix.from_components": (
            lambda entries, width: Matrix.from_components(entries, width),
            {"entries": (1.0, 2.0, 3.0, 4.0), "width": 2},
        ),
        "linear.cross": (lambda first, second: linear.cross(first, second), {"first": three, "second": three}),
        "linear.skew": (linear.skew, {"r": three}),
        "sound.axis_fault": (sound.axis_fault, {"axis": (0.0, 0.6, 0.8), "slack": 0.1}),
        "sound.transform_fault": (sound.transform_fault, {"X": np.eye(6), "slack": 0.1}),
        "spatial.rotation_fault": (spatial.rotation_fault, {"R": one, "slack": 0.1}),
        "spatial.pose_fault": (spatial.pose_fault, {"pose": np.eye(4), "slack": 0.1}),
        "spatial.rate_in_moving_frame": (
            spatial.rate_in_moving_frame,
            {"rate_of_coordinates": f, "v": v, "quantity": f},
        ),
        "spatial.symmetric_product": (spatial.symmetric_product, {"W": Forces([f]), "U": Forces([f])}),
        "Vector.from_array": (Vector.from_array, {"array": np.zeros(3)}),
        "Matrix.from_array": (Matrix.from_array, {"array": np.zeros((3, 3))}),
        "spatial.inverse": (spatial.inverse, {"A": Matrix.identity(2)}),
        "spatial.pivots": (spatial.pivots, {"A": Matrix.identity(2)}),
        "spatial.rate_of_transform": (spatial.rate_of_transform, {"X": X, "v": v}),
        "spatial.screw_of_force": (spatial.screw_of_force, {"f": f}),
        "spatial.screw_of_motion": (lambda m6: spatial.screw_of_motion(m6), {"m6": v}),
        **{
            f"table1.{name}": (getattr(table1, name), {"theta": 0.3})
            for name in ("rx", "ry", "rz", "rotx", "roty", "rotz")
        },
        **{f"table1.{name}": (getattr(table1, name), {"r": three}) for name in ("skew", "xlt")},
        **{
            f"table1.{name}": (lambda v6, name=name: getattr(table1, name)(v6), {"v6": np.zeros(6)})
            for name in ("crm", "crf")
        },
        "table1.mcI": (table1.mcI, {"m": 1.0, "c": three, "I_c": one}),
        "older_notation.force_vector": (spatial.older_notation.force_vector, {"f": f}),
        "older_notation.inertia_matrix": (lambda A: spatial.older_notation.inertia_matrix(A), {"A": I}),
        "older_notation.spatial_transpose": (
            lambda v6: spatial.older_notation.spatial_transpose(v6),
            {"v6": np.zeros(6)},
        ),
        "older_notation.spatial_cross": (
            lambda v6: spatial.older_notation.spatial_cross(v6, v6),
            {"v6": np.zeros(6)},
        ),
        "table1.XtoV": (lambda matrix: table1.XtoV(matrix), {"matrix": np.eye(6)}),
        "lie.quaternion_exp": (lie.quaternion_exp, {"phi": three}),
        "lie.quaternion_log": (lie.quaternion_log, {"q": (0, 0, 0, 1)}),
        "lie.quaternion_conjugate": (lie.quaternion_conjugate, {"q": (0, 0, 0, 1)}),
        "lie.quaternion_multiply": (lie.quaternion_multiply, {"a": (0, 0, 0, 1), "b": (0, 0, 0, 1)}),
        **{
            f"so3.{name}": (getattr(lie.so3, name), {"R" if name == "log" else "phi": one if name == "log" else three})
            for name in lie.so3.__all__
        },
        **{
            f"se3.{name}": (lambda m6, name=name: getattr(lie.se3, name)(m6), {"m6": v})
            for name in ("exp", "left_jacobian", "left_jacobian_inverse", "right_jacobian", "right_jacobian_inverse")
        },
        "se3.log": (lie.se3.log, {"X": X}),
        "se3.Ad": (lambda X, m6: lie.se3.Ad(X, m6), {"X": X, "m6": v}),
        "se3.Ad_dual": (lie.se3.Ad_dual, {"X": X, "f": f}),
        "se3.Ad_matrix": (lie.se3.Ad_matrix, {"X": X}),
        "se3.Ad_dual_matrix": (lie.se3.Ad_dual_matrix, {"X": X}),
        "se3.ad": (lie.se3.ad, {"x": v, "y": v}),
        "se3.ad_dual": (lie.se3.ad_dual, {"x": v, "f": f}),
        "se3.ad_matrix": (lie.se3.ad_matrix, {"x": v}),
        "se3.ad_dual_matrix": (lie.se3.ad_dual_matrix, {"x": v}),
        **{
            f"lie.{name}": (getattr(lie, name), chain) for name in ("poe_space", "poe_body", "body_jacobian_from_space")
        },
        "lie.poe_local": (lie.poe_local, homes),
        "lie.newton_euler": (
            lie.newton_euler,
            {"screws": [v, v], "homes": [X, X], "inertias": [I, I], **dict.fromkeys(("x", "dx", "ddx"), (0.1, 0.2))},
        ),
        **_lagrangian_calls(),
        "lie.body_screws": (lie.body_screws, {"screws": [v], "home": X}),
        "lie.space_screws": (lie.space_screws, {"screws": [v], "homes": [X]}),
        **{
            f"lie.{name}": (getattr(lie, name), {"screws": [v], "coordinates": [0.1]})
            for name in ("body_jacobian", "space_jacobian")
        },
    }
    KINDS["vector"] = set()
    KINDS["six"] = {"complexes"}  # complex numbers are numbers
    KINDS["any array"] = {"cube", "complexes", "empty"}
    KINDS["columns"] = {"empty"}
    yield from ((label, Call(call, arguments, _kinds(kinds, arguments))) for label, (call, arguments) in calls.items())
    own = {"axis": "direction", "pitch": "finite"}
    KINDS["direction"] = set()
    for name, kind in JOINTS.items():
        if kind.__module__.startswith("sixd."):
            wanted = inspect.signature(kind).parameters
            arguments = {p: {"axis": (0.0, 0.0, 1.0), "pitch": 0.1}[p] for p in wanted}
            yield f"joints.{name}", Call(kind, arguments, _kinds(own, arguments))


def _lagrangian_calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """The closed form of a chain."""
    chain, x = lagrangian.Chain.of(arm()), [0.1, 0.2]
    m6, on = Motion((1, 2, 3), (4, 5, 6)), {"chain": chain, "coordinates": x}
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "lagrangian.Chain": (
            lambda screws, homes, inertias, quantity: lagrangian.Chain(screws, homes, inertias, quantity),
            {"screws": chain.S, "homes": chain.M, "inertias": chain.J, "quantity": chain.g},
        ),
        "lagrangian.Chain.of": (lagrangian.Chain.of, {"model": arm()}),
    }
    for name in ("inertia_matrix", "christoffel", "potential_energy", "potential_forces", "pullback"):
        calls[f"lagrangian.{name}"] = (_with_x(getattr(lagrangian, name)), on)
    for name in ("SpaceFactors", "LinkFactors"):
        calls[f"lagrangian.{name}.of"] = (_with_x(getattr(lagrangian, name).of), on)
    for name in ("kinetic_energy", "coriolis_matrix"):
        calls[f"lagrangian.{name}"] = (_with_x(getattr(lagrangian, name)), on | {"dx": x})
    calls["lagrangian.inverse_dynamics"] = (_with_x(lagrangian.inverse_dynamics), on | {"dx": x, "ddx": x})
    symbol = on | {"i": 1, "j": 1, "link": 2}
    calls["lagrangian.christoffel_symbol"] = (
        lambda chain, i, j, link, coordinates: lagrangian.christoffel_symbol(chain, i, j, link, coordinates),
        symbol,
    )
    within = {"i": 1, "j": 2, "coordinates": x}
    calls["lagrangian.Chain.moved"] = (_with_x(chain.moved), within)
    calls["lagrangian.Chain.Ad_matrix"] = (_with_x(chain.Ad_matrix), within)
    calls["lagrangian.Chain.Ad"] = (lambda B, **given: _with_x(chain.Ad)(H=B, **given), within | {"B": m6})
    calls["lagrangian.Chain.derivative"] = (
        lambda link, **given: _with_x(chain.derivative)(k=link, **given),
        within | {"link": 1, "B": m6},
    )
    calls["lagrangian.Chain.second_derivative"] = (
        lambda link, **given: _with_x(chain.second_derivative)(k=link, **given),
        within | {"link": 1, "l": 2, "B": m6},
    )
    calls["lagrangian.Chain.frame"] = (_with_x(chain.frame), {"i": 1, "coordinates": x})
    calls["lagrangian.Chain.velocity"] = (_with_x(chain.velocity), {"i": 1, "coordinates": x, "dx": x})
    calls["lagrangian.Chain.inner"] = (lambda link, B: chain.inner(link, B, B), {"link": 1, "B": m6})
    calls["lagrangian.Chain.coordinates"] = (_with_x(chain.coordinates), {"coordinates": x})
    return calls


def _with_x(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose argument x is given as ``coordinates``."""
    return lambda coordinates, **given: function(x=coordinates, **given)


def _algorithm_calls() -> Iterator[tuple[str, Call]]:
    """Algorithms on a model: arrays of any number; bodies by number, frames by transform."""
    kinds = {
        Kind.POSITION: "numbers",
        Kind.VELOCITY: "numbers or none",
        Kind.BODY_FORCES: "thing or none",
        Kind.FRAME_FORCE: "six",
        Kind.TARGETS: "thing or none",
        Kind.BODY: "count",
        Kind.OPTION: "choice",
    }
    KINDS["numbers"], KINDS["numbers or none"] = set(), {"None"}
    KINDS["dofs"] = {"empty"}
    for name, function in ALGORITHMS.items():
        robot = arm().close(sixd.Prescribed("joint1")) if is_constrained(name) else arm()
        given = {k: np.zeros(shape) for k, shape in shapes(name, robot).items()} | fixed_for(name, robot)
        tried = {k: x for k, x in given.items() if function.arguments[k].kind in kinds}
        # A value that may be left out, or that only means yes or no, is right for most that is tried.
        arguments = {k: x for k, x in tried.items() if x is not None and not isinstance(x, bool)}
        own = {"model": "thing", **{k: kinds[function.arguments[k].kind] for k in arguments}}
        own |= {k: "dofs" for k in arguments if k in ("independent", "actuated")}
        call = Call(
            lambda model, function=function, **more: function(model, **more), {"model": robot, **arguments}, own
        )
        yield f"algorithms.{name}", call


def _historical_calls() -> Iterator[tuple[str, Call]]:
    """The formulations, on a chain of two links, and what counts their operations."""
    kinds = {
        "model": "thing",
        "q": "numbers",
        **dict.fromkeys(("qd", "qdd", "tau"), "numbers or none"),
        "body": "count",
    }
    kinds |= {"directions": "thing", "accelerations": "numbers", "iterations": "count or none"}
    up, extra = Forces([Force((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))]), {"body": 2, "iterations": 2, "accelerations": [0.1]}
    for name, formulation in historical.FORMULATIONS.items():
        spherical = formulation.takes is historical.Takes.SPHERICAL
        robot = historical.counted_robot(1 if spherical else 2, spherical=spherical)
        sizes, given = {"nq": robot.nq, "nv": robot.nv}, {"model": robot, **extra, "directions": up}
        for k, argument in formulation.function.arguments.items():
            if argument.shape is not None:
                given[k] = [0.1] * sizes[argument.shape[0]]
        used = {k: x for k, x in given.items() if k == "model" or k in formulation.function.arguments}
        call = Call(lambda model, f=formulation.function, **more: f(model, **more), used, _kinds(kinds, used))
        yield f"historical.{name}", call
    kinds |= {**dict.fromkeys(("function", "one", "other"), "thing"), **dict.fromkeys(("n", "most"), "count")}
    kinds |= {"geometry": "choice", **dict.fromkeys(("written", "spherical"), "flag")}
    rnea, about = algorithms.rnea, {"geometry": "dh", "written": True, "spherical": True}
    for name, given in {
        "counted_robot": {"n": 2, "geometry": "general", "spherical": True},
        "operation_counts": {"function": rnea, "n": 2, **about},
        "formula_of": {"function": rnea, **about},
        "crossover": {"one": rnea, "other": rnea, "geometry": "dh", "most": 5},
    }.items():
        yield f"historical.{name}", Call(getattr(historical, name), given, _kinds(kinds, given))


def _operator_calls() -> Iterator[tuple[str, Call]]:
    """All bodies at once: what users make, and the algorithms."""
    robot, I = gallery.seven_axis_arm(), Inertia.from_mass_com(1.0, (0.1, 0.2, 0.3), np.eye(3))
    S, m, f = Motions([Motion((0, 0, 1), (0, 0, 0))]), Motion((1, 2, 3), (4, 5, 6)), Force((1, 2, 3), (4, 5, 6))
    system, q = operators.System.of(robot, np.zeros(7)), np.zeros(7)
    links = [operators.RigidLink(Transform.identity())]
    calls: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, str]]] = {
        "System.of": (operators.System.of, {"model": robot, "q": q, "qd": q}, {"model": "thing", "q": "numbers"}),
        "System.joints": (system.joints, {"x": q}, {"x": "numbers"}),
        "Innovations.of": (operators.Innovations.of, {"system": system}, {"system": "thing"}),
        "Assembly.of": (operators.Assembly.of, {"model": robot, "loops": ()}, {"model": "thing", "loops": "columns"}),
        "MotionStack": (operators.MotionStack, {"values": [m]}, {"values": "columns"}),
        "ForceStack": (operators.ForceStack, {"values": [f]}, {"values": "columns"}),
        "JointStack": (operators.JointStack, {"values": [Vector((1.0,))]}, {"values": "columns"}),
        "Space": (
            operators.Space,
            {"kind": operators.MotionStack, "sizes": (6,)},
            {"kind": "thing", "sizes": "columns"},
        ),
        "BlockDiagonal": (operators.BlockDiagonal, {"blocks": [I]}, {"blocks": "thing"}),
        "Incidence": (operators.Incidence, {"parents": [0], "links": links}, {"parents": "thing", "links": "thing"}),
        "Identity": (operators.Identity, {"space": system.H.domain}, {"space": "thing"}),
        "InverseInertia": (
            operators.InverseInertia,
            {"per_mass": 1.0, "c": (0.1, 0.2, 0.3), "J": np.eye(3)},
            {"per_mass": "scalar", "c": "vector", "J": "vector"},
        ),
        "InverseInertia.of": (operators.InverseInertia.of, {"inertia": I}, {"inertia": "thing"}),
        "active_forces": (operators.active_forces, {"S": S}, {"S": "thing"}),
        "constraint_forces": (operators.constraint_forces, {"S": S}, {"S": "thing"}),
    }
    yield from ((f"operators.{name}", Call(*call)) for name, call in calls.items())
    for name in operators.__all__:
        function = getattr(operators, name)
        if isinstance(function, algorithms.Algorithm):
            wanted = function.arguments
            arrays = {k: np.zeros((7, 6) if k == "f_ext" else 7) for k in wanted if wanted[k].shape is not None}
            given = {"model": robot, **arrays} | ({"body": 2} if "body" in wanted else {})
            given |= {"loops": ()} if "loops" in wanted else {}
            kinds = {"model": "thing", "q": "numbers", "f_ext": "thing or none", "body": "count", "loops": "columns"}
            own = {k: kinds.get(k, "numbers or none") for k in given}
            yield (
                f"operators.{name}",
                Call(lambda model, function=function, **more: function(model, **more), given, own),
            )
    for name in parallel.__all__:
        made = getattr(parallel, name)
        given = {"robot": robot, "loops": (), "code": "numpy"}
        yield f"parallel.{name}", Call(made, given, {"robot": "thing", "loops": "columns", "code": "choice"})
        state = {"q": q, "qd": q, "tau": q, "f_ext": None}
        own = {"q": "array", "qd": "array", "tau": "array", "f_ext": "array or none"}
        yield f"{name}.__call__", Call(made(robot, code="numpy"), state, own)


CALLS: dict[str, Call] = {
    **dict(_robot_calls()),
    **dict(_closed_calls()),
    **dict(_builder_calls()),
    **dict(_flexible_calls()),
    **dict(_package_calls()),
    **dict(_gallery_calls()),
    **dict(_mechanism_calls()),
    **dict(_identification_calls()),
    **dict(_motion_calls()),
    **dict(_simulation_calls()),
    **dict(_view_calls()),
    **dict(_layout_calls()),
    **dict(_algebra_calls()),
    **dict(_algorithm_calls()),
    **dict(_historical_calls()),
    **dict(_operator_calls()),
}
