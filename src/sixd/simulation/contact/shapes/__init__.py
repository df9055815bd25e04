"""Shapes that can touch the ground, by name in `SHAPES`. A new one is a file here and a line below."""

from sixd.simulation.contact.shapes.box import Box
from sixd.simulation.contact.shapes.capsule import Capsule
from sixd.simulation.contact.shapes.point import Point
from sixd.simulation.contact.shapes.shape import SHAPES, Ball, Shape, register
from sixd.simulation.contact.shapes.sphere import Sphere

__all__ = ["SHAPES", "Ball", "Box", "Capsule", "Point", "Shape", "Sphere", "register"]
