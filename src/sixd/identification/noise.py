"""The noise of joint forces, and equations weighted by it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.identification.combinations import combinations_of
from sixd.identification.logs import Log
from sixd.identification.unknowns import Unknowns

__all__ = ["condensed", "found_noise", "given_noise", "reduced", "rms"]

Array = NDArray[Any]
_MOST_TURNS = 50
#: How many samples are taken at once.
_PIECE = 2_000


def given_noise(noise: ArrayLike, nv: int) -> Array:
    sigma = np.array(given.finite(noise, "noise", nv))
    if not (sigma > 0.0).all():
        raise ModelError(f"noise must be {nv} positive standard deviations, not {sigma.tolist()}")
    return sigma


def condensed(unknowns: Unknowns, log: Log) -> tuple[Array, Array]:
    """A (rows, nv, parameters) and y (rows, nv) with the |A p - y| of the log for each joint and every p, in few rows.

    The log is taken in pieces, as the columns of all its samples might not fit into memory.
    """
    R: Any = np.zeros((unknowns.robot.nv, 0, len(unknowns.names) + 1))
    for first in range(0, len(log.tau), _PIECE):
        q, qd, qdd, tau = (x[first : first + _PIECE] for x in log)
        y = tau - unknowns.known(q, qd, qdd)
        rows = np.concatenate([unknowns.columns(q, qd, qdd), y[..., None]], axis=-1)
        R = np.linalg.qr(np.concatenate([R, np.moveaxis(rows, 1, 0)], axis=1), mode="r")
    R = np.moveaxis(R, 0, 1)
    return R[..., :-1], R[..., -1]


def found_noise(A: Array, y: Array, samples: int, names: tuple[str, ...]) -> Array:
    """The root mean square of what a least-squares fit, weighted by these, leaves of each joint force.

    They are found in turns. If samples are few, there is one turn only: in more of them the fit would meet one joint
    exactly, as if it had no noise.
    """
    sigma = np.maximum(rms(y, samples), 1e-300)
    leading = combinations_of(A.reshape(-1, A.shape[-1]), names).leading
    for _ in range(_MOST_TURNS if samples >= 2 * len(leading) else 1):
        Q, _ = np.linalg.qr((A[..., leading] / sigma[:, None]).reshape(-1, len(leading)))
        right = (y / sigma).ravel()
        rest = (right - Q @ (Q.T @ right)).reshape(y.shape)
        change = np.maximum(rms(rest, samples), 1e-14)
        sigma = sigma * change
        if np.abs(change - 1.0).max() < 0.01:
            break
    return sigma


def reduced(rows: Array, right: Array) -> tuple[Array, Array]:
    """R and z with |rows b - right|^2 = |R b - z|^2 + a constant, where R is square."""
    Q, R = np.linalg.qr(rows)
    return R, Q.T @ right


def rms(x: Array, samples: int) -> Array:
    """The root of the sum of squares over rows, per sample."""
    return np.sqrt(np.sum(x**2, axis=0) / samples)
