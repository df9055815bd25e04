"""MuJoCo's rollouts: its own loop in C over states and steps, on one core, into an array that is there.

Islands are off: finding them costs a robot that is one island 7 % of its time. Dense or sparse matrices, cones by
pyramids or ellipses, other solvers and tolerances were as fast or slower.
"""

from __future__ import annotations

from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

from sixd.layouts import Layout

__all__ = ["Rollout", "read"]

Array = Any


def read(xml: str, *disabled: str) -> Any:
    """The model, without islands and without what else is named (mjDSBL_...)."""
    model = mujoco.MjModel.from_xml_string(xml)
    for name in ("ISLAND", *disabled):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
    return model


class Rollout:
    """So many steps from each of these states, (n, nq) and (n, nv), under constant joint forces or none."""

    def __init__(self, model: Any, layout: Layout, q: Array, qd: Array, steps: int, tau: Array | None = None) -> None:
        self.model, self.layout, self.data = model, layout, mujoco.MjData(model)
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.zeros((len(q), mujoco.mj_stateSize(model, spec)))
        for k, row in enumerate(self.start):
            self.data.qpos, self.data.qvel = layout.q_to(q[k]), layout.v_to(q[k], qd[k])
            mujoco.mj_getState(model, self.data, row, spec)
        self.options: dict[str, Any] = {"nstep": steps, "state": np.empty((len(q), steps, self.start.shape[1]))}
        if tau is not None:
            self.options["control"] = layout.tau_to(q, tau)[:, None, :]
            self.options["control_spec"] = mujoco.mjtState.mjSTATE_QFRC_APPLIED

    def __call__(self) -> None:
        mujoco.rollout.rollout(self.model, self.data, self.start, **self.options)

    def end(self) -> Array:
        """The last positions, (n, nq), in sixd's layout; time comes first in MuJoCo's state."""
        return self.layout.q_from(self.options["state"][:, -1, 1 : 1 + self.model.nq])
