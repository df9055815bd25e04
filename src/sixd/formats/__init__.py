"""Readers of robot descriptions. Each gives a `Description`: a builder for the model, and what was odd in the file."""

from sixd.formats.document import Description
from sixd.formats.urdf import read_urdf

__all__ = ["Description", "read_urdf"]
