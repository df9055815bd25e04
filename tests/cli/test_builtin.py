"""Robots and mechanisms by name: what commands tell of them is what Python does."""

import json
from argparse import Namespace

import numpy as np
import pytest

import sixd
from sixd.cli.builtin import NAMES, Subject
from sixd.cli.main import main
from sixd.cli.scenario import control_of
from sixd.tables import create_table, open_table, state_field


def ran(capsys, *argv):
    """The exit code, standard output and standard error of a command."""
    code = main(list(map(str, argv)))
    return code, *capsys.readouterr()


def as_json(capsys, *argv):
    code, out, err = ran(capsys, *argv, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def refused(capsys, *argv):
    """What a command complains of, in one line."""
    code, out, err = ran(capsys, *argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.fixture(scope="module")
def bar():
    return sixd.mechanisms.four_bar()


@pytest.fixture(scope="module")
def five():
    return sixd.mechanisms.five_bar()


# ---- names


def test_names_are_those_of_python(capsys):
    found = [name.partition(".")[2] for name in NAMES if name.startswith("mechanisms.")]
    assert found == list(sixd.mechanisms.MECHANISMS)
    assert "gallery.puma560" in NAMES
    assert "gallery.chain" not in NAMES  # it needs n
    code, out, _ = ran(capsys, "info", "gallery.puma560")
    assert (code, out.splitlines()[0]) == (0, sixd.gallery.puma560().draw().splitlines()[0])


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["info", "mechanisms.four_ba"], "no built-in robot of this name; did you mean mechanisms.four_bar"),
        (["info", "gallery.chain"], "gallery.chain needs n, which only Python can give: sixd.gallery.chain(...)"),
        (["info", "gallery.quadruped", "--base", "free"], "--base free is for files: gallery.quadruped is built in"),
        (["info", "gallery.quadruped", "--no-mimic"], "--no-mimic is for files"),
        (["bench", "gallery.puma560", "--peers"], "--peers needs a file that Pinocchio can read"),
        (["bench", "mechanisms.four_bar", "--methods", "mass_matrix"], "mass_matrix is not measured of a robot with"),
        (["bench", "gallery.puma560", "--methods", "constraint_error"], "constraint_error is not measured of a robot"),
        (["eval", "mass", "mechanisms.four_bar"], "mass is that of the open tree, without the loops of four-bar"),
        (["eval", "constraint-error", "gallery.puma560"], "constraint-error is that of a robot with loops"),
        (["eval", "id", "gallery.puma560", "--actuated", "joint1"], "--actuated is for sixd eval id of a robot with"),
        (["eval", "fd", "mechanisms.four_bar", "--qd", "crank_joint=1", "rocker_joint=1"], "it has 1 freedom here"),
        (
            ["view", "mechanisms.slider_crank", "--q", "slider_joint=9"],
            "with slider_joint there; the nearest",
        ),
        (
            ["simulate", "mechanisms.four_bar", "--q", "0", "0", "0"],
            "--q does not keep constraint 'pin': it is off by 1",
        ),
        (["simulate", "mechanisms.four_bar", "--no-forces"], "mechanisms.four_bar has none"),
        (
            ["simulate", "mechanisms.standing_quadruped", "--clearance", "1"],
            "--clearance would take a robot",
        ),
        (["export", "mechanisms.four_bar", "--algorithm", "aba", "--c", "-"], "take constrained_forward_dynamics"),
        (["export", "mechanisms.four_bar", "--algorithm", "constrained_inverse_dynamics", "--c", "-"], "only Python"),
        (["export", "gallery.pendulum", "--algorithm", "constraint_error", "--c", "-"], "pendulum has none"),
    ],
)
def test_what_is_refused(capsys, argv, message):
    assert message in refused(capsys, *argv)


