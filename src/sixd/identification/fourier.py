"""Periodic motions: finite Fourier series, with their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.motion.basis import Basis

__all__ = ["basis_at"]

Array = NDArray[Any]


def basis_at(t: Array, duration: float, harmonics: int) -> Basis:
    """The functions of a Fourier series of this period at times t, 1 + 2 harmonics.

    The first function is constant. The others come in pairs, whose velocities are cos(l w t) and sin(l w t).
    """
    w = 2.0 * np.pi / duration * np.arange(1, harmonics + 1)
    cos, sin = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
    one = np.ones((len(t), 1))
    q = np.concatenate([one, sin / w, -cos / w], axis=1)
    qd = np.concatenate([0.0 * one, cos, sin], axis=1)
    return Basis(q, qd, np.concatenate([0.0 * one, -sin * w, cos * w], axis=1))
