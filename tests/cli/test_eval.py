"""``sixd eval``: one state and files of states give what the methods give on whole arrays."""

import json
from itertools import product

import numpy as np
import pytest

import sixd
from sixd.cli.main import main
from sixd.cli.quantities import QUANTITIES
from sixd.cli.states import state_part
from sixd.joints import Revolute
from sixd.tables import FORMATS, create_table, open_table, state_field
from tests.robots import example_urdf

TWO_LINK = "examples/two_link.urdf"
ROWS = 20_000


@pytest.fixture(autouse=True)
def _at_the_root(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)


@pytest.fixture(scope="module")
def arm():
    return sixd.load(TWO_LINK)


def states(robot, n, names=("q", "qd", "qdd", "tau"), seed=0):
    rng = np.random.default_rng(seed)
    values = {"q": robot.random(rng, n)} | {name: rng.normal(size=(n, robot.nv)) for name in ("qd", "qdd", "tau")}
    return {name: values[name] for name in names}


def save(path, robot, values):
    fields = [state_field(robot, name) for name in values]
    with create_table(path, fields) as table:
        table.write(values)
    return str(path)


def read(path):
    with open_table(path) as table:
        return table.read()


def told(capsys, *argv, warned=""):
    """What a command prints; it must end well and say nothing on standard error but a warning."""
    assert main(list(map(str, argv))) == 0
    said = capsys.readouterr()
    assert said.err.count("\n") == bool(warned)
    assert said.err.startswith(warned)
    return said.out


def refused(capsys, *argv):
    """What a command complains of, in one line."""
    assert main(list(map(str, argv))) == 2
    said = capsys.readouterr()
    assert said.err.startswith("sixd: ")
    assert said.err.count("\n") == 1
    return said.out + said.err


def flat(quantity, robot, values):
    field = QUANTITIES[quantity].field(robot)
    return field.spread(np.asarray(values))


# ---- one state


def as_json(capsys, *argv):
    return json.loads(told(capsys, *argv, "--json"))


def test_torques_of_one_state(capsys, arm):
    found = as_json(capsys, "eval", "id", TWO_LINK, "--q", "0.1", "-2e-1", "--qd", "1,-2", "--qdd", "elbow=3")
    assert found["state"] == {"q": [0.1, -0.2], "qd": [1.0, -2.0], "qdd": [0.0, 3.0]}
    assert found["result"] == arm.inverse_dynamics([0.1, -0.2], [1.0, -2.0], [0.0, 3.0]).tolist()
    assert found["labels"] == [["shoulder", "elbow"]]


def test_what_is_printed(capsys):
    text = told(capsys, "eval", "gravity", TWO_LINK, "--q", "shoulder=0.5")
    assert text.splitlines()[0] == "g: joint forces that hold the robot still, at q = (0.5, 0)"
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["shoulder", "elbow"]
    assert text.count("N m") == 2
    text = told(capsys, "eval", "mass", TWO_LINK)
    assert "at q = neutral" in text
    assert text.splitlines()[1].split() == ["shoulder", "elbow"]


@pytest.mark.parametrize("name", [name for name, row in QUANTITIES.items() if not row.of_loops])
def test_every_quantity(capsys, arm, name):
    quantity = QUANTITIES[name]
    words = [word for part in quantity.needs for word in (f"--{part}", "random")]
    frame = ["--frame", "tool"] if quantity.of_frame else []
    found = as_json(capsys, "eval", name, TWO_LINK, *words, *frame)
    assert as_json(capsys, "eval", quantity.method, TWO_LINK, *words, *frame) == found
    state = [np.array(found["state"][part]) for part in quantity.needs]
    wanted = np.asarray(getattr(arm, quantity.method)(*state, *frame[1:]))
    if name == "pose":
        X = sixd.Transform.from_quaternion(found["result"][3:], found["result"][:3])
        np.testing.assert_allclose(X.pose(), wanted, atol=1e-14)
        return
    assert np.shape(found["result"]) == wanted.shape == tuple(map(len, found["labels"]))
    np.testing.assert_array_equal(found["result"], wanted)
    assert told(capsys, "eval", name, TWO_LINK, *words, *frame).startswith(quantity.symbol)


def test_coordinates_of_motions(capsys, arm):
    argv = ["eval", "jacobian", TWO_LINK, "--frame", "tool", "--q", "0.3", "0.4"]
    found = as_json(capsys, *argv, "--expressed-in", "aligned")
    np.testing.assert_array_equal(found["result"], arm.jacobian([0.3, 0.4], "tool", "aligned"))


