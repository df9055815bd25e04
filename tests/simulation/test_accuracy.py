"""What is said of the integrators' errors: the cases of `python -m benchmarks.accuracy`."""

import pytest

from benchmarks import accuracy

CASES = accuracy.cases()


@pytest.mark.parametrize("name", list(CASES))
def test_what_is_given_by_default_is_right_in_all_cases(name):
    case = CASES[name]
    assert accuracy.error(case, accuracy.right(case), "rk43") < 1e-3


def test_a_hard_landing_beside_mujoco():
    """A ball that falls from 20 m bounces by centimetres by default; Euler's steps of 1 ms throw it up by metres."""
    landings = accuracy.landings()
    ours, euler = landings[:2]
    assert 0.04 < ours.bounce < 0.05
    assert euler.bounce > 5.0
    assert all(x.name.startswith("MuJoCo") and 0.1 < x.bounce < 0.3 < 3 * x.depth for x in landings[2:])
