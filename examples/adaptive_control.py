"""An arm carries a payload that its controller does not know, and learns to follow a path all the same.

The controller of J.-J. Slotine and W. Li, "On the Adaptive Control of Robot Manipulators", 1987, with the regressor of
PBP95 section 5. With the error e = q - q_d, the reference velocity qd_r = qd_d - L e and s = qd - qd_r,

    tau = Y(q, qd, qd_r, qdd_r) p - K s,        dp/dt = -G Y^T s,

the energy 1/2 s^T H s + 1/2 (p - p_true)^T G^-1 (p - p_true) decreases by s^T K s, because dH/dt - 2 C is skew. So s,
and with it e, goes to zero, whatever the payload is. Here p are the ten inertial parameters of the last link, which
carries the payload; those of the others are known.

    python examples/adaptive_control.py [--seconds 30] [--plot adaptive_control.png]
"""

from __future__ import annotations

from argparse import ArgumentParser

import numpy as np

import sixd

#: The gains: L, 1/s; K, N m s; and G for mass, first moments and moments of inertia.
L, K = 5.0, np.array([10.0, 40.0, 5.0, 15.0, 1.5, 3.0, 0.5])
G = np.array([20.0] + [2.0] * 3 + [1.0] * 6)
#: The period of the path, s.
PERIOD = 3.0


def with_payload(arm: sixd.Robot) -> sixd.Robot:
    """The arm with 3 kg at its tool, a little to the side."""
    load = sixd.Inertia.from_mass_com(3.0, (0.05, -0.04, 0.12), np.diag([0.01, 0.012, 0.008]))
    return arm.with_inertia("link7", arm.body("link7").inertia + load)


def path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The position that is wanted at time t, with its first and second derivative."""
    w, phase = 2.0 * np.pi / PERIOD, np.arange(7)
    size = np.array([0.6, 0.4, 0.6, 0.5, 0.8, 0.6, 0.9])
    middle = np.array([0.0, 0.5, 0.0, 1.0, 0.0, 0.6, 0.0])
    angle = w * t + phase
    return middle + size * np.sin(angle), size * w * np.cos(angle), -size * w * w * np.sin(angle)


def run(seconds: float, adapt: bool, dt: float = 2e-3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Follow the path: times, the error of the tool's position at each, and the mass that is believed."""
    arm = sixd.gallery.seven_axis_arm()
    real, known = with_payload(arm), np.array(arm.inertial_parameters)

    def rates(t: float, q: np.ndarray, qd: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q_d, qd_d, qdd_d = path(t)
        qd_r = qd_d - L * (q - q_d)
        s = qd - qd_r
        Y = arm.slotine_li_regressor(q, qd, qd_r, qdd_d - L * (qd - qd_d))
        tau = Y[:, :-10] @ known[:-10] + Y[:, -10:] @ p - K * s
        learned = -G * (Y[:, -10:].T @ s) if adapt else np.zeros(10)
        return qd, real.forward_dynamics(q, qd, tau), learned

    state = (*path(0.0)[:2], known[-10:])
    times = np.arange(int(seconds / dt)) * dt
    errors, masses = np.empty(len(times)), np.empty(len(times))
    for k, t in enumerate(times):
        wanted, found = real.pose(path(t)[0], "tool"), real.pose(state[0], "tool")
        errors[k], masses[k] = np.linalg.norm((found - wanted)[:3, 3]), state[2][0]
        k1 = rates(t, *state)  # the classical Runge-Kutta method
        k2 = rates(t + dt / 2, *(x + dt / 2 * r for x, r in zip(state, k1, strict=True)))
        k3 = rates(t + dt / 2, *(x + dt / 2 * r for x, r in zip(state, k2, strict=True)))
        k4 = rates(t + dt, *(x + dt * r for x, r in zip(state, k3, strict=True)))
        slopes = zip(state, k1, k2, k3, k4, strict=True)
        state = tuple(x + dt / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in slopes)
    return times, errors, masses


def by_period(times: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The root mean square of the errors in each whole period."""
    periods = (times // PERIOD).astype(int)
    return np.array([np.sqrt(np.mean(errors[periods == k] ** 2)) for k in range(int(times[-1] / PERIOD + 1e-3))])


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="how long the arm moves")
    parser.add_argument("--plot", help="a file for a picture of the errors; needs matplotlib")
    given = parser.parse_args(arguments)
    runs = {name: run(given.seconds, name == "adaptive") for name in ("fixed", "adaptive")}
    print("rms error of the tool in each period, mm")
    print("period   fixed  adaptive")
    for k, row in enumerate(zip(*(by_period(t, e) for t, e, _ in runs.values()), strict=True), 1):
        print(f"{k:6d} {1e3 * row[0]:7.2f} {1e3 * row[1]:9.4f}")
    mass = runs["adaptive"][2]
    print(f"mass that is believed, kg: {mass[0]:.2f} at first, {mass[-1]:.2f} at last; true: 3.40")
    if given.plot:
        from matplotlib import pyplot

        for name, (t, e, _) in runs.items():
            pyplot.semilogy(t, 1e3 * np.maximum(e, 1e-12), label=name)
        pyplot.xlabel("t, s")
        pyplot.ylabel("error of the tool, mm")
        pyplot.legend()
        pyplot.savefig(given.plot)


if __name__ == "__main__":
    main()
