"""What is no longer used goes: robots, kernels, functions, machine code."""

import gc
import sys
import weakref
from functools import cached_property

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.algorithms.algorithm import algorithm
from sixd.compiler import choice as kernels
from sixd.runtime.least_recently_used import Recent
from tests.pendulums import METHODS, pendulum


def gone(reference):
    gc.collect()
    return reference() is None


@pytest.fixture
def few(monkeypatch):
    """Stores of this process that keep two things each, so that what was used before is given up."""
    for module, name in (
        (kernels, "_CHOOSERS"),
        (kernels, "_KERNELS"),
        (sys.modules["sixd.compiler.rolled.kernel"], "_SHARED"),
    ):
        monkeypatch.setattr(module, name, Recent(2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["auto", "rolled", "unrolled", "python"])
def test_a_robot_goes_with_its_last_user(monkeypatch, few, kind, dtype):
    monkeypatch.setenv("SIXD_KERNELS", kind)
    robot = pendulum(1.0)
    q = np.zeros(2, dtype)
    for method in METHODS.values():
        method(robot, q, q, "lower")
    reference = weakref.ref(robot)
    del robot
    assert gone(reference)


def test_the_stores_keep_kernels_and_not_robots():
    """The code of the methods used last stays, with the numbers of the robot, but without all that it has computed."""
    robot = pendulum(1.1)
    robot.mass_matrix([0.0, 0.0])
    reference = weakref.ref(robot)
    del robot
    assert gone(reference)
    again = pendulum(1.1)
    assert kernels.chooser(algorithms.crba, again, {}, {}) is kernels.chooser(algorithms.crba, pendulum(1.1), {}, {})


class Owner(sixd.Robot):
    """A robot that keeps kernels of its own."""

    @cached_property
    def unrolled(self):
        return sixd.compile(algorithms.rnea, self)

    @cached_property
    def rolled(self):
        return sixd.compile(algorithms.rnea, self, rolled=True)


@pytest.mark.parametrize("how", ["unrolled", "rolled"])
def test_a_robot_that_keeps_its_kernels(few, how):
    for _ in range(2):  # compiled, then from the cache
        robot = Owner.of(pendulum(1.2))
        kernel = getattr(robot, how)
        kernel(*np.zeros((3, 2)))
        kernel(*np.zeros((3, 2), np.float32))
        assert kernel.program.nodes
        reference = weakref.ref(robot)
        del robot, kernel
        assert gone(reference)


class Controller:
    """An object with a kernel of its own method."""

    def __init__(self, gain, rolled):
        robot, self.gain = pendulum(1.3), gain

        @algorithm
        def forces(tree, q, qd, qdd):
            assert self.gain
            return algorithms.rnea(tree, q, qd, qdd)

        self.kernel = sixd.compile(forces, robot, rolled=True) if rolled else sixd.compile(self.forces, robot)

    def forces(self, model, q, qd, qdd):
        return self.gain * algorithms.rnea(model, q, qd, qdd)


@pytest.mark.parametrize("rolled", [False, True])
def test_an_object_that_keeps_a_kernel_of_its_own(few, rolled):
    owners = [Controller(gain, rolled) for gain in (2.0, 3.0, 4.0)]
    for owner in owners:
        owner.kernel(*np.zeros((3, 2), np.float32))
    reference = weakref.ref(owners[0])
    del owner, owners
    assert gone(reference)


def test_machine_code_goes_with_its_kernel(few):
    kernel = sixd.compile(algorithms.rnea, pendulum(1.4))
    engine = weakref.ref(kernel.code.module.engine)
    gufunc = kernel.gufunc
    del kernel
    gc.collect()
    assert engine() is not None, "a gufunc keeps what it runs"
    gufunc(*np.zeros((3, 2)))
    del gufunc
    assert gone(engine)
