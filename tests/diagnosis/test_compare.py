"""Why two robots differ: every parameter is found, with the effect of replacing it; together they explain all."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd import Distance, Loop, SixdError, gallery, mechanisms
from sixd.cli.main import main
from sixd.diagnosis.compare import compare
from sixd.joints import Planar, Prismatic, Revolute
from sixd.spatial import Transform
from tests.laws.trees import coupled


@pytest.fixture(scope="module")
def arm():
    return gallery.seven_axis_arm()


def with_body(robot, i, **values):
    bodies = list(robot.body_list)
    bodies[i] = replace(bodies[i], **values)
    return replace(robot, body_list=tuple(bodies))


def with_joint(robot, i, **values):
    return with_body(robot, i, joint=replace(robot.body_list[i].joint, **values))


def moved(robot, i):
    X = robot.body_list[i].placement
    return with_body(robot, i, placement=Transform(X.E, X.r + Transform.translation((0.0, 0.01, 0.02)).r))


def turned(robot, i):
    X = robot.body_list[i].placement
    return with_body(robot, i, placement=Transform(Transform.rotation((1.0, 0.0, 0.0), 0.01).E @ X.E, X.r))


#: Of each parameter: a change of body 3 of a robot, and whether H and tau change with it.
CHANGES = {
    "mass, kg": (lambda r: r.with_inertia(r.bodies[3].name, mass=r.bodies[3].inertia.m + 0.3), True, True),
    "centre of mass, m": (lambda r: r.with_inertia(r.bodies[3].name, com=(0.01, 0.02, 0.03)), True, True),
    "inertia xx xy xz yy yz zz, kg m^2": (lambda r: r.with_inertia(r.bodies[3].name, (0.1, 0.1, 0.1)), True, True),
    "position, m": (lambda r: moved(r, 3), True, True),
    "rpy, degrees": (lambda r: turned(r, 3), True, True),
    "axis": (lambda r: with_joint(r, 3, type=Revolute((0.1, 0.0, 1.0))), True, True),
    "joint type": (lambda r: with_joint(r, 3, type=Prismatic((0.0, 0.0, 1.0))), True, True),
    "rotor inertia, kg m^2": (lambda r: with_joint(r, 3, rotor_inertia=(0.2,)), True, True),
    "limits": (lambda r: with_joint(r, 3, lower=(-0.5,)), False, False),
    "speed limit": (lambda r: with_joint(r, 3, velocity=(9.0,)), False, False),
    "force limit": (lambda r: with_joint(r, 3, effort=(9.0,)), False, False),
    "damping": (lambda r: with_joint(r, 3, damping=(0.7,)), False, False),
    "friction": (lambda r: with_joint(r, 3, friction=(0.7,)), False, False),
    "stiffness": (lambda r: with_joint(r, 3, stiffness=(0.7,)), False, False),
    "rest position": (lambda r: with_joint(r, 3, rest=(0.7,)), False, False),
    "gravity": (lambda r: r.with_gravity((0.0, 1.0, -9.0)), False, True),
    "xyz, m, and rpy, degrees": (
        lambda r: without_tool(r).with_frame("tool", r.bodies[7].name, xyz=(0, 0, 9)),
        False,
        False,
    ),
}


def without_tool(robot):
    return replace(robot, frame_list=tuple(frame for frame in robot.frame_list if frame.name != "tool"))


@pytest.mark.parametrize("parameter", CHANGES)
def test_every_parameter_is_found(arm, parameter):
    change, on_mass_matrix, on_torque = CHANGES[parameter]
    found = compare(arm, change(arm))
    assert [d.parameter for d in found.differences] == [parameter]
    (difference,) = found.differences
    assert difference.first != difference.second
    np.testing.assert_allclose(
        [difference.mass_matrix, difference.torque], [found.mass_matrix, found.torque], atol=1e-15
    )
    assert (difference.mass_matrix > 1e-6, difference.torque > 1e-6) == (on_mass_matrix, on_torque)
    assert max(found.remaining) < 1e-13
    assert parameter in str(found)


def test_the_effect_is_that_of_the_states(arm):
    """A mass that is doubled everywhere, inertias too, doubles H and tau."""
    twice = arm.with_inertial_parameters(2.0 * arm.inertial_parameters)
    found = compare(without_rotors(arm), without_rotors(twice))
    np.testing.assert_allclose([found.mass_matrix, found.torque], 1.0, rtol=1e-12)
    assert {d.parameter for d in found.differences} == {"mass, kg", "inertia xx xy xz yy yz zz, kg m^2"}


def without_rotors(robot):
    for i in range(1, robot.n_bodies + 1):
        robot = with_joint(robot, i, rotor_inertia=(0.0,) * robot.body_list[i].joint.type.nv)
    return robot


def test_the_largest_comes_first(arm):
    b = arm.with_inertia(arm.bodies[6].name, mass=arm.bodies[6].inertia.m + 2.0)
    b = with_joint(b.with_inertia(b.bodies[2].name, mass=b.bodies[2].inertia.m + 0.001), 4, effort=(1.0,))
    found = compare(arm, b)
    assert [d.subject.split("'")[1] for d in found.differences[:2]] == [arm.bodies[6].name, arm.bodies[2].name]
    sizes = [d.size for d in found.differences]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0.0
    text = str(found)
    assert text.index("mass, kg") < text.index("without effect on H and tau:") < text.index("force limit")


@pytest.mark.parametrize("seed", range(3))
def test_all_differences_together_explain_everything(seed):
    """Masses, inertias and placements of all bodies of a robot with a free base."""
    a = gallery.quadruped()
    rng = np.random.default_rng(seed)
    scale = np.repeat(1.0 + 0.1 * rng.random(a.n_bodies), 10)
    b = a.with_inertial_parameters(a.inertial_parameters * scale)
    for i in range(1, a.n_bodies + 1):
        b = turned(moved(b, i), i) if i % 2 else moved(b, i)
    found = compare(a, b)
    assert len(found.differences) > 3 * a.n_bodies
    assert min(found.mass_matrix, found.torque) > 1e-3
    assert max(found.remaining) < 1e-12


def test_a_robot_is_the_same_as_itself(arm):
    for robot in (arm, gallery.quadruped(), coupled(), sixd.load("<robot name='r'><link name='a'/></robot>")):
        found = compare(robot, robot)
        assert found.same
        assert "are the same" in str(found)
    assert compare(arm, arm.with_name("other")).same


def branches(*names):
    builder = sixd.Builder("tree")
    for name in names:
        place = float(len(name))
        builder = builder.body(
            name, joint=Revolute("y"), xyz=(place, 0, 0), mass=place, com=(0, 0, 0.3), joint_name=f"j_{name}"
        )
    return builder.build()


def test_the_order_of_joints_does_not_matter():
    assert compare(branches("a", "bb", "ccc"), branches("ccc", "a", "bb")).same


def test_joints_that_only_one_has():
    found = compare(branches("a", "bb"), branches("a", "ccc"))
    assert "only the first has a moving joint: j_bb; locked here" in found.structure
    assert "only the second has a moving joint: j_ccc; locked here" in found.structure
    assert "only the first has a frame: bb" in found.structure
    assert (found.mass_matrix, found.torque) == (0.0, 0.0)  # what is locked sits on the base
    assert not found.same
    found = compare(branches("a"), branches("bb"))
    assert found.structure[-1] == "there is no joint that both have"
    assert "random states" not in str(found)


def test_joints_with_other_numbers_of_coordinates(arm):
    found = compare(branches("a", "bb"), with_joint_type(branches("a", "bb"), 2, Planar()))
    assert any("'j_bb' is Revolute('y') in the first, Planar" in line for line in found.structure)


def with_joint_type(robot, i, kind):
    joint = robot.body_list[i].joint
    return with_body(robot, i, joint=type(joint)(joint.name, kind))


def test_mimic_joints_that_differ():
    robot = coupled()
    free = replace(
        robot, body_list=tuple(replace(b, joint=b.joint and replace(b.joint, mimic=None)) for b in robot.body_list)
    )
    found = compare(robot, free)
    assert found.structure[0].startswith("mimic joints differ (")
    assert (found.mass_matrix, found.torque) == (0.0, 0.0)


def test_another_parent():
    a = sixd.Builder("r").body("a", joint=Revolute("y"), mass=1.0, com=(0, 0, 0.2), joint_name="j")
    chain = a.body("b", parent="a", joint=Revolute("x"), mass=1.0, com=(0, 0, 0.2), joint_name="k").build()
    a = sixd.Builder("r").body("a", joint=Revolute("y"), mass=1.0, com=(0, 0, 0.2), joint_name="j")
    tree = a.body("b", joint=Revolute("x"), mass=1.0, com=(0, 0, 0.2), joint_name="k").build()
    found = compare(chain, tree)
    assert [d.parameter for d in found.differences] == ["parent"]
    assert found.mass_matrix > 0.01
    assert max(found.remaining) < 1e-15


def test_a_parent_that_comes_later_cannot_be_replaced_alone():
    a = sixd.Builder("r").body("a", joint=Revolute("y"), mass=1.0, com=(0, 0, 0.2), joint_name="j")
    one = a.body("b", parent="a", joint=Revolute("x"), mass=1.0, com=(0, 0, 0.2), joint_name="k").build()
    b = sixd.Builder("r").body("b", joint=Revolute("x"), mass=1.0, com=(0, 0, 0.2), joint_name="k")
    two = b.body("a", parent="b", joint=Revolute("y"), mass=1.0, com=(0, 0, 0.2), joint_name="j").build()
    found = compare(one, two)
    assert np.isnan(found.differences[0].torque)
    assert "still differ by" in str(found)
    assert "?" in str(found)


def test_bodies_without_mass():
    heavy = branches("a", "bb")
    light = with_body(heavy, 2, inertia=sixd.Inertia.zero())
    found = compare(heavy, light)
    assert [d.parameter for d in found.differences] == ["mass, first moment, inertia"]
    assert max(found.remaining) == 0.0


def test_values_that_differ_little_are_told_apart(arm):
    found = compare(arm, arm.with_inertia(arm.bodies[3].name, mass=arm.bodies[3].inertia.m * (1.0 + 1e-8)))
    assert all(d.first != d.second for d in found.differences)
    assert compare(arm, arm.with_inertia(arm.bodies[3].name, mass=arm.bodies[3].inertia.m * (1.0 + 1e-12))).same


def test_states(arm):
    with pytest.raises(SixdError, match="states must be a whole number of at least 1"):
        compare(arm, arm, states=0)
    assert compare(arm, CHANGES["mass, kg"][0](arm), states=1).mass_matrix > 0.0


# ---- the command


def test_the_command(capsys, tmp_path, request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)
    one, two = "examples/two_link.urdf", tmp_path / "two.urdf"
    text = Path(one).read_text()
    two.write_text(text.replace('value="2.0"', 'value="2.5"').replace('upper="2.8"', 'upper="2.7"'))
    assert main(["compare", one, one]) == 0
    assert capsys.readouterr().out.startswith(f"{one} and {one} are the same")
    assert main(["compare", one, str(two)]) == 1
    out = capsys.readouterr().out
    assert "body 'upper': mass, kg: 2 -> 2.5" in out
    assert "joint 'elbow': limits: (-2.8, 2.8) -> (-2.8, 2.7)" in out
    assert main(["compare", one, str(two), "--json", "--states", "5"]) == 1
    assert '"parameter": "mass, kg"' in capsys.readouterr().out
    assert main(["compare", one, "nowhere.urdf"]) == 2


def test_long_lists_are_cut(capsys, arm):
    b = arm
    for i in range(1, 8):
        b = with_joint(b, i, effort=(1.0,), velocity=(1.0,), damping=(9.0,))
    found = compare(arm, b)
    assert len(found.differences) == 21
    assert "... and 6 more" in str(found)
    assert "more" not in found.text(None)


def test_constraints_are_compared():
    """They were passed over: a mechanism and its open tree were called the same."""
    bar = mechanisms.four_bar().robot
    assert compare(bar, mechanisms.four_bar().robot).same
    found = compare(bar, bar.tree)
    assert found.structure == (
        "only the first has a constraint: pin",
        "H and tau are those of the open trees, without the constraints",
    )
    ball = bar.tree.close(Loop("rocker end", "coupler end", "point", name="pin"))
    assert (
        "constraint 'pin' is Revolute('y'): rocker end, coupler end, 5 rows in the first" in compare(bar, ball).text()
    )
    rods = [bar.tree.close(Distance("rocker end", "coupler end", length, name="rod")) for length in (1.0, 2.0)]
    assert compare(*rods).structure[0] == "constraint 'rod' has other numbers"
