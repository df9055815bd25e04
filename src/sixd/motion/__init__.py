"""The best motion from one position to another, with exact gradients: of least energy, joint forces or curvature."""

from sixd.motion.costs import COSTS
from sixd.motion.gradients import GradientCheck, check_gradient
from sixd.motion.optimize import OptimizedMotion, optimize

__all__ = ["COSTS", "GradientCheck", "OptimizedMotion", "check_gradient", "optimize"]
