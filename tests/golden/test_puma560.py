"""The Puma 560 against the figures printed in P. Corke, "Robotics, Vision and Control" (four decimals)."""

import numpy as np
import pytest

from sixd import gallery

NOMINAL = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]


@pytest.fixture(scope="module")
def puma():
    return gallery.puma560()


def test_gravity_load(puma):
    np.testing.assert_allclose(puma.gravity_forces(np.zeros(6)), [0, 37.4837, 0.2489, 0, 0, 0], atol=5e-5)
    np.testing.assert_allclose(puma.gravity_forces(NOMINAL), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)


def test_inertia_with_rotors(puma):
    printed = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ]
    np.testing.assert_allclose(puma.mass_matrix(NOMINAL), printed, atol=5e-5)


def test_tool_at_the_zero_position(puma):
    np.testing.assert_allclose(puma.pose(np.zeros(6), "dh6")[:3, 3], [0.4521, -0.1500, 0.4318], atol=6e-5)
