"""Every argument of inverse kinematics with values that it cannot be: each is refused by name, by sixd's errors."""

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.spatial import Transform

ARM = gallery.seven_axis_arm()
POSE = ARM.pose(ARM.random(0), "tool")
NAN, INF = float("nan"), float("inf")
RAGGED = [[1.0, 2.0], [3.0]]
OTHER = ["text", object(), 1j, [], {}, RAGGED, {"tool": None}, b"bytes", {1, 2}, lambda: 0]


#: For each argument: its name in messages, and values that are wrong.
WRONG = {
    "frame": (
        "frame",
        [None, 7, 1.5, True, object(), [], {}, [None], [7], ["tool", None], {"tool": None}, {7: POSE}, NAN, b"tool"],
    ),
    "target": (
        "target|frame",
        [
            *(None, True, 1.0, -1, 0, NAN, np.zeros(2), np.zeros((3, 4)), np.zeros(0), [None, 1.0, 2.0]),
            *(["1", "2", "3"], [1j, 0, 0], [True, False, True], [1e160, 0.0, 0.0], POSE.T, -POSE, 1.5 * POSE),
            *(np.zeros((4, 4)), np.diag([1.0, 1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0]), 2.0 * np.eye(3)),
            *(np.eye(4)[:3], Transform.from_pose(POSE), *OTHER),
        ],
    ),
    "q0": ("q0", [True, 1.0, 0, -1, NAN, np.zeros(6), np.zeros((7, 1)), ["1"] * 7, [None] * 7, [True] * 7, *OTHER]),
    "posture": ("posture", [True, 1.0, 0, -1, NAN, np.zeros(8), ["1"] * 7, [None] * 7, [1j] * 7, *OTHER]),
    "kind": ("kind", [1, 0, -1, 1.5, True, NAN, "poses", "position", [], {}, object(), np.zeros(3), ["pose"]]),
    "weights": (
        "weight",
        [
            *(True, 0, -1, NAN, INF, [1.0] * 5, [1.0] * 7, [0.0] * 6, [1.0, -1.0] * 3, [NAN] * 6, ["1"] * 6),
            *([None] * 6, [1e200, 1e-200, 1, 1, 1, 1], np.ones((6, 6)), *OTHER),
        ],
    ),
    "limits": ("limits", [None, 0, 1, 1.5, "no", [], {}, object(), NAN, np.array([True, False])]),
    "tolerance": ("tolerance", [None, True, 0, -1, NAN, INF, [1e-3], [1e-3] * 3, (1e-3, -1.0), "small", *OTHER]),
    "max_iterations": ("max_iterations", [None, True, 0, -1, 1.5, NAN, INF, 10**12, "many", np.array([3]), *OTHER]),
    "restarts": ("restarts", [None, True, -1, 1.5, NAN, INF, 10**12, "many", np.array([3]), *OTHER]),
    "seed": ("seed", [None, True, -1, 1.5, NAN, INF, "seed", np.array([3]), np.random.default_rng, *OTHER]),
}
CASES = [(argument, k) for argument, (_, values) in WRONG.items() for k in range(len(values))]


@pytest.mark.parametrize(("argument", "k"), CASES)
def test_it_is_refused_by_name(argument, k):
    named, values = WRONG[argument]
    arguments = {"frame": "tool", "target": POSE} | {argument: values[k]}
    with pytest.raises(sixd.SixdError, match=named):
        ARM.inverse_kinematics(**arguments)


@pytest.mark.parametrize("value", [NAN, INF])
def test_samples_that_are_not_finite_spoil_themselves_alone(value):
    """They are values of a sample, no wrong arguments."""
    for argument in ("target", "q0", "posture"):
        arguments = {"frame": "tool", "target": POSE, argument: np.full((4, 4) if argument == "target" else 7, value)}
        if argument == "target":
            arguments["target"][3] = [0, 0, 0, 1]
        assert ARM.inverse_kinematics(**arguments).status == sixd.ik.Status.NOT_FINITE


def test_several_frames():
    two = ["tool", "tool"]
    for wrong in (None, POSE, [POSE], [POSE, None], [POSE, "x"], {"tool": POSE, "nose": POSE}, 3.0, "ab", {}):
        with pytest.raises(sixd.SixdError, match=r"target|frame"):
            ARM.inverse_kinematics(two, wrong)
    for wrong in (["pose"], ["pose", 3], {"nose": "pose"}, {"tool": 3}):
        with pytest.raises(sixd.SixdError, match=r"kind|frame"):
            ARM.inverse_kinematics(two, [POSE, POSE], kind=wrong)
    for wrong in ([1.0], [1.0, -1.0], {"nose": 1.0}, {"tool": "x"}, [RAGGED, RAGGED]):
        with pytest.raises(sixd.SixdError, match=r"weight|frame"):
            ARM.inverse_kinematics(two, [POSE, POSE], weights=wrong)


def test_batches_that_do_not_broadcast():
    with pytest.raises(sixd.ShapeError, match="q0"):
        ARM.inverse_kinematics("tool", np.stack([POSE] * 3), np.zeros((2, 7)))
    with pytest.raises(sixd.ShapeError, match="target"):
        ARM.inverse_kinematics({"tool": np.stack([POSE] * 3), "link7": np.zeros((2, 3))})


def test_numbers_of_numpy_are_numbers():
    result = ARM.inverse_kinematics("tool", POSE, restarts=np.int64(3), max_iterations=np.int32(50), seed=np.int64(0))
    assert result.success
    assert ARM.inverse_kinematics("tool", POSE, limits=np.True_, tolerance=np.float32(1e-6)).success
