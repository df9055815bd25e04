"""One step of a simulation as a function of arrays, which the compiler turns into a rollout."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Signature
from keyword import iskeyword
from types import MappingProxyType
from typing import Any

from sixd.compiler.parameters import PARAMETERS
from sixd.compiler.rollout import Rollout
from sixd.compiler.steady import leaving
from sixd.errors import ChoiceError, ModelError, ShapeError
from sixd.ir import UnsteadyError
from sixd.model import Model
from sixd.ops import where
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.content import Computing, Reader, UnknownError, content, titled
from sixd.simulation.controllers.controller import Controller, joint_forces
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.integrators.integrator import Attempted, Integrator, Swept
from sixd.simulation.kept import kept_rollout
from sixd.simulation.moment import Loads, Moment, sample_moment
from sixd.simulation.parted import PACE, Pace, attempt_part
from sixd.simulation.signatures import signature_of
from sixd.simulation.system import State, System, array_of
from sixd.spatial import Matrix, Motion, Transform, Vector

__all__ = ["Step", "friction_rows", "inputs_of", "rollout_of"]


#: What arguments of steps are called, forward and backward, and of the functions that run them.
RESERVED = frozenset(
    {"model", "self", "q", "qd", "qdd", "tau", "f_ext", "work", "power", "contact", "targets"}
    | {
        "t",
        "h",
        "dt",
        "n",
        "n0",
        "t0",
        "pace",
        "sought",
        "done",
        "t_held",
        "t_end",
        "longest",
        "rtol",
        "atol",
        "made",
        "length",
        "dense",
    }
    | {"q0", "qd0", "q_ref", "q_bar", "qd_bar", "dq0", "dqd0", "dtau", "change", "cotangent", "bar"}
    | set(PARAMETERS)
)


@dataclass(frozen=True)
class Step(Computing):
    """One step of time: ``step(model, q, qd, work, contact, tau, t0, dt, n0, n, **inputs)``; or, if the integrator
    composes its steps of several, one of these: ``step(model, q, qd, work, contact, tau, t, h, **inputs)``; or, if it
    estimates its error, an attempt of a part of a step (`sixd.simulation.parted`): ``step(model, q, qd, work, pace,
    tau, t0, dt, n0, n, rtol, atol, done, **inputs)``; or, if it solves equations, a sweep: with sought for pace.

    q, qd, work and contact are the state, work only with ``books``, contact only with ``impulses``. tau are joint
    forces given from outside. Step n of a rollout begins at time t0 + (n0 + n) dt. Two equal steps compute the same.
    """

    integrator: Integrator
    controller: Controller | None = None
    elements: tuple[ForceElement, ...] = ()
    #: The inputs of the controller and of the elements, and their shapes.
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()
    #: Whether the work of each source of forces is added up.
    books: bool = False
    #: Rigid contact, and how many numbers it hands on from step to step.
    impulses: Contacts | None = None
    memory: int = 0
    #: Whether states are led back to the constraints of a closed robot after each step.
    projected: bool = False
    #: How many numbers the sweeps of a step hand on; 0 if steps are made at once.
    sought: int = 0

    @property
    def __name__(self) -> str:
        return f"step_{self.integrator.name}"

    @property
    def __signature__(self) -> Signature:
        done = () if self.until is None else (self.until[0],)
        return signature_of(*self.carried, "tau", *self.timing, *done, *dict(self.inputs))

    @property
    def carried(self) -> dict[str, str]:
        """The arguments that are the state, and the results that are their next values."""
        names = ["q", "qd", *(["work"] if self.books else []), *(["contact"] if self.impulses is not None else [])]
        names += ["pace"] if self.integrator.estimates else ["sought"] if self.sought else []
        return {name: f"{name}_next" for name in names}

    @property
    def recorded(self) -> dict[str, str]:
        """Those of them that are the state of the robot and what acts on it: what is worth a record."""
        return {name: after for name, after in self.carried.items() if name not in ("pace", "sought")}

    @property
    def until(self) -> tuple[str, str] | None:
        """The argument and the result that tell whether a step is done, if it may take several parts or sweeps."""
        return ("done", "done_next") if self.integrator.estimates or self.sought else None

    @property
    def timing(self) -> tuple[str, ...]:
        """The arguments that tell the time: where a step begins and how long it is, or how to compute that."""
        if self.integrator.shares != (1.0,):
            return ("t", "h")
        return ("t0", "dt", "n0", "n", *(("rtol", "atol") if self.integrator.takes_tolerances else ()))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arguments that the model does not tell."""
        own: dict[str, tuple[int, ...]] = {**dict.fromkeys(self.timing, ()), **dict(self.inputs)}
        state = {"work": (self.sources,), "contact": (self.memory,), "pace": (PACE,), "sought": (self.sought,)}
        own |= {} if self.until is None else {self.until[0]: ()}
        return {**own, **{name: shape for name, shape in state.items() if name in self.carried}}

    @property
    def sources(self) -> int:
        """The number of sources of forces: motors, each element, and rigid contact."""
        return 1 + len(self.elements) + (self.impulses is not None)

    def __call__(self, model: Model, q: Any, qd: Any, tau: Any, work: Any = (), contact: Any = (), **more: Any) -> Any:
        times = [more.pop(name) for name in self.timing]
        state = State(list(q), list(qd), list(work), list(contact))
        t, h, *tolerances = times
        if len(times) > 2:
            t0, h, n0, n, *tolerances = times
            t = t0 + (n0 + n) * h
        if self.until is None:
            return self._results(self.after(model, state, tau, t, h, more))
        done = more.pop(self.until[0])
        if self.sought:
            sought = more.pop("sought")
            swept = self._swept(self._system(model, tau, more, t), t, h, state, sought, done)
            return self._results(swept.state, sought=swept.sought, more={self.until[1]: swept.done})
        pace = Pace(*more.pop("pace"))
        system = self._system(model, tau, more, t)

        def attempt(elapsed: Any, length: Any, slack: Any) -> Attempted:
            allowed = [where(x < slack, slack, x) for x in tolerances]
            tried = self.integrator.attempt(system, t + elapsed, state, length, allowed)
            return tried._replace(state=system.kept(t + elapsed + length, tried.state)) if self.projected else tried

        after, pace, done = attempt_part(attempt, state, pace, h, done)
        return self._results(after, pace, more={self.until[1]: done})

    def _swept(self, system: System, t: Any, h: Any, state: State, sought: Sequence[Any], done: Any) -> Swept:
        """The next sweep; nothing changes if the step was ``done`` before: then other samples are not."""
        swept = self.integrator.sweep(system, t, state, sought, h)
        after = system.kept(t + h, swept.state) if self.projected else swept.state
        waits = done > 0.5
        ends = where(waits, 0.0, swept.done) > 0.5
        new = State(*([where(ends, a, b) for a, b in zip(*x, strict=True)] for x in zip(after, state, strict=True)))
        handed_on = [where(waits, a, b) for a, b in zip(sought, swept.sought, strict=True)]
        return Swept(new, handed_on, where(waits, 1.0, swept.done))

    def _system(self, model: Model, tau: Any, inputs: Mapping[str, Any], t: Any) -> System:
        return System(model, tau, self.controller, self.elements, inputs, self.books, self.impulses, t)

    def _results(
        self,
        after: State,
        pace: Sequence[Any] = (),
        sought: Sequence[Any] = (),
        more: Mapping[str, Any] = MappingProxyType({}),
    ) -> Any:
        """What is carried on, as a named tuple."""
        found = {"q": after.q, "qd": after.qd, "work": after.work, "contact": after.memory}
        found |= {"pace": list(pace), "sought": list(sought)}
        results = {name: found[old] for old, name in self.carried.items()} | dict(more)
        return namedtuple("Stepped", results)(**results)

    def content(self, reader: Reader) -> Hashable:
        """What the step computes: by the data of its parts; by a recording of those that users write."""
        known, own = [], []
        for k, part in enumerate((self.controller, *self.elements)):
            try:
                known.append((k, reader.key(part)))
            except UnknownError:
                own.append(k)
        try:
            how = (self.integrator, self.inputs, self.books, self.impulses, self.memory, self.projected)
            key = Step, tuple(known), reader.key(how)
        except UnknownError:  # the integrator, or the law of contact
            law = None if self.impulses is None else self.impulses.law
            parts = (self.controller, *self.elements, self.integrator, law)
            return "whole", reader.recorded(self, self.shapes, [x for x in parts if not reader.knows(x)])
        if not own:
            return key
        shapes, which = {"t": (), **dict(self.inputs)}, tuple(own)
        try:
            return *key, self._recorded(reader, which, False, shapes)
        except _PoseNeeded:
            bodies = reader.model.n_bodies
            shapes |= {"_poses": (bodies, 12), "_velocities": (bodies, 6)}
            return *key, self._recorded(reader, which, True, shapes)

    def _recorded(self, reader: Reader, which: tuple[int, ...], posed: bool, shapes: Mapping[str, Any]) -> str:
        """What some parts do, all together. If that is not the same twice, it is found which one is to blame."""
        parts = (self.controller, *self.elements)
        try:
            return reader.recorded(_Parts(self, which, posed), shapes, [parts[k] for k in which])
        except UnsteadyError:
            for k in which:
                reader.recorded(_Parts(self, (k,), posed), shapes, [parts[k]])
            raise

    @staticmethod
    def is_told_by_parts(content: Hashable) -> bool:
        """Whether a content tells what each part does, energies too, not only what the whole step does."""
        return isinstance(content, tuple) and content[0] is Step

    def need(self, before: Hashable, model: Model, parameters: tuple[str, ...], remedy: str) -> None:
        """Raise if the step no longer computes what it did ``before``, by its `content`."""
        if before != content(self, model, parameters):
            named = ", ".join(repr(part.name) for part in (self.controller, *self.elements) if part is not None)
            raise ModelError(
                f"what this simulation was made of ({named}) computes something else by now, because a variable or an "
                f"attribute that it refers to has changed: {remedy}, or change it back"
            )

    def after(self, model: Model, state: State, tau: Any, t: Any, h: Any, inputs: Mapping[str, Any]) -> State:
        """The state after a step of length h that begins at time t."""
        system = self._system(model, tau, inputs, t)
        after = self.integrator.step(system, t, state, h)
        return system.kept(t + h, after) if self.projected else after


