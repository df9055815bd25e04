"""The recipes of CONTRIBUTING.md, done as they say in a copy of the package: one new file, and one line in another.

A recipe is a block of Python that begins with a comment that names the new file, and an indented block that names the
file that gets a line, and has the line. That the other blocks of the page run is shown by `tests/test_docs.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_claims import section
from tests.test_docs import ROOT
from tests.test_layers import layer_of, violations

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
PACKAGE = ROOT / "src" / "sixd"


class Recipe(NamedTuple):
    file: str
    text: str
    registry: str
    line: str


def recipe(title: str) -> Recipe:
    text = section(PAGE, title)
    ((file, body),) = re.findall(r"^```python\n# src/sixd/(\S+\.py)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ((registry, line),) = re.findall(r"^    # src/sixd/(\S+\.py)\n    (.+)\n", text, re.MULTILINE)
    return Recipe(file, body, registry, line)


#: For each recipe, what works once it was followed. It runs in a folder with the example robots.
WORKS = {
    "Add a joint": """
import sixd
from sixd.testing import check_joint
joint = sixd.joints.JOINTS["rolling"]
check_joint(joint(0.25))
cart = sixd.Builder("cart").body("wheel", joint=sixd.joints.Rolling(0.3), mass=2.0, inertia=(0.1, 0.2, 0.1)).build()
kernel = sixd.compile(sixd.algorithms.crba, cart)
assert abs(kernel([0.7])[0, 0] - (2.0 * 0.3**2 + 0.2)) < 1e-14
""",
    "Add an algorithm": """
import numpy as np, sixd
arm = sixd.gallery.seven_axis_arm()
q, qd = arm.random(0), np.ones(arm.nv)
for rolled in (False, True):
    kernel = sixd.compile(sixd.algorithms.subtree_energies, arm, rolled=rolled)
    assert abs(kernel(q, qd)[0] / arm.kinetic_energy(q, qd) - 1.0) < 1e-13
""",
    "Add a format": """
import numpy as np, pathlib, sixd
pathlib.Path("arm.dh").write_text("shoulder 0.3 0.5 0.0\\nelbow 0.0 0.4 0.0")
pose = sixd.load("arm.dh").pose([0.0, np.pi / 2], "tool")
assert np.allclose(pose[:3, 3], [0.5, 0.4, 0.3], rtol=1e-14)
""",
    "Add a printer of programs": """
import numpy as np, sixd
kernel, space = sixd.compile(sixd.algorithms.rnea, sixd.gallery.double_pendulum()), {}
exec(kernel.to("python"), space)
state = np.random.default_rng(0).normal(size=(3, 2))
assert np.allclose(space["run"](*state)[0], kernel(*state), rtol=1e-13)
""",
    "Add a renderer": """
import sixd
robot = sixd.gallery.puma560()
text = sixd.view.render(sixd.view.Scene.of(robot), "svg")
assert text.startswith("<svg") and text.count("<polygon") > 100
""",
    "Add a force element": """
import numpy as np, sixd
from sixd.simulation.forces import ELEMENTS, Magnet
assert ELEMENTS["magnet"] is Magnet
swing = sixd.gallery.pendulum().with_gravity((0.0, 0.0, 0.0))
magnet = Magnet("tip", swing.pose([0.0], "tip")[:3, 3] + [0.0, 0.0, -0.1], 0.1, core=0.1)
run = sixd.simulate(swing, [0.2], [0.0], 2.0, dt=1e-3, forces=[magnet], integrator="rk4")
assert run.q.min() < -0.19 and abs(run.energy[-1] / run.energy[0] - 1.0) < 1e-6
""",
    "Add a controller": """
import numpy as np, sixd
from sixd.simulation.controllers import CONTROLLERS, BangBang
assert CONTROLLERS["bang_bang"] is BangBang
swing = sixd.gallery.pendulum()
run = sixd.simulate(swing, [0.0], [0.0], 4.0, dt=1e-3, control=BangBang(20.0), inputs={"q_target": [0.7]})
assert abs(run.q[-1, 0] - 0.7) < 0.05
""",
    "Add a command": """
import subprocess, sys
done = subprocess.run([sys.executable, "-m", "sixd", "mass", "two_link.urdf"], capture_output=True, text=True)
assert float(done.stdout) > 0.0, done
done = subprocess.run([sys.executable, "-m", "sixd", "--help"], capture_output=True, text=True)
assert "Print the mass of a robot, kg" in done.stdout
""",
    "Add a format of tables": """
import numpy as np, pathlib, subprocess, sys
pathlib.Path("states.csv").write_text("q0,q1\\n0.1,0.2\\n")
argv = ["eval", "gravity", "two_link.urdf", "--states", "states.csv", "--out", "g.npy"]
subprocess.run([sys.executable, "-m", "sixd", *argv], check=True)
assert np.load("g.npy").dtype.names == ("g_shoulder", "g_elbow")
""",
}


def test_every_recipe_with_a_registry_is_followed():
    titles = re.findall(r"^## (Add .*)$", PAGE, re.MULTILINE)
    assert set(titles) - {"Add a kind of number"} == set(WORKS)  # which needs no file of the package


@pytest.mark.parametrize("title", WORKS)
def test_one_file_and_one_line_are_enough(title, tmp_path):
    new = recipe(title)
    package = tmp_path / "site" / "sixd"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "examples" / "two_link.urdf", tmp_path)
    assert not (package / new.file).exists()
    (package / new.file).write_text(new.text)
    with (package / new.registry).open("a") as file:
        file.write(new.line + "\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "SIXD_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-W", "error", "-c", WORKS[title]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("title", WORKS)
def test_the_new_file_keeps_the_rules_of_its_room(title):
    new = recipe(title)
    assert violations(layer_of(PACKAGE / new.file), new.text) == []
    assert Path(new.file).parent == Path(new.registry).parent
