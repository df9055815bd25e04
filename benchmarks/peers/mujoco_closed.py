"""MuJoCo on closed robots: its equality constraints, which are soft, so that its figures are for information.

Points stay together by ``connect`` between sites. Its constraint forces minimise a cost in which the constraints have a
finite weight: ``solimp`` of 0.9999, its largest, gives them the most; ``solref`` is its default of 20 ms, critically
damped, and acts on errors of position and velocity, of which these states have none. What is left of the constraints'
acceleration is told beside the times. The Newton solver needs one step.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import mujoco
import numpy as np

import sixd
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.mjcf import mjcf
from benchmarks.peers.mujoco_rollout import Rollout, read
from benchmarks.robots import text
from sixd.layouts import Layout
from sixd.layouts.forms import form_of
from sixd.layouts.layout import Part

__all__ = ["MuJoCoClosed"]

Array = Any

SOLREF, SOLIMP = "0.02 1", "0.9999 0.9999 0.001"


class MuJoCoClosed:
    """A closed robot whose constraints are points, in states (q, qd) under joint forces tau."""

    def __init__(self, robot: sixd.ClosedRobot, q: Array, qd: Array, tau: Array) -> None:
        self.robot, self.given = robot, (q, qd, tau)
        self.models = {kind: read(_xml(robot), "CONTACT") for kind in ("dense", "sparse")}
        for kind, model in self.models.items():
            model.opt.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{kind.upper()}")
        self.layout = _layout(robot)

    def one(self) -> list[Contestant]:
        """``mj_forward`` from Python, with the state in place."""
        found = []
        for kind, model in self.models.items():
            data = mujoco.MjData(model)
            self.place(data, 0)
            run = call("f(m, d)", 1, f=mujoco.mj_forward, m=model, d=data)
            found.append(Contestant("MuJoCo Python", f"mj_forward, {kind}", 1, run, self.results, np.inf))
        return found

    def batch(self) -> list[Contestant]:
        """A rollout of one step from each state: ``mj_step`` in C, whose step in time is cheap."""
        n, found = len(self.given[0]), []
        for kind, model in self.models.items():
            q, qd, tau = self.given
            rollout = Rollout(model, self.layout, q, qd, 1, tau)
            run = call("run()", n, run=rollout)
            found.append(Contestant("MuJoCo C", f"rollout, {kind}", n, run, self.results, np.inf))
        return found

    def place(self, data: Any, k: int) -> None:
        q, qd, tau = (x[k] for x in self.given)
        data.qpos, data.qvel = self.layout.q_to(q), self.layout.v_to(q, qd)
        data.qfrc_applied = self.layout.tau_to(q, tau)

    def results(self, n: int = CHECKED) -> Array:
        """Accelerations of the first states."""
        model, found = self.models["dense"], []
        data = mujoco.MjData(model)
        for k in range(n):
            self.place(data, k)
            mujoco.mj_forward(model, data)
            found.append(self.layout.a_from(self.given[0][k], self.given[1][k], data.qacc))
        return np.array(found)

    def residual(self) -> float:
        """The largest entry of L qdd - c, the acceleration that its constraints leave, m/s^2."""
        qdd = self.results()
        q, qd, _ = (x[:CHECKED] for x in self.given)
        L, c = self.robot.constraint_jacobian(q), self.robot.constraint_bias(q, qd)
        return float(np.abs((L @ qdd[..., None])[..., 0] - c).max())


def _xml(robot: sixd.ClosedRobot) -> str:
    """The tree, a site at both points of each constraint, and what ties them."""
    sites, ties = defaultdict(str), ""
    for k, closure in enumerate(robot.closures):
        for side, body, X in (("a", closure.a, closure.X_a), ("b", closure.b, closure.X_b)):
            sites[body] += f'<site name="{side}{k}" pos="{text(X.r)}"/>'
        ties += f'<connect site1="a{k}" site2="b{k}" solref="{SOLREF}" solimp="{SOLIMP}"/>'
    return mjcf(robot, within=sites, sections=f"<equality>{ties}</equality>")


def _layout(robot: sixd.ClosedRobot) -> Layout:
    """Joint by joint in the robot's order, as `mjcf` writes them: a universal joint has no name of its own there."""
    parts, nq, nv = [], 0, 0
    for joint in robot.joints:
        form = form_of("MuJoCo", robot, joint)
        parts.append(Part(form, slice(nq, nq + form.nq), slice(nv, nv + form.nv), joint, 1.0, 0.0))
        nq, nv = nq + form.nq, nv + form.nv
    return Layout("MuJoCo", robot, tuple(parts))
