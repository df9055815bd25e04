"""Whether a simulation of a closed robot starts at a state that keeps the constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.compiler.choice import kernel
from sixd.errors import ArgumentError, ModelError
from sixd.robot import Robot
from sixd.simulation.closed import TARGETS
from sixd.simulation.numbers import evaluate, numbers_of_samples
from sixd.simulation.setup import Setup

__all__ = ["check_consistent", "check_targets"]

Array = NDArray[Any]
#: The largest error of position, rad and m, and of velocity, rad/s and m/s, that a start may have.
LARGEST = 1e-6


def check_consistent(setup: Setup, q: Array, qd: Array) -> None:
    """Raise if some position or velocity of a batch does not keep the constraints; the error names the constraint."""
    robot: Any = setup.robot  # a closed one, since it has constraints
    targets, wanted = setup.given.get(TARGETS), np.zeros(robot.n_rows)
    if targets is not None:
        targets = targets[..., 0, :, :] if TARGETS in setup.stepped else targets
        wanted = np.zeros((*targets.shape[:-2], robot.n_rows))
        for c in robot.closures:
            if c.constraint.driven:
                wanted[..., c.rows] = targets[..., c.targets, 1]
    error, L = _error(setup, q, targets)
    _refuse(robot, error, "q0", "position", "assemble(q)")
    speeds = (L @ qd[..., None])[..., 0]
    _refuse(robot, speeds - wanted, "qd0", "velocity", "project(q, qd)")


def check_targets(setup: Setup, steps: int) -> None:
    """Raise if prescribed motions cannot be those of a run of so many steps: they move on from step to step."""
    targets = setup.given.get(TARGETS)
    if targets is None or steps < 2 or not targets.size:
        return
    single = TARGETS not in setup.stepped or targets.shape[-3] == 1
    moves = np.abs(targets[..., 1:]).reshape(-1, setup.robot.n_targets, 2).max(axis=(0, 2)) > 0.0
    if single and moves.any():
        raise ArgumentError(
            f"inputs['targets'] has one value for all steps, but {_owner(setup, moves)} moves: give position, velocity "
            f"and acceleration at the beginning of each step, (..., {steps}, {setup.robot.n_targets}, 3)"
        )
    if single:
        return
    jumps = (np.ptp(targets[..., 0], axis=-2).reshape(-1, len(moves)).max(axis=0) > 0.0) & ~moves
    if jumps.any():
        raise ArgumentError(
            f"inputs['targets'] has positions of {_owner(setup, jumps)} that change, but its velocities and "
            "accelerations are zero: give these, too"
        )


def _owner(setup: Setup, which: Array) -> str:
    """The constraint with the first of these targets, by name."""
    first = int(np.flatnonzero(which)[0])
    driven = [c for c in setup.robot.closures if c.constraint.driven]
    return next(repr(c.constraint.name) for c in driven if c.targets.start <= first < c.targets.stop)


def _error(setup: Setup, q: Array, targets: Array | None) -> tuple[Array, Array]:
    """phi(q) (..., rows) and L (..., rows, nv), of each sample with its own parameters."""
    robot: Any = setup.robot
    numbers = numbers_of_samples(setup)
    if not numbers:
        return robot._error(q, targets), robot.constraint_jacobian(q)
    given, shapes = ((), {}) if targets is None else ((targets,), {"targets": (robot.n_targets, 3)})
    error = kernel(algorithms.constraint_error, robot, shapes, parameters=tuple(numbers))
    return np.asarray(error(q, *given, *numbers.values())), evaluate(robot, algorithms.constraint_jacobian, numbers, q)


def _refuse(robot: Robot, errors: Array, name: str, what: str, remedy: str) -> None:
    sizes = np.abs(errors).reshape(-1, errors.shape[-1]).max(axis=0, initial=0.0)
    row = int(np.argmax(sizes))
    if sizes[row] > LARGEST:
        constraint = next(c.constraint.name for c in robot.closures if c.rows.start <= row < c.rows.stop)
        raise ModelError(
            f"{name} does not keep the constraint {constraint!r}: its error of {what} is {sizes[row]:.3g}; "
            f"closed.{remedy} gives a {what} that does"
        )
