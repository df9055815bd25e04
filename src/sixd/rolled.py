"""A tree of symbolic bodies: loops over bodies are recorded once for each type of joint, not once for each body.

The program keeps the loops, reads placements, inertias and joint parameters from a table, and keeps what belongs to a
body in a workspace. It depends only on the types of the joints, so all robots with these types share it.

What the recording relies on, and refuses to do without: no question about the number of a body, no joint but that of
the loop's own body, no value kept from one iteration to the next outside slots and cells, no slot whose size depends on
a joint that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from sixd.errors import SixdError
from sixd.ir import LoopProgram, LoopRecorder, ShapedPort
from sixd.joints import AxisJoint, Joint
from sixd.ops import Scalar
from sixd.results import flat, parts
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector

__all__ = ["STATE", "Case", "RollError", "RolledTree", "SymbolicBody", "has_free_axis", "offset_name", "record"]


class RollError(SixdError, TypeError):
    """An algorithm whose loops cannot be recorded once for all bodies: it must be unrolled."""


@dataclass(frozen=True)
class Case:
    """A type of joint; ``constants`` are parameters that all joints of this case share, None for those of the table."""

    type: type[Joint]
    constants: tuple[float | None, ...]


def has_free_axis(kind: type[Joint]) -> bool:
    """Whether joints of a type have an axis that can be any: no other direction goes with it."""
    return issubclass(kind, AxisJoint) and all(x is None for x in kind.standard[3:])


class SymbolicBody:
    """A body that stands for many: a row of the table. ``case`` is the type of its joint, where that is known."""

    __slots__ = ("case", "row")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, row: int, case: Case | None = None) -> None:
        self.row, self.case = row, case

    def _refuse(self, *_: Any) -> NoReturn:
        raise RollError("a question about the number of a body: the base is a slot like any other")

    __eq__ = __ne__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = _refuse


class RolledTree:
    """The interface of `sixd.model.Tree`, for recording loops.

    ``parameters`` are numbers of the model that come from an input, of this number, instead of the table. Without
    ``steady`` (see `LoopRecorder`) it is a rehearsal: it runs one iteration more than there are cases, so that
    values kept from the one before show.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        is_coupled: bool,
        in_body_frames: bool,
        parameters: Mapping[str, int],
        steady: Container[Any] | None = None,
    ) -> None:
        self.parameters = parameters
        self.cases, self.is_coupled, self.in_body_frames = tuple(cases), is_coupled, in_body_frames
        self.rehearsal = steady is None
        self.recorder = LoopRecorder(steady or ())
        self.base = self.recorder.row("row", attr=0)
        self.bodies: dict[str, SymbolicBody] = {}
        self.unfinished = 0

    @property
    def model(self) -> NoReturn:
        raise RollError("the algorithm asks for the model itself, which is not known while loops are recorded")

    # ---- loops

    def _loop(
        self,
        over: str,
        down: bool = False,
        start: SymbolicBody | None = None,
        inclusive: bool = True,
    ) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        r = self.recorder
        number, r.loops = r.loops, r.loops + 1
        regions = []
        cases = self.cases + self.cases[:1] * self.rehearsal
        for k, case in enumerate(cases):
            with r.case(number, k, over == "rows") as region:
                i = r.row("index", attr=number)
                p = r.row("lookup", i, attr="parent") if inclusive else r.row("previous", attr=number)
                r.apart(i, p)
                r.apart(i, self.base)
                if start is not None and not inclusive:
                    r.apart(i, start.row)
                    r.apart(p, self.base)
                self.unfinished += 1
                yield SymbolicBody(i, case), SymbolicBody(p)
                self.unfinished -= 1
                regions.append(region)
        if self.rehearsal and cases and r.text(regions[0].items) != r.text(regions[-1].items):
            raise RollError("two iterations of a loop differ: a value changes from one to the next; keep it in a cell")
        r.close(number, over, regions[: len(self.cases)], down, None if start is None else start.row, inclusive)

    def outward(self, to: Any = None) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("rows" if to is None else f"path to {self._name(to)}")

    def inward(self) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("rows", down=True)

    def path(self, i: SymbolicBody) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("chain", start=i)

    def ancestors(self, i: SymbolicBody) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("chain", start=i, inclusive=False)

    def subtree(self, i: SymbolicBody) -> NoReturn:
        raise RollError("a loop over a subtree is not recorded: add up from the tips inward instead")

    def body(self, name: str) -> SymbolicBody:
        """The body that an argument of this name will stand for."""
        row = self.recorder.row("named", attr=name)
        return self.bodies.setdefault(name, SymbolicBody(row))

    def _name(self, body: SymbolicBody) -> str:
        return next(name for name, known in self.bodies.items() if known is body)

    # ---- the model's data

    def column(self, row: int, what: str, count: int) -> list[Scalar]:
        """Numbers of a row of the table."""
        return [self.recorder.add("table", row, attr=(what, k)) for k in range(count)]

    def given(self, what: str, row: int, first: int, *shape: int) -> list[Scalar]:
        """Numbers of a parameter that is an input, at a row (counted from ``first``) and all entries of the shape."""
        rows = [row, *[self.base] * len(shape)]
        port = self.parameters[what]
        return [self.recorder.add("entry", *rows, attr=(port, (first, *k))) for k in np.ndindex(shape)]

    def joint(self, i: SymbolicBody) -> Joint:
        case = self._case(i)
        named = [
            self.recorder.add("table", i.row, attr=("parameter", k)) if x is None else x
            for k, x in enumerate(case.constants)
        ]
        if "axis" in self.parameters and has_free_axis(case.type):
            named[:3] = self.given("axis", i.row, -1, 3)
        return case.type.from_parameters(named)

    def _case(self, i: SymbolicBody) -> Case:
        if i.case is None:
            raise RollError("the joint of a body that is not the loop's own")
        return i.case

    @property
    def gravity(self) -> Motion:
        numbers = self.column(self.base, "gravity", 3)
        if "gravity" in self.parameters:
            port = self.parameters["gravity"]
            numbers = [self.recorder.add("entry", self.base, attr=(port, (k,))) for k in range(3)]
        return Motion(Vector.zero(), Vector(numbers))

    def placement(self, i: SymbolicBody) -> Transform:
        if "placement" in self.parameters:
            pose = Matrix.from_components(self.given("placement", i.row, -1, 4, 4), 4).rows
            return Transform(Matrix(row[:3] for row in pose[:3]).T, Vector(row[3] for row in pose[:3]))
        return Transform.from_components(self.column(i.row, "placement", 12))

    def inertia(self, i: SymbolicBody) -> Inertia:
        if "inertia" in self.parameters:
            return Inertia.from_components(self.given("inertia", i.row, -1, 10))
        return Inertia.from_components(self.column(i.row, "inertia", 10))

    def rotor_inertia(self, i: SymbolicBody) -> Matrix:
        nv = self._case(i).type.nv
        if "rotor" in self.parameters:
            if self.is_coupled:
                raise RollError("rotors of a robot with mimic joints are no inputs of code with loops")
            first = self.recorder.row("lookup", i.row, attr="v")
            port = self.parameters["rotor"]
            return Matrix.diagonal([self.recorder.add("entry", first, attr=(port, (k,))) for k in range(nv)])
        return Matrix.diagonal(self.column(i.row, "rotor_inertia", nv))

    def damping(self, i: SymbolicBody) -> Vector:
        return Vector(self.column(i.row, "damping", self._case(i).type.nv))

    def friction(self, i: SymbolicBody) -> Vector:
        return Vector(self.column(i.row, "friction", self._case(i).type.nv))

    def stiffness(self, i: SymbolicBody) -> Vector:
        return Vector(self.column(i.row, "stiffness", self._case(i).type.nv))

    def rest(self, i: SymbolicBody) -> Vector:
        return Vector(self.column(i.row, "rest", self._case(i).type.nq))

    # ---- places for values

    def slots(self, kind: Any, base: Any = None) -> Slots:
        return Slots(self, kind, base)

    def pair_slots(self, kind: Any) -> NoReturn:
        raise RollError("values for pairs of bodies are not recorded in loops")

    def cell(self, start: Any) -> Cell:
        return Cell(self, start)

    def output(self) -> Output:
        return Output(self, "nv")

    def matrix_output(self) -> MatrixOutput:
        return MatrixOutput(self, "nv", "nv")

    def motions_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 6, "nv")

    def forces_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 6, "nv")

    def points_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 3, "nv")

    # ---- views of the arguments

    def positions(self, q: Any) -> Any:
        return q if isinstance(q, View) else Positions(self, _argument(q), "nq", "q")

    def velocities(self, x: Any, name: str = "qd") -> Any:
        return x if isinstance(x, View) else Velocities(self, _argument(x), "nv", "v")

    def forces(self, f: Any) -> Any:
        return f if isinstance(f, View) else BodyForces(self, _argument(f), "", "")


