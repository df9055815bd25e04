"""Rollouts: the bits of as many calls of one step, however they are run."""

import ctypes
from typing import Any, NamedTuple

import numpy as np
import pytest

import sixd
from sixd import algorithms, ops
from sixd.backends.llvm import pieces
from sixd.compiler.rollout import Rollout
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError
from sixd.ir import Repeated, trace
from sixd.ir.program import Port, ProgramError
from tests.backends.c_compiler import gcc, needs_gcc

STEPS = 7


class After(NamedTuple):
    q_next: Any
    qd_next: Any
    time: Any


def step(model, q, qd, tau, h, n):
    """A step of semi-implicit Euler, and the time at its end."""
    v = qd + algorithms.aba(model, q, qd, tau) * h
    return After(algorithms.integrate(model, q, v * h), v, (n + 1.0) * h)


WIRING = {"carried": {"q": "q_next", "qd": "qd_next"}, "stepped": ("tau",), "counter": "n"}
SHAPES = {"h": (), "n": ()}
LEADS = [(), (1,), (5,), (19,), (3, 4), (0,)]


def rollout_of(robot, recorded=("q_next", "time")):
    return Rollout(step, robot, **WIRING, recorded=recorded, shapes=SHAPES)


def arguments(robot, lead, seed=0):
    rng = np.random.default_rng(seed)
    q, qd = robot.random(rng, size=lead), rng.normal(size=(*lead, robot.nv))
    return {"q": q, "qd": qd, "tau": rng.normal(size=(*lead, STEPS, robot.nv)), "h": 0.01}


def by_hand(robot, kernel, q, qd, tau, h):
    """The states after each step, by calls of the kernel of one step."""
    found = []
    for n in range(tau.shape[-2]):
        q, qd, time = kernel(q, qd, tau[..., n, :], h, float(n))
        found.append((q, qd, time))
    return found


@pytest.fixture(scope="module", params=["arm", "floating", "in pieces", "from a tape"])
def case(request):
    """A robot, its rollout and the kernel of one step: in one piece of code, with a quaternion, in many pieces,
    from a tape.
    """
    robot = {"arm": sixd.gallery.double_pendulum, "floating": sixd.gallery.quadruped}.get(
        request.param, sixd.gallery.seven_axis_arm
    )()
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in pieces":
            patch.setenv("SIXD_CACHE", "off")
            patch.setattr(pieces, "WHOLE", 0)
            patch.setattr(pieces, "SIZE", 200)
        if request.param == "from a tape":
            patch.setattr("sixd.compiler.rollout.COMPILED_STEP", 0)
        rollout = rollout_of(robot)
        assert rollout.kind == ("taped" if request.param == "from a tape" else "unrolled")
        rollout(1, {**arguments(robot, (2,)), "tau": np.zeros((1, robot.nv))})
        rollout(1, {**arguments(robot, ()), "tau": np.zeros((1, robot.nv))})
    return robot, rollout, sixd.compile(step, robot, shapes=SHAPES, rolled=False)


@pytest.mark.parametrize("lead", LEADS, ids=str)
@pytest.mark.parametrize("every", [1, 3, STEPS, 100])
def test_the_bits_of_many_calls(case, lead, every):
    robot, rollout, kernel = case
    given = arguments(robot, lead)
    last, kept = rollout(STEPS, given, every=every)
    states = by_hand(robot, kernel, **given)
    for name, wanted in zip(After._fields, states[-1], strict=True):
        assert np.array_equal(last[name], wanted)
    for name, k in (("q_next", 0), ("time", 2)):
        due = [state[k] for n, state in enumerate(states, start=1) if n % every == 0]
        assert kept[name].shape[len(lead)] == len(due)
        if due:
            assert np.array_equal(kept[name], np.stack(np.broadcast_arrays(*due), axis=len(lead)))


def test_the_interpreter_agrees(case):
    robot, rollout, _ = case
    given = arguments(robot, (3,))
    for found, wanted in zip(rollout(STEPS, given, every=2), rollout.interpret(STEPS, given, every=2), strict=True):
        for name in found:
            np.testing.assert_allclose(found[name], np.broadcast_to(wanted[name], found[name].shape), rtol=1e-11)


