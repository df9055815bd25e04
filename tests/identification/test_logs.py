"""Logs in all their forms, and what is wrong with them."""

import csv

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.identification import fit
from sixd.identification.logs import read_log
from tests.identification.trials import motion
from tests.laws.trees import coupled

KINDS = ("q", "qd", "qdd", "tau")


@pytest.fixture(scope="module")
def robot():
    return sixd.gallery.seven_axis_arm()


@pytest.fixture
def log(robot):
    return motion(robot, np.random.default_rng(0), 40)


def columns(robot, log, names=None):
    """The columns of a table, by name; joints in the order of the coordinates."""
    found = {}
    for kind in KINDS:
        for k, joint in enumerate(names or robot.joints.names):
            found[f"{kind}_{joint}"] = log[kind][:, k]
    return found


def write_csv(path, table):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(x.tolist() for x in table.values()), strict=True))
    return path


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_all_forms_are_the_same(robot, log, tmp_path):
    wanted = read_log(robot, log)
    np.savez(tmp_path / "log.npz", **log)
    table = columns(robot, log)
    assert same(read_log(robot, tmp_path / "log.npz"), wanted)
    assert same(read_log(robot, str(write_csv(tmp_path / "log.csv", table))), wanted)
    backwards = dict(reversed(table.items()))
    assert same(read_log(robot, write_csv(tmp_path / "turned.csv", backwards)), wanted)


def test_other_columns_are_passed_over(robot, log, tmp_path):
    """The index that pandas writes, words, currents and times of day."""
    others = ("", "note", "i_shoulder", "timestamp")
    table = {name: np.full(40, "12:30") for name in others} | columns(robot, log)
    assert same(read_log(robot, write_csv(tmp_path / "log.csv", table)), read_log(robot, log))
    np.savez(tmp_path / "log.npz", joint_names=robot.joints.names, notes=np.array([{}], dtype=object), **log)
    assert same(read_log(robot, tmp_path / "log.npz"), read_log(robot, log))


def test_parquet(robot, log, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns(robot, log)), tmp_path / "log.parquet")
    assert same(read_log(robot, tmp_path / "log.parquet"), read_log(robot, log))
    (tmp_path / "log.parquet").write_bytes(b"nothing")
    with pytest.raises(SixdError, match=r"log.parquet"):
        read_log(robot, tmp_path / "log.parquet")


def test_parquet_without_pyarrow(robot, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "log.parquet").write_bytes(b"")
    with pytest.raises(SixdError, match=r"pip install sixd\[tables\]"):
        read_log(robot, tmp_path / "log.parquet")


def test_joints_with_several_coordinates_and_mimic_joints(tmp_path):
    robot = coupled()
    log = motion(robot, np.random.default_rng(0), 5)
    table = {}
    for joint in robot.joints:
        for kind in KINDS if joint.mimic is None else ():
            own = log[kind][:, joint.q if kind == "q" else joint.v]
            for k, x in enumerate(own.T):
                table[f"{kind}_{joint.name}" + (f"[{k}]" if own.shape[1] > 1 else "")] = x
    assert same(read_log(robot, write_csv(tmp_path / "log.csv", table)), read_log(robot, log))


def test_from_a_file_to_a_robot_in_one_call(robot, log, tmp_path):
    found = fit(robot, write_csv(tmp_path / "log.csv", columns(robot, log)))
    q, qd, qdd = log["q"], log["qd"], log["qdd"]
    np.testing.assert_allclose(found.robot.inverse_dynamics(q, qd, qdd), log["tau"], atol=1e-9)


def test_a_column_that_no_joint_has(robot, log, tmp_path):
    table = {name.replace("tau_joint3", "tau_joint33"): x for name, x in columns(robot, log).items()}
    with pytest.raises(SixdError, match=r"missing: tau_joint3; it has .*tau_joint3 from tau_joint33\?"):
        read_log(robot, write_csv(tmp_path / "log.csv", table))


