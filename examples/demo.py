"""A tour: load a robot, compute with it, check it. Run by ``make demo``; needs nothing but sixd."""

from pathlib import Path

import numpy as np

import sixd

np.set_printoptions(precision=4, suppress=True, linewidth=110)


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def main() -> None:
    title("A robot from a URDF file")
    arm = sixd.load(Path(__file__).parent / "two_link.urdf")
    print(arm)
    q, qd, qdd = [0.3, -0.8], [1.0, 0.5], [0.2, -0.4]
    tau = arm.inverse_dynamics(q, qd, qdd)
    print("torques           ", tau)
    print("mass matrix       ", *arm.mass_matrix(q))
    print("accelerations back", arm.forward_dynamics(q, qd, tau))
    print("tool position     ", arm.pose(q, "tool")[:3, 3])

    title("The Puma 560, with figures to compare with the literature")
    puma = sixd.gallery.puma560()
    nominal = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
    print("gravity torques at the nominal pose:", puma.gravity_forces(nominal))
    print("mass matrix there, rotors included:\n", puma.mass_matrix(nominal), sep="")

    title("A quadruped on a free base, a thousand states at once")
    dog = sixd.gallery.quadruped()
    rng = np.random.default_rng(0)
    q, qd, qdd = dog.random(rng, 1000), rng.normal(size=(1000, dog.nv)), rng.normal(size=(1000, dog.nv))
    tau = dog.inverse_dynamics(q, qd, qdd, f_ext={"FL_foot": [0, 0, 0, 0, 0, 50.0]})
    back = dog.forward_dynamics(q, qd, tau, f_ext={"FL_foot": [0, 0, 0, 0, 0, 50.0]})
    print(f"inverse dynamics {tau.shape}, and back again to {np.abs(back - qdd).max():.1e}")
    energy = dog.kinetic_energy(q, qd) + dog.potential_energy(q)
    print(f"energy {energy.shape}, mean {energy.mean():.1f} J; centre of mass of the first: {dog.center_of_mass(q[0])}")

    title("Inverse kinematics of a redundant arm")
    arm = sixd.gallery.seven_axis_arm()
    target = arm.pose(arm.random(7), "tool")
    result = arm.inverse_kinematics("tool", target)
    print(result.message, "| q =", result.q)
    print(f"pose reached to {np.abs(arm.pose(result.q, 'tool') - target).max():.1e}")
    far = target.copy()
    far[:3, 3] *= 3
    print(arm.inverse_kinematics("tool", far).message)

    title("Is this robot sound, and do the algorithms agree on it?")
    print(arm.check())


if __name__ == "__main__":
    main()
