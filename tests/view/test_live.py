"""The live page of viser: it listens on this machine only, and what is moved moves."""

from __future__ import annotations

import time

import numpy as np
import pytest

import sixd
from sixd import gallery, mechanisms, view
from tests.view.browser import browser, needs_chromium

__all__ = ["browser"]

pytest.importorskip("viser")
T = np.linspace(0.0, 1.0, 11)


@pytest.fixture
def dog():
    robot = gallery.quadruped()
    q = np.repeat(robot.neutral()[None], 11, axis=0)
    q[:, 6] = T
    push = np.zeros((11, 1, 3))
    shown = view.show(robot, T, q, points=push, forces=push + 1.0, port=8931)
    yield shown
    shown.stop()


def place(shown, k=1):
    return np.array(shown._drawn.frames[k].position)


def test_the_server_is_for_this_machine_only(dog):
    assert dog.server.get_host() == "127.0.0.1"
    assert dog.url.startswith("http://localhost:")
    assert dog.url in repr(dog)


def test_sliders_of_a_closed_robot_say_that_loops_open(dog):
    assert dog._hint is None
    shown = view.show(mechanisms.four_bar().robot, port=8931)
    try:
        assert "loops open" in shown._hint.content
    finally:
        shown.stop()


def test_positions_are_shown(dog):
    robot = dog.scene.model
    q = robot.random(0)
    dog.update(q)
    np.testing.assert_array_equal(dog.q, q)
    poses = dog.scene.poses(q)
    for k, frame in enumerate(dog._drawn.frames):
        np.testing.assert_allclose(frame.position, poses[k, :3, 3], atol=1e-6)
        w, x, y, z = frame.wxyz
        R = np.array(sixd.Transform.from_quaternion((x, y, z, w)).pose())[:3, :3]
        np.testing.assert_allclose(R, poses[k, :3, :3], atol=1e-6)
    for wrong in (np.zeros(3), np.zeros((2, 19)), np.full(19, np.nan), "q"):
        with pytest.raises(sixd.SixdError):
            dog.update(wrong)


def test_sliders_and_switches_work(dog):
    knee = next(k for k, control in enumerate(dog._controls) if control["label"] == "FL_knee")
    dog._slid(dog._controls[knee], -0.9)
    assert dog.q[dog.scene.model.joint("FL_knee").q] == -0.9
    turn, move = dog._controls[2], dog._controls[5]
    assert (turn["label"], move["label"]) == ("base: turn z", "base: move z")
    dog._slid(turn, np.pi / 2)
    np.testing.assert_allclose(dog.q[:4], (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)), atol=1e-12)
    dog._slid(move, 0.4)
    assert place(dog)[2] == pytest.approx(0.4)
    dog._drawn.show("axes", True)
    assert all(solid.visible for solid in dog._drawn.solids["axes"])
    dog._drawn.show("forces", False)
    assert not dog._drawn.arrows.visible


def test_motions_play_to_their_end(dog):
    dog._playing.set()
    end = time.monotonic() + 30.0
    while place(dog)[2] < 1.0:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert not dog._playing.wait(0.0) or place(dog)[2] == 1.0


def test_addresses_that_are_not_ours_are_refused():
    for host, port in (("no.such.host", 8080), ("", 8080), (None, 8080), ("127.0.0.1", -1), ("127.0.0.1", 70000)):
        with pytest.raises(sixd.SixdError):
            gallery.pendulum().show(host=host, port=port)


def test_a_line_at_the_present_time_moves_along_the_curves():
    t = np.linspace(0.0, 2.0, 1001)
    gap = np.where(np.abs(t - 1.0) < 0.2, np.nan, t)
    curves = {"waves": {"sine": np.sin(t), "<gap>": gap}, "b": t, "c": t, "d, m": t}
    shown = view.show(gallery.pendulum(), t, np.sin(t)[:, None], curves=curves, port=8932)
    try:
        plot, *_, last = shown._plots.plots
        for now in (0.0, 0.7305, 1.0, 2.0):
            shown.seek(now)
            times, sine, before, after, line = plot.plot.data
            assert len(times) == 302
            assert (np.diff(times) >= 0.0).all()
            assert times[np.isfinite(line)].tolist() == [now, now]
            np.testing.assert_allclose(sine, np.sin(times), atol=1e-5)  # drawn with few samples
            assert np.isfinite(before).tolist() == (times < 0.8).tolist()
            assert np.isfinite(after).tolist() == (times > 1.2).tolist()
            assert f"sine {np.sin(now):.3f}" in plot.legend.content
        assert "&lt;gap&gt; 2.000" in plot.legend.content
        assert [p.plot.visible for p in shown._plots.plots] == [True, True, True, False]
        last.show(True)
        assert last.plot.visible
        assert last.legend.visible
    finally:
        shown.stop()


def test_one_position_has_no_curves_and_no_time():
    shown = gallery.pendulum().show(curves={"a": [1.0]}, port=8933)
    assert shown._plots.plots == []
    with pytest.raises(sixd.ArgumentError, match="without times"):
        shown.seek(1.0)
    shown.stop()


def test_times_and_forces_that_are_none(dog):
    dog.seek(0.25)
    assert (place(dog)[2], dog._scrub.value, len(dog._drawn.arrows.points)) == (0.25, 0.25, 1)
    dog.scene.playback.forces[5] = 0.0
    dog.seek(0.5)
    assert len(dog._drawn.arrows.points) == 0  # no arrow, not one of no length
    dog.seek(9.0)
    assert place(dog)[2] == 1.0
    for wrong in (np.nan, "now", None):
        with pytest.raises(sixd.SixdError):
            dog.seek(wrong)


@needs_chromium
def test_curves_on_the_page(browser, dog):
    with browser.page() as page:
        wide = "document.querySelector('.uplot')?.getBoundingClientRect().width > 100"
        page.open(dog.url, 1000, 1200, ready=f"{wide} && document.body.innerText.includes('FL_knee 0.0')")
        settled = "new Promise(r => setTimeout(() => requestAnimationFrame(r), 500))"
        page.run(settled)
        first = page.pixels(".uplot")
        dog.seek(0.5)
        page.wait("Object.values(__viserTestpoints.uplots)[0].chart.data[0].includes(0.5)")
        page.run(settled)
        moved = np.abs(first - page.pixels(".uplot")).max(axis=-1) > 25
        assert 0 < moved.any(axis=0).sum() < 8  # nothing but the line
        assert page.run("Object.values(__viserTestpoints.uplots)[0].createCount") == 1  # not made anew: a zoom is kept


@needs_chromium
def test_the_page_loads(browser, dog):
    with browser.page() as page:
        page.open(dog.url, ready="document.querySelector('canvas') && document.body.innerText.includes('FL_knee')")
        assert [c for c in page.complaints if "THREE" not in c and "WebGL" not in c] == []
