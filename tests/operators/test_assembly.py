"""In which order a robot is put together: every joint once, in few rounds, and with few open ends."""

import numpy as np
import pytest

from sixd import Builder, Robot
from sixd.joints import Revolute
from sixd.model.random import random_tree
from sixd.operators import Assembly
from sixd.operators.mechanism import ClosingJoint


def made(parents):
    """A robot whose bodies have these parents, 0 for the base; numbers are those of the builder, depth first."""
    builder = Builder("tree")
    builder.link("body0")
    for i, p in enumerate(parents, 1):
        builder.body(f"body{i}", parent=f"body{p}", joint=Revolute(), mass=1.0, inertia=(1, 1, 1))
    return builder.build()


SHAPES = {
    "a chain": made(range(63)),
    "a binary tree": made([(i - 1) // 2 for i in range(1, 128)]),
    "a body that carries all others": made([0] + [1] * 60),
    "bodies on the base": made([0] * 20),
    "a comb": made([0] + [i - 1 if i % 2 else i - 2 for i in range(2, 64)]),
    "a random tree": Robot.of(random_tree(100, 3, branching=0.7, joints=["revolute"])),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loops", [(), (ClosingJoint(0, 20), ClosingJoint(3, 11))], ids=["tree", "loops"])
def test_every_joint_is_closed_once(shape, loops):
    robot = SHAPES[shape]
    assembly = Assembly.of(robot, loops)
    assert sorted(assembly.order) == list(range(1, robot.n_bodies + 1 + len(loops)))
    bodies = [{node.top} for node in assembly.nodes]
    for k, node in enumerate(assembly.nodes):
        if node.parts is not None:
            left, right = node.parts
            assert max(left, right) < k
            assert not bodies[left] & bodies[right]
            assert node.joints[0] in bodies[right]
            assert robot.parent[node.joints[0]] in bodies[left]
            bodies[k] = bodies[left] | bodies[right]
            assert node.level == 1 + max(assembly.nodes[p].level for p in node.parts)
    held = [bodies[k] for pieces, _ in assembly.groups for k in pieces]
    assert sorted(body for piece in held for body in piece) == list(range(1, robot.n_bodies + 1))


@pytest.mark.parametrize(
    ("shape", "depth", "ends"),
    [("a chain", 7, 2), ("a binary tree", 13, 4), ("a comb", 10, 4), ("bodies on the base", 1, 1)],
)
def test_few_rounds_and_few_open_ends(shape, depth, ends):
    assembly = Assembly.of(SHAPES[shape])
    assert assembly.depth <= depth
    assert max(len(node.open) for node in assembly.nodes) <= ends


def test_a_chain_takes_as_many_rounds_as_its_length_has_digits():
    depths = [Assembly.of(made(range(n))).depth for n in (2, 4, 8, 16, 32)]
    assert np.array_equal(np.diff(depths), np.ones(4))
