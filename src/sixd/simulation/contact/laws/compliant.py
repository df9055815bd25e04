"""Compliant contact: springs and dampers in the normal, smoothed Coulomb friction along the ground."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sixd.ops import Scalar, divide, sqrt, where
from sixd.simulation.contact.laws.law import ForceLaw, register
from sixd.simulation.contact.sites import Touch
from sixd.simulation.forces.element import EnergyLaw
from sixd.simulation.moment import Moment
from sixd.simulation.smooth import root
from sixd.spatial import Vector

__all__ = ["Compliant"]


@register
@dataclass(frozen=True)
class Compliant(ForceLaw):
    """f_n = k d^(3/2) (1 + c d'), not below zero; f_t = -mu f_n v_t / sqrt(|v_t|^2 + s^2 + (mu f_n / b)^2).

    d is the depth of the site in the ground and d' its rate. The normal force is that of Hertz for a sphere, with the
    damping of K. Hunt and F. Crossley ("Coefficient of restitution interpreted as damping in vibroimpact", 1975), which
    begins and ends with zero force. At small speeds an impact leaves the share e = 1 - (2/3) c v of its speed v.

    A body at rest on n sites sinks in by d0 = (m g / (n k))^(2/3). There the ground is as stiff as k1 = 3/2 k sqrt(d0),
    so stiffer ground is shallower, and needs smaller steps. Friction is Coulomb's at high speed and viscous at low
    speed: it never holds for good. A site that is pulled along by a force f, small against mu f_n, creeps at
    s f / (mu f_n) or at f / b, whichever is more. A smaller s and a larger b creep less and need smaller steps: a step
    h must be below about m / b, where m is the mass that is felt at the site, which for the foot of a light leg is far
    less than the robot's. `sixd.simulation.contact.step_limit` gives all of these limits for a robot.
    """

    name = "compliant"
    limits = {
        "stiffness": (0.0, inf, True),
        "damping": (0.0, inf, False),
        "friction": (0.0, inf, False),
        "slip_speed": (0.0, inf, False),
        "viscosity": (0.0, inf, True),
    }
    #: k, N/m^(3/2): the force at a depth of 1 m.
    stiffness: float = 3e5
    #: c, s/m: how much stronger the force is at an approach of 1 m/s.
    damping: float = 1.0
    #: mu, the coefficient of friction.
    friction: float = 0.8
    #: s, m/s: at this speed friction has at most 71 % of its full force.
    slip_speed: float = 0.01
    #: b, N s/m: friction never grows faster with speed than this, whatever the load.
    viscosity: float = 100.0

    @property
    def energy_law(self) -> EnergyLaw:
        return "passive"

    def force(self, moment: Moment, touch: Touch) -> Vector:
        v = touch.velocity(moment)
        depth = self._depth(touch)
        normal = self.stiffness * (depth * sqrt(depth)) * (1.0 - self.damping * v[2])
        normal = where(normal > 0.0, normal, 0.0)
        most = self.friction * normal
        smooth = (1.0 / self.viscosity) * most
        size = v[0] * v[0] + v[1] * v[1] + (smooth * smooth + self.slip_speed * self.slip_speed)
        drag = -divide(most, sqrt(where(size > 0.0, size, 1.0)))
        return Vector((drag * v[0], drag * v[1], normal))

    def energy(self, touch: Touch) -> Scalar:
        depth = self._depth(touch)
        return 0.4 * self.stiffness * (depth * depth * root(depth))

    def _depth(self, touch: Touch) -> Scalar:
        return where(touch.gap < 0.0, -touch.gap, 0.0)
