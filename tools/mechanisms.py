"""Measures the mechanisms of `sixd.mechanisms`: agreement of the methods, drift, and what is known of them.

    python tools/mechanisms.py                                 # all of them: 1,000 states each, 60 s of motion
    python tools/mechanisms.py four_bar bricard --seconds 6    # some of them, for a shorter time

The end is a table in Markdown:

- freedoms: as found, and in brackets what Gruebler's count says;
- methods: the largest difference of qdd by the Schur complement (21), by all equations at once (20) and by the null
  space (22) of FO00, relative to the largest entry of qdd, over random states that keep the constraints, from the whole
  space of positions; the 99 % quantile in brackets;
- nearby: the same near the mechanism's own position, with constraint embedding too;
- position, energy: after a time, the largest error of the constraints, rad and m, and the largest change of energy
  relative to the largest kinetic energy, with the integrator "rk4" and the step that is given.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import sixd
from sixd.mechanisms import MECHANISMS, Mechanism

METHODS = ("schur", "kkt", "nullspace")


class Drift(NamedTuple):
    """How far a motion has gone astray."""

    position: float
    velocity: float
    energy: float


def conservative(name: str) -> Mechanism:
    """A mechanism of the registry without a motor that feeds it."""
    return sixd.mechanisms.andrews(drive=0.0) if name == "andrews" else MECHANISMS[name]()


def states(m: Mechanism, n: int, near: bool, seed: int = 0) -> tuple[Any, Any, Any]:
    """n random positions and velocities that keep the constraints, and joint forces."""
    rng, robot = np.random.default_rng(seed), m.robot
    if near:
        reach = 0.1 * np.array([min(1.0, _size(m))])
        q = robot.assemble(robot.tree.integrate(m.q, reach * rng.uniform(-1.0, 1.0, size=(n, robot.nv))))
    else:
        q = robot.random(rng, n)
    qd = robot.project(q, rng.normal(size=(n, robot.nv)))[1]
    return q, qd, rng.normal(size=(n, robot.nv))


def _size(m: Mechanism) -> float:
    """How far its bodies are apart, m."""
    places = np.asarray(m.robot.poses(m.q))[1:, :3, 3]
    return float(np.linalg.norm(np.ptp(places, axis=0)))


def differences(m: Mechanism, q: Any, qd: Any, tau: Any, embedding: bool) -> Any:
    """For each state, the largest difference of the methods relative to the largest entry of qdd."""
    found = [m.robot.forward_dynamics(q, qd, tau, method=method) for method in METHODS]
    if embedding:
        found.append(m.robot.forward_dynamics(q, qd, tau, method="embedding", independent=m.independent))
    return np.ptp(found, axis=0).max(axis=-1) / np.abs(found[-1]).max(axis=-1)


def drift(m: Mechanism, seconds: float, seed: int = 1) -> Drift:
    """The errors of a motion that starts with a random velocity beside the mechanism's own."""
    robot, rng = m.robot, np.random.default_rng(seed)
    qd = robot.project(m.q, m.qd + 0.3 * rng.normal(size=robot.nv))[1]
    every = max(1, round(seconds / m.dt) // 2000)
    run = sixd.simulate(robot, m.q, qd, seconds, dt=m.dt, integrator="rk4", forces=m.forces, record=every)
    velocity = robot.constraint_jacobian(run.q) @ run.qd[..., None]
    change = np.abs(run.energy - run.energy[0]).max() / run.kinetic_energy.max()
    return Drift(*(float(np.abs(x).max()) for x in (robot.constraint_error(run.q), velocity, change)))


def row(name: str, n: int, seconds: float) -> str:
    """The line of a mechanism in the table."""
    m = conservative(name)
    found = m.robot.mobility(m.q)
    everywhere = differences(m, *states(m, n, near=False), embedding=False)
    nearby = differences(m, *states(m, n, near=True), embedding=True)
    off = drift(m, seconds)
    cells = (
        name.replace("_", " "),
        f"{m.robot.nv}, {m.robot.n_rows}",
        f"{found.dof} ({found.gruebler})",
        f"{everywhere.max():.0e} ({np.quantile(everywhere, 0.99):.0e})",
        f"{nearby.max():.0e}",
        f"{off.position:.0e}",
        f"{off.energy:.0e}",
        f"{m.dt:g} s",
    )
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *MECHANISMS], help="all by default")
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    print("| mechanism | coordinates, rows | freedoms | methods | nearby | position | energy | step |")
    print("|---|---|---|---|---|---|---|---|")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        for name in options.names or MECHANISMS:
            print(row(name, options.states, options.seconds), flush=True)


if __name__ == "__main__":
    main()
