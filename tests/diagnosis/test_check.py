"""The linter and the self-audit."""

import time
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd import Builder, Distance, Mimic, gallery
from sixd.cli.main import main
from sixd.joints import Revolute
from sixd.model.plausible import impossible
from sixd.spatial import Forces, Matrix
from sixd.testing import check_model
from tests.formats import urdf_text
from tests.formats.urdf_text import joint, link

URDF = Path(__file__).parents[2] / "examples" / "two_link.urdf"

CLEAN = ["pendulum", "double_pendulum", "jumping_lamp", "seven_axis_arm", "quadruped"]


@pytest.mark.parametrize("name", CLEAN)
def test_a_sound_robot_has_no_findings(name):
    report = getattr(gallery, name)().check()
    assert report.ok
    assert [f for f in report.findings if f.severity != "note"] == []
    assert max(report.disagreement.values()) < 1e-13


def codes(builder):
    return {(f.code, f.subject) for f in builder.assemble().check().findings}


def arm(**joint):
    b = Builder("arm").body("upper", joint=Revolute((0, 1, 0)), joint_name="shoulder", mass=1, inertia=(1, 1, 1))
    return b.body("lower", parent="upper", joint=Revolute((1, 0, 0)), joint_name="elbow", **joint)


GOOD = {"mass": 1.0, "inertia": (1, 1, 1)}


@pytest.mark.parametrize(
    ("options", "code", "subject"),
    [
        ({}, "massless-tip", "body 'lower'"),
        ({}, "singular-mass-matrix", "joint 'elbow'"),
        ({"mass": 1, "inertia": (1, 1, 3)}, "impossible-inertia", "body 'lower'"),
        ({"mass": 1, "inertia": (1, 1, -0.1)}, "impossible-inertia", "body 'lower'"),
        ({"mass": 0, "inertia": (1, 1, 1)}, "impossible-inertia", "body 'lower'"),
        ({"mass": 1e5, "inertia": (1e5, 1e5, 1e5)}, "suspicious-mass", "body 'lower'"),
        ({"mass": 1e-9, "inertia": (1e-9,) * 3}, "suspicious-mass", "body 'lower'"),
        (GOOD | {"com": (300, 0, 0)}, "suspicious-com", "body 'lower'"),
        ({"mass": 1, "inertia": (1e6,) * 3}, "suspicious-inertia", "body 'lower'"),
        (GOOD | {"lower": 1, "upper": -1}, "unreachable-limits", "joint 'elbow'"),
        (GOOD | {"lower": 1, "upper": 1}, "no-range", "joint 'elbow'"),
        (GOOD | {"effort": 0}, "no-effort", "joint 'elbow'"),
        (GOOD | {"velocity": 0}, "no-velocity", "joint 'elbow'"),
        (GOOD | {"damping": -1}, "negative-damping", "joint 'elbow'"),
        (GOOD | {"rotor_inertia": -0.1}, "negative-rotor_inertia", "joint 'elbow'"),
        (GOOD | {"mimic": Mimic("shoulder", 0.0)}, "mimic-without-motion", "joint 'elbow'"),
    ],
)
def test_findings_name_their_subject(options, code, subject):
    assert (code, subject) in codes(arm(**options))
    report = arm(**options).assemble().check()
    finding = next(f for f in report.findings if f.code == code)
    assert finding.remedy or finding.code == "description"
    assert str(finding) in str(report)


def test_a_massless_link_that_carries_something_is_fine():
    b = Builder().body("cross", joint=Revolute((0, 1, 0)))
    assert (
        b.body("end", parent="cross", joint=Revolute((1, 0, 0)), mass=1, com=(0, 0.3, 0.3), inertia=(1, 1, 1))
        .build()
        .check()
        .ok
    )


def test_which_inertias_no_body_has():
    for possible in ((1.0, 1.0, 1.0), (1.0, 1.0, 0.0), (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)):
        assert impossible(2.0, Matrix.diagonal(possible)) == ""
    assert "above the sum" in impossible(2.0, Matrix.diagonal((1.0, 2.0, 3.1)))
    assert "negative" in impossible(2.0, Matrix.diagonal((1.0, 1.0, -0.1)))
    assert "mass is zero" in impossible(0.0, Matrix.diagonal((1.0, 1.0, 1.0)))


def test_the_audit_finds_a_broken_algorithm(monkeypatch):
    from sixd import algorithms

    right = algorithms.crba
    monkeypatch.setattr(algorithms, "crba", lambda *a: right(*a) * 1.001)
    report = gallery.seven_axis_arm().check()
    assert not report.ok
    assert report.disagreement["tau = H qdd + C (rnea, crba)"] > 1e-5
    assert "disagree" in str(report)


def test_a_robot_without_joints_can_be_checked():
    assert Builder().link("rock", mass=1, inertia=(1, 1, 1)).build().check().ok


