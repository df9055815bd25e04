"""Robots built in code: to try things on, to test with, to read.

Each is a function that returns a new `Robot`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi
from typing import Any

from sixd import given
from sixd.errors import ModelError
from sixd.joints import Planar, Prismatic, Revolute
from sixd.model import random
from sixd.model.parts import Visual
from sixd.robot import Builder, Robot
from sixd.spatial import Inertia, Matrix, Transform, Vector

__all__ = [
    "binary_tree",
    "chain",
    "double_pendulum",
    "jumping_lamp",
    "particle",
    "pendulum",
    "puma560",
    "quadruped",
    "random_tree",
    "seven_axis_arm",
]


def rod(mass: float, length: float, radius: float = 0.0) -> tuple[float, float, float]:
    """The principal moments of a solid cylinder along z about its centre."""
    across = mass * (length * length / 12.0 + radius * radius / 4.0)
    return across, across, mass * radius * radius / 2.0


def _sizes(mass: float, length: float) -> tuple[float, float]:
    """A mass and a length, if they are numbers that are not negative."""
    for name, value in (("mass", mass), ("length", length)):
        if not 0.0 <= given.number(value, name) < inf:
            raise ModelError(f"{name} must be finite and not negative: {value}")
    return float(mass), float(length)


def pendulum(mass: float = 1.0, length: float = 1.0) -> Robot:
    """A point mass on a massless rod that swings about the y axis; it hangs down at q = 0."""
    mass, length = _sizes(mass, length)
    b = Builder("pendulum")
    b.body("bob", joint=Revolute((0, 1, 0)), joint_name="pivot", mass=mass, com=(0, 0, -length))
    b.frame("tip", on="bob", xyz=(0, 0, -length))
    return b.build()


def double_pendulum(mass: float = 1.0, length: float = 1.0) -> Robot:
    """Two uniform rods, one below the other, that swing about y axes; they hang down at q = 0."""
    return chain(2, mass, length, axes=((0, 1, 0),)).with_name("double pendulum")


def chain(
    n: int,
    mass: float = 1.0,
    length: float = 0.5,
    axes: tuple[tuple[float, float, float], ...] = ((0, 1, 0), (1, 0, 0)),
) -> Robot:
    """A hanging chain of n uniform rods with revolute joints; the axes take turns."""
    n, (mass, length) = given.count(n, "n"), _sizes(mass, length)
    if not isinstance(axes, Sequence) or not axes:
        raise ModelError(f"axes must be a sequence of axes, one or more, not {given.described(axes)}")
    b = Builder(f"chain of {n}")
    for i in range(1, n + 1):
        b.body(
            f"link{i}",
            parent="base" if i == 1 else f"link{i - 1}",
            joint=Revolute(axes[(i - 1) % len(axes)]),
            joint_name=f"joint{i}",
            xyz=(0, 0, 0 if i == 1 else -length),
            mass=mass,
            com=(0, 0, -length / 2),
            inertia=rod(mass, length, length / 20),
        )
    b.frame("tip", on=f"link{n}", xyz=(0, 0, -length))
    return b.build()


def binary_tree(n: int, mass: float = 1.0, length: float = 0.5) -> Robot:
    """n bodies, each of which carries two: body i hangs on body i // 2."""
    n, (mass, length) = given.count(n, "n"), _sizes(mass, length)
    b = Builder(f"binary tree of {n}")
    for i in range(1, n + 1):
        b.body(
            f"link{i}",
            parent="base" if i == 1 else f"link{i // 2}",
            joint=Revolute(((0, 1, 0), (1, 0, 0), (0, 0, 1))[i % 3]),
            joint_name=f"joint{i}",
            xyz=(0, (0.2, -0.2)[i % 2] * (i > 1), -length * (i > 1)),
            mass=mass,
            com=(0, 0, -length / 2),
            inertia=rod(mass, length, length / 10),
        )
    return b.build()


def particle(mass: float = 1.0, gravity: float = 9.81) -> Robot:
    """The particle of FDSV section 3.1: two massless prismatic joints, x then y; gravity pulls along -y."""
    b = Builder("particle")
    b.body("slide", joint=Prismatic((1, 0, 0)), joint_name="x")
    b.body("particle", parent="slide", joint=Prismatic((0, 1, 0)), joint_name="y", mass=mass)
    return b.build(gravity=(0, -given.number(gravity, "gravity"), 0))


