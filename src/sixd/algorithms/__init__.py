"""The papers' algorithms: each a pure function of a model and one state, for any number.

To add one: a file beside these, and its line here. `ALGORITHMS` has them all by name, and the tests run on what is in
it. Algorithms of a user's own are not in it.
"""

from sixd.algorithms.algorithm import Algorithm
from sixd.algorithms.christoffel import *
from sixd.algorithms.configuration import *
from sixd.algorithms.constrained_actuator_forces import *
from sixd.algorithms.constrained_by_embedding import *
from sixd.algorithms.constrained_by_kkt import *
from sixd.algorithms.constrained_by_nullspace import *
from sixd.algorithms.constrained_dynamics import *
from sixd.algorithms.constrained_operational_space import *
from sixd.algorithms.constrained_reduced_dynamics import *
from sixd.algorithms.constraint_forces import *
from sixd.algorithms.constraint_ranks import *
from sixd.algorithms.constraints import *
from sixd.algorithms.coriolis_matrix import *
from sixd.algorithms.covariant_derivative import *
from sixd.algorithms.curvature import *
from sixd.algorithms.dynamically_consistent_inverse import *
from sixd.algorithms.energy import *
from sixd.algorithms.factorization import *
from sixd.algorithms.forward_dynamics import *
from sixd.algorithms.forward_dynamics_derivatives import *
from sixd.algorithms.geometric_newton_euler import *
from sixd.algorithms.hybrid_dynamics import *
from sixd.algorithms.inverse_dynamics import *
from sixd.algorithms.inverse_dynamics_derivatives import *
from sixd.algorithms.inverse_mass_matrix import *
from sixd.algorithms.inverse_operational_inertia import *
from sixd.algorithms.jacobian import *
from sixd.algorithms.kinematics import *
from sixd.algorithms.linearization import *
from sixd.algorithms.mass_matrix import *
from sixd.algorithms.momentum import *
from sixd.algorithms.momentum_derivatives import *
from sixd.algorithms.motion_derivatives import *
from sixd.algorithms.operational_space import *
from sixd.algorithms.passive import *
from sixd.algorithms.pivots import *
from sixd.algorithms.product_of_exponentials import *
from sixd.algorithms.regressor import *
from sixd.algorithms.sectional_curvature import *
from sixd.algorithms.tangent_rate import *

#: Every algorithm of sixd, by its name.
ALGORITHMS: dict[str, Algorithm[..., object]] = {
    name: thing for name, thing in sorted(globals().items()) if isinstance(thing, Algorithm)
}
