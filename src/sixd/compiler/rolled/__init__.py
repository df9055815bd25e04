"""Recording an algorithm with its loops over bodies: a loop is recorded once for each joint type, not for each body.

The algorithm walks a tree of symbolic bodies. The program keeps the loops, reads placements, inertias and joint
parameters from a table, and stores what belongs to a body in a workspace. It depends on the joint types only, so all
robots with these types share it.

Some algorithms cannot be recorded so, and are refused: those that ask for the number of a body, or for the joint of a
body other than the loop's own; that carry a value from one iteration to the next outside slots and cells; or that use
slots whose size depends on a joint that is not known.
"""

from sixd.compiler.rolled.bodies import Case, RollError, SymbolicBody, has_free_axis
from sixd.compiler.rolled.record import record
from sixd.compiler.rolled.tree import RolledTree

__all__ = ["Case", "RollError", "RolledTree", "SymbolicBody", "has_free_axis", "record"]
