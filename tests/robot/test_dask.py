"""Methods of robots on arrays of Dask: nothing is computed until that is asked for, and then the same as at once."""

import inspect
import pickle

import dask
import dask.array
import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ModelError, ModelWarning, ShapeError, SingularError
from sixd.model.random import random_tree
from tests.laws.trees import coupled, states, tree

#: A small one with quaternions: what is lazy does not depend on joints.
ROBOT = sixd.Robot.of(random_tree(4, 1, joints=["spherical", "prismatic"], branching=0.0, passive=True))
ROBOT = ROBOT.with_frame("flange", on=ROBOT.bodies.names[-1], xyz=(0.3, -0.2, 0.1), rpy=(0.4, -0.5, 0.6))
Q, QD, QDD = states(ROBOT, 6)
F = np.random.default_rng(1).normal(size=(6, 6))
VALUES = {
    **dict.fromkeys(("q", "q0"), Q),
    "q1": Q[::-1].copy(),
    **dict.fromkeys(("qd", "dv", "u"), QD),
    **dict.fromkeys(("qdd", "qd_r", "qdd_r", "tau", "v"), QDD),
    "force": F,
    "f_ext": {"flange": F},
    **dict.fromkeys(("frame", "left"), "flange"),
    "right": ROBOT.bodies.names[1],
    "known": tuple(j.name for j in ROBOT.joints)[::2],
}
#: Methods that take arrays, but look for an answer where the numbers lead them, or draw: these are computed at once.
AT_ONCE = {"inverse_kinematics", "plot", "save_html", "show"}


def methods():
    """The methods of robots that take positions."""
    for name, method in inspect.getmembers(sixd.Robot, callable):
        if "second_derivatives" in name:
            continue  # their code is large: a smaller robot in test_derivatives
        if not name.startswith("_") and name not in AT_ONCE:
            arguments = [p for p in inspect.signature(method).parameters if p in VALUES]
            if {"q", "q0"}.intersection(arguments):
                yield name, arguments


def lazy(value, chunk=4):
    if isinstance(value, dict):
        return {name: lazy(x) for name, x in value.items()}
    return dask.array.from_array(value, chunks=(chunk, *value.shape[1:])) if isinstance(value, np.ndarray) else value


@pytest.fixture
def computed(monkeypatch):
    """The number of times that something was computed."""
    count = []
    with dask.config.set(scheduler=lambda graph, keys, **_: count.append(keys) or dask.get(graph, keys)):
        yield count


@pytest.mark.parametrize(("name", "arguments"), list(methods()))
@pytest.mark.parametrize("all_lazy", [True, False])
def test_methods_are_lazy(name, arguments, all_lazy, computed):
    given = {p: VALUES[p] for p in arguments}
    later = {p: lazy(x) if all_lazy or p in ("q", "q0") else x for p, x in given.items()}
    found, wanted = getattr(ROBOT, name)(**later), getattr(ROBOT, name)(**given)
    assert not computed
    for one, other in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, wanted)), strict=True):
        assert isinstance(one, dask.array.Array)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_array_equal(one.compute(), other)
    assert computed


def test_options(computed):
    q, qd, tau = map(lazy, (Q, QD, QDD))
    force = {"flange": lazy(F)}
    for expressed_in in ("body", "world", "aligned"):
        found = ROBOT.inverse_dynamics(q, qd, tau, f_ext=force, passive=True, expressed_in=expressed_in)
        at_once = ROBOT.inverse_dynamics(Q, QD, QDD, f_ext={"flange": F}, passive=True, expressed_in=expressed_in)
        assert not computed
        np.testing.assert_allclose(found.compute(), at_once, rtol=1e-13)
        computed.clear()
    found = ROBOT.forward_dynamics(q, qd, tau, passive=True)
    assert not computed
    np.testing.assert_allclose(found.compute(), ROBOT.forward_dynamics(Q, QD, QDD, passive=True), rtol=1e-12)


