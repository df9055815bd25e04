"""What pictures of unusual robots show: names with signs of TeX, bases that move, files that change."""

import os

import numpy as np
import pytest

import sixd
from sixd import view
from sixd.simulation.contact import Compliant, Contacts, Point
from sixd.simulation.forces import MovingBase, PolynomialMotion
from sixd.simulation.pictures import _drawn
from sixd.view.meshes.find import read_mesh
from sixd.view.scene import Scene

pyplot = pytest.importorskip("matplotlib.pyplot")
Image = pytest.importorskip("PIL.Image")


def odd_robot():
    b = sixd.Builder("cost $a^{b $ and")
    b.body("a$_$b", joint=sixd.joints.Revolute(), joint_name="_hip", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.body("$x", "a$_$b", sixd.joints.Revolute(), joint_name="knee$^$", xyz=(0, 0, 1), mass=1.0, inertia=(1, 1, 1))
    return b.build()


def test_names_are_shown_letter_by_letter(tmp_path):
    robot = odd_robot()
    run = sixd.simulate(robot, [0.1, 0.2], [0.0, 0.0], 0.1)
    figure = run.plot()
    labels = [text.get_text().strip() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["_hip", r"knee\$^\$"]
    for draw in (figure.savefig, robot.plot().figure.savefig, robot.plot_tree().figure.savefig):
        draw(tmp_path / "a.png", dpi=30)
    run.save_gif(tmp_path / "a.gif", fps=10, dpi=20)


def test_a_plot_is_one_of_pyplots():
    run = sixd.simulate(sixd.gallery.pendulum(), [0.1], [0.0], 0.1)
    figure = run.plot()
    assert pyplot.gcf() is figure


@pytest.mark.parametrize(("fps", "shown"), [(10, 100), (20, 50), (30, 30), (60, 20), (1000, 20)])
def test_gifs_play_as_fast_as_they_say(tmp_path, fps, shown):
    """The pictures together take as long as the motion, whatever hundredths of a second leave."""
    file, t = tmp_path / "a.gif", np.linspace(0.0, 1.2, 121)
    view.save_gif(file, sixd.gallery.pendulum(), t, 5.0 * t[:, None], fps=fps, speed=2.0, dpi=20)
    with Image.open(file) as picture:
        times = []
        for k in range(picture.n_frames):
            picture.seek(k)
            times.append(picture.info["duration"])
    assert min(times) == shown
    assert sum(times) == pytest.approx(600.0, abs=shown)


def test_too_many_pictures_are_refused(tmp_path):
    t = np.linspace(0.0, 1.0, 3)
    with pytest.raises(sixd.ArgumentError, match="pictures are more than"):
        view.save_gif(tmp_path / "a.gif", sixd.gallery.pendulum(), t, t[:, None], speed=1e-9)


def test_a_base_that_moves_is_drawn_where_it_is(tmp_path):
    """The tip touches the ground where contact forces are drawn."""
    robot = sixd.gallery.double_pendulum()
    moving = MovingBase(PolynomialMotion(((0.1,), (0.0,), (0.2, 0.3), (5.0, 1.0), (0.0,), (1.9,))))
    contacts = Contacts([Point("tip")], law=Compliant(stiffness=1e4))
    run = sixd.simulate(robot, [0.1, 0.1], [0.0, 0.0], 0.2, dt=1e-4, record=100, forces=moving, contacts=contacts)
    drawn, q = _drawn(run)
    assert drawn.name == robot.name
    tip = drawn.pose(q, "tip")[..., :3, 3]
    np.testing.assert_allclose(tip[:, :2], run.contact_points[:, 0, :2], atol=1e-12)
    scene = Scene.of(drawn, run.t, q, points=run.contact_points, forces=run.contact_forces)
    assert scene.playback.q.shape == (len(run.t), robot.nq + 7)
    run.save_html(tmp_path / "a.html")


def test_curves_of_a_page_have_no_joint_forces_where_there_are_none(tmp_path):
    for control, there in ((None, False), ([1.0], True)):
        run = sixd.simulate(sixd.gallery.pendulum(), [0.1], [0.0], 0.1, control=control)
        run.save_html(tmp_path / "a.html")
        assert ("joint torques, N m" in (tmp_path / "a.html").read_text()) is there


def test_titles_that_are_no_text_of_unicode(tmp_path):
    view.save_html(tmp_path / "a.html", sixd.gallery.pendulum(), title="a\ud800b")
    assert "a?b" in (tmp_path / "a.html").read_text("utf-8")


def test_colours_are_read_again_when_their_file_has_changed(tmp_path):
    mesh, colors = tmp_path / "m.obj", tmp_path / "m.mtl"
    mesh.write_text("mtllib m.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for k, color in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))):
        colors.write_text(f"newmtl a\nKd {' '.join(map(str, color))}\n")
        os.utime(colors, ns=(k, k))
        (part,) = read_mesh(mesh)
        assert part.color[:3] == color


def test_lines_of_moving_bases_are_named_in_each_panel():
    """Entry 5 of q is a height, that of qd a sideways speed: one legend for both said that these are the same."""
    robot = sixd.gallery.quadruped()
    figure = sixd.simulate(robot, robot.neutral(), np.zeros(18), 0.1).plot(joints=["base", "FL_knee"])
    shown = [
        {line.get_label(): (line.get_color(), line.get_ydata()[-1]) for line in ax.get_lines()}
        for ax in figure.axes[:2]
    ]
    assert list(shown[0]) == [*(f"base {part}" for part in ("qx", "qy", "qz", "qw", "x", "y", "z")), "FL_knee"]
    assert list(shown[1]) == [*(f"base {part}" for part in ("wx", "wy", "wz", "vx", "vy", "vz")), "FL_knee"]
    assert shown[0]["base z"][0] == shown[1]["base vz"][0]
    assert shown[1]["base vz"][1] == pytest.approx(-0.981, rel=1e-12)
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == list(shown[1])[:6]
    assert "rad or m or 1" in figure.axes[0].get_ylabel()
