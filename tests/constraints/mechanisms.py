"""Some of `sixd.mechanisms` for tests of closed robots, each as the robot and a position that keeps its constraints."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sixd import ClosedRobot, mechanisms

__all__ = ["MECHANISMS", "bricard", "four_bar", "standing", "stewart"]


def _pair(make: Callable[..., mechanisms.Mechanism]) -> Callable[..., tuple[ClosedRobot, np.ndarray]]:
    @cache
    def made(*arguments: Any, **options: Any) -> tuple[ClosedRobot, np.ndarray]:
        mechanism = make(*arguments, **options)
        return mechanism.robot, mechanism.q

    return made


four_bar, bricard = _pair(mechanisms.four_bar), _pair(mechanisms.bricard)
stewart, standing = _pair(mechanisms.stewart_platform), _pair(mechanisms.standing_quadruped)
MECHANISMS = {"four-bar": four_bar, "Bricard": bricard, "Stewart": stewart, "standing": standing}
