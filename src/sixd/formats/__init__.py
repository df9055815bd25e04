"""Readers of robot descriptions. Each gives a `Description`: a builder for the model, and what was odd in the file.

A format is one file here, which registers a `Format`, and its line below.
"""

from sixd.formats.document import Description
from sixd.formats.registry import FORMATS, Format, register
from sixd.formats.source import Content, read_source
from sixd.formats.urdf import read_urdf

__all__ = ["FORMATS", "Content", "Description", "Format", "read_source", "read_urdf", "register"]
