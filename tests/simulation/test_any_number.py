"""Functions of one's own in force elements and grounds: all that can be recorded is right, the rest is named."""

import math

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.simulation import forces
from sixd.simulation.contact import HeightField

ARM = gallery.double_pendulum()


def run(field):
    return sixd.simulate(ARM, [0.3, 0.2], [0.1, 0.1], duration=0.01, dt=0.005, forces=[field])


def still(p, v, t):
    return 0.0, 0.0, 0.0


@pytest.mark.parametrize(
    ("force", "potential"),
    [
        (lambda p, v, t: (-2.0 * p[0], 0.0, 0.0), lambda p: p[0] ** 2),
        (lambda p, v, t: (-(p[0] > 0.0) + (p[0] < 0.0), 0.0, 0.0), lambda p: abs(p[0])),
        (lambda p, v, t: (0.0, 0.0, (p[2] + 9.0) ** -2), lambda p: (p[2] + 9.0) ** -1),
        (lambda p, v, t: (0.0, 0.0, -0.5 / (p[2] + 9.0) ** 0.5), lambda p: (p[2] + 9.0) ** 0.5),
        (lambda p, v, t: (sixd.ops.sin(p[0]), 0.0, 0.0), lambda p: np.cos(p.array()[:1]).sum()),
    ],
)
def test_potentials(force, potential):
    assert run(forces.Field(force, potential)).finished


@pytest.mark.parametrize(
    ("potential", "message"),
    [
        (lambda p: math.cos(p[0]), "lose the derivative"),
        (lambda p: np.exp(p.array()).sum(), "not known for numbers with a derivative"),
        (lambda p: p[0] ** 1.5, "integers and 0.5, not to 1.5"),
        (lambda p: p[0] % 2.0, "not known"),
        (lambda p: 2.0 ** p[1], "the potential of a field is written for any kind of number"),
        (lambda p: np.sqrt(p @ p), "the potential of a field is written for any kind of number"),
    ],
)
def test_potentials_that_cannot_be_differentiated(potential, message):
    with pytest.raises(sixd.SixdError, match=message) as error:
        run(forces.Field(still, potential))
    assert "test_any_number.py, line" in str(error.value)


@pytest.mark.parametrize(
    ("height", "slope"),
    [
        (lambda x, y: 0.1 * x**2, 0.2),
        (lambda x, y: abs(x) + y, 1.0),
        (lambda x, y: (x + 1.0) ** -1, -0.25),
        (lambda x, y: (x + 3.0) ** 0.5, 0.25),
        (lambda x, y: np.array([x, x], dtype=object).sum(), 2.0),
    ],
)
def test_heights(height, slope):
    assert HeightField(height).gradient(1.0, 2.0)[0] == pytest.approx(slope)


@pytest.mark.parametrize("height", [lambda x, y: math.sin(x), lambda x, y: x % 2.0, lambda x, y: np.cos(x)])
def test_heights_that_cannot_be_differentiated(height):
    with pytest.raises(sixd.SixdError, match=r"a height h\(x, y\) is written for any kind of number.*line"):
        HeightField(height)
