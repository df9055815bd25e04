"""Force elements against their equations in NumPy: which frame, which point, which moment; as joint forces J^T f."""

import numpy as np
import pytest

import sixd
from sixd.joints import Free, Revolute, Spherical
from sixd.simulation import forces
from sixd.simulation.contact import Compliant, Contacts, Plane, Sphere
from sixd.simulation.system import System

G, COM, T = np.array([1.0, -2.0, -9.0]), np.array([0.05, 0.02, -0.1]), 0.3


def floating():
    """A free body with a ball joint, a hinge and a hinge that follows it; frames that are moved and turned."""
    b = sixd.Builder("floating")
    link = {"mass": 1.5, "com": COM, "inertia": (0.05, 0.06, 0.07)}
    b.body("hull", joint=Free(), **link)
    b.body("fin", parent="hull", joint=Spherical(), xyz=(0.2, 0, 0), **link)
    b.body("flap", parent="hull", joint=Revolute("y"), joint_name="hinge", xyz=(-0.2, 0, 0), **link)
    mimic = sixd.Mimic("hinge", -1.5, 0.1)
    b.body("tab", parent="flap", joint=Revolute("x"), xyz=(-0.2, 0, 0), mimic=mimic, **link)
    b.frame("a", on="fin", xyz=(0.1, -0.2, 0.3), rpy=(0.3, -0.5, 0.7))
    b.frame("b", on="tab", xyz=(-0.1, 0.2, 0.1), rpy=(1.0, 0.2, -0.4))
    return b.build(gravity=G)


ROBOT = floating()
Q, QD = ROBOT.random(7), np.random.default_rng(8).normal(size=ROBOT.nv)


class At:
    """A frame: attitude R, place p, velocities w and v, all in the world; ``push`` gives the joint forces of a load."""

    def __init__(self, name):
        pose, motion = ROBOT.pose(Q, name), ROBOT.velocity(Q, QD, name, "aligned")
        self.R, self.p, self.w, self.v = pose[:3, :3], pose[:3, 3], motion[:3], motion[3:]
        self.J = ROBOT.jacobian(Q, name, expressed_in="aligned")

    def push(self, f, at=(0.0, 0.0, 0.0), n=(0.0, 0.0, 0.0)):
        """Of a force f at a place from the origin and of a moment n, along the world's axes."""
        return self.J.T @ np.concatenate([np.cross(at, f) + n, f])


A, B = At("a"), At("b")


def drag():
    c1, c2, current = np.array([0.1, 0.2, 0.3]), np.array([3.0, 2.0, 1.0]), np.array([0.5, 0.1, 0.2])
    v = A.R.T @ (A.v - current)
    f, n = A.R @ (-(c1 + c2 * np.abs(v)) * v), -(0.1 + 0.2 * np.linalg.norm(A.w)) * A.w
    return forces.Drag("a", c1, c2, 0.1, 0.2, current=current), A.push(f, n=n)


def buoyancy():
    center = np.array([0.1, 0.2, -0.1])
    return forces.Buoyancy("a", 2e-3, center, 1025.0), A.push(-1025.0 * 2e-3 * G, at=A.R @ center)


def wind():
    u = np.array([3.0, 1.0, 0.0]) - A.v
    return forces.Wind("a", (3.0, 1.0, 0.0), 0.4, 1.3), A.push(0.5 * 1.3 * 0.4 * np.linalg.norm(u) * u)


def thruster():
    axis = A.R @ [0.0, 0.6, -0.8]
    return forces.Thruster("a", 3.0, (0.0, 6.0, -8.0), -0.02), A.push(3.0 * axis, n=-0.06 * axis)


def spring():
    way = B.p - A.p
    length = np.linalg.norm(way)
    e = way / length
    pull = (20.0 * (length - 0.3) + 2.0 * (e @ (B.v - A.v))) * e
    return forces.PointSpring("a", "b", 20.0, 2.0, 0.3), A.push(pull) - B.push(pull)


def _stir(p, v, t):
    return (0.3 * t - p[0] * v[1], 0.2 * p[2], -0.1 * v[0])


def field_at_a_frame():
    return forces.Field(_stir, frames="a"), A.push(_stir(A.p, A.v, T))


def _on_every_mass(law):
    total = np.zeros(ROBOT.nv)
    for name in ("hull", "fin", "flap", "tab"):
        body = At(name)
        com = body.R @ COM
        total += body.push(1.5 * np.array(law(body.p + com, body.v + np.cross(body.w, com), T)), at=com)
    return total


def field_of_all_masses():
    return forces.Field(_stir), _on_every_mass(_stir)


def central_gravity():
    center = np.array([4.0, 5.0, 6.0])
    pull = _on_every_mass(lambda p, v, t: -30.0 * (p - center) / np.linalg.norm(p - center) ** 3)
    return forces.CentralGravity(30.0, center), pull


def compliant_contact():
    """A ball 4 mm deep in a plane that leans."""
    n, center, depth, r = np.array([0.2, -0.3, 1.0]), np.array([0.02, 0.01, -0.03]), 0.004, 0.05
    n /= np.linalg.norm(n)
    middle = A.p + A.R @ center
    arm = middle - r * n - A.p
    v = A.v + np.cross(A.w, arm)
    vt, law = v - (v @ n) * n, Compliant()
    f_n = max(0.0, law.stiffness * depth**1.5 * (1.0 - law.damping * (v @ n)))
    most = law.friction * f_n
    f = f_n * n - most * vt / np.sqrt(vt @ vt + law.slip_speed**2 + (most / law.viscosity) ** 2)
    contacts = Contacts([Sphere("a", r, center=tuple(center))], Plane(tuple(n), n @ middle - r + depth), law)
    return contacts.elements()[0], A.push(f, at=arm)


@pytest.mark.parametrize(
    "make",
    [
        drag,
        buoyancy,
        wind,
        thruster,
        spring,
        field_at_a_frame,
        field_of_all_masses,
        central_gravity,
        compliant_contact,
    ],
)
def test_joint_forces(make):
    element, wanted = make()
    system = System(ROBOT, [0.0] * ROBOT.nv, None, [element])
    moment = system.moment(T, Q.tolist(), QD.tolist())
    found = np.array(system.joint_forces(moment, system.loads(moment)), dtype=float)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    assert np.abs(wanted).max() > 1e-2