class _PoseNeeded(BaseException):
    """A part asks where bodies are. It is no `Exception`, which a part may catch."""


class _Poseless(Moment):
    """A moment for parts that need the coordinates alone, as most controllers: their recordings are short."""

    @property
    def X_base(self) -> Any:
        raise _PoseNeeded

    @property
    def v_base(self) -> Any:
        raise _PoseNeeded


@dataclass(frozen=True)
class _Parts:
    """All that some parts of a step do at one state: ``f(model, q, qd, t, **inputs)``.

    ``which`` are their numbers: the controller is number 0, elements follow. If it is ``posed``, poses and velocities
    of bodies relative to the base are arguments too: what parts do with them tells the parts apart.
    """

    step: Step
    which: tuple[int, ...]
    posed: bool

    @property
    def __name__(self) -> str:
        return self.step.__name__

    @property
    def __signature__(self) -> Signature:
        more = ("_poses", "_velocities") if self.posed else ()
        return signature_of("q", "qd", "t", *dict(self.step.inputs), *more)

    def __call__(self, model: Model, q: Any, qd: Any, t: Any, **inputs: Any) -> Any:
        controller, elements = self.step.controller, self.step.elements
        base = next((base for element in elements if (base := element.base(t)) is not None), None)
        if self.posed:
            poses, velocities = inputs.pop("_poses"), inputs.pop("_velocities")
            moment = Moment(model, t, list(q), list(qd), inputs, base)
            moment.X_base = moment.tree.slots(Transform, base=Transform.identity())
            moment.v_base = moment.tree.slots(Motion, base=Motion.zero())
            for i, (X, v) in enumerate(zip(poses, velocities, strict=True), start=1):
                moment.X_base[i] = Transform(Matrix((X[0:3], X[3:6], X[6:9])), Vector(X[9:12]))
                moment.v_base[i] = Motion(v[0:3], v[3:6])
        else:
            moment = _Poseless(model, t, list(q), list(qd), inputs, base)
        found: list[Any] = []
        for k in self.which:
            loads, part = Loads(model), controller if k == 0 else elements[k - 1]
            if isinstance(part, ForceElement):
                part.apply(moment, loads)
                found.append(part.energy(moment))
                found += [x for thing in part.base(t) or () for x in thing.components()]
            else:
                assert part is not None
                loads.on_joints(joint_forces(part, moment))
            found += [*loads.tau, *(x for force in loads.bodies for x in force.components())]
            found += [x for row, drag in part.dry_friction(moment).items() for x in (float(row), *drag)]
        return array_of(found)


