"""Joint types. To add one: a file beside these, and its import here."""

from sixd.joints.contract import JOINTS as JOINTS
from sixd.joints.contract import AxisJoint as AxisJoint
from sixd.joints.contract import Joint as Joint
from sixd.joints.cylindrical import Cylindrical as Cylindrical
from sixd.joints.euler import SphericalEuler as SphericalEuler
from sixd.joints.flexure import Flexure as Flexure
from sixd.joints.free import Free as Free
from sixd.joints.helical import Helical as Helical
from sixd.joints.planar import Planar as Planar
from sixd.joints.prismatic import Prismatic as Prismatic
from sixd.joints.revolute import Revolute as Revolute
from sixd.joints.spherical import Spherical as Spherical
from sixd.joints.translational import Translational as Translational
from sixd.joints.universal import Universal as Universal
