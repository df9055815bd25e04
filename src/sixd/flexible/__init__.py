"""Flexible links: beams with assumed modes in a tree of bodies."""

from sixd.flexible.beam import Beam as Beam
from sixd.flexible.beam import Section as Section
