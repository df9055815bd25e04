"""Kinds of constraints: loops and others. To add one: a file beside these, and its import here."""

from sixd.constraints.contract import CONSTRAINTS as CONSTRAINTS
from sixd.constraints.contract import Constraint as Constraint
from sixd.constraints.loop import Loop as Loop
