"""Walking a model on numbers: the implementation of `sixd.model.Tree` that runs an algorithm as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sixd.errors import ArgumentError, ShapeError, SpatialTypeError
from sixd.joints import Joint
from sixd.model import tree
from sixd.model.closures import Closure
from sixd.model.model import Model
from sixd.ops import Scalar, stack, unstack
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector

__all__ = ["ModelTree"]

T = TypeVar("T")


class Slots(tree.Slots[T]):
    """A list with an entry for each body."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: type[T], n: int, base: T | None) -> None:
        self.kind = kind
        self.values: list[Any] = [base] + [None] * n

    def __getitem__(self, i: int) -> T:
        return self.values[i]

    def __setitem__(self, i: int, value: T) -> None:
        if self.kind is not float and not isinstance(value, self.kind):  # float stands for any number
            raise SpatialTypeError(f"these slots hold {self.kind.__name__}, not {type(value).__name__}")
        self.values[i] = value


class Cell(tree.Cell[T]):
    """Holds the value itself."""

    __slots__ = ("now",)

    def __init__(self, start: T) -> None:
        self.now = start


class Positions(tree.Positions):
    """The nq numbers of a position; those of a joint that mimics another are the other's, scaled and shifted."""

    __slots__ = ("model", "values")

    def __init__(self, model: Model, values: Sequence[Scalar]) -> None:
        self.model, self.values = model, values

    def __getitem__(self, i: int) -> Vector:
        c = self.model.coordinates[i]
        own = self.values[c.q]
        if c.ratio != 1.0 or c.offset != 0.0:
            return Vector(c.ratio * x + c.offset for x in own)
        return Vector(own)


class Velocities(tree.Velocities):
    """The nv numbers of a velocity; those of a joint that mimics another are the other's, scaled."""

    __slots__ = ("model", "values")

    def __init__(self, model: Model, values: Sequence[Scalar]) -> None:
        self.model, self.values = model, values

    def __getitem__(self, i: int) -> Vector:
        c = self.model.coordinates[i]
        own = self.values[c.v]
        return Vector(c.ratio * x for x in own) if c.ratio != 1.0 else Vector(own)


