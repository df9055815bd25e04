"""What force elements and controllers share: checks of their numbers, and which joints these are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from math import inf, isfinite
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from sixd import given
from sixd.errors import ArgumentError, ModelError, ShapeError
from sixd.ir.refusals import TraceError, place
from sixd.model import JointView, Model
from sixd.samples import Samples

__all__ = [
    "Amounts",
    "Names",
    "amount",
    "amounts",
    "for_any_number",
    "formula",
    "is_scalar",
    "joint_names",
    "joints_of",
    "last_joint",
    "need_each_once",
    "scalars",
    "settle",
    "spread",
    "three",
]

#: One number for all degrees of freedom, or one for each.
Amounts: TypeAlias = float | Sequence[float]
#: A name, several, or None for all that make sense.
Names: TypeAlias = str | Iterable[str] | None


def settle(part: Any, **fields: Any) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in fields.items():
        object.__setattr__(part, name, value)


def amount(value: Any, what: str, least: float = -inf, most: float = inf, above: bool = False) -> float:
    """A finite number of at least ``least``, or ``above`` it, and at most ``most``."""
    found = given.number(value, what)
    if not isfinite(found) or found < least or found > most or (above and found == least):
        bound = "" if least == -inf else f" above {least:g}" if above else f" of at least {least:g}"
        bound += "" if most == inf else f" and at most {most:g}"
        raise ModelError(f"{what} must be a finite number{bound}, not {found}")
    return found


def amounts(value: Any, what: str, least: float = -inf, above: bool = False) -> float | tuple[float, ...]:
    """One finite number, or several as a tuple, each of at least ``least``, or ``above`` it."""
    if isinstance(value, float | int) or getattr(value, "shape", None) == ():
        return amount(value, what, least, above=above)
    found = tuple(amount(x, f"{what}: each entry", least, above=above) for x in given.numbers(value, what))
    if not found:
        raise ModelError(f"{what} must be a number or several, but there is none")
    return found


def need_each_once(parts: Iterable[Any], what: str) -> None:
    """Raise if two of some parts are equal; ``what`` they would do twice. One without a hash equals only itself."""
    seen: set[Any] = set()
    for part in parts:
        try:
            key = hash(part), part
        except TypeError:
            key = id(part), None
        if key in seen:
            raise ModelError(f"{part} is there twice, and would {what} twice: give it once")
        seen.add(key)


def formula(value: Any, what: str, form: str, arguments: int) -> Any:
    """A function of the user that can be called with so many numbers; ``form`` shows how, such as f(x, t)."""
    try:
        signature(value).bind(*(0.0,) * arguments)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} must be a function {form}, not {_form(value)}") from None
    return value


@contextmanager
def for_any_number(what: str) -> Iterator[None]:
    """Runs a user's function on numbers of some kind: what does not fit them is an error with the user's line."""
    try:
        yield
    except TraceError:
        raise
    except (TypeError, AttributeError) as error:
        raise ArgumentError(
            f"{what} is written for any kind of number, with + - * / ** and sin, sqrt, ... of sixd.ops: "
            f"{error}: {place(error)}"
        ) from error


def _form(value: Any) -> str:
    """What a value is; of a function, which arguments it takes."""
    return f"one that takes {signature(value)}" if isinstance(value, FunctionType) else given.described(value)


def scalars(value: Any, what: str, count: int) -> list[Any]:
    """What a function of a user returned, as so many numbers of any kind; ``what`` names the function."""
    wanted = f"{what} must return {'one number' if count == 1 else f'{count} numbers'} in a list"
    if isinstance(value, str | bytes | dict | set) or not hasattr(value, "__iter__") or np.shape(value) == ():
        raise ArgumentError(f"{wanted}, not {given.described(value)}")
    found = list(value)
    if len(found) != count:
        raise ShapeError(f"{wanted}, not {len(found)}")
    for k, x in enumerate(found):
        if not is_scalar(x):
            raise ArgumentError(f"{wanted}, but entry {k} is {given.described(x)}")
    return found


def is_scalar(x: Any) -> bool:
    """Whether it can be one number of any kind: it multiplies, and has no entries but those of samples."""
    if isinstance(x, np.ndarray) and not isinstance(x, Samples):
        return x.ndim == 0
    return isinstance(x, Samples) or (hasattr(x, "__mul__") and not hasattr(x, "__iter__"))


def three(value: Any, what: str) -> tuple[float, ...]:
    """Three finite numbers."""
    return given.finite(value, what, 3)


def joint_names(value: Any, what: str) -> tuple[str, ...] | None:
    """Names of joints, or of frames, as a tuple, each given once; None stays None."""
    if value is None:
        return None
    found = given.words(value, what)
    if not found or len(set(found)) < len(found):
        raise ModelError(f"{what} must be names, at least one and each once, not {given.described(value)}")
    return found


def joints_of(model: Model, names: Names) -> list[JointView]:
    """The joints of these names, in this order.

    None stands for all joints that a spring or a motor can sit in: those with coordinates of their own and fewer than
    six freedoms, for a joint with six, such as that of a free base, is no connection at all.
    """
    if names is None:
        return [joint for joint in model.joints if joint.mimic is None and joint.type.nv < 6]
    found = [model.joint(name) for name in given.words(names, "joints")]
    for joint in found:
        if joint.mimic is not None:
            raise ModelError(
                f"joint {joint.name!r} has no coordinates of its own: it follows {joint.mimic.joint!r}, name that one"
            )
    return found


def last_joint(model: Model) -> str:
    """The name of the last joint that has coordinates of its own: for examples."""
    return next(joint.name for joint in reversed(tuple(model.joints)) if joint.mimic is None)


def spread(value: Amounts, joints: Sequence[JointView], what: str, of: str = "v") -> list[tuple[float, ...]]:
    """For each joint, its share of numbers that are given for all joints in turn; one number is given to each.

    ``of`` says what there is a number for: "v", degrees of freedom, or "q", position coordinates.
    """
    sizes = [joint.type.nv if of == "v" else joint.type.nq for joint in joints]
    if isinstance(value, float | int):
        return [(float(value),) * n for n in sizes]
    if len(value) != sum(sizes):
        shown = ", ".join(f"{j.name} {n}" for j, n in list(zip(joints, sizes, strict=True))[:6])
        raise ShapeError(
            f"{what} needs one number or {sum(sizes)}, not {len(value)}: the joints have {shown}"
            + (" ..." if len(sizes) > 6 else "")
        )
    found, start = [], 0
    for n in sizes:
        found.append(tuple(value[start : start + n]))
        start += n
    return found
