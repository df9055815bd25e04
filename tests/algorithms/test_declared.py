"""What an algorithm declares: its arguments, its result, whether its loops can be kept; and who goes by it."""

import copy
import inspect
import pickle
import pydoc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.algorithms import ALGORITHMS, Algorithm
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import (
    NAMES,
    BodyNumber,
    Kind,
    Meaning,
    Number,
    Option,
    Position,
    Velocity,
    offset_on,
    read,
    resolved,
)
from sixd.compiler.request import Request
from sixd.compiler.rolled import RollError
from sixd.model.tree import Output, Slots
from sixd.spatial import Force, Motion, Transform
from tests.algorithms.calls import compile_algorithm, fixed_for, record, robot_for, state

if TYPE_CHECKING:
    from somewhere import Unknown


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))


def test_every_algorithm_is_in_the_registry_under_its_name():
    modules = [module for name, module in sys.modules.items() if name.startswith("sixd.algorithms.")]
    defined = {x for module in modules for x in vars(module).values() if isinstance(x, Algorithm)}
    assert len(modules) > 10
    assert set(ALGORITHMS.values()) == defined
    assert all(getattr(algorithms, name) is x and x.__name__ == name for name, x in ALGORITHMS.items())


def test_algorithms_of_ones_own_are_not_in_it():
    @algorithm
    def another(tree, q):
        return q[1]

    assert another not in ALGORITHMS.values()
    assert "another" not in ALGORITHMS


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_sixds_own_say_what_their_arguments_are(name):
    """By annotation: none of them goes by the name of an argument."""
    for argument in list(resolved(ALGORITHMS[name]).parameters.values())[1:]:
        assert argument.annotation is not inspect.Parameter.empty
        if argument.name in NAMES:
            parts = (argument.annotation, *getattr(argument.annotation, "__args__", ()))
            said = [x for part in parts for x in getattr(part, "__metadata__", ()) if isinstance(x, Meaning)]
            assert said == [NAMES[argument.name]]


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_what_is_declared_of_results_is_true(name):
    """Against what the recorded program returns."""
    model, declared = robot_for(name), ALGORITHMS[name].result
    outputs = record(name, model, ALGORITHMS[name]).outputs
    assert ALGORITHMS[name].ranks == tuple(len(port.shape) for port in outputs)
    assert [part.name for part in declared.parts] == [port.name for port in outputs]
    assert declared.several == isinstance(ALGORITHMS[name].rank, tuple)
    sizes = {"joint": {model.nv, model.nq}, "body": {model.n_bodies + 1}, "parameter": {10 * model.n_bodies}}
    sizes |= {"row": {model.n_rows}}
    for part, port in zip(declared.parts, outputs, strict=True):
        if part.by is not None:
            assert sizes[part.by] & set(port.shape)


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_typed_results_are_of_the_type_that_is_declared(name):
    model = robot_for(name)
    result, declared = ALGORITHMS[name](model, **state(name, model), **fixed_for(name, model)), ALGORITHMS[name].result
    for part, value in zip(declared.parts, result if declared.several else (result,), strict=True):
        if part.type in (Motion, Force, Transform):
            assert isinstance(value, part.type)


def test_kinds_of_arguments():
    kinds = {name: argument.kind for name, argument in algorithms.grasp_constraint.arguments.items()}
    assert kinds == {
        "q": Kind.POSITION,
        "qd": Kind.VELOCITY,
        "left": Kind.BODY,
        "right": Kind.BODY,
        "left_offset": Kind.OFFSET,
        "right_offset": Kind.OFFSET,
    }
    assert algorithms.grasp_constraint.declaration.offset_of("right") == "right_offset"
    assert algorithms.body_motion.declaration.offset_of("to") is None
    assert not algorithms.body_motion.arguments["to"].required
    assert algorithms.frame_forces.arguments["force"].shape == (6,)
    assert algorithms.velocity.arguments["expressed_in"].kind is Kind.OPTION


def test_names_are_for_functions_without_annotations():
    def plain(model, q, tau, f_ext, to, offset, left_offset, times):
        return q

    found = {name: argument.kind for name, argument in read(plain).arguments.items()}
    assert list(found.values()) == [
        Kind.POSITION,
        Kind.VELOCITY,
        Kind.BODY_FORCES,
        Kind.BODY,
        Kind.OFFSET,
        Kind.OFFSET,
        Kind.OPTION,
    ]
    assert read(plain).result is None


def test_annotations_that_are_not_sixds_leave_it_to_the_name():
    def annotated(tree: "Unknown", q: "Sequence[Unknown]", qd: "np.ndarray", to: "Option[str]", n: int) -> "Unknown":
        return q

    found = {name: argument.kind for name, argument in read(annotated).arguments.items()}
    assert found == {"q": Kind.POSITION, "qd": Kind.VELOCITY, "to": Kind.OPTION, "n": Kind.OPTION}
    assert read(annotated).result is None
    with pytest.raises(sixd.ArgumentError, match="annotated does not say what it returns"):
        _ = algorithm(annotated).rank


