"""Kernels for frames that are given by name, against the methods of robots."""

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ChoiceError, ModelError, NameNotFoundError, algorithms
from sixd.algorithms import ALGORITHMS
from sixd.algorithms.declared import Kind
from sixd.joints import Revolute
from sixd.model import Frame
from tests.algorithms.calls import fixed_for, shapes_for, state
from tests.laws.trees import states, tree


def robot():
    """A small tree with a frame that is turned and away from the origin of its body."""
    return tree("tree of simple joints")


#: Algorithms with an argument ``body``.
ON_BODIES = [name for name, f in ALGORITHMS.items() if f.declaration.kind("body") is Kind.BODY]


@pytest.mark.parametrize("name", ON_BODIES)
def test_a_frame_is_its_body_and_its_offset(name):
    model, algorithm = robot(), ALGORITHMS[name]
    frame = model.frames["flange"]
    rest = {k: x for k, x in fixed_for(name, model).items() if k not in ("body", "offset")}
    options = {"shapes": shapes_for(name, model), **rest}
    arrays = list(state(name, model, 3).values())
    wanted = sixd.compile(algorithm, model, body=frame.body, offset=frame.offset, **options)(*arrays)
    for given in ({"frame": "flange"}, {"body": "flange"}, {"frame": frame}):
        np.testing.assert_equal(sixd.compile(algorithm, model, **given, **options)(*arrays), wanted)


def test_methods_and_derivatives_agree():
    model = robot()
    q, qd, _ = states(model)
    np.testing.assert_allclose(sixd.compile(algorithms.pose, model, frame="flange")(q), model.pose(q, "flange"))
    for rolled in (False, True):
        kernel = sixd.compile(algorithms.jacobian, model, frame="flange", expressed_in="world", rolled=rolled)
        np.testing.assert_allclose(kernel(q), model.jacobian(q, "flange", "world"), atol=1e-13)
    by_q = sixd.compile(sixd.jvp(algorithms.pose, "q", tangent=True), model, frame="flange")(q, qd)
    velocity = model.velocity(q, qd, "flange", "aligned")[:, 3:]
    np.testing.assert_allclose(by_q[:, :3, 3], velocity, atol=1e-12)


def test_two_hands():
    model = robot()
    q, qd, _ = states(model)
    other = model.bodies.names[2]
    kernel = sixd.compile(algorithms.grasp_constraint, model, left="flange", right=other)
    wanted = model.grasp_constraint(q, qd, "flange", other)
    for found, part in zip(kernel(q, qd), wanted, strict=True):
        np.testing.assert_allclose(found, part, atol=1e-12)


def test_functions_of_one_s_own():
    model, q = robot(), robot().random(0)

    def height(model, q, body, offset=None):
        return algorithms.pose(model, q, body, offset).r[2]

    assert sixd.compile(height, model, frame="flange")(q) == pytest.approx(model.pose(q, "flange")[2, 3])

    def named(model, q, frame):
        return q[0] * {"one": 1.0, "two": 2.0}[frame]

    assert sixd.compile(named, model, frame="two")(q) == 2.0 * q[0]


def test_bodies_without_an_offset():
    """A body's own frame will do; one elsewhere would be taken for the body's."""
    model = robot()

    def depth(model, q, body):
        return q[0] * body

    last = model.bodies.names[-1]
    assert sixd.compile(depth, model, body=last)(np.ones(model.nq)) == model.n_bodies
    with pytest.raises(ModelError, match="'flange' is not at the origin of its body, and no argument places"):
        sixd.compile(depth, model, frame="flange")


def test_mistakes():
    model = robot()
    with pytest.raises(NameNotFoundError, match="no frame named 'flang'; did you mean 'flange'"):
        sixd.compile(algorithms.pose, model, frame="flang")
    with pytest.raises(NameNotFoundError, match="no frame named 'flang'; did you mean 'flange'"):
        sixd.compile(algorithms.grasp_constraint, model, left="flang", right="flange")
    with pytest.raises(ChoiceError, match="frame is given, but rnea has no argument body"):
        sixd.compile(algorithms.rnea, model, frame="flange")
    with pytest.raises(ArgumentError, match="give frame or body, not both"):
        sixd.compile(algorithms.pose, model, frame="flange", body=1)
    with pytest.raises(ArgumentError, match="leave offset out"):
        sixd.compile(algorithms.pose, model, frame="flange", offset=sixd.Transform.identity())
    with pytest.raises(ModelError, match="frame must be the name of a frame, not 3"):
        sixd.compile(algorithms.pose, model, frame=3)
    with pytest.raises(ModelError, match="this frame 'flange' belongs to another robot"):
        sixd.compile(algorithms.pose, model, frame=Frame("flange", 1))
    other = sixd.Builder("b").body("a", joint=Revolute(), mass=1.0, inertia=(1.0, 1.0, 1.0)).build()
    with pytest.raises(NameNotFoundError, match="the model has 'base', 'a'"):
        sixd.compile(algorithms.pose, other, frame="flange")
