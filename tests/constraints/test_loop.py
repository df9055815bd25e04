"""Loops: the laws of every joint type that can close one, and what is refused."""

import pickle

import numpy as np
import pytest

import sixd
from sixd import Loop, algorithms
from sixd.constraints import CONSTRAINTS
from sixd.joints import Joint, Revolute, Universal
from sixd.spatial import Motions, Transform, Vector
from sixd.testing.precise import derivative, precise
from tests.constraints.closing import LOOP_JOINTS, closed_by

EVERY = pytest.mark.parametrize("joint", LOOP_JOINTS, ids=repr)


def moved(closed, q, qd, h):
    """The position after a time h, in high precision."""
    return algorithms.integrate(closed, precise(q), [x * h for x in precise(qd)])


@EVERY
def test_the_jacobian_is_the_derivative_of_the_error(joint):
    closed, q = closed_by(joint, seed=3)
    qd = np.random.default_rng(1).normal(size=closed.nv)
    assert np.abs(closed.constraint_error(q)).max() < 1e-13
    rate = derivative(lambda h: algorithms.constraint_error(closed, moved(closed, q, qd, h)))
    np.testing.assert_allclose(closed.constraint_jacobian(q) @ qd, rate, atol=1e-12)


@EVERY
def test_the_bias_is_the_rate_of_the_velocity_of_the_rows(joint):
    closed, q = closed_by(joint, seed=4)
    qd = np.random.default_rng(2).normal(size=closed.nv)
    rate = derivative(lambda h: algorithms.constraint_jacobian(closed, moved(closed, q, qd, h)) @ precise(qd))
    np.testing.assert_allclose(closed.constraint_bias(q, qd), -rate, atol=1e-12 * np.abs(rate).max())


@EVERY
def test_rows_and_columns(joint):
    closed, q = closed_by(joint, seed=5)
    L = closed.constraint_jacobian(q)
    (closure,) = closed.closures
    assert L.shape == (closed.n_rows, closed.nv) == (6 - (joint.nv if joint else 0), closed.nv)
    between = {k for i in (*closure.path_a, *closure.path_b) for k in range(closed.nv)[closed.coordinates[i].v]}
    others = sorted(set(range(closed.nv)) - between)
    assert np.array_equal(L[:, others], np.zeros((closed.n_rows, len(others))))
    if joint is not None and joint.constant_subspace:
        S = joint.subspace(joint.neutral()).array()
        T = closed.constraint_list[0].forces(Transform.identity()).array()
        assert np.abs(T.T @ S).max() < 1e-15


def test_joints_that_carry_both_frames_do_not_count():
    dog = sixd.gallery.quadruped()
    feet = [f.name for f in dog.frame_list if "foot" in f.name][:2]
    closed = dog.close(Loop(*feet, "point"))
    assert not closed.constraint_jacobian(dog.neutral())[:, :6].any()


def test_records_have_content():
    one, again = (Loop("a", "b", "revolute", axis="z", name="pin") for _ in range(2))
    assert one.content == again.content != Loop("a", "b", "revolute", axis="y", name="pin").content
    assert pickle.loads(pickle.dumps(one)).content == one.content
    assert Loop("a", "b", Revolute("z"), name="pin").content == one.content
    assert (Loop("a", "b", "point").rows, Loop("a", "b").rows, one.rows) == (3, 6, 5)
    assert Loop("a", "b", stabilisation=4).stabilisation == (4.0, 4.0)
    assert one.renamed("left ").frames == ("left a", "left b")
    assert CONSTRAINTS["loop"] is Loop


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"frame_b": "a"}, "needs two frames, but both are 'a'"),
        ({"frame_b": 3}, "frame_b of a loop must be a name"),
        ({"joint": "hinge"}, "joint must be a Joint or one of 'weld', 'point', .*'revolute'"),
        ({"joint": "revolute"}, "a revolute joint needs an axis"),
        ({"joint": "revolute", "axis": "w"}, "three numbers or a letter"),
        ({"joint": "point", "axis": "z"}, "has no axis"),
        ({"joint": Universal(), "axis": "z"}, "axis is for a joint given by name"),
        ({"joint": "free"}, "a free joint constrains nothing"),
        ({"offset": np.zeros((4, 4))}, "offset is a Transform or a pose"),
        ({"stabilisation": (1.0, -2.0)}, "must not be negative"),
        ({"stabilisation": (1.0, 2.0, 3.0)}, "must be 2 numbers"),
        ({"rank_tolerance": 1.0}, "at least 0 and less than 1"),
        ({"name": 7}, "the name of a loop is text"),
    ],
)
def test_loops_that_are_none(arguments, words):
    with pytest.raises(sixd.SixdError, match=words):
        Loop(**{"frame_a": "a", "frame_b": "b", **arguments})


def test_a_joint_type_that_cannot_close_loops_says_what_it_lacks():
    class Wobbly(Joint):
        name, nq, nv, extent = "wobbly", 1, 1, (1.0,)
        constant_subspace = False

        def transform(self, q: Vector) -> Transform:
            return Transform.rotation((0.0, 0.0, 1.0), q[0])

        def subspace(self, q: Vector) -> Motions:
            return Revolute("z").subspace(q)

    try:
        with pytest.raises(sixd.SixdError, match=r"wobbly.*Define its method nearest\(X\) and constraint_sub"):
            Loop("a", "b", Wobbly())
    finally:
        sixd.joints.JOINTS.pop("wobbly")
