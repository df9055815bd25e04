"""The model of a robot: bodies, joints and frames as frozen data, and how to build, edit and walk it."""

from sixd.model import configuration
from sixd.model.build import ModelBuilder, announce, exact_quarter_turns, placement
from sixd.model.closures import Closure
from sixd.model.joint_view import JointView
from sixd.model.model import Model
from sixd.model.model_tree import ModelTree
from sixd.model.names import Named
from sixd.model.parts import Body, Frame, JointData, Mimic, Visual
from sixd.model.tree import Tree

__all__ = [
    "Body",
    "Closure",
    "Frame",
    "JointData",
    "JointView",
    "Mimic",
    "Model",
    "ModelBuilder",
    "ModelTree",
    "Named",
    "Tree",
    "Visual",
    "announce",
    "configuration",
    "exact_quarter_turns",
    "placement",
]