def test_threads_change_no_bit(case, monkeypatch):
    robot, rollout, _ = case
    given = arguments(robot, (100,))
    monkeypatch.setattr("sixd.compiler.rollout.WORTH", 1.0)
    found = []
    for threads in (1, 2, 5):
        sixd.set_threads(threads)
        found.append(rollout(STEPS, given)[0]["q_next"])
    sixd.set_threads(None)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_sample_that_is_not_finite_stays_so_alone(case, bad):
    robot, rollout, _ = case
    given = arguments(robot, (11,))
    clean = rollout(STEPS, given)[1]["q_next"]
    given["tau"][4, 2, 0] = bad
    found = rollout(STEPS, given)[1]["q_next"]
    others = np.arange(11) != 4
    assert np.array_equal(found[others], clean[others])
    assert np.array_equal(found[4, :2], clean[4, :2])
    assert np.isnan(found[4, 2:]).all()


def test_arrays_with_any_strides_of_samples_and_steps():
    robot = sixd.gallery.double_pendulum()
    rollout = rollout_of(robot, recorded=("q_next",))
    given = arguments(robot, (6,))
    wanted, kept = rollout(STEPS, given)
    flat = {**given, "h": np.broadcast_to(0.01, (6,))}
    flat["tau"] = np.ascontiguousarray(given["tau"].swapaxes(0, 1)).swapaxes(0, 1)  # steps are far apart in memory
    records = np.zeros((6, 2 * STEPS, robot.nq))
    last = {port.name: np.zeros((6, *port.shape)) for port in rollout.program.outputs}
    rollout.run(STEPS, 1, flat, last, {"q_next": records[:, ::2]})
    assert np.array_equal(last["qd_next"], wanted["qd_next"])
    assert np.array_equal(records[:, ::2], kept["q_next"])
    assert not records[:, 1::2].any()


