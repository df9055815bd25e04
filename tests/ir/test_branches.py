"""Branches: a jump leaves out only what selects throw away, and every node stands in one place."""

import math

import numpy as np
import pytest

from sixd import ops
from sixd.ir import Port, trace
from sixd.ir.passes import branches, fuse
from sixd.ir.passes.branches import Branch, with_branches
from sixd.ir.passes.cut import Piece, cut
from sixd.ir.primitives import PRIMITIVES
from tests.ir.programs import random_function


def items_of(program):
    return with_branches(program.nodes, range(len(program.nodes)), [k for entries in program.results for k in entries])


def all_nodes(items):
    for item in items:
        if isinstance(item, Branch):
            yield from all_nodes(item.sides[0])
            yield from all_nodes(item.sides[1])
            yield from item.selects
        else:
            yield item


def all_branches(items):
    for item in items:
        if isinstance(item, Branch):
            yield item
            for side in item.sides:
                yield from all_branches(side)


def run(program, items, x):
    """The results with only one side of each branch computed; a value that is missing raises."""
    values = {}

    def compute(some):
        for item in some:
            if isinstance(item, Branch):
                side = 0 if values[item.condition] else 1
                known = set(values)
                compute(item.sides[side])
                chosen = {k: values[program.nodes[k].args[1 + side]] for k in item.selects}
                for k in set(values) - known:
                    del values[k]  # no other code may need it
                values.update(chosen)
                continue
            node = program.nodes[item]
            if node.op == "const":
                values[item] = node.attr
            elif node.op == "input":
                values[item] = x[node.attr[1]]
            else:
                values[item] = PRIMITIVES[node.op].evaluate(*node.tables, *(values[a] for a in node.args))

    compute(items)
    return [[values[k] for k in entries] for entries in program.results]


@pytest.mark.parametrize("worth", [1, 8])
@pytest.mark.parametrize("seed", range(10))
def test_random_programs_give_the_same_bits_with_one_side_computed(seed, worth, monkeypatch):
    monkeypatch.setattr(branches, "WORTH", worth)
    rng = np.random.default_rng(seed)
    function, size = random_function(rng, 400)
    program = fuse(trace(function, [Port("x", (size,))], "random"))
    items = items_of(program)
    assert sorted(all_nodes(items)) == list(range(len(program.nodes)))
    assert worth > 1 or any(all_branches(items))
    for _ in range(5):
        x = rng.normal(size=size).tolist()
        assert run(program, items, x) == run(program, tuple(range(len(program.nodes))), x)


@pytest.mark.parametrize("seed", range(10))
def test_pieces_of_random_programs_make_all_that_they_store(seed, monkeypatch):
    monkeypatch.setattr(branches, "WORTH", 1)
    rng = np.random.default_rng(seed)
    function, size = random_function(rng, 400)
    program = fuse(trace(function, [Port("x", (size,))], "random"))
    pieces = [step for step in cut(program, 60).steps if isinstance(step, Piece)]
    for piece in pieces:
        items = with_branches(program.nodes, piece.nodes, dict.fromkeys(piece.stores, 0))  # by slot: zero is one
        assert sorted(all_nodes(items)) == sorted(piece.nodes)
        within = {k for branch in all_branches(items) for side in branch.sides for k in all_nodes(side)}
        assert within.isdisjoint(piece.stores)


def branches_of(function, size=3):
    program = trace(lambda x: [("y", (), [function(x)])], [Port("x", (size,))], "test")
    return program, list(all_branches(items_of(program)))


def length(x):
    return ops.divide(x[0], ops.sqrt(x[0] * x[0] + x[1] * x[1]))


def test_selects_with_one_condition_are_decided_together():
    def two(x):
        scale, is_small = length(x), x[2] < 0.0
        a, b = ops.where(is_small, x[0], scale * x[0]), ops.where(is_small, x[1], scale * x[1])
        return a - b

    program, (found,) = branches_of(two)
    assert len(found.selects) == 2
    assert found.sides[0] == ()
    assert {program.nodes[k].op for k in found.sides[1]} >= {"div", "sqrt"}


def test_a_select_that_needs_another_is_not_decided_with_it():
    def chain(x):
        is_small = x[2] < 0.0
        first = ops.where(is_small, x[0], length(x))
        return ops.where(is_small, x[1], length([first, x[2]]))

    _, found = branches_of(chain)
    assert [len(branch.selects) for branch in found] == [1, 1]


def test_a_branch_within_a_side_is_nested():
    def nested(x):
        inner = ops.where(x[0] < 0.0, length(x) * x[2], x[1])
        return ops.where(x[2] < 0.0, x[0], ops.sqrt(1.0 + inner * inner))

    _, (outer, inner) = branches_of(nested)
    assert inner in outer.sides[1]


def test_what_others_need_is_computed_anyway():
    def shared(x):
        scale = length(x)
        return ops.where(x[2] < 0.0, x[0], scale * x[1]) + scale

    assert branches_of(shared)[1] == []


def test_cheap_sides_are_computed_anyway():
    assert branches_of(lambda x: ops.where(x[2] < 0.0, x[0] + x[1], x[0] * x[1]))[1] == []


def test_a_result_is_computed_anyway():
    def function(x):
        scale = length(x)
        return [("y", (2,), [ops.where(x[2] < 0.0, x[0], scale), scale])]

    program = trace(function, [Port("x", (3,))], "test")
    assert list(all_branches(items_of(program))) == []
    assert math.isclose(run(program, items_of(program), [3.0, 4.0, 1.0])[0][1], 0.6)
