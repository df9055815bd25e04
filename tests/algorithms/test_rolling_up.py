"""The loops over bodies can be recorded once per joint type: the algorithms keep the rules that this takes."""

import pytest

from sixd import algorithms
from sixd.algorithms.algorithm import algorithm
from sixd.joints import Revolute
from sixd.spatial import Force, Motion
from tests.symbolic_tree import Body, SymbolicTree

TIP = Body(Revolute())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rnea", (0, 0, 0)),
        ("rnea_absolute", (0, 0, 0)),
        ("bias_forces", (0, 0)),
        ("gravity_forces", (0,)),
        ("joint_forces", (0, 0, 0)),
        ("passive_forces", (0, 0)),
        ("aba", (0, 0, 0)),
        ("crba", (0,)),
        ("relative_pivots", (0,)),
        ("forward_kinematics", (0,)),
        ("velocities", (0, 0)),
        ("accelerations", (0, 0, 0)),
        ("pose", (0, TIP)),
        ("velocity", (0, 0, TIP, None, "aligned")),
        ("acceleration", (0, 0, 0, TIP, None, "world")),
        ("jacobian", (0, TIP, None, "world")),
        ("jacobian_rate", (0, 0, TIP)),
        ("frame_forces", (0, Force.zero(), TIP)),
        ("kinetic_energy", (0, 0)),
        ("potential_energy", (0,)),
        ("spring_energy", (0,)),
        ("center_of_mass", (0,)),
        ("center_of_mass_jacobian", (0,)),
        ("momentum", (0, 0)),
        ("momentum_matrix", (0,)),
        ("centroidal_momentum", (0, 0)),
        ("centroidal_momentum_matrix", (0,)),
        ("composite_inertias", (0,)),
    ],
)
def test_the_loop_over_bodies_can_be_recorded(name, arguments):
    getattr(algorithms, name)(SymbolicTree(), *arguments)


def test_a_question_about_a_body_is_refused():
    @algorithm
    def asks(tree, q):
        for _, p in tree.outward():
            if p == 0:
                return

    with pytest.raises(TypeError, match="question about the number"):
        asks(SymbolicTree(), 0)


def test_a_value_kept_from_iteration_to_iteration_is_found():
    @algorithm
    def keeps(tree, q, qd):
        v = tree.slots(Motion, base=Motion.zero())
        last = Motion.zero()
        for i, _ in tree.outward():
            v[i] = last + tree.joint(i).subspace(q[i]) @ qd[i]
            last = v[i]

    with pytest.raises(TypeError, match="keep it in a slot or a cell"):
        keeps(SymbolicTree(), 0, 0)


def test_a_slot_of_the_wrong_kind_is_found():
    @algorithm
    def mixes(tree, q, qd):
        f = tree.slots(Force)
        for i, _ in tree.outward():
            f[i] = tree.joint(i).subspace(q[i]) @ qd[i]

    with pytest.raises(TypeError, match="these slots hold Force, not Motion"):
        mixes(SymbolicTree(), 0, 0)
