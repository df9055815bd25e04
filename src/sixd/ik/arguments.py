"""What inverse kinematics takes for numbers: anything else is refused by name, with what would be right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.arguments import plain
from sixd.errors import ArgumentError, ChoiceError, ShapeError

__all__ = ["flag", "numbers", "seed_of", "tolerance_of", "whole"]

Array = NDArray[Any]


def numbers(name: str, value: Any, meaning: str) -> Array:
    """An array of real numbers, in double precision; ``meaning`` says what would be right."""
    if value is None:
        raise ArgumentError(f"{name} is missing: {meaning} is needed")
    try:
        array = np.asarray(plain(name, value))
    except ArgumentError:
        raise
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be an array of numbers with rows of one length: {meaning} is needed") from None
    if array.dtype.kind not in "iuf":
        raise ShapeError(f"{name} must be an array of numbers, {meaning}, not {_shown(value)}")
    return array.astype(float)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """An integer within bounds."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"{name} must be an integer, not {_shown(value)}")
    if not least <= value <= most:
        raise ChoiceError(f"{name} must be from {least} to {most}, not {value}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name} must be True or False, not {_shown(value)}")
    return bool(value)


def seed_of(value: Any) -> int | np.random.Generator:
    """A number that makes random ones, or a generator of them."""
    if isinstance(value, np.random.Generator):
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"seed must be an integer or a numpy.random.Generator, not {_shown(value)}")
    if value < 0:
        raise ChoiceError(f"seed must not be negative: {value}")
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
