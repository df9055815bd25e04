"""Whether a step is short enough for the springs, dampers and controllers of a simulation."""

from __future__ import annotations

import warnings
from math import inf

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError, SimulationWarning
from sixd.robot import ClosedRobot, Robot
from sixd.runtime.least_recently_used import Recent
from sixd.simulation.setup import Setup
from sixd.simulation.system import System

__all__ = ["check_stiffness", "fastest_rate"]

#: Steps that are this many times too long are refused, not only warned of.
FAR = 10.0
#: The step of differences, relative to 1 rad or 1 m.
STEP = 1e-6
#: Rates found before, by step of the integrator and model.
_RATES: Recent[float] = Recent(256)


def fastest_rate(setup: Setup, q: NDArray[np.float64], qd: NDArray[np.float64]) -> float:
    """The largest |eigenvalue| of the linear system that controller and force elements make at a state, 1/s.

    d/dt (x, v) = (v, M^-1 (K x + D v)), with K and D the derivatives of their joint forces, by differences. Where these
    are not finite, no step helps, and it is 0: the run tells what is wrong.
    """
    robot, step = setup.robot, setup.step
    first = {name: (setup.given or {})[name].reshape(-1, *shape)[0] for name, shape in step.inputs}
    system = System(robot, [0.0] * robot.nv, step.controller, step.elements, first)

    def forces(dq: NDArray[np.float64], dqd: NDArray[np.float64]) -> NDArray[np.float64]:
        at = system.moment(0.0, list(robot.integrate(q, dq)), list(qd + dqd))
        return np.array(system.joint_forces(at, system.loads(at)), dtype=float)

    nothing = np.zeros(robot.nv)
    start = forces(nothing, nothing)
    K, D = (np.empty((robot.nv, robot.nv)) for _ in range(2))
    for k, e in enumerate(STEP * np.eye(robot.nv)):
        K[:, k], D[:, k] = (forces(e, nothing) - start) / STEP, (forces(nothing, e) - start) / STEP
    inverse = _mobility(robot, q)
    matrix = np.block([[np.zeros((robot.nv, robot.nv)), np.eye(robot.nv)], [inverse @ K, inverse @ D]])
    return float(np.abs(np.linalg.eigvals(matrix)).max()) if np.isfinite(matrix).all() else 0.0


def _mobility(robot: Robot, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The accelerations per joint force, (nv, nv): the inverse of the mass matrix, less what constraints prevent."""
    if not isinstance(robot, ClosedRobot):
        return np.asarray(robot.inverse_mass_matrix(q))
    inverse, L = robot.tree.inverse_mass_matrix(q), robot.constraint_jacobian(q)
    answer = L @ inverse
    return np.asarray(inverse - answer.T @ np.linalg.pinv(answer @ L.T, rcond=1e-10, hermitian=True) @ answer)


def check_stiffness(setup: Setup, q: NDArray[np.float64], qd: NDArray[np.float64]) -> None:
    """Warn if the step is too long for the fastest motion that forces and controller make at the start.

    A step that is far too long is refused.
    """
    step, limit = setup.step, setup.step.integrator.fastest
    if limit == inf or (step.controller is None and not step.elements):
        return
    which = step, setup.robot.fingerprint, setup.robot.types
    rate = _RATES.get(which)
    if rate is None:
        rate = _RATES.put(which, fastest_rate(setup, q, qd))
    longest = limit / rate if rate else inf
    if setup.dt <= longest:
        return
    text = (
        f"dt = {setup.dt:g} s is too long for the springs, dampers or gains of this simulation: they make motions of "
        f"rate {rate:.3g} 1/s, for which {step.integrator.name!r} needs dt below {longest:.2g} s; or choose "
        "integrator='implicit'"
    )
    if setup.dt > FAR * longest:
        raise ModelError(text)
    warnings.warn(text, SimulationWarning, stacklevel=4)
