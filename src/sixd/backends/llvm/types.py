"""LLVM's types, with one object for each, and values: constants and results of instructions."""

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

#: Stands for a constant whose value does not matter (LLVM's undef).
Undefined = object()


class Value:
    """An operand of instructions: its type, and its text in LLVM's assembly language."""

    __slots__ = ("text", "type")

    def __init__(self, kind: Any, text: str) -> None:
        self.type, self.text = kind, text

    @property
    def typed(self) -> str:
        """Its type and its text, as most instructions need them."""
        return f"{self.type.text} {self.text}"


class _Once(type):
    """A metaclass that gives the same object for the same arguments, so types can be compared with ``is``."""

    _made: dict[Any, Any] = {}

    def __call__(cls, *arguments: Any) -> Any:
        key = cls, *(tuple(a) if isinstance(a, list) else a for a in arguments)
        found = _Once._made.get(key)
        if found is None:
            found = _Once._made[key] = super().__call__(*arguments)
        return found


class Type(metaclass=_Once):
    """A type of LLVM. If ``kind`` is a type, ``kind(x)`` is the constant x of this type."""

    #: The type that a pointer points to, or that arrays and vectors consist of; and how many entries these have.
    element: Any = None
    count: int = 1
    #: The types of a function's result and of its arguments.
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
        """The text of a constant."""
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
        if self.text == "i1":
            return "true" if value else "false"
        return str(int(value))


class DoubleType(Type):
    text = "double"

    def written(self, value: float) -> str:
        return f"0x{struct.pack('>d', value).hex()}"


class FloatType(DoubleType):
    """Single precision. LLVM writes its constants as doubles; they must be numbers that single precision has."""

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
