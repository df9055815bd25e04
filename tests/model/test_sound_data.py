"""Numbers and names of models that are none are refused when they are given; impossible inertias are warned of."""

from __future__ import annotations

import warnings
from math import inf, nan

import pytest

import sixd
from sixd import Builder, Mimic, ModelError, ModelWarning, gallery
from sixd.joints import JOINTS, Helical, Revolute, Universal
from sixd.model import Body, Frame, JointData, Visual
from sixd.model.parts import DATA_SHEET, LIMITS
from sixd.spatial import Inertia, Matrix, Transform, Vector
from tests.formats.urdf_text import broken


@pytest.mark.parametrize("item", DATA_SHEET)
@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_only_limits_may_be_infinite(item: str, value: float) -> None:
    if item in LIMITS and value == value:
        data = JointData("j", Revolute(), **{item: (value,)})
        assert getattr(data, item) == (value,)
        return
    for make in (
        lambda: JointData("j", Revolute(), **{item: (value,)}),
        lambda: JointData("j", Universal(), **{item: (0.0, value)}),
        lambda: Builder().body("a", joint=Revolute(), joint_name="j", **{item: value}),
    ):
        with pytest.raises(ModelError, match=f"joint 'j': {item} (must be finite|is not a number)"):
            make()


@pytest.mark.parametrize("value", [inf, -inf, nan, "2", None, (1.0,)])
@pytest.mark.parametrize("item", ["ratio", "offset"])
def test_couplings_are_finite_numbers(item: str, value: object) -> None:
    with pytest.raises(ModelError, match=f"the {item} of a Mimic of 'j' must be a number|joint 'k': the {item} of its"):
        JointData("k", Revolute(), mimic=Mimic("j", **{item: value}))


@pytest.mark.parametrize("kind", sorted(JOINTS))
def test_parameters_of_joints_are_finite(kind: str) -> None:
    for joint in JOINTS[kind].examples():
        for k in range(len(joint.parameters)):
            for bad in (nan, inf):
                numbers = (*joint.parameters[:k], bad, *joint.parameters[k + 1 :])
                with pytest.raises(ModelError, match="joint 'j': the parameters of its type are not finite"):
                    JointData("j", type(joint).from_parameters(numbers))


@pytest.mark.parametrize("axis", [(nan, 0, 1), (inf, 0, 0), (0, 0, 0), (1, 0), (1, 2, 3, 4), "w", "", None, 5, ("a",)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "cylindrical", "planar"])
def test_axes_have_a_direction(kind: str, axis: object) -> None:
    with pytest.raises(ModelError, match=f"the axis of a {kind} joint"):
        JOINTS[kind](axis)


@pytest.mark.parametrize("pitch", [nan, inf, "0.1", None, (1.0,), 1j])
def test_pitches_are_finite_numbers(pitch: object) -> None:
    with pytest.raises(ModelError, match="the pitch of a helical joint"):
        Helical("z", pitch)


@pytest.mark.parametrize("name", ["", None, 3, b"a", ("a",), ["a"]])
def test_names_are_text(name: object) -> None:
    robot = gallery.pendulum()
    for make in (
        lambda: Body(name, -1),
        lambda: Frame(name, 0),
        lambda: JointData(name, Revolute()),
        lambda: Mimic(name),
        lambda: Visual(name, "box"),
        lambda: Builder().link(name),
        lambda: Builder().joint(name, "a", "b", None),
        lambda: Builder().joint("j", name, "b", None),
        lambda: Builder().joint("j", "a", name, None),
        lambda: Builder().body(name),
        lambda: Builder().body("a", parent=name),
        lambda: Builder().frame(name, on="a"),
        lambda: Builder().frame("f", on=name),
        lambda: robot.with_frame(name, "tip"),
    ):
        with pytest.raises(ModelError, match=r"name|frame|joint|parent|on"):
            make()
    if name:
        with pytest.raises(ModelError, match="name"):
            robot.with_name(name)


