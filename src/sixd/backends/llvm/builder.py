"""Writes LLVM's assembly language: a faster replacement for the part of ``llvmlite.ir`` that sixd uses.

The names are those of llvmlite, so `from sixd.backends.llvm import builder as ir` replaces `from llvmlite import ir`.
llvmlite makes objects with names, uses and parents for each instruction and prints them at the end, which took up to a
third of the time to compile. Here an instruction is a line of text, and its value is a type and a name.

In Python a pointer knows the type that it points to, which loads and address computations need. LLVM itself has one
type for all pointers, so converting one into another makes no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any

from sixd.backends.llvm.types import (
    ArrayType,
    Constant,
    DoubleType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Type,
    Undefined,
    Value,
    VectorType,
    VoidType,
)

__all__ = [
    "ArrayType",
    "Block",
    "Constant",
    "DoubleType",
    "FloatType",
    "Function",
    "FunctionType",
    "IRBuilder",
    "IntType",
    "Module",
    "PointerType",
    "Type",
    "Undefined",
    "Value",
    "VectorType",
    "VoidType",
]

#: LLVM's names of comparisons, without the prefix: "s" or "u" (signed or not) for integers, "o" or "u" for floats.
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
#: The weights of a branch whose first target is unlikely.
_RARELY = '!{!"branch_weights", i32 1, i32 99}'
#: What LLVM calls nontemporal: memory that is not used again soon.
_ONCE = "!{i32 1}"


class Module:
    """Functions (``globals``, by name) and constants. ``str(module)`` is its assembly."""

    def __init__(self) -> None:
        self.globals: dict[str, Any] = {}
        self.constants: list[str] = []
        self._made: dict[Hashable, Value] = {}

    def __str__(self) -> str:
        functions = [str(thing) for thing in self.globals.values()]
        return "\n".join([*self.constants, *functions, f"!0 = {_RARELY}", f"!1 = {_ONCE}", ""])

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What ``make`` adds to the module, added by the first call with this key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def constant_array(self, kind: Type, numbers: Sequence[int]) -> Value:
        """Add constant numbers to the module; the address of the first."""
        name = f"@constant.{len(self.constants)}"
        self.constants.append(f"{name} = internal constant {ArrayType(kind, len(numbers))(numbers).typed}")
        return Value(kind.as_pointer(), name)

    def constant_data(self, kind: Type, data: bytes) -> Value:
        """Add constants as they are in memory; the address of the first. LLVM reads many of them faster that way."""
        name = f"@constant.{len(self.constants)}"
        text = data.hex("\\")
        self.constants.append(f'{name} = internal constant [{len(data)} x i8] c"\\{text}", align 64')
        return Value(kind.as_pointer(), name)


class Argument(Value):
    """An argument of a function, with attributes such as "noalias"."""

    __slots__ = ("attributes",)

    def __init__(self, kind: Type, text: str) -> None:
        super().__init__(kind, text)
        self.attributes: list[str] = []

    def add_attribute(self, name: str) -> None:
        self.attributes.append(name)


class Function(Value):
    """A function of a module. Until it is given a basic block, it is a declaration."""

    __slots__ = ("args", "attributes", "blocks", "ftype", "linkage", "module", "name", "names")

    def __init__(self, module: Module, ftype: FunctionType, name: str) -> None:
        super().__init__(ftype.as_pointer(), f'@"{name}"')
        self.module, self.ftype, self.name = module, ftype, name
        self.args: list[Any] = [Argument(kind, f"%a{k}") for k, kind in enumerate(ftype.args)]
        self.linkage, self.attributes = "", set[str]()
        self.blocks: list[Block] = []
        self.names = count()
        module.globals[name] = self

    def append_basic_block(self, name: str = "") -> Block:
        self.blocks.append(Block(self, f"{name or 'b'}{len(self.blocks)}"))
        return self.blocks[-1]

    def __str__(self) -> str:
        known = bool(self.blocks)
        parts = [" ".join([str(a.type), *a.attributes, a.text if known else ""]) for a in self.args]
        head = f"{self.ftype.return_type} {self.text}({', '.join(parts)}) {' '.join(sorted(self.attributes))}"
        if not known:
            return f"declare {head}"
        return "\n".join([f"define {self.linkage} {head} {{", *map(str, self.blocks), "}"])


class Block:
    """A basic block: instructions that run one after the other. The last one jumps or returns."""

    __slots__ = ("function", "is_terminated", "lines", "name")

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name = function, name
        self.lines: list[Any] = []
        self.is_terminated = False

    def __str__(self) -> str:
        return "\n".join([f"{self.name}:", *map(str, self.lines)])


class Phi(Value):
    """A value that depends on the basic block that control came from."""

    __slots__ = ("incoming",)

    def __init__(self, kind: Type, text: str) -> None:
        super().__init__(kind, text)
        self.incoming: list[str] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        self.incoming.append(f"[{value.text}, %{block.name}]")

    def __str__(self) -> str:
        return f"{self.text} = phi {self.type} {', '.join(self.incoming)}"


class Switch:
    """A jump to one of several basic blocks, chosen by an integer; ``default`` is for all other integers."""

    def __init__(self, value: Value, default: Block) -> None:
        self.value, self.default, self.cases = value, default, list[str]()

    def add_case(self, number: Value, block: Block) -> None:
        self.cases.append(f"{number.typed}, label %{block.name}")

    def __str__(self) -> str:
        return f"switch {self.value.typed}, label %{self.default.name} [{' '.join(self.cases)}]"


class IRBuilder:
    """Appends instructions to a basic block. Each method returns the value of its instruction."""

    def __init__(self, block: Block) -> None:
        self.function = block.function
        self.module, self.names = self.function.module, self.function.names
        self.position_at_end(block)

    def _value(self, kind: Type, instruction: str) -> Value:
        name = f"%v{next(self.names)}"
        self.lines.append(f"{name} = {instruction}")
        return Value(kind, name)

    # ---- blocks

    def position_at_end(self, block: Block) -> None:
        self.block, self.lines = block, block.lines

    def append_basic_block(self, name: str = "") -> Block:
        return self.function.append_basic_block(name)

    @contextmanager
    def goto_entry_block(self) -> Iterator[None]:
        """What is written inside goes to the end of the function's first basic block, where it runs once per call."""
        before, entry = self.block, self.function.blocks[0]
        self.position_at_end(entry)
        last = entry.lines.pop() if entry.is_terminated else None
        yield
        if last is not None:
            entry.lines.append(last)
        self.position_at_end(before)

    def _terminate(self, instruction: Any) -> None:
        self.lines.append(instruction)
        self.block.is_terminated = True

    def branch(self, block: Block) -> None:
        self._terminate(f"br label %{block.name}")

    def cbranch(self, condition: Value, yes: Block, no: Block, rarely: bool = False) -> None:
        weights = ", !prof !0" if rarely else ""
        self._terminate(f"br i1 {condition.text}, label %{yes.name}, label %{no.name}{weights}")

    def switch(self, value: Value, default: Block) -> Switch:
        made = Switch(value, default)
        self._terminate(made)
        return made

    def ret(self, value: Value) -> None:
        self._terminate(f"ret {value.typed}")

    def ret_void(self) -> None:
        self._terminate("ret void")

    @contextmanager
    def _inside(self, block: Block, end: Block) -> Iterator[None]:
        self.position_at_end(block)
        yield
        if not self.block.is_terminated:
            self.branch(end)

    @contextmanager
    def if_then(self, condition: Value, likely: bool = True) -> Iterator[None]:
        """What is written inside runs if the condition holds."""
        then, end = self.append_basic_block(), self.append_basic_block()
        self.cbranch(condition, then, end, rarely=not likely)
        with self._inside(then, end):
            yield
        self.position_at_end(end)

    @contextmanager
    def if_else(self, condition: Value) -> Iterator[tuple[AbstractContextManager[None], AbstractContextManager[None]]]:
        """Two contexts: what is written in the first runs if the condition holds, else what is in the second."""
        then, otherwise, end = (self.append_basic_block() for _ in range(3))
        self.cbranch(condition, then, otherwise)
        yield self._inside(then, end), self._inside(otherwise, end)
        self.position_at_end(end)

    def phi(self, kind: Type) -> Phi:
        made = Phi(kind, f"%v{next(self.names)}")
        self.lines.append(made)
        return made

    # ---- memory

    def alloca(self, kind: Type, size: int | Value | None = None, align: int = 0) -> Value:
        number = ""
        if isinstance(size, int):
            number = f", i64 {size}"
        elif size is not None:
            number = f", {size.typed}"
        return self._value(kind.as_pointer(), f"alloca {kind}{number}{_aligned(align)}")

    def load(self, place: Value, align: int = 0) -> Value:
        kind = place.type.element
        return self._value(kind, f"load {kind}, ptr {place.text}{_aligned(align)}")

    def store(self, value: Value, place: Value, align: int = 0) -> None:
        self.lines.append(f"store {value.typed}, ptr {place.text}{_aligned(align)}")

    def store_past_caches(self, value: Value, place: Value, align: int) -> None:
        """A store that does not leave the value in the caches. The address must be a multiple of ``align``."""
        self.lines.append(f"store {value.typed}, ptr {place.text}{_aligned(align)}, !nontemporal !1")

    def fence(self, ordering: str) -> None:
        """Wait until all threads see the stores made so far."""
        self.lines.append(f"fence {ordering}")

    def load_atomic(self, place: Value, ordering: str, align: int) -> Value:
        kind = place.type.element
        return self._value(kind, f"load atomic {kind}, ptr {place.text} {ordering}, align {align}")

    def store_atomic(self, value: Value, place: Value, ordering: str, align: int) -> None:
        self.lines.append(f"store atomic {value.typed}, ptr {place.text} {ordering}, align {align}")

    def atomic_rmw(self, operation: str, place: Value, value: Value, ordering: str) -> Value:
        return self._value(value.type, f"atomicrmw {operation} ptr {place.text}, {value.typed} {ordering}")

    def gep(self, place: Value, index: Sequence[Value]) -> Value:
        """The address of an entry of an array that starts at ``place``. ``index`` is a list of one number."""
        (number,) = index
        return self._value(place.type, f"getelementptr {place.type.element}, ptr {place.text}, {number.typed}")

    # ---- numbers

    def _binary(self, operation: str, x: Value, y: Value) -> Value:
        name = f"%v{next(self.names)}"
        self.lines.append(f"{name} = {operation} {x.type.text} {x.text}, {y.text}")
        return Value(x.type, name)

    def add(self, x: Value, y: Value) -> Value:
        return self._binary("add", x, y)

    def sub(self, x: Value, y: Value) -> Value:
        return self._binary("sub", x, y)

    def mul(self, x: Value, y: Value) -> Value:
        return self._binary("mul", x, y)

    def udiv(self, x: Value, y: Value) -> Value:
        return self._binary("udiv", x, y)

    def urem(self, x: Value, y: Value) -> Value:
        return self._binary("urem", x, y)

    def srem(self, x: Value, y: Value) -> Value:
        return self._binary("srem", x, y)

    def and_(self, x: Value, y: Value) -> Value:
        return self._binary("and", x, y)

    def or_(self, x: Value, y: Value) -> Value:
        return self._binary("or", x, y)

    def xor(self, x: Value, y: Value) -> Value:
        return self._binary("xor", x, y)

    def not_(self, x: Value) -> Value:
        return self._binary("xor", x, x.type(-1))

    def shl(self, x: Value, y: Value) -> Value:
        return self._binary("shl", x, y)

    def lshr(self, x: Value, y: Value) -> Value:
        return self._binary("lshr", x, y)

    def fadd(self, x: Value, y: Value) -> Value:
        return self._binary("fadd", x, y)

    def fsub(self, x: Value, y: Value) -> Value:
        return self._binary("fsub", x, y)

    def fmul(self, x: Value, y: Value) -> Value:
        return self._binary("fmul", x, y)

    def fdiv(self, x: Value, y: Value) -> Value:
        return self._binary("fdiv", x, y)

    def fneg(self, x: Value) -> Value:
        return self._value(x.type, f"fneg {x.typed}")

    def _compare(self, how: str, x: Value, y: Value) -> Value:
        flags = VectorType(IntType(1), x.type.count) if isinstance(x.type, VectorType) else IntType(1)
        return self._value(flags, f"{how} {x.typed}, {y.text}")

    def icmp_signed(self, comparison: str, x: Value, y: Value) -> Value:
        sign = "" if comparison in ("==", "!=") else "s"
        return self._compare(f"icmp {sign}{_COMPARISONS[comparison]}", x, y)

    def icmp_unsigned(self, comparison: str, x: Value, y: Value) -> Value:
        sign = "" if comparison in ("==", "!=") else "u"
        return self._compare(f"icmp {sign}{_COMPARISONS[comparison]}", x, y)

    def fcmp_ordered(self, comparison: str, x: Value, y: Value) -> Value:
        """Whether neither operand is NaN and the comparison holds; "ord" checks the first condition only."""
        return self._compare("fcmp ord" if comparison == "ord" else f"fcmp o{_COMPARISONS[comparison]}", x, y)

    def fcmp_unordered(self, comparison: str, x: Value, y: Value) -> Value:
        """Whether an operand is NaN or the comparison holds; "uno" checks the first condition only."""
        return self._compare("fcmp uno" if comparison == "uno" else f"fcmp u{_COMPARISONS[comparison]}", x, y)

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        return self._value(x.type, f"select {condition.typed}, {x.typed}, {y.typed}")

    # ---- conversions

    def _convert(self, how: str, x: Value, kind: Type) -> Value:
        return self._value(kind, f"{how} {x.typed} to {kind}")

    def bitcast(self, x: Value, kind: Type) -> Value:
        """The same bits as another type. Between pointers it makes no instruction."""
        if x.type is kind:
            return x
        if isinstance(kind, PointerType):
            return Value(kind, x.text)
        return self._convert("bitcast", x, kind)

    def zext(self, x: Value, kind: Type) -> Value:
        return self._convert("zext", x, kind)

    def sext(self, x: Value, kind: Type) -> Value:
        return self._convert("sext", x, kind)

    def trunc(self, x: Value, kind: Type) -> Value:
        return self._convert("trunc", x, kind)

    def fptosi(self, x: Value, kind: Type) -> Value:
        return self._convert("fptosi", x, kind)

    def sitofp(self, x: Value, kind: Type) -> Value:
        return self._convert("sitofp", x, kind)

    def inttoptr(self, x: Value, kind: Type) -> Value:
        return self._convert("inttoptr", x, kind)

    def ptrtoint(self, x: Value, kind: Type) -> Value:
        return self._convert("ptrtoint", x, kind)

    # ---- vectors and calls

    def extract_element(self, x: Value, index: Value) -> Value:
        return self._value(x.type.element, f"extractelement {x.typed}, {index.typed}")

    def insert_element(self, x: Value, value: Value, index: Value) -> Value:
        return self._value(x.type, f"insertelement {x.typed}, {value.typed}, {index.typed}")

    def shuffle_vector(self, x: Value, y: Value, order: Value) -> Value:
        kind = VectorType(x.type.element, order.type.count)
        return self._value(kind, f"shufflevector {x.typed}, {y.typed}, {order.typed}")

    def call(self, function: Value, arguments: Sequence[Value], tail: bool = False) -> Value:
        """Call a function, given by itself or as a pointer."""
        kind = function.type.element
        given = ", ".join([f"{x.type.text} {x.text}" for x in arguments])
        instruction = f"{'tail ' if tail else ''}call {kind.return_type} {function.text}({given})"
        if isinstance(kind.return_type, VoidType):
            self.lines.append(instruction)
            return Value(kind.return_type, "")
        return self._value(kind.return_type, instruction)


def _aligned(align: int) -> str:
    return f", align {align}" if align else ""
