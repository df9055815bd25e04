"""Whether a step is short enough for the springs, dampers and controllers of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.robot import ClosedRobot, Robot
from sixd.robot.closed.lapack import pseudo_inverse
from sixd.simulation.moment import Moment
from sixd.simulation.numbers import evaluate
from sixd.simulation.observe import observer
from sixd.simulation.setup import Setup
from sixd.simulation.starts import Starts
from sixd.simulation.step_length import judge_step

__all__ = ["Slopes", "check_friction", "check_stiffness", "slopes_of"]

Array = NDArray[Any]
#: The step of differences, relative to 1 rad or 1 m.
STEP = 1e-6


class Slopes(NamedTuple):
    """The linear systems d/dt (x, v) = (v, A x + B v) that controller and force elements make at S states."""

    A: Array
    B: Array

    @property
    def bounds(self) -> Array:
        """Numbers that no eigenvalue exceeds, (S,): l x l = A x + l B x gives |l|^2 <= |A| + |l| |B|."""
        with np.errstate(over="ignore"):
            a, b = (np.linalg.norm(x, axis=(-2, -1)) for x in self)
            return np.asarray(0.5 * (b + np.sqrt(b * b + 4.0 * a)))

    def rates(self, sample: int) -> Array:
        """The eigenvalues at one of the states, 1/s: their imaginary parts are the rates of oscillations."""
        A, B = self.A[sample], self.B[sample]
        return np.asarray(np.linalg.eigvals(np.block([[np.zeros(A.shape), np.eye(len(A))], [A, B]])))


def slopes_of(setup: Setup, starts: Starts) -> Slopes:
    """M^-1 K and M^-1 D, with K and D the derivatives of the joint forces of controller and elements, by differences.

    Each is taken between one and two small steps from a state. Dry friction does not count: it has a check of its own.
    Where forces are not finite no step helps, and the slopes are zero: the run tells what is wrong.
    """
    robot, n, samples = setup.robot, setup.robot.nv, len(starts.q)
    way = STEP * np.eye(n)[:, None] * np.array([1.0, 2.0])[:, None]  # (nv, 2, nv)
    q, qd = (np.broadcast_to(x[:, None, None], (2, samples, n, 2, x.shape[1])).copy() for x in (starts.q, starts.qd))
    q[0], qd[1] = robot.integrate(q[0], way), qd[1] + way
    given = {name: x[:, None, None] for name, x in {**starts.inputs, **starts.numbers}.items()}
    forces = observer(setup, "forces")(q, qd, 0.0, {"tau": np.zeros(n), **given})
    with np.errstate(invalid="ignore"):
        K, D = np.swapaxes((forces[..., 1, :] - forces[..., 0, :]) / STEP, -1, -2)
    inverse = _mobility(robot, starts.q, starts.numbers)
    finite = np.isfinite(K + D).all(axis=(-2, -1), keepdims=True)
    return Slopes(inverse @ np.where(finite, K, 0.0), inverse @ np.where(finite, D, 0.0))


def _mobility(robot: Robot, q: Array, numbers: Mapping[str, Array]) -> Array:
    """The accelerations per joint force, (S, nv, nv): the inverse of the mass matrix, less what constraints prevent."""
    if not isinstance(robot, ClosedRobot):
        return evaluate(robot, algorithms.inverse_mass_matrix, numbers, q)
    inverse = evaluate(robot.tree, algorithms.inverse_mass_matrix, numbers, q)
    L = evaluate(robot, algorithms.constraint_jacobian, numbers, q) if numbers else robot.constraint_jacobian(q)
    tolerances, _ = evaluate(robot, algorithms.constraint_ranks, numbers, q)
    answer = L @ inverse
    between = pseudo_inverse(answer @ np.swapaxes(L, -1, -2), tolerances)
    return np.asarray(inverse - np.swapaxes(answer, -1, -2) @ between @ answer)


def check_friction(setup: Setup, starts: Starts) -> None:
    """Warn if the step is too long for dry friction where samples begin, with the joints at rest.

    There, friction is a damper L / e. A step that is far too long is refused, but not for an implicit integrator, which
    is right while joints stick. Integrators that find friction with the velocity at the end of a step take any step.
    Friction without a threshold has no limit, and chatters.
    """
    step, robot = setup.step, setup.robot
    if step.integrator.holds_friction:
        return
    damping = np.array([_damping(setup, q) for q in starts.q])
    if not damping.any():
        return
    rates = np.abs(np.linalg.eigvals(_mobility(robot, starts.q, starts.numbers) * damping[:, None, :]))
    rate = float(rates.max())
    if rate == 0.0:
        return
    longest = min(step.integrator.fastest, 2.0) / rate
    text = (
        f"dt = {setup.dt:g} s is too long for the dry friction of this simulation, which stops joints at a rate of "
        f"{rate:.3g} 1/s: {step.integrator.name!r} needs dt below {longest:.2g} s, or a larger threshold of friction; "
        "integrator='semi_implicit_euler' takes any"
    )
    judge_step(setup.dt, longest, text, refuse=step.integrator.fastest < inf)


def _damping(setup: Setup, q: Array) -> Array:
    """L / e of the dry friction at each degree of freedom, (nv,), at a position (nq,)."""
    step, robot = setup.step, setup.robot
    inputs = {name: np.zeros(shape) for name, shape in step.inputs}
    moment = Moment(robot, np.float64(0.0), list(q), list(np.zeros(robot.nv)), inputs)
    found = np.zeros(robot.nv)
    for part in (*step.elements, *(() if step.controller is None else (step.controller,))):
        for k, resistance in part.dry_friction(moment).items():
            found[k] += resistance.level / resistance.threshold if resistance.threshold else 0.0
    return found


def check_stiffness(setup: Setup, starts: Starts) -> None:
    """Warn if the step is too long for the fastest motion that forces and controller make where samples begin.

    A step that is far too long is refused.
    """
    step, kind = setup.step, setup.step.integrator
    if kind.fastest == inf or (step.controller is None and not step.elements):
        return
    slopes = slopes_of(setup, starts)
    rate, longest = 0.0, inf
    for sample in np.flatnonzero(setup.dt * slopes.bounds > min(kind.fastest, kind.fastest_swing)):
        rates = slopes.rates(int(sample))
        lengths = np.minimum(_over(kind.fastest, np.abs(rates)), _over(kind.fastest_swing, np.abs(rates.imag)))
        if lengths.min() < longest:
            rate, longest = float(np.abs(rates[np.argmin(lengths)])), float(lengths.min())
    text = (
        f"dt = {setup.dt:g} s is too long for the springs, dampers or gains of this simulation: they make motions of "
        f"rate {rate:.3g} 1/s, for which {step.integrator.name!r} needs dt below {longest:.2g} s; or choose "
        "integrator='implicit'"
    )
    judge_step(setup.dt, longest, text)


def _over(limit: float, rates: Array) -> Array:
    """The longest steps for some rates, s; infinity where there is none."""
    with np.errstate(divide="ignore"):
        return np.asarray(limit / rates)
