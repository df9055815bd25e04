"""Recording: generic code runs once on traced numbers, and its operations become a program.

Equal expressions are recorded once. Constants, zeros, ones and signs are folded while recording:

    x + 0 = x      x * 1 = x      x * 0 = 0      -(-x) = x      x - x = 0      x (1/x) = 1      x (z (1/x)) = z

These rules remove the zeros and ones of a robot's geometry. For finite x they change nothing but the signs of zeros,
and rounding in those with 1/x. Where x is infinite or NaN (or 0, in those with 1/x), they may give a number instead of
NaN.

A comparison is one of the numbers 0 and 1, as in Python. In a program it is the condition of a "select" and nothing
else: wherever it is another operand, `Recorder.numbers` takes the selection of 1 or 0 in its place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import copysign, inf
from typing import Any, NoReturn

import numpy as np

from sixd import ops
from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import Node, Port, Program, compact, reachable
from sixd.ir.refusals import TooLargeError, TraceError, noted, place, recording
from sixd.ops import Wrapper

__all__ = ["FUNCTIONS", "Traced", "substituted", "trace"]

#: The primitives whose two operands may be exchanged.
COMMUTES = frozenset(name for name, primitive in PRIMITIVES.items() if primitive.commutes)
#: Nodes between two calls of ``report``: some hundredths of a second.
REPORT = 4_096


class Recorder:
    """The nodes recorded so far, each expression once. `TooLargeError` is raised beyond ``limit`` nodes.

    ``report`` is called with their number now and then.
    """

    def __init__(self, limit: float = inf, report: Callable[[int], None] | None = None) -> None:
        self.limit, self.report = limit, report
        self.pause = min(limit, REPORT)  # the number of nodes after which `_paused` is called
        self.nodes: list[Node] = []
        self.index: dict[Node, int] = {}
        self.comparisons: set[int] = set()

    def add(self, op: str, *args: int, attr: Any = None) -> Traced:
        if self.comparisons and not self.comparisons.isdisjoint(args):
            args = self.numbers(op, args)
        if op in COMMUTES and args[0] > args[1]:
            args = (args[1], args[0])
        node = Node(op, args, attr)
        found = self.index.get(node)
        if found is None:
            found = self.index[node] = len(self.nodes)
            self.nodes.append(node)
            if op == "less":
                self.comparisons.add(found)
            if found > self.pause:
                self._paused(found)
        return Traced(self, found)

    def numbers(self, op: str, args: tuple[int, ...]) -> tuple[int, ...]:
        """The operands of a node, with comparisons as the numbers 1 and 0, all but the condition of a selection."""
        return tuple(a if op == "select" and k == 0 else self.as_number(a) for k, a in enumerate(args))

    def as_number(self, k: int) -> int:
        """The node of a number; of a comparison, that of 1 where it holds and 0 elsewhere."""
        if k not in self.comparisons:
            return k
        return self.add("select", k, self.constant(1.0), self.constant(0.0)).id

    def variable(self) -> Traced:
        """A new variable to differentiate by. `substituted` replaces it by a value later."""
        return self.add("variable", attr=len(self.nodes))

    def _paused(self, nodes: int) -> None:
        if nodes > self.limit:
            raise noted(TooLargeError(f"the recording has more than {self.limit:.0f} nodes"))
        if self.report is not None:
            self.report(nodes)
        self.pause = min(self.limit, nodes + REPORT)

    def constant(self, x: float) -> int:
        # Constants are looked up by their text: 0.0 == -0.0, but they are different numbers, and NaN != NaN.
        key = Node("const", (), repr(float(x)))
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.nodes)
            self.nodes.append(Node("const", (), float(x)))
        return found

    def id(self, x: Any) -> int:
        """The node of a number. One that is not traced becomes a constant."""
        return self.own(x) if isinstance(x, Traced) else self.constant(_number(x))

    def own(self, x: Traced) -> int:
        """The node of a traced number, which must be one of this recording."""
        if x.recorder is not self:
            raise TraceError(
                "a number of one recording is used in another: keep no traced numbers in a list, a dictionary or an "
                f"object from one call to the next, but compute them in each call, or keep floats: {place()}"
            )
        return x.id


#: The function of each primitive, on numbers of any kind. On traced ones it records, and folds constants.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": ops.divide,
    "neg": operator.neg,
    "abs": ops.absolute,
    "sqrt": ops.sqrt,
    "floor": ops.floor,
    "sin": ops.sin,
    "cos": ops.cos,
    "arctan2": ops.arctan2,
    "less": operator.lt,
    "select": ops.where,
    "pick": ops.pick,
}


def substituted(results: Sequence[Any], variables: Sequence[Traced], values: Sequence[Any]) -> list[Any]:
    """The results with ``values`` in place of ``variables`` (`Recorder.variable`).

    Only what depends on the variables is recorded again. Values are traced numbers or constants; what depends on
    constants alone becomes a constant.
    """
    recorder = variables[0].recorder
    new: dict[int, Any] = {variable.id: value for variable, value in zip(variables, values, strict=True)}

    def now(k: int) -> Any:
        if k in new:
            return new[k]
        node = recorder.nodes[k]
        return node.attr if node.op == "const" else Traced(recorder, k)

    for k in reachable(recorder.nodes, (recorder.own(x) for x in results if isinstance(x, Traced))):
        node = recorder.nodes[k]
        if any(a in new for a in node.args):
            new[k] = FUNCTIONS[node.op](*node.tables, *map(now, node.args))
    return [now(x.id) if isinstance(x, Traced) else x for x in results]


#: What a constant is made of, beside arrays without axes.
_NUMBERS = float | int | np.floating | np.integer | np.bool_


def _number(x: Any) -> float:
    if type(x) is float:
        return x
    if isinstance(x, _NUMBERS):
        try:
            return float(x)
        except OverflowError:
            raise TraceError(f"a number is too large for a float: {place()}") from None
    if isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "biuf":
        return float(x)
    raise TraceError(f"a {type(x).__name__} cannot be combined with a traced number: {place()}")


class Traced:
    """A number whose operations are recorded instead of computed."""

    __slots__ = ("id", "recorder")
    __array_ufunc__ = None

    def __init__(self, recorder: Recorder, id: int) -> None:
        self.recorder, self.id = recorder, id

    @property
    def node(self) -> Node:
        return self.recorder.nodes[self.id]

    def arg(self, k: int = 0) -> Traced:
        return Traced(self.recorder, self.node.args[k])

    def __add__(self, other: Any) -> Any:
        return _meet(_add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _meet(_add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _meet(_sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _meet(_sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _meet(_mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _meet(_mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _meet(_div, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _meet(_div, other, self)

    def __neg__(self) -> Any:
        return self.arg() if self.node.op == "neg" else self.recorder.add("neg", self.id)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.recorder.add("abs", self.id)

    def __pow__(self, power: Any) -> Any:
        """Integer powers by squaring, and the square root."""
        found = ops.powered(self, power)
        if found is None:
            raise TraceError(f"a traced number can be raised to integers and 0.5, not to {power!r}: {place()}")
        return found

    # NumPy's functions call the methods of the same name on the entries of an array of objects.

    def sin(self) -> Any:
        return self.recorder.add("sin", self.id)

    def cos(self) -> Any:
        return self.recorder.add("cos", self.id)

    def tan(self) -> Any:
        return self.sin() / self.cos()

    def sqrt(self) -> Any:
        return self.recorder.add("sqrt", self.id)

    def floor(self) -> Any:
        return self.recorder.add("floor", self.id)

    def arctan2(self, x: Any) -> Any:
        return _binary("arctan2", self, x)

    def conjugate(self) -> Any:
        return self

    def __lt__(self, other: Any) -> Any:
        return _binary("less", self, other)

    def __gt__(self, other: Any) -> Any:
        return _binary("less", other, self)

    def __and__(self, other: Any) -> Any:
        return _meet(_and, self, other)

    def __or__(self, other: Any) -> Any:
        return _meet(_or, self, other)

    def __xor__(self, other: Any) -> Any:
        return _meet(_xor, self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> NoReturn:
        raise TraceError(f"~ of Python's own True is -2, which counts as true: write 1 - x for the opposite: {place()}")

    # 1 - (a < b) is true of NaN, where Python's a >= b is not: the choice between them is the user's.

    def _no_such_comparison(self, _: Any) -> NoReturn:
        raise TraceError(
            "of comparisons < and > are recorded: write 1 - (a < b) for a >= b, 1 - (a > b) for a <= b, and "
            f"sixd.ops.absolute(a - b) < tolerance for a == b: {place()}"
        )

    def __bool__(self) -> NoReturn:
        raise TraceError(
            "this asks whether a traced number is true, which is not known while the code is recorded: choose with "
            "sixd.ops.where(condition, a, b) instead of if, min or max, combine comparisons by & and | instead of "
            f"and, or, a < b < c, and compare the entries of an array one by one: {place()}"
        )

    def _no_value(self, *_: Any) -> NoReturn:
        raise TraceError(
            "this asks for the value of a traced number, which has none while the code is recorded; use sixd.ops for "
            f"functions: {place()}"
        )

    __eq__ = __ne__ = __le__ = __ge__ = _no_such_comparison
    __float__ = __int__ = __index__ = __complex__ = _no_value
    __hash__ = None  # type: ignore[assignment]

    def _not_recorded(self, *_: Any) -> NoReturn:
        raise TraceError(f"this is not recorded; use + - * / ** and the functions of sixd.ops: {place()}")

    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __floordiv__ = __rfloordiv__ = __round__ = _not_recorded
    # Methods that NumPy calls on the entries of arrays.
    exp = exp2 = expm1 = log = log2 = log10 = log1p = arcsin = arccos = arctan = _not_recorded
    sinh = cosh = tanh = arcsinh = arccosh = arctanh = cbrt = hypot = rint = ceil = trunc = _not_recorded

    def __repr__(self) -> str:
        return f"Traced(%{self.id} = {self.node.op})"


def _meet(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """An operator on two numbers of which one is traced. A number that wraps others does the work itself."""
    if isinstance(a, Wrapper) or isinstance(b, Wrapper):
        return NotImplemented
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _by_entry(function, a, b)
    return function(a, b)


def _by_entry(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Apply a function to a traced number and each entry of an array."""
    return np.frompyfunc(function, 2, 1)(*(_boxed(x) if isinstance(x, Traced) else x for x in (a, b)))


