"""Whether a step is short enough for the springs, dampers and controllers of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.robot import ClosedRobot, Robot
from sixd.simulation.moment import Moment
from sixd.simulation.numbers import evaluate, numbers_of_first
from sixd.simulation.observe import observe_arrays
from sixd.simulation.setup import Setup
from sixd.simulation.step_length import judge_step

__all__ = ["Slopes", "check_friction", "check_stiffness", "slopes_of"]

Array = NDArray[Any]
#: The step of differences, relative to 1 rad or 1 m.
STEP = 1e-6


class Slopes(NamedTuple):
    """The linear system d/dt (x, v) = (v, A x + B v) that controller and force elements make at a state."""

    A: Array
    B: Array

    @property
    def bound(self) -> float:
        """A number that no eigenvalue exceeds: l x l = A x + l B x gives |l|^2 <= |A| + |l| |B|."""
        with np.errstate(over="ignore"):
            a, b = (float(np.linalg.norm(x)) for x in self)
        return 0.5 * (b + (b * b + 4.0 * a) ** 0.5)

    @property
    def rates(self) -> Array:
        """The eigenvalues, 1/s: their imaginary parts are the rates of oscillations."""
        n = len(self.A)
        return np.asarray(np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [self.A, self.B]])))


def slopes_of(setup: Setup, q: Array, qd: Array) -> Slopes:
    """M^-1 K and M^-1 D, with K and D the derivatives of the joint forces of controller and elements, by differences.

    Each is taken between one and two small steps from the state (nq,), (nv,). Dry friction does not count: it has a
    check of its own. Where forces are not finite no step helps, and the slopes are zero: the run tells what is wrong.
    """
    robot, n = setup.robot, setup.robot.nv
    inputs = {name: (setup.given or {})[name].reshape(-1, *shape)[0] for name, shape in setup.step.inputs}
    way = STEP * np.eye(n)[:, None] * np.array([1.0, 2.0])[:, None]  # (nv, 2, nv)
    q, qd = (np.broadcast_to(x, (2, n, 2, x.size)).copy() for x in (q, qd))
    q[0], qd[1] = robot.integrate(q[0], way), qd[1] + way
    numbers = numbers_of_first(setup)
    forces = observe_arrays(setup, "forces", q, qd, 0.0, {"tau": np.zeros(n), **inputs, **numbers})
    K, D = np.swapaxes((forces[:, :, 1] - forces[:, :, 0]) / STEP, 1, 2)
    if not np.isfinite([K, D]).all():
        return Slopes(np.zeros((n, n)), np.zeros((n, n)))
    inverse = _mobility(robot, q[1, 0, 0], numbers)
    return Slopes(inverse @ K, inverse @ D)


def _mobility(robot: Robot, q: Array, numbers: Mapping[str, Array]) -> Array:
    """The accelerations per joint force, (nv, nv): the inverse of the mass matrix, less what constraints prevent."""
    if not isinstance(robot, ClosedRobot):
        return evaluate(robot, algorithms.inverse_mass_matrix, numbers, q)
    inverse = evaluate(robot.tree, algorithms.inverse_mass_matrix, numbers, q)
    L = evaluate(robot, algorithms.constraint_jacobian, numbers, q) if numbers else robot.constraint_jacobian(q)
    answer = L @ inverse
    return np.asarray(inverse - answer.T @ np.linalg.pinv(answer @ L.T, rcond=1e-10, hermitian=True) @ answer)


def check_friction(setup: Setup, q: Array) -> None:
    """Warn if the step is too long for dry friction at a position (nq,), where the joints are at rest.

    There, friction is a damper L / e. A step that is far too long is refused, but not for an implicit integrator, which
    is right while joints stick. Integrators that find friction with the velocity at the end of a step take any step.
    Friction without a threshold has no limit, and chatters.
    """
    step, robot = setup.step, setup.robot
    if step.integrator.holds_friction:
        return
    numbers = numbers_of_first(setup)
    inputs = {name: np.zeros(shape) for name, shape in step.inputs}
    moment = Moment(robot, np.float64(0.0), list(q), list(np.zeros(robot.nv)), inputs)
    damping = np.zeros(robot.nv)
    for part in (*step.elements, *(() if step.controller is None else (step.controller,))):
        for k, resistance in part.dry_friction(moment).items():
            damping[k] += resistance.level / resistance.threshold if resistance.threshold else 0.0
    if not damping.any():
        return
    rate = float(np.abs(np.linalg.eigvals(_mobility(robot, q, numbers) * damping)).max())
    if rate == 0.0:
        return
    longest = min(step.integrator.fastest, 2.0) / rate
    text = (
        f"dt = {setup.dt:g} s is too long for the dry friction of this simulation, which stops joints at a rate of "
        f"{rate:.3g} 1/s: {step.integrator.name!r} needs dt below {longest:.2g} s, or a larger threshold of friction; "
        "integrator='semi_implicit_euler' takes any"
    )
    judge_step(setup.dt, longest, text, refuse=step.integrator.fastest < inf)


def check_stiffness(setup: Setup, q: Array, qd: Array) -> None:
    """Warn if the step is too long for the fastest motion that forces and controller make at a state (nq,), (nv,).

    A step that is far too long is refused.
    """
    step, kind = setup.step, setup.step.integrator
    if kind.fastest == inf or (step.controller is None and not step.elements):
        return
    slopes = slopes_of(setup, q, qd)
    if setup.dt * slopes.bound <= min(kind.fastest, kind.fastest_swing):
        return
    rates = slopes.rates
    lengths = np.minimum(_over(kind.fastest, np.abs(rates)), _over(kind.fastest_swing, np.abs(rates.imag)))
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