@dataclass(frozen=True)
class Argument:
    """An input of the program, before it is seen by joint or by body."""

    port: int


def _argument(x: Any) -> int | None:
    if x is None or isinstance(x, Argument):
        return None if x is None else x.port
    raise RollError("a state that the algorithm computed itself is not recorded in loops")


class View:
    """An argument seen by joint: the entries that belong to a body's joint."""

    def __init__(self, tree: RolledTree, port: int | None, size: str, first: str) -> None:
        self.tree, self.port, self.size, self.first = tree, port, size, first

    def entries(self, i: SymbolicBody) -> list[Scalar]:
        count = getattr(self.tree._case(i).type, self.size)
        if self.port is None:
            return [0.0] * count
        r = self.tree.recorder
        first = r.row("lookup", i.row, attr=self.first)
        return [r.add("entry", first, attr=(self.port, (k,))) for k in range(count)]

    def coupled(self, i: SymbolicBody) -> bool:
        return self.tree.is_coupled and self.tree._case(i).type.nv == 1


class Positions(View):
    def __getitem__(self, i: SymbolicBody) -> Vector:
        own = self.entries(i)
        if not self.coupled(i):
            return Vector(own)
        (ratio,), (offset,) = (self.tree.column(i.row, what, 1) for what in ("ratio", "offset"))
        return Vector(ratio * x + offset for x in own)


