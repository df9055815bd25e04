"""Divide and conquer round by round: the same as for one state, and as the articulated-body algorithm."""

import numpy as np
import pytest

from sixd import SixdError, algorithms, mechanisms
from sixd.gallery import chain
from sixd.operators import Assembly
from sixd.parallel import DivideAndConquer
from tests.laws.trees import KINDS, coupled, tree
from tests.operators.test_loops import CASES, by_multipliers


def state(robot, size=()):
    rng = np.random.default_rng(5)
    f = rng.normal(size=(*size, robot.n_bodies, 6))
    return robot.random(rng, size), *rng.normal(size=(2, *size, robot.nv)), f


def close(found, wanted, tolerance=1e-11):
    assert found.shape == np.shape(wanted)
    assert np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.parametrize("kind", KINDS)
def test_trees_in_numpy(kind):
    robot = tree(kind)
    q, qd, tau, f = state(robot, (2, 1))
    close(DivideAndConquer(robot, code="numpy")(q, qd, tau, f), algorithms.aba(robot, q, qd, tau, f))


def test_a_closed_robot_in_numpy():
    m = mechanisms.stewart_platform()
    tau = np.random.default_rng(0).normal(size=(2, m.robot.nv))
    wanted = algorithms.constrained_forward_dynamics(m.robot, m.q, m.qd, tau)
    close(DivideAndConquer(m.robot, code="numpy")(m.q, m.qd, tau), wanted, 1e-10)


@pytest.mark.parametrize("case", CASES)
def test_loops_in_numpy(case):
    robot, loops = CASES[case]
    q, qd, tau, f = state(robot)
    close(
        DivideAndConquer(robot, loops, code="numpy")(q, qd, tau, f), by_multipliers(robot, q, qd, tau, f, loops), 1e-10
    )


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_chains_by_kernels(n):
    robot = chain(n)
    q, qd, tau, f = state(robot, (3,))
    forward = DivideAndConquer(robot)
    close(forward(q, qd, tau, f), algorithms.aba(robot, q, qd, tau, f))
    close(forward(q[0], qd[0], tau[0]), algorithms.aba(robot, q[0], qd[0], tau[0]))


def test_samples_are_broadcast():
    robot = chain(3)
    q, qd, tau, f = state(robot, (4,))
    forward = DivideAndConquer(robot)
    close(forward(q[0], qd, tau[0], f[:1]), algorithms.aba(robot, np.tile(q[0], (4, 1)), qd, tau[0], f[:1]))


@pytest.mark.parametrize("code", ["kernels", "numpy"])
def test_no_samples_and_samples_that_are_not_finite(code):
    robot = chain(3)
    forward = DivideAndConquer(robot, code=code)
    assert forward(*np.zeros((3, 0, 3))).shape == (0, 3)
    q, qd, tau, _ = state(robot, (3,))
    wanted = forward(q, qd, tau)
    q[1, 2] = np.nan
    found = forward(q, qd, tau)
    assert np.isnan(found[1]).all()
    assert np.array_equal(found[[0, 2]], wanted[[0, 2]])


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 64, 1000])
def test_rounds(n):
    """A chain is put together in log2 N rounds, and one more to the base."""
    levels = int(np.ceil(np.log2(n)))
    assert Assembly.of(chain(n)).depth == levels + 1
    assert DivideAndConquer(chain(n), code="numpy").rounds <= 4 * levels + 3


def test_one_kernel_for_each_form_of_step():
    """In chains there are two: a step in the middle, and one at the tip."""
    forms = {each.closing for level in DivideAndConquer(chain(64), code="numpy").plan.rounds for each in level}
    assert len(forms) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: DivideAndConquer("robot"), "sixd.load"),
        (lambda: DivideAndConquer(coupled()), "mimic"),
        (lambda: DivideAndConquer(chain(1), code="C"), "code"),
        (lambda: DivideAndConquer(chain(1), [1]), "each loop is a sixd.Loop"),
        (lambda: DivideAndConquer(chain(2))([0.0], [0.0, 0.0], [0.0, 0.0]), "q needs 2 entries"),
        (lambda: DivideAndConquer(chain(2))(*np.zeros((3, 2)), np.zeros(6)), "f_ext needs 6 numbers"),
        (lambda: DivideAndConquer(chain(2))(*(np.zeros((k, 2)) for k in (2, 3, 1))), "batches.*do not fit together"),
        (lambda: DivideAndConquer(chain(2))(["a", "b"], *np.zeros((2, 2))), "real numbers"),
        (lambda: DivideAndConquer(chain(2))([[0.0], [0.0, 1.0]], *np.zeros((2, 2))), "no array"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(SixdError, match=message):
        wrong()