def rollout_of(
    step: Step, model: Model, stepped: tuple[str, ...], parameters: tuple[str, ...] = (), computed: Hashable = None
) -> Rollout:
    """The rollout of a step for a model, kept for models with the same content.

    ``stepped`` inputs vary from step to step, ``parameters`` of the model from sample to sample. ``computed`` is the
    content of the step for these, if it is known.
    """
    composed = step.timing == ("t", "h")
    return kept_rollout(
        step,
        model,
        computed,
        carried=step.carried,
        stepped=(*stepped, *step.timing) if composed else stepped,
        recorded=tuple(step.recorded.values()),
        until=step.until,
        counter=None if composed else "n",
        shapes=step.shapes,
        parameters=parameters,
    )


def inputs_of(
    controller: Controller | None, model: Model, elements: Sequence[ForceElement] = ()
) -> Mapping[str, tuple[int, ...]]:
    """The inputs that a controller and force elements declare, with their shapes. Parts may share an input."""
    found: dict[str, tuple[int, ...]] = {}
    for part in (*elements, *(() if controller is None else (controller,))):
        for name, shape in part.inputs(model).items():
            _need_free(name, part.name)
            if found.setdefault(name, shape) != shape:
                raise ShapeError(
                    f"the input {name!r} has shape {found[name]} for one part and {shape} for {part.name!r}"
                )
    return found


def _need_free(name: str, part: str) -> None:
    """Raise unless an input can have this name: it becomes an argument of the function that is compiled."""
    if not name.isidentifier() or iskeyword(name) or name.startswith("_"):
        raise ChoiceError(
            f"an input of {part!r} is called {name!r}: use letters, digits and _, with a letter first, and no word of "
            "Python's own"
        )
    if name in RESERVED:
        raise ChoiceError(
            f"an input of {part!r} is called {name!r}, which simulations use for something else: choose another name, "
            f"such as {name + '_input'!r}"
        )


def friction_rows(model: Model, controller: Controller | None, elements: Sequence[ForceElement]) -> int:
    """How many degrees of freedom have dry friction, counted for each source of it."""
    rows = 0
    for part in (*elements, *(() if controller is None else (controller,))):
        with leaving([(titled(part), part)]):
            rows += len(part.dry_friction(sample_moment(model, part.inputs(model))))
    return rows
