"""The trees that algorithms walk keep one protocol: `ModelTree` on numbers, `RolledTree` while loops are recorded."""

import inspect
from abc import ABC
from collections.abc import Iterator

import pytest

from sixd import ArgumentError, Loop, SpatialTypeError, gallery
from sixd.compiler.robot_table import cases_of
from sixd.compiler.rolled import RolledTree, RollError, storage
from sixd.joints import Joint
from sixd.model import ModelTree, model_tree, tree
from sixd.model.tree import Tree
from sixd.spatial import Force, Inertia, Matrix, Motion, Motions, Transform, Vector

ROBOT = gallery.quadruped()
MEMBERS = [name for name in vars(Tree) if not name.startswith("_")]
STORAGE = [name for name in tree.__all__ if ABC in getattr(getattr(tree, name), "__bases__", ())]


def numbers():
    """A tree on numbers, with a state: q, qd and forces on the bodies."""
    q, qd, f = ROBOT.neutral(), [0.1] * ROBOT.nv, [[0.0] * 6] * ROBOT.n_bodies
    return ModelTree(ROBOT), q, qd, f


def recorded():
    """A tree of recorded loops, whose state are the inputs 0, 1 and 2."""
    return RolledTree(cases_of(ROBOT, False, True), None, False, True, {}), *map(storage.Argument, range(3))


TREES = pytest.mark.parametrize("make", [numbers, recorded])


def test_there_is_something_to_keep():
    assert {"outward", "slots", "cell", "output", "positions", "gravity"} <= set(MEMBERS)
    assert {"Slots", "Cell", "Positions", "Velocities", "BodyForces", "Output", "MatrixOutput"} <= set(STORAGE)


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("kind", [ModelTree, RolledTree])
def test_members_have_the_same_arguments(kind, name):
    said, found = inspect.getattr_static(Tree, name), inspect.getattr_static(kind, name)
    assert name in vars(kind), "it is implemented"
    assert type(found) is type(said)
    if inspect.isfunction(said):
        arguments = [[(p.name, p.default) for p in inspect.signature(f).parameters.values()] for f in (said, found)]
        assert arguments[0] == arguments[1]


@pytest.mark.parametrize("name", [name for name in STORAGE if name != "Tree"])
@pytest.mark.parametrize("module", [model_tree, storage])
def test_places_for_values_are_those_of_the_protocol(module, name):
    own = [x for x in vars(module).values() if inspect.isclass(x) and x.__module__ == module.__name__]
    if name in ("TensorOutput", "RowsOutput", "RowsMatrixOutput") and module is storage:
        return  # tensors and rows of constraints are never recorded in loops
    assert [x for x in own if issubclass(x, getattr(tree, name))]


@TREES
def test_the_model_s_data(make):
    walk, *_ = make()
    assert isinstance(walk, Tree)
    assert walk.is_coupled is False
    assert isinstance(walk.gravity, Motion)
    for i, _ in walk.outward():
        joint = walk.joint(i)
        assert isinstance(joint, Joint)
        assert isinstance(walk.placement(i), Transform)
        assert isinstance(walk.inertia(i), Inertia)
        assert isinstance(walk.rotor_inertia(i), Matrix)
        assert len(walk.rotor_inertia(i).rows) == joint.nv
        for data in (walk.damping(i), walk.friction(i), walk.stiffness(i)):
            assert len(data) == joint.nv
        assert len(walk.rest(i)) == joint.nq


@TREES
def test_loops_and_places(make):
    walk, *_ = make()
    v, x, total = walk.slots(Motion, base=Motion.zero()), walk.slots(float, base=0.0), walk.cell(0.0)
    assert isinstance(v, tree.Slots)
    assert isinstance(total, tree.Cell)
    for i, p in walk.outward():
        v[i] = v[p] + walk.gravity
        x[i] = 1.0 + x[p]
        assert isinstance(v[i], Motion)
        with pytest.raises(SpatialTypeError, match="these slots hold Motion, not Force"):
            v[i] = Force.zero()
    for i, p in walk.inward():
        x[p] = x[p] + x[i]
        for j, k in walk.ancestors(i):
            total.now = total.now + x[j] * x[k]
        for j, _ in walk.path(i):
            total.now = total.now + x[j]