def _boxed(x: Traced) -> Any:
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def _is(x: Any, value: float) -> bool:
    return not isinstance(x, Traced) and _number(x) == value


def _negated(x: Any) -> Any:
    """The number y if x was recorded as -y, else None."""
    return x.arg() if isinstance(x, Traced) and x.node.op == "neg" else None


def _binary(op: str, a: Any, b: Any) -> Any:
    r: Recorder = a.recorder if isinstance(a, Traced) else b.recorder
    return r.add(op, r.id(a), r.id(b))


def _add(a: Any, b: Any) -> Any:
    for x, y in ((a, b), (b, a)):
        if _is(x, 0.0):
            return y
        if (positive := _negated(x)) is not None:
            return _sub(y, positive)
    return _binary("add", a, b)


def _sub(a: Any, b: Any) -> Any:
    if _is(b, 0.0):
        return a
    if _is(a, 0.0):
        return -b
    if (positive := _negated(b)) is not None:
        return _add(a, positive)
    if isinstance(a, Traced) and isinstance(b, Traced) and _same(a, b):
        return 0.0
    return _binary("sub", a, b)


def _mul(a: Any, b: Any) -> Any:
    for x, y in ((a, b), (b, a)):
        if not isinstance(x, Traced):
            if _is(x, 0.0):
                return 0.0
            if abs(_number(x)) == 1.0:
                return y if copysign(1.0, _number(x)) > 0.0 else -y
        if (positive := _negated(x)) is not None:
            return -_mul(positive, y)
        if isinstance(x, Traced) and isinstance(y, Traced):
            if _reciprocal_of(y, x):
                return 1.0
            if y.node.op == "mul":
                for z, w in ((0, 1), (1, 0)):
                    if _reciprocal_of(y.arg(w), x):
                        return y.arg(z)
    return _binary("mul", a, b)