def jumping_lamp() -> Robot:
    """The 2-D jumping lamp of FDSV Fig. 1 and (4): a planar base (x, y, theta), two joints; gravity pulls along -y.

    The motors give at most 12 N m. The foot stands on the frames "heel" and "toe".
    """
    b = Builder("jumping lamp")
    b.body("foot", joint=Planar(), joint_name="base_joint", mass=1.0, com=(0, 0.02, 0), inertia=(0.004, 0.006, 0.008))
    for name, parent, joint, y, mass, length in (
        ("lower_arm", "foot", "theta1", 0.05, 0.4, 0.4),
        ("upper_arm", "lower_arm", "theta2", 0.4, 0.5, 0.35),
    ):
        across, _, along = rod(mass, length, 0.02)
        b.body(
            name,
            parent=parent,
            joint=Revolute((0, 0, 1)),
            joint_name=joint,
            xyz=(0, y, 0),
            mass=mass,
            com=(0, length / 2, 0),
            inertia=(across, along, across),
            effort=12.0,
        )
    b.frame("head", on="upper_arm", xyz=(0, 0.35, 0))
    b.frame("heel", on="foot", xyz=(-0.12, 0, 0))
    b.frame("toe", on="foot", xyz=(0.12, 0, 0))
    b.visuals += _lamp_shapes()
    return b.build(gravity=(0, -9.81, 0))


def _lamp_shapes() -> list[Visual]:
    """A round foot with a post, two arms with knobs at the joints, a shade that points forward, and a bulb."""
    dark, light, shade = (0.16, 0.18, 0.22, 1.0), (0.62, 0.65, 0.70, 1.0), (0.85, 0.33, 0.18, 1.0)
    upright = Transform.rotation((1, 0, 0), pi / 2)  # from the body's frame to one whose z axis is the body's y axis

    def standing(frame: str, shape: str, size: tuple[float, ...], y: float, color: tuple[float, ...]) -> Visual:
        return Visual(frame, shape, size, offset=upright @ Transform.translation((0, y, 0)), color=color)

    across = Transform.rotation((0, 1, 0), pi / 2)
    return [
        standing("foot", "cylinder", (0.12, 0.025), 0.0125, dark),
        standing("foot", "cylinder", (0.02, 0.04), 0.035, dark),
        Visual("lower_arm", "sphere", (0.028,), color=dark),
        standing("lower_arm", "cylinder", (0.013, 0.4), 0.2, light),
        Visual("upper_arm", "sphere", (0.025,), color=dark),
        standing("upper_arm", "cylinder", (0.013, 0.33), 0.165, light),
        Visual("head", "sphere", (0.05,), color=shade),
        Visual("head", "cylinder", (0.062, 0.07), offset=across @ Transform.translation((0.035, 0, 0)), color=shade),
        Visual("head", "sphere", (0.035,), offset=Transform.translation((0.062, 0, 0)), color=(1.0, 0.9, 0.55, 1.0)),
    ]


#: One entry a link: d, a, alpha of the standard Denavit-Hartenberg table; mass, centre of mass and principal moments in
#: the frame at the link's end; motor inertia, gear ratio, viscous friction and the two Coulomb frictions at the motor;
#: limits in degrees. B. Armstrong, O. Khatib, J. Burdick, "The explicit dynamic model and inertial parameters of the
#: PUMA 560 arm", 1986, as arranged by P. Corke, "Robotics, Vision and Control", 2011.
_PUMA = (
    ((0.0, 0.0, pi / 2), 0.0, (0, 0, 0), (0, 0.35, 0), (200e-6, -62.6111, 1.48e-3, 0.395, 0.435), (-160, 160)),
    (
        (0.0, 0.4318, 0.0),
        17.4,
        (-0.3638, 0.006, 0.2275),
        (0.13, 0.524, 0.539),
        (200e-6, 107.815, 0.817e-3, 0.126, 0.071),
        (-45, 225),
    ),
    (
        (0.15005, 0.0203, -pi / 2),
        4.8,
        (-0.0203, -0.0141, 0.070),
        (0.066, 0.086, 0.0125),
        (200e-6, -53.7063, 1.38e-3, 0.132, 0.105),
        (-225, 45),
    ),
    (
        (0.4318, 0.0, pi / 2),
        0.82,
        (0, 0.019, 0),
        (1.8e-3, 1.3e-3, 1.8e-3),
        (33e-6, 76.0364, 71.2e-6, 11.2e-3, 16.9e-3),
        (-110, 170),
    ),
    (
        (0.0, 0.0, -pi / 2),
        0.34,
        (0, 0, 0),
        (0.3e-3, 0.4e-3, 0.3e-3),
        (33e-6, 71.923, 82.6e-6, 9.26e-3, 14.5e-3),
        (-100, 100),
    ),
    (
        (0.0, 0.0, 0.0),
        0.09,
        (0, 0, 0.032),
        (0.15e-3, 0.15e-3, 0.04e-3),
        (33e-6, 76.686, 36.7e-6, 3.96e-3, 10.5e-3),
        (-266, 266),
    ),
)


