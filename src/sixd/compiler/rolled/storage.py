"""What an algorithm reads and writes while its loops are recorded: views of the state, slots, cells, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from sixd.compiler.rolled.bodies import RollError, SymbolicBody, symbolic
from sixd.errors import SpatialTypeError
from sixd.model import tree as walk
from sixd.ops import Scalar
from sixd.spatial import Force, Matrix, Transform, Vector

if TYPE_CHECKING:
    from sixd.compiler.rolled.tree import RolledTree

__all__ = [
    "Argument",
    "BodyForces",
    "Cell",
    "ColumnsOutput",
    "CoordinatesOutput",
    "MatrixOutput",
    "Output",
    "Positions",
    "RegressorOutput",
    "Slots",
    "Velocities",
    "View",
    "Written",
    "argument",
    "value_of",
]


@dataclass(frozen=True)
class Argument:
    """An input of the program that has not yet been viewed by joint or by body."""

    port: int


def argument(x: Any) -> int | None:
    """The number of the input that an argument of the state is; None if the argument is None."""
    if x is None:
        return None
    if isinstance(x, Argument):
        return x.port
    raise RollError("a state that the algorithm computed itself is not recorded in loops")


class View:
    """An argument viewed by joint or by body.

    ``size`` is the attribute of a joint type that says how many entries belong to a body, ``first`` the index of the
    table that says where they start.
    """

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
        """Whether this body's joint may mimic another, so that its ratio and offset must be read from the table."""
        return self.tree.is_coupled and self.tree._case(i).type.nv == 1


class Positions(View, walk.Positions):
    def __getitem__(self, i: SymbolicBody) -> Vector:
        own = self.entries(i)
        if not self.coupled(i):
            return Vector(own)
        (ratio,), (offset,) = (self.tree.column(i.row, what, 1) for what in ("ratio", "offset"))
        return Vector(ratio * x + offset for x in own)


class Velocities(View, walk.Velocities):
    def __getitem__(self, i: SymbolicBody) -> Vector:
        own = self.entries(i)
        if not self.coupled(i):
            return Vector(own)
        (ratio,) = self.tree.column(i.row, "ratio", 1)
        return Vector(ratio * x for x in own)


class BodyForces(View, walk.BodyForces):
    def __getitem__(self, i: SymbolicBody) -> Force:
        if self.port is None:
            return Force.zero()
        r, i = self.tree.recorder, symbolic(i)
        f = Force.from_components([r.add("entry", i.row, self.tree.base, attr=(self.port, (-1, k))) for k in range(6)])
        if self.tree.in_body_frames:
            return f
        E = Matrix.from_components(self.tree.column(i.row, "frame", 9), 3)
        return Transform(E, Vector.zero()) @ f


class Slots(walk.Slots[Any]):
    """One value of one kind for each body, stored in the workspace."""

    def __init__(self, tree: RolledTree, kind: Any, base: Any) -> None:
        self.tree, self.kind = tree, kind
        #: Whether something was stored for the base, or for a parent, which may be the base.
        self.base_known = False
        self.place = tree.recorder.place(kind.__name__, 0)
        if base is not None:
            self[0] = base

    def _row(self, i: Any) -> int:
        return self.tree.base if isinstance(i, int) and i == 0 else symbolic(i).row

    def __setitem__(self, i: Any, value: Any) -> None:
        if self.kind is not float and not isinstance(value, self.kind):
            raise SpatialTypeError(f"these slots hold {self.kind.__name__}, not {type(value).__name__}")
        numbers = _components(value)
        if len(numbers) != self._size(i):
            raise RollError(f"a {self.kind.__name__} of {len(numbers)} numbers in slots for {self._size(i)}")
        self.base_known = self.base_known or getattr(i, "case", None) is None
        self.tree.recorder.put(self.place, self._row(i), numbers)

    def _size(self, i: Any) -> int:
        """How many numbers the value of a body has. For some kinds this depends on the freedoms of its joint."""
        size = 1 if self.kind is float else self.kind.size(1)
        if self.kind is not float and size != self.kind.size(2):
            case = getattr(i, "case", None)
            if case is None:
                raise RollError(f"the size of a {self.kind.__name__} is not known at a body whose joint is not known")
            size = self.kind.size(case.type.nv)
        return int(size)

    def __getitem__(self, i: Any) -> Any:
        return value_of(self.kind, self.tree.recorder.get(self.place, self._row(i), self._size(i)))


