"""Kinematics and dynamics of every robot of example-robot-data against Pinocchio, on a fixed and on a free base.

Both read the same file; joints are matched by name through `sixd.layouts`. Pinocchio gives every joint a coordinate of
its own, sixd couples those that mimic others: with v_peer = G v its mass matrix H is G^T H G here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from sixd.errors import SingularError
from sixd.formats import read_urdf
from sixd.layouts import Layout, linear_first, pinocchio_layout
from sixd.robot import Robot
from tests.robots import example_urdf, example_urdfs

TOLERANCE = 1e-10
STATES = 2
REFUSED_BY_PINOCCHIO = {"ur_description/ur3"}

Record = Callable[[str, Any], None]


def variants() -> Iterator[tuple[str, str]]:
    """Every robot on both bases, and without coupling where its file couples joints."""
    for name, path in example_urdfs():
        if name not in REFUSED_BY_PINOCCHIO:
            yield from ((name, "fixed"), (name, "free"))
            if "<mimic" in path.read_text(encoding="utf-8"):
                yield name, "uncoupled"


@dataclass(frozen=True)
class Case:
    """A robot in both libraries, with random states far beyond the joint limits."""

    label: str
    robot: Robot
    peer: pin.Model
    data: pin.Data
    layout: Layout
    states: list[tuple[np.ndarray, np.ndarray, np.ndarray]]


@cache
def case(name: str, variant: str) -> Case:
    path, free = example_urdf(name), variant == "free"
    description = read_urdf(path, mimic=variant != "uncoupled")
    robot = Robot.of(description.builder.build(base="free" if free else "fixed"))
    peer = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
    rng = np.random.default_rng(len(name))
    states = []
    for _ in range(STATES):
        q = rng.uniform(-3, 3, robot.nq)
        if free:
            q[:4] /= np.linalg.norm(q[:4])
        states.append((q, rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)))
    return Case(f"{name}, {variant}", robot, peer, peer.createData(), pinocchio_layout(robot, peer), states)


@pytest.fixture(params=variants(), ids=lambda variant: ", ".join(variant))
def both(request: pytest.FixtureRequest) -> Case:
    return case(*request.param)


def difference(mine: np.ndarray, theirs: np.ndarray) -> float:
    """|mine - theirs| / |theirs|, and absolute where theirs is zero."""
    size = np.linalg.norm(theirs)
    return float(np.linalg.norm(mine - theirs) / (size if size > 0.0 else 1.0))


def mass_matrix(both: Case, q: np.ndarray) -> np.ndarray:
    H = pin.crba(both.peer, both.data, both.layout.q_to(q))
    H, G = np.triu(H) + np.triu(H, 1).T, both.layout.matrix(q)
    return G.T @ H @ G


def inverse_dynamics(both: Case, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    layout = both.layout
    tau = pin.rnea(both.peer, both.data, layout.q_to(q), layout.v_to(q, v), layout.a_to(q, v, a))
    return layout.tau_from(q, tau)


def frames(both: Case) -> list[tuple[str, int]]:
    """The links of the robot, with their number in Pinocchio."""
    found = [(name, both.peer.getFrameId(name, pin.FrameType.BODY)) for name in both.robot.frames.names]
    # On a free base, sixd's world is one frame more.
    return [(name, number) for name, number in found if number < both.peer.nframes]


def test_poses(both: Case, record_property: Record) -> None:
    worst = 0.0
    links = frames(both)
    rows = [both.robot.frames.index(name) for name, _ in links]
    for q, _, _ in both.states:
        pin.framesForwardKinematics(both.peer, both.data, both.layout.q_to(q))
        theirs = np.array([both.data.oMf[number].homogeneous for _, number in links])
        worst = max(worst, difference(both.robot.poses(q)[rows], theirs))
    record_property("difference: poses", worst)
    assert worst < TOLERANCE


@pytest.mark.parametrize(
    ("expressed_in", "reference"),
    [
        ("body", pin.ReferenceFrame.LOCAL),
        ("world", pin.ReferenceFrame.WORLD),
        ("aligned", pin.ReferenceFrame.LOCAL_WORLD_ALIGNED),
    ],
)
def test_jacobians(both: Case, expressed_in: str, reference: pin.ReferenceFrame, record_property: Record) -> None:
    if both.robot.nv == 0:
        pytest.skip("nothing moves (and getFrameJacobian of Pinocchio 4.1 crashes)")
    worst, q = 0.0, both.states[0][0]
    G = both.layout.matrix(q)
    pin.computeJointJacobians(both.peer, both.data, both.layout.q_to(q))
    for name, number in frames(both):
        J = linear_first(pin.getFrameJacobian(both.peer, both.data, number, reference), axis=0)
        worst = max(worst, difference(both.robot.jacobian(q, name, expressed_in), J @ G))
    record_property(f"difference: jacobian, {expressed_in}", worst)
    assert worst < TOLERANCE


def test_mass_matrix(both: Case, record_property: Record) -> None:
    worst = max(difference(both.robot.mass_matrix(q), mass_matrix(both, q)) for q, _, _ in both.states)
    record_property("difference: mass matrix", worst)
    assert worst < TOLERANCE


def test_inverse_dynamics(both: Case, record_property: Record) -> None:
    worst = max(
        difference(both.robot.inverse_dynamics(*state), inverse_dynamics(both, *state)) for state in both.states
    )
    record_property("difference: inverse dynamics", worst)
    assert worst < TOLERANCE


def test_forward_dynamics(both: Case, record_property: Record) -> None:
    """Against Pinocchio's aba; where joints are coupled, which it cannot do, against its equations solved densely.

    Where a joint moves no inertia there is no answer: sixd says so, and H, in units that suit each joint, is singular.
    """
    robot, layout = both.robot, both.layout
    if robot.nv == 0:
        pytest.skip("nothing moves")
    worst = None
    for q, v, tau in both.states:
        H = mass_matrix(both, q)
        if is_singular(H):
            record_property("singular", both.label)
            with pytest.raises(SingularError):
                robot.forward_dynamics(q, v, tau)
            continue
        if robot.is_coupled:
            theirs = np.linalg.solve(H, tau - inverse_dynamics(both, q, v, np.zeros(robot.nv)))
        else:
            a = pin.aba(both.peer, both.data, layout.q_to(q), layout.v_to(q, v), layout.tau_to(q, tau))
            theirs = layout.a_from(q, v, a)
        worst = max(worst or 0.0, difference(robot.forward_dynamics(q, v, tau), theirs))
    if worst is not None:
        record_property("difference: forward dynamics", worst)
        assert worst < TOLERANCE


def is_singular(H: np.ndarray) -> bool:
    diagonal = np.diag(H)
    if diagonal.min() <= 0.0:
        return True
    moments = np.abs(np.linalg.eigvalsh(H / np.sqrt(np.outer(diagonal, diagonal))))
    return bool(moments.min() < 1e-12 * moments.max())
