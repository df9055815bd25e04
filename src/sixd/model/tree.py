"""How an algorithm walks a model: loops over bodies, slots for per-body values, views of the coordinates.

An algorithm sees a model only through a `Tree`, so that the same source can run on numbers (here) or be recorded.
Its rules: what belongs to a body lives in slots, whose base entry is body 0, so there is no case "parent is the base";
a value carried from one iteration to the next lives in a cell; values never change in place; nothing asks for the type
of a joint, and no Python branch depends on a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from sixd.errors import ShapeError
from sixd.joints import Joint
from sixd.model.model import Model
from sixd.ops import Scalar, stack, unstack
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector

__all__ = ["Cell", "Slots", "Tree"]

T = TypeVar("T")


class Slots(Generic[T]):
    """One value of one kind for each body: ``v[i] = ...``, ``v[p]``. Body 0 holds the value given as ``base``."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: type[T], n: int, base: T | None) -> None:
        self.kind = kind
        self.values: list[Any] = [base] + [None] * n

    def __getitem__(self, i: int) -> T:
        return self.values[i]

    def __setitem__(self, i: int, value: T) -> None:
        if self.kind is not float and not isinstance(value, self.kind):  # float stands for any number
            raise TypeError(f"these slots hold {self.kind.__name__}, not {type(value).__name__}")
        self.values[i] = value


class Cell(Generic[T]):
    """One value that is carried from iteration to iteration: read and write ``now``."""

    __slots__ = ("now",)

    def __init__(self, start: T) -> None:
        self.now = start


class Positions:
    """q, seen by joint: ``q[i]`` are the coordinates of joint i."""

    __slots__ = ("model", "values")

    def __init__(self, model: Model, values: Sequence[Scalar]) -> None:
        self.model, self.values = model, values

    def __getitem__(self, i: int) -> Vector:
        c = self.model.coordinates[i]
        own = self.values[c.q]
        if c.ratio != 1.0 or c.offset != 0.0:
            return Vector(c.ratio * x + c.offset for x in own)
        return Vector(own)


class Velocities:
    """qd, qdd or tau, seen by joint: ``qd[i]`` are the entries of joint i."""

    __slots__ = ("model", "values")

    def __init__(self, model: Model, values: Sequence[Scalar]) -> None:
        self.model, self.values = model, values

    def __getitem__(self, i: int) -> Vector:
        c = self.model.coordinates[i]
        own = self.values[c.v]
        return Vector(c.ratio * x for x in own) if c.ratio != 1.0 else Vector(own)


