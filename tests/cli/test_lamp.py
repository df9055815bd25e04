"""The jumping lamp of ``sixd demo``: the laws that hold in flight, the books, the limits, and the page."""

import numpy as np
import pytest

from sixd.cli.lamp import flight_of, hop, story
from sixd.cli.main import main


@pytest.fixture(scope="module")
def run():
    return hop()


@pytest.fixture(scope="module")
def flight(run):
    return flight_of(run)


def speed_of_centre(run, k):
    """The velocity of the centre of mass at a record, (3,)."""
    return run.robot.momentum(run.q[k], run.qd[k], about="com")[3:] / run.robot.mass


def test_it_takes_off_lands_and_stands(run, flight):
    assert run.finished
    touching = (run.contact_forces[..., 1] > 0.0).any(axis=-1)
    assert touching[1:10].all()  # it begins on the ground, at height zero
    assert run.t[flight.last] - run.t[flight.first] > 0.2
    foot = run.q[:, 1]
    assert foot.max() > 0.10
    assert flight.first < foot.argmax() < flight.last
    assert touching[-10:].all()
    assert np.abs(run.qd[-1]).max() < 0.01
    assert abs(run.q[-1, 2]) < 1e-3  # upright: both ends of the foot are down
    weight = run.robot.mass * np.linalg.norm(run.robot.gravity)
    np.testing.assert_allclose(run.contact_forces[-1, :, 1].sum(), weight, rtol=1e-3)


def test_in_flight_the_centre_of_mass_keeps_to_a_parabola(run, flight):
    """The parabola is that of take-off: its place and its velocity, and gravity, with nothing fitted."""
    during = slice(flight.first, flight.last + 1)
    t = run.t[during] - run.t[flight.first]
    start = run.center_of_mass[flight.first]
    wanted = start + np.outer(t, speed_of_centre(run, flight.first)) + 0.5 * np.outer(t**2, run.robot.gravity)
    assert np.abs(run.center_of_mass[during] - wanted).max() < 1e-9
    assert flight.off_parabola < 1e-9


def test_in_flight_the_angular_momentum_is_constant(run, flight):
    during = slice(flight.first, flight.last + 1)
    spin = run.robot.momentum(run.q[during], run.qd[during], about="com")[:, 2]
    assert np.abs(spin - spin[0]).max() < 1e-9 * np.abs(spin).max()
    assert np.abs(spin).max() > 1e-3  # it turns, so that this says something
    joints = run.qd[during, 3:]
    assert np.abs(joints - joints[0]).max() > 1.0  # while the joints move


def test_books_balance(run):
    """Work of motors and ground is the change of the mechanical energy, within 0.1 % of the motors' work."""
    assert run.sources[0] == "motors"
    change = run.mechanical_energy - run.mechanical_energy[0]
    assert np.abs(run.work.sum(axis=-1) - change).max() < 1e-3 * run.work[:, 0].max()
    assert run.work[-1, 0] > 0.0 > run.work[-1, 1]  # motors lift it, the ground takes it again


def test_motors_keep_to_their_limits(run):
    for name in ("theta1", "theta2"):
        (most,) = run.robot.joint(name).effort
        used = np.abs(run.joint(name).tau).max()
        assert 0.0 < used <= most
    base = run.robot.joints[0]
    assert not run.tau[:, base.v].any()  # no motor moves the foot in the world


def test_demo_writes_the_page(capsys, tmp_path, run):
    page = tmp_path / "lamp.html"
    assert main(["demo", "--out", str(page)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert story(run) in said.out
    assert f"The page is {page}" in said.out
    text = page.read_text()
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert "jumping lamp" in text
    assert "theta2" in text


def test_demo_without_a_folder(capsys, tmp_path):
    assert main(["demo", "--out", str(tmp_path / "nowhere" / "lamp.html")]) == 2
    said = capsys.readouterr()
    assert said.out == ""  # said before anything is computed
    assert "make the folder" in said.err
    assert said.err.count("\n") == 1
