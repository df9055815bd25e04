"""Takes the screenshots of pages that are in docs/images, by headless Chromium.

    python -m tools.screenshots [docs/images]     needs Chromium, viser, example-robot-data; some seconds for each

A change of how pages look belongs in these pictures too.
"""

from __future__ import annotations

import io
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import sixd
from sixd.cli.lamp import hop
from sixd.simulation.contact import Contacts, Grid, HeightField
from sixd.simulation.controllers import JointPD
from tests.robots import example_urdf
from tests.view.browser import Browser

LEGS = ("LF", "RF", "LH", "RH")


def panda(page: Path) -> None:
    """An arm in motion, with the torques that hold it."""
    robot = sixd.load(example_urdf("panda_description/panda"))
    t = np.linspace(0.0, 4.0, 201)
    q = np.tile([0.3, -0.6, 0.1, -2.0, 0.1, 1.4, 0.6, 0.04], (len(t), 1))
    q[:, :7] += 0.5 * np.sin(np.outer(t, 1.0 + 0.5 * np.arange(7)) + np.arange(7)) * (1, 0.6, 0.8, 0.7, 0.8, 0.8, 1)
    names = [joint.name for joint in robot.joints[:7]]
    torques = dict(zip(names, robot.gravity_forces(q).T[:7], strict=True))
    curves = {"joint angles, rad": dict(zip(names, q.T[:7], strict=True)), "torques of gravity, N m": torques}
    sixd.view.save_html(page, robot, t, q, curves=curves, title="Panda")


def crouching() -> tuple[sixd.Robot, np.ndarray]:
    """ANYmal, free, and its position with bent legs."""
    robot = sixd.load(example_urdf("anymal_b_simple_description/anymal"), base="free")
    q = robot.neutral()
    for leg in LEGS:
        bend = 0.6 if leg[1] == "F" else -0.6
        q[robot.joint(f"{leg}_HFE").q], q[robot.joint(f"{leg}_KFE").q] = bend, -1.9 * bend
    return robot, q


def anymal(page: Path) -> None:
    """A quadruped with its weight on its feet."""
    robot, q = crouching()
    feet = np.array([robot.pose(q, f"{leg}_FOOT")[:3, 3] for leg in LEGS])
    q[6] -= feet[:, 2].min() - 0.03
    feet[:, 2] -= feet[:, 2].min()
    weight = np.tile((0.0, 0.0, robot.mass * 9.81 / 4.0), (4, 1))
    layers = ("links", "coms", "forces")
    sixd.view.save_html(page, robot, q=q, points=feet, forces=weight, layers=layers, title="ANYmal")


def hills(page: Path) -> None:
    """A quadruped that is held by its motors lands on hills that were measured on a grid."""
    robot, q = crouching()
    x = np.linspace(-6.0, 6.0, 121)
    heights = 0.12 * np.sin(2.1 * x)[:, None] * np.cos(1.7 * x) + 0.01 * np.random.default_rng(1).normal(
        size=(121, 121)
    )
    ground = HeightField(Grid(heights, 0.1, (-6.0, -6.0), "cubic"))
    contacts = Contacts.of(robot, [f"{leg}_FOOT" for leg in LEGS], radius=0.03, law="rigid", ground=ground)
    lowest = min(robot.pose(q, f"{leg}_FOOT")[2, 3] for leg in LEGS)
    q[6] = ground.height(0.0, 0.0) + 0.15 - lowest
    held = JointPD(400.0, 12.0)
    run = sixd.simulate(robot, q, np.zeros(18), 1.5, control=held, inputs={"q_target": q}, contacts=contacts, record=5)
    run.save_html(page, title="ANYmal on hills")


def take(folder: Path) -> None:
    """Take all pictures."""
    lamp = hop()
    pages = {
        "view-panda": (panda, 1000, 640, 1.3),
        "view-anymal": (anymal, 1000, 560, None),
        "view-hills": (hills, 1000, 640, 1.4),
        "jumping-lamp": (lambda page: lamp.save_html(page, title="jumping lamp"), 1060, 700, 1.12),
    }
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        chromium = Browser(Path(place) / "chromium")
        for name, (make, width, height, moment) in pages.items():
            make(Path(place) / f"{name}.html")
            with chromium.page() as page:
                page.open((Path(place) / f"{name}.html").as_uri(), width, height)
                if moment is not None:
                    page.set("#scrub", moment)
                keep(page.png(), folder / f"{name}.png")
        live = lamp.show(title="jumping lamp", port=8970)
        with chromium.page() as page:
            page.open(live.url, 1000, 900, ready="document.querySelector('.uplot canvas')")
            page.run("new Promise(done => setTimeout(done, 4000))")  # until meshes are there
            page.run("document.querySelectorAll('.mantine-Notification-closeButton').forEach(button => button.click())")
            live.seek(1.12)
            time.sleep(2.0)
            keep(page.png(), folder / "view-live.png")
        live.stop()
        chromium.stop()


def keep(png: bytes, path: Path) -> None:
    """Write a picture with 256 colours: a third of the size."""
    from PIL import Image

    Image.open(io.BytesIO(png)).convert("RGB").quantize(256).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    warnings.simplefilter("ignore", sixd.ModelWarning)
    take(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
