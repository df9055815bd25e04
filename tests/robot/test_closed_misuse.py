"""Closed robots in hands that do not read: NaN, mixed ranks, single precision, Dask, edits, mimic joints."""

import copy
import pickle

import numpy as np
import pytest

import sixd
from sixd import Coupling, Distance, Loop, Prescribed
from tests.constraints.mechanisms import four_bar
from tests.laws.trees import coupled

CLOSED, Q = four_bar()
Q, QD, QDD = CLOSED.project(Q, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
TAU = np.array([1.0, 2.0, 3.0])
#: Methods that take a batch of states, and what each takes.
METHODS = {
    "constraint_error": (Q,),
    "constraint_jacobian": (Q,),
    "constraint_bias": (Q, QD),
    "assemble": (Q,),
    "project": (Q, QD, QDD),
    "impulse": (Q, QD),
    "forward_dynamics": (Q, QD, TAU),
    "constraint_forces": (Q, QD, TAU),
    "inverse_dynamics": (Q, QD, QDD),
    "reduced_dynamics": (Q, QD),
    "linearize": (Q, QD, TAU),
    "forward_dynamics_derivatives": (Q, QD, TAU),
    "inverse_dynamics_derivatives": (Q, QD, QDD),
}


def parts(result):
    """The arrays of a result."""
    found = result if isinstance(result, tuple) else (result,)
    flat = [x for part in found for x in (part.values() if isinstance(part, dict) else (part,))]
    return [x for x in flat if x.dtype.kind == "f"]


@pytest.mark.parametrize("name", METHODS)
def test_a_state_that_is_not_finite_spoils_its_own_sample_only(name):
    method, state = getattr(CLOSED, name), METHODS[name]
    alone = parts(method(*state))
    for k in range(len(state)):
        spoilt = [np.stack([x, x]) for x in state]
        spoilt[k][1, 0] = np.nan
        for found, wanted in zip(parts(method(*spoilt)), alone, strict=True):
            np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-12 * max(np.abs(wanted).max(), 1.0))
        assert any(np.isnan(found[1]).any() for found in parts(method(*spoilt)))


@pytest.mark.parametrize("name", METHODS)
def test_batches_without_states_and_batches_that_do_not_fit(name):
    method, state = getattr(CLOSED, name), METHODS[name]
    for found in parts(method(*(np.zeros((0, 3)) for _ in state))):
        assert found.size == 0
    for wrong in (np.zeros(2), "position", [[1.0], [2.0, 3.0]]):
        with pytest.raises(sixd.SixdError, match=r"q(_guess)? "):
            method(wrong, *state[1:])
    if len(state) > 1:
        with pytest.raises(sixd.SixdError, match="broadcast"):
            method(np.stack([Q, Q]), np.zeros((3, 3)), *state[2:])


@pytest.mark.parametrize(
    "name", ["constraint_forces", "impulse", "forward_dynamics", "reduced_dynamics", "linearize", "constraint_bias"]
)
def test_single_precision_stays(name):
    single = [np.asarray(x, dtype=np.float32) for x in METHODS[name]]
    found, wanted = (parts(getattr(CLOSED, name)(*state)) for state in (single, METHODS[name]))
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-4 * max(np.abs(b).max(), 1.0))


def test_dask_arrays_where_a_kernel_answers():
    dask = pytest.importorskip("dask.array")
    for name in ("reduced_dynamics", "linearize", "forward_dynamics_derivatives"):
        state = [dask.from_array(np.stack([x] * 4), chunks=(2, 3)) for x in METHODS[name]]
        found = getattr(CLOSED, name)(*state)
        for a, b in zip(found, getattr(CLOSED, name)(*METHODS[name]), strict=True):
            np.testing.assert_allclose(a.compute()[3], b, rtol=1e-12)


def test_ranks_that_differ_within_a_batch():
    """A parallelogram that lies flat has one freedom more, which the crank does not determine."""
    flat, open_ = (sixd.mechanisms.four_bar(2.0, 1.0, 2.0, 1.0, angle=angle) for angle in (0.0, 0.7))
    closed, q, still = flat.robot, np.stack([flat.q, open_.q]), np.zeros(3)
    assert closed.constraint_forces(q, still, still).rank.tolist() == [1.0, 2.0]
    for ask in (
        lambda q: closed.linearize(q, still, still).A,
        lambda q: closed.reduced_dynamics(q, still).H,
        lambda q: closed.inverse_dynamics(q, still, still, actuated="crank_joint").residual,
    ):
        with pytest.warns(sixd.ModelWarning, match="do not determine the motion of four-bar in 1 of 2"):
            found = ask(q)
        assert np.isnan(found[0]).any()
        assert np.isfinite(found[1]).all()
        with pytest.raises(sixd.SingularError, match="do not determine"):
            ask(flat.q)


def test_what_has_no_freedoms_to_tell():
    with pytest.raises(sixd.ArgumentError, match="q is not finite"):
        CLOSED.mobility(np.full(3, np.nan))
    with pytest.raises(sixd.ArgumentError, match="q is not finite"):
        CLOSED.independent(np.full(3, np.nan))


