"""A quadruped that stands on its four feet."""

from __future__ import annotations

from sixd.constraints import Loop
from sixd.gallery import quadruped
from sixd.mechanisms.mechanism import Mechanism
from sixd.simulation.forces.joint_spring import JointSpring
from sixd.spatial import Transform

__all__ = ["standing_quadruped"]

#: The posture, rad.
_POSTURE = {"abduction": 0.1, "flexion": 0.7, "knee": -1.3}


def standing_quadruped() -> Mechanism:
    """The quadruped of the gallery, whose four feet stay where they are: 18 coordinates, 12 rows, six freedoms.

    Each foot is a point that cannot move; the leg turns about it freely. The base stands with its feet at height zero.
    Springs at the joints, relaxed in the posture at the start, carry it.
    """
    dog = quadruped()
    q, legs = dog.neutral(), [joint for joint in dog.joints if joint.type.nv == 1]
    for joint in legs:
        q[joint.q] = _POSTURE[joint.name.split("_")[1]]
    feet = [frame.name for frame in dog.frame_list if frame.name.endswith("foot")]
    q[dog.joints[0].q][6:] = -min(float(dog.pose(q, foot)[2, 3]) for foot in feet)
    places = {foot: Transform.translation(dog.pose(q, foot)[:3, 3]) for foot in feet}
    ground = dog.bodies[0].name
    robot = dog.close(*(Loop(ground, foot, "point", offset=places[foot], name=foot) for foot in feet))
    rest = [float(q[joint.q][0]) for joint in legs]
    spring = JointSpring(150.0, rest=rest, joints=[joint.name for joint in legs])
    return Mechanism.of(robot, q, freedoms=6, independent=[dog.joints[0].name], forces=[spring], dt=5e-4)