def test_mimic_robots_are_audited():
    from tests.laws.trees import coupled

    report = coupled().check()
    assert max(report.disagreement.values()) < 1e-13


def test_a_massless_follower_is_fine():
    b = arm(mass=0.0, mimic=Mimic("shoulder", 2.0))
    report = b.build().check()
    assert report.ok
    assert report.skipped == ()


def test_all_motions_that_move_nothing_are_named():
    b = Builder("hands").body("arm", joint=Revolute((0, 1, 0)), mass=1, inertia=(1, 1, 1))
    for side in ("left", "right"):
        b.body(side, parent="arm", joint=Revolute((1, 0, 0)), joint_name=side)
    report = b.build().check()
    assert {f.subject for f in report.findings if f.code == "singular-mass-matrix"} == {"joint 'left'", "joint 'right'"}
    assert "forward dynamics in 5 of 5 states" in str(report)


def test_a_motion_of_several_joints_is_printed_with_its_parts():
    b = Builder("wrist").body("one", joint=Revolute((0, 0, 1)), joint_name="one")
    b.body("two", parent="one", joint=Revolute((0, 0, 1)), joint_name="two", mass=1, inertia=(1, 1, 1))
    finding = next(f for f in b.build().check().findings if f.code == "singular-mass-matrix")
    assert "singular everywhere" in finding.message
    assert "'one'" in finding.message
    assert "'two'" in finding.message


def test_singular_at_the_neutral_position_only_is_a_warning():
    b = Builder("gimbal").body("a", joint=Revolute((0, 0, 1)))
    b.body("b", parent="a", joint=Revolute((0, 1, 0)))
    b.body("c", parent="b", joint=Revolute((0, 0, 1)), mass=1, com=(0.3, 0.2, 0.1), inertia=(1, 1, 1))
    report = b.build().check()
    assert report.ok
    assert any("singular at the neutral position" in f.message for f in report.findings)


def test_warnings_of_the_reader_are_findings():
    text = URDF.read_text().replace('effort="60" ', "")
    with pytest.warns(sixd.ModelWarning):
        robot = sixd.load(text)
    assert [f.code for f in robot.check().findings] == ["description"]
    assert robot.source is None
    assert sixd.load(URDF).source == str(URDF)


def test_check_needs_states():
    with pytest.raises(ValueError, match="states must be at least 1"):
        gallery.pendulum().check(states=0)


def test_numbers_of_very_different_size_do_not_crash_the_audit():
    for far in (1e3, 1e150, 1e200):
        b = arm(mass=1.0, inertia=(1, 1, 1), xyz=(far, 0, 0))
        assert "suspicious-place" in {f.code for f in b.build().check().findings}


def test_check_model_passes_and_fails(monkeypatch):
    check_model(gallery.seven_axis_arm())
    right = sixd.algorithms.crba
    monkeypatch.setattr(sixd.algorithms, "crba", lambda *a: right(*a) * 1.001)
    with pytest.raises(AssertionError, match="disagree"):
        check_model(gallery.seven_axis_arm())


def test_a_neutral_position_outside_the_limits_is_noted():
    report = gallery.quadruped().check()
    assert {f.subject for f in report.findings} == {f"joint '{leg}_knee'" for leg in ("FL", "FR", "RL", "RR")}
    assert report.ok


def test_what_the_reader_said_is_not_said_again():
    text = URDF.read_text().replace('izz="0.0008"', 'izz="0.9"')
    report = sixd.check(text)
    assert [f.code for f in report.findings] == ["description"]


def test_check_takes_a_robot_too():
    assert sixd.check(gallery.pendulum()).findings == ()


@pytest.mark.parametrize("links", [300, 1000])
def test_a_large_robot_is_checked_in_seconds(links):
    """What takes longer is left out, and the report says so; what is compared agrees. By the processor's time."""
    robot = gallery.chain(links)
    start = time.process_time()
    report = robot.check(states=1)
    assert time.process_time() - start < 10.0  # 1 to 3 s once its code is compiled
    assert report.ok
    assert len(report.disagreement) >= 3
    text = str(report)
    assert f"not compared: inverse mass matrix (aba, crba): takes long for {links} bodies" in text
    assert ("not compared: rates of energy and momentum" in text) == (links > 300)


def test_a_small_robot_is_compared_in_all_ways():
    assert gallery.quadruped().check(states=1).skipped == ()


def test_a_singular_large_robot_is_found():
    """A body without inertia at the end of a long chain."""
    b = sixd.Builder("long")
    parent = "base"
    b.link(parent)
    for k in range(200):
        b.body(f"{k}", parent, sixd.joints.Revolute("xyz"[k % 3]), mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1))
        parent = f"{k}"
    b.body("tip", parent, sixd.joints.Revolute("x"), joint_name="wrist")
    report = b.build().check(states=1)
    assert not report.ok
    assert "joint 'wrist'" in str(report)


