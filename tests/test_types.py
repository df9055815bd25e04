"""What type checkers know of algorithms: the arguments of a call and what it returns."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ACCEPTED = """
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sixd
from sixd.algorithms import acceleration, composite_inertias, crba, forward_kinematics, integrate, pose, rnea
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.model.tree import Output, Slots, Tree
from sixd.spatial import Inertia, Motion, Transform

robot = sixd.gallery.double_pendulum()
q = np.zeros(2)

tau: NDArray[Any] = rnea(robot, q, q, q)
with_forces: NDArray[Any] = rnea(robot, q, [0.0, 0.0], None, f_ext=np.zeros((2, 6)))
H: NDArray[Any] = crba(robot, q)
reached: NDArray[Any] = integrate(robot, q, q)
X: Transform = pose(robot, q, 2)
a: Motion = acceleration(robot, q, q, q, 2, expressed_in="world", conventional=False)
frames: tuple[Transform, ...] = forward_kinematics(robot, q)
inertias: tuple[Inertia, ...] = composite_inertias(robot, q)


@algorithm
def speeds(tree: Tree, q: Position, qd: Velocity) -> Slots[Motion]:
    return sixd.algorithms.velocities(tree, q, qd)


@algorithm(rolled=False)
def inside(tree: Tree, q: Position) -> Output:
    out: Output = sixd.algorithms.gravity_forces(tree, q)
    return out


moving: tuple[Motion, ...] = speeds(robot, q, q)
held: NDArray[Any] = inside(robot, q)
"""

#: Each line with what is wrong with it.
REFUSED = {
    "m: Motion = rnea(robot, 1, 2, 3)": "assignment|Incompatible types",
    "rnea(robot, q, q)": 'Missing positional argument "qdd"|No overload variant',
    "rnea(robot, q, q, q, forces=None)": "Unexpected keyword argument|No overload variant",
    "pose(robot, q, 'hand')": "incompatible type|No overload variant",
    "pose(robot, q, 2).force": "has no attribute",
    "tau: str = crba(robot, q)": "Incompatible types",
    "X: Transform = forward_kinematics(robot, q)": "Incompatible types",
    "speeds('robot', q, q)": "incompatible type|No overload variant",
    "algorithm(rolled='never')": "incompatible type|No overload variant",
}


def mypy(text: str, folder: Path) -> str:
    file = folder / "snippet.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert not run.stderr, run.stderr
    return run.stdout


def test_calls_are_accepted_and_refused(tmp_path):
    pytest.importorskip("mypy")
    # Each wrong line is in a function of its own, so that a name may have several types.
    wrong = "".join(f"\n\ndef wrong_{k}() -> None:\n    {line}\n" for k, line in enumerate(REFUSED))
    found = mypy(ACCEPTED + wrong, tmp_path)
    lines = (ACCEPTED + wrong).splitlines()
    errors = {lines[int(number) - 1].strip(): text for number, text in re.findall(r":(\d+): error: (.*)", found)}
    assert set(errors) == set(REFUSED), found
    for line, pattern in REFUSED.items():
        assert re.search(pattern, errors[line]), (line, errors[line])