class Velocities(View):
    def __getitem__(self, i: SymbolicBody) -> Vector:
        own = self.entries(i)
        if not self.coupled(i):
            return Vector(own)
        (ratio,) = self.tree.column(i.row, "ratio", 1)
        return Vector(ratio * x for x in own)


class BodyForces(View):
    def __getitem__(self, i: SymbolicBody) -> Force:
        if self.port is None:
            return Force.zero()
        r = self.tree.recorder
        f = Force.from_components([r.add("entry", i.row, self.tree.base, attr=(self.port, (-1, k))) for k in range(6)])
        if self.tree.in_body_frames:
            return f
        E = Matrix.from_components(self.tree.column(i.row, "frame", 9), 3)
        return Transform(E, Vector.zero()) @ f


class Slots:
    """One value of one kind for each body, in the workspace."""

    def __init__(self, tree: RolledTree, kind: Any, base: Any) -> None:
        self.tree, self.kind = tree, kind
        #: Whether something was stored for the base, or for a parent, which may be the base.
        self.base_known = False
        self.place = tree.recorder.place(kind.__name__, 0)
        if base is not None:
            self[0] = base

    def _row(self, i: Any) -> int:
        return self.tree.base if isinstance(i, int) and i == 0 else i.row

    def __setitem__(self, i: Any, value: Any) -> None:
        if self.kind is not float and not isinstance(value, self.kind):
            raise TypeError(f"these slots hold {self.kind.__name__}, not {type(value).__name__}")
        numbers = _components(value)
        if len(numbers) != self._size(i):
            raise RollError(f"a {self.kind.__name__} of {len(numbers)} numbers in slots for {self._size(i)}")
        self.base_known = self.base_known or getattr(i, "case", None) is None
        self.tree.recorder.put(self.place, self._row(i), numbers)

    def _size(self, i: Any) -> int:
        size = 1 if self.kind is float else self.kind.size(1)
        if self.kind is not float and size != self.kind.size(2):
            case = getattr(i, "case", None)
            if case is None:
                raise RollError(f"the size of a {self.kind.__name__} is not known at a body whose joint is not known")
            size = self.kind.size(case.type.nv)
        return int(size)

    def __getitem__(self, i: Any) -> Any:
        return _value(self.kind, self.tree.recorder.get(self.place, self._row(i), self._size(i)))


