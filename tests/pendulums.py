"""Robots that differ by their mass alone, and calls of some of their methods: for tests of memory, locks and forks."""

import sixd

__all__ = ["METHODS", "pendulum"]

#: Methods of a robot with two joints, q, qd and a frame given.
METHODS = {
    "inverse_dynamics": lambda robot, q, v, frame: robot.inverse_dynamics(q, v, v),
    "forward_dynamics": lambda robot, q, v, frame: robot.forward_dynamics(q, v, v),
    "mass_matrix": lambda robot, q, v, frame: robot.mass_matrix(q),
    "gravity_forces": lambda robot, q, v, frame: robot.gravity_forces(q),
    "pose": lambda robot, q, v, frame: robot.pose(q, frame),
    "jacobian": lambda robot, q, v, frame: robot.jacobian(q, frame),
    "kinetic_energy": lambda robot, q, v, frame: robot.kinetic_energy(q, v),
    "center_of_mass": lambda robot, q, v, frame: robot.center_of_mass(q),
}


def pendulum(mass):
    """A robot that differs from others by its mass alone."""
    builder = sixd.Builder(f"pendulum of {mass} kg")
    builder.body("upper", joint=sixd.joints.Revolute((0, 1, 0)), mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    builder.body("lower", "upper", sixd.joints.Revolute((0, 1, 0)), xyz=(0, 0, -1), mass=mass, inertia=(0.1, 0.1, 0.01))
    return builder.build()
