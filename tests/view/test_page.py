"""The HTML page in headless Chromium: it loads without complaints, shows the robot, and moves it."""

from __future__ import annotations

import base64
import json
import zlib
from importlib import resources

import numpy as np
import pytest

import sixd
from sixd import gallery, view
from sixd.model import Mimic
from sixd.view.html import page as text_of
from sixd.view.page_robot import joint_functions, tree
from sixd.view.registry import register
from sixd.view.scene import Scene
from tests.robots import example_urdf
from tests.rolling import Rolling
from tests.view.browser import browser, needs_chromium

__all__ = ["browser"]

T = np.linspace(0.0, 2.0, 41)


def swing(robot):
    return robot.neutral() + np.sin(T)[:, None] * np.linspace(1.0, 0.3, robot.nq)


def changed(a, b):
    """The share of pixels that differ clearly."""
    return float((np.abs(a - b).max(axis=-1) > 25).mean())


def seen(pixels):
    """The share of pixels that are neither background nor grid, which are light and without colour."""
    return float(((pixels.max(axis=-1) - pixels.min(axis=-1) > 45) | (pixels.max(axis=-1) < 120)).mean())


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages by name."""
    folder = tmp_path_factory.mktemp("pages")
    arm, dog = gallery.puma560(), gallery.quadruped()
    arm.save_html(folder / "arm.html", swing(arm), t=T)
    dog.save_html(folder / "dog.html", layers=("skeleton", "inertias", "axes", "coms", "frames"))
    push = np.zeros((len(T), 1, 3))
    view.save_html(
        folder / "pushed.html",
        gallery.pendulum(),
        T,
        swing(gallery.pendulum()),
        points=push,
        forces=push + np.array((0.0, 0.0, 5.0)),
        curves={"energy, J": np.sqrt(T), "torques": {"<b>shoulder</b>": T, "elbow": -T}},
        title="<script>alert('no')</script> & co",
    )
    return folder


@needs_chromium
def test_a_motion_plays(browser, pages):
    with browser.page() as page:
        page.open((pages / "arm.html").as_uri())
        assert seen(page.pixels()) > 0.02
        first = page.pixels()
        page.set("#scrub", 1.5)
        assert changed(first, page.pixels()) > 0.01
        assert page.run("document.querySelector('#time').textContent") == "1.500 s"
        page.set("#scrub", 0.0)
        assert changed(first, page.pixels()) < 0.001
        page.drawn("document.querySelector('#play').click()")
        page.wait("Number(document.querySelector('#scrub').value) > 0.2")
        page.run("document.querySelector('#play').click()")
        still = page.run("document.querySelector('#time').textContent")
        assert (
            page.run("new Promise(r => setTimeout(() => r(document.querySelector('#time').textContent), 200))") == still
        )
        assert page.run("document.querySelectorAll('figure').length") == 1
        assert page.complaints == []


@needs_chromium
def test_sliders_move_the_robot_within_limits(browser, pages):
    arm = gallery.puma560()
    with browser.page() as page:
        page.open((pages / "arm.html").as_uri())
        sliders = page.run("[...document.querySelectorAll('.slider input')].map(e => [Number(e.min), Number(e.max)])")
        assert len(sliders) == arm.nq
        bounded = np.isfinite(arm.lower)
        np.testing.assert_allclose(np.array(sliders)[bounded], np.stack([arm.lower, arm.upper], axis=-1)[bounded])
        first = page.pixels()
        page.set("#slider-1", 0.8)
        assert changed(first, page.pixels()) > 0.01
        assert page.run("document.querySelectorAll('.slider output')[1].textContent") == "0.800 rad"
        page.drawn("document.querySelector('#reset').click()")
        assert changed(first, page.pixels()) < 0.001
        assert page.complaints == []


@needs_chromium
def test_layers_are_switched(browser, pages):
    with browser.page() as page:
        page.open((pages / "dog.html").as_uri())
        for name in ("inertias", "axes", "coms", "frames", "skeleton"):
            before = page.pixels()
            page.drawn(f"document.querySelector('[data-layer={name}]').click()")
            assert changed(before, page.pixels()) > 0.0003, name
        assert seen(page.pixels()) < 0.001  # nothing is left but the ground
        assert page.run("['player', 'plots'].every(id => document.getElementById(id).hidden)")
        page.drawn("document.querySelector('[data-layer=skeleton]').click()")
        before = page.pixels()
        page.set("#slider-4", 0.3)  # the free base moves along y
        assert changed(before, page.pixels()) > 0.01
        assert page.complaints == []


@needs_chromium
def test_forces_curves_and_names_are_shown_as_they_are(browser, pages):
    with browser.page() as page:
        page.open((pages / "pushed.html").as_uri(), 500, 800)  # as narrow as a phone
        assert page.run("document.querySelector('h1').textContent") == "<script>alert('no')</script> & co"
        assert page.run("document.title") == "<script>alert('no')</script> & co"
        assert page.run("document.querySelectorAll('figure').length") == 2
        assert "<b>shoulder</b>" in page.run("document.querySelectorAll('figcaption')[1].textContent")
        before = page.pixels()
        page.drawn("document.querySelector('[data-layer=forces]').click()")
        assert changed(before, page.pixels()) > 0.002
        assert page.run("document.documentElement.scrollWidth <= 500")
        assert page.complaints == []


@needs_chromium
def test_plots_are_switched_and_keys_work(browser, pages, tmp_path):
    view.save_html(
        tmp_path / "many.html", gallery.pendulum(), T, swing(gallery.pendulum()), curves=dict.fromkeys("abcd", T)
    )
    shown = "[...document.querySelectorAll('figure')].map(figure => !figure.hidden)"
    key = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}', bubbles: true}}))"
    with browser.page() as page:
        page.open((tmp_path / "many.html").as_uri())
        assert page.run(shown) == [True, True, True, False]
        page.drawn("document.querySelectorAll('#curves input').forEach(box => box.click())")
        assert page.run(shown) == [False, False, False, True]
        page.drawn("document.querySelectorAll('#curves input')[3].click()")
        assert page.run("document.getElementById('plots').hidden")
        page.drawn("document.activeElement.blur()" + ";" + key.format("End"))
        assert page.run("document.querySelector('#time').textContent") == "2.000 s"
        page.drawn(key.format("ArrowLeft"))
        assert page.run("document.querySelector('#time').textContent") == "1.980 s"
        before = page.pixels()
        page.drawn("document.getElementById('scene').focus();" + key.format("ArrowUp"))  # of the picture: turns it
        assert page.run("document.querySelector('#time').textContent") == "1.980 s"
        assert changed(before, page.pixels()) > 0.001
        page.drawn(key.format("0"))
        assert changed(before, page.pixels()) < 0.001
        page.set("#scrub", 0.0)
        page.drawn("document.getElementById('scrub').focus();" + key.format(" "))  # on a slider too
        assert page.run("document.getElementById('play').ariaLabel") == "pause"
        assert page.complaints == []


@needs_chromium
def test_dark_pages(browser, pages):
    with browser.page() as page:
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.open((pages / "arm.html").as_uri())
        for selector in ("#scene", "figure", "aside"):
            assert np.median(page.pixels(selector)) < 90, selector
        assert page.complaints == []


@needs_chromium
@pytest.mark.filterwarnings("ignore::sixd.ModelWarning")
def test_meshes_of_a_real_robot(browser, tmp_path):
    robot = sixd.load(example_urdf("panda_description/panda"))
    robot.save_html(tmp_path / "panda.html", robot.clip(robot.neutral()))
    assert (tmp_path / "panda.html").stat().st_size < 3e6
    with browser.page() as page:
        page.open((tmp_path / "panda.html").as_uri())
        lit = page.pixels()
        page.drawn("document.querySelector('[data-layer=links]').click()")
        assert changed(lit, page.pixels()) > 0.03
        assert page.complaints == []


def robots():
    coupled = sixd.Builder("coupled").body("a", joint=sixd.joints.Revolute("y"), joint_name="j", mass=1)
    coupled.body("b", parent="a", joint=sixd.joints.Prismatic("x"), joint_name="k", mass=2, mimic=Mimic("j", 2.0, 0.3))
    own = sixd.Builder("own").body("wheel", joint=Rolling.examples()[0], mass=1)
    return [coupled.build(), own.build(), gallery.random_tree(30, 5), gallery.quadruped(), gallery.jumping_lamp()]


@needs_chromium
@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
def test_the_page_has_the_robot_s_kinematics(browser, robot):
    """Forward kinematics in JavaScript against the robot's own methods, for every joint type, to rounding."""
    functions, places = joint_functions(robot)
    scene = Scene.of(robot)
    data = json.dumps({"bodies": tree(scene, places), "root": scene.root_transform})
    scripts = [(resources.files("sixd.view") / "page" / name).read_text() for name in ("math.js", "robot.js")]
    with browser.page() as page:
        for q in robot.random(0, (3,)):
            run = f"{functions}\nconst DATA = {data};\n{scripts[0]}\n{scripts[1]}\nreturn posesAt({q.tolist()});"
            found = np.array(page.run(f"(() => {{{run}}})()")).reshape(-1, 4, 4).transpose(0, 2, 1)
            np.testing.assert_allclose(found, scene.poses(q), atol=1e-12)