@pytest.mark.parametrize("kind", ["rolled", "python"])
def test_any_code(kind, monkeypatch, computed):
    monkeypatch.setenv("SIXD_KERNELS", kind)
    robot = coupled()
    q, qd, _ = states(robot, 5)
    found = robot.kinetic_energy(lazy(q, 2), lazy(qd, 2))
    assert not computed
    np.testing.assert_allclose(found.compute(), robot.kinetic_energy(q, qd), rtol=1e-14)


def test_single_precision(computed):
    short = Q.astype(np.float32)
    found = ROBOT.mass_matrix(lazy(short))
    assert (found.dtype, computed) == (np.float32, [])
    np.testing.assert_array_equal(found.compute(), ROBOT.mass_matrix(short))


def test_mistakes_are_told_at_once_or_when_computed(computed):
    with pytest.raises(ShapeError, match=r"q has shape \(6, 3\), but"):
        ROBOT.mass_matrix(lazy(Q[:, :3]))
    with pytest.raises(ShapeError, match="must be an array of real floats"):
        ROBOT.mass_matrix(lazy(Q.astype(complex)))
    robot = tree("quaternion joints")
    q = states(robot, 6)[0].copy()
    q[5, :4] = 0.0
    later = robot.center_of_mass(lazy(q))
    assert not computed
    with pytest.raises(ModelError, match="its quaternion is zero"):
        later.compute()


def test_singular_samples():
    """Euler angles at gimbal lock: NaN there with a warning, an error where a chunk has nothing else."""
    joint = sixd.joints.JOINTS["spherical-euler"]()
    robot = sixd.Builder("ball").body("a", joint=joint, mass=1.0, inertia=(1, 1, 1)).build()
    assert robot.may_be_singular
    q = np.array([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]])
    ones = np.ones((4, 3))
    later = robot.forward_dynamics(lazy(q, 2), lazy(ones, 2), lazy(ones, 2))
    with pytest.warns(ModelWarning, match="singular"):
        found = later.compute()
    with pytest.warns(ModelWarning, match="singular"):
        np.testing.assert_array_equal(found, robot.forward_dynamics(q, ones, ones))
    assert np.isnan(found).all(axis=-1).tolist() == [False, True, False, False]
    with pytest.raises(SingularError):
        robot.forward_dynamics(lazy(q, 1), lazy(ones, 1), lazy(ones, 1)).compute()


@pytest.mark.parametrize("method", ["crba", "naive"])
def test_robots_too_large_for_their_factors(monkeypatch, method, computed):
    """They go by the mass matrix and LAPACK."""
    monkeypatch.setattr("sixd.robot.dynamics.LARGE", 1)
    monkeypatch.setattr("sixd.robot.dynamics.DIRECT", 1)
    robot = ROBOT.with_name("another")
    arrays = states(robot, 6)
    later = [lazy(x) for x in arrays]
    for name, given, delayed in (
        ("forward_dynamics", (*arrays, None, method), (*later, None, method)),
        ("mass_matrix", (arrays[0], method), (later[0], method)),
        ("inverse_mass_matrix", (arrays[0],), (later[0],)),
    ):
        found, wanted = getattr(robot, name)(*delayed), getattr(robot, name)(*given)
        assert not computed
        np.testing.assert_allclose(found.compute(), wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
        computed.clear()


def test_chunks_can_be_computed_in_other_processes():
    """What the chunks call can be pickled, and calls the same code."""
    for robot in (ROBOT, coupled()):
        q, qd, qdd = states(robot, 3)
        robot.inverse_dynamics(q, qd, qdd)
        method = robot._code[sixd.algorithms.rnea]
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(method))(q, qd, qdd), method(q, qd, qdd))


def test_no_place_for_results():
    with pytest.raises(ArgumentError, match=r"on arrays of Dask crba has no out=: its results are new arrays"):
        ROBOT.mass_matrix(lazy(Q), out=np.zeros((6, ROBOT.nv, ROBOT.nv)))
