"""The two-body example of "A Beginner's Guide to 6-D Vectors" (Part 1), solved twice: with 3-D vectors and with 6-D.

Two bodies are joined by a revolute joint; a force acts on the first. What is its acceleration? The 3-D solution follows
the tutorial's first sidebar, (S1)-(S32), the spatial one the second, (S33)-(S39). Both are then done again for bodies
that move, as the tutorial invites its readers to.

    python examples/two_body.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import cross

from sixd.spatial import ArticulatedInertia, Force, Forces, Inertia, Motion, Transform, symmetric_product
from sixd.spatial.table1 import skew

Array = Any


@dataclass(frozen=True)
class Body:
    """Mass (kg), place of the centre of mass C (m) and rotational inertia about C (kg m^2), world axes."""

    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True)
class TwoBodies:
    """Two bodies and the joint between them: a line through ``point`` P along the unit vector ``axis`` s."""

    first: Body
    second: Body
    point: Array
    axis: Array


@dataclass(frozen=True)
class Velocities:
    """Of B1: angular velocity and velocity of C1. Of the joint: its rate."""

    angular: Array
    linear: Array
    joint: float


AT_REST = Velocities(np.zeros(3), np.zeros(3), 0.0)


# ---- 3-D vectors. f acts on a line through C1, n is a couple; a_1 is the acceleration of C1.


def forces_3d(system: TwoBodies, a1: Array, dw1: Array) -> tuple[Array, Array]:
    """The force f and couple n that give B1 the acceleration a1, dw1 from rest, one equation after the other."""
    B1, B2, s = system.first, system.second, system.axis
    r1, r2 = system.point - B1.com, system.point - B2.com
    numerator = s @ (B2.inertia @ dw1 - B2.mass * cross(r2, a1 + cross(r2 - r1, dw1)))
    alpha = -numerator / (s @ (B2.inertia @ s - B2.mass * cross(r2, cross(r2, s))))  # (S19), from (S16)
    dw2 = dw1 + s * alpha  # (S17), from (S7), (S8), (S15)
    a2 = a1 + cross(r2 - r1, dw1) + cross(r2, s * alpha)  # (S18), from (S5), (S6), (S14)
    f1, n1 = B1.mass * a1, B1.inertia @ dw1  # (S1), (S2)
    f2, n2 = B2.mass * a2, B2.inertia @ dw2  # (S3), (S4)
    return f1 + f2, n1 + n2 + cross(r1 - r2, f2)  # (S12), (S13), from (S9)-(S11)


def map_3d(system: TwoBodies) -> Array:
    """The 6x6 matrix [A, B; C, D] from (a1, dw1) to (f, n), both at C1: (S27)."""
    B1, B2 = system.first, system.second
    r1, r2 = skew(system.point - B1.com), skew(system.point - B2.com)
    m1, m2, I1, I2 = B1.mass, B2.mass, B1.inertia, B2.inertia
    ss = np.outer(system.axis, system.axis)
    J = I2 + m2 * r2.T @ r2  # (S20)
    K = J + m2 * r1 @ r2  # (S24)
    sJs = system.axis @ J @ system.axis
    A = (m1 + m2) * np.eye(3) + m2**2 * r2 @ ss @ r2 / sJs  # (S28)
    B = m2 * (r2 - r1) - m2 * r2 @ ss @ K.T / sJs  # (S29)
    C = m2 * (r1 - r2) + m2 * K @ ss @ r2 / sJs  # (S30)
    D = I1 + I2 - m2 * (r1 - r2) @ (r1 - r2) - K @ ss @ K.T / sJs  # (S31)
    return np.block([[A, B], [C, D]])


def bias_3d(system: TwoBodies, velocities: Velocities) -> Array:
    """The force and couple at C1, stacked, that the moving bodies need even where a1 and dw1 are zero.

    Each of (S2), (S4), (S5), (S6) and (S15) gains a term in the velocities.
    """
    B1, B2, s, qd = system.first, system.second, system.axis, velocities.joint
    r1, r2 = system.point - B1.com, system.point - B2.com
    w1 = velocities.angular
    w2 = w1 + s * qd
    dw2 = cross(w1, s) * qd  # (S17): the axis turns with B1
    a2 = cross(r2, dw2) + cross(w1, cross(w1, r1)) - cross(w2, cross(w2, r2))  # (S18): centripetal, from P to C1 and C2
    n1 = cross(w1, B1.inertia @ w1)  # (S2): gyroscopic
    n2 = B2.inertia @ dw2 + cross(w2, B2.inertia @ w2)  # (S4)
    J = B2.inertia + B2.mass * skew(r2).T @ skew(r2)  # (S20)
    alpha = -s @ (n2 - B2.mass * cross(r2, a2)) / (s @ J @ s)  # (S16)
    f2 = B2.mass * (a2 + cross(r2, s * alpha))  # (S3), (S18)
    return np.concatenate([f2, n1 + n2 + B2.inertia @ s * alpha + cross(r1 - r2, f2)])  # (S12), (S13)


def acceleration_3d(system: TwoBodies, f: Array, n: Array, velocities: Velocities = AT_REST) -> tuple[Array, Array]:
    """a1 and dw1 from f and n: (S32)."""
    solution = np.linalg.solve(map_3d(system), np.concatenate([f, n]) - bias_3d(system, velocities))
    return solution[:3], solution[3:]


# ---- Spatial vectors. No points, no lines of action: everything is in one frame, and any frame will do.


@dataclass(frozen=True)
class SpatialTwoBodies:
    """The same system: two inertias and the joint axis, in one frame."""

    I1: Inertia
    I2: Inertia
    s: Motion


def spatial(system: TwoBodies) -> SpatialTwoBodies:
    """The spatial quantities of the system, in the world frame."""
    I1, I2 = (Inertia.from_mass_com(b.mass, b.com, b.inertia) for b in (system.first, system.second))
    return SpatialTwoBodies(I1, I2, Transform.translation(system.point).inv @ Motion(system.axis, (0.0, 0.0, 0.0)))


def map_spatial(system: SpatialTwoBodies) -> ArticulatedInertia:
    """f = (I1 + I2 - I2 s s^T I2 / (s^T I2 s)) a1: the bracket of (S39)."""
    I1, I2, s = system.I1, system.I2, system.s
    U = I2 @ s
    lost = symmetric_product(Forces([U * (1.0 / s.dot(U))]), Forces([U]))
    return I1.articulated() + I2.articulated() - lost


def bias_spatial(system: SpatialTwoBodies, v1: Motion, qd: float) -> Force:
    """What (S33)-(S38) gain when the bodies move: the force needed at a1 = 0."""
    I1, I2, s = system.I1, system.I2, system.s
    v2 = v1 + s * qd
    f_J = I2.force(v1.cross(v2), v2)  # (S34) with (S35): a2 = a1 + s alpha + v1 x v2
    alpha = -s.dot(f_J) / s.dot(I2 @ s)  # (S38), from (S36)
    return I1.bias_force(v1) + f_J + I2 @ s * alpha  # (S33), (S37)


def acceleration_spatial(system: SpatialTwoBodies, f: Force, v1: Motion | None = None, qd: float = 0.0) -> Motion:
    """a1 from f: (S39)."""
    bias = bias_spatial(system, Motion.zero() if v1 is None else v1, qd)
    return Motion.from_array(np.linalg.solve(map_spatial(system).matrix().array(), (f - bias).array()))


# ---- The two compared


def map_at_com(system: TwoBodies) -> Array:
    """`map_spatial`, moved to C1 and with linear coordinates first, as the 3-D solution orders them."""
    X = Transform.translation(system.first.com)
    matrix = (X @ map_spatial(spatial(system))).matrix().array()
    linear_first = [3, 4, 5, 0, 1, 2]
    return matrix[np.ix_(linear_first, linear_first)]


def acceleration_at_com(system: TwoBodies, f: Array, n: Array, velocities: Velocities = AT_REST) -> tuple[Array, Array]:
    """`acceleration_spatial` for forces and velocities at C1; the answer is the acceleration of the particle at C1."""
    X = Transform.translation(system.first.com)
    v_C = Motion(velocities.angular, velocities.linear)
    a1 = acceleration_spatial(spatial(system), X.inv @ Force(n, f), X.inv @ v_C, velocities.joint)
    particle = (X @ a1).conventional(v_C)  # F10a (22)
    return particle.lin.array(), particle.ang.array()


def random_body(rng: np.random.Generator) -> Body:
    """A body of a few random particles, so that its inertia is one that exists."""
    masses, places = rng.uniform(0.1, 1.0, size=8), rng.normal(size=(8, 3))
    com = masses @ places / masses.sum()
    arms = [skew(p - com) for p in places]
    return Body(masses.sum(), com, sum(m * r.T @ r for m, r in zip(masses, arms, strict=True)))


def random_system(rng: np.random.Generator) -> TwoBodies:
    axis = rng.normal(size=3)
    return TwoBodies(random_body(rng), random_body(rng), rng.normal(size=3), axis / np.linalg.norm(axis))


def main() -> None:
    rng = np.random.default_rng(2010)
    system, (f, n) = random_system(rng), rng.normal(size=(2, 3))
    velocities = Velocities(rng.normal(size=3), rng.normal(size=3), 2.0)
    A, B = map_3d(system), map_at_com(system)
    with np.printoptions(precision=4, suppress=True, linewidth=120):
        print("(a1, dw1) -> (f, n) at C1, with 3-D vectors (S27):", A, sep="\n")
        print("and with spatial vectors (S39):", B, sep="\n")
        print(f"largest difference: {np.abs(A - B).max():.1e}")
        for case, given in (("at rest", AT_REST), ("moving", velocities)):
            flat, six = acceleration_3d(system, f, n, given), acceleration_at_com(system, f, n, given)
            difference = max(np.abs(flat[0] - six[0]).max(), np.abs(flat[1] - six[1]).max())
            print(f"\n{case}: a1 = {six[0]}, dw1 = {six[1]}; largest difference: {difference:.1e}")


if __name__ == "__main__":
    main()
