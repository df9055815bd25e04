"""A pendulum and a double pendulum: which integrators keep the energy?

Nothing takes energy away, so it should be constant. Classical Runge-Kutta is precise at first, but its losses add up.
The energy of the variational integrator swings about the right value and stays there. Semi-implicit Euler does so for
the pendulum, but not for the double pendulum, whose mass matrix varies: with so large a step, it ends in numbers that
are not finite.

    python examples/pendulum.py [pendulum.png]              needs matplotlib; writes a page beside it, pendulum.html
"""

import sys
from pathlib import Path

import numpy as np

import sixd
from sixd.simulation import Event

INTEGRATORS = ("semi_implicit_euler", "rk4", "variational")
#: Each robot with its position at the start, at rest, and the step, s: large, so that drift can be seen.
ROBOTS = {
    "pendulum": (sixd.gallery.pendulum(), [2.0], 0.1),
    "double pendulum": (sixd.gallery.double_pendulum(), [0.8, 0.5], 0.05),
}


def errors(name: str, integrator: str, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the largest error of the energy so far, as a share of the energy of the swing."""
    robot, q, dt = ROBOTS[name]
    swing = float(robot.potential_energy(q) - robot.potential_energy(robot.neutral()))
    try:
        # Errors of the energy are what is shown here: no warning of them.
        how = {"dt": dt, "integrator": integrator, "energy_check": "off"}
        run = sixd.simulate(robot, q, np.zeros(robot.nv), seconds, **how)
    except sixd.SimulationError as failed:  # what was computed until then is kept
        run = failed.trajectory
        run = run[np.isfinite(run.energy)]
    return run.t, np.maximum.accumulate(np.abs(run.energy - run.energy[0])) / swing


def period() -> tuple[float, float]:
    """The period of the pendulum as simulated, s, and by the arithmetic-geometric mean: 2 pi sqrt(l/g) / agm(1, c)."""
    robot, q, _ = ROBOTS["pendulum"]
    bottom = Event(lambda t, q, qd: q[..., 0], "bottom")
    run = sixd.simulate(robot, q, [0.0], 6.0, integrator="dopri5", events=[bottom])
    first, _, third = (event.time for event in run.happened[:3])
    a, b = 1.0, np.cos(q[0] / 2)
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return third - first, 2 * np.pi / np.sqrt(9.81) / a


def draw(path: str, seconds: float) -> None:
    """The largest error of the energy so far over time, for both robots and all integrators."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
    for panel, name in zip(panels, ROBOTS, strict=True):
        for integrator in INTEGRATORS:
            t, error = errors(name, integrator, seconds)
            panel.loglog(t[1:], 100 * error[1:], label=integrator)
        panel.set(title=f"{name}, steps of {1e3 * ROBOTS[name][2]:.0f} ms", xlabel="t, s", ylim=(1e-4, 1e4))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("largest error of the energy so far, %")
    panels[0].legend(loc="upper left")
    figure.savefig(path, dpi=100)


def main(path: str = "pendulum.png", seconds: float = 1000.0) -> None:
    print("largest error of the energy, % of that of the swing")
    for name in ROBOTS:
        for integrator in INTEGRATORS:
            t, error = errors(name, integrator, seconds)
            print(f"{name:16} {integrator:20} {100 * error[t <= 5.0][-1]:8.3g} until 5 s", end="")
            print(f" {100 * error[-1]:10.3g} until {t[-1]:g} s")
    simulated, exact = period()
    print(f"period of the pendulum: {simulated:.9f} s; in closed form: {exact:.9f} s")
    draw(path, seconds)
    robot, q, dt = ROBOTS["double pendulum"]
    run = sixd.simulate(robot, q, [0.0, 0.0], min(seconds, 20.0), dt=dt, integrator="variational")
    run.save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
