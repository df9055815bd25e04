"""The fastest rate of a closed robot with springs is that of its freedoms, not of its tree."""

import numpy as np

from sixd import mechanisms
from sixd.simulation.forces import JointSpring
from sixd.simulation.setup import setup_of
from sixd.simulation.starts import starts_of
from sixd.simulation.stiffness import slopes_of


def test_the_rate_of_a_spring_at_the_crank_of_a_four_bar():
    """k / m, where m is the inertia of all bars as the crank feels it, by the velocities that follow from the pin's."""
    m, k = mechanisms.four_bar(), 40.0
    setup = setup_of(
        m.robot, 1e-3, None, None, [JointSpring(k, joints="crank_joint")], "rk4", None, False, None, None, None
    )
    L = m.robot.constraint_jacobian(m.q)
    follow = np.concatenate([[1.0], -np.linalg.pinv(L[:, 1:]) @ L[:, 0]])
    felt = follow @ m.robot.tree.mass_matrix(m.q) @ follow
    rates = slopes_of(setup, starts_of(setup, m.q, m.qd)).rates(0)
    assert np.isclose(np.abs(rates).max(), np.sqrt(k / felt), rtol=1e-6)
