"""MuJoCo's stages that do what a method of a robot does and are none of the nine algorithms; all work in place."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.mujoco import KINEMATICS, LIBRARY, MuJoCo

__all__ = ["mujoco_methods"]

Array = Any

#: Gravity has the velocities at zero beforehand. Its step of a free base is another, of position and attitude apart.
CALLS = {
    "gravity_forces": KINEMATICS + "mj_rne(m, d, 0, x)",
    "pose": "mj_kinematics(m, d)",
    "velocity": KINEMATICS + "mj_comVel(m, d); mj_objectVelocity(m, d, XBODY, tip, V, 1)",
    "integrate": "mj_integratePos(m, position, velocity, 1.0)",
}


def mujoco_methods(peer: MuJoCo) -> dict[str, Contestant]:
    """The calls, each with the results of the first states in sixd's layout. Each has a workspace of its own."""
    own = peer.specimen.states(CHECKED)

    def names(method: str, k: int) -> dict[str, Any]:
        q, v = peer.layout.q_to(own["q"][k]), peer.layout.v_to(own["q"][k], own["qd"][k])
        data = mujoco.MjData(peer.model)
        data.qpos, data.qvel = q, 0.0 if method == "gravity_forces" else v
        mujoco.mj_fwdPosition(peer.model, data)
        mujoco.mj_comVel(peer.model, data)
        arrays = {"V": np.zeros(6), "x": np.zeros(peer.model.nv), "position": q, "velocity": v}
        return {**peer.names, **arrays, "d": data, "XBODY": mujoco.mjtObj.mjOBJ_XBODY}

    def result(method: str, k: int) -> Array:
        known = names(method, k)
        exec(CALLS[method], known)
        if method == "gravity_forces":
            return peer.layout.tau_from(own["q"][k], known["x"])
        if method == "pose":
            R, p = known["d"].xmat[known["tip"]].reshape(3, 3), known["d"].xpos[known["tip"]]
            return np.block([[R, p[:, None]], [np.eye(4)[3:]]])
        return known["V"].copy() if method == "velocity" else peer.layout.q_from(known["position"])

    def results(method: str) -> Array:
        return np.array([result(method, k) for k in range(CHECKED)])

    found = {}
    for method, statement in CALLS.items():
        if method == "integrate" and peer.specimen.base == "free":
            continue
        variant = ", ".join(part.split("(")[0].strip().removeprefix("mj_") for part in statement.split(";"))
        run = call(statement, 1, **names(method, 0))
        found[method] = Contestant(LIBRARY, variant, 1, run, lambda method=method: results(method))  # type: ignore[misc]
    return found