def test_a_free_base(capsys):
    found = as_json(capsys, "eval", "gravity", TWO_LINK, "--base", "free")
    assert found["labels"][0][:6] == [f"base[{k}]" for k in range(6)]
    np.testing.assert_allclose(found["result"][5], 3.0 * 9.81)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["eval", "idd", TWO_LINK], "did you mean id"),
        (["eval", "inverse_dynamic", TWO_LINK], "did you mean inverse_dynamics"),
        (["eval", "id", TWO_LINK, "--q", "1"], "--q needs 2 numbers (shoulder, elbow), not 1"),
        (["eval", "id", TWO_LINK, "--q", "1", "x"], "--q: 'x' is no number"),
        (["eval", "id", TWO_LINK, "--q", "zero"], "--q takes numbers, name=value, neutral or random, not 'zero'"),
        (["eval", "id", TWO_LINK, "--q", "elbo=1"], "no coordinate (--q) named 'elbo'; did you mean 'elbow'?"),
        (["eval", "id", TWO_LINK, "--q", "elbow=x"], "--q elbow: 'x' is no number"),
        (["eval", "mass", TWO_LINK, "--qd", "1", "2"], "mass depends on q: leave out --qd"),
        (["eval", "pose", TWO_LINK], "add --frame NAME"),
        (["eval", "pose", TWO_LINK, "--frame", "tol"], "did you mean 'tool'?"),
        (["eval", "mass", TWO_LINK, "--frame", "tool"], "leave out --frame"),
        (["eval", "pose", TWO_LINK, "--frame", "tool", "--expressed-in", "world"], "leave out --expressed-in"),
        (["eval", "mass", "nowhere.urdf"], "nowhere.urdf: it cannot be read: No such file or directory"),
        (["eval", "mass", "examples"], "examples: it cannot be read: Is a directory"),
        (["eval", "mass", TWO_LINK, "--out", "x.csv"], "add --states FILE"),
    ],
)
def test_wrong_use(capsys, argv, message):
    assert message in refused(capsys, *argv)


# ---- files of states


@pytest.mark.parametrize(("suffix", "out"), list(product(FORMATS, FORMATS)))
def test_files_of_states(tmp_path, capsys, arm, suffix, out):
    """Several chunks, a time, rows in any format to rows in any other: the same bits as the method on all of them."""
    pytest.importorskip("pyarrow")
    n = 500
    values = states(arm, n, ("q", "qd", "qdd"))
    save(tmp_path / f"in{suffix}", arm, values)
    argv = ["--states", tmp_path / f"in{suffix}", "--out", tmp_path / f"o{out}", "--chunk", 64]
    told(capsys, "eval", "id", TWO_LINK, *argv)
    found, tau = read(tmp_path / f"o{out}"), arm.inverse_dynamics(*values.values())
    wanted = {"tau": tau} if out == ".npz" else flat("id", arm, tau)
    assert found.keys() == wanted.keys()
    for name, x in wanted.items():
        np.testing.assert_array_equal(found[name], x)


@pytest.mark.parametrize("quantity", ["id", "mass", "jacobian"])
def test_twenty_thousand_rows(tmp_path, capsys, quantity):
    pytest.importorskip("pyarrow")
    path = example_urdf("xarm_description/xarm7")
    robot = sixd.load(path)
    values = states(robot, ROWS, ("q", "qd", "qdd"))
    values["q"][17, 3], values["qd"][ROWS - 1, 0] = np.nan, np.inf
    save(tmp_path / "in.parquet", robot, values)
    frame = ["--frame", "link_eef"] if quantity == "jacobian" else []
    argv = ["--states", tmp_path / "in.parquet", "--out", tmp_path / "out.parquet", "--chunk", 3000, *frame]
    needs = QUANTITIES[quantity].needs
    which = f"the results of {2 if 'qd' in needs else 1} of 20,000 rows are not finite; the first is row 17"
    told(capsys, "eval", quantity, path, *argv, warned=f"sixd: warning: {tmp_path / 'in.parquet'}: {which}")
    whole = getattr(robot, QUANTITIES[quantity].method)(*(values[name] for name in needs), *frame[1:])
    wanted, found = flat(quantity, robot, whole), read(tmp_path / "out.parquet")
    assert list(found) == list(wanted)
    for name, x in wanted.items():
        np.testing.assert_array_equal(found[name], x)
    bad = np.flatnonzero(np.isnan(next(iter(found.values()))))
    assert bad.tolist() == ([17, ROWS - 1] if "qd" in needs else [17])