def test_a_file_of_such_a_name_is_a_file(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gallery.urdf").write_text("<robot name='own'><link name='a'/></robot>")
    assert "own: 0 moving bodies" in ran(capsys, "info", "gallery.urdf")[1]


# ---- info, check, compare


def test_info_of_a_mechanism(capsys, bar):
    code, out, _ = ran(capsys, "info", "mechanisms.four_bar")
    assert code == 0
    assert "freedoms        1 (nv 3 less 5 rows is -2)" in out
    assert "led by          crank_joint" in out
    found = as_json(capsys, "info", "mechanisms.four_bar")
    assert found["mobility"] == {"freedoms": 1, "rank": 2, "gruebler": -2, "redundant": {"pin": 3}}
    assert found["start"]["q"] == bar.q.tolist()
    assert found["constraints"][0]["frames"] == ["rocker end", "coupler end"]


def test_check_of_a_mechanism(capsys, bar):
    code, out, _ = ran(capsys, "check", "mechanisms.four_bar")
    assert (code, out) == (0, f"{bar.robot.check()}\n")
    code, out, err = ran(capsys, "check", "mechanisms.four_ba", "gallery.pendulum")  # the others are checked
    assert (code, out.count("---"), err.count("\n")) == (2, 1, 1)


def test_compare(capsys):
    assert ran(capsys, "compare", "mechanisms.four_bar", "mechanisms.four_bar")[0] == 0
    code, out, _ = ran(capsys, "compare", "mechanisms.four_bar", "gallery.pendulum")
    assert code == 1
    assert "only the first has a constraint: pin" in out


# ---- eval


def test_what_is_named_leads_the_rest(capsys, bar):
    """q is assembled, qd and qdd keep the constraints, and have what was named."""
    argv = ["mechanisms.four_bar", "--q", "crank_joint=0.5", "--qd", "crank_joint=2", "--qdd", "crank_joint=3"]
    found = as_json(capsys, "eval", "id", *argv, "--actuated", "crank_joint")
    q, qd, qdd = (np.array(found["state"][name]) for name in ("q", "qd", "qdd"))
    assert (q[0], qd[0], qdd[0]) == pytest.approx((0.5, 2.0, 3.0), abs=1e-12)
    assert np.abs(bar.robot.constraint_error(q)).max() < 1e-11
    np.testing.assert_allclose(bar.robot.constraint_jacobian(q) @ qd, 0.0, atol=1e-12)
    np.testing.assert_allclose(bar.robot.constraint_jacobian(q) @ qdd, bar.robot.constraint_bias(q, qd), atol=1e-12)
    wanted = bar.robot.inverse_dynamics(q, qd, qdd, actuated=["crank_joint"])
    assert found["result"] == wanted.tau.tolist()


def test_what_is_named_holds_if_it_is_the_mechanisms_own_value(capsys, five, bar):
    """It was seen by its value what was named: what did not change was led by the others."""
    argv = ["--q", "left=-2.1", "right=-0.9", "--qd", "left=1", "right=0", "--qdd", "left=1", "right=0"]
    state = as_json(capsys, "eval", "id", "mechanisms.five_bar", *argv)["state"]
    for name, wanted in (("q", [-2.1, five.q[2]]), ("qd", [1, 0]), ("qdd", [1, 0])):
        np.testing.assert_allclose(np.take(state[name], [0, 2]), wanted, atol=1e-12)
    assert np.abs(five.robot.constraint_error(state["q"])).max() < 1e-11
    assert "with crank_joint, rocker_joint there; the nearest one is off by" in refused(
        capsys, "eval", "fd", "mechanisms.four_bar", "--q", "crank_joint=0.5", f"rocker_joint={bar.q[2]:.17g}"
    )


def test_what_is_named_leads_to_the_nearest(capsys, five):
    """The change is the least in the metric of the mass matrix: orthogonal to motions that leave what is named."""
    state = as_json(capsys, "eval", "id", "mechanisms.five_bar", "--qdd", "left=1")["state"]
    other = as_json(capsys, "eval", "id", "mechanisms.five_bar", "--qdd", "left=0", "right=1")["state"]
    H = five.robot.tree.mass_matrix(five.q)
    own = five.robot.project(five.q, five.qd, np.zeros(4))[2]
    assert (np.array(state["qdd"]) - own) @ H @ (np.array(other["qdd"]) - own) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("part", ["qd", "qdd"])
def test_rates_that_open_loops_are_told(capsys, part):
    """They were evaluated without a word: the torques are those of a motion that cannot be."""
    code, _, err = ran(capsys, "eval", "id", "mechanisms.four_bar", f"--{part}", "1", "0", "0")
    assert code == 0
    assert f"--{part} does not keep the constraints: the nearest that does differs by " in err
    assert "does not keep" not in ran(capsys, "eval", "id", "mechanisms.four_bar", f"--{part}", "crank_joint=1")[2]


def test_rows_of_a_file_that_open_loops_are_told(capsys, tmp_path, bar):
    robot, file = bar.robot, tmp_path / "states.npz"
    q = np.array([bar.q, [0.5, 0.0, 0.0], bar.q, np.full(3, np.nan), bar.q])
    qd = np.array([robot.project(bar.q, [1.0, 0.0, 0.0])[1], np.zeros(3), [1.0, 0.0, 0.0], np.zeros(3), np.zeros(3)])
    with create_table(file, [state_field(robot, "q"), state_field(robot, "qd")]) as table:
        table.write({"q": q, "qd": qd})
    for chunk in (1, 2, 100):
        err = ran(
            capsys, "eval", "velocity", "mechanisms.four_bar", "--frame", "crank", "--states", file, "--chunk", chunk
        )[2]
        assert "the states of 2 of 5 rows do not keep the constraints; the first is row 1, counted from 0" in err
    assert "keep" not in ran(capsys, "eval", "constraint-error", "mechanisms.four_bar", "--states", file)[2]


def test_what_is_named_leads_in_each_row_of_a_file(capsys, tmp_path, five):
    """As for the same state alone; what was not named of qd and qdd beside a file was zero. NaN stays in its row."""
    places = [five.q, five.robot.assemble([-2.1, *five.q[1:]], fixed=["left"]), np.full(4, np.nan), five.q]
    with create_table(tmp_path / "q.npz", [state_field(five.robot, "q")]) as table:
        table.write({"q": np.array(places)})
    given = ["--qd", "left=2", "right=0", "--qdd", "left=1"]
    argv = ["eval", "id", "mechanisms.five_bar", *given, "--states", tmp_path / "q.npz", "--chunk", 3]
    code, out, err = ran(capsys, *argv)
    assert (code, "1 of 4 rows are not finite; the first is row 2" in err) == (0, True)
    found = np.array([[float(x) for x in line.split(",")] for line in out.splitlines()[1:]])
    for row in (0, 1, 3):
        alone = as_json(capsys, "eval", "id", "mechanisms.five_bar", "--q", *map(repr, places[row].tolist()), *given)
        np.testing.assert_allclose(found[row], alone["result"], rtol=1e-12)
    assert np.isnan(found[2]).all()
    np.testing.assert_array_equal(found[0], found[3])


def test_rows_in_which_what_is_named_cannot_move_so(capsys, tmp_path):
    m = sixd.mechanisms.slider_crank()
    dead = m.robot.assemble([0.0, *m.q[1:]], fixed=["crank_joint"])
    with create_table(tmp_path / "q.npz", [state_field(m.robot, "q")]) as table:
        table.write({"q": np.array([m.q, dead])})
    argv = ["--states", tmp_path / "q.npz", "--qd", "slider_joint=1", "--tau", "zero"]
    said = ran(capsys, "eval", "fd", "mechanisms.slider_crank", *argv)[2]
    assert "rows 0 to 1, counted from 0: --qd: the constraints of slider-crank do not let slider_joint move so" in said
    assert "it has 1 freedom in state 1 of 2, counted from 0" in said


def test_a_mechanism_has_its_own_state(capsys, bar):
    found = as_json(capsys, "eval", "fd", "mechanisms.four_bar", "--tau", "crank_joint=3")
    assert found["state"]["q"] == bar.q.tolist()
    assert found["result"] == bar.robot.forward_dynamics(bar.q, bar.qd, [3, 0, 0]).tolist()
    found = as_json(capsys, "eval", "constraint-forces", "mechanisms.four_bar")
    force = bar.robot.constraint_forces(bar.q, bar.qd, bar.tau).forces["pin"]
    assert (found["labels"][0], found["result"]) == (["pin"], [force.tolist()])


def test_a_position_that_is_the_same_for_all_rows_closes_the_loops(capsys, tmp_path, bar):
    (tmp_path / "tau.csv").write_text("tau0,tau1,tau2\n0,0,0\n")
    argv = ["--q", "crank_joint=0.5", "--qd", "zero", "--states", tmp_path / "tau.csv"]
    code, out, _ = ran(capsys, "eval", "fd", "mechanisms.four_bar", *argv)
    q = bar.robot.assemble([0.5, *bar.q[1:]], fixed=["crank_joint"])
    wanted = bar.robot.forward_dynamics(q, bar.qd, bar.tau)
    np.testing.assert_allclose([float(x) for x in out.splitlines()[1].split(",")], wanted, atol=1e-9)
    assert code == 0


def test_open_loops_are_told(capsys):
    code, _, err = ran(capsys, "eval", "fd", "mechanisms.four_bar", "--q", 0, 0, 0)
    assert code == 0
    assert "--q does not keep constraint 'pin': it is off by 1 (rad or m); give some joints by name=value" in err
    code, out, err = ran(capsys, "eval", "constraint-error", "mechanisms.four_bar", "--q", 0, 0, 0)
    assert (code, err) == (0, "")
    assert "pin[2]  -1" in out


# ---- simulate, view


def test_a_mechanism_is_simulated_with_what_it_comes_with(capsys, tmp_path):
    """From its own state, with its springs, in its own steps."""
    file, m = tmp_path / "run.npz", sixd.mechanisms.five_bar()
    found = as_json(capsys, "simulate", "mechanisms.five_bar", "--duration", 0.01, "--out", file)
    with open_table(str(file)) as table:
        np.testing.assert_array_equal(table.read()["q"], m.simulate(0.01).q)
    assert (found["integrator"], found["dt"]) == ("rk43", m.dt)
    assert found["constraint_error"] < 1e-12
    free = as_json(capsys, "simulate", "mechanisms.five_bar", "--duration", 0.01, "--no-forces")
    assert free["end"]["q"] == m.simulate(0.01, forces=()).q[-1].tolist()


def test_a_mechanism_has_its_own_drive_unless_control_is_given():
    m = sixd.mechanisms.andrews()
    args = Namespace(control=None, kp=None, kd=None, target=None)
    assert control_of(args, Subject(m.robot, m), m.q, 1).control is m.tau
    args.control = ["none"]
    assert control_of(args, Subject(m.robot, m), m.q, 1).control is None


def test_a_start_by_name(capsys, bar):
    argv = ["--q", "crank_joint=0.5", "--qd", "crank_joint=2", "--duration", 0.01, "--dt", 0.002]
    found = as_json(capsys, "simulate", "mechanisms.four_bar", *argv)
    assert (found["records"], found["integrator"]) == (6, "rk43")
    assert found["end"]["q"][0] == pytest.approx(0.52, abs=2e-3)
    assert "loops were open by at most" in ran(capsys, "simulate", "mechanisms.four_bar", *argv)[1]


def test_a_mechanism_that_touches_the_floor(capsys):
    found = as_json(capsys, "simulate", "mechanisms.four_bar", "--contact", "coupler", "--duration", 0.01)
    assert found["integrator"] == "semi_implicit_euler"  # rk43 does not provide for rigid contact
    assert [site["site"] for site in found["contact"]] == ["coupler"]


def test_samples_of_a_mechanism(capsys):
    found = as_json(capsys, "simulate", "mechanisms.four_bar", "--samples", 3, "--duration", 0.01)
    assert (found["samples"], np.shape(found["end"]["q"])) == (3, (3, 3))
    argv = ["--samples", 3, "--qd", "crank_joint=1", "--duration", 0]
    found = as_json(capsys, "simulate", "mechanisms.four_bar", *argv)
    np.testing.assert_allclose(np.array(found["end"]["qd"])[:, 0], 1.0, atol=1e-12)


def test_view_writes_a_page_of_the_plain_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = ran(capsys, "view", "mechanisms.four_bar", "--q", "crank_joint=0.5")
    assert (code, out, err) == (0, "four_bar.html\n", "")
    assert (tmp_path / "four_bar.html").stat().st_size > 10_000


# ---- bench, export


def test_bench_of_a_mechanism(capsys, monkeypatch):
    monkeypatch.setattr("sixd.cli.bench.SHORTEST", 1e-5)
    argv = ["--batch", 16, "--seconds", 0.001, "--methods", "forward_dynamics", "constraint_error"]
    found = as_json(capsys, "bench", "mechanisms.four_bar", *argv)
    assert [figure["method"] for figure in found["figures"]] == ["forward_dynamics", "constraint_error"]


def test_export_of_a_mechanism(capsys, bar):
    code, out, _ = ran(
        capsys, "export", "mechanisms.four_bar", "--algorithm", "constrained_forward_dynamics", "--c", "-"
    )
    assert (code, out) == (0, sixd.compile(sixd.algorithms.constrained_forward_dynamics, bar.robot).to("c"))
