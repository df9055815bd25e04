"""A tree of symbolic bodies: what an algorithm sees when its loop over bodies is recorded once per joint type.

A loop body runs once for each joint type, on a body that stands for all bodies of that type. What is read from slots,
inputs and the model's tables are fresh recorded numbers. The tree enforces the rules that make this possible: no
question about a body's number, no use of a joint other than the loop's own, no value kept from one iteration to another
outside slots and cells, no slot whose size depends on a joint that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sixd.ir.program import reachable
from sixd.ir.tracer import Recorder, Traced
from sixd.joints import JOINTS, Joint
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector


class Body:
    """A symbolic body; ``joint`` is its joint, where it is known."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, joint: Joint | None = None) -> None:
        self.joint = joint

    def __eq__(self, other: object) -> bool:
        raise TypeError("a question about the number of a body")

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __eq__  # type: ignore[assignment]


class SymbolicTree:
    """The interface of `sixd.model.Tree`, for recording."""

    is_coupled = False
    gravity = Motion.from_components([0.0, 0.0, 0.0, 0.0, 0.0, -9.81])

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.open: list[int] = [0]
        self.regions = self.reads = 0

    # ---- loops: one iteration for each joint type, and the first type once more, so that leaking values show

    def _loop(self) -> Iterator[tuple[Body, Body]]:
        kinds = [kind.examples()[-1] for kind in JOINTS.values()]
        for joint in [*kinds, kinds[0]]:
            self.regions += 1
            self.open.append(self.regions)
            yield Body(joint), Body()
            self.open.pop()

    def outward(self, to: Any = None) -> Iterator[tuple[Body, Body]]:
        return self._loop()

    def inward(self) -> Iterator[tuple[Body, Body]]:
        return self._loop()

    def path(self, i: Any) -> Iterator[tuple[Body, Body]]:
        return self._loop()

    def ancestors(self, i: Any) -> Iterator[tuple[Body, Body]]:
        return self._loop()

    # ---- reading and writing

    def fresh(self, n: int) -> list[Traced]:
        """n numbers that are read here; they remember in which iteration."""
        self.reads += 1
        return [self.recorder.add("read", attr=(self.reads, k, self.open[-1])) for k in range(n)]

    def check(self, values: list[Any]) -> None:
        """Refuse values that were read in an iteration that is over."""
        nodes = self.recorder.nodes
        for k in reachable(nodes, (x.id for x in values if isinstance(x, Traced))):
            if nodes[k].op == "read" and nodes[k].attr[2] not in self.open:
                raise TypeError("a value of one iteration is used in another: keep it in a slot or a cell")

    # ---- the model's tables

    def joint(self, i: Body) -> Joint:
        if i.joint is None:
            raise TypeError("the joint of a body that is not the loop's own")
        return type(i.joint).from_parameters(self.fresh(len(i.joint.parameters)))

    def placement(self, i: Body) -> Transform:
        return Transform.from_components(self.fresh(12))

    def inertia(self, i: Body) -> Inertia:
        return Inertia.from_components(self.fresh(10))

    def rotor_inertia(self, i: Body) -> Matrix:
        return Matrix.diagonal(self.fresh(self.joint(i).nv))

    def damping(self, i: Body) -> Vector:
        return Vector(self.fresh(self.joint(i).nv))

    friction = stiffness = damping

    def rest(self, i: Body) -> Vector:
        return Vector(self.fresh(self.joint(i).nq))

    # ---- places and views

    def slots(self, kind: type, base: Any = None) -> Slots:
        return Slots(self, kind)

    def cell(self, start: Any) -> Cell:
        return Cell(self, start)

    def output(self) -> Sink:
        return Sink(self)

    matrix_output = motions_output = forces_output = points_output = output

    def positions(self, q: Any) -> View:
        return View(self, "nq")

    def velocities(self, x: Any, name: str = "qd") -> View:
        return View(self, "nv")

    def forces(self, f: Any) -> View:
        return View(self, "force")


class Slots:
    def __init__(self, tree: SymbolicTree, kind: Any) -> None:
        self.tree, self.kind = tree, kind

    def __setitem__(self, i: Any, value: Any) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(f"these slots hold {self.kind.__name__}, not {type(value).__name__}")
        self.tree.check(value.components())

    def __getitem__(self, i: Any) -> Any:
        joint = getattr(i, "joint", None)
        if joint is None and self.kind.size(1) != self.kind.size(2):
            raise TypeError(f"the size of a {self.kind.__name__} is not known at a body whose joint is not known")
        return self.kind.from_components(self.tree.fresh(self.kind.size(joint.nv if joint else 1)))


class Cell:
    def __init__(self, tree: SymbolicTree, start: Any) -> None:
        self.tree, self.value = tree, start

    @property
    def now(self) -> Any:
        """A fresh value of the same kind: what the last iteration left."""
        components = getattr(self.value, "components", None)
        if components is None:
            return self.tree.fresh(1)[0]
        return type(self.value).from_components(self.tree.fresh(len(components())))

    @now.setter
    def now(self, value: Any) -> None:
        self.tree.check(value.components() if hasattr(value, "components") else [value])


class Sink:
    def __init__(self, tree: SymbolicTree) -> None:
        self.tree = tree

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = [value] if hasattr(value, "components") else list(value)
        self.tree.check([x for part in parts for x in part.components()])


class View:
    def __init__(self, tree: SymbolicTree, what: str) -> None:
        self.tree, self.what = tree, what

    def __getitem__(self, i: Body) -> Any:
        if self.what == "force":
            return Force.from_components(self.tree.fresh(6))
        return Vector(self.tree.fresh(getattr(self.tree.joint(i), self.what)))
