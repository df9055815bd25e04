"""A number that only remembers how it was made: what any tracer of the algorithms would be.

It folds zeros, ones and signs, shares equal expressions, and refuses every question about its value, so an algorithm
that runs on it has no branch that depends on values.
"""

from __future__ import annotations

from typing import Any

from sixd import ops
from sixd.ops import Rules

ARITHMETIC = ("add", "sub", "mul", "reciprocal")


class Tape:
    """The expressions made so far, each once."""

    nodes: list[tuple[Any, ...]] = []
    index: dict[tuple[Any, ...], int] = {}

    @classmethod
    def clear(cls) -> None:
        cls.nodes, cls.index = [], {}

    @classmethod
    def make(cls, *node: Any) -> Symbol:
        if node not in cls.index:
            cls.index[node] = len(cls.nodes)
            cls.nodes.append(node)
        return Symbol(cls.index[node])


class Symbol:
    __slots__ = ("id",)
    __array_ufunc__ = None

    def __init__(self, id: int) -> None:
        self.id = id

    @property
    def node(self) -> tuple[Any, ...]:
        return Tape.nodes[self.id]

    def __add__(self, other: Any) -> Any:
        return add(self, other)

    def __radd__(self, other: Any) -> Any:
        return add(other, self)

    def __sub__(self, other: Any) -> Any:
        return sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return mul(other, self)

    def __neg__(self) -> Any:
        return Symbol(self.node[1]) if self.node[0] == "neg" else Tape.make("neg", self.id)

    def __lt__(self, other: Any) -> Symbol:
        return Tape.make("less", key(self), key(other))

    def __gt__(self, other: Any) -> Symbol:
        return Tape.make("less", key(other), key(self))

    def __bool__(self) -> bool:
        raise TypeError("a branch on a traced value")

    __float__ = __int__ = __index__ = __eq__ = __le__ = __ge__ = __bool__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def key(x: Any) -> int:
    return x.id if isinstance(x, Symbol) else Tape.make("constant", float(x)).id


def _is(x: Any, value: float) -> bool:
    return not isinstance(x, Symbol) and x == value


def _negated(x: Any) -> Any:
    """The number that x is the negative of, if it is one."""
    return Symbol(x.node[1]) if isinstance(x, Symbol) and x.node[0] == "neg" else None


def add(a: Any, b: Any) -> Any:
    for x, y in ((a, b), (b, a)):
        if _is(x, 0.0):
            return y
        if (positive := _negated(x)) is not None:
            return sub(y, positive)
    return Tape.make("add", *sorted((key(a), key(b))))


def sub(a: Any, b: Any) -> Any:
    if _is(a, 0.0):
        return -b
    if _is(b, 0.0):
        return a
    if (positive := _negated(b)) is not None:
        return add(a, positive)
    if isinstance(a, Symbol) and isinstance(b, Symbol) and a.id == b.id:
        return 0.0
    return Tape.make("sub", key(a), key(b))


def mul(a: Any, b: Any) -> Any:
    for x, y in ((a, b), (b, a)):
        if _is(x, 0.0):
            return 0.0
        if _is(x, 1.0):
            return y
        if _is(x, -1.0):
            return -y
        if (positive := _negated(x)) is not None:
            return -mul(positive, y)
        if isinstance(x, Symbol) and isinstance(y, Symbol):
            if y.node == ("reciprocal", x.id):  # x (1/x) = 1
                return 1.0
            if y.node[0] == "mul":  # x (z (1/x)) = z
                for z, w in (y.node[1:], y.node[:0:-1]):
                    if Tape.nodes[w] == ("reciprocal", x.id):
                        return Symbol(z)
    return Tape.make("mul", *sorted((key(a), key(b))))


def divide(a: Any, b: Any) -> Any:
    return mul(a, Tape.make("reciprocal", b.id)) if isinstance(b, Symbol) else mul(a, 1.0 / b)


def unary(name: str) -> Any:
    return lambda x: Tape.make(name, x.id)


ops.register(
    Symbol,
    Rules(
        sin=unary("sin"),
        cos=unary("cos"),
        sqrt=unary("sqrt"),
        arctan2=lambda y, x: Tape.make("arctan2", key(y), key(x)),
        absolute=unary("absolute"),
        divide=divide,
        where=lambda c, a, b: Tape.make("where", key(c), key(a), key(b)),
    ),
)


def inputs(name: str, n: int) -> list[Symbol]:
    return [Tape.make("input", name, k) for k in range(n)]


def count(results: Any) -> int:
    """How many additions, multiplications and reciprocals the results need."""
    seen: set[int] = set()
    todo = [x.id for x in results if isinstance(x, Symbol)]
    while todo:
        k = todo.pop()
        if k not in seen:
            seen.add(k)
            if Tape.nodes[k][0] not in ("constant", "input"):
                todo.extend(Tape.nodes[k][1:])
    return sum(Tape.nodes[k][0] in ARITHMETIC for k in seen)
