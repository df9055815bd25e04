"""What inverse kinematics answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["IKResult", "Status"]


class Status(IntEnum):
    """How a target ended."""

    REACHED = 0
    #: No configuration reaches it, with or without limits: proved by lengths, or the closest point of every start.
    OUT_OF_REACH = 1
    #: Within the joint limits no start reaches it; without them one does.
    LIMIT_ACTIVE = 2
    #: The arm is singular where it ended: no joint motion reduces the error to first order, yet it is not a minimum.
    SINGULAR = 3
    #: The iterations ran out while the error was still falling.
    ITERATIONS = 4
    #: The target, the start or the posture is not finite.
    NOT_FINITE = 5


@dataclass(frozen=True, repr=False, eq=False)
class IKResult:
    """The outcome for one target, or for a batch: then every field is an array with the targets' batch axes in front.

    ``q`` (..., nq): the configuration, the closest one found where there is no success, NaN where the input was.
    ``success`` (...): within tolerance and limits. ``status`` (...): a `Status`. ``message`` (...): the same in words.
    ``nit`` (...): iterations until the target was reached or given up; starts that advance together count once.
    ``restarts`` (...): how many starts beyond the first were used. ``error`` (..., m): what remains, frame by frame, as
    `inverse_kinematics` defines it, rad and m, zero where the weight is zero; ``residual`` (...): its norm.
    """

    q: NDArray[Any]
    success: Any
    status: Any
    message: Any
    nit: Any
    residual: Any
    error: NDArray[Any]
    restarts: Any

    @classmethod
    def _of(
        cls,
        lead: tuple[int, ...],
        q: NDArray[Any],
        error: NDArray[Any],
        success: NDArray[Any],
        status: NDArray[Any],
        message: NDArray[Any],
        nit: NDArray[Any],
        restarts: NDArray[Any],
    ) -> IKResult:
        """That of T targets in a row, with their batch axes; plain values for a single target."""
        fields = {"success": success, "status": status, "message": message.astype(str), "nit": nit}
        fields |= {"residual": np.linalg.norm(error, axis=1), "restarts": restarts}
        values = {name: a.reshape(lead) if lead else a[0].item() for name, a in fields.items()}
        if not lead:
            values["status"] = Status(int(values["status"]))
        return cls(q=q.reshape(*lead, q.shape[1]), error=error.reshape(*lead, error.shape[1]), **values)

    def __repr__(self) -> str:
        if isinstance(self.message, str):
            lines = [self.message, f"q: {np.array2string(self.q, precision=6, suppress_small=True)}"]
            lines.append(f"residual: {self.residual:.3g}, nit: {self.nit}, restarts: {self.restarts}")
        else:
            lines = [f"{np.count_nonzero(self.success)} of {np.size(self.success)} targets reached"]
            for status in Status:
                count = np.count_nonzero(self.status == status)
                if count and status != Status.REACHED:
                    lines.append(f"{count} {status.name.lower().replace('_', ' ')}")
            lines.append(f"q: array {self.q.shape}, residual: at most {np.max(self.residual, initial=0.0):.3g}")
        return "IKResult: " + "\n  ".join(lines)
