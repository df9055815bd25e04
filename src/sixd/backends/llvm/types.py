"""LLVM's types, each made once, and values of them: constants, and what instructions are given."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

__all__ = [
    "ArrayType",
    "Constant",
    "DoubleType",
    "FloatType",
    "FunctionType",
    "IntType",
    "PointerType",
    "Type",
    "Undefined",
    "Value",
    "VectorType",
    "VoidType",
]

#: A constant of any type that may be anything.
Undefined = object()


class Value:
    """Something that instructions take: its type, and how it is written."""

    __slots__ = ("text", "type")

    def __init__(self, kind: Any, text: str) -> None:
        self.type, self.text = kind, text

    @property
    def typed(self) -> str:
        """How it is written with its type."""
        return f"{self.type.text} {self.text}"


class _Once(type):
    """Makes the same object from the same arguments."""

    _made: dict[Any, Any] = {}

    def __call__(cls, *arguments: Any) -> Any:
        key = cls, *(tuple(a) if isinstance(a, list) else a for a in arguments)
        found = _Once._made.get(key)
        if found is None:
            found = _Once._made[key] = super().__call__(*arguments)
        return found


class Type(metaclass=_Once):
    """A type: there is one object for each. ``kind(x)`` is the constant x of the type ``kind``."""

    #: What a pointer points to, what arrays and vectors consist of, and of how many.
    element: Any = None
    count: int = 1
    #: What a function returns, and what it is given.
    return_type: Any = None
    args: tuple[Any, ...] = ()
    text: str

    def __str__(self) -> str:
        return self.text

    def as_pointer(self) -> PointerType:
        return PointerType(self)

    def __call__(self, value: Any) -> Value:
        return Value(self, "undef" if value is Undefined else self.written(value))

    def written(self, value: Any) -> str:
        """How a constant is written."""
        raise TypeError(f"{self.text} has no constants")


def Constant(kind: Type, value: Any) -> Value:
    """A constant of a type: a number, or a list of them for arrays and vectors, or None for a null pointer."""
    return kind(value)


class VoidType(Type):
    text = "void"


class IntType(Type):
    def __init__(self, bits: int) -> None:
        self.text = f"i{bits}"

    def written(self, value: int) -> str:
        return str(int(value)) if self.text != "i1" else "true" if value else "false"


class DoubleType(Type):
    text = "double"

    def written(self, value: float) -> str:
        return f"0x{struct.pack('>d', value).hex()}"


class FloatType(DoubleType):
    """Single precision. Its constants are written as doubles, which must be ones that it has too."""

    text = "float"


class PointerType(Type):
    text = "ptr"

    def __init__(self, element: Type) -> None:
        self.element = element

    def written(self, value: None) -> str:
        return "null"


class ArrayType(Type):
    def __init__(self, element: Type, count: int) -> None:
        self.element, self.count = element, count
        self.text = f"[{count} x {element}]"

    def written(self, value: Sequence[Any]) -> str:
        return f"[{self.entries(value)}]"

    def entries(self, value: Sequence[Any]) -> str:
        kind = self.element
        return ", ".join([f"{kind.text} {kind.written(x)}" for x in value])


class VectorType(ArrayType):
    def __init__(self, element: Type, count: int) -> None:
        super().__init__(element, count)
        self.text = f"<{count} x {element}>"

    def written(self, value: Sequence[Any]) -> str:
        return f"<{self.entries(value)}>"

    def splat(self, value: Any) -> Value:
        """The same number in every entry."""
        return Value(self, f"splat ({self.element.text} {self.element.written(value)})")


class FunctionType(Type):
    def __init__(self, return_type: Type, args: Sequence[Type]) -> None:
        self.return_type, self.args = return_type, tuple(args)
        self.text = f"{return_type} ({', '.join(map(str, args))})"
