"""What a robot stands on: floors are where they are said to be, surfaces are exact and do not lead the camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixd
from sixd import gallery, view
from sixd.view.figure import shown_items
from sixd.view.html import page as text_of
from sixd.view.scene import Scene
from sixd.view.stage import camera
from sixd.view.surface import GROUND, sampled
from tests.view.browser import browser, needs_chromium
from tests.view.test_page import changed, data_of

__all__ = ["browser"]

LOW, HIGH = np.array([-1.0, -0.5]), np.array([2.0, 0.5])


def ramp(x, y):
    return 0.1 + 0.3 * x - 0.2 * y


def wave(x, y):
    return 0.05 * np.sin(3.0 * x + y)


def ground_of(scene):
    return next((layer for layer in scene.layers if layer.name == GROUND), None)


def robot(gravity=(0.0, 0.0, -9.81)):
    return replace(gallery.quadruped(), gravity=gravity)


@pytest.mark.parametrize("height", [ramp, wave])
def test_surfaces_are_sampled_where_they_are(height):
    mesh, whole = sampled(height, LOW, HIGH)
    x, y, z = mesh.points.T
    np.testing.assert_array_equal(z, height(x, y))
    np.testing.assert_allclose((mesh.points.min(axis=0)[:2], mesh.points.max(axis=0)[:2]), (LOW, HIGH))
    assert whole
    assert 10_000 < len(mesh.points) < 20_000
    a, b, c = np.moveaxis(mesh.points[mesh.triangles], 1, 0)
    areas = 0.5 * np.cross(b - a, c - a)
    assert (areas[:, 2] > 0.0).all()  # they look up
    assert areas[:, 2].sum() == pytest.approx(3.0)  # and cover the rectangle


def test_there_are_holes_where_there_are_no_heights():
    mesh, whole = sampled(lambda x, y: np.where(x > 0.5, np.nan, 0.0), LOW, HIGH)
    assert not whole
    assert 0.45 < mesh.points[:, 0].max() <= 0.5
    cliff, whole = sampled(lambda x, y: np.where(x > 1.9, 1e9, 0.0), LOW, HIGH)
    assert not whole
    assert cliff.points[:, 2].max() == 0.0


def test_a_surface_is_a_layer_in_place_of_the_floor():
    dog = robot()
    scene, bare = Scene.of(dog, ground=ramp), Scene.of(dog)
    layer = ground_of(scene)
    assert (layer.label, layer.shown, layer.inside, layer.items[0].body) == ("ground", True, False, 0)
    assert ground_of(bare) is None
    data, plain = data_of(scene), data_of(bare)
    assert data["ground"] is None
    assert plain["ground"] is not None
    (item,) = next(found for found in data["layers"] if found["name"] == "ground")["items"]
    assert data["meshes"][item["mesh"]]["indices"][2] == 3 * len(layer.items[0].shape.mesh.triangles)
    assert ground_of(Scene.of(dog, ground=ramp, layers=("skeleton",))).shown  # a floor is always drawn too


def test_pictures_by_matplotlib_have_no_ground():
    kinds = [[item for item, _ in shown_items(Scene.of(robot(), ground=ground))] for ground in (None, ramp)]
    assert len(kinds[0]) == len(kinds[1]) > 0


def test_a_ground_does_not_lead_the_camera():
    dog = robot()
    scene, bare = Scene.of(dog, ground=ramp), Scene.of(dog)
    for found, wanted in zip(scene.bounds(dog.neutral()), bare.bounds(dog.neutral()), strict=True):
        np.testing.assert_array_equal(found, wanted)
    found, wanted = camera(scene), camera(bare)
    np.testing.assert_array_equal(found.target, wanted.target)
    assert (found.radius, found.azimuth, found.elevation) == (wanted.radius, wanted.azimuth, wanted.elevation)


def test_the_camera_goes_to_where_a_hill_does_not_hide_the_robot():
    dog = robot()
    before = camera(Scene.of(dog))
    after = camera(Scene.of(dog, ground=lambda x, y: 0.8 * (x - y) - 1.0))
    assert after.azimuth != before.azimuth
    x, y, z = after.eye()
    assert z > 0.8 * (x - y) - 1.0
    x, y, z = before.eye()
    assert z < 0.8 * (x - y) - 1.0


def test_a_surface_reaches_to_where_forces_act():
    dog = robot()
    t, q = np.linspace(0.0, 1.0, 3), np.repeat(dog.neutral()[None], 3, axis=0)
    points = np.zeros((3, 1, 3))
    points[2, 0] = (30.0, 0.0, 0.0)
    for force, reached in ((1.0, True), (0.0, False)):
        shown = Scene.of(dog, t, q, points=points, forces=np.full((3, 1, 3), force), ground=wave)
        assert bool(ground_of(shown).items[0].shape.points[:, 0].max() > 30.0) is reached


def test_floors_are_exactly_where_they_are_said_to_be():
    for ground in (0.07, np.float64(0.07), 1, lambda x, y: np.full_like(x, 0.07), lambda x, y: 0.07):
        scene = Scene.of(robot(), ground=ground)
        assert camera(scene).ground == (1.0 if ground == 1 else 0.07)
        assert ground_of(scene) is None
        assert data_of(scene)["ground"] == camera(scene).ground


def test_surfaces_turn_with_the_world():
    """A ramp that is perpendicular to gravity is a floor; the plane z = 0 is a slope there."""
    angle = 0.2
    tilted = robot((9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    floor = Scene.of(tilted, ground=lambda x, y: np.tan(angle) * x + 0.3 / np.cos(angle))
    assert ground_of(floor) is None
    assert floor.floor == pytest.approx(0.3, abs=1e-12)
    slope = Scene.of(tilted, ground=lambda x, y: 0.0)
    (item,) = ground_of(slope).items
    pose = slope.poses(tilted.neutral())[0]
    placed = item.shape.points @ pose[:3, :3].T + pose[:3, 3]
    np.testing.assert_allclose(placed[:, 2], -np.tan(angle) * placed[:, 0], atol=1e-12)
    assert Scene.of(tilted, ground=0.3).floor == 0.3


@pytest.mark.parametrize(
    ("ground", "error", "text"),
    [
        ("flat", sixd.ArgumentError, r"ground must be .* height\(x, y\), not 'flat'"),
        (np.nan, sixd.ArgumentError, "ground must be the height of a level floor, m, or .*, not nan"),
        (lambda x, y: x[:3], sixd.ShapeError, r"ground\(x, y\) must return a height for each place"),
        (lambda x, y: None, sixd.ArgumentError, r"ground\(x, y\) returns must be an array of real numbers, not None"),
        (
            lambda x, y: "high",
            sixd.ArgumentError,
            r"returns must be an array of real numbers, not 'high'",
        ),
    ],
)
def test_grounds_that_are_none_are_refused(ground, error, text):
    with pytest.raises(error, match=text):
        Scene.of(robot(), ground=ground)


def test_live_pages_have_the_surface_in_place_of_the_grid():
    pytest.importorskip("viser")
    shown = view.show(robot(), ground=ramp, port=8935)
    try:
        (solid,) = shown._drawn.solids["ground"]
        assert solid.visible
        x, y, z = solid.vertices.T.astype(float)
        np.testing.assert_allclose(z, ramp(x, y), atol=1e-5)  # the page has single precision
        shown._drawn.show("ground", False)
        assert not solid.visible
    finally:
        shown.stop()


def test_walls_are_said_not_to_be_drawn(tmp_path):
    nowhere = Scene.of(robot(), ground=lambda x, y: np.full_like(x, np.nan))
    assert ground_of(nowhere) is None
    with pytest.warns(sixd.ModelWarning, match="not drawn: the ground has no heights where the motion is"):
        view.save_html(tmp_path / "page.html", robot(), ground=lambda x, y: np.inf)


def test_long_lists_of_what_is_not_drawn_are_folded():
    scene = Scene.of(robot())
    text = text_of(replace(scene, notes=tuple(f"link {k}: <lost>" for k in range(22))))
    assert "<details><summary>not drawn: 22 shapes</summary>" in text
    listed = text.partition('<ul id="notes">')[2].partition("</ul>")[0]
    assert listed.count("<li>") == 21
    assert listed.endswith("<li>link 19: &lt;lost&gt;</li><li>and 2 more</li>")
    assert "<details>" not in text_of(scene)


@needs_chromium
def test_the_ground_is_seen_and_switched(browser, tmp_path):
    t = np.linspace(0.0, 0.3, 4)
    dog = robot()
    view.save_html(
        tmp_path / "ramp.html", dog, t, np.repeat(dog.neutral()[None], 4, axis=0), ground=ramp, curves={"x": t}
    )
    with browser.page() as page:
        page.open((tmp_path / "ramp.html").as_uri())
        before = page.pixels()
        page.drawn("document.querySelector('[data-layer=ground]').click()")
        assert changed(before, page.pixels()) > 0.1
        page.drawn("document.querySelector('[data-layer=ground]').click()")
        assert changed(before, page.pixels()) < 0.001
        marked = "[...document.querySelectorAll('.slider output.outside')].map(e => e.title)"
        assert page.run(marked) == ["outside its limits"] * 4  # knees cannot be straight
        page.set("#slider-8", -1.0)
        assert len(page.run(marked)) == 3
        assert page.complaints == []