def test_columns_that_are_missing(robot, log, tmp_path):
    table = {name: x for name, x in columns(robot, log).items() if not name.startswith("qdd")}
    with pytest.raises(SixdError, match=r"log.csv: columns are missing: qdd_joint1, .*savgol_filter"):
        read_log(robot, write_csv(tmp_path / "log.csv", table))
    with pytest.raises(SixdError, match=r"qdd missing.*savgol_filter"):
        read_log(robot, {name: x for name, x in log.items() if name != "qdd"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no table"),
        ("{names}\n1.0\n", ":2: 1 entries for 28 columns"),
        ("{names}\n{numbers},fast\n", "no number.*fast"),
    ],
)
def test_files_that_are_no_tables(robot, log, tmp_path, text, message):
    names = ",".join(columns(robot, log))
    (tmp_path / "log.csv").write_text(text.format(names=names, numbers=",".join(["1"] * 27)))
    with pytest.raises(SixdError, match=message):
        read_log(robot, tmp_path / "log.csv")


def test_other_files(robot, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"log\.csv"):
        read_log(robot, tmp_path / "log.csv")
    with pytest.raises(SixdError, match=r"must be a .csv, .npz or .parquet"):
        read_log(robot, tmp_path / "log.txt")
    (tmp_path / "log.npz").write_bytes(b"nothing")
    with pytest.raises(SixdError, match=r"log.npz: it is no archive"):
        read_log(robot, tmp_path / "log.npz")
    objects = np.full((2, 7), None)
    np.savez(tmp_path / "log.npz", q=objects, qd=objects, qdd=objects, tau=objects)
    with pytest.raises(SixdError, match=r"log.npz: q is an array of object, not of real numbers"):
        read_log(robot, tmp_path / "log.npz")


def test_wrong_arrays(robot, log):
    with pytest.raises(SixdError, match=r"tau of log has shape \(40, 6\), but \(..., 7\) is needed"):
        read_log(robot, log | {"tau": log["tau"][:, :6]})
    with pytest.raises(SixdError, match="as many samples"):
        read_log(robot, log | {"tau": log["tau"][:39]})
    with pytest.raises(SixdError, match=r"\(samples, 7\) is needed"):
        read_log(robot, log | {"q": log["q"][0]})
    with pytest.raises(SixdError, match="unknown entry 'current'"):
        read_log(robot, log | {"current": log["tau"]})
    bad = log["qd"].copy()
    bad[3, 2] = np.nan
    with pytest.raises(SixdError, match="qd of sample 3 is not finite"):
        read_log(robot, log | {"qd": bad})


def test_degrees(robot, log):
    with pytest.raises(SixdError, match=r"joint 'joint1' .* degrees"):
        read_log(robot, log | {"q": np.degrees(log["q"])})


def test_units_in_the_names_of_columns(robot, log, tmp_path):
    """Degrees by name are converted; a column without the name of a joint is refused, whatever their order."""
    table = columns(robot, log)
    degrees = {name.replace("q_joint3", "q_joint3 [deg]"): x for name, x in table.items()}
    degrees["q_joint3 [deg]"] = np.degrees(table["q_joint3"])
    np.testing.assert_allclose(read_log(robot, write_csv(tmp_path / "log.csv", degrees)).q, log["q"], rtol=1e-14)
    measured = {f"{name}_meas" if name.startswith("q_") else name: x for name, x in reversed(table.items())}
    with pytest.raises(SixdError, match=r"q_joint1 from q_joint1_meas\?"):
        read_log(robot, write_csv(tmp_path / "log.csv", measured))
    np.savez(tmp_path / "log.npz", **{"q [deg]": np.degrees(log["q"])}, **{k: log[k] for k in KINDS[1:]})
    np.testing.assert_allclose(read_log(robot, tmp_path / "log.npz").q, log["q"], rtol=1e-14)
