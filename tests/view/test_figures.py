"""Pictures by matplotlib, and what is said where it is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, gallery, view
from sixd.mechanisms import four_bar, stewart_platform
from sixd.view.tree_figure import places

pytest.importorskip("matplotlib")
T = np.linspace(0.0, 0.4, 9)


def pixels(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba(), dtype=float)[..., :3]


def test_the_robot_is_visible_and_moves():
    robot = gallery.puma560()
    first, second = (pixels(robot.plot(q)) for q in (robot.neutral(), robot.neutral() + 0.5))
    assert (first < 200).any(axis=-1).mean() > 0.01
    assert (np.abs(first - second) > 30).any(axis=-1).mean() > 0.01


def test_layers_and_forces_are_drawn():
    robot = gallery.double_pendulum()
    plain = pixels(robot.plot(layers="skeleton"))
    for layers in (("skeleton", "axes"), ("skeleton", "frames"), ("skeleton", "coms"), ("skeleton", "inertias")):
        assert (pixels(robot.plot(layers=layers)) != plain).any()
    ax = view.plot(
        robot, points=[[0.0, 0.0, 0.0]], forces=[[0.0, 0.0, 9.0]], layers=("skeleton", "forces"), title="pushed"
    )
    assert "pushed" in ax.get_title()
    assert (np.abs(pixels(ax) - (212, 31, 90)).sum(axis=-1) < 60).any()


def test_axes_that_are_given_are_used():
    from matplotlib import pyplot

    ax = pyplot.figure().add_subplot(projection="3d")
    assert gallery.pendulum().plot(ax=ax) is ax
    with pytest.raises(ArgumentError, match="three dimensions"):
        gallery.pendulum().plot(ax=pyplot.figure().add_subplot())
    flat = pyplot.figure().add_subplot()
    assert gallery.pendulum().plot_tree(ax=flat) is flat
    with pytest.raises(ArgumentError, match="axes of matplotlib"):
        gallery.pendulum().plot_tree(ax=3)


def test_the_tree_has_all_names():
    robot = gallery.quadruped()
    words = " ".join(text.get_text() for text in robot.plot_tree().texts)
    assert all(name in words for name in (*robot.bodies.names, *robot.joints.names))
    at = places(robot)
    assert len(set(at)) == len(at)
    assert all(at[i][0] == at[robot.parent[i]][0] + 1 for i in range(1, len(at)))


def test_motions_become_animations(tmp_path):
    from PIL import Image

    robot, file = gallery.double_pendulum(), tmp_path / "swing.gif"
    view.save_gif(file, robot, T, np.stack([np.sin(5 * T), T], axis=-1), fps=10, dpi=40)
    with Image.open(file) as picture:
        assert picture.n_frames == 4
        assert picture.info["duration"] == 100
        first = np.asarray(picture.convert("L"), dtype=float)
        picture.seek(3)
        assert (np.abs(np.asarray(picture.convert("L"), dtype=float) - first) > 30).mean() > 0.003


def test_animations_of_nothing_are_refused(tmp_path):
    robot, q = gallery.double_pendulum(), np.zeros((9, 2))
    with pytest.raises(ArgumentError, match="needs a motion"):
        view.save_gif(tmp_path / "a.gif", robot, [0.0], q[:1])
    with pytest.raises(ArgumentError, match=r"must end with \.gif"):
        view.save_gif(tmp_path / "a.mp4", robot, T, q)
    with pytest.raises(sixd.FileError, match="cannot be written"):
        view.save_gif(tmp_path / "no" / "a.gif", robot, T, q)
    for wrong in ({"fps": 0.0}, {"speed": -1.0}, {"dpi": np.inf}):
        with pytest.raises(sixd.ModelError, match="must be positive"):
            view.save_gif(tmp_path / "a.gif", robot, T, q, **wrong)


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("matplotlib.pyplot", lambda robot: robot.plot(), "plot"),
        ("matplotlib.pyplot", lambda robot: robot.plot_tree(), "plot"),
        ("PIL", lambda robot: view.save_gif(Path("a.gif"), robot, T, np.zeros((9, 1))), "plot"),
        ("viser", lambda robot: robot.show(), "view"),
    ],
)
def test_missing_packages_are_named(module, call, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ArgumentError, match=rf"needs {module.partition('.')[0]}.*pip install 'sixd\[{extra}\]'"):
        call(gallery.pendulum())


def test_the_robot_fits_into_its_axes():
    """What is drawn is as large as can be, and not cut off: long, flat and round robots."""
    for robot, q in ((gallery.seven_axis_arm(), None), *((m.robot, m.q) for m in (four_bar(), stewart_platform()))):
        drawn = (pixels(robot.plot(q)) < 200).any(axis=-1)
        rows, columns = (np.flatnonzero(drawn.any(axis=k)) for k in (1, 0))
        rows = rows[rows > 0.1 * len(drawn)]  # without the title
        assert columns[0] > 2
        assert columns[-1] < drawn.shape[1] - 3
        assert rows[-1] < len(drawn) - 3
        assert max(np.ptp(rows) / len(drawn), np.ptp(columns) / drawn.shape[1]) > 0.5


def test_no_words_of_a_tree_overlap_and_loops_are_drawn():
    coupled = stewart_platform().robot
    for robot in (gallery.quadruped(), gallery.seven_axis_arm(), coupled):
        ax = robot.plot_tree()
        ax.figure.canvas.draw()
        whole = ax.figure.bbox
        boxes = [text.get_window_extent() for text in (*ax.texts, ax.title) if text.get_text()]
        for k, box in enumerate(boxes):
            assert whole.x0 <= box.x0 < box.x1 <= whole.x1
            assert not any(box.overlaps(other) for other in boxes[:k]), ax.texts[k].get_text()
    assert sum(text.arrow_patch is not None for text in ax.texts) == len(coupled.constraint_list)


def test_plots_of_motions_name_their_lines_or_say_how(monkeypatch):
    run = sixd.simulate(gallery.double_pendulum(), [0.1, 0.2], [0.0, 0.0], 0.01, dt=1e-3)
    for joints, most, words in ((None, 20, ""), (None, 1, "2 coordinates:"), (["joint2"], 20, "joint2")):
        monkeypatch.setattr("sixd.simulation.plots.MOST_NAMED", most)
        legend = run.plot(joints=joints).axes[0].get_legend()
        assert legend.get_title().get_text().startswith(words)
        assert len(legend.get_texts()) == (0 if words else 2)
