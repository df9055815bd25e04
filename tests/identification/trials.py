"""Simulated logs, and one trial of identification."""

from __future__ import annotations

import numpy as np

import sixd
from sixd.identification import fit
from sixd.identification.consistent import is_consistent


def motion(robot: sixd.Robot, rng: np.random.Generator, samples: int, noise: object = 0.0) -> dict[str, np.ndarray]:
    """Random states, and the torques there with normal noise."""
    q, qd, qdd = (
        robot.random(rng, samples),
        *rng.normal(size=(2, samples, robot.nv)) * np.array([1.0, 3.0])[:, None, None],
    )
    tau = robot.inverse_dynamics(q, qd, qdd, passive=True)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau + noise * rng.normal(size=tau.shape)}


def changed(robot: sixd.Robot, rng: np.random.Generator) -> sixd.Robot:
    """The robot with bodies of other density."""
    scale = np.exp(0.4 * rng.normal(size=(robot.n_bodies, 1)))
    return robot.with_inertial_parameters((robot.inertial_parameters.reshape(-1, 10) * scale).ravel())


def trial(seed: int) -> bool:
    """Identify an arm from noisy torques: whether new torques are predicted to the noise, by bodies that can exist."""
    rng = np.random.default_rng(seed)
    true = sixd.gallery.seven_axis_arm()
    start, noise = changed(true, rng), float(10.0 ** rng.uniform(-2.0, 0.5))
    found = fit(start, motion(true, rng, 150, noise))
    new = motion(true, rng, 500)
    error = found.robot.inverse_dynamics(new["q"], new["qd"], new["qdd"]) - new["tau"]
    consistent = all(is_consistent(p) for p in found.robot.inertial_parameters.reshape(-1, 10))
    return consistent and bool(np.sqrt(np.mean(error**2)) < 0.5 * noise)
