"""The tree that an algorithm walks while its loops are recorded."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from sixd.compiler.rolled.bodies import Case, Pairs, RollError, SymbolicBody, has_free_axis, symbolic
from sixd.compiler.rolled.storage import (
    BodyForces,
    Cell,
    ColumnsOutput,
    CoordinatesOutput,
    MatrixOutput,
    Output,
    Positions,
    RegressorOutput,
    Slots,
    Velocities,
    View,
    argument,
)
from sixd.ir import LoopRecorder
from sixd.joints import Joint
from sixd.model.tree import Tree
from sixd.ops import Scalar
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector

__all__ = ["RolledTree"]


class RolledTree(Tree):
    """A tree whose loops are recorded once for each joint type, instead of once for each body.

    Loops over the ancestors of a body are recorded for ``pairs`` of types only, or for all if it is None.
    ``parameters`` maps the names of parameters that are inputs of the program, not columns of the table, to the number
    of the input. Without ``steady`` (see `LoopRecorder`) the recording is a rehearsal: each loop records its first case
    twice. If the two recordings differ, a Python value has changed from one iteration to the next.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        pairs: Pairs | None,
        is_coupled: bool,
        in_body_frames: bool,
        parameters: Mapping[str, int],
        steady: Container[Any] | None = None,
    ) -> None:
        self.parameters, self.pairs = parameters, pairs
        self.cases, self._is_coupled, self.in_body_frames = tuple(cases), is_coupled, in_body_frames
        self.rehearsal = steady is None
        self.recorder = LoopRecorder(steady or ())
        self.base = self.recorder.row("row", attr=0)
        self.bodies: dict[str, SymbolicBody] = {}
        #: How many loops are open. It stays above zero if an algorithm leaves a loop early.
        self.unfinished = 0

    @property
    def model(self) -> NoReturn:
        raise RollError("the algorithm asks for the model itself, which is not known while loops are recorded")

    @property
    def is_coupled(self) -> bool:
        return self._is_coupled

    # ---- loops

    def _loop(
        self,
        over: str,
        down: bool = False,
        start: SymbolicBody | None = None,
        inclusive: bool = True,
    ) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        """Record a loop. It yields (body, its parent) once for each case.

        If not ``inclusive``, it yields (ancestor, the child of it that was visited before) instead.
        """
        r = self.recorder
        number, r.loops = r.loops, r.loops + 1
        regions: dict[int, Any] = {}
        occurring = {k: case for k, case in enumerate(self.cases) if inclusive or self._occurs(start, case)}
        first = min(occurring, default=-1)
        again = {len(self.cases): occurring[first]} if self.rehearsal and occurring else {}
        for k, case in (occurring | again).items():
            with r.case(number, k, over == "rows", first=k == first) as region:
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
                regions[k] = region
        for k in again:
            if r.text(regions[k].items) != r.text(regions[first].items):
                what = "two iterations of a loop differ: a value changes from one to the next"
                raise RollError(f"{what}; keep it in a cell")
        cases = [regions.get(k) for k in range(len(self.cases))]
        r.close(number, over, cases, down, None if start is None else start.row, inclusive)

    def _occurs(self, start: SymbolicBody | None, case: Case) -> bool:
        """Whether a body of the type of ``start`` is carried by one of this case."""
        if self.pairs is None or start is None or start.case is None:
            return True
        return (start.case.type, case.type) in self.pairs

    def outward(self, to: Any = None) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("rows" if to is None else f"path to {self._name(to)}")

    def inward(self) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("rows", down=True)

    def path(self, i: SymbolicBody) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("chain", start=symbolic(i))

    def ancestors(self, i: SymbolicBody) -> Iterator[tuple[SymbolicBody, SymbolicBody]]:
        return self._loop("chain", start=symbolic(i), inclusive=False)

    def subtree(self, i: SymbolicBody) -> NoReturn:
        raise RollError("subtree(i) is not recorded in loops: add up from the tips inward instead")

    def constraints(self) -> NoReturn:
        raise RollError("constraints are not recorded in loops: each kind has rows of its own")

    def body(self, name: str) -> SymbolicBody:
        """The symbolic body that stands for the argument of this name."""
        row = self.recorder.row("named", attr=name)
        return self.bodies.setdefault(name, SymbolicBody(row))

    def _name(self, body: SymbolicBody) -> str:
        body = symbolic(body)
        for name, known in self.bodies.items():
            if known is body:
                return name
        raise RollError("outward(to) is recorded only for a body that is an argument, not for one of another loop")

    # ---- the model's data

    def column(self, row: int, what: str, count: int) -> list[Scalar]:
        """Numbers in a row of the table."""
        return [self.recorder.add("table", row, attr=(what, k)) for k in range(count)]

    def given(self, what: str, row: int, first: int, *shape: int) -> list[Scalar]:
        """The entries of this shape that a row has in a parameter that is an input.

        ``first`` is where row 0 would be: -1 for arrays without the base.
        """
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
        if "pitch" in self.parameters and case.type.pitch_at is not None:
            (named[case.type.pitch_at],) = self.given("pitch", i.row, -1)
        return case.type.from_parameters(named)

    def _case(self, i: SymbolicBody) -> Case:
        case = symbolic(i).case
        if case is None:
            raise RollError("the joint of a body other than the loop's own is not known while loops are recorded")
        return case

    @property
    def gravity(self) -> Motion:
        numbers = self.column(self.base, "gravity", 3)
        if "gravity" in self.parameters:
            port = self.parameters["gravity"]
            numbers = [self.recorder.add("entry", self.base, attr=(port, (k,))) for k in range(3)]
        return Motion(Vector.zero(), Vector(numbers))

    def placement(self, i: SymbolicBody) -> Transform:
        if "placement" in self.parameters:
            pose = Matrix.from_components(self.given("placement", symbolic(i).row, -1, 4, 4), 4).rows
            return Transform(Matrix(row[:3] for row in pose[:3]).T, Vector(row[3] for row in pose[:3]))
        return Transform.from_components(self.column(symbolic(i).row, "placement", 12))

    def inertia(self, i: SymbolicBody) -> Inertia:
        if "inertia" in self.parameters:
            return Inertia.from_components(self.given("inertia", symbolic(i).row, -1, 10))
        return Inertia.from_components(self.column(symbolic(i).row, "inertia", 10))

    def rotor_inertia(self, i: SymbolicBody) -> Matrix:
        nv = self._case(i).type.nv
        if "rotor" in self.parameters:
            if self.is_coupled:
                raise RollError("rotor inertias of a robot with mimic joints cannot be inputs of rolled code")
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

    def position_output(self) -> CoordinatesOutput:
        return CoordinatesOutput(self, "q")

    def velocity_output(self) -> CoordinatesOutput:
        return CoordinatesOutput(self, "v")

    def matrix_output(self) -> MatrixOutput:
        return MatrixOutput(self, "nv", "nv")

    def tensor_output(self, rank: int) -> NoReturn:
        raise RollError("results with more than two axes by degree of freedom are not recorded in loops")

    def regressor_output(self, rows: int | None = None) -> RegressorOutput:
        return RegressorOutput(self, "nv" if rows is None else rows, "parameters")

    def motions_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 6, "nv")

    def forces_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 6, "nv")

    def points_output(self) -> ColumnsOutput:
        return ColumnsOutput(self, 3, "nv")

    def rows_output(self) -> NoReturn:
        raise RollError("results by constraint row are not recorded in loops")

    def rows_matrix_output(self) -> NoReturn:
        raise RollError("results by constraint row are not recorded in loops")

    # ---- views of the arguments

    def positions(self, q: Any, name: str = "q") -> Any:
        return q if isinstance(q, View) else Positions(self, argument(q), "nq", "q")

    def velocities(self, x: Any, name: str = "qd") -> Any:
        return x if isinstance(x, View) else Velocities(self, argument(x), "nv", "v")

    def forces(self, f: Any, name: str = "f_ext") -> Any:
        return f if isinstance(f, View) else BodyForces(self, argument(f), "", "")
