"""What an object computes, as a key: equal keys compute the same.

Parts of simulations that sixd defines are frozen data: their types and values are the key. What users write may refer
to anything that changes: variables around a function, attributes of objects, globals, files. No look at such code tells
what it computes, so it is run on recorded numbers, and what it did with them is the key.
"""

from __future__ import annotations

import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np

from sixd.compiler.request import Request
from sixd.compiler.steady import leaving
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import UnsteadyError
from sixd.model import Model
from sixd.ops import Tabulated

__all__ = ["Computing", "Reader", "UnknownError", "content", "is_of_sixd", "titled"]

#: What can be compared as it is.
_PLAIN = (type(None), bool, int, str, bytes)


def content(x: Any, model: Model, parameters: tuple[str, ...] = ()) -> Hashable | None:
    """A key of what x computes for a model: a function, an object with methods, or a value. None if it has no key.

    ``parameters`` are the numbers of the model that differ from sample to sample.
    """
    try:
        key: Hashable = Reader(model, parameters).key(x)
    except UnknownError:
        return None
    return key


class UnknownError(Exception):
    """A value does not tell what an object computes."""


class Computing(ABC):
    """What has parts that users write, and can tell what these compute."""

    @abstractmethod
    def content(self, reader: Reader) -> Hashable:
        """The key of this object; `UnknownError` if there is none."""


@dataclass(frozen=True)
class Reader:
    """Makes keys, for a model of which some ``parameters`` differ from sample to sample."""

    model: Model
    parameters: tuple[str, ...]

    def key(self, x: Any) -> Hashable:
        """The key of what sixd defines and of plain values; `UnknownError` for anything else."""
        if type(x) in _PLAIN:
            return type(x), x
        if type(x) is float:
            return x.hex()  # 0.0 and -0.0 are equal, but differ
        if type(x) is tuple:
            return self._tuple(x)
        if type(x) is dict:
            return dict, tuple((self.key(name), self.key(value)) for name, value in x.items())
        if type(x) in (np.ndarray, np.float64) and not x.dtype.hasobject:
            return type(x), x.dtype.str, x.shape, hashlib.sha256(x.tobytes()).digest()
        if type(x) is FunctionType and is_of_sixd(x):
            return FunctionType, x.__module__, x.__qualname__
        if not is_of_sixd(type(x)):
            raise UnknownError
        if isinstance(x, Computing):
            return x.content(self)
        if isinstance(x, Model):
            return x.fingerprint, x.types
        if isinstance(x, Tabulated):
            return Tabulated, x.digest
        if is_dataclass(x):
            return type(x), tuple(self.key(getattr(x, field.name)) for field in fields(x))
        raise UnknownError

    def _tuple(self, x: tuple[Any, ...]) -> Hashable:
        if len(x) > 16 and all(type(number) is float for number in x):
            return tuple, hashlib.sha256(np.array(x).tobytes()).digest()
        return tuple, tuple(map(self.key, x))

    def knows(self, x: Any) -> bool:
        """Whether data alone tell what an object computes."""
        try:
            self.key(x)
        except UnknownError:
            return False
        return True

    def recorded(
        self, function: Callable[..., Any], shapes: Mapping[str, tuple[int, ...]], parts: Sequence[Any]
    ) -> str:
        """What a function ``f(model, *arrays)`` does with numbers: the fingerprint of its program.

        It is recorded twice, unless it was so before. If both differ, `UnsteadyError` says that it is one of ``parts``.
        So it does if a recording changes what one of them refers to.
        """
        request = Request(function, self.model, shapes, parameters=self.parameters)
        written = [x for part in parts for x in _written(part)]
        with leaving([(titled(part), part) for part in parts]):
            try:
                return record_unrolled(request, written=written).fingerprint
            except UnsteadyError as error:
                types = [kind.__qualname__ for kind in self.model.types if not is_of_sixd(kind)]
                raise error.of(" or ".join([*map(titled, parts), *types])) from None


def titled(part: Any) -> str:
    """What errors call a part of a simulation: its name, and what of it users wrote, classes and functions."""
    name = repr(getattr(part, "name", type(part).__name__))
    written = ", ".join(dict.fromkeys(x.__qualname__ for x in _written(part)))
    return f"{name} ({written})" if written else name


def _written(x: Any) -> Iterator[Any]:
    """The functions and classes of users in a part, also in parts of sixd within it."""
    if not is_of_sixd(type(x)):
        yield type(x)
    for value in getattr(x, "__dict__", {}).values():
        for each in value if type(value) is tuple else (value,):
            if type(each) is FunctionType:
                yield from () if is_of_sixd(each) else (each,)
            elif type(each).__module__ not in ("builtins", "numpy") and not isinstance(each, Model):
                yield from _written(each) if is_of_sixd(type(each)) else (type(each),)


def is_of_sixd(x: Any) -> bool:
    """Whether a function or a class is what a module of sixd has under its name."""
    module = x.__module__ or ""
    return module.partition(".")[0] == "sixd" and getattr(sys.modules.get(module), x.__qualname__, None) is x
