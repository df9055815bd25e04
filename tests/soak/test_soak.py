"""Long runs, by ``make soak``: many random trees, mutated robot files, the acceptance run of inverse kinematics."""

import random
import re
import warnings

import numpy as np
import pytest

import sixd
from sixd import Robot
from sixd.joints import JOINTS
from sixd.model.random import KINDS, random_tree
from tests.robots import example_urdfs

pytestmark = pytest.mark.slow

SMALL = sorted((path for _, path in example_urdfs() if path.stat().st_size < 60_000), key=lambda p: p.stat().st_size)


@pytest.mark.parametrize("seed", range(300))
def test_random_trees_of_every_size(seed):
    rng = np.random.default_rng(seed)
    size, kinds = int(rng.integers(1, 60)), sorted(JOINTS)
    robot = Robot.of(random_tree(size, rng, joints=kinds, branching=float(rng.random()), rotors=bool(seed % 2)))
    q, qd, qdd = robot.random(rng, 2), *rng.normal(size=(2, 2, robot.nv))
    tau = robot.inverse_dynamics(q, qd, qdd)
    H = robot.mass_matrix(q)
    rounding = 1e-15 * robot.nv * np.linalg.cond(H).max()
    for method in ("aba", "crba"):
        back = robot.forward_dynamics(q, qd, tau, method=method)
        np.testing.assert_allclose(back, qdd, rtol=0, atol=max(1e-12, rounding) * np.abs(qdd).max())
    linear = np.einsum("kij,kj->ki", H, qdd) + robot.bias_forces(q, qd)
    np.testing.assert_allclose(linear, tau, rtol=0, atol=1e-12 * np.abs(tau).max())


@pytest.mark.parametrize("seed", range(100))
def test_large_trees_against_pinocchio(seed):
    import pinocchio as pin

    from tests.golden.pinocchio_model import build, q_of, v_of

    rng = np.random.default_rng(seed)
    robot = Robot.of(random_tree(int(rng.integers(20, 50)), rng, joints=KINDS, rotors=True))
    peer, _ = build(robot)
    data = peer.createData()
    q, qd, qdd = robot.random(rng), *rng.normal(size=(2, robot.nv))
    state = q_of(robot, q), v_of(robot, qd), v_of(robot, qdd)
    tau = pin.rnea(peer, data, *state)
    found = v_of(robot, robot.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(found, tau, rtol=0, atol=1e-11 * abs(tau).max())
    a, ours = pin.aba(peer, data, *state), v_of(robot, robot.forward_dynamics(q, qd, qdd))
    bound = 1e-14 * np.linalg.cond(robot.mass_matrix(q))
    np.testing.assert_allclose(ours, a, rtol=0, atol=bound * abs(a).max())


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few things broken: characters, numbers, names, whole elements."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(6)
        at = rng.randrange(len(text))
        if kind == 0:
            text = text[:at] + chr(rng.choice([0, 9, 34, 38, 60, 62, 228, 0x1F600])) + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[at + rng.randint(1, 40) :]
        elif kind == 2:
            numbers = list(re.finditer(r"-?\d+\.?\d*(e-?\d+)?", text))
            if numbers:
                m = rng.choice(numbers)
                new = rng.choice(["nan", "inf", "-1", "0", "1e400", "1e308", "", "1,5", "--2", "0x10", "1e-320"])
                text = text[: m.start()] + new + text[m.end() :]
        elif kind == 3:
            names = re.findall(r'"([A-Za-z_]\w+)"', text)
            if names:
                text = text.replace(f'"{rng.choice(names)}"', f'"{rng.choice(names)}"', 1)
        elif kind == 4:
            elements = list(re.finditer(r"<(\w+)[^<>]*/>", text))
            if elements:
                m = rng.choice(elements)
                text = text[: m.start()] + rng.choice(["", m.group() * 2]) + text[m.end() :]
        else:
            extra = rng.choice(["<!-- x -->", "<x/>", "</link>", "<link name='a'/>", "&amp;", "&x;"])
            text = text[:at] + extra + text[at:]
    return text


@pytest.mark.parametrize("seed", range(200))
def test_broken_files_end_in_typed_errors(seed):
    """Whatever happens to a file: it loads, and computes, or ends in a `ModelError`."""
    rng = random.Random(seed)
    source = rng.choice(SMALL).read_text(errors="replace")
    for _ in range(20):
        text = mutated(source, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sixd.ModelWarning)
            try:
                robot = sixd.load("<" + text.partition("<")[2], base=rng.choice(["fixed", "free"]))
            except sixd.ModelError:
                continue
            zero = np.zeros(robot.nv)
            with np.errstate(all="ignore"):
                assert robot.inverse_dynamics(robot.neutral(), zero, zero).shape == (robot.nv,)


@pytest.mark.parametrize("name", ["panda_description/panda", "ur_description/ur5_robot"])
def test_inverse_kinematics_of_many_targets(name):
    robot = load(name)
    frame = robot.frames[-1].name
    target = robot.pose(robot.random(1, 2000), frame)
    result = robot.inverse_kinematics(frame, target)
    assert result.success.mean() >= 0.995


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return sixd.load(dict(example_urdfs())[name])
