"""Heights that a `HeightField` adds up, by name in `HEIGHTS`. A new one is a file here and a line below."""

from sixd.simulation.contact.heights.bump import Bump
from sixd.simulation.contact.heights.grid import Grid
from sixd.simulation.contact.heights.height import HEIGHTS, Height, register
from sixd.simulation.contact.heights.slope import Slope
from sixd.simulation.contact.heights.stair import Stair
from sixd.simulation.contact.heights.wave import Wave

__all__ = ["HEIGHTS", "Bump", "Grid", "Height", "Slope", "Stair", "Wave", "register"]
