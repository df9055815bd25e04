"""Andrews' squeezing mechanism: seven bodies, three loops, a benchmark with a published solution."""

from __future__ import annotations

from sixd.constraints import Loop
from sixd.joints import Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, GREEN, GREY, ORANGE, PURPLE, Color, finite, shape_along
from sixd.robot import Builder
from sixd.simulation.forces.point_spring import PointSpring

__all__ = ["DRIVE", "REFERENCE", "andrews"]

Point = tuple[float, float, float]
#: The pivots A, B and the spring's end C, m; O is the origin.
_A, _B, _C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
#: The moment at the crank, N m.
DRIVE = 0.033
#: One entry a body: name, parent, its joint, the joint's place on the parent, mass, the centre of mass, the moment of
#: inertia about it, the points that it joins, its colour. R. Giles and W. Manning, in W. Schiehlen (ed.), "Multibody
#: Systems Handbook", 1990; E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II", VII.7.
_BODIES: tuple[tuple[str, str, str, Point, float, Point, float, tuple[Point, ...], Color], ...] = (
    ("K1", "base", "beta", (0, 0, 0), 0.04325, (0.00092, 0, 0), 2.194e-6, ((0.007, 0, 0),), ORANGE),
    ("K2", "K1", "Theta", (0.007, 0, 0), 0.00365, (-0.0115, 0, 0), 4.410e-7, ((-0.028, 0, 0),), BLUE),
    ("K3", "base", "gamma", _B, 0.02373, (0.01043, -0.01874, 0), 5.255e-6, ((0, -0.035, 0), (0.02, -0.018, 0)), GREEN),
    ("K5", "base", "delta", _A, 0.07050, (0.02308, 0.00916, 0), 1.169e-5, ((0.04, 0, 0),), PURPLE),
    ("K4", "K5", "Phi", (0.04, 0, 0), 0.00706, (0, -0.00579, 0), 5.667e-7, ((0, -0.02, 0),), BLUE),
    ("K7", "base", "epsilon", _A, 0.05498, (0.00449, -0.01228, 0), 1.912e-5, ((0, -0.04, 0),), GREY),
    ("K6", "K7", "Omega", (0, -0.04, 0), 0.00706, (0.00579, 0, 0), 5.667e-7, ((0.02, 0, 0),), BLUE),
)
#: The position of the joints at the start, rad.
_START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.4552798191630703803,
    "Phi": 0.2226683901658858847,
    "delta": 0.4873649795438425502,
    "Omega": -0.2226683901658858847,
    "epsilon": 1.2305474445498211925,
}
#: The position after 0.03 s, rad, as the Test Set for IVP Solvers publishes it (F. Mazzia and C. Magherini, University
#: of Bari, problem "Andrews' squeezing mechanism").
REFERENCE = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def andrews(drive: float = DRIVE) -> Mechanism:
    """Andrews' squeezing mechanism in the x-y plane, without gravity: 7 coordinates, three loops, one freedom.

    A motor with the constant moment ``drive``, N m, at the joint "beta" turns the crank K1 against a spring between the
    point C of the base and D of K3. K2, K3, K4 and K6 meet in a point: three pins of 5 rows each, of which 6 of 15 are
    independent. Joints have the letters of the literature; after 0.03 s they are at `REFERENCE`.
    """
    drive = finite(drive, "drive")
    b = Builder("Andrews' squeezing mechanism")
    for name, parent, joint, place, mass, com, moment, ends, color in _BODIES:
        # Only the moment about z counts in the plane; with these others the body is a flat one.
        inertia = (moment / 2.0, moment / 2.0, moment)
        b.body(name, parent, Revolute("z"), xyz=place, joint_name=joint, mass=mass, com=com, inertia=inertia)
        b.visuals += [shape_along(name, (0, 0, 0), end, 0.0012, color) for end in ends]
        if name in ("K2", "K3", "K4", "K6"):
            b.frame(f"{name} end", on=name, xyz=ends[0])
    b.frame("C", on="base", xyz=_C)
    b.frame("D", on="K3", xyz=(0.02, -0.018, 0))
    tree = b.build(gravity=(0, 0, 0))
    pins = (Loop("K2 end", f"{name} end", "revolute", axis="z", name=f"pin {name}") for name in ("K3", "K4", "K6"))
    robot = tree.close(*pins)
    q, tau = robot.neutral(), robot.neutral()
    for joint, angle in _START.items():
        q[robot.joint(joint).q] = angle
    tau[robot.joint("beta").v] = drive
    spring = PointSpring("C", "D", 4530.0, rest_length=0.07785)
    return Mechanism.of(robot, q, freedoms=1, independent=["beta"], tau=tau, forces=[spring], dt=1e-5)