def test_pages_need_no_network():
    text = text_of(Scene.of(gallery.quadruped()))
    assert len(text) < 300_000
    for word in ("src=", "https://", "@import", "fetch(", "import("):
        assert word not in text.replace('href="data:,"', "")


def data_of(scene):
    """What the scripts of a page read."""
    text = text_of(scene).partition('id="data">')[2].partition("</script>")[0]
    return json.loads(text)


def test_the_camera_follows_what_travels():
    swung, dog = gallery.pendulum(), gallery.quadruped()
    q = np.repeat(dog.neutral()[None], len(T), axis=0)
    assert not data_of(Scene.of(swung, T, swing(swung)))["follow"]
    assert not data_of(Scene.of(dog, T, q))["follow"]
    q[:, 4] = 3.0 * T
    assert data_of(Scene.of(dog, T, q))["follow"]


def test_curves_have_gaps_where_there_is_no_number():
    data = data_of(
        Scene.of(gallery.pendulum(), T, swing(gallery.pendulum()), curves={"x": np.where(T > 1.0, np.inf, T)})
    )
    kind, first, count = data["curves"][0]["values"]
    values = np.frombuffer(zlib.decompress(base64.b64decode(data["packed"])), f"<{kind}", count, first)
    np.testing.assert_array_equal(values, np.where(T > 1.0, np.nan, T).astype(np.float32))


