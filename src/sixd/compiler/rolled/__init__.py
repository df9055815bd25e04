"""A tree of symbolic bodies: loops over bodies are recorded once for each type of joint, not once for each body.

The program keeps the loops, reads placements, inertias and joint parameters from a table, and keeps what belongs to a
body in a workspace. It depends only on the types of the joints, so all robots with these types share it.

What the recording relies on, and refuses to do without: no question about the number of a body, no joint but that of
the loop's own body, no value kept from one iteration to the next outside slots and cells, no slot whose size depends on
a joint that is not known.
"""

from sixd.compiler.rolled.bodies import Case, RollError, SymbolicBody, has_free_axis
from sixd.compiler.rolled.record import record
from sixd.compiler.rolled.tree import RolledTree

__all__ = ["Case", "RollError", "RolledTree", "SymbolicBody", "has_free_axis", "record"]
