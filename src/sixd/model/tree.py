"""How an algorithm walks a model: loops over bodies, slots for per-body values, views of the coordinates.

An algorithm sees a model only through a `Tree`. Two classes implement it: `sixd.model.ModelTree` walks a model on
numbers, `sixd.compiler.rolled.RolledTree` records the loops for all robots at once. Each has its own slots, cells,
outputs and views, which are subclasses of those here.

The rules of an algorithm: what belongs to a body lives in slots, whose base entry is body 0, so there is no case
"parent is the base"; a value carried from one iteration to the next lives in a cell; values never change in place;
nothing asks for the type of a joint, and no Python branch depends on a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from sixd.joints import Joint
from sixd.model.closures import Closure
from sixd.model.model import Model
from sixd.ops import Scalar
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector

__all__ = [
    "BodyForces",
    "BodyIndex",
    "Cell",
    "ColumnsOutput",
    "MatrixOutput",
    "Output",
    "Positions",
    "RegressorOutput",
    "RowsMatrixOutput",
    "RowsOutput",
    "Slots",
    "TensorOutput",
    "Tree",
    "Velocities",
]

T = TypeVar("T")

#: A body, as loops give it to an algorithm: its number, or an object that stands for many bodies while loops are
#: recorded. An algorithm only uses it as an index and hands it to the tree.
BodyIndex: TypeAlias = Any


class Slots(ABC, Generic[T]):
    """One value of one kind for each body: ``v[i] = ...``, ``v[p]``. Body 0 holds the value given as ``base``."""

    __slots__ = ()

    @abstractmethod
    def __getitem__(self, i: BodyIndex) -> T: ...

    @abstractmethod
    def __setitem__(self, i: BodyIndex, value: T) -> None: ...


class Cell(ABC, Generic[T]):
    """One value that is carried from iteration to iteration: read and write ``now``."""

    now: T


class Positions(ABC):
    """q, seen by joint: ``q[i]`` are the coordinates of joint i.

    ``values`` has all its numbers. Only an algorithm that is never rolled can read them.
    """

    __slots__ = ()
    values: Sequence[Scalar]

    @abstractmethod
    def __getitem__(self, i: BodyIndex) -> Vector: ...


class Velocities(ABC):
    """qd, qdd or tau, seen by joint: ``qd[i]`` are the entries of joint i. ``values`` as in `Positions`."""

    __slots__ = ()
    values: Sequence[Scalar]

    @abstractmethod
    def __getitem__(self, i: BodyIndex) -> Vector: ...


class BodyForces(ABC):
    """External forces, seen by body: ``f_ext[i]`` acts on body i, in its coordinates."""

    __slots__ = ()

    @abstractmethod
    def __getitem__(self, i: BodyIndex) -> Force: ...


class Output(ABC):
    """A result by coordinate, written once by each joint: ``tau[i] = ...``. Entries that are never written are zero.

    ``values`` has all its numbers. Only an algorithm that is never rolled can read or write them.
    """

    values: list[Scalar]

    @abstractmethod
    def __setitem__(self, i: BodyIndex, x: Vector) -> None: ...


class MatrixOutput(ABC):
    """A square result by degree of freedom, written once by each pair of joints: ``H[i, j] = ...``, a matrix block.

    ``rows`` has all its numbers. Only an algorithm that is never rolled can read or write them.
    """

    rows: list[list[Scalar]]

    @abstractmethod
    def __setitem__(self, ij: tuple[BodyIndex, BodyIndex], block: Matrix) -> None: ...


class RegressorOutput(MatrixOutput):
    """A result with ten columns for each body, one for each of its inertial parameters: ``Y[i, b] = ...``.

    The block has the rows of joint i, or, if the rows do not belong to joints, all rows: then i is 0.
    """


class ColumnsOutput(ABC):
    """A 6 x nv or 3 x nv result, written once by each joint: ``J[i] = ...``, one column per degree of freedom.

    ``columns`` has all of them. Only an algorithm that is never rolled can read or write them.
    """

    columns: list[Any]

    @abstractmethod
    def __setitem__(self, i: BodyIndex, block: Any) -> None: ...


class RowsOutput(ABC):
    """A result by constraint row, written once by each constraint: ``phi[c] = ...``. Only for algorithms that are never
    rolled; ``values`` has all its numbers.
    """

    values: list[Scalar]

    @abstractmethod
    def __setitem__(self, c: Closure, x: Vector) -> None: ...


class RowsMatrixOutput(ABC):
    """A result by constraint row and degree of freedom, such as L: ``L.add(c, i, block)`` adds a block of constraint c
    and joint i. Only for algorithms that are never rolled; ``rows`` has all its numbers.
    """

    rows: list[list[Scalar]]

    @abstractmethod
    def add(self, c: Closure, i: BodyIndex, block: Matrix) -> None: ...


class TensorOutput(ABC):
    """A result with three or more axes by degree of freedom. Only for algorithms that are never rolled.

    ``add`` adds to an entry, for joints that mimic another share its coordinates. Entries that are never written are
    zero. ``values`` has all of them, the last index running first.
    """

    values: list[Scalar]

    @abstractmethod
    def __getitem__(self, index: tuple[int, ...]) -> Scalar: ...

    @abstractmethod
    def add(self, index: tuple[int, ...], x: Scalar) -> None: ...


class Tree(ABC):
    """A model to be walked. What an algorithm does with it can be run on numbers or be recorded."""

    __slots__ = ()

    # ---- loops

    @abstractmethod
    def outward(self, to: BodyIndex | None = None) -> Iterator[tuple[BodyIndex, BodyIndex]]:
        """(i, parent of i) from the base to the tips: i = 1..N. With ``to``, only the bodies on the way to that one."""

    @abstractmethod
    def inward(self) -> Iterator[tuple[BodyIndex, BodyIndex]]:
        """(i, parent of i) from the tips to the base: i = N..1."""

    @abstractmethod
    def path(self, i: BodyIndex) -> Iterator[tuple[BodyIndex, BodyIndex]]:
        """(j, parent of j) for j = i and its ancestors, down to the base (kappa(i) of F10b)."""

    @abstractmethod
    def ancestors(self, i: BodyIndex) -> Iterator[tuple[BodyIndex, BodyIndex]]:
        """(j, k) for the proper ancestors j of i, nearest first; k is the child of j on the way to i."""

    @abstractmethod
    def subtree(self, i: BodyIndex) -> Iterator[BodyIndex]:
        """Body i and all that it carries (nu(i) of F10b). Only for algorithms that are never rolled."""

    @abstractmethod
    def constraints(self) -> Iterator[Closure]:
        """The constraints, each with what it ties and its rows. Only for algorithms that are never rolled."""

    # ---- the model's data

    @property
    @abstractmethod
    def model(self) -> Model:
        """The model itself. Only for algorithms that are never rolled: loops are recorded for many models."""

    @property
    @abstractmethod
    def is_coupled(self) -> bool:
        """Whether some joint mimics another."""

    @property
    @abstractmethod
    def gravity(self) -> Motion:
        """a_g of F10b (10)."""

    @abstractmethod
    def joint(self, i: BodyIndex) -> Joint:
        """The joint that carries body i: its transform X_J and its motion subspace S."""

    @abstractmethod
    def placement(self, i: BodyIndex) -> Transform:
        """X_T(i) of F10b (3)."""

    @abstractmethod
    def inertia(self, i: BodyIndex) -> Inertia:
        """The inertia of body i, in its coordinates."""

    @abstractmethod
    def rotor_inertia(self, i: BodyIndex) -> Matrix:
        """The inertia of the motors as felt at joint i, nv x nv."""

    @abstractmethod
    def damping(self, i: BodyIndex) -> Vector:
        """The force of the dampers of joint i per velocity."""

    @abstractmethod
    def friction(self, i: BodyIndex) -> Vector:
        """The dry friction of joint i."""

    @abstractmethod
    def stiffness(self, i: BodyIndex) -> Vector:
        """The force of the springs of joint i per stretch."""

    @abstractmethod
    def rest(self, i: BodyIndex) -> Vector:
        """The position of joint i at which its spring is relaxed."""

    # ---- places for values

    @abstractmethod
    def slots(self, kind: type[T], base: T | None = None) -> Slots[T]:
        """A value of this kind for each body; float stands for any number."""

    @abstractmethod
    def pair_slots(self, kind: type[T]) -> MutableMapping[tuple[BodyIndex, BodyIndex], T]:
        """A value of this kind for each pair of bodies: ``F[i, j]``. Only for algorithms that are never rolled."""

    @abstractmethod
    def cell(self, start: T) -> Cell[T]:
        """A value carried from one iteration to the next."""

    @abstractmethod
    def output(self) -> Output:
        """Forces or accelerations, one entry per degree of freedom.

        If joints share a coordinate, what they write is added up, each multiplied by its ratio: forces map by the
        transpose of the matrix that maps velocities.
        """

    @abstractmethod
    def position_output(self) -> Output:
        """A position, nq entries. What mimic joints write is ignored: they have no coordinates of their own."""

    @abstractmethod
    def velocity_output(self) -> Output:
        """A velocity, nv entries. What mimic joints write is ignored: they have no coordinates of their own."""

    @abstractmethod
    def matrix_output(self) -> MatrixOutput:
        """A result with one entry per pair of degrees of freedom."""

    @abstractmethod
    def tensor_output(self, rank: int) -> TensorOutput:
        """A result with one entry per tuple of ``rank`` degrees of freedom. For algorithms that are never rolled."""

    @abstractmethod
    def regressor_output(self, rows: int | None = None) -> RegressorOutput:
        """A result with one column per inertial parameter, 10 N; its rows are the degrees of freedom, or ``rows``."""

    @abstractmethod
    def motions_output(self) -> ColumnsOutput:
        """A result with one motion vector per degree of freedom, such as a Jacobian."""

    @abstractmethod
    def forces_output(self) -> ColumnsOutput:
        """A result with one force vector per degree of freedom, such as the centroidal momentum matrix."""

    @abstractmethod
    def points_output(self) -> ColumnsOutput:
        """A result with one 3-vector per degree of freedom, such as the Jacobian of a point."""

    @abstractmethod
    def rows_output(self) -> RowsOutput:
        """A result with one entry per constraint row. Only for algorithms that are never rolled."""

    @abstractmethod
    def rows_matrix_output(self) -> RowsMatrixOutput:
        """A result with one row per constraint row and one column per degree of freedom. Only for algorithms that are
        never rolled.
        """

    # ---- views of the arguments

    @abstractmethod
    def positions(self, q: Any, name: str = "q") -> Positions:
        """A position (..., nq), seen by joint. ``name`` is what errors call it."""

    @abstractmethod
    def velocities(self, x: Any, name: str = "qd") -> Velocities:
        """A velocity, acceleration or joint force (..., nv), seen by joint; None stands for zero."""

    @abstractmethod
    def forces(self, f: Any, name: str = "f_ext") -> BodyForces:
        """Forces on the bodies (..., N, 6), seen by body; None stands for no forces."""
