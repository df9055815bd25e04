"""Code for one state and code for batches are made by the first call that needs them, and give the same bits."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.backends.llvm.cache import Cache
from sixd.backends.llvm.call import call_module

ROBOT = gallery.seven_axis_arm()
STATES = np.random.default_rng(0).normal(size=(3, 37, ROBOT.nv))


def fresh():
    return sixd.compile(algorithms.rnea, ROBOT, rolled=False)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    call_module()  # what all kernels share is kept elsewhere
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_one_state_needs_no_code_for_batches(folder):
    kernel = fresh()
    kernel(*STATES[:, 0])
    assert "batches" not in kernel.times
    assert len(Cache(folder).entries()) == 1
    kernel(*STATES)
    assert "batches" in kernel.times
    assert len(Cache(folder).entries()) == 2


@pytest.mark.parametrize("batch_first", [False, True])
def test_bits_do_not_depend_on_what_is_called_first(batch_first):
    kernel = fresh()
    if batch_first:
        kernel(*STATES)
    one_by_one = np.array([kernel(*state) for state in STATES.transpose(1, 0, 2)])
    np.testing.assert_array_equal(one_by_one, kernel(*STATES))


def test_an_error_while_it_is_made_is_raised_and_the_next_call_tries_again(monkeypatch):
    kernel = fresh()

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["sixd.compiler.unrolled"], "find_code", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kernel(*STATES)
    np.testing.assert_array_equal(kernel(*STATES)[0], kernel(*STATES[:, 0]))


def test_another_process_finds_both():
    program = """
import numpy as np, sixd
kernel = sixd.compile(sixd.algorithms.rnea, sixd.gallery.seven_axis_arm(), rolled=False)
state = np.random.default_rng(0).normal(size=(3, 37, 7))
kernel(*state[:, 0])
print("load" in kernel.times, kernel(*state).tobytes().hex())
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    outputs = [run.stdout.split() for run in runs]
    assert [found for found, _ in outputs] == ["False", "True"]
    assert outputs[0][1] == outputs[1][1]