class BodyForces(tree.BodyForces):
    """Six numbers for each body, or None for no forces."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Scalar] | None) -> None:
        self.values = values

    def __getitem__(self, i: int) -> Force:
        return Force.zero() if self.values is None else Force.from_components(self.values[6 * i - 6 : 6 * i])


class Output(tree.Output):
    """Forces by degree of freedom. If joints share a coordinate, what they write is added up, each times its ratio."""

    __slots__ = ("model", "values", "written")

    def __init__(self, model: Model) -> None:
        self.model = model
        self.values: list[Scalar] = [0.0] * model.nv
        self.written: set[Any] = set()

    def __setitem__(self, i: int, x: Vector) -> None:
        _once(self.written, i)
        c = self.model.coordinates[i]
        if self.model.is_coupled:
            x = Vector(old + c.ratio * new for old, new in zip(self.values[c.v], x, strict=True))
        self.values[c.v] = x.entries

    def array(self) -> Any:
        return stack(self.values)


class CoordinatesOutput(Output):
    """A position or a velocity, written by the joints that have coordinates of their own."""

    __slots__ = ("which",)

    def __init__(self, model: Model, which: str) -> None:
        super().__init__(model)
        self.which = which
        self.values = [0.0] * (model.nq if which == "q" else model.nv)

    def __setitem__(self, i: int, x: Vector) -> None:
        _once(self.written, i)
        joint = self.model.body_list[i].joint
        if joint is not None and joint.mimic is None:
            coordinates = self.model.coordinates[i]
            self.values[coordinates.q if self.which == "q" else coordinates.v] = x.entries


class MatrixOutput(tree.MatrixOutput):
    """The rows of a matrix, nv x nv."""

    __slots__ = ("model", "rows", "written")

    def __init__(self, model: Model) -> None:
        self.model = model
        self.written: set[Any] = set()
        self.rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]

    def __setitem__(self, ij: tuple[int, int], block: Matrix) -> None:
        _once(self.written, ij)
        ci, cj = (self.model.coordinates[k] for k in ij)
        coupled, ratio = self.model.is_coupled, ci.ratio * cj.ratio
        for row, entries in zip(self.rows[ci.v], block.rows, strict=True):
            if coupled:
                entries = tuple(old + ratio * new for old, new in zip(row[cj.v], entries, strict=True))
            row[cj.v] = entries

    def array(self) -> Any:
        return stack([x for row in self.rows for x in row], (self.model.nv, self.model.nv))


class RowsOutput(tree.RowsOutput):
    """A list with an entry for each constraint row."""

    __slots__ = ("values", "written")

    def __init__(self, model: Model) -> None:
        self.values: list[Scalar] = [0.0] * model.n_rows
        self.written: set[Any] = set()

    def __setitem__(self, c: Closure, x: Vector) -> None:
        _once(self.written, c.number)
        self.values[c.rows] = x.entries

    def array(self) -> Any:
        return stack(self.values)


class RowsMatrixOutput(tree.RowsMatrixOutput):
    """A list of rows with nv entries. Entries to which nothing is added are the float 0.0, which costs no operation."""

    __slots__ = ("model", "rows")

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.n_rows)]

    def add(self, c: Closure, i: int, block: Matrix) -> None:
        place = self.model.coordinates[i]
        for row, entries in zip(self.rows[c.rows], block.rows, strict=True):
            row[place.v] = [old + place.ratio * new for old, new in zip(row[place.v], entries, strict=True)]

    def array(self) -> Any:
        return stack([x for row in self.rows for x in row], (len(self.rows), self.model.nv))


class TensorOutput(tree.TensorOutput):
    """A list of all entries."""

    __slots__ = ("shape", "values", "written")

    def __init__(self, nv: int, rank: int) -> None:
        self.shape = (nv,) * rank
        self.values: list[Scalar] = [0.0] * nv**rank
        self.written: set[int] = set()

    def _place(self, index: tuple[int, ...]) -> int:
        place = 0
        for k, n in zip(index, self.shape, strict=True):
            place = place * n + k
        return place

    def __getitem__(self, index: tuple[int, ...]) -> Scalar:
        return self.values[self._place(index)]

    def add(self, index: tuple[int, ...], x: Scalar) -> None:
        place = self._place(index)
        self.values[place] = self.values[place] + x if place in self.written else x
        self.written.add(place)

    def array(self) -> Any:
        return stack(self.values, self.shape)


class RegressorOutput(MatrixOutput, tree.RegressorOutput):
    """The rows of a matrix with ten columns for each body."""

    __slots__ = ()

    def __init__(self, model: Model, rows: int | None) -> None:
        super().__init__(model)
        self.rows = [[0.0] * (10 * model.n_bodies) for _ in range(model.nv if rows is None else rows)]

    def __setitem__(self, ib: tuple[int, int], block: Matrix) -> None:
        _once(self.written, ib)
        i, b = ib
        c, own = self.model.coordinates[i], slice(10 * b - 10, 10 * b)
        for row, entries in zip(self.rows[c.v] if i else self.rows, block.rows, strict=True):
            if self.model.is_coupled and i:
                entries = tuple(old + c.ratio * new for old, new in zip(row[own], entries, strict=True))
            row[own] = entries

    def array(self) -> Any:
        return stack([x for row in self.rows for x in row], (len(self.rows), 10 * self.model.n_bodies))


class MotionsOutput(tree.ColumnsOutput):
    """A 6 x nv result whose columns are motions, such as a Jacobian."""

    __slots__ = ("columns", "model", "written")
    kind: type[Any] = Motion

    def __init__(self, model: Model) -> None:
        self.model = model
        self.written: set[Any] = set()
        self.columns: list[Any] = [self.kind.zero()] * model.nv

    def __setitem__(self, i: int, block: Any) -> None:
        _once(self.written, i)
        c = self.model.coordinates[i]
        new = list(block)
        if self.model.is_coupled:
            new = [old + c.ratio * x for old, x in zip(self.columns[c.v], new, strict=True)]
        self.columns[c.v] = new

    def array(self) -> Any:
        size = len(self.kind.zero().components())
        entries = [column.components()[row] for row in range(size) for column in self.columns]
        return stack(entries, (size, self.model.nv))


class ForcesOutput(MotionsOutput):
    """A 6 x nv result whose columns are forces, such as the centroidal momentum matrix."""

    __slots__ = ()
    kind = Force


class PointsOutput(MotionsOutput):
    """A 3 x nv result whose columns are 3-vectors, such as the Jacobian of a point."""

    __slots__ = ()
    kind = Vector


def _once(written: set[Any], key: Any) -> None:
    if key in written:
        raise ArgumentError(f"the result of body {key} is written twice; an algorithm writes it once")
    written.add(key)


class ModelTree(tree.Tree):
    """A model to be walked, on numbers."""

    __slots__ = ("_model",)

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def model(self) -> Model:
        return self._model

    # ---- loops

    def outward(self, to: int | None = None) -> Iterator[tuple[int, int]]:
        parent = self.model.parent
        bodies = range(1, self.model.n_bodies + 1) if to is None else reversed(self.model.path(to))
        return ((i, parent[i]) for i in bodies)

    def inward(self) -> Iterator[tuple[int, int]]:
        parent = self.model.parent
        return ((i, parent[i]) for i in range(self.model.n_bodies, 0, -1))

    def path(self, i: int) -> Iterator[tuple[int, int]]:
        parent = self.model.parent
        return ((j, parent[j]) for j in self.model.path(i))

    def ancestors(self, i: int) -> Iterator[tuple[int, int]]:
        steps = self.model.path(i)
        return zip(steps[1:], steps, strict=False)

    def subtree(self, i: int) -> Iterator[int]:
        return iter(self.model.subtree_of(i))

    def constraints(self) -> Iterator[Closure]:
        return iter(self.model.closures)

    # ---- the model's data

    @property
    def is_coupled(self) -> bool:
        return self.model.is_coupled

    @property
    def gravity(self) -> Motion:
        return self.model.gravity_acceleration

    def joint(self, i: int) -> Joint:
        return self.model.body_list[i].joint.type  # type: ignore[union-attr]

    def placement(self, i: int) -> Transform:
        return self.model.body_list[i].placement

    def inertia(self, i: int) -> Inertia:
        return self.model.body_list[i].inertia

    def rotor_inertia(self, i: int) -> Matrix:
        return Matrix.diagonal(self.model.body_list[i].joint.rotor_inertia)  # type: ignore[union-attr]

    def damping(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.damping)  # type: ignore[union-attr]

    def friction(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.friction)  # type: ignore[union-attr]

    def stiffness(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.stiffness)  # type: ignore[union-attr]

    def rest(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.rest)  # type: ignore[union-attr]

    # ---- places for values

    def slots(self, kind: type[T], base: T | None = None) -> Slots[T]:
        return Slots(kind, self.model.n_bodies, base)

    def pair_slots(self, kind: type[T]) -> dict[tuple[int, int], T]:
        return {}

    def cell(self, start: T) -> Cell[T]:
        return Cell(start)

    def output(self) -> Output:
        return Output(self.model)

    def position_output(self) -> CoordinatesOutput:
        return CoordinatesOutput(self.model, "q")

    def velocity_output(self) -> CoordinatesOutput:
        return CoordinatesOutput(self.model, "v")

    def matrix_output(self) -> MatrixOutput:
        return MatrixOutput(self.model)

    def tensor_output(self, rank: int) -> TensorOutput:
        return TensorOutput(self.model.nv, rank)

    def regressor_output(self, rows: int | None = None) -> RegressorOutput:
        return RegressorOutput(self.model, rows)

    def motions_output(self) -> MotionsOutput:
        return MotionsOutput(self.model)

    def points_output(self) -> PointsOutput:
        return PointsOutput(self.model)

    def forces_output(self) -> ForcesOutput:
        return ForcesOutput(self.model)

    def rows_output(self) -> RowsOutput:
        return RowsOutput(self.model)

    def rows_matrix_output(self) -> RowsMatrixOutput:
        return RowsMatrixOutput(self.model)

    # ---- views of the arguments

    def positions(self, q: Any, name: str = "q") -> Positions:
        return q if isinstance(q, Positions) else Positions(self.model, _entries(q, self.model.nq, name))

    def velocities(self, x: Any, name: str = "qd") -> Velocities:
        if isinstance(x, Velocities):
            return x
        return Velocities(self.model, [0.0] * self.model.nv if x is None else _entries(x, self.model.nv, name))

    def forces(self, f: Any, name: str = "f_ext") -> BodyForces:
        if isinstance(f, BodyForces):
            return f
        if f is None:
            return BodyForces(None)
        values = unstack(f, rank=2)
        if len(values) != 6 * self.model.n_bodies:
            raise ShapeError(f"{name} needs 6 numbers for each of {self.model.n_bodies} bodies, not {len(values)}")
        return BodyForces(values)


def _entries(x: Any, n: int, name: str) -> list[Scalar]:
    """The numbers of an argument: an array, a sequence, or what another algorithm returned."""
    values = x.values if isinstance(x, Output) else unstack(x)
    if len(values) != n:
        raise ShapeError(f"{name} needs {n} entries, not {len(values)}")
    return values
