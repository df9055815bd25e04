"""The constraint-force algorithm round by round: chains of every joint type, with rotors, and closed to a loop."""

import numpy as np
import pytest

from sixd import Robot, SixdError, algorithms
from sixd.gallery import chain
from sixd.joints import JOINTS, Spherical
from sixd.model.random import random_tree
from sixd.operators.mechanism import ClosingJoint
from sixd.parallel import ConstraintForces
from sixd.parallel.chain_plan import Reduction
from tests.laws.trees import tree
from tests.operators.test_loops import AT, CASES, by_multipliers
from tests.parallel.test_divide_and_conquer import close, state

KINDS = sorted(name for name, kind in JOINTS.items() if kind.__module__.startswith("sixd."))


@pytest.mark.parametrize("rotors", [False, True])
def test_chains_of_all_joints_in_numpy(rotors):
    robot = Robot.of(random_tree(13, 2, joints=KINDS, branching=0.0, rotors=rotors))
    q, qd, tau, f = state(robot, (2,))
    close(ConstraintForces(robot, code="numpy")(q, qd, tau, f), algorithms.aba(robot, q, qd, tau, f))


@pytest.mark.parametrize("case", [case for case in CASES if "base" in case])
def test_loops_to_the_base(case):
    robot, loops = CASES[case]
    q, qd, tau, f = state(robot)
    wanted = by_multipliers(robot, q, qd, tau, f, loops)
    close(ConstraintForces(robot, loops, code="numpy")(q, qd, tau, f), wanted, 1e-10)


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_chains_by_kernels(n):
    robot = chain(n)
    q, qd, tau, f = state(robot, (3,))
    close(ConstraintForces(robot)(q, qd, tau, f), algorithms.aba(robot, q, qd, tau, f))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100])
def test_rounds_of_odd_even_reduction(n):
    """Each round leaves half of the unknowns, and all are eliminated once."""
    plan = Reduction([5] * n)
    assert len(plan.rounds) == int(np.floor(np.log2(n))) + 1
    eliminated = [row for level in plan.rounds for each in level for row in each.own]
    assert sorted(eliminated) == list(range(n))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ConstraintForces(tree("bush of all joints")), "is no chain"),
        (lambda: ConstraintForces(chain(4), [ClosingJoint(0, 3, Spherical())]), "from its last body, 4, to the base"),
        (lambda: ConstraintForces(chain(4), [ClosingJoint(0, 4, Spherical(), AT)] * 2), "by one joint"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(SixdError, match=message):
        wrong()
