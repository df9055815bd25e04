"""Controllers that run inside compiled code, by name in `CONTROLLERS`. A new one is a file here and a line below."""

from sixd.simulation.controllers.computed_torque import ComputedTorque as ComputedTorque
from sixd.simulation.controllers.controller import CONTROLLERS as CONTROLLERS
from sixd.simulation.controllers.controller import Controller as Controller
from sixd.simulation.controllers.controller import register as register
from sixd.simulation.controllers.gravity_compensation import GravityCompensation as GravityCompensation
from sixd.simulation.controllers.hybrid_force import HybridForceControl as HybridForceControl
from sixd.simulation.controllers.joint_pd import JointPD as JointPD
from sixd.simulation.controllers.lqr import LQR as LQR
from sixd.simulation.controllers.motor import Motor as Motor
from sixd.simulation.controllers.operational_space import OperationalSpaceControl as OperationalSpaceControl
from sixd.simulation.controllers.saturated import Saturated as Saturated
from sixd.simulation.controllers.total import Total as Total
