"""Compiled steps are the plain ones, and what cannot be compiled is solved all the same."""

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.algorithms import pose
from sixd.ik import compiled, inverse_kinematics, plain, seeds
from sixd.ik.compiled import error_kernel, step_kernel
from sixd.ik.damped import EXHAUSTED, REACHED, STALLED, descend
from sixd.ik.error import errors_and_slopes
from sixd.ik.problem import Problem
from sixd.ik.seeds import Seeds, _ranked
from sixd.ik.targets import _nearest_rotation, parse_goals
from sixd.joints import Prismatic, Revolute, Spherical
from sixd.spatial import Matrix, Transform, Vector
from tests.ik.arms import planar_arm, real_arm
from tests.ik.test_parts import problem_of


def coupled_arm():
    """A telescope whose second slide follows the first."""
    b = sixd.Builder("telescope")
    b.body("a", joint=Revolute((0, 1, 0)), joint_name="swing")
    b.body("b", parent="a", joint=Prismatic((1, 0, 0)), joint_name="first", xyz=(0.5, 0, 0), lower=0.0, upper=0.4)
    b.body("c", parent="b", joint=Prismatic((1, 0, 0)), joint_name="second", mimic=sixd.Mimic("first", 0.5, 0.1))
    b.frame("tip", on="c", xyz=(0.1, 0, 0))
    return b.build()


def ball_arm():
    b = sixd.Builder("balls")
    b.body("a", joint=Spherical(), xyz=(0.3, 0.1, 0.2))
    b.body("b", parent="a", joint=Revolute(), xyz=(0.3, 0, 0), lower=-0.5, upper=0.5)
    b.frame("tip", on="b", xyz=(0.4, 0, 0))
    return b.build()


def problems(name, kind):
    """A problem with 40 targets."""
    robot, frame = {
        "panda": lambda: real_arm("panda"),
        "planar": lambda: (planar_arm(3, limit=1.0), "tip"),
        "telescope": lambda: (coupled_arm(), "tip"),
        "balls": lambda: (ball_arm(), "tip"),
        "foot": lambda: (gallery.quadruped(), "FL_foot"),
    }[name]()
    there = robot.pose(robot.random(1, 40), frame)
    target = {"pose": there, "position": there[:, :3, 3], "orientation": there[:, :3, :3]}[kind]
    return problem_of(robot, frame, target, kind)


def states(problem, steps=1):
    """States on their way, as plain steps make them, with their slopes."""
    plan, at = problem.plan, problem.plan.layout
    state = np.zeros((40, at.width + len(plan.angular) * len(plan.columns)))
    state[:, at.x] = problem.model.random(2, 40)[:, plan.positions]
    state[:, at.cost], state[:, at.multiple], state[:, at.growth] = np.inf, 0.1, 2.0
    with np.errstate(all="ignore"):
        state = plain.advance(problem, state, np.arange(40))
        state[:, at.multiple], state[:, at.growth] = 0.1, 2.0
        for _ in range(steps):
            state = plain.advance(problem, state, np.arange(40))
    return state


@pytest.mark.parametrize("kind", ["pose", "position", "orientation"])
@pytest.mark.parametrize("name", ["panda", "planar", "telescope", "balls", "foot"])
def test_a_compiled_step_is_the_plain_one(name, kind):
    problem = problems(name, kind)
    state, width = states(problem), problem.plan.layout.width
    assert step_kernel(problem.plan) is not None
    assert problem.width == width
    with np.errstate(all="ignore"):
        expected = plain.advance(problem, state, np.arange(40))[:, :width]
    found = problem.advance(np.ascontiguousarray(state[:, :width]), problem.wanted(np.arange(40)))
    assert np.allclose(found, expected, rtol=1e-11, atol=1e-14)
    assert not np.allclose(expected, state[:, :width], atol=1e-3)


@pytest.mark.parametrize("kind", ["pose", "position", "orientation"])
def test_compiled_errors_are_the_plain_ones(kind):
    problem, q = problems("foot", kind), gallery.quadruped().random(5, 40)
    kernel = error_kernel(problem.plan)
    expected = errors_and_slopes(problem.model, q, problem.targets, problem.plan.places)
    assert np.allclose(kernel(q, problem.targets), expected, rtol=1e-12, atol=1e-13)
    few, many = (problem.error(q, np.arange(40), often) for often in (False, True))
    for a, b in zip(few, many, strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-13)