class BodyForces:
    """External forces, seen by body: ``f_ext[i]`` acts on body i, in its coordinates."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Scalar] | None) -> None:
        self.values = values

    def __getitem__(self, i: int) -> Force:
        return Force.zero() if self.values is None else Force.from_components(self.values[6 * i - 6 : 6 * i])


class Output:
    """A result by degree of freedom, written once by each joint: ``tau[i] = ...``; what is never written is zero.

    Joints that share a coordinate add up, each with its ratio: forces map as the transpose of velocities.
    """

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


class MatrixOutput:
    """A square result by degree of freedom, written once by each pair of joints: ``H[i, j] = ...``, a matrix block."""

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


class MotionsOutput:
    """A 6 x nv result (a Jacobian), written once by each joint: ``J[i] = ...``, one column per degree of freedom."""

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
        raise ValueError(f"the result of body {key} is written twice; an algorithm writes it once")
    written.add(key)


class Tree:
    """A model to be walked, on numbers."""

    def __init__(self, model: Model) -> None:
        self.model = model

    # ---- loops

    def outward(self, to: int | None = None) -> Iterator[tuple[int, int]]:
        """(i, parent of i) from the base to the tips: i = 1..N. With ``to``, only what lies on the way to that body."""
        parent = self.model.parent
        bodies = range(1, self.model.n_bodies + 1) if to is None else reversed(self.model.path(to))
        return ((i, parent[i]) for i in bodies)

    def inward(self) -> Iterator[tuple[int, int]]:
        """(i, parent of i) from the tips to the base: i = N..1."""
        parent = self.model.parent
        return ((i, parent[i]) for i in range(self.model.n_bodies, 0, -1))

    def path(self, i: int) -> Iterator[tuple[int, int]]:
        """(j, parent of j) for j = i and its ancestors, down to the base (kappa(i) of F10b)."""
        parent = self.model.parent
        return ((j, parent[j]) for j in self.model.path(i))

    def ancestors(self, i: int) -> Iterator[tuple[int, int]]:
        """(j, k) for the proper ancestors j of i, nearest first; k is the child of j on the way to i."""
        steps = self.model.path(i)
        return zip(steps[1:], steps, strict=False)

    def subtree(self, i: int) -> Iterator[int]:
        """Body i and all that it carries (nu(i) of F10b)."""
        return iter(self.model.subtree_of(i))

    # ---- the model's data

    @property
    def is_coupled(self) -> bool:
        """Whether some joint mimics another."""
        return self.model.is_coupled

    @property
    def gravity(self) -> Motion:
        """a_g of F10b (10)."""
        return self.model.gravity_acceleration

    def joint(self, i: int) -> Joint:
        return self.model.body_list[i].joint.type  # type: ignore[union-attr]

    def placement(self, i: int) -> Transform:
        """X_T(i) of F10b (3)."""
        return self.model.body_list[i].placement

    def inertia(self, i: int) -> Inertia:
        return self.model.body_list[i].inertia

    def rotor_inertia(self, i: int) -> Matrix:
        """The inertia of the motors as felt at joint i, nv x nv."""
        return Matrix.diagonal(self.model.body_list[i].joint.rotor_inertia)  # type: ignore[union-attr]

    def damping(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.damping)  # type: ignore[union-attr]

    def friction(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.friction)  # type: ignore[union-attr]

    def stiffness(self, i: int) -> Vector:
        return Vector(self.model.body_list[i].joint.stiffness)  # type: ignore[union-attr]

    def rest(self, i: int) -> Vector:
        """The position of joint i at which its spring is relaxed."""
        return Vector(self.model.body_list[i].joint.rest)  # type: ignore[union-attr]

    # ---- places for values

    def slots(self, kind: type[T], base: T | None = None) -> Slots[T]:
        """A value of this kind for each body."""
        return Slots(kind, self.model.n_bodies, base)

    def pair_slots(self, kind: type[T]) -> dict[tuple[int, int], T]:
        """A value of this kind for each pair of bodies: ``F[i, j]``."""
        return {}

    def cell(self, start: T) -> Cell[T]:
        """A value carried from one iteration to the next."""
        return Cell(start)

    def output(self) -> Output:
        """A result with one entry per degree of freedom."""
        return Output(self.model)

    def matrix_output(self) -> MatrixOutput:
        """A result with one entry per pair of degrees of freedom."""
        return MatrixOutput(self.model)

    def motions_output(self) -> MotionsOutput:
        """A result with one motion vector per degree of freedom."""
        return MotionsOutput(self.model)

    def points_output(self) -> PointsOutput:
        """A result with one 3-vector per degree of freedom."""
        return PointsOutput(self.model)

    def forces_output(self) -> ForcesOutput:
        """A result with one force vector per degree of freedom."""
        return ForcesOutput(self.model)

    # ---- views of the arguments

    def positions(self, q: Any) -> Positions:
        return q if isinstance(q, Positions) else Positions(self.model, _entries(q, self.model.nq, "q"))

    def velocities(self, x: Any, name: str = "qd") -> Velocities:
        if isinstance(x, Velocities):
            return x
        if isinstance(x, Output):
            return Velocities(self.model, x.values)
        return Velocities(self.model, [0.0] * self.model.nv if x is None else _entries(x, self.model.nv, name))

    def forces(self, f: Any) -> BodyForces:
        """External forces, an array (..., N, 6), or None for none."""
        if isinstance(f, BodyForces):
            return f
        if f is None:
            return BodyForces(None)
        values = unstack(f, rank=2)
        if len(values) != 6 * self.model.n_bodies:
            raise ShapeError(f"f_ext needs 6 numbers for each of {self.model.n_bodies} bodies, not {len(values)}")
        return BodyForces(values)


def _entries(x: Any, n: int, name: str) -> list[Scalar]:
    values = unstack(x)
    if len(values) != n:
        raise ShapeError(f"{name} needs {n} entries, not {len(values)}")
    return values