@pytest.mark.parametrize("states", [0, -1, 1.5, None, "five", True])
def test_states_are_counted(states):
    with pytest.raises(sixd.SixdError, match="states must be"):
        gallery.double_pendulum().check(states=states)


# ---- closed robots


def test_a_closed_robot_is_checked_with_its_constraints():
    """dphi/dt = L qd, tau + L^T lambda = H qdd + C, and L qdd = 0 at rest; what is of the open tree says so."""
    report = sixd.mechanisms.four_bar().robot.check()
    assert report.ok
    assert [(f.severity, f.code, f.subject) for f in report.findings] == [
        ("note", "redundant-rows", "constraint 'pin'")
    ]
    own = {what: error for what, error in report.disagreement.items() if not what.endswith("open tree")}
    assert len(own) == 3
    assert max(own.values()) < 1e-13


def test_a_wrong_constraint_is_found(monkeypatch):
    """A constraint whose forces are longer than the gradient of its error."""
    right = Distance.forces
    monkeypatch.setattr(Distance, "forces", lambda self, X: Forces([1.01 * force for force in right(self, X)]))
    report = gallery.double_pendulum().close(Distance("base", "tip", 1.2)).check()
    assert not report.ok
    assert "dphi/dt = L qd" in report.findings[0].message


def test_what_cannot_be_assembled_is_a_finding():
    report = gallery.double_pendulum().close(Distance("base", "tip", 5.0)).check()
    assert [f.code for f in report.findings] == ["no-assembly"]
    assert "distance base tip" in report.findings[0].message


def test_constraints_of_a_large_robot_are_left_out(monkeypatch):
    """They would take minutes; it says so."""
    monkeypatch.setattr("sixd.robot.closed.closed_robot.BODIES", 2)
    assert sixd.mechanisms.four_bar().robot.check().skipped == ("constraints: takes long for 3 bodies",)


# ---- units and directions


def hinge(**data):
    return Builder("hinge").body("arm", joint=Revolute("y"), joint_name="hinge", **GOOD, **data).build()


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 9.81), (0.0, 1.0, 9.0)])
def test_gravity_upward(gravity):
    robot = gallery.pendulum().with_gravity(gravity)
    assert "m/s^2, upward" in str(robot).splitlines()[0]
    (finding,) = robot.check().findings
    assert (finding.severity, finding.code) == ("warning", "gravity-upward")
    assert "robot.with_gravity((0, 0, -9.81))" in str(finding)


def test_gravity_that_is_not_upward():
    assert "gravity" not in str(gallery.pendulum())
    assert "gravity" not in str(gallery.pendulum().with_gravity((0.0, 0.0, -1.62)))
    assert str(gallery.pendulum().with_gravity((0.0, 0.0, 0.0))).splitlines()[0].endswith("no gravity")
    sideways = gallery.pendulum().with_gravity((0.0, -9.81, 0.0))
    assert str(sideways).splitlines()[0].endswith("gravity (0, -9.81, 0) m/s^2")
    assert sideways.check().findings == ()
    (finding,) = gallery.pendulum().with_gravity((0.0, 0.0, -9810.0)).check().findings
    assert finding.code == "suspicious-gravity"


@pytest.mark.parametrize(
    ("lower", "upper"), [(-180.0, 180.0), (-90.0, 90.0), (0.0, 45.0), (-355.0, 355.0), (-3.0, 170), (-30, 10)]
)
def test_limits_in_degrees(lower, upper):
    (finding,) = hinge(lower=lower, upper=upper).check().findings
    assert (finding.severity, finding.code, finding.subject) == ("warning", "degrees", "joint 'hinge'")
    assert f"its limits are {lower:g}, {upper:g} rad" in finding.message


@pytest.mark.parametrize("limit", [np.pi, 2.0 * np.pi, 6.29, 3.0 * np.pi, 4.0 * np.pi, 6.9813, 6.981, 9.42, np.inf])
def test_limits_of_a_few_turns(limit):
    assert hinge(lower=-limit, upper=limit).check().findings == ()


def test_a_spring_whose_rest_is_in_degrees():
    (finding,) = hinge(stiffness=1.0, rest=45.0).check().findings
    assert finding.code == "degrees"


def test_limits_in_degrees_on_the_command_line(tmp_path, capsys):
    limits = '<limit lower="-90" upper="90" effort="1" velocity="1"/>'
    (tmp_path / "arm.urdf").write_text(urdf_text.robot(link("w"), link("a"), joint("j", "w", "a", limits)))
    assert main(["check", str(tmp_path / "arm.urdf")]) == 0
    assert "check the unit: rad, not degrees" in capsys.readouterr().out
