"""Kinds of constraints: loops and others. To add one: a file beside these, and its import here."""

from sixd.constraints.contract import CONSTRAINTS as CONSTRAINTS
from sixd.constraints.contract import Constraint as Constraint
from sixd.constraints.coupling import Coupling as Coupling
from sixd.constraints.distance import Distance as Distance
from sixd.constraints.grasp import Grasp as Grasp
from sixd.constraints.loop import Loop as Loop
from sixd.constraints.prescribed import Prescribed as Prescribed
from sixd.constraints.prescribed import PrescribedFrame as PrescribedFrame
from sixd.constraints.rolling import Rolling as Rolling