def puma560() -> Robot:
    """The Unimation Puma 560 with its published parameters, rotors and friction included.

    Body frame i stands at joint i and turns with it; ``dh{i}`` is the frame of the standard Denavit-Hartenberg table,
    at the far end of link i. Coulomb friction, which differs with the direction of motion, enters as its mean.
    """
    b = Builder("Puma 560")
    b.link("base")
    parent, place = "base", Transform.identity()
    for i, ((d, a, alpha), mass, com, moments, (motor, gear, viscous, dry_up, dry_down), limits) in enumerate(_PUMA, 1):
        # The table's link is Rz(q) Tz(d) Tx(a) Rx(alpha): all but the first is the way to the link's end.
        end = Transform.rotation((1.0, 0.0, 0.0), alpha) @ Transform.translation((a, 0.0, d))
        at_end = Inertia.from_mass_com(mass, Vector(map(float, com)), Matrix.diagonal(tuple(map(float, moments))))
        b.link(f"link{i}", inertia=end.inv @ at_end)
        b.joint(
            f"joint{i}",
            parent,
            f"link{i}",
            Revolute((0, 0, 1)),
            at=place,
            lower=limits[0] * pi / 180,
            upper=limits[1] * pi / 180,
            rotor_inertia=motor * gear * gear,
            damping=viscous * gear * gear,
            friction=0.5 * (dry_up + dry_down) * abs(gear),
        )
        b.frame(f"dh{i}", on=f"link{i}", at=end)
        parent, place = f"link{i}", end
    # The published inertias of links 1 and 3 are of no body that can be: listed in its warnings, not announced.
    return b.assemble()


def seven_axis_arm() -> Robot:
    """A redundant arm of the usual lightweight kind: shoulder, elbow and wrist of crossing axes, 1.2 m of reach."""
    b = Builder("seven-axis arm")
    axes = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
    lengths = (0.34, 0.2, 0.2, 0.2, 0.2, 0.13, 0.1)
    masses = (4.0, 4.0, 3.0, 2.7, 1.7, 1.6, 0.4)
    limits = (2.9, 2.0, 2.9, 2.0, 2.9, 2.0, 3.0)
    efforts = (320.0, 320.0, 176.0, 176.0, 110.0, 40.0, 40.0)
    height = 0.0
    for i in range(7):
        b.body(
            f"link{i + 1}",
            parent="base" if i == 0 else f"link{i}",
            joint=Revolute(axes[i]),
            joint_name=f"joint{i + 1}",
            xyz=(0, 0, height),
            mass=masses[i],
            com=(0, 0.02 * (-1) ** i, lengths[i] / 2),
            inertia=rod(masses[i], lengths[i], 0.06),
            lower=-limits[i],
            upper=limits[i],
            effort=efforts[i],
            velocity=2.0,
        )
        height = lengths[i]
    b.frame("tool", on="link7", xyz=(0, 0, lengths[-1]))
    return b.build()


def quadruped() -> Robot:
    """A four-legged robot on a free base: a trunk and three joints a leg, 12 joints and 18 degrees of freedom."""
    b = Builder("quadruped")
    b.link("trunk", mass=12.0, inertia=_box(12.0, 0.6, 0.3, 0.15))
    for leg, x, y in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1)):
        b.body(
            f"{leg}_hip",
            parent="trunk",
            joint=Revolute((1, 0, 0)),
            joint_name=f"{leg}_abduction",
            xyz=(0.25 * x, 0.1 * y, 0),
            mass=0.8,
            com=(0, 0.04 * y, 0),
            inertia=_box(0.8, 0.08, 0.08, 0.08),
            lower=-0.8,
            upper=0.8,
            effort=40.0,
            rotor_inertia=0.005,
        )
        for part, parent, joint, place, limits in (
            ("thigh", "hip", "flexion", (0, 0.09 * y, 0), (-1.6, 3.4)),
            ("shank", "thigh", "knee", (0, 0, -0.25), (-2.7, -0.3)),
        ):
            b.body(
                f"{leg}_{part}",
                parent=f"{leg}_{parent}",
                joint=Revolute((0, 1, 0)),
                joint_name=f"{leg}_{joint}",
                xyz=place,
                mass=0.9 if part == "thigh" else 0.3,
                com=(0, 0, -0.1),
                inertia=rod(0.9 if part == "thigh" else 0.3, 0.25, 0.02),
                lower=limits[0],
                upper=limits[1],
                effort=40.0,
                rotor_inertia=0.005,
            )
        b.frame(f"{leg}_foot", on=f"{leg}_shank", xyz=(0, 0, -0.25))
    return b.build(base="free")


def random_tree(n: int, rng: Any = None, **options: Any) -> Robot:
    """A robot of n random bodies and joints; see `sixd.model.random.random_tree` for the options."""
    return Robot.of(random.random_tree(n, rng, **options))


def _box(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The principal moments of a solid box about its centre."""
    k = mass / 12.0
    return k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y)