def test_long_motions_are_thinned(tmp_path):
    robot, t = gallery.pendulum(), np.linspace(0.0, 10.0, 200_000)
    robot.save_html(tmp_path / "long.html", np.sin(t)[:, None], t=t)
    assert (tmp_path / "long.html").stat().st_size < 300_000


def test_paths_that_cannot_be_written(tmp_path):
    robot = gallery.pendulum()
    for path in (tmp_path / "no" / "page.html", tmp_path):
        with pytest.raises(sixd.FileError, match="cannot be written"):
            robot.save_html(path)
    for path in (None, 3, "a\0b"):
        with pytest.raises(sixd.SixdError):
            robot.save_html(path)


def test_renderers_are_found_by_name():
    scene = Scene.of(gallery.pendulum())
    with pytest.raises(sixd.ChoiceError, match=r"renderer must be one of .*'html', .*not 'postscript'"):
        view.render(scene, "postscript")
    with pytest.raises(sixd.ArgumentError, match=r"options of the renderer 'html' are path: .*'colour'"):
        view.render(scene, "html", path="a.html", colour="red")
    with pytest.raises(sixd.ChoiceError, match="'html' is registered already"):
        register(view.RENDERERS["html"])
    with pytest.raises(sixd.ArgumentError, match="draws a Scene"):
        view.render(gallery.pendulum(), "html")
