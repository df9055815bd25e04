"""The papers' algorithms: each a pure function of a model and one state, for any number.

To add one: a file beside these, and its line here.
"""

from sixd.algorithms.energy import *
from sixd.algorithms.factorization import *
from sixd.algorithms.forward_dynamics import *
from sixd.algorithms.inverse_dynamics import *
from sixd.algorithms.inverse_mass_matrix import *
from sixd.algorithms.jacobian import *
from sixd.algorithms.kinematics import *
from sixd.algorithms.mass_matrix import *
from sixd.algorithms.momentum import *
from sixd.algorithms.passive import *
from sixd.algorithms.pivots import *
from sixd.algorithms.product_of_exponentials import *
