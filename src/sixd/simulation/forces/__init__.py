"""Force elements, by name in `ELEMENTS`. A new one is a file here and a line below."""

from sixd.simulation.forces.buoyancy import Buoyancy as Buoyancy
from sixd.simulation.forces.central_gravity import CentralGravity as CentralGravity
from sixd.simulation.forces.drag import Drag as Drag
from sixd.simulation.forces.element import ELEMENTS as ELEMENTS
from sixd.simulation.forces.element import ForceElement as ForceElement
from sixd.simulation.forces.element import Resistance as Resistance
from sixd.simulation.forces.element import register as register
from sixd.simulation.forces.field import Field as Field
from sixd.simulation.forces.joint_damper import JointDamper as JointDamper
from sixd.simulation.forces.joint_friction import JointFriction as JointFriction
from sixd.simulation.forces.joint_spring import JointSpring as JointSpring
from sixd.simulation.forces.joint_stops import JointStops as JointStops
from sixd.simulation.forces.moving_base import MovingBase as MovingBase
from sixd.simulation.forces.moving_base import Oscillation as Oscillation
from sixd.simulation.forces.moving_base import PolynomialMotion as PolynomialMotion
from sixd.simulation.forces.passive import Passive as Passive
from sixd.simulation.forces.point_spring import PointSpring as PointSpring
from sixd.simulation.forces.thruster import Thruster as Thruster
from sixd.simulation.forces.wind import Wind as Wind
