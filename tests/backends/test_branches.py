"""Code that jumps over what no sample needs: the bits of code that computes both sides, in batches of any mixture."""

import numpy as np
import pytest

import sixd
from sixd import ops
from sixd.backends.llvm import pieces
from sixd.backends.llvm.target import lanes
from sixd.ir.passes import branches
from tests.backends.compiled import Compiled
from tests.backends.test_pieces import ARM, bits


def slide(x):
    """Friction as in `sixd.simulation.contact.solver`: two selects of one condition, another one within a side."""
    p, v, limit = [x[0], x[1]], [x[2], x[3]], x[4]
    size = v[0] * v[0] + v[1] * v[1]
    scale = ops.where(size > limit * limit, ops.divide(limit, ops.sqrt(size)), 1.0)
    sticks = p[0] * p[0] + p[1] * p[1] < limit
    pairs = zip(p, v, strict=True)
    return [("y", (2,), [ops.where(sticks, a, ops.sqrt(scale) * b - ops.arctan2(a, b)) for a, b in pairs])]


def both_sides(x):
    """Both sides are worth a jump."""
    first = ops.divide(x[0], ops.sqrt(1.0 + x[1] * x[1]))
    second = ops.arctan2(x[2], ops.sqrt(2.0 + x[3] * x[3]))
    return [("y", (), [ops.where(x[4] < 0.0, first, second) * x[0]])]


def states(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 5))
    x[: n // 4, 4] = 100.0  # all stick
    x[n // 4 : n // 2, 4] = -100.0  # none
    x[n // 2 + 3, 2] = np.nan
    x[n // 2 + 4, 4] = np.nan  # the condition itself
    x[n // 2 + 5, 3] = np.inf
    return x


@pytest.mark.parametrize("function", [slide, both_sides])
@pytest.mark.parametrize("width", [2, None])
def test_the_same_bits_as_without_jumps(function, width, monkeypatch):
    x = states(16 * lanes())
    jumping = Compiled(function, (5,), width=width)
    monkeypatch.setattr(branches, "WORTH", 10**6)
    straight = Compiled(function, (5,), width=width)
    assert bits(jumping(x)) == bits(straight(x))
    rough = x.astype(np.float32)
    assert bits(jumping(rough)) == bits(straight(rough))
    for k in range(0, len(x), 5):
        assert bits(jumping(x[k])) == bits(straight(x)[k])


@pytest.mark.parametrize("size", [10, 60, 500])
def test_pieces_jump_too(size, monkeypatch):
    """Values that a piece loads within a side are loaded again where they are needed after it."""
    monkeypatch.setenv("SIXD_CACHE", "off")

    def sweeps(model, x):
        p = list(x)
        for _ in range(12):
            ((_, _, (p[0], p[1])),) = slide(p)
            p[2], p[3] = 0.5 * p[3] - x[0] * p[0], 0.25 * p[2] + x[1] * p[1]
        return np.array([*p, x[0] + x[1]], dtype=object)

    found = []
    for whole, worth in ((10**6, 10**6), (10**6, 8), (0, 8)):
        monkeypatch.setattr(pieces, "WHOLE", whole)
        monkeypatch.setattr(pieces, "SIZE", size)
        monkeypatch.setattr(branches, "WORTH", worth)
        kernel = sixd.compile(sweeps, ARM, rolled=False, shapes={"x": (5,)})
        x = states(8 * lanes() + 3)
        found.append([bits(kernel(x)), *(bits(kernel(row)) for row in x[::7])])
    assert found[0] == found[1] == found[2]
