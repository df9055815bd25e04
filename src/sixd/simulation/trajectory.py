"""The record of a simulation: states over time, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ArgumentError, ModelError, OutOfRangeError, ShapeError, SimulationError
from sixd.process.forks import cached_property
from sixd.robot import Robot
from sixd.runtime.arguments import real_numbers
from sixd.simulation.balance import balance_of, check_balance, is_driven
from sixd.simulation.columns import columns_of
from sixd.simulation.contact.power import contact_power
from sixd.simulation.events import Happening, happened_in
from sixd.simulation.numbers import evaluate, numbers_of_records
from sixd.simulation.observe import observe
from sixd.simulation.parted import Pace
from sixd.simulation.paused import Paused
from sixd.simulation.resample import resampled
from sixd.simulation.setup import Setup, whole_steps

if TYPE_CHECKING:
    from sixd.simulation.compare import Comparison

__all__ = ["JointMotion", "Trajectory"]

Array = NDArray[Any]


class JointMotion(NamedTuple):
    """The motion of one joint: position (..., T, nq of the joint), velocity and force (..., T, nv of the joint)."""

    q: Array
    qd: Array
    tau: Array


def _axes_of(index: Any) -> int:
    """The number of batch axes that one of several indices is for."""
    if index is None or index is Ellipsis or isinstance(index, bool):
        raise ArgumentError(f"samples are chosen by numbers, slices or arrays of them, not by {given.described(index)}")
    return index.ndim if isinstance(index, np.ndarray) and index.dtype == np.bool_ else 1


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """States of a robot over time: ``t`` (T,) in seconds, ``q`` (..., T, nq), ``qd`` (..., T, nv); batch axes first.

    Energies, forces and all else that follows from the states are those of each sample with its own `parameters`.
    """

    setup: Setup
    t: Array
    q: Array
    qd: Array
    #: The work that each of ``sources`` has done since the start, (..., T, sources), J; None if it was not added up.
    summed: Array | None = None
    #: What a Python controller answered, (..., T, nv).
    answered: Array | None = None
    #: What the run goes on from: the state at the very end, exactly; it need not be on record. None for parts of a run.
    last: Mapping[str, Array] | Paused | None = None
    #: The number of steps since the beginning of time, and after how many steps there is a record. If steps are of
    #: variable length, that of times dt up to the last record.
    span: tuple[int, int | None] = (0, 1)
    #: Why the run ended early; empty if it did not.
    ended: str = ""
    #: Whether it stopped for all samples before its end: it was interrupted, or a controller or an event failed.
    stopped: bool = False
    #: The events that took place, in the order of time.
    happened: tuple[Happening, ...] = ()
    #: What rigid contact handed on, (..., T, numbers); None without it.
    touched: Array | None = None
    #: The samples that left the finite numbers, by their number in the flattened batch: when, and why.
    lost: Mapping[int, tuple[float, str]] = field(default_factory=dict)

    # ---- what it is of

    @property
    def robot(self) -> Robot:
        """The robot that moved."""
        return self.setup.robot

    @property
    def dt(self) -> float:
        """The step of the integrator, s."""
        return self.setup.dt

    @property
    def integrator(self) -> str:
        """The integrator by name."""
        return self.setup.integrator

    @property
    def most_parts(self) -> Array | None:
        """The most attempts that a step of each sample took, (...), if steps were made in parts; of a whole run."""
        if not isinstance(self.last, Mapping) or "pace" not in self.last:
            return None
        return np.asarray(self.last["pace"][..., Pace._fields.index("most")])

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of forces, in the order of ``work``."""
        return self.setup.sources

    @property
    def finished(self) -> bool:
        """Whether the run went to its end, with finite numbers in all samples."""
        return not self.ended

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        batch = "" if self.q.ndim == 2 else f" x {' x '.join(map(str, self.q.shape[:-2]))} samples"
        state = f"; {self.ended}" if self.ended else ""
        times = f", {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else ""
        return f"<Trajectory of {self.robot.name}: {len(self)} states{batch}{times}, by {self.integrator}{state}>"

    # ---- parts of it

    def joint(self, name: str) -> JointMotion:
        """The motion of one joint, by its name.

        A joint that follows another moves in proportion to that one, whose motor moves both: its own force is zero.
        """
        joint = self.robot.joint(name)
        q, qd, tau = self.q[..., joint.q], self.qd[..., joint.v], self.tau[..., joint.v]
        if joint.mimic is None:
            return JointMotion(q, qd, tau)
        ratio, offset = joint.mimic.ratio, joint.mimic.offset
        same = (ratio, offset) == (1.0, 0.0)  # also of several coordinates, which may be no vector
        return JointMotion(q if same else ratio * q + offset, qd if same else ratio * qd, np.zeros_like(tau))

    def __getitem__(self, which: Any) -> Trajectory:
        """The records ``which``: a slice, or an array of numbers or switches along the axis of time.

        Of the events, those from its first to its last time.
        """
        if isinstance(which, tuple) or (not isinstance(which, slice) and np.ndim(which) != 1):
            raise ArgumentError(
                f"a trajectory is cut along time by a slice or a list, as trajectory[10:20], not by "
                f"{given.described(which)}; for samples use trajectory.sample(k)"
            )
        try:
            t = self.t[which]
        except (IndexError, TypeError, ValueError) as error:
            raise OutOfRangeError(f"{error}: the trajectory has {len(self)} states") from None
        return self._with(t, lambda x: x[..., which, :])

    def between(self, start: float, end: float) -> Trajectory:
        """The records from ``start`` to ``end``, in seconds, both included."""
        first, last = given.number(start, "start"), given.number(end, "end")
        if not first <= last:
            raise ModelError(f"start = {first:g} s must not be after end = {last:g} s")
        return self[(self.t >= first) & (self.t <= last)]

    def sample(self, *index: Any) -> Trajectory:
        """One sample of a batch, or some: what an array of the batch axes gives for this index.

        Events are those of these samples, and the run ended early if one of them did not go on.
        """
        axes = self.q.ndim - 2
        if not axes:
            raise ArgumentError("the trajectory is that of one sample, not a batch: use it as it is")
        if not index or sum(map(_axes_of, index)) > axes:
            raise ArgumentError(f"the trajectory has {axes} batch axes, so give 1 to {axes} numbers, not {len(index)}")
        try:
            found = self._with(self.t, lambda x: x[index])
        except (IndexError, TypeError, ValueError) as error:
            raise OutOfRangeError(f"{error}: the batch is {self.q.shape[:-2]}") from None
        return replace(found, setup=self.setup.of_sample(index, self.q.shape[:-2]), **self._fate(index))

    def _fate(self, index: tuple[Any, ...]) -> dict[str, Any]:
        """What happened to some samples, by their new numbers, and why their run ended early."""
        lead = self.q.shape[:-2]
        numbers = np.arange(prod(lead)).reshape(lead)[index].ravel().tolist()
        lost = {new: self.lost[old] for new, old in enumerate(numbers) if old in self.lost}
        happened = [x._replace(sample=new) for new, old in enumerate(numbers) for x in self.happened if x.sample == old]
        fine = not (lost or self.stopped)
        return {
            "lost": lost,
            "happened": tuple(sorted(happened, key=lambda x: (x.time, x.sample))),
            "ended": "" if fine else self.ended,
        }

    def _with(self, t: Array, part: Callable[[Array], Array]) -> Trajectory:
        """The same with a part of every array."""
        arrays: dict[str, Any] = {}
        for name in ("q", "qd", "summed", "answered", "touched"):
            array = getattr(self, name)
            arrays[name] = None if array is None else part(array)
        return replace(self, t=t, last=None, happened=happened_in(self.happened, t), **arrays)

    def resample(self, t: ArrayLike) -> Trajectory:
        """The motion at other times within the run, (M,).

        Between two records, positions follow the cubic curve in the tangent space that has their positions and
        velocities, and velocities are its rate: the error is of fourth and third order in the time between records.
        Work and forces of rigid contact are interpolated linearly. What a Python controller answered holds from record
        to record.
        """
        times = real_numbers("t", t)
        if times.ndim != 1 or not np.isfinite(times).all():
            raise ShapeError(f"t must be a row of finite times, not an array of shape {times.shape}")
        if len(self) < 2 or not (np.diff(self.t) > 0.0).all():
            raise ModelError("only a trajectory of several records, in the order of time, can be resampled")
        if times.size and not (self.t[0] <= times.min() and times.max() <= self.t[-1]):
            raise ModelError(f"t must lie within the trajectory, {self.t[0]:g} to {self.t[-1]:g} s")
        return resampled(self, times)

    # ---- what follows from it

    @property
    def work(self) -> Array | None:
        """The work that each of ``sources`` has done since the start, (..., T, sources), J; None without ``books``."""
        return self.summed if self.setup.books else None

    @cached_property
    def tau(self) -> Array:
        """The joint forces of motors and controllers at each record, (..., T, nv), N m or N."""
        return self.answered if self.answered is not None else observe(self.setup, self, "tau")

    @cached_property
    def kinetic_energy(self) -> Array:
        """(..., T), J."""
        return self._evaluate(algorithms.kinetic_energy, self.q, self.qd)

    @cached_property
    def potential_energy(self) -> Array:
        """Of gravity, and what force elements store, (..., T), J."""
        return self._lifted + observe(self.setup, self, "energy")

    @property
    def mechanical_energy(self) -> Array:
        """Of the robot alone, kinetic and of gravity, (..., T), J: what the ``work`` of all sources changes."""
        return self.kinetic_energy + self._lifted

    @cached_property
    def energy_error(self) -> Array | None:
        """The energy that came from nothing, or was lost to nothing if it is negative, (..., T), J.

        That is the change of `mechanical_energy` less the work of all sources, and what springs and the like gave
        beyond, or short of, what they had stored: an error of the steps (`sixd.simulation.balance`). What dampers,
        friction and contact take away is no error. None where that is not known: without books, with ``energy_check``
        "off", on a moving base, and where constraints drive.
        """
        found = None if is_driven(self.setup) else balance_of(self)
        return None if found is None else found.error

    @cached_property
    def _lifted(self) -> Array:
        """The potential energy of gravity, (..., T), J."""
        return self._evaluate(algorithms.potential_energy, self.q)

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy, with what force elements and the ground store, (..., T), J."""
        return self.kinetic_energy + self.potential_energy

    @cached_property
    def power(self) -> Array:
        """The work per time of each of ``sources``, (..., T, sources), W."""
        found = observe(self.setup, self, "power")
        if self.touched is None:
            return found
        contact = contact_power(self.setup, self.q, self.qd, self.touched)
        return np.concatenate([found, contact[..., None]], axis=-1)

    @property
    def contact_names(self) -> tuple[str, ...]:
        """The sites that can touch the ground, in the order of ``contact_forces``."""
        return () if self.setup.contacts is None else self.setup.contacts.names(self.robot)

    @cached_property
    def contact_forces(self) -> Array:
        """The force of the ground on each site, along the world's axes, (..., T, sites, 3), N.

        For compliant contact it is that at each record; for rigid contact, the mean over the step that ends there.
        """
        sites = len(self.contact_names)
        if not sites:
            return np.zeros((*self.q.shape[:-1], 0, 3))
        found = self.touched[..., : 3 * sites] if self.touched is not None else observe(self.setup, self, "contact")
        return found.reshape(*self.q.shape[:-1], sites, 3)

    @cached_property
    def contact_points(self) -> Array:
        """Where the sites are nearest to the ground, in the world, (..., T, sites, 3), m."""
        sites = len(self.contact_names)
        if not sites:
            return np.zeros((*self.q.shape[:-1], 0, 3))
        return observe(self.setup, self, "points").reshape(*self.q.shape[:-1], sites, 3)

    @cached_property
    def center_of_mass(self) -> Array:
        """In the world, (..., T, 3), m; relative to the base if a `MovingBase` moves it, as q is."""
        return self._evaluate(algorithms.center_of_mass, self.q)

    def _evaluate(self, algorithm: Any, *states: Array) -> Array:
        """An algorithm at the records, each sample with its own parameters."""
        return evaluate(self.robot, algorithm, numbers_of_records(self.setup), *states)

    def resume(self, duration: float) -> Trajectory:
        """Go on from the end for a time: the whole motion, the same to the bit as in one run.

        The time is counted from the last record. Steps of variable length end with the run; where a longer run would
        not have ended them they are made again.
        """
        from sixd.simulation.adaptive import resume_adaptive
        from sixd.simulation.run import Run

        if self.last is None:
            raise ArgumentError(
                "only a whole run can go on: this trajectory was cut or resampled, or an event ended it; simulate anew "
                "from its last state"
            )
        self.setup.need_unchanged()
        made, record = self.span
        end = round(float(self.t[-1]) / self.dt) + whole_steps(duration, self.dt)
        if isinstance(self.last, Paused):
            return resume_adaptive(self, self.last, end)
        if end < made:
            raise ArgumentError(
                f"the run was interrupted at t = {made * self.dt:g} s, from where it goes on: it cannot end at "
                f"{end * self.dt:g} s, the least is resume({made * self.dt - self.t[-1]:g})"
            )
        try:
            run = Run(self.setup, self.last, end - made, record, self)
            later = run.go()
        except SimulationError as error:
            if isinstance(error.trajectory, Trajectory):
                error.trajectory = self._joined(error.trajectory)
            raise
        start = {name: self.last[name] for name in ("q", "qd", "work") if name in self.last}
        return check_balance(self._joined(later), start, run.replay)

    def _joined(self, later: Trajectory) -> Trajectory:
        """The records of this run and of one that goes on from its end."""
        made, record = self.span
        if record is None:
            return later
        # The start of the later run stands for the end of this one; where it is no record of one run it is left out.
        known, first = -(-made // record), 1 if made % record else 0
        joined: dict[str, Any] = {"t": np.concatenate([self.t[:known], later.t[first:]])}
        for name in ("q", "qd", "summed", "answered", "touched"):
            one, two = getattr(self, name), getattr(later, name)
            parts = None if one is None else (one[..., :known, :], two[..., first:, :])
            joined[name] = None if parts is None else np.concatenate(parts, axis=-2)
        return replace(later, **joined)

    # ---- tables and files

    @property
    def columns(self) -> dict[str, Array]:
        """The motion as a table: "t", then "q_elbow", "qd_elbow", "tau_elbow", ..., each (..., T)."""
        return columns_of(self)

    def to_pandas(self) -> Any:
        """A table of pandas with a row for each state; of one sample."""
        from sixd.simulation.files import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> Any:
        """A data set of xarray: q, qd and tau by time and coordinate, work by source, with batch axes."""
        from sixd.simulation.files import to_xarray

        return to_xarray(self)

    def save(self, path: str | Path) -> None:
        """Write the motion to a file: .npz (arrays), .csv or .parquet (a table; one sample only)."""
        from sixd.simulation.files import save

        save(self, path)

    def plot(self, joints: Any = None) -> Any:
        """Positions, velocities and forces over time, with names and units: a figure of matplotlib."""
        from sixd.simulation.plots import plot

        return plot(self, joints)

    def show(self, **options: Any) -> Any:
        """Play the motion beside its curves on a live page in the browser; options are those of `sixd.view.show`."""
        from sixd.simulation.pictures import show

        return show(self, **options)

    def save_html(self, path: str | Path, **options: Any) -> None:
        """Write one HTML file that plays the motion beside its curves, without a network.

        Options are those of `sixd.view.save_html`; curves by default are positions, speeds and forces of joints, and
        energies; of robots that travel also the centre of mass.
        """
        from sixd.simulation.pictures import save_html

        save_html(self, path, **options)

    def save_gif(self, path: str | Path, **options: Any) -> None:
        """Write the motion as moving pictures; options are those of `sixd.view.save_gif`."""
        from sixd.simulation.pictures import save_gif

        save_gif(self, path, **options)

    def compare(self, other: Trajectory) -> Comparison:
        """How far another motion of the same robot is from this one: print it."""
        from sixd.simulation.compare import compare

        given.instance(other, "other", Trajectory, "a result of sixd.simulate")
        return compare(self, other)
