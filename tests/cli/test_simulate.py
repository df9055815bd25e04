"""``sixd simulate``: what it writes is what `sixd.simulate` gives; what goes wrong is told in one line."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd.cli import runs as command
from sixd.cli.main import main
from sixd.compiler.rollout import Rollout
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import GravityCompensation, JointPD
from sixd.simulation.forces import Passive
from sixd.tables import FORMATS, open_table
from tests.formats.urdf_text import link
from tests.formats.urdf_text import robot as robot_text
from tests.robots import example_urdf

TWO_LINK = "examples/two_link.urdf"
START = [0.3, -0.8], [0.0, 0.0]
ANYMAL = example_urdf("anymal_b_simple_description/anymal")
FEET = ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]


@pytest.fixture(autouse=True)
def _at_the_root(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)


@pytest.fixture(scope="module")
def arm():
    return sixd.load(TWO_LINK)


def ran(capsys, *argv):
    """The exit code, standard output and standard error of ``sixd simulate``."""
    code = main(["simulate", *map(str, argv)])
    return code, *capsys.readouterr()


def told(capsys, *argv):
    code, out, err = ran(capsys, *argv)
    assert (code, err) == (0, "")
    return out


def as_json(capsys, *argv):
    return json.loads(told(capsys, *argv, "--json"))


def refused(capsys, *argv):
    """What a command complains of, in one line."""
    code, out, err = ran(capsys, *argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


def read(path):
    with open_table(str(path)) as table:
        return table.read()


# ---- what it computes


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_motion_is_that_of_simulate(capsys, tmp_path, arm, suffix):
    file = tmp_path / f"run{suffix}"
    argv = ["--q", "elbow=1.2", "--qd", "1", "-2", "--duration", "0.1", "--dt", "0.002", "--integrator", "rk4"]
    out = told(capsys, TWO_LINK, *argv, "--record", 5, "--passive", "--out", file)
    wanted = sixd.simulate(arm, [0, 1.2], [1, -2], 0.1, dt=0.002, integrator="rk4", record=5, forces=[Passive()])
    found = read(file)
    if suffix == ".npz":
        for name in ("t", "q", "qd", "tau"):
            np.testing.assert_array_equal(found[name], getattr(wanted, name))
    else:
        assert found.keys() == wanted.columns.keys()
        for name, column in wanted.columns.items():
            np.testing.assert_array_equal(found[name], column)
    assert "11 states to t = 0.1 s by rk4 in steps of 0.002 s: finished" in out
    assert out.endswith(f"wrote {file}\n")


def test_the_summary(capsys, arm):
    found = as_json(capsys, TWO_LINK, "--q", 0.3, -0.8, "--duration", 0.2, "--integrator", "rk4")
    run = sixd.simulate(arm, [0.3, -0.8], [0, 0], 0.2, integrator="rk4")
    assert found["finished"] is True
    assert (found["samples"], found["records"], found["time"], found["written"]) == (1, 201, 0.2, [])
    for at, k in (("start", 0), ("end", -1)):
        assert found["energy"][at]["kinetic"] == run.kinetic_energy[k]
        assert found["energy"][at]["total"] == run.energy[k]
    fastest = found["fastest"][0]
    assert fastest["speed"] == np.abs(run.qd).max()
    assert fastest["unit"] == "rad/s"
    assert found["end"]["q"] == run.q[-1].tolist()
    lines = told(capsys, TWO_LINK, "--q", 0.3, -0.8, "--duration", 0.2).splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")][:4] == [
        "energy,",
        "kinetic",
        "potential",
        "total",
    ]


def test_control(capsys, arm):
    argv = [TWO_LINK, "--q", 0.3, -0.8, "--duration", 0.1]
    held = as_json(capsys, *argv, "--control", "gravity")
    np.testing.assert_allclose(held["end"]["q"], [0.3, -0.8], atol=1e-12)
    found = as_json(capsys, *argv, "--control", "pd", "gravity", "--kp", 80, 40, "--kd", 8, "--target", "elbow=0.5")
    control = JointPD((80.0, 40.0), 8.0, (0.0, 0.5)) + GravityCompensation()
    np.testing.assert_allclose(found["end"]["q"], sixd.simulate(arm, *START, 0.1, control=control).q[-1])
    moon = as_json(capsys, *argv, "--gravity", 0, 0, -1.62)
    wanted = sixd.simulate(arm.with_gravity((0, 0, -1.62)), *START, 0.1)
    assert moon["end"]["q"] == wanted.q[-1].tolist()


def test_joint_forces_from_a_file(capsys, tmp_path, arm):
    """A run under the joint forces that another run wrote is the same; coarser rows hold from their time on.

    With one evaluation of the forces in a step, that is: others see a controller act within steps.
    """
    first = tmp_path / "pd.csv"
    argv = [TWO_LINK, "--q", 0.3, -0.8, "--duration", 0.1, "--integrator", "semi_implicit_euler"]
    before = as_json(capsys, *argv, "--control", "pd", "--kp", 20, "--kd", 1, "--target", 0, 0, "--out", first)
    again = as_json(capsys, *argv, "--control", first)
    np.testing.assert_allclose(again["end"]["q"], before["end"]["q"], atol=1e-13)
    (tmp_path / "steps.csv").write_text("t,tau_shoulder,tau_elbow\n0,1,2\n0.05,-1,0\n")
    found = as_json(capsys, *argv, "--control", tmp_path / "steps.csv")
    tau = np.repeat([[1.0, 2.0], [-1.0, 0.0]], 50, axis=0)
    wanted = sixd.simulate(arm, *START, 0.1, control=tau, integrator="semi_implicit_euler")
    assert found["end"]["q"] == wanted.q[-1].tolist()
    np.savez(tmp_path / "all.npz", tau=tau)
    assert as_json(capsys, *argv, "--control", tmp_path / "all.npz")["end"] == found["end"]


def test_the_file_of_joint_forces_is_not_written_over(capsys, tmp_path):
    file = tmp_path / "tau.csv"
    file.write_text("t,tau_shoulder,tau_elbow\n0,1,2\n")
    said = refused(capsys, TWO_LINK, "--duration", 0.01, "--control", file, "--out", file)
    assert "is the file of joint forces itself" in said
    assert file.read_text().count("\n") == 2


@pytest.mark.parametrize(("locked", "said"), [("run.csv", "the file is"), ("", "the folder")])
def test_what_could_not_be_written_is_refused_before_the_run(capsys, tmp_path, monkeypatch, locked, said):
    if locked:
        (tmp_path / "run.csv").touch()
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path / locked)
    monkeypatch.setattr(command, "simulate", None)  # it is not called
    assert f"{said}" in refused(capsys, TWO_LINK, "--out", tmp_path / "run.csv")


def test_how_steps_are_made_by_default(capsys, tmp_path):
    """As in Python: by rk43, unless rigid contact makes velocities jump."""
    found = as_json(capsys, TWO_LINK, "--q", "elbow=1", "--duration", "5")
    assert found["energy"]["end"]["total"] == pytest.approx(found["energy"]["start"]["total"], rel=1e-8)
    rough, smooth = ([TWO_LINK, "--passive"], [tmp_path / "smooth.urdf", "--passive"])
    smooth[0].write_text(re.sub('friction="[0-9.]*"', "", Path(TWO_LINK).read_text()))
    for argv, wanted in (
        ([TWO_LINK], "rk43"),
        (smooth, "rk43"),
        (rough, "rk43"),
        ([TWO_LINK, "--contact", "tool"], "semi_implicit_euler"),
        ([*rough, "--contact", "tool"], "semi_implicit_parts"),
    ):
        assert as_json(capsys, *argv, "--duration", "0.01")["integrator"] == wanted


def test_random_starts(capsys, tmp_path, arm):
    file = tmp_path / "runs.npz"
    found = as_json(capsys, TWO_LINK, "--samples", 7, "--seed", 3, "--duration", 0.05, "--record", 10, "--out", file)
    wanted = sixd.simulate(arm, arm.random(3, 7), np.zeros(2), 0.05, record=10, integrator="rk4")
    with np.load(file) as arrays:
        np.testing.assert_array_equal(arrays["q"], wanted.q)
    assert found["samples"] == 7
    assert np.shape(found["energy"]["end"]["total"]) == (7,)
    out = told(capsys, TWO_LINK, "--samples", 7, "--duration", 0.05, "--control", "pd", "--kp", 1, "--kd", 1)
    assert "51 states of 7 samples" in out
    assert out.count(" to ") > 3


@pytest.mark.filterwarnings("ignore::sixd.ModelWarning")
def test_a_quadruped_lands_on_its_feet(capsys):
    argv = [ANYMAL, "--base", "free", "--contact", *FEET, "--clearance", 0.02, "--radius", 0.03, "--friction", 0.6]
    code, out, _ = ran(capsys, *argv, "--control", "pd", "--kp", 80, "--kd", 4, "--duration", 1, "--json")
    found, robot = json.loads(out), sixd.load(ANYMAL, base="free")
    assert code == 0
    assert [site["site"] for site in found["contact"]] == FEET
    assert np.abs(found["end"]["qd"]).max() < 1e-2
    q0 = robot.neutral()
    q0[6] += 0.02 + 0.03 - min(robot.pose(q0, foot)[2, 3] for foot in FEET)
    contacts = Contacts.of(robot, FEET, law="rigid", radius=0.03, friction=0.6)
    control = JointPD(80.0, 4.0)
    run = sixd.simulate(robot, q0, np.zeros(18), 1.0, contacts=contacts, control=control, inputs={"q_target": q0})
    assert found["end"]["q"] == run.q[-1].tolist()
    forces = np.linalg.norm(run.contact_forces, axis=-1)
    assert [site["end"] for site in found["contact"]] == forces[-1].tolist()
    assert [site["largest"] for site in found["contact"]] == forces.max(axis=0).tolist()
    np.testing.assert_allclose(run.contact_forces[-1, :, 2].sum(), robot.mass * 9.81, rtol=1e-3)


def test_pages_and_plots(capsys, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    page, plot = tmp_path / "run.html", tmp_path / "run.png"
    told(capsys, TWO_LINK, "--qd", 1, 0, "--duration", 0.1, "--html", page, "--plot", plot)
    assert "two-link arm" in page.read_text()
    assert plot.read_bytes().startswith(b"\x89PNG")
    told(capsys, TWO_LINK, "--samples", 3, "--duration", 0.1, "--html", page, "--plot", plot)
    assert pyplot.get_fignums() == []


# ---- what goes wrong


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--dt", "0"], "--dt must be a positive number of seconds, not 0"),
        (["--dt", "-1e-3"], "--dt must be a positive number"),
        (["--dt", "nan"], "--dt must be a positive number"),
        (["--duration", "-1"], "--duration must be a finite number of seconds"),
        (["--duration", "0.0015"], "must be a whole number"),
        (["--dt", "1e9"], "--duration = 1 s is less than one step of dt = 1e+09 s: take a smaller dt"),
        (["--contact", "tool", "tool"], "the point at 'tool' is there twice"),
        (["--record", "2000"], "--record 2000 keeps nothing of a run of 1000 steps"),
        (["--q", "1", "2", "3"], "--q needs 2 numbers (shoulder, elbow), not 3"),
        (["--qd", "elbo=2"], "did you mean 'elbow'?"),
        (["--q", "nan", "0"], "--q must be finite"),
        (["--contact", "tol"], "no frame named 'tol'; did you mean 'tool'?"),
        (["--contact", "tool", "--friction", "-1"], "friction of rigid contact"),
        (["--contact", "tool", "--integrator", "rk4"], "use 'semi_implicit_euler'"),
        (["--friction", "0.5"], "add --contact FRAME"),
        (["--clearance", "0.1"], "give --base free and --contact FRAME too"),
        (["--control", "pd"], "--control pd needs gains"),
        (["--control", "pd", "--kp", "1", "2", "3", "--kd", "1"], "kp needs one number or 2, not 3"),
        (["--control", "pd", "--kp", "1", "--kd", "1", "--target", "1"], "--target needs 2 numbers"),
        (["--kp", "3"], "--kp is for --control pd"),
        (["--control", "pdd"], "not 'pdd'; did you mean pd?"),
        (["--control", "pd", "run.csv"], "one file alone"),
        (["--control", "nowhere.csv"], "No such file"),
        (["--gravity", "0", "0", "nan"], "gravity must be three finite numbers"),
        (["--samples", "3", "--q", "1", "1"], "--samples are random starts"),
        (["--samples", "3", "--out", "runs.csv"], "write a batch to an .npz file"),
        (["--out", "nowhere/run.csv"], "make the folder nowhere first"),
        (["--html", "nowhere/run.html"], "make the folder nowhere first"),
        (["--html", "run.txt"], "--html: run.txt must be a .html or .htm file"),
        (["--plot", "docs"], "--plot: docs must be a"),
        (["--plot", "run.bmp"], ".png, .svg or .pdf file"),
        (["--out", "run.xlsx"], ".csv, .npz or .parquet file"),
    ],
)
def test_what_cannot_be_simulated(capsys, argv, message):
    assert message in refused(capsys, TWO_LINK, *argv)


def test_what_does_not_move(capsys, tmp_path):
    (tmp_path / "stone.urdf").write_text(robot_text(link("stone")))
    assert "has no joint that moves" in refused(capsys, tmp_path / "stone.urdf")
    fallen = as_json(capsys, tmp_path / "stone.urdf", "--base", "free", "--duration", 1, "--integrator", "rk4")
    np.testing.assert_allclose(fallen["end"]["q"][6], -9.81 / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,x\n0,1\n", "columns are missing: tau_shoulder, tau_elbow"),
        (
            "t,tau_elbow_cmd,tau_shoulder_cmd\n0,1,2\n",
            "be tau_shoulder from tau_shoulder_cmd?, tau_elbow from tau_elbow_c",
        ),
        ("t,tau_elbow [V],tau_shoulder\n0,1,2\n", "'tau_elbow [V]' would be in 'V'"),
        ("t,tau_shoulder,tau_elbow\n0,1,\n", "row 0, counted from 0"),
        ("t,tau_shoulder,tau_elbow\n0.5,1,2\n", "from t = 0 on"),
        ("t,tau_shoulder,tau_elbow\n0,1,2\n0,1,2\n", "increase from row to row"),
        ("t,tau_shoulder,tau_elbow\n", "from t = 0 on"),
        ("tau_shoulder,tau_elbow\n1,2\n1,2\n", "it has 2 rows, but the run has 1000 steps: give a row for each"),
    ],
)
def test_files_of_joint_forces_that_do_not_fit(capsys, tmp_path, text, message):
    (tmp_path / "tau.csv").write_text(text)
    assert message in refused(capsys, TWO_LINK, "--control", tmp_path / "tau.csv")


@pytest.mark.parametrize("name", ["timestamp", "Time", "# t", "t [C]", "time_s,time_ns", "t0"])
def test_times_that_are_not_clear_are_not_passed_over(capsys, tmp_path, name):
    """As many rows as steps, with a column that looks like a time."""
    times = ["0,0", "0.001,1"] if "," in name else ["0", "0.001"]
    lines = [f"{name},tau_shoulder,tau_elbow", *(f"{t},1,2" for t in times)]
    (tmp_path / "tau.csv").write_text("\n".join(lines))
    said = refused(capsys, TWO_LINK, "--duration", 0.002, "--control", tmp_path / "tau.csv")
    assert f"{name.split(',')[0]!r}" in said
    assert "may be its times: name one t or time" in said
    np.savez(tmp_path / "tau.npz", t=np.zeros((2, 1)), tau=np.zeros((2, 2)))
    assert "column 't' may be its" in refused(capsys, TWO_LINK, "--duration", 0.002, "--control", tmp_path / "tau.npz")


def test_times_in_seconds_by_name(capsys, tmp_path):
    argv = [TWO_LINK, "--duration", 0.1, "--control"]
    (tmp_path / "a.csv").write_text("t,tau_shoulder,tau_elbow\n0,1,2\n0.05,-1,0\n")
    (tmp_path / "b.csv").write_text("t_sec,tau_shoulder,tau_elbow\n0,1,2\n0.05,-1,0\n")
    assert as_json(capsys, *argv, tmp_path / "b.csv")["end"] == as_json(capsys, *argv, tmp_path / "a.csv")["end"]


@pytest.mark.parametrize(
    ("option", "package"), [(["--plot", "run.png"], "matplotlib"), (["--out", "run.parquet"], "pyarrow")]
)
def test_missing_extras_are_told_before_the_run(capsys, monkeypatch, option, package):
    for name in (package, f"{package}.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(command, "simulate", None)
    assert "pip install 'sixd[" in refused(capsys, TWO_LINK, *option)


BLOWN = ["--dt", "0.5", "--duration", "100", "--integrator", "rk4"]


def test_a_run_that_blows_up_keeps_what_was_computed(capsys, tmp_path):
    files = [tmp_path / name for name in ("run.csv", "run.html", "run.png")]
    options = [
        word for option, file in zip(("--out", "--html", "--plot"), files, strict=True) for word in (option, file)
    ]
    code, out, err = ran(capsys, TWO_LINK, *BLOWN, "--qd", 50, 50, *options)
    assert (code, err.count("\n")) == (2, 1)
    assert "the state is not finite after t = " in err
    found = read(files[0])
    assert 1 <= len(found["t"]) < 200
    assert all(np.isfinite(column).all() for column in found.values())
    cut = f" up to t = {found['t'][-1]:g} s, where numbers grow beyond 1e+12"
    assert out == "".join(f"wrote {file}{cut}\n" for file in files)


def test_a_run_that_blows_up_is_told_as_json(capsys, tmp_path):
    code, out, err = ran(capsys, TWO_LINK, *BLOWN, "--qd", 50, 50, "--json", "--out", tmp_path / "run.csv")
    found = json.loads(out)
    assert (code, err.count("\n")) == (2, 1)
    assert not found["finished"]
    assert "not finite" in found["ended"]
    assert found["written"] == [str(tmp_path / "run.csv")]


def test_samples_that_blow_up_leave_the_others_alone(capsys, tmp_path, arm, monkeypatch):
    starts = np.array([[0.0, 0.0], [50.0, 50.0]])  # the first stands still, upright
    monkeypatch.setattr(command, "start_of", lambda *_: (np.zeros((2, 2)), starts))
    code, out, err = ran(capsys, TWO_LINK, *BLOWN, "--samples", 2, "--out", tmp_path / "runs.npz")
    assert (code, err) == (1, "")
    assert "1 of 2 samples blew up" in out
    with np.load(tmp_path / "runs.npz") as arrays:
        assert np.isfinite(arrays["q"][0]).all()
        assert np.isnan(arrays["q"][1, -1]).all()


@pytest.mark.parametrize("integrator", ["rk4", "dopri5"])
def test_an_interrupt_keeps_what_was_computed(capsys, tmp_path, monkeypatch, integrator):
    file, calls, going_on = tmp_path / "run.npz", [], Rollout.run

    def run(*args):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        return going_on(*args)

    monkeypatch.setattr(Rollout, "run", run)
    monkeypatch.setattr("sixd.simulation.run.STRETCH", 1e5)
    argv = [TWO_LINK, "--qd", 3, 0, "--duration", 50, "--integrator", integrator, "--out", file]
    code, out, err = ran(capsys, *argv)
    assert (code, err) == (130, "")
    assert "interrupted at t = " in out
    assert "resume" not in out
    with np.load(file) as arrays:
        assert 1 < len(arrays["t"]) < 50_001
        assert np.isfinite(arrays["q"]).all()
