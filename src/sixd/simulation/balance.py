"""Whether a run has energy that nothing gave: an error of its steps, and a sign that they are too long.

The work of every source of forces is added up in the compiled loop. What the robot has, T + V, changes by the work of
all sources. What a spring, a stop or the ground gives must have been stored in it before:

    T + V - (T + V)_0 - sum_i W_i = 0,        W_i + U_i - U_i0  = 0 if element i is conservative, <= 0 if it is passive

with W_i the work since the start, and U_i the energy that is stored in the element. Steps that are short enough keep
both to their order. What motors, controllers and active elements give is their work, whatever that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.errors import SimulationError, SimulationWarning
from sixd.process.told import warn
from sixd.simulation.closed import TARGETS
from sixd.simulation.content import is_of_sixd
from sixd.simulation.forces.element import moves_base
from sixd.simulation.observe import observe
from sixd.simulation.parted import MANY
from sixd.simulation.setup import Setup

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["CHECKS", "LOOKS", "Balance", "balance_of", "check_balance", "is_driven"]

Array = NDArray[Any]
#: Runs one sample again, by its index.
Replay = Callable[[tuple[int, ...]], "Trajectory"]
#: What may be done about energy that came from nothing.
CHECKS = ("warn", "strict", "off")
#: So much of the energy that moves in a run may come from nothing for a while: for an eighth of the run, and at any one
#: time. Steps of low order take a part of it back and forth with every oscillation.
LASTING, ONCE = 0.04, 0.25
#: A fall from rest in n steps of a method of first order is wrong by 1 / n, however short they are: so much may be.
SHORT = 1.2
#: Less than this is no energy, J/kg: that of a robot that moves at some millimetres a second.
FLOOR = 1e-5
#: At most so many records of a sample are looked at; at least so many of one sample, and of each of a batch.
LOOKS, LEAST, LEAST_OF_BATCH = 200, 50, 4
#: The golden section, whose multiples are spread evenly between whole numbers.
GOLDEN = 0.6180339887498949
#: So many samples that look wrong at a few records are run again, to look at more of them.
AGAIN = 3


class Balance(NamedTuple):
    """Where the energy of a run came from, at each record, (..., T), J."""

    #: What the steps themselves have added, beside the work of all sources.
    steps: Array
    #: What each source has given beyond what had been stored in it, (..., T, sources); 0 for sources that may do so.
    sources: Array
    #: The energy that moves in the run: the largest of kinetic, lifted and stored energy and of works.
    scale: Array

    def of_sample(self, sample: tuple[int, ...]) -> Balance:
        """That of one sample of a batch."""
        return Balance(*(x[sample] for x in self))

    @property
    def error(self) -> Array:
        """All that came from nothing, or was lost to nothing."""
        return np.asarray(self.steps + self.sources.sum(axis=-1))


def balance_of(run: Trajectory, fresh: bool = False) -> Balance | None:
    """The balance of a run from its first record on; None without works. ``fresh`` is that of `observe`.

    Where a base moves or constraints drive, what they give is not known: then only what elements gave is balanced, and
    of a base that moves also to those that act on bodies.
    """
    setup, summed = run.setup, run.summed
    if summed is None or not len(run):
        return None
    found = observe(setup, run, "energies", fresh)
    with np.errstate(invalid="ignore", over="ignore"):
        change, work = found - found[..., :1, :], summed - summed[..., :1, :]
        steps = np.zeros(work.shape[:-1]) if is_driven(setup) else change[..., 0] + change[..., 1] - work.sum(axis=-1)
        stored = np.zeros_like(work)
        stored[..., 1 : 1 + len(setup.step.elements)] = change[..., 2:]
        gained, laws = work + stored, _laws(setup)
        gained[..., [law == "active" for law in laws]] = 0.0
        if moves_base(setup.step.elements):
            on_bodies = [not element.acts_on_joints for element in setup.step.elements]
            gained[..., 1 : 1 + len(on_bodies)][..., on_bodies] = 0.0
        passive = np.array([law == "passive" for law in laws])
        gained[..., passive] = np.maximum(gained[..., passive], 0.0)
        moving = np.abs(np.concatenate([found[..., :1], change[..., 1:], work], axis=-1)).max(axis=-1)
    moving = np.where(np.isfinite(moving), moving, 0.0).max(axis=-1, keepdims=True)
    return Balance(steps, gained, np.broadcast_to(moving, steps.shape))


def is_driven(setup: Setup) -> bool:
    """Whether the base, or targets of constraints, move the robot."""
    return moves_base(setup.step.elements) or TARGETS in dict(setup.step.inputs)


def _laws(setup: Setup) -> list[str]:
    """What each source does with energy (`sixd.simulation.forces.element.EnergyLaw`)."""
    impulses = setup.step.impulses
    rigid = [] if impulses is None else [impulses.law.energy_law]
    return ["active", *(element.law for element in setup.step.elements), *rigid]


def check_balance(run: Trajectory, start: Mapping[str, Array], replay: Replay | None = None) -> Trajectory:
    """The run, after a warning or an error (`Setup.energy_check`) if it has energy that nothing gave.

    Some of its records are looked at, and the state at its ``start``, (..., nq) and (..., nv) by name. Where these are
    few, as of large batches and of runs without records, what looks wrong is run again with more of them: ``replay``.
    """
    setup = run.setup
    if setup.energy_check == "off" or not run.q.size:
        return run
    looked = _looked_at(run, start)
    found = balance_of(looked, fresh=True)
    if found is None:
        return run
    excess = _excess(looked, found, run.span[0])
    excess.reshape(-1, len(looked))[list(run.lost)] = 0.0  # that is said already
    worst = np.array(excess.max(axis=-1))
    for _ in range(AGAIN):
        sample = tuple(map(int, np.unravel_index(int(np.argmax(worst)), worst.shape)))
        if not worst[sample] > 1.0:
            return run
        one, its, over = looked, found.of_sample(sample), excess[sample]
        if replay is not None and setup.outside is None and len(looked) < min(LEAST, run.span[0]):
            one = _looked_at(replay(sample), {})
            again = balance_of(one, fresh=True)
            assert again is not None
            its, over = again, _excess(one, again, one.span[0])
        if over.max() > 1.0:
            since = float(one.t[int(np.argmax(over > 1.0))])
            text = _text(run, its, sample, since)
            if setup.energy_check == "strict":
                raise SimulationError(text, since, run)
            warn(SimulationWarning(text))
            return run
        worst[sample] = 0.0
    return run


def _excess(run: Trajectory, found: Balance, steps: int) -> Array:
    """How many times more energy than allowed came from nothing, at each record, (..., T); 1 is just allowed."""
    kind, number = run.setup.step.integrator, max(len(run) // 8, 1)
    short = SHORT / max(steps, 1) if kind.order == 1 else 0.0
    nothing = FLOOR * run.robot.mass
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(found.error, 0.0) if kind.damps else np.abs(found.error)
        allowed = max(LASTING, short) * found.scale + nothing
        if not (size > allowed).any():
            return np.zeros(size.shape)
        excess = size / (max(ONCE, short) * found.scale + nothing)
        lasting = np.maximum(
            _least_ahead(found.error, number), 0.0 if kind.damps else _least_ahead(-found.error, number)
        )
        # At the end, how long it lasts is not known: the less there is to see, the more is allowed.
        ahead = np.minimum(np.arange(len(run))[::-1] / number, 1.0)
        looser = (ONCE / LASTING) ** (1.0 - ahead)
        excess = np.maximum(excess, lasting / (allowed * looser))
    excess = np.where(np.isfinite(excess), excess, 0.0)
    if run.setup.step.impulses is not None and excess.max() > 1.0:
        excess[(found.error > 0.0) & (found.error <= _lift(run)[..., None])] = 0.0
    return excess


def _least_ahead(x: Array, number: int) -> Array:
    """The least of each entry and the ``number`` of those after it, along the last axis; of fewer at the end."""
    end = np.concatenate([x, np.full((*x.shape[:-1], number), np.inf)], axis=-1)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(end, number + 1, axis=-1).min(axis=-1))


def _lift(run: Trajectory) -> Array:
    """The energy by which rigid contact lifts robots that begin in the ground: weight times depth, (...), J."""
    weight = run.robot.mass * float(np.linalg.norm(run.robot.gravity))
    gaps = observe(run.setup, run[[0]], "gaps")
    return np.asarray(1.1 * weight * np.maximum(-gaps.min(axis=(-2, -1)), 0.0))


def _looked_at(run: Trajectory, start: Mapping[str, Array]) -> Trajectory:
    """Some of the records, spread evenly from the first to the last; and the start, if that is not on record."""
    least = LEAST if run.q[..., 0, 0].size == 1 else LEAST_OF_BATCH
    number = min(max(len(run) // 25, least), LOOKS)
    # At uneven distances: even ones may be in step with an oscillation.
    k = np.arange(min(number, len(run)))
    uneven = (k + k * GOLDEN % 1.0) * len(run) / max(len(k), 1)
    which = np.unique(np.concatenate([[0], uneven.astype(int), [len(run) - 1]]).clip(0, len(run) - 1))
    some = run if len(which) == len(run) else run[which]
    if run.span[1] is not None:
        return some

    def joined(first: Array, rest: Array) -> Array:
        begin = np.broadcast_to(first[..., None, :], (*rest.shape[:-2], 1, rest.shape[-1]))
        return np.concatenate([begin, rest], axis=-2)

    q, qd = joined(start["q"], some.q), joined(start["qd"], some.qd)
    summed = None if some.summed is None else joined(start["work"], some.summed)
    return replace(some, t=np.concatenate([[0.0], some.t]), q=q, qd=qd, summed=summed)


def _text(run: Trajectory, found: Balance, sample: tuple[int, ...], since: float) -> str:
    """What is wrong in the balance of a sample, since when, and what to do."""
    kind, setup = run.setup.step.integrator, run.setup
    k = int(np.nanargmax(np.abs(found.error)))
    error, scale = float(found.error[k]), float(found.scale[k])
    each = np.array([found.steps[k], *found.sources[k]])
    source = int(np.argmax(each if error > 0.0 else -each))
    where = f" at {setup.sources[source - 1]!r}" if source else ""
    which = f" of sample {sample}" if sample else ""
    happened = f"has {error:.3g} J that nothing gave" if error > 0.0 else f"lost {-error:.3g} J that nothing took"
    if run.most_parts is not None and run.most_parts[sample] > MANY and kind.takes_tolerances:
        remedy = (
            "take a smaller dt, since its steps have so many parts that they do not keep to rtol and atol if forces "
            "jump; of a force element, give dry friction by `dry_friction`, as JointFriction does"
        )
    elif kind.takes_tolerances:
        remedy = "give smaller rtol and atol"
    elif setup.step.impulses is not None or kind.estimates:
        remedy = "take a smaller dt"
    elif setup.whole:
        remedy = "take a smaller dt, or integrator='implicit'"
    else:
        remedy = f"leave out integrator={kind.name!r}, or take a smaller dt"
    element = setup.step.elements[source - 2] if 1 < source < 2 + len(setup.step.elements) else None
    if element is not None and not is_of_sixd(type(element)):
        remedy += f"; or the law {element.law!r} or the energy() of {type(element).__name__} is not that of its forces"
    if not is_of_sixd(type(kind)) and run.summed is not None and not run.summed[sample].any():
        remedy += f"; or the step() of {type(kind).__name__} does not add up the work of the forces"
    return (
        f"the motion{which} {happened}, of {scale:.3g} J that move; from t = {since:g} s on the steps by "
        f"{kind.name!r} with dt = {setup.dt:g} s are not exact enough{where}: {remedy}"
    )