@algorithm
def tip_speed(
    tree,
    where: Position,
    rate: Velocity,
    link: BodyNumber,
    place: Annotated[Transform | None, offset_on("link")] = None,
) -> Motion:
    """All arguments have names of their own."""
    return algorithms.velocity(tree, where, rate, link, place, "world")


@pytest.mark.parametrize("rolled", [True, False])
def test_names_do_not_matter_where_annotations_say_it(rolled):
    arm = gallery.seven_axis_arm()
    frame = arm.frame("tool")
    q, qd = arm.random(0, 4), np.random.default_rng(0).normal(size=(4, 7))
    kernel = sixd.compile(tip_speed, arm, rolled=rolled, link=frame.body, place=frame.offset)
    assert [port.name for port in kernel.inputs] == ["where", "rate"]
    np.testing.assert_allclose(kernel(q, qd), arm.velocity(q, qd, "tool", "world"), rtol=1e-12, atol=1e-12)
    slope = sixd.compile(sixd.jacobian(tip_speed, "rate"), arm, link=frame.body, place=frame.offset)
    np.testing.assert_allclose(slope(q, qd), arm.jacobian(q, "tool", "world"), rtol=1e-12, atol=1e-12)
    with pytest.raises(sixd.ModelError, match="link must be the number of a body, not"):
        sixd.compile(tip_speed, arm, rolled=rolled, link=1.5)
    with pytest.raises(sixd.NameNotFoundError, match="did you mean 'link7'"):
        sixd.compile(tip_speed, arm, rolled=rolled, link="link77")
    with pytest.raises(sixd.SixdError, match="the argument place takes a Transform"):
        sixd.compile(tip_speed, arm, rolled=rolled, link=7, place=np.eye(4))


@algorithm
def repeated(tree, q: Position, times: int = 1) -> Number:
    total = tree.cell(0.0)
    for i, _ in tree.outward():
        for _ in range(times):
            total.now = total.now + q[i][0]
    return total.now


@pytest.mark.parametrize("rolled", [True, False])
@pytest.mark.parametrize("times", [3, 30])
def test_a_whole_number_is_no_body_unless_it_is_declared_one(rolled, times):
    """Also one that is larger than the number of bodies."""
    arm, q = gallery.seven_axis_arm(), np.arange(1.0, 8.0)
    kernel = sixd.compile(repeated, arm, rolled=rolled, times=times)
    assert kernel(q) == times * q.sum()
    assert Request(repeated, arm, {}, {"times": times}).bodies == {}


@pytest.mark.parametrize(
    "use",
    [
        lambda tree, tip, q: [i for i, _ in tree.path(tip)],
        lambda tree, tip, q: [i for i, _ in tree.ancestors(tip)],
        lambda tree, tip, q: [i for i, _ in tree.outward(to=tip)],
        lambda tree, tip, q: tree.joint(tip),
        lambda tree, tip, q: tree.placement(tip),
        lambda tree, tip, q: tree.inertia(tip),
        lambda tree, tip, q: q[tip],
        lambda tree, tip, q: tree.slots(float)[tip],
    ],
)
def test_a_body_that_is_not_declared_one_is_refused_with_the_remedy(use):
    @algorithm
    def walks(tree, q, tip):
        return use(tree, tip, q)

    with pytest.raises(RollError, match=r"by the number 3, while loops.*declared as one, `tip: BodyNumber`"):
        sixd.compile(walks, gallery.seven_axis_arm(), rolled=True, tip=3)


def test_bodies_share_code_and_options_do_not():
    arm = gallery.seven_axis_arm()
    modules = [sixd.compile(algorithms.pose, arm, rolled=True, body=body).code.module for body in (3, 5)]
    assert modules[0] is modules[1]
    kernels = [sixd.compile(repeated, arm, rolled=True, times=times) for times in (1, 2)]
    assert kernels[0].code.module is not kernels[1].code.module


def test_a_force_on_a_frame_has_its_shape_by_declaration():
    arm = gallery.seven_axis_arm()
    q, force = arm.random(0, 3), np.random.default_rng(0).normal(size=(3, 6))
    expected = np.einsum("nij,ni->nj", arm.jacobian(q, "link7"), force)
    for rolled in (True, False):
        kernel = sixd.compile(algorithms.frame_forces, arm, rolled=rolled, body=7)
        np.testing.assert_allclose(kernel(q, force), expected, rtol=1e-12, atol=1e-12)
        constant = sixd.compile(
            algorithms.frame_forces, arm, rolled=rolled, body=7, force=Force.from_components(force[0].tolist())
        )
        np.testing.assert_allclose(constant(q[0]), expected[0], rtol=1e-12, atol=1e-12)
    with pytest.raises(sixd.ShapeError, match=r"force has shape \(6,\) for this model, not \(3,\)"):
        sixd.compile(algorithms.frame_forces, arm, body=7, shapes={"force": (3,)})


