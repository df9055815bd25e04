"""A builder that writes LLVM's assembly at once: what primitives need of llvmlite's builder, much quicker.

llvmlite keeps an object for each instruction and turns them into text in the end. Here values are their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from typing import Any

from llvmlite import ir

from sixd.backends.llvm.elementary import Lanes

__all__ = ["Text"]

ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq"}


class Text:
    """Functions of one pointer to vectors, in text beside a module that has the declarations.

    The methods that `ir.IRBuilder` has too do the same.
    """

    def __init__(self, module: ir.Module, lanes: Lanes) -> None:
        self.module = module
        self.vector, self.real, self.pointer = str(lanes.type), str(lanes.real), str(lanes.type.as_pointer())
        self.flags = str(ir.VectorType(ir.IntType(1), lanes.width))
        self.lines: list[str] = []
        self.count = 0
        self.kinds: dict[str, str] = {}

    def begin(self, name: str) -> None:
        self.lines.append(f'define void @"{name}"({self.pointer} %slots) nounwind {{')

    def end(self) -> None:
        self.lines.append("  ret void\n}")

    def __str__(self) -> str:
        return "\n".join([str(self.module), *self.lines, ""])

    def put(self, instruction: str) -> str:
        """An instruction, and the name of its value."""
        self.count += 1
        self.lines.append(f"  %v{self.count} = {instruction}")
        return f"%v{self.count}"

    def slot(self, k: int) -> str:
        return self.put(f"getelementptr {self.vector}, {self.pointer} %slots, i64 {k}")

    def load(self, place: str) -> str:
        return self.put(f"load {self.vector}, {self.pointer} {place}")

    def store(self, value: str, place: str) -> None:
        self.lines.append(f"  store {self.vector} {value}, {self.pointer} {place}")

    def binary(self, operation: str, x: str, y: str) -> str:
        return self.put(f"{operation} {self.vector} {x}, {y}")

    fadd = partialmethod(binary, "fadd")
    fsub = partialmethod(binary, "fsub")
    fmul = partialmethod(binary, "fmul")
    fdiv = partialmethod(binary, "fdiv")

    def fneg(self, x: str) -> str:
        return self.put(f"fneg {self.vector} {x}")

    def fcmp_ordered(self, comparison: str, x: str, y: str) -> str:
        return self.binary(f"fcmp {ORDERED[comparison]}", x, y)

    def select(self, flags: str, x: str, y: str) -> str:
        return self.put(f"select {self.flags} {flags}, {self.vector} {x}, {self.vector} {y}")

    def extract_element(self, x: str, index: ir.Constant) -> str:
        return self.put(f"extractelement {self.vector} {x}, {index}")

    def insert_element(self, x: Any, value: str, index: ir.Constant) -> str:
        into = x if isinstance(x, str) else x.get_reference()
        return self.put(f"insertelement {self.vector} {into}, {self.real} {value}, {index}")

    def call(self, function: ir.Function, arguments: Sequence[str]) -> str:
        """A function whose arguments and result are of one type."""
        kind = self.kinds.get(function.name)
        if kind is None:
            kind = self.kinds[function.name] = str(function.ftype.return_type)
        given = ", ".join([f"{kind} {x}" for x in arguments])
        return self.put(f'call {kind} @"{function.name}"({given})')
