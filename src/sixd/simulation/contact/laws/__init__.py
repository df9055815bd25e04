"""Laws of contact, by name in `LAWS`. A new one is a file here and a line below."""

from sixd.simulation.contact.laws.compliant import Compliant
from sixd.simulation.contact.laws.law import LAWS, ForceLaw, ImpulseLaw, Law, register
from sixd.simulation.contact.laws.rigid import Rigid

__all__ = ["LAWS", "Compliant", "ForceLaw", "ImpulseLaw", "Law", "Rigid", "register"]