def test_one_kernel_serves_problems_that_differ_in_numbers():
    robot, frame = real_arm("panda")
    first, second = (problem_of(robot, frame, robot.pose(robot.random(k), frame)) for k in (1, 2))
    assert first.plan is second.plan is first.without_limits().plan
    twin = sixd.load(robot.source) if robot.source else robot
    assert problem_of(twin, frame, np.eye(4)).plan is first.plan


@pytest.mark.parametrize("limit", ["JOINTS", "SYSTEM"])
def test_what_is_too_large_to_compile_is_solved_too(monkeypatch, limit):
    monkeypatch.setattr(compiled, limit, 0)
    arm = planar_arm(4, limit=2.0).with_name(f"too large: {limit}")
    target = arm.pose(arm.random(3, 20), "tip")
    result = inverse_kinematics(arm, "tip", target)
    assert step_kernel(problem_of(arm, "tip", target).plan) is None
    assert (error_kernel(problem_of(arm, "tip", target).plan) is None) == (limit == "JOINTS")
    assert result.success.all()
    assert np.abs(arm.pose(result.q, "tip") - target).max() < 1e-7
    monkeypatch.undo()
    same = inverse_kinematics(arm.with_name("small enough"), "tip", target)
    assert np.abs(same.q - result.q).max() < 1e-6
    assert np.array_equal(same.restarts, result.restarts)


def test_large_problems_compile_their_errors_only():
    robot = gallery.quadruped()
    frames = ["trunk", "FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    problem = problem_of(robot, frames, [robot.pose(robot.random(1, 3), frame) for frame in frames])
    assert step_kernel(problem.plan) is None
    assert error_kernel(problem.plan) is not None


class NumpyJoint(Revolute):
    """A joint that asks NumPy for its sine: right for floats and arrays, impossible to record."""

    __slots__ = ()

    def transform(self, q):
        c, s = np.cos(q[0]), np.sin(q[0])
        return Transform(Matrix(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))), Vector.zero())


def test_joints_that_cannot_be_recorded_are_solved_too():
    b = sixd.Builder("arm")
    b.body("a", joint=NumpyJoint())
    b.body("b", parent="a", joint=NumpyJoint(), xyz=(1, 0, 0))
    b.frame("tip", on="b", xyz=(1, 0, 0))
    robot = b.build()
    assert step_kernel(problem_of(robot, "tip", np.zeros(3)).plan) is None
    result = inverse_kinematics(robot, "tip", [1.0, 1.0, 0.0])
    assert result.success
    place = robot.frames["tip"]
    assert np.abs(pose(robot, result.q, place.body, place.offset).r.array() - [1.0, 1.0, 0.0]).max() < 1e-7


def test_a_target_is_solved_the_same_to_the_bit_alone_and_in_a_batch():
    robot, frame = real_arm("panda")
    target = robot.pose(robot.random(7, 300), frame)
    batch = inverse_kinematics(robot, frame, target)
    assert batch.restarts.any()
    for k in range(40):
        alone = inverse_kinematics(robot, frame, target[k])
        assert np.array_equal(alone.q, batch.q[k])
        assert alone.nit == batch.nit[k]


def test_blocks_make_no_difference(monkeypatch):
    robot, frame = real_arm("ur5")
    target = robot.pose(robot.random(3, 50), frame)
    whole = inverse_kinematics(robot, frame, target)
    monkeypatch.setattr("sixd.ik.search.BLOCK", 32)
    monkeypatch.setattr(seeds, "BLOCK", 3)
    assert np.array_equal(inverse_kinematics(robot, frame, target).q, whole.q)


def test_a_start_that_is_no_configuration_is_left_for_others():
    """A quaternion of zeros has no attitude: the error is NaN from the start, and restarts help."""
    robot = ball_arm()
    target = robot.pose(robot.random(1), "tip")[:3, 3]
    result = inverse_kinematics(robot, "tip", target, q0=np.zeros(robot.nq))
    assert result.success
    assert result.restarts > 0


def test_few_ranks_are_those_of_a_full_sort():
    distance = np.random.default_rng(0).normal(size=(5, 200))
    order = np.argsort(distance, axis=1)
    for ranks in ([0], [0, 1, 2], [3, 7, 20], [0, 60, 199]):
        assert np.array_equal(_ranked(distance, np.array(ranks)), order[:, ranks])


