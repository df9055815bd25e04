"""What a function or an object computes, as a key: equal keys compute the same.

Code is kept for a function of sixd by the function itself. What users write may refer to what changes: variables around
a function, attributes of objects, globals. So the key of such a function is made of all that it refers to, by value.
Packages that are installed count as fixed, but for plain numbers and arrays in their modules.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import sysconfig
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, cached_property, partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from sixd.model import Model
from sixd.ops import Tabulated

__all__ = ["content"]

#: An object that refers to more than this is not looked through.
MOST = 20_000
#: What can be compared as it is.
_PLAIN = (type(None), bool, int, str, bytes, complex)


def content(x: Any) -> Hashable | None:
    """A key of what x computes: a function, an object with methods, or a value. None if that cannot be known.

    The key of what refers to things that cannot be compared, such as open files, is None: it may change unnoticed.
    """
    try:
        key: Hashable = _Reader().key(x)
    except _UnknownError:
        return None
    return key


class _UnknownError(Exception):
    """It cannot be known what an object computes."""


class _Reader:
    """Makes the key of one object. What it has met already is named by its number, which ends circles."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        #: Keeps what was met alive, so that no other object gets its address.
        self.alive: list[Any] = []

    def key(self, x: Any) -> Any:
        """The key of anything."""
        if type(x) in _PLAIN:
            return type(x), x
        if type(x) is float:
            return x.hex()  # 0.0 and -0.0 are equal, but differ
        if id(x) in self.met:
            return _Met, self.met[id(x)]
        if len(self.met) > MOST:
            raise _UnknownError
        self.met[id(x)] = len(self.met)
        self.alive.append(x)
        return self._new(x)

    def _new(self, x: Any) -> Any:
        if isinstance(x, Model):
            return type(x), x.fingerprint, x.types
        if isinstance(x, Tabulated):
            return type(x), x.digest
        if isinstance(x, tuple | list):
            return type(x), tuple(map(self.key, x))
        if isinstance(x, set | frozenset):
            return type(x), tuple(map(self.key, sorted(x, key=repr)))
        if isinstance(x, dict):
            return type(x), tuple((self.key(k), self.key(value)) for k, value in x.items())
        if isinstance(x, np.ndarray | np.generic) and not x.dtype.hasobject:
            return type(x), x.dtype.str, x.shape, hashlib.sha256(x.tobytes()).digest()
        if isinstance(x, FunctionType):
            return self._function(x)
        if isinstance(x, type):
            return self._class(x)
        if isinstance(x, MethodType):
            return MethodType, self.key(x.__func__), self.key(x.__self__)
        if isinstance(x, partial):
            return partial, self.key(x.func), self.key(x.args), self.key(x.keywords)
        if isinstance(x, property):
            return property, *map(self.key, (x.fget, x.fset, x.fdel))
        if isinstance(x, staticmethod | classmethod):
            return type(x), self.key(x.__func__)
        if isinstance(x, cached_property):
            return cached_property, self.key(x.func)
        if isinstance(x, BuiltinFunctionType) and not isinstance(x.__self__, ModuleType | type(None)):
            return BuiltinFunctionType, x.__name__, self.key(x.__self__)
        if isinstance(x, BuiltinFunctionType | np.ufunc | ModuleType):
            return x
        return self._object(x)

    def _object(self, x: Any) -> Any:
        """An object by its class and its attributes."""
        kind: Any = type(x)
        installed = _is_installed(kind.__module__)
        if is_dataclass(x):
            values = tuple((f.name, self.key(getattr(x, f.name, None))) for f in fields(x))
            return self.key(kind), values, () if installed else self.key(getattr(x, "__dict__", ()))
        if kind.__reduce_ex__ is object.__reduce_ex__ and hasattr(x, "__dict__"):
            return self.key(kind), self.key(vars(x))
        if installed:
            try:
                return kind, pickle.dumps(x)
            except (pickle.PicklingError, TypeError, AttributeError):
                pass
        raise _UnknownError

    def _class(self, x: type) -> Any:
        """A class: one of an installed package as it is, one of the user by what is defined in it and its bases."""
        if _is_installed(x.__module__):
            return x
        own = tuple((name, self.key(value)) for name, value in vars(x).items() if _tells(name, value))
        return x, own, tuple(map(self.key, x.__bases__))

    def _function(self, f: FunctionType) -> Any:
        """A function: one of an installed package as it is, one of the user by its code and what that refers to."""
        if _is_installed(f.__module__) and f.__closure__ is None:
            return f
        around = [self.key(cell.cell_contents) if _is_filled(cell) else _Met for cell in f.__closure__ or ()]
        if _is_installed(f.__module__):
            return f.__code__, *around
        names = tuple(dict.fromkeys(_names(f.__code__)))
        given = self.key(f.__defaults__), self.key(f.__kwdefaults__), self.key(vars(f))
        return f.__code__, *around, *given, self._globals(names, f.__globals__)

    def _globals(self, names: Iterable[str], space: Mapping[str, Any]) -> Any:
        """The global values that these names have, and those of modules among them that are asked for by name."""
        found = []
        for name in names:
            value = space.get(name, _Met)
            found.append((name, _Met if value is _Met else self.key(value)))
            if isinstance(value, ModuleType):
                inner = {n: vars(value)[n] for n in names if n in vars(value)}
                known = _is_installed(value.__name__)
                found += [(n, self.key(y)) for n, y in inner.items() if not known or type(y) in _VALUES]
        return tuple(found)


class _Met:
    """Stands for what was met before, and for a variable without value."""


#: What may change in a module of a package: values, not code.
_VALUES = (*_PLAIN, float, tuple, list, dict, np.ndarray, np.float64)


def _tells(name: str, value: Any) -> bool:
    """Whether an entry of a class says what it computes: not what Python notes there, such as the places of slots."""
    noted = name.startswith("__") and not isinstance(value, FunctionType)
    return not (noted or name == "_abc_impl" or hasattr(value, "__objclass__"))


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # the variable has no value yet
        return False


def _names(code: CodeType) -> Iterable[str]:
    """The names of globals and attributes that some code has, with the functions in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _folders() -> tuple[str, ...]:
    """Where packages are installed."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys(f"{paths[name]}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")))


@cache
def _is_installed(module: str | None) -> bool:
    """Whether a module belongs to sixd, to Python, or to an installed package, whose code does not change."""
    package = (module or "").partition(".")[0]
    if package in ("sixd", "builtins") or package in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(package), "__file__", None) or ""
    return file.startswith(_folders())
