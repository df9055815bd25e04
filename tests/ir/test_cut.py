"""Programs in pieces: bounded sizes, cuts where little crosses, slots used again, and a checker that finds mistakes."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sixd import ops
from sixd.ir import Port, trace
from sixd.ir.passes import fuse
from sixd.ir.passes.cut import Angles, Piece, cut
from sixd.ir.program import Node, Program, ProgramError
from tests.ir.programs import random_function


def random_program(seed, length=400):
    function, size = random_function(np.random.default_rng(seed), length)
    return fuse(trace(function, [Port("x", (size,)), Port("unused", (3,))], "random"))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("size", [1, 2, 7, 50, 10_000])
def test_pieces_are_bounded_and_make_every_node_once(seed, size):
    program = random_program(seed)
    found = cut(program, size)
    pieces = [step for step in found.steps if isinstance(step, Piece)]
    again = ("const", "neg", "less")
    made = [k for piece in pieces for k in piece.nodes if program.nodes[k].op not in again]
    given = ("input", "sin", "cos", *again)
    assert sorted(made) == [k for k in program.live() if program.nodes[k].op not in given]
    assert all(len([k for k in piece.nodes if program.nodes[k].op not in again]) <= size for piece in pieces)
    assert found.inputs[1] is None, "an input that is not used has no slots"
    if size == 50:
        assert found.slots < len(made), "slots are used again"


def test_angles_come_first_in_groups():
    def function(x, y):
        first = [ops.sin(a) * ops.cos(b) for a, b in pairwise(x)]
        return [("y", (1,), [sum(ops.sin(2.0 * a) for a in first) + ops.cos(-x[0])])]

    found = cut(trace(function, [Port("x", (5,)), Port("y", (1,))], "test"), 3)
    groups = [k for k, step in enumerate(found.steps) if isinstance(step, Angles)]
    assert [len(found.steps[k].angles) for k in groups] == [6, 4]
    last = [k for k, step in enumerate(found.steps) if isinstance(step, Piece)][-1]
    assert groups[-1] < last


def test_a_cut_is_where_least_crosses():
    """Sums of squares in groups of eight: between groups one number crosses, within them more."""

    def function(x):
        total = x[0]
        for k in range(20):
            squares = [(x[j] * (k + 1.5) + 1.0) * x[j] for j in range(8)]
            total = sum(squares, total) * 0.5
        return [("y", (), [total])]

    found = cut(trace(function, [Port("x", (8,))], "test"), 60)
    assert len(found.steps) > 4
    assert all(len(step.stores) == 1 for step in found.steps)


def test_the_checker_finds_broken_cuts():
    found = cut(random_program(3), 20)
    pieces = [k for k, step in enumerate(found.steps) if isinstance(step, Piece) and step.stores and step.loads]

    def with_step(k, step):
        return replace(found, steps=(*found.steps[:k], step, *found.steps[k + 1 :]))

    found.verify()
    step = found.steps[pieces[2]]
    lost = with_step(pieces[2], replace(step, stores={}))
    swapped = replace(found, steps=found.steps[::-1])
    blind = with_step(pieces[2], replace(step, loads={}))
    late = with_step(pieces[2], replace(step, nodes=step.nodes[::-1]))
    foreign = with_step(pieces[2], replace(step, stores={**step.stores, next(iter(step.loads)): 0}))
    few = replace(found, slots=found.slots - 1)
    wrong = replace(found, results=tuple(tuple(slot + 1 for slot in slots) for slots in found.results))
    for broken in (lost, swapped, blind, late, foreign, few, wrong):
        with pytest.raises(ProgramError):
            broken.verify()


def test_equal_nodes_that_were_not_merged():
    """Programs made by hand may have an input, a sine or a result several times."""
    nodes = (
        Node("input", (), (0, 1)),
        Node("input", (), (0, 1)),
        Node("sin", (0,)),
        Node("sin", (0,)),
        Node("cos", (1,)),
        Node("mul", (2, 4)),
        Node("add", (3, 5)),
        Node("neg", (6,)),
    )
    program = Program("twice", (Port("x", (2,)),), (Port("y", (4,)),), nodes, ((6, 7, 1, 3),))
    assert len(cut(program, 1).verify().results[0]) == 4
