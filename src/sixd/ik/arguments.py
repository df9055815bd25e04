"""What inverse kinematics takes for numbers: anything else is refused by name, with what would be right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.given import described
from sixd.runtime.arguments import plain

__all__ = ["numbers", "seed_of", "tolerance_of", "whole"]

Array = NDArray[Any]


def numbers(name: str, value: Any, meaning: str) -> Array:
    """An array of real numbers, in double precision; ``meaning`` says what would be right."""
    if value is None:
        raise ArgumentError(f"{name} is missing: {meaning} is needed")
    try:
        array = np.asarray(plain(name, value))
    except ArgumentError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be an array of numbers with rows of one length: {meaning} is needed") from None
    if array.dtype.kind not in "iuf":
        raise ShapeError(f"{name} must be an array of numbers, {meaning}, not {described(value)}")
    return array.astype(float)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """An integer within bounds."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"{name} must be an integer, not {described(value)}")
    if not least <= value <= most:
        raise ChoiceError(f"{name} must be from {least} to {most}, not {value}")
    return int(value)


def seed_of(value: Any) -> int | Generator:
    """A number that makes random ones, or a generator of them."""
    if isinstance(value, Generator):
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"seed must be an integer or a numpy.random.Generator, not {described(value)}")
    if not 0 <= value < 2**128:  # more bits than these NumPy's generators do not tell apart
        raise ChoiceError(f"seed must be from 0 to 2^128, not {described(value)}")
    return int(value)


def tolerance_of(value: Any) -> tuple[float, float]:
    """Positive numbers (rad, m), from one or two."""
    array = numbers("tolerance", value, "a number, or two (rad, m)")
    if array.shape not in ((), (2,)):
        raise ShapeError(f"tolerance must be a number, or two (rad, m), not an array of shape {array.shape}")
    if not np.all((array > 0.0) & (array < np.inf)):
        raise ChoiceError(f"tolerance must be positive and finite, not {value}: what does not count has weight 0")
    pair = np.broadcast_to(array, (2,))
    return float(pair[0]), float(pair[1])