def _same(a: Traced, b: Traced) -> bool:
    """Whether two numbers are one. Numbers of two recordings may share an id."""
    return a.id == b.id and a.recorder is b.recorder


def _reciprocal_of(y: Traced, x: Traced) -> bool:
    """Whether y is 1/x."""
    if y.node.op != "div" or not _same(y.arg(1), x):
        return False
    top = y.recorder.nodes[y.node.args[0]]
    return top.op == "const" and top.attr == 1.0


def _div(a: Any, b: Any) -> Any:
    """a / b, recorded as a (1/b): all divisions by the same number share one reciprocal."""
    if not isinstance(b, Traced):
        return _mul(a, 1.0 / _number(b)) if _number(b) != 0.0 else _binary("div", a, b)
    if _is(a, 0.0):
        return 0.0
    if (positive := _negated(b)) is not None:
        return -_div(a, positive)
    one = b.recorder.constant(1.0)
    return _mul(a, b.recorder.add("div", one, b.id))


def _where(condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, Traced):
        return a if condition else b
    r = condition.recorder
    if condition.node.op != "less":
        return _where(condition > 0.0, a, b) if _is_truth(condition) else _where(_is_zero(condition), b, a)
    ia, ib = r.id(a), r.id(b)
    return a if ia == ib else r.add("select", condition.id, ia, ib)


