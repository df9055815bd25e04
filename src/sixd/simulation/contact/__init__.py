"""Contact with the ground: shapes at frames, grounds, and laws, compliant and rigid."""

from sixd.simulation.contact.contacts import ContactForces, Contacts
from sixd.simulation.contact.grounds import GROUNDS, Ground, HeightField, Plane
from sixd.simulation.contact.heights import HEIGHTS, Bump, Grid, Height, Slope, Stair, Wave
from sixd.simulation.contact.impact import Impact, impact
from sixd.simulation.contact.laws import LAWS, Compliant, Law, Rigid
from sixd.simulation.contact.shapes import SHAPES, Box, Capsule, Point, Shape, Sphere
from sixd.simulation.contact.step_limit import StepLimit, step_limit

__all__ = [
    "GROUNDS",
    "HEIGHTS",
    "LAWS",
    "SHAPES",
    "Box",
    "Bump",
    "Capsule",
    "Compliant",
    "ContactForces",
    "Contacts",
    "Grid",
    "Ground",
    "Height",
    "HeightField",
    "Impact",
    "Law",
    "Plane",
    "Point",
    "Rigid",
    "Shape",
    "Slope",
    "Sphere",
    "Stair",
    "StepLimit",
    "Wave",
    "impact",
    "step_limit",
]
