"""The particle of FDSV section 3.1: inverse dynamics step by step, (24) to (30), with numbers beside the formulas.

A free particle is fixed to the ground through two massless prismatic joints, x then y. The recursion runs outward for
velocities and accelerations, inward for forces, and ends in Newton's second law. The picture shows the same particle
thrown, against its parabola.

    python examples/particle.py [particle.png]              the picture needs matplotlib
"""

import sys

import numpy as np

import sixd
from sixd import algorithms
from sixd.spatial import Motion, Vector

#: Mass, kg, and gravity, m/s^2; position, m, velocity, m/s, and acceleration, m/s^2, of joints 0 and 1.
M, G = 2.5, 9.8
Q, QD, QDD = np.array([0.3, -0.7]), np.array([1.1, 0.4]), np.array([-0.6, 2.2])


def rows() -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """Of each equation its number and left side, what sixd computes, and what the paper's formula gives.

    6-vectors have their angular part first: (w, v) and (moment, force).
    """
    robot = sixd.gallery.particle(M, G)
    (q0, q1), (qd0, qd1), (qdd0, qdd1) = Q, QD, QDD
    v = [x.array() for x in algorithms.velocities(robot, Q, QD)]
    up = Motion(Vector.zero(), Vector((0.0, G, 0.0)))  # (21): the world accelerates upwards
    a = [x.array() for x in algorithms.body_motion(robot, Q, QD, QDD, up).a]
    f = algorithms.joint_forces(robot, Q, QD, QDD)  # on ground, slide and particle
    ground, slide, end = (x.array() for x in f)
    force = [M * qdd0, M * (qdd1 + G), 0.0]
    return [
        ("(24)", "v_0", v[1], np.array([0, 0, 0, qd0, 0, 0])),
        ("(24)", "v_1", v[2], np.array([0, 0, 0, qd0, qd1, 0])),
        ("(26)", "a_0", a[1], np.array([0, 0, 0, qdd0, G, 0])),
        ("(26)", "a_1", a[2], np.array([0, 0, 0, qdd0, qdd1 + G, 0])),
        ("(28)", "f_1", end, np.array([0, 0, 0, *force])),
        ("(28)", "f_0", slide, np.array([0, 0, -M * q1 * qdd0, *force])),
        ("(28)", "f_-1", ground, np.array([0, 0, -M * q1 * qdd0 + M * q0 * (qdd1 + G), *force])),
        ("(30)", "Q", robot.inverse_dynamics(Q, QD, QDD), np.array(force[:2])),
    ]


def throw(duration: float = 1.0) -> tuple[sixd.simulation.Trajectory, np.ndarray]:
    """The particle thrown, without forces, and the parabola that it should follow."""
    start, speed = np.zeros(2), np.array([3.0, 5.0])
    run = sixd.simulate(sixd.gallery.particle(M, G), start, speed, duration, dt=0.01, integrator="rk4")
    return run, np.outer(run.t, speed) - 0.5 * G * np.outer(run.t**2, [0.0, 1.0])


def draw(path: str) -> None:
    """The thrown particle and its parabola."""
    from matplotlib import pyplot

    run, parabola = throw()
    figure, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    axes.plot(*parabola.T, color="0.75", linewidth=5, label="parabola")
    axes.plot(*run.q[::10].T, "o", color="C0", label="simulated, every 0.1 s")
    axes.set(xlabel="x, m", ylabel="y, m", title="a particle on two massless slides, thrown", aspect="equal")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=100)


def main(path: str = "particle.png") -> None:
    print(f"m = {M} kg, g = {G} m/s^2, q = {Q}, qd = {QD}, qdd = {QDD}")
    print("angular part first; what sixd computes, and its distance from the formula\n")
    for number, name, found, wanted in rows():
        text = "  ".join(f"{x + 0.0:7.3f}" for x in found)
        print(f"{number} {name:>4} = {text:<52}  {np.abs(found - wanted).max():.0e}")
    print("\nQ_0 = m qdd_0 and Q_1 = m (qdd_1 + g): Newton's second law")
    run, parabola = throw()
    print(f"thrown, it keeps to its parabola within {np.abs(run.q - parabola).max():.0e} m")
    draw(path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
