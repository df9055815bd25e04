"""Grounds, by name in `GROUNDS`. A new one is a file here and a line below."""

from sixd.simulation.contact.grounds.ground import GROUNDS, Ground, Nearest, register
from sixd.simulation.contact.grounds.height_field import HeightField
from sixd.simulation.contact.grounds.plane import Plane

__all__ = ["GROUNDS", "Ground", "HeightField", "Nearest", "Plane", "register"]
