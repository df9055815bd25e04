"""How often, and how fast, inverse kinematics finds what can be reached and says so of what cannot.

For each of four arms of the package example-robot-data: poses of random configurations within the joint limits must be
reached, and poses beyond reach must be reported as such, each within a second. The latter are of three kinds, in turn:
the frame farther from the first joint than all lengths together; the frame near enough, but its body too far (the last
link would have to reach back); and the frame farther than the arm ever gets, but not than its lengths add up to.

    python benchmarks/ik_success.py [targets [unreachable]]
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from importlib.metadata import files
from typing import Any

import numpy as np

import sixd
from sixd.ik import Status, inverse_kinematics
from sixd.ik.problem import Problem
from sixd.ik.reach import Reach, reach
from sixd.ik.targets import parse_goals
from sixd.lie import se3
from sixd.spatial import Transform

Array = Any

#: File and frame of each arm.
ARMS = {
    "Panda": ("panda.urdf", "panda_hand_tcp"),
    "UR5": ("ur5_robot.urdf", "tool0"),
    "xArm7": ("xarm7.urdf", "link_eef"),
    "Jaco2": ("kinova.urdf", "j2s6s200_end_effector"),
}

#: How many reachable targets are also solved one by one, to measure the time of a single call.
ALONE = 100


@dataclass(frozen=True)
class Row:
    """The figures of one arm; times in seconds."""

    arm: str
    success_rate: float
    time_in_batch: float
    time_alone: float
    reported: float
    median_report: float
    slowest_report: float


def load(file: str) -> sixd.Robot:
    found = [entry for entry in files("example-robot-data") or () if entry.name == file]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return sixd.load(str(found[0].locate()))


def bound(robot: sixd.Robot, body: int, offset: Transform) -> Reach:
    """The distance from the first joint that lengths alone allow, limits ignored."""
    goals = tuple(parse_goals(robot, robot.frame_list[0], np.zeros(3), None, None))
    return reach(Problem(robot, goals, robot.lower, robot.upper, (1e-8, 1e-8)).without_limits(), body, offset)


def farthest(robot: sixd.Robot, frame: str, rng: np.random.Generator) -> float:
    """The largest distance of the frame from the first joint: by stretching in many directions, and by sampling."""
    place = robot.frames[frame]
    outer = bound(robot, place.body, place.offset)
    far = outer.anchor + 10.0 * outer.most * directions(rng, 64)
    stretched = inverse_kinematics(robot, frame, far, limits=False).q
    q = np.concatenate([stretched, rng.uniform(-np.pi, np.pi, (20_000, robot.nq))])
    return float(np.linalg.norm(robot.pose(q, frame)[:, :3, 3] - outer.anchor, axis=1).max())


def directions(rng: np.random.Generator, n: int) -> Array:
    u = rng.normal(size=(n, 3))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def unreachable(robot: sixd.Robot, frame: str, n: int, rng: np.random.Generator) -> Array:
    """Poses (n, 4, 4) that no configuration reaches, with or without limits, of the three kinds in turn."""
    place = robot.frames[frame]
    outer, inner = bound(robot, place.body, place.offset), bound(robot, place.body, Transform.identity())
    limit = farthest(robot, frame, rng)
    pose = np.tile(np.eye(4), (n, 1, 1))
    for k, u in enumerate(directions(rng, n)):
        if k % 3 == 0:
            pose[k, :3, :3] = random_rotation(rng)
            pose[k, :3, 3] = outer.anchor + rng.uniform(1.01, 2.0) * outer.most * u
        elif k % 3 == 1:
            # The tool points back at the first joint from a body that is too far away.
            R = random_rotation(rng)
            back = R @ (place.offset.E @ place.offset.r).array()
            if np.linalg.norm(back) > 0.0:
                u = -back / np.linalg.norm(back)
            pose[k, :3, :3] = R
            pose[k, :3, 3] = outer.anchor + rng.uniform(1.02, 1.1) * inner.most * u + back
        else:
            pose[k, :3, :3] = random_rotation(rng)
            pose[k, :3, 3] = outer.anchor + rng.uniform(1.01, max(1.02, outer.most / limit)) * limit * u
    return pose


def random_rotation(rng: np.random.Generator) -> Array:
    return Transform.from_quaternion(rng.normal(size=4)).E.T.array()


def measure(arm: str, targets: int, beyond: int) -> Row:
    file, frame = ARMS[arm]
    robot, rng = load(file), np.random.default_rng(2010)
    target = robot.pose(robot.random(rng, targets), frame)
    start = time.perf_counter()
    result = inverse_kinematics(robot, frame, target)
    in_batch = (time.perf_counter() - start) / targets
    assert np.all((robot.lower <= result.q) & (result.q <= robot.upper))
    gap = Transform.from_pose(target) @ Transform.from_pose(robot.pose(result.q, frame)).inverse()
    good = result.success & (np.linalg.norm(se3.log(gap).array(), axis=1) < 2e-8)

    alone = []
    for each in target[:ALONE]:
        start = time.perf_counter()
        inverse_kinematics(robot, frame, each)
        alone.append(time.perf_counter() - start)

    reports, times = [], []
    for each in unreachable(robot, frame, beyond, rng):
        start = time.perf_counter()
        report = inverse_kinematics(robot, frame, each)
        times.append(time.perf_counter() - start)
        reports.append(not report.success and report.status == Status.OUT_OF_REACH and "out of reach" in report.message)
    return Row(
        arm,
        float(np.mean(good)),
        in_batch,
        float(np.median(alone)),
        float(np.mean(reports)),
        float(np.median(times)),
        max(times),
    )


def main(targets: int = 1000, beyond: int = 200) -> list[Row]:
    """Measure all arms and print the table."""
    print(f"inverse kinematics: {targets} reachable and {beyond} unreachable poses an arm")
    print(f"{'arm':8} {'success':>8} {'in batch':>10} {'alone':>10} {'reported':>9} {'median':>9} {'slowest':>9}")
    rows = []
    for arm in ARMS:
        row = measure(arm, targets, beyond)
        rows.append(row)
        print(
            f"{row.arm:8} {row.success_rate:8.2%} {1e3 * row.time_in_batch:7.2f} ms {1e3 * row.time_alone:7.1f} ms "
            f"{row.reported:9.1%} {1e3 * row.median_report:6.0f} ms {1e3 * row.slowest_report:6.0f} ms"
        )
    met = all(r.success_rate >= 0.995 and r.reported == 1.0 and r.slowest_report < 1.0 for r in rows)
    print(
        "acceptance: at least 99.5 % reached, all unreachable ones reported, none later than 1 s:",
        "met" if met else "MISSED",
    )
    return rows


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