@needs_gcc
@pytest.mark.parametrize("every", [1, 3])
def test_c(tmp_path, every):
    robot = sixd.gallery.double_pendulum()
    rollout = rollout_of(robot)
    (tmp_path / "rollout.c").write_text(rollout.to_c())
    gcc("-shared", "-fPIC", tmp_path / "rollout.c", "-o", tmp_path / "rollout.so")
    function = ctypes.CDLL(str(tmp_path / "rollout.so")).step_rollout
    given = arguments(robot, ())
    wanted, kept = rollout(STEPS, given, every=every)
    inputs = [np.ascontiguousarray(given[name], dtype=float) for name in ("q", "qd", "tau", "h")]
    outputs = [np.zeros_like(wanted[name]) for name in After._fields] + [np.zeros_like(x) for x in kept.values()]
    outputs = [np.atleast_1d(x) for x in outputs]
    numbers = [ctypes.c_long(STEPS), ctypes.c_long(every)]
    function(*numbers, *(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
    for found, right in zip(outputs, (*wanted.values(), *kept.values()), strict=True):
        np.testing.assert_allclose(found, np.atleast_1d(right), rtol=1e-12)


def test_mistakes_are_named():
    robot = sixd.gallery.double_pendulum()
    rollout, given = rollout_of(robot), arguments(robot, ())
    with pytest.raises(ChoiceError, match="no argument 'force'"):
        rollout(STEPS, {**given, "force": 1.0})
    with pytest.raises(ArgumentError, match="qd is missing"):
        rollout(STEPS, {k: x for k, x in given.items() if k != "qd"})
    with pytest.raises(ShapeError, match=r"tau has shape \(7, 2\), but \(..., 8, 2\)"):
        rollout(STEPS + 1, given)
    for steps in (0, -1, 2.5, None):
        with pytest.raises(ModelError, match="steps"):
            rollout(steps, given)
    with pytest.raises(ChoiceError, match="no result 'q_after'"):
        _ = Rollout(step, robot, carried={"q": "q_after"}, shapes=SHAPES).repeated


class Parts(NamedTuple):
    x_next: Any
    left_next: Any
    runs_next: Any
    done_next: Any


def in_parts(model, x, left, runs, parts, done):
    """x grows by 1 / parts in each run, and a step takes as many runs as there are parts."""
    goes = 1.0 - done
    left = ops.where(done > 0.5, left, ops.where(left > 0.0, left, parts) - goes)
    return Parts(x + goes / parts, left, runs + goes, ops.where(left > 0.5, 0.0, 1.0))


@pytest.fixture(params=["whole", "in pieces", "from a tape"])
def parted(request, monkeypatch):
    """A rollout whose steps take several runs, of different numbers for each sample."""
    if request.param == "in pieces":
        monkeypatch.setenv("SIXD_CACHE", "off")
        monkeypatch.setattr(pieces, "WHOLE", 0)
        monkeypatch.setattr(pieces, "SIZE", 4)
    if request.param == "from a tape":
        monkeypatch.setattr("sixd.compiler.rollout.COMPILED_STEP", 0)
    return Rollout(
        in_parts,
        sixd.gallery.pendulum(),
        carried={"x": "x_next", "left": "left_next", "runs": "runs_next"},
        stepped=("parts",),
        recorded=("x_next", "runs_next"),
        until=("done", "done_next"),
        shapes=dict.fromkeys(("x", "left", "runs", "parts", "done"), ()),
    )


@pytest.mark.parametrize("samples", [1, 2, 8, 37])
def test_a_step_is_run_until_it_is_done(parted, samples):
    """Each sample takes as many runs as it needs; those that wait for others in the same register do not change."""
    parts = 2.0 ** np.random.default_rng(0).integers(0, 6, size=(samples, STEPS))
    given = {"x": np.zeros(samples), "left": 0.0, "runs": 0.0, "parts": parts}
    last, kept = parted(STEPS, given)
    assert np.array_equal(kept["x_next"], np.broadcast_to(np.arange(1.0, STEPS + 1.0), (samples, STEPS)))
    assert np.array_equal(kept["runs_next"], parts.cumsum(axis=1))
    assert (last["done_next"] == 1.0).all()
    for found, wanted in zip(parted.interpret(STEPS, given), (last, kept), strict=True):
        for name in wanted:
            assert np.array_equal(np.broadcast_to(found[name], wanted[name].shape), wanted[name])


def test_a_step_of_a_state_that_is_not_finite_is_done(parted):
    """It ends, and its neighbours in the register go on as ever."""
    parts = np.tile(2.0 ** np.arange(6)[:, None], (1, STEPS))
    x = np.array([0.0, np.nan, 0.0, 0.0, np.inf, 0.0])
    last, _ = parted(STEPS, {"x": x, "left": 0.0, "runs": 0.0, "parts": parts})
    assert np.array_equal(np.isnan(last["x_next"]), ~np.isfinite(x))
    assert (last["x_next"][np.isfinite(x)] == STEPS).all()


@needs_gcc
def test_steps_of_several_runs_in_c(tmp_path, parted):
    (tmp_path / "parted.c").write_text(parted.to_c())
    gcc("-shared", "-fPIC", tmp_path / "parted.c", "-o", tmp_path / "parted.so")
    function = ctypes.CDLL(str(tmp_path / "parted.so")).in_parts_rollout
    parts = np.array([4.0, 1.0, 2.0, 16.0, 1.0, 1.0, 8.0])
    inputs = [np.zeros(1), np.zeros(1), np.zeros(1), parts]
    outputs = [np.zeros(1) for _ in Parts._fields] + [np.zeros(STEPS), np.zeros(STEPS)]
    numbers = [ctypes.c_long(STEPS), ctypes.c_long(1)]
    function(*numbers, *(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
    assert outputs[0][0] == STEPS
    assert np.array_equal(outputs[-1], parts.cumsum())


def test_wiring_is_verified():
    program = trace(lambda x, y: [("z", (2,), [x[0] + y[0], x[1]])], [Port("x", (2,)), Port("y", (1,))], "f")
    assert Repeated(program, ((0, 0),), (1,)).verify()
    for wrong in (
        Repeated(program, ((1, 0),)),
        Repeated(program, ((0, 1),)),
        Repeated(program, ((0, 0),), (0,)),
        Repeated(program, (), counter=0),
        Repeated(program, (), recorded=(3,)),
        Repeated(program, ((0, 0),), until=(0, 0)),
        Repeated(program, (), until=(0, 0)),
        Repeated(program, (), until=(1, 5)),
    ):
        with pytest.raises(ProgramError):
            wrong.verify()
