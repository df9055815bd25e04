"""Closed robots: how they are made, edited, and what they refuse."""

import inspect
import pickle

import numpy as np
import pytest

import sixd
from sixd import ClosedRobot, Loop, Robot
from sixd.robot.closed.refused import REFUSED
from tests.constraints.mechanisms import four_bar

ARM = sixd.gallery.double_pendulum()
CLOSED = ARM.close(Loop("base", "tip", "point", name="hook"))

#: Methods about single bodies, positions, or the model itself: they are the same for a closed robot.
SAME = {
    *(
        "acceleration",
        "bias_acceleration",
        "body",
        "center_of_mass",
        "operational_space",  # which, as others of it, asks the robot for its algorithm
        "inverse_operational_inertia",
        "dynamically_consistent_inverse",
        "null_space_projector",
        "center_of_mass_jacobian",
        "check",
        "clip",
        "close",
    ),
    *("composite_inertia", "difference", "draw", "energy_regressor", "frame", "frame_forces", "grasp_constraint"),
    *("integrate", "jacobian", "jacobian_derivative", "jacobian_rate", "join", "joint", "kinetic_energy", "lock"),
    *("momentum", "momentum_derivatives", "momentum_matrix", "momentum_regressor", "motion_derivatives", "neutral"),
    *("of", "passive_forces", "path", "plot", "plot_tree", "pose", "poses", "potential_energy", "save_html", "show"),
    *("spring_energy", "subtree", "subtree_of", "velocity", "warm_up", "with_frame", "with_gravity", "with_inertia"),
    *("with_inertial_parameters", "with_name", "within_limits"),
}


def test_no_method_is_silently_that_of_the_tree():
    methods = {name for name, _ in inspect.getmembers(Robot, callable) if not name.startswith("_")}
    own = {name for name in methods if getattr(ClosedRobot, name) is not getattr(Robot, name)}
    assert methods - SAME - own == {"of"} - SAME
    assert set(REFUSED) <= own


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_a_remedy(name):
    with pytest.raises(sixd.SixdError, match=rf"has no {name}.*closed\.tree\.{name}"):
        getattr(CLOSED, name)(np.zeros(2))


def test_a_closed_robot_is_its_tree_and_its_constraints():
    assert isinstance(CLOSED, ClosedRobot)
    assert CLOSED.tree == ARM
    assert type(CLOSED.tree) is Robot
    assert CLOSED != ARM
    assert CLOSED.fingerprint != ARM.fingerprint
    assert CLOSED.constraints["hook"].frames == ("base", "tip")
    assert CLOSED.rows("hook") == slice(0, 3)
    assert pickle.loads(pickle.dumps(CLOSED)) == CLOSED
    assert Robot.of(CLOSED) == CLOSED
    assert ARM.close(Loop("base", "tip", "weld", name="hook")).fingerprint != CLOSED.fingerprint
    with pytest.raises(sixd.NameNotFoundError, match="no constraint named 'hok'; did you mean 'hook'"):
        CLOSED.rows("hok")


def test_open_robots_keep_their_fingerprint():
    assert sixd.gallery.pendulum().fingerprint.startswith("92f8eb306c3f01ba")


def test_batches_and_out():
    q = ARM.random(0, size=(3, 4))
    phi = CLOSED.constraint_error(q)
    assert phi.shape == (3, 4, 3)
    out = np.empty_like(phi)
    assert CLOSED.constraint_error(q, out=out) is out
    assert np.array_equal(out, phi)
    assert CLOSED.constraint_jacobian(q).shape == (3, 4, 3, 2)
    with pytest.raises(sixd.ShapeError, match="q has shape"):
        CLOSED.constraint_error(np.zeros(3))
    q[1, 2, 0] = np.nan
    assert np.isnan(CLOSED.constraint_error(q)).any(axis=-1).sum() == 1


def test_edits_keep_constraints():
    for edited in (
        CLOSED.with_gravity((0, 0, 0)),
        CLOSED.with_inertia("link1", mass=3.0),
        CLOSED.with_name("x"),
        CLOSED.with_frame("f", "tip", xyz=(0, 0, 1)),
        CLOSED.lock({"joint1": 0.1}),
    ):
        assert isinstance(edited, ClosedRobot)
        assert edited.constraint_list == CLOSED.constraint_list
    both = CLOSED.join(CLOSED, "base", prefix="other ", xyz=(0, 1, 0))
    assert both.constraints.names == ("hook", "other hook")
    assert both.n_rows == 6
    assert CLOSED.close(Loop("base", "link1", "revolute", axis="y")).n_rows == 8


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: ARM.close(Loop("base", "typ")),
            "constraint 'loop base typ': no frame named 'typ'; did you mean 'tip'",
        ),
        (lambda: ARM.close(Loop("link2", "tip")), "both on body 'link2', which is rigid"),
        (lambda: CLOSED.close(Loop("base", "tip", "point", name="again")), "'hook' and 'again' are the same"),
        (lambda: CLOSED.close(Loop("base", "tip", "weld", name="hook")), "two constraints are named 'hook'"),
        (lambda: ARM.close(), "a ClosedRobot has constraints"),
        (lambda: ARM.close("loop"), "close takes constraints"),
        (lambda: CLOSED.subtree("link1"), "constraint 'hook' ties 'base', which is not in the subtree of 'link1'"),
        (lambda: CLOSED.lock({"joint1": 0.0, "joint2": 0.0}), "both on body 'base'"),
        (lambda: ARM.join(CLOSED, "tip", prefix="x"), "a Robot has no constraints"),
        (lambda: sixd.lagrangian.Chain.of(CLOSED), "a Chain has no constraints"),
    ],
)
def test_mistakes(make, words):
    with pytest.raises(sixd.SixdError, match=words):
        make()


def test_dask_arrays():
    da = pytest.importorskip("dask.array")
    closed, q = four_bar()
    many = da.from_array(np.stack([q] * 4), chunks=(2, -1))
    later = closed.forward_dynamics(many, np.zeros(3), np.ones(3))
    assert isinstance(later, da.Array)
    np.testing.assert_array_equal(later.compute()[3], closed.forward_dynamics(q, np.zeros(3), np.ones(3)))
    with pytest.raises(sixd.SixdError, match="q_guess is a Dask array"):
        closed.assemble(many)
