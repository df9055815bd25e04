"""LLVM's level is a matter of time alone: the code that most tests run gives the bits of the code that users run."""

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.algorithms import ALGORITHMS
from sixd.backends.llvm import target
from tests.algorithms.calls import fixed_for, shapes_for, state, suited


def bits(name, robot, rolled):
    """The results of an algorithm at the level that is set: of a batch, of one state, and in single precision."""
    title = f"{name}_{target.LEVEL}"  # code of another name is not the code in memory
    fixed, shapes = fixed_for(name, robot), shapes_for(name, robot)
    kernel = sixd.compile(ALGORITHMS[name], robot, shapes=shapes, name=title, rolled=rolled, **fixed)
    given = state(name, robot, 9)
    batch = [given[port.name] for port in kernel.inputs]
    one, rough = [a[0] for a in batch], [a.astype(np.float32) for a in batch]
    results = [kernel(*arguments) for arguments in (batch, one, rough)]
    return [part.tobytes() for result in results for part in (result if isinstance(result, tuple) else (result,))]


def check(name, robot, rolled, monkeypatch):
    found = bits(name, robot, rolled)
    monkeypatch.setattr(target, "LEVEL", 0)
    assert bits(name, robot, rolled) == found


#: A third of the algorithms; all of them in the soak.
SOME = [pytest.param(name, marks=pytest.mark.slow) if k % 3 else name for k, name in enumerate(ALGORITHMS)]


@pytest.mark.parametrize("name", SOME)
def test_the_same_bits(name, monkeypatch):
    check(name, suited(name, gallery.double_pendulum()), False, monkeypatch)


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("name", ["rnea", "crba", "aba"])
def test_the_same_bits_of_large_code(name, rolled, monkeypatch):
    check(name, gallery.quadruped(), rolled, monkeypatch)
