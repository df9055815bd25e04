"""q, v, accelerations and joint forces in the layouts of Pinocchio, MuJoCo, Drake and Bullet, both ways.

Every library orders joints in its own way and writes some of them with other coordinates. Of a free joint:

==========  ==========================  ====================================================================
sixd        quaternion xyzw, position   angular, linear; both in body coordinates
Pinocchio   position, quaternion xyzw   linear, angular; both in body coordinates
MuJoCo      position, quaternion wxyz   linear in world coordinates, angular in body coordinates
Drake       quaternion wxyz, position   angular, linear; both in world coordinates
Bullet      position, quaternion xyzw   linear, angular; both in world coordinates
==========  ==========================  ====================================================================

The pose is that of the body in the joint's frame on its parent in sixd and Pinocchio; in the others it is that in the
world, which is the fixed base of sixd, so that they have no free joints on moving bodies.

Bullet reports its base at the centre of mass of the base link; here it is taken at the link's frame.

A spherical joint keeps the order of the quaternion and its body angular velocity, but in Drake (BallRpyJoint) it has
roll-pitch-yaw angles and its angular velocity in parent coordinates. Continuous joints are angles, but in Pinocchio
(cos, sin). Planar joints are (x, y, angle) and their rates, but in Pinocchio (x, y, cos, sin) with the linear velocity
in body coordinates; their normal is z there and in Drake; MuJoCo and Bullet have none. Nowhere else in sixd is an
order changed.
"""

from sixd.layouts.layout import Layout, linear_first
from sixd.layouts.peers import bullet_layout, drake_layout, mujoco_layout, pinocchio_layout

__all__ = ["Layout", "bullet_layout", "drake_layout", "linear_first", "mujoco_layout", "pinocchio_layout"]