def _is_truth(x: Any) -> bool:
    """Whether a number is a comparison, 0 or 1, or made of such by and, or, a product, a selection or 1 - x."""
    if not isinstance(x, Traced):
        return _number(x) in (0.0, 1.0)
    op, args = x.node.op, x.node.args
    if op == "const":
        return x.node.attr in (0.0, 1.0)
    if op == "sub":
        return x.recorder.nodes[args[0]] == Node("const", (), 1.0) and _is_truth(x.arg(1))
    return op == "less" or (op in ("select", "mul") and _is_truth(x.arg(-1)) and _is_truth(x.arg(-2)))


def _need_truths(*numbers: Any) -> None:
    if not all(map(_is_truth, numbers)):
        raise TraceError(f"&, | and ^ are for comparisons, such as (x > 0.0) & (y > 0.0): {place()}")


def _and(a: Any, b: Any) -> Any:
    _need_truths(a, b)
    return _where(a, b, 0.0)


def _or(a: Any, b: Any) -> Any:
    _need_truths(a, b)
    return _where(a, 1.0, b)


def _xor(a: Any, b: Any) -> Any:
    _need_truths(a, b)
    return _where(a, _where(b, 0.0, 1.0), b)


def _is_zero(x: Traced) -> Any:
    """Whether a number is 0; NaN is not. |x| < (0 if |x| > 0 else 1): there is no least number in all precisions."""
    size = abs(x)
    return size < _where(size > 0.0, 0.0, 1.0)


ops.register(
    Traced,
    ops.Rules(
        sin=Traced.sin,
        cos=Traced.cos,
        sqrt=Traced.sqrt,
        arctan2=lambda y, x: _binary("arctan2", y, x),
        absolute=abs,
        divide=_div,
        where=_where,
        floor=Traced.floor,
        pick=lambda table, place: place.recorder.add("pick", place.id, attr=table),
    ),
)


def trace(
    function: Callable[..., Sequence[tuple[str, tuple[int, ...], Sequence[Any]]]],
    inputs: Sequence[Port],
    name: str,
    limit: float = inf,
    report: Callable[[int], None] | None = None,
) -> Program:
    """Record a function as a program. It is called with one list of traced numbers for each input.

    It returns its outputs as (name, shape, numbers in C order). `TooLargeError` is raised beyond ``limit`` nodes.
    ``report`` is called with the number of nodes now and then, and at the end.
    """
    recorder = Recorder(limit, report)
    arguments = [[recorder.add("input", attr=(p, k)) for k in range(port.size)] for p, port in enumerate(inputs)]
    with recording():
        results = list(function(*arguments))
    wrong = [x for _, _, values in results for x in values if not isinstance(x, Traced | _NUMBERS | np.ndarray)]
    if wrong:
        raise TraceError(
            f"{name} must return a number, an array of numbers, a quantity such as a Motion, or a tuple of these, not "
            f"{'None' if wrong[0] is None else f'a {type(wrong[0]).__name__}'}"
        )
    entries = tuple(tuple(recorder.as_number(recorder.id(x)) for x in values) for _, _, values in results)
    outputs = tuple(Port(out, tuple(shape)) for out, shape, _ in results)
    if report is not None:
        report(len(recorder.nodes))
    program = Program(name, tuple(inputs), outputs, tuple(recorder.nodes), entries)
    return compact(program, program.live())
