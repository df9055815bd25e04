"""What motions are judged by: one file for each cost."""

from sixd.motion.costs.contract import Cost
from sixd.motion.costs.curvature import Curvature
from sixd.motion.costs.energy import Energy
from sixd.motion.costs.torque import Torque

__all__ = ["COSTS", "Cost"]

#: The costs by their names.
COSTS: dict[str, type[Cost]] = {cost.name: cost for cost in (Energy, Torque, Curvature)}