def test_degrees_of_freedom_by_name_or_number():
    wanted = CLOSED.linearize(Q, QD, TAU, independent="crank_joint").A
    for same in (0, [0], (0,), np.array([0]), ["crank_joint"]):
        assert np.array_equal(CLOSED.linearize(Q, QD, TAU, independent=same).A, wanted)
    assert CLOSED.linearize(Q, QD, TAU, independent=CLOSED.independent(Q)).A.shape == (2, 2)
    assert CLOSED.assemble(Q, fixed=0)[0] == Q[0]
    assert CLOSED.inverse_dynamics(Q, QD, QDD, actuated=[2]).tau[2] != 0.0
    for wrong in ([-1], 3, True, 0.5, object(), [None]):
        with pytest.raises(sixd.ArgumentError, match="independent must be names of joints, or numbers"):
            CLOSED.linearize(Q, QD, TAU, independent=wrong)


def test_copies_pickles_and_edits_answer_alike():
    wanted = CLOSED.linearize(Q, QD, TAU).A
    for same in (copy.copy(CLOSED), copy.deepcopy(CLOSED), pickle.loads(pickle.dumps(CLOSED)), CLOSED.with_name("x")):
        assert np.array_equal(same.linearize(Q, QD, TAU).A, wanted)
    held = CLOSED.lock({"rocker_joint": float(Q[2])})
    with pytest.raises(sixd.ModelError, match="no freedom is left to"):
        held.reduced_dynamics(Q[:2], np.zeros(2))
    pair = CLOSED.join(CLOSED, "base", prefix="b_")
    q = np.concatenate([Q, Q])
    H = pair.reduced_dynamics(q, np.zeros(6), independent=["crank_joint", "b_crank_joint"]).H
    one = CLOSED.reduced_dynamics(Q, np.zeros(3), independent="crank_joint").H[0, 0]
    np.testing.assert_allclose(H, one * np.eye(2), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("constraint", [Loop("base", "tip", "point"), Distance("base", "tip", 1.0)])
def test_constraints_on_mimic_joints(constraint):
    robot = coupled()
    closed = robot.close(constraint)
    q, qd = closed.project(closed.assemble(robot.random(0)), np.ones(closed.nv))
    tau = np.linspace(0.0, 1.0, closed.nv)
    H, C, g, G, drift = closed.reduced_dynamics(q, qd)
    qdd = closed.forward_dynamics(q, qd, tau)
    found = G @ np.linalg.solve(H, G.T @ tau - C - g) + drift
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())
    assert closed.inverse_kinematics("tip", closed.pose(q, "tip")[:3, 3], closed.random(1)).success


def test_contradictions_are_named():
    apart = CLOSED.close(Distance("base", "coupler end", 0.1, name="rod"))
    for ask in (lambda: apart.assemble(Q), lambda: apart.linearize(Q, QD, TAU), lambda: apart.random(0)):
        with pytest.raises(sixd.AssemblyError, match=r"cannot be assembled.*constraint 'rod' holds it"):
            ask()
    both = CLOSED.tree.close(Prescribed("crank_joint"), Prescribed("crank_joint", position=0.5, name="b"))
    with pytest.raises(sixd.AssemblyError, match="cannot be assembled"):
        both.assemble(np.zeros(3))
    with pytest.raises(sixd.ModelError, match="are the same: leave one out"):
        CLOSED.close(Loop("rocker end", "coupler end", "revolute", axis="y", name="again"))
    with pytest.raises(sixd.ModelError, match="cannot be locked: constraint"):
        CLOSED.close(Coupling({"crank_joint": 1.0, "rocker_joint": -1.0})).lock({"crank_joint": 0.1})


def test_joints_that_move_no_inertia():
    b = sixd.Builder("light")
    b.body("arm", "base", sixd.joints.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    b.body("tip", "arm", sixd.joints.Revolute("y"), mass=0.0, xyz=(1, 0, 0))
    closed = b.build().close(Coupling({"arm_joint": 1.0, "tip_joint": -1.0}))
    state = np.zeros((3, 2))
    for ask in (closed.forward_dynamics, closed.forward_dynamics_derivatives, closed.linearize):
        with pytest.raises(sixd.SingularError, match="moves no inertia"):
            ask(*state)
    with pytest.raises(sixd.SingularError, match="moves no inertia"):
        closed.reduced_dynamics(*state[:2])


def test_robots_that_are_too_large(monkeypatch):
    monkeypatch.setattr("sixd.robot.closed.reduced.LARGEST", 10)
    large = CLOSED.with_name("large")
    for name in ("linearize", "reduced_dynamics"):
        with pytest.raises(
            sixd.SixdError, match=r"large is too large for .* forward_dynamics takes robots of any size"
        ):
            getattr(large, name)(*METHODS[name])


def test_warming_up():
    closed = sixd.mechanisms.slider_crank().robot
    closed.warm_up("rod")
    assert closed._code