class Cell(walk.Cell[Any]):
    """One value carried from iteration to iteration."""

    def __init__(self, tree: RolledTree, start: Any) -> None:
        self.tree = tree
        self.kind, self.size = (type(start) if hasattr(start, "components") else float), len(_components(start))
        if _is_oblong(start):
            raise RollError("a matrix in a cell must be square")
        self.place = tree.recorder.place(self.kind.__name__, self.size, cell=True)
        self.now = start

    @property
    def now(self) -> Any:
        return value_of(self.kind, self.tree.recorder.get(self.place, None, self.size))

    @now.setter
    def now(self, value: Any) -> None:
        numbers = _components(value)
        if len(numbers) != self.size:
            raise RollError(f"a cell that held {self.size} numbers cannot hold {len(numbers)}")
        self.tree.recorder.put(self.place, None, numbers)


def _components(value: Any) -> list[Scalar]:
    return list(value.components()) if hasattr(value, "components") else [value]


def _is_oblong(value: Any) -> bool:
    """Whether a value is a matrix that is not square."""
    return isinstance(value, Matrix) and any(len(row) != len(value.rows) for row in value.rows)


def value_of(kind: Any, numbers: list[Scalar]) -> Any:
    return numbers[0] if kind is float else kind.from_components(numbers)


def _unknown(what: str) -> Any:
    """A property that raises. The numbers of a result do not exist while loops are recorded."""

    def refuse(*_: Any) -> NoReturn:
        raise RollError(f"{what} of a result is not known while loops are recorded")

    return property(refuse, refuse)


class Written:
    """A result of the program, written by the joints of the loops' bodies.

    In a coupled tree several joints may share a coordinate: what they write is added up, each multiplied by its ratio.
    """

    def __init__(self, tree: RolledTree, *shape: int | str) -> None:
        self.tree = tree
        self.number = tree.recorder.output(*shape)

    def _put(self, bodies: Sequence[SymbolicBody], rows: Sequence[int], offsets: Sequence[int], x: Scalar) -> None:
        for i in bodies:
            if self.tree.is_coupled and self.tree._case(i).type.nv == 1:
                x = self.tree.column(i.row, "ratio", 1)[0] * x
        self.tree.recorder.write(self.number, rows, offsets, x, add=self.tree.is_coupled)

    def _first(self, i: SymbolicBody) -> int:
        return self.tree.recorder.row("lookup", symbolic(i).row, attr="v")


class Output(Written, walk.Output):
    """Forces by degree of freedom."""

    values = _unknown("values")

    def __setitem__(self, i: SymbolicBody, x: Vector) -> None:
        if len(x) != self.tree._case(i).type.nv:
            raise RollError(f"a joint with {self.tree._case(i).type.nv} velocities was given {len(x)} entries")
        for k, entry in enumerate(x):
            self._put([i], [self._first(i)], [k], entry)


class CoordinatesOutput(Written, walk.Output):
    """A position ("q") or a velocity ("v"), written by the joints that have coordinates of their own."""

    values = _unknown("values")

    def __init__(self, tree: RolledTree, which: str) -> None:
        if tree.is_coupled:
            raise RollError("which joints mimic others is not known while loops are recorded")
        self.which = which
        super().__init__(tree, f"n{which}")

    def __setitem__(self, i: SymbolicBody, x: Vector) -> None:
        joint = self.tree._case(i).type
        size = joint.nq if self.which == "q" else joint.nv
        if len(x) != size:
            raise RollError(f"a joint with {size} coordinates was given {len(x)} entries")
        first = self.tree.recorder.row("lookup", i.row, attr=self.which)
        for k, entry in enumerate(x):
            self.tree.recorder.write(self.number, [first], [k], entry)


class MatrixOutput(Written, walk.MatrixOutput):
    """A matrix with a block for each pair of joints."""

    rows = _unknown("rows")

    def __setitem__(self, ij: tuple[SymbolicBody, SymbolicBody], block: Matrix) -> None:
        i, j = ij
        rows = [self._first(i), self._first(j)]
        for r, entries in enumerate(block.rows):
            for c, entry in enumerate(entries):
                self._put([i, j], rows, [r, c], entry)


class RegressorOutput(Written, walk.RegressorOutput):
    """A matrix with ten columns for each body; the rows are those of a joint, or the same for all bodies."""

    rows = _unknown("rows")

    def __setitem__(self, ib: tuple[Any, SymbolicBody], block: Matrix) -> None:
        i, b = ib
        joints = [] if isinstance(i, int) else [symbolic(i)]
        first = self._first(i) if joints else self.tree.base
        own = self.tree.recorder.row("lookup", symbolic(b).row, attr="parameters")
        for r, entries in enumerate(block.rows):
            for c, entry in enumerate(entries):
                self._put(joints, [first, own], [r, c], entry)


class ColumnsOutput(Written, walk.ColumnsOutput):
    """Columns of motions, forces or points, one for each degree of freedom."""

    columns = _unknown("columns")

    def __setitem__(self, i: SymbolicBody, block: Any) -> None:
        rows = [self.tree.base, self._first(i)]
        for c, column in enumerate(block):
            for r, entry in enumerate(column.components()):
                self._put([i], rows, [r, c], entry)
