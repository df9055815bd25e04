"""Force elements, by name in `ELEMENTS`. A new one is a file here and a line below."""

from sixd.simulation.forces.element import ELEMENTS, ForceElement, register

__all__ = ["ELEMENTS", "ForceElement", "register"]