@TREES
def test_results(make):
    walk, *_ = make()
    results = walk.output(), walk.position_output(), walk.velocity_output(), walk.matrix_output()
    columns = walk.motions_output(), walk.forces_output(), walk.points_output()
    assert [type(x).__mro__[-3] for x in results] == [tree.Output] * 3 + [tree.MatrixOutput]
    for i, _ in walk.outward():
        nq, nv = walk.joint(i).nq, walk.joint(i).nv
        for result, size in zip(results, (nv, nq, nv), strict=False):
            result[i] = Vector([1.0] * size)
        results[3][i, i] = Matrix.diagonal([1.0] * nv)
        for result, column in zip(columns, (Motion.zero(), Force.zero(), Vector.zero()), strict=True):
            assert isinstance(result, tree.ColumnsOutput)
            result[i] = [column] * nv


@TREES
def test_views_of_arguments(make):
    walk, *given = make()
    q, qd, f = walk.positions(given[0], "q0"), walk.velocities(given[1], "dv"), walk.forces(given[2])
    assert walk.positions(q) is q
    assert walk.velocities(qd) is qd
    assert walk.forces(f) is f
    assert (isinstance(q, tree.Positions), isinstance(qd, tree.Velocities), isinstance(f, tree.BodyForces)) == (
        True,
    ) * 3
    nothing, no_forces = walk.velocities(None), walk.forces(None)
    for i, _ in walk.outward():
        joint = walk.joint(i)
        assert len(q[i]) == joint.nq
        assert len(qd[i]) == joint.nv
        assert isinstance(f[i], Force)
        assert list(nothing[i]) == [0.0] * joint.nv
        assert no_forces[i].components() == Force.zero().components()
        assert isinstance(joint.subspace(q[i]), Motions)


def test_what_only_a_model_has_is_refused_while_loops_are_recorded():
    walk, *_ = recorded()
    for ask in (
        lambda: walk.model,
        lambda: walk.subtree(1),
        lambda: walk.pair_slots(Motion),
        lambda: walk.constraints(),
        lambda: walk.rows_output(),
        lambda: walk.rows_matrix_output(),
        lambda: walk.output().values,
        lambda: walk.matrix_output().rows,
        lambda: walk.motions_output().columns,
        lambda: setattr(walk.output(), "values", []),
    ):
        with pytest.raises(RollError, match="recorded"):
            ask()


def test_constraints_and_their_rows():
    feet = [frame.name for frame in ROBOT.frame_list if "foot" in frame.name]
    walk = ModelTree(ROBOT.close(*(Loop(ROBOT.bodies[0].name, foot, "point") for foot in feet)))
    phi, L = walk.rows_output(), walk.rows_matrix_output()
    assert (isinstance(phi, tree.RowsOutput), isinstance(L, tree.RowsMatrixOutput)) == (True, True)
    assert isinstance(walk.constraints(), Iterator)
    for c in walk.constraints():
        assert (c.a, c.path_a) == (0, ())
        assert c.path_b == walk.model.path(c.b)
        phi[c] = Vector([1.0 + c.number] * c.constraint.rows)
        L.add(c, c.b, Matrix([[1.0], [2.0], [3.0]]))
        L.add(c, c.b, Matrix([[1.0], [2.0], [3.0]]))
        with pytest.raises(ArgumentError, match="written twice"):
            phi[c] = Vector.zero()
    assert phi.values == [1.0] * 3 + [2.0] * 3 + [3.0] * 3 + [4.0] * 3
    assert [sum(row) for row in L.rows] == [2.0, 4.0, 6.0] * 4
