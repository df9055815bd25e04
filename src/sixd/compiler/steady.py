"""What calls of users' code must leave as it was: what it could read again, and random generators.

A law is run to try it and to record it. What it keeps of one call, such as the first state that it has seen, would be
a constant of the compiled code. So what it refers to is compared before and after: attributes of objects and classes,
variables around functions and global ones, also within lists, dicts, arrays and objects of users. Not seen is what
other objects keep inside, such as open files, iterators, caches of `functools` and classes of other modules.
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, NamedTuple

import numpy as np

from sixd.ir import UnsteadyError
from sixd.model import Model
from sixd.process import forks
from sixd.runtime.least_recently_used import Recent

__all__ = ["drawn_from", "leaving", "need_steady"]

#: Values that are compared as they are.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CONTAINERS = (list, tuple, set, frozenset, dict)
#: Packages whose objects do not show what they keep.
_CLOSED = frozenset({__name__.partition(".")[0], "numpy", *sys.stdlib_module_names}) - {"__main__"}
#: Where nothing is: no value of a user.
_NOTHING = object()
#: Objects within objects are compared down to this depth.
_DEPTH = 9


@contextmanager
def leaving(parts: Sequence[tuple[str, Any]]) -> Iterator[None]:
    """Raise `UnsteadyError` if what is done in the ``with`` block changes what some titled parts refer to."""
    before = [_Seen.of(part) for _, part in parts]
    for (title, _), old in zip(parts, before, strict=True):
        _need_nowhere(title, old.as_refused())
    yield
    for (title, part), old in zip(parts, before, strict=True):
        _need_nowhere(title, old.changed(_Seen.of(part)))


def _need_nowhere(title: str, where: str) -> None:
    """Raise `UnsteadyError` if something was kept somewhere."""
    if where:
        raise UnsteadyError(
            title,
            f"it keeps something from one call to the next ({where})",
            "Compute what it needs before, where it is made, and give what changes as arguments or inputs",
        )


def drawn_from(run: Callable[[], Any]) -> tuple[Any, str]:
    """The result of a function, and from which of the common random generators it drew, if any."""
    before = _generators()
    result = run()
    after = _generators()
    return result, " and ".join(name for name in before if before[name] != after[name])


def need_steady(name: str, drawn: str, program: Any, again: Callable[[], Any]) -> None:
    """Raise `UnsteadyError` if users' code, recorded ``again``, becomes another program, or is random both times.

    Few outcomes of a random number may be the same twice; another thread may have drawn one time, but hardly both.
    """
    second, drawn_again = drawn_from(again)
    if second.fingerprint != program.fingerprint:
        raise UnsteadyError(name)
    if drawn and drawn_again:
        raise UnsteadyError(name, f"it draws random numbers from {drawn_again}")


def _generators() -> dict[str, str]:
    """The states of the random generators that all share. That of NumPy, if it was imported."""
    numpy = sys.modules.get("numpy.random")
    return {"random": repr(random.getstate()), "numpy.random": "" if numpy is None else repr(numpy.get_state())}


class _Value(NamedTuple):
    """What was found at one place: its own ``state``, and what it refers to, by name."""

    owner: Any = None
    state: Any = None
    inside: Mapping[str, Any] = MappingProxyType({})

    def change(self, after: _Value) -> str | None:
        """The first name behind which something else is found; "" if only the state differs; None if nothing does."""
        for name in {**self.inside, **after.inside}:
            a, b = self.inside.get(name, _NOTHING), after.inside.get(name, _NOTHING)
            if not (a is b or (type(a) is type(b) in _PLAIN and a == b)):
                return name
        return None if self.state == after.state else ""


#: What refused calls have left, by the number of its owner, whom it keeps alive; the most recent ones.
_REFUSED: Recent[_Value] = Recent(64)


class _Seen(dict[str, _Value]):
    """Values by the place where they were found."""

    @classmethod
    def of(cls, part: Any) -> _Seen:
        seen = cls()
        seen._walk(type(part).__name__, part, _DEPTH, set())
        return seen

    def changed(self, after: _Seen) -> str:
        """The first place where another value is found than before; nothing if there is none."""
        for place, value in self.items():
            now = after.get(place, _Value())
            name = value.change(now)
            if name is not None:
                _REFUSED.put(id(now.owner), now)
                return place + name
        return ""

    def as_refused(self) -> str:
        """The first place where something is still what a call that was refused has left; nothing if there is none.

        Else who tries again would be let in: what is to be kept is kept already.
        """
        for place, value in self.items():
            left = _REFUSED.get(id(value.owner))
            if left is not None and left.change(value) is None:
                return place
        return ""

    def _walk(self, place: str, x: Any, depth: int, known: set[int]) -> None:
        if type(x) in _PLAIN or id(x) in known or depth == 0:
            return
        known.add(id(x))
        if isinstance(x, np.ndarray):
            if x.flags.writeable and not x.dtype.hasobject:
                self[place] = _Value(x, (x.dtype.str, x.shape, x.tobytes()))
        elif isinstance(x, random.Random):
            self[place] = _Value(x, x.getstate())
        elif str(type(x).__module__).startswith("numpy.random"):
            state = x.get_state() if hasattr(x, "get_state") else getattr(x, "bit_generator", x).state
            self[place] = _Value(x, repr(state))
        else:
            inside = _inside(x)  # a new dict: what changes later is not in it
            self[place] = _Value(x, type(x), inside)
            for name, value in inside.items():
                self._walk(f"{place}{name}", value, depth - 1, known)


def _inside(x: Any) -> dict[str, Any]:
    """What an object shows of what it refers to, by name."""
    if type(x) in _CONTAINERS:
        return {f"[{key!r}]": value for key, value in (x.items() if isinstance(x, dict) else enumerate(x))}
    if isinstance(x, FunctionType):
        return _around(x)
    if isinstance(x, MethodType):
        return {".__self__": x.__self__, ".__func__": x.__func__}
    if isinstance(x, BuiltinMethodType):
        return {".__self__": x.__self__}
    if isinstance(x, functools.partial):
        return {".func": x.func, ".args": x.args, ".keywords": x.keywords}
    if isinstance(x, property):
        return {".fget": x.fget}
    if isinstance(x, staticmethod | classmethod):
        return {".__func__": x.__func__}
    if isinstance(x, type):
        return {f".{name}": value for name, value in vars(x).items() if _is_shown(name)} if _is_open(x) else {}
    if isinstance(x, Model):
        return {}
    kind = type(x)
    if not _is_open(kind):
        return {f".{f.name}": getattr(x, f.name, None) for f in fields(x)} if _is_frozen(kind) else {}
    lazy = functools.cached_property, forks.cached_property
    own = {name: value for name, value in getattr(x, "__dict__", {}).items() if not _is_a(kind, name, lazy)}
    slots = [name for each in kind.__mro__ for name in _names(vars(each).get("__slots__", ()))]
    own |= {name: getattr(x, name) for name in slots if name != "__dict__" and hasattr(x, name)}
    classes = {f" class {each.__name__}": each for each in kind.__mro__ if _is_open(each)}
    return {f".{name}": value for name, value in own.items()} | classes


def _around(function: FunctionType) -> dict[str, Any]:
    """The variables around a function of a user that it names, and its default values."""
    if str(function.__module__).partition(".")[0] in _CLOSED:
        return {}
    found = {f".{name}": value for name, value in vars(function).items()}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # it has no value yet
            found[f" variable {name}"] = cell.cell_contents
    found |= {f" default {k}": x for k, x in enumerate(function.__defaults__ or ())}
    found |= {f" default {name}": x for name, x in (function.__kwdefaults__ or {}).items()}
    known = function.__globals__
    return found | {f" global {name}": known[name] for name in _globals_of(function.__code__) if name in known}


def _globals_of(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_globals_of, inner))


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _is_a(kind: type, name: str, types: tuple[type, ...]) -> bool:
    """Whether the attribute of a class that has this name is one of these types."""
    return isinstance(next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None), types)


def _is_shown(name: str) -> bool:
    return not (name.startswith("__") and name.endswith("__")) and not name.startswith("_abc_")


def _is_open(kind: type) -> bool:
    """Whether a class is a user's."""
    return str(kind.__module__).partition(".")[0] not in _CLOSED


def _is_frozen(kind: Any) -> bool:
    """Whether a class is one of frozen data, such as sixd's parts of simulations, in which users' code may be."""
    made_by: Any = getattr(kind, "__dataclass_params__", None)
    return made_by is not None and bool(made_by.frozen)