def test_the_nearest_seed_is_the_nearest():
    robot, frame = real_arm("ur5")
    target = robot.pose(robot.random(4, 20), frame)
    problem = problem_of(robot, frame, target)
    found = Seeds(problem, 0, 1)
    poses = robot.pose(found.q, frame)
    spread = np.sum(np.var(poses[:, :3, 3], axis=0))
    turn = 3.0 - np.einsum("tij,sij->ts", target[:, :3, :3], poses[:, :3, :3])
    way = np.sum((target[:, None, :3, 3] - poses[:, :3, 3]) ** 2, axis=2) / spread
    nearest = np.argmin(turn + way, axis=1)
    chosen = found.choose(np.arange(20), np.array([0]), np.zeros((20, robot.nq)))[:, 0]
    assert np.array_equal(chosen, found.q[nearest])


def test_samples_are_kept_for_seeds_that_are_numbers_only():
    problem = problem_of(planar_arm(), "tip", np.zeros((1, 3)))
    assert Seeds(problem, 5, 1).q is Seeds(problem, 5, 1).q
    rng = np.random.default_rng(5)
    first, second = Seeds(problem, rng, 1).q, Seeds(problem, rng, 1).q
    assert np.array_equal(first, Seeds(problem, 5, 1).q)
    assert not np.array_equal(first, second)


def test_the_nearest_rotation_is_that_of_the_polar_decomposition():
    rng = np.random.default_rng(0)
    Q = Transform.from_quaternion(rng.normal(size=(50, 4))).E.array()
    for noise in (0.0, 1e-9, 3e-4):
        R = Q + noise * rng.uniform(-1.0, 1.0, Q.shape)
        U, _, Vt = np.linalg.svd(R)
        assert np.abs(_nearest_rotation("tip", R) - U @ Vt).max() < 1e-14


@pytest.mark.parametrize("scale", [0.9989, 1.0011])
def test_rotations_are_refused_where_a_singular_value_is_off(scale):
    Q = Transform.from_quaternion([1.0, 2.0, 3.0, 4.0]).E.array()
    with pytest.raises(ValueError, match="rotation matrix"):
        _nearest_rotation("tip", scale * Q)
    inside = 1.0 + 0.8 * (scale - 1.0)
    assert np.abs(_nearest_rotation("tip", inside * Q) - Q).max() < 1e-14


def test_rows_of_weight_zero_do_not_keep_a_compiled_step_from_its_target():
    robot, frame = real_arm("ur5")
    q = robot.random(6)
    turned = robot.pose(q, frame)
    turned[:3, :3] = turned[:3, :3] @ Transform.rotation((0.0, 0.0, 1.0), 0.3).E.T.array()
    (goal,) = parse_goals(robot, frame, turned, None, [1, 1, 0, 1, 1, 1])
    problem = Problem(robot, (goal.flat((1,)),), robot.lower, robot.upper, (1e-8, 1e-8))
    ends = descend(problem, q[None], np.array([0]), 5)
    assert ends.how[0] == REACHED
    assert ends.nit[0] == 0
    assert abs(ends.e[0, 2] - 0.3) < 1e-12


@pytest.mark.parametrize(("bend", "how", "nit"), [(0.0, STALLED, 0), (1e-6, REACHED, None)])
def test_a_stationary_start_stalls_at_once_and_one_beside_it_does_not(bend, how, nit):
    """Stretched towards its base an arm cannot shorten itself to first order; bent by a little, it can."""
    problem = problem_of(planar_arm(), "tip", np.array([[1.0, 0.0, 0.0]]))
    assert step_kernel(problem.plan) is not None
    ends = descend(problem, np.array([[0.0, bend]]), np.array([0]), 100)
    assert ends.how[0] == how
    assert nit is None or ends.nit[0] == nit
    assert how == REACHED or np.array_equal(ends.q, [[0.0, bend]])


def test_starts_of_one_target_stop_when_one_of_them_is_there():
    problem = problem_of(planar_arm(), "tip", np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]))
    q = np.array([[0.01, 1.57], [-2.5, 0.3], [-2.5, 0.3]])
    ends = descend(problem, q, np.array([0, 0, 1]), 100)
    assert ends.how.tolist() == [REACHED, EXHAUSTED, REACHED]
    assert ends.nit[0] == ends.nit[1] < ends.nit[2]