def test_algorithms_are_pickled_and_copied_by_name():
    for found in (pickle.loads(pickle.dumps(algorithms.rnea)), copy.copy(algorithms.rnea), copy.deepcopy(tip_speed)):
        assert found in (algorithms.rnea, tip_speed)
    here = algorithm(lambda tree, q: q[1])
    assert copy.copy(here).body is here.body
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(here)


def test_algorithms_show_what_they_are():
    assert repr(algorithms.rnea) == "<algorithm rnea(model, q, qd, qdd, f_ext=None)>"
    text = pydoc.plain(pydoc.render_doc(algorithms.rnea))
    assert "rnea(model, q, qd, qdd, f_ext=None)" in text
    assert "recursive Newton-Euler algorithm" in text
    assert list(inspect.signature(algorithms.rnea).parameters)[1:] == list(algorithms.rnea.arguments)


@pytest.mark.parametrize("mimic", [True, False])
def test_steps_and_differences_undo_each_other(mimic):
    """Also where joints mimic others, which have no coordinates of their own."""
    from tests.laws.trees import coupled

    robot = coupled(mimic)
    q, dv = robot.random(0, 5), 0.3 * np.random.default_rng(1).normal(size=(5, robot.nv))
    reached = algorithms.integrate(robot, q, dv)
    np.testing.assert_allclose(algorithms.difference(robot, q, reached), dv, rtol=1e-12, atol=1e-12)
    for name, arguments, expected in (("integrate", (q, dv), reached), ("difference", (q, reached), dv)):
        for rolled in (True, False) if not mimic else (False,):
            kernel = compile_algorithm(name, robot, rolled=rolled)
            np.testing.assert_allclose(kernel(*arguments), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rolled", ["never", None, 2])
def test_what_cannot_be_declared_is_refused(rolled):
    with pytest.raises(sixd.ChoiceError, match="rolled must be True, False or 'uncoupled', not"):
        algorithm(rolled=rolled)(lambda tree, q: q[1])
    with pytest.raises(sixd.ArgumentError, match="body"):
        algorithm("rnea")


def test_an_annotation_of_a_tuple():
    def both(tree, q: Position) -> tuple[Output, Slots[Motion]]:
        raise NotImplementedError

    assert [(part.name, part.rank, part.by) for part in read(both).result.parts] == [
        ("out0", 1, "joint"),
        ("out1", 2, "body"),
    ]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Positon", "Position of sixd declares a meaning: misspelt"),
        ("sixd.algorithms.declared.BodyNumbr", "BodyNumber of sixd declares a meaning: misspelt"),
        ("JointForces", "JointForces of sixd declares a meaning: import it where Python sees it"),
        ("Position[int]", r"the annotation .* cannot be evaluated \(.*\), so Position declares nothing there"),
        ("Slots[Motion][int]", r"cannot be evaluated \(.*\), so Slots declares nothing"),
        ("the angle", r"the annotation 'the angle' is no expression of Python \(invalid syntax\): give a type"),
        ("Position[", r"the annotation 'Position\[' is no expression of Python"),
    ],
)
def test_mistakes_in_annotations_are_refused(annotation, message):
    def own(tree, q, x): ...

    own.__annotations__ = {"x": annotation}
    with pytest.raises(sixd.ChoiceError, match=message):
        algorithm(own)


@pytest.mark.parametrize("annotation", ["int[str]", "Nobody", "sixd.Nobody", "float | 'Nobody'"])
def test_annotations_that_only_type_checkers_understand_say_nothing(annotation):
    def own(tree, q, x): ...

    own.__annotations__ = {"q": annotation, "x": annotation, "return": annotation}
    found = read(own)
    assert [argument.kind for argument in found.arguments.values()] == [Kind.POSITION, Kind.OPTION]
    assert found.result is None


def test_poses_of_chosen_frames():
    robot = robot_for("frame_poses")
    q, offset = robot.random(0, 3), Transform.translation((0.1, 0.2, 0.3))
    X = algorithms.frame_poses(robot, q, [(2, offset), (0, Transform.identity())])
    np.testing.assert_allclose(X[0].pose(), algorithms.pose(robot, q, 2, offset).pose(), atol=1e-15)
    assert (X[1].pose() == np.eye(4)).all()


@pytest.mark.parametrize("frames", [[], "hand", [(1,)], [(9, Transform.identity())], [(1, np.eye(4))], 3])
def test_frames_that_are_none_are_refused(frames):
    robot = robot_for("frame_poses")
    with pytest.raises(sixd.SixdError, match="frames"):
        algorithms.frame_poses(robot, robot.neutral(), frames)