def test_results_on_standard_output_and_times(tmp_path, capsys, arm):
    (tmp_path / "in.csv").write_text("t,q_elbow,note,q_shoulder\n0.5,0.1,x,0.2\n1.0,,y,0.4\n")
    text = told(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv", warned="sixd: warning: ")
    g = arm.gravity_forces([0.2, 0.1])
    assert text.splitlines() == ["t,g_shoulder,g_elbow", f"0.5,{float(g[0])!r},{float(g[1])!r}", "1.0,nan,nan"]


def test_words_of_states(capsys, arm):
    """Numbers as people write them, and names with blanks; what is given twice is refused."""
    assert as_json(capsys, "eval", "gravity", TWO_LINK, "--q", "-5.", "-1e-3")["state"]["q"] == [-5.0, -1e-3]
    assert "--q gives elbow more than once" in refused(capsys, "eval", "gravity", TWO_LINK, "--q", "elbow=1", "elbow=2")
    assert "'45deg' is no number, in rad or m" in refused(capsys, "eval", "gravity", TWO_LINK, "--q", "45deg", "0")
    named = sixd.Builder("named").body("link", joint=Revolute("y"), joint_name="left arm, upper", mass=1.0).build()
    np.testing.assert_array_equal(state_part(named, "q", ["left arm, upper=0.5"], 0).values, [0.5])


def test_results_that_are_not_finite_are_told(capsys):
    assert main(["eval", "gravity", TWO_LINK, "--q", "nan", "0"]) == 0
    assert "the result is not finite" in capsys.readouterr().err


def test_columns_by_order_and_constants(tmp_path, capsys, arm):
    (tmp_path / "in.csv").write_text("q0,q1\n0.1,0.2\n")
    out = tmp_path / "out.npz"
    told(capsys, "eval", "id", TWO_LINK, "--states", tmp_path / "in.csv", "--out", out, "--qd", "zero", "--qdd", 1, 2)
    np.testing.assert_array_equal(read(out)["tau"], arm.inverse_dynamics([[0.1, 0.2]], [0.0, 0.0], [1.0, 2.0]))


def test_no_rows(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("q0,q1\n")
    assert told(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv") == "g_shoulder,g_elbow\n"


def test_files_that_do_not_fit(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arm = str(example_urdf("ur_description/ur5_robot"))
    (tmp_path / "in.csv").write_text("q0,q1\n0.1,0.2\n")
    argv = ["eval", "id", arm, "--states", "in.csv"]
    said = refused(capsys, *argv)
    assert "columns are missing: q_shoulder_pan_joint, q_shoulder_lift_joint" in said
    assert "and 6 more" in said
    assert not said.startswith("tau")  # no header of a table without rows
    argv = ["eval", "gravity", arm, "--states", "in.csv", "--out"]
    assert "is the file of states itself" in refused(capsys, *argv, "./in.csv")
    assert "columns are missing" in refused(capsys, *argv, "out.csv")
    assert "No such file" in refused(capsys, *argv[:3], "--states", "nothing.csv")
    assert "must be a .csv" in refused(capsys, *argv[:3], "--states", "nothing.txt")
    (tmp_path / "folder.csv").mkdir()
    assert "it is a folder" in refused(capsys, *argv[:3], "--states", "folder.csv")
    assert "all of the state is given" in refused(capsys, *argv[:3], "--states", "in.csv", "--q", "neutral")
    assert "--json is for one state" in refused(capsys, *argv[:3], "--states", "in.csv", "--json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.csv", "in.csv"]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, arm):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    path = save(tmp_path / "in.csv", arm, states(arm, 5, ("q",)))
    monkeypatch.setattr(sixd.Robot, "gravity_forces", interrupted)
    assert main(["eval", "gravity", TWO_LINK, "--states", path, "--out", str(tmp_path / "out.npz")]) == 130
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


def test_columns_with_other_names_and_with_units(tmp_path, capsys, arm):
    """Columns are matched by the names of joints, never by their order; units in names are converted."""
    (tmp_path / "in.csv").write_text("q_elbow_meas,q_shoulder_meas\n0.1,0.2\n")
    said = refused(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv")
    assert "the pairing by name would be q_shoulder from q_shoulder_meas?, q_elbow from q_elbow_meas?" in said
    (tmp_path / "in.csv").write_text("time [ms],q_elbow [deg],q_shoulder_rad\n500,90,0.2\n")
    out = tmp_path / "out.npz"
    told(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv", "--out", out)
    np.testing.assert_array_equal(read(out)["g"], arm.gravity_forces([[0.2, np.pi / 2]]))
    np.testing.assert_array_equal(read(out)["time"], [0.5])
    for other in ("time [UTC]", "t (a),t (b)", "time_s,time_ns", "t0", "timestamp"):  # is no time, and none is needed
        (tmp_path / "in.csv").write_text(f"{other},q1,q2{chr(10)}{'1,' * len(other.split(','))}0.1,0.2{chr(10)}")
        told(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv", "--out", out)
        assert list(read(out)) == ["g"]
    (tmp_path / "in.csv").write_text("q_elbow [V],q_shoulder\n0.1,0.2\n")
    said = refused(capsys, "eval", "gravity", TWO_LINK, "--states", tmp_path / "in.csv")
    assert "'q_elbow [V]' would be in 'V'" in said
