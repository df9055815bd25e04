"""A hundred trials of identification from noisy torques, by ``make soak``."""

import pytest

from tests.identification.trials import trial

pytestmark = pytest.mark.slow


def test_torques_are_predicted_to_the_noise_by_bodies_that_can_exist_in_every_trial():
    assert [seed for seed in range(100) if not trial(seed)] == []
