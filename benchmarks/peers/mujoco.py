"""MuJoCo called from Python, by those of its functions that do the same work; contacts and constraints are off.

Its joint dynamics come in stages that leave their results in a workspace. What is timed are the stages that an
algorithm needs, with the state in place already; where MuJoCo also has one call that does this and more, both are.

- ABA: it has none. ``mj_forward`` gives the same accelerations by the mass matrix and its sparse factors, and
  computes sensors, actuators and energies on the way, of which there are none here.
- CRBA leaves its result sparse; unpacking it would cost more.
- Jacobian: in world axes at the body's origin, ours in body axes.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.algorithms import Algorithm
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.mjcf import mjcf
from benchmarks.robots import Specimen
from sixd.layouts import mujoco_layout

__all__ = ["MuJoCo"]

Array = Any

LIBRARY = "MuJoCo Python"
KINEMATICS = "mj_kinematics(m, d); mj_comPos(m, d); "
STAGES = {
    "RNEA": (KINEMATICS + "mj_comVel(m, d); mj_rne(m, d, 1, x)", "mj_inverse(m, d)"),
    "ABA": ("mj_forward(m, d)",),
    "CRBA": (KINEMATICS + "mj_crb(m, d)", KINEMATICS + "mj_makeM(m, d)"),
    "FK": ("mj_kinematics(m, d)",),
    "Jacobian": (KINEMATICS + "mj_jacBody(m, d, Jp, Jr, tip)",),
    "M⁻¹": (KINEMATICS + "mj_makeM(m, d); mj_factorM(m, d); mj_solveM(m, d, X, one)",),
    "centroidal map": (KINEMATICS + "mj_jacSubtreeCom(m, d, Jp, 0); mj_angmomMat(m, d, Jr, 0)",),
}

#: Larger ones are read slowly: bodies are nested in its file format.
MOST_BODIES = 300


class MuJoCo:
    """MuJoCo on one robot."""

    def __init__(self, specimen: Specimen) -> None:
        self.specimen, robot = specimen, specimen.robot
        self.model = m = mujoco.MjModel.from_xml_string(mjcf(robot))
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.layout = mujoco_layout(robot, m)
        functions = {name: getattr(mujoco, name) for name in dir(mujoco) if name.startswith("mj_")}
        arrays = {"x": np.zeros(m.nv), "X": np.zeros((m.nv, m.nv)), "one": np.eye(m.nv)}
        arrays |= {"Jp": np.zeros((3, m.nv)), "Jr": np.zeros((3, m.nv))}
        bodies = [m.body(body.name).id for body in robot.body_list[1:]]
        self.bodies, tip = bodies, bodies[specimen.tip - 1]
        self.names = {**functions, **arrays, "m": m, "d": mujoco.MjData(m), "tip": tip}

    def contestants(self, algorithm: Algorithm, batch: int) -> list[Contestant]:
        if batch > 1:
            return []
        self.place(algorithm, 0)
        found = []
        for stages in STAGES.get(algorithm.name, ()):
            variant = ", ".join(part.split("(")[0].strip().removeprefix("mj_") for part in stages.split(";"))
            results = lambda stages=stages: self.results(algorithm, stages)  # noqa: E731
            found.append(Contestant(LIBRARY, variant, 1, call(stages, 1, **self.names), results))
        return found

    def methods(self) -> dict[str, Contestant]:
        """Calls that do what methods of a robot do, beside the nine algorithms."""
        from benchmarks.peers.mujoco_methods import mujoco_methods

        return mujoco_methods(self)

    def place(self, algorithm: Algorithm, k: int) -> None:
        """Put state k into the workspace."""
        q, qd, x = (array[k] for array in self.specimen.states(k + 1).values())
        d = self.names["d"]
        d.qpos, d.qvel = self.layout.q_to(q), self.layout.v_to(q, qd)
        d.qacc, d.qfrc_applied = 0.0, 0.0
        if algorithm.name == "RNEA":
            d.qacc = self.layout.a_to(q, qd, x)
        elif algorithm.name == "ABA":
            d.qfrc_applied = self.layout.tau_to(q, x)

    def results(self, algorithm: Algorithm, stages: str, n: int = CHECKED) -> Array:
        found = []
        for k in range(n):
            self.place(algorithm, k)
            exec(stages, dict(self.names))
            found.append(self.ours(algorithm, stages, k))
        self.place(algorithm, 0)
        return np.array(found)

    def ours(self, algorithm: Algorithm, stages: str, k: int) -> Array:
        """What is in the workspace, in sixd's layout. A is the map of velocities."""
        m, d, name = self.model, self.names["d"], algorithm.name
        q, qd, _ = (array[k] for array in self.specimen.states(k + 1).values())
        A = self.layout.v_to(np.tile(q, (qd.size, 1)), np.eye(qd.size)).T
        if name == "RNEA":
            return A.T @ (d.qfrc_inverse if "inverse" in stages else self.names["x"])
        if name == "ABA":
            return self.layout.a_from(q, qd, d.qacc)
        if name == "CRBA":
            M = np.zeros((m.nv, m.nv))
            mujoco.mj_fullM(m, d, M)
            return A.T @ M @ A
        if name == "M⁻¹":
            return A.T @ self.names["X"] @ A
        if name == "FK":
            rotations = d.xmat[self.bodies].reshape(-1, 3, 3)
            return np.concatenate([rotations, d.xpos[self.bodies][:, :, None]], axis=-1)
        if name == "Jacobian":
            R = d.xmat[self.names["tip"]].reshape(3, 3)
            return np.concatenate([R.T @ self.names["Jr"], R.T @ self.names["Jp"]]) @ A
        return np.concatenate([self.names["Jr"], m.body_subtreemass[0] * self.names["Jp"]]) @ A