class Cell:
    """One value carried from iteration to iteration."""

    def __init__(self, tree: RolledTree, start: Any) -> None:
        self.tree = tree
        self.kind, self.size = (type(start) if hasattr(start, "components") else float), len(_components(start))
        if _shape(start) == "oblong":
            raise RollError("a matrix in a cell must be square")
        self.place = tree.recorder.place(self.kind.__name__, self.size, cell=True)
        self.now = start

    @property
    def now(self) -> Any:
        return _value(self.kind, self.tree.recorder.get(self.place, None, self.size))

    @now.setter
    def now(self, value: Any) -> None:
        numbers = _components(value)
        if len(numbers) != self.size:
            raise RollError(f"a cell that held {self.size} numbers cannot hold {len(numbers)}")
        self.tree.recorder.put(self.place, None, numbers)


def _components(value: Any) -> list[Scalar]:
    return list(value.components()) if hasattr(value, "components") else [value]


def _shape(value: Any) -> str | None:
    """Whether a matrix is square; None for what is no matrix."""
    if not isinstance(value, Matrix):
        return None
    return "square" if len({len(value.rows), *map(len, value.rows)}) == 1 else "oblong"


def _value(kind: Any, numbers: list[Scalar]) -> Any:
    return numbers[0] if kind is float else kind.from_components(numbers)


class Output:
    """A result by degree of freedom; joints that share a coordinate add up, each with its ratio."""

    def __init__(self, tree: RolledTree, *shape: int | str) -> None:
        self.tree = tree
        self.number = tree.recorder.output(*shape)

    def _put(self, bodies: Sequence[SymbolicBody], rows: Sequence[int], offsets: Sequence[int], x: Scalar) -> None:
        for i in bodies:
            if self.tree.is_coupled and self.tree._case(i).type.nv == 1:
                x = self.tree.column(i.row, "ratio", 1)[0] * x
        self.tree.recorder.write(self.number, rows, offsets, x, add=self.tree.is_coupled)

    def _first(self, i: SymbolicBody) -> int:
        return self.tree.recorder.row("lookup", i.row, attr="v")

    def __setitem__(self, i: Any, x: Any) -> None:
        if len(x) != self.tree._case(i).type.nv:
            raise RollError(f"a joint with {self.tree._case(i).type.nv} velocities was given {len(x)} entries")
        for k, entry in enumerate(x):
            self._put([i], [self._first(i)], [k], entry)

    def __getattr__(self, name: str) -> NoReturn:
        raise RollError(f"{name} of a result is not known while loops are recorded")


class MatrixOutput(Output):
    def __setitem__(self, ij: Any, block: Any) -> None:
        i, j = ij
        rows = [self._first(i), self._first(j)]
        for r, entries in enumerate(block.rows):
            for c, entry in enumerate(entries):
                self._put([i, j], rows, [r, c], entry)


class ColumnsOutput(Output):
    def __setitem__(self, i: Any, block: Any) -> None:
        rows = [self.tree.base, self._first(i)]
        for c, column in enumerate(block):
            for r, entry in enumerate(column.components()):
                self._put([i], rows, [r, c], entry)


#: The arguments that algorithms see by joint or by body.
STATE = {"q": ("nq",), "qd": ("nv",), "qdd": ("nv",), "tau": ("nv",), "f_ext": ("moving", 6)}