def test_shapes_are_checked() -> None:
    far = Transform.translation((nan, 0.0, 0.0))
    for options in (
        {"shape": "torus"},
        {"size": (nan,)},
        {"size": "abc"},
        {"color": (1.0, 0.0, 0.0)},
        {"color": (1.0, 0.0, 0.0, inf)},
        {"color": "red"},
        {"offset": far},
        {"mesh": 3},
        {"material": 3},
        {"collision": "yes"},
    ):
        with pytest.raises(ModelError, match="a shape of 'a'"):
            Visual(**{"frame": "a", "shape": "box", **options})


IMPOSSIBLE = {"mass": 1.0, "inertia": (1, 1, 3)}
MOMENTS = "principal moments 1, 1, 3 kg m^2, the largest above the sum of the others"
TEXT = f"no body has this inertia: {MOMENTS}; it is used as written"


def test_the_builder_warns_of_impossible_inertias_as_the_reader_does() -> None:
    with pytest.warns(ModelWarning) as seen:
        robot = Builder().body("a", joint=Revolute(), **IMPOSSIBLE).body("b", parent="a", **IMPOSSIBLE).build()
    assert [str(w.message) for w in seen] == [f"link 'a': {TEXT} (and 1 more, see robot.warnings)"]
    assert seen[0].filename == __file__
    assert [w.message for w in robot.warnings] == [f"link 'a': {TEXT}", f"link 'b': {TEXT}"]
    with pytest.warns(ModelWarning) as seen:
        read = sixd.load(broken('ixx="1"', 'ixx="3"'))
    assert [w.message for w in read.warnings] == [f"link 'a': {TEXT}"]
    assert seen[0].filename == __file__
    with pytest.warns(ModelWarning, match="link 'a': no body has"):
        sixd.model.ModelBuilder().body("a", joint=Revolute(), **IMPOSSIBLE).build()


def test_every_way_to_give_an_impossible_inertia_is_warned_of() -> None:
    about_origin = Inertia.from_mass_com(1.0, Vector((3.0, 2.0, 1.0)), Matrix.diagonal((1.0, 1.0, 3.0)))
    for options in (
        {"mass": 1.0, "inertia": (1, 1, 3)},
        {"mass": 1.0, "com": (300, 0, 0), "inertia": (1, 0, 0, 1, 0, 3)},
        {"mass": 1.0, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 3]]},
        {"mass": 1.0, "inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
        {"mass": 0.0, "inertia": (1, 1, 1)},
        {"inertia": about_origin},
    ):
        assert len(Builder().link("a", **options).assemble().warnings) == 1
    for options in ({"mass": 1.0}, {"mass": 1.0, "com": (300, 200, 100)}, {"mass": 1.0, "inertia": (1, 2, 3)}, {}):
        assert Builder().link("a", **options).assemble().warnings == ()


def test_a_link_that_fails_is_not_warned_of() -> None:
    b = Builder().link("base")
    with pytest.raises(ModelError):
        b.body("a", parent="base", joint="x", **IMPOSSIBLE)
    assert b.warnings == []


def test_check_tells_what_the_builder_warned_of_once() -> None:
    b = Builder().body("a", joint=Revolute(), mass=1.0, inertia=(1, 1, 1)).body("welded", parent="a", **IMPOSSIBLE)
    b.body("c", parent="a", joint=Revolute(), **IMPOSSIBLE)
    found = [(f.code, f.subject) for f in b.assemble().check(states=1).findings]
    assert ("impossible-inertia", "body 'c'") in found  # its own finding, with a remedy
    told = [f.message for f in b.assemble().check(states=1).findings]
    # And the link that is hidden in a sound body.
    assert len([text for text in told if "no body has" in text or "no real body has" in text]) == 2


def test_joined_robots_keep_their_warnings() -> None:
    odd = Builder("odd").link("z", **IMPOSSIBLE).assemble()
    assert gallery.pendulum().join(odd, "tip").warnings == odd.warnings


def test_robots_of_the_gallery_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robots = [getattr(gallery, name)() for name in ("pendulum", "puma560", "seven_axis_arm", "quadruped")]
    assert [len(robot.warnings) for robot in robots] == [0, 2, 0, 0]
