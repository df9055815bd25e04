"""The 6-D algebra: motions, forces, transforms, inertias (Featherstone, "A Beginner's Guide to 6-D Vectors")."""

from sixd.spatial import older_notation, table1
from sixd.spatial.force import Force
from sixd.spatial.inertia import ArticulatedInertia, Inertia, symmetric_product
from sixd.spatial.linear import Matrix, Vector, inverse, pivots
from sixd.spatial.motion import Motion, rate_in_moving_frame
from sixd.spatial.screw import Screw, screw_of_force, screw_of_motion
from sixd.spatial.sound import pose_fault, rotation_fault
from sixd.spatial.subspace import Forces, Motions
from sixd.spatial.transform import InverseTransform, Transform, rate_of_transform

__all__ = [
    "ArticulatedInertia",
    "Force",
    "Forces",
    "Inertia",
    "InverseTransform",
    "Matrix",
    "Motion",
    "Motions",
    "Screw",
    "Transform",
    "Vector",
    "inverse",
    "older_notation",
    "pivots",
    "pose_fault",
    "rate_in_moving_frame",
    "rate_of_transform",
    "rotation_fault",
    "screw_of_force",
    "screw_of_motion",
    "symmetric_product",
    "table1",
]