def record(
    function: Callable[..., Any],
    name: str,
    cases: Callable[[bool], Sequence[Case]],
    is_coupled: bool,
    inputs: Sequence[ShapedPort],
    fixed: Mapping[str, Any],
    parameters: Sequence[str] = (),
    any_frames: bool = False,
) -> tuple[LoopProgram, bool]:
    """The program with loops of an algorithm, and whether it works in the frames of the bodies as they are.

    Where ``any_frames`` will do, for algorithms that look at no single component, and no result is by body, each body
    gets a frame in which its joint has a standard axis, which saves operations; ``cases`` are those in the bodies'
    frames (True) or in such ones (False).
    Arguments in ``fixed`` that are integers are bodies; spatial quantities become part of the table. ``parameters``
    names the last inputs.
    """
    given = {name: len(inputs) - len(parameters) + k for k, name in enumerate(parameters)}
    own_frames = bool({"inertia", "placement", "axis"} & set(parameters)) or not _has_offsets(fixed) or not any_frames
    for in_body_frames in (True,) if own_frames else (False, True):
        try:
            rehearsal = RolledTree(cases(in_body_frames), is_coupled, in_body_frames, given)
            _run(function, name, rehearsal, inputs, fixed)
            steady = rehearsal.recorder.steady_places()
            tree = RolledTree(cases(in_body_frames), is_coupled, in_body_frames, given, steady)
            program = _run(function, name, tree, inputs, fixed)
            outside = [[k for k in t.recorder.regions[0].items if isinstance(k, int)] for t in (rehearsal, tree)]
            if rehearsal.recorder.text(outside[0]) != tree.recorder.text(outside[1]):
                raise RollError("a Python value counts iterations: the number of bodies is not known while recording")
            return program, in_body_frames
        except _ByBodyError:
            continue
    raise AssertionError("unreachable")


class _ByBodyError(Exception):
    """A result is by body: it must be in the bodies' own frames."""


def offset_name(body: str) -> str:
    """The argument that places a frame on the body of this argument."""
    return "offset" if body == "body" else f"{body}_offset"


def _has_offsets(fixed: Mapping[str, Any]) -> bool:
    return all(offset_name(name) in fixed for name, x in fixed.items() if type(x) is int)


def _run(
    function: Callable[..., Any], name: str, tree: RolledTree, inputs: Sequence[ShapedPort], fixed: Mapping[str, Any]
) -> LoopProgram:
    arguments: dict[str, Any] = {}
    for number, port in enumerate(inputs[: len(inputs) - len(tree.parameters)]):
        arguments[port.name] = Argument(number) if port.name in STATE else _entries(tree, number, port)
    for title, x in fixed.items():
        if type(x) is int:
            arguments[title] = tree.body(title)
        elif hasattr(x, "components"):
            arguments[title] = _value(type(x), tree.column(tree.base, f"fixed {title}", len(x.components())))
        else:
            arguments[title] = x
    result = function(tree, **arguments)
    if tree.unfinished:
        raise RollError("a loop over bodies is left before its end")
    outputs = [(title, _finish(tree, part)) for title, part in parts(result)]
    return tree.recorder.program(name, inputs, outputs)


def _entries(tree: RolledTree, number: int, port: ShapedPort) -> Any:
    shape = tuple(n for n in port.shape if isinstance(n, int))
    array = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        array[place] = tree.recorder.add("entry", *[tree.base] * len(shape), attr=(number, place))
    return array


def _finish(tree: RolledTree, result: Any) -> int:
    """The output of a result; values by body are written in one more loop."""
    if isinstance(result, Output):
        return result.number
    r = tree.recorder
    if not isinstance(result, Slots):
        shape, numbers = flat(result)
        out = r.output(*shape)
        for place, x in zip(np.ndindex(shape), numbers, strict=True):
            r.write(out, [tree.base] * len(shape), place, x)
        return out
    if not tree.in_body_frames:
        raise _ByBodyError
    out = -1
    for body, _ in tree.outward():
        shape, numbers = flat(result[body])
        out = r.output("bodies", *shape) if out < 0 else out
        for place, x in zip(np.ndindex(shape), numbers, strict=True):
            r.write(out, [body.row, *[tree.base] * len(shape)], [0, *place], x)
    base = flat(result[0])[1] if result.base_known else [float("nan")] * len(numbers)
    for place, x in zip(np.ndindex(shape), base, strict=True):
        r.write(out, [tree.base] * (1 + len(shape)), [0, *place], x)
    return out
