"""``sixd info``, ``check``, ``export``, ``bench`` and ``demo --tour``."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd.cli import bench
from sixd.cli.builtin import Subject
from sixd.cli.main import main
from tests.formats.urdf_text import joint, link, robot
from tests.robots import example_urdf

TWO_LINK = "examples/two_link.urdf"
#: An inertia that no body has: izz is above ixx + iyy.
IMPOSSIBLE = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial>'


@pytest.fixture(autouse=True)
def _at_the_root(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)


def ran(capsys, *argv):
    """The exit code, standard output and standard error of a command."""
    code = main(list(map(str, argv)))
    return code, *capsys.readouterr()


@pytest.fixture
def written(tmp_path):
    """Writes robot descriptions."""

    def write(text, name="robot.urdf"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


# ---- info


def test_info(capsys):
    code, out, err = ran(capsys, "info", TWO_LINK)
    assert (code, err) == (0, "")
    assert out.startswith(sixd.load(TWO_LINK).draw())
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("  ")}
    assert rows["shoulder"] == ["shoulder", "Revolute('y')", "rad", "-2.5", "2.5", "3", "100", "0", "0"]
    frame, start, least, most = rows["tool"]
    assert (frame, start) == ("tool", "shoulder")
    assert 0.1 <= float(least) < 0.2  # |0.5 - 0.4| m cannot be undercut
    assert 0.899 < float(most) <= 0.9
    assert "findings: none" in out


def test_info_as_json(capsys):
    code, out, _ = ran(capsys, "info", TWO_LINK, "--json", "--base", "free")
    found = json.loads(out)
    assert code == 0
    assert (found["nq"], found["nv"], found["mass"]) == (9, 8, 3.0)
    assert [joint["name"] for joint in found["joints"]] == ["base", "shoulder", "elbow"]
    assert found["joints"][0]["upper"] == [None] * 7  # JSON has no infinity
    assert found["joints"][1]["upper"] == [2.5]
    assert [frame["name"] for frame in found["frames"]][-1] == "tool"


def test_joints_of_many_kinds(capsys):
    code, out, _ = ran(capsys, "info", example_urdf("panda_description/panda"))
    assert code == 0
    assert re.search(r"panda_finger_joint1 +Prismatic\('y'\) +m +0 +0.04", out)
    assert "panda_finger_joint2  Prismatic('-y') = 1 panda_finger_joint1" in out
    code, out, _ = ran(capsys, "info", example_urdf("panda_description/panda"), "--no-mimic")
    assert "nv 9" in out


def test_what_does_not_move(capsys, written):
    code, out, _ = ran(capsys, "info", written(robot(link("a"))))
    assert code == 0
    assert "0 moving bodies" in out
    assert "reach" not in out


@pytest.mark.filterwarnings("error")
def test_findings_are_told_once_and_warnings_are_among_them(capsys, written):
    file = written(robot(link("a"), link("b", IMPOSSIBLE), joint("j", "a", "b")))
    code, out, err = ran(capsys, "info", file)
    assert (code, err) == (0, "")
    assert out.count("line 3: link 'b'") == 1


def test_what_is_odd_in_a_file_is_one_line(capsys, written):
    file = written(
        robot(link("a"), link("b", IMPOSSIBLE), link("c", IMPOSSIBLE), joint("j", "a", "b"), joint("k", "b", "c"))
    )
    code, out, err = ran(capsys, "eval", "mass", file)
    assert code == 0
    assert out.startswith("H: the mass matrix")
    assert err.count("\n") == 1
    assert err.startswith(f"sixd: warning: {file}:3, <inertia>: link 'b': no body has this inertia")
    assert err.endswith("(and 1 more: sixd check lists them)\n")


# ---- check


def test_check(capsys):
    code, out, err = ran(capsys, "check", TWO_LINK)
    assert (code, err) == (0, "")
    assert out == f"{sixd.check(TWO_LINK)}\n"


def test_exit_codes_of_check(capsys, written):
    cycle = written(robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), "cycle.urdf")
    odd = written(robot(link("a"), link("b", IMPOSSIBLE), joint("j", "a", "b")), "odd.urdf")
    empty = written("", "empty.urdf")
    assert ran(capsys, "check", odd)[0] == 0
    assert ran(capsys, "check", odd, "--strict")[0] == 1
    code, out, _ = ran(capsys, "check", TWO_LINK, cycle)
    assert code == 1
    assert f"--- {cycle}\n" in out
    assert "does-not-load" in out
    assert ran(capsys, "check", empty)[0] == 1
    code, _, err = ran(capsys, "check", "nowhere.urdf")
    assert (code, err) == (2, "sixd: nowhere.urdf: it cannot be read: No such file or directory\n")
    assert ran(capsys, "check", "examples")[0] == 2
    code, out, err = ran(capsys, "check", "nowhere.urdf", odd, TWO_LINK)  # the others are checked
    assert (code, err.count("\n"), out.count("---")) == (2, 1, 2)


def test_check_as_json(capsys, written):
    massless = written(robot(link("a"), link("b", ""), joint("j", "a", "b")))
    code, out, _ = ran(capsys, "check", "--json", TWO_LINK, massless)
    first, second = json.loads(out)
    assert code == 1
    assert (first["ok"], first["findings"], second["ok"]) == (True, [], False)
    assert max(first["disagreement"].values()) < 1e-12
    assert "singular-mass-matrix" in {finding["code"] for finding in second["findings"]}


# ---- export


def test_export(capsys, tmp_path):
    arm, path = sixd.load(TWO_LINK), tmp_path / "rnea.c"
    code, out, _ = ran(capsys, "export", TWO_LINK, "--algorithm", "rnea", "--c", path)
    assert code == 0
    assert re.fullmatch(r".*rnea.c: rnea of two-link arm, \d+ lines of C\n", out)
    assert path.read_text() == sixd.compile(sixd.algorithms.rnea, arm).to("c")


def test_export_to_the_terminal(capsys):
    argv = ["--algorithm", "jacobian", "--frame", "tool", "--expressed-in", "aligned", "--name", "J", "--rolled"]
    code, out, _ = ran(capsys, "export", TWO_LINK, *argv, "--c", "-")
    kernel = sixd.compile(
        sixd.algorithms.jacobian, sixd.load(TWO_LINK), frame="tool", expressed_in="aligned", name="J", rolled=True
    )
    assert (code, out) == (0, kernel.to("c"))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rneaa", "--c", "-"], "no algorithm is called 'rneaa'; did you mean rnea"),
        (["jacobian", "--c", "-"], "add --frame NAME"),
        (["rnea", "--frame", "tool", "--c", "-"], "leave out --frame"),
        (["rnea", "--expressed-in", "body", "--c", "-"], "leave out --expressed-in"),
        (["grasp_constraint", "--c", "-"], "needs left and right"),
        (["rnea", "--c", "nowhere/x.c"], "make the folder nowhere first"),
    ],
)
def test_what_cannot_be_exported(capsys, argv, message):
    code, out, err = ran(capsys, "export", TWO_LINK, "--algorithm", *argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_the_file_of_the_robot_is_not_written_over(capsys, tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(Path(TWO_LINK).read_text())
    code, _, err = ran(capsys, "export", file, "--algorithm", "rnea", "--c", file)
    assert code == 2
    assert "is the robot's own file: give another name" in err
    assert file.read_text() == Path(TWO_LINK).read_text()


# ---- bench


@pytest.fixture
def brief(monkeypatch):
    monkeypatch.setattr(bench, "ROUNDS", 2)
    monkeypatch.setattr(bench, "SHORTEST", 1e-5)


def test_bench(capsys, brief):
    before = sixd.get_threads()
    methods = ["inverse_dynamics", "jacobian"]
    code, out, _ = ran(capsys, "bench", TWO_LINK, "--batch", 64, "--seconds", 0.001, "--methods", *methods)
    assert code == 0
    assert "lanes of float64" in out
    assert "pose and Jacobian of tool" in out
    rows = [line.split() for line in out.splitlines() if line.startswith(tuple(methods))]
    assert [row[0] for row in rows] == methods
    assert all(float(x) >= 0.0 for row in rows for x in row[1:])
    assert sixd.get_threads() == before


def test_bench_as_json(capsys, brief):
    code, out, _ = ran(
        capsys, "bench", TWO_LINK, "--batch", 64, "--seconds", 0.001, "--methods", "mass_matrix", "--json"
    )
    found = json.loads(out)
    assert code == 0
    (figure,) = found["figures"]
    assert figure["pinocchio"] is None
    assert 0.0 < figure["batch"] < figure["one"]


def test_bench_beside_pinocchio(capsys, brief):
    pytest.importorskip("pinocchio")
    code, out, _ = ran(capsys, "bench", TWO_LINK, "--batch", 4, "--seconds", 0.001, "--peers", "--json")
    figures = {figure["method"]: figure for figure in json.loads(out)["figures"]}
    assert code == 0
    assert {name for name, figure in figures.items() if figure["pinocchio"]} == set(bench.METHODS) - {
        "pose",
        "jacobian",
    }


def test_bench_refuses_to_time_another_robot(capsys, brief, monkeypatch):
    pytest.importorskip("pinocchio")
    wrong = sixd.load(TWO_LINK).with_inertia("upper", mass=2.1)
    monkeypatch.setattr(bench, "load_subject", lambda args: Subject(wrong))
    code, _, err = ran(capsys, "bench", TWO_LINK, "--peers", "--batch", 4, "--seconds", 0.001)
    assert code == 2
    assert "Pinocchio's result differs by" in err


def test_methods_that_are_singular_are_left_out(capsys, brief):
    """The base link has no mass, so that a free base can turn without moving any."""
    methods = ["mass_matrix", "forward_dynamics"]
    argv = ["--base", "free", "--batch", 4, "--seconds", 0.001, "--methods", *methods]
    code, out, _ = ran(capsys, "bench", TWO_LINK, *argv)
    assert code == 0
    assert re.search(r"^mass_matrix  ", out, re.MULTILINE)
    assert "not measured: forward_dynamics: robot 'two-link arm': its mass matrix is singular" in out


def test_what_cannot_be_measured(capsys, written, monkeypatch):
    assert "nothing to measure" in ran(capsys, "bench", written(robot(link("a"))))[2]
    assert "--seconds must be positive" in ran(capsys, "bench", TWO_LINK, "--seconds", 0)[2]
    assert "--no-mimic" in ran(capsys, "bench", example_urdf("panda_description/panda"), "--peers")[2]
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    assert "pip install pin" in ran(capsys, "bench", TWO_LINK, "--peers")[2]


# ---- the tour of demo; tests/cli/test_lamp.py has the lamp


def test_tour(capsys):
    code, out, err = ran(capsys, "demo", "--tour")
    assert (code, err) == (0, "")
    assert "accelerations back [ 0.2 -0.4]" in out
    assert "no findings" in out
    assert np.get_printoptions()["precision"] == 8  # left as it was
