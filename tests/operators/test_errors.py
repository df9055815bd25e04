"""What does not fit is refused by name."""

import numpy as np
import pytest

import sixd
from sixd import Force, Inertia, Motion, SixdError
from sixd.operators import (
    BlockDiagonal,
    BlockSystem,
    ForceStack,
    Identity,
    Incidence,
    JointStack,
    MotionStack,
    RigidLink,
    Space,
    System,
)
from sixd.spatial import Matrix, Motions, Vector

ROBOT = sixd.gallery.double_pendulum()
SYSTEM = System.of(ROBOT, np.zeros(2))
M, F = Motion((1, 2, 3), (4, 5, 6)), Force((1, 2, 3), (4, 5, 6))
LINK = RigidLink(sixd.Transform.identity())


def system():
    found = BlockSystem()
    found.unknown("a", Matrix.identity(2), Vector((1.0, 2.0)))
    return found


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: MotionStack([F]), "a MotionStack holds a Motion by body, not a Force"),
        (lambda: MotionStack([M])[0], "bodies count from 1 to 1"),
        (lambda: MotionStack([M])["x"], "bodies count from 1"),
        (lambda: MotionStack([M]) + ForceStack([F]), "cannot add a MotionStack and a ForceStack"),
        (lambda: MotionStack([M]) - MotionStack([M, M]), "of 1 and of 2 bodies"),
        (lambda: MotionStack([M]).dot(MotionStack([M])), "pairs motions with forces"),
        (lambda: MotionStack([M]) / MotionStack([M]), "cannot divide"),
        (lambda: SYSTEM.H @ MotionStack([M, M]), "acts on a JointStack, not on a MotionStack"),
        (lambda: SYSTEM.H @ JointStack([Vector((1.0, 2.0))] * 2), r"parts of \[1, 1\] numbers, not of \[2, 2\]"),
        (lambda: SYSTEM.H @ np.zeros(2), "stack or on another operator"),
        (lambda: SYSTEM.H @ SYSTEM.H, "cannot form a product"),
        (lambda: SYSTEM.H + SYSTEM.P, "cannot add"),
        (lambda: SYSTEM.H + 1.0, "cannot add"),
        (lambda: SYSTEM.H - 1.0, "cannot add"),
        (lambda: SYSTEM.H.inv @ MotionStack([M, M]), "has no inverse here"),
        (lambda: SYSTEM.M.inv @ JointStack([Vector((1.0,))] * 2), "does not say how it is inverted"),
        (lambda: SYSTEM.M.T.inv @ JointStack([Vector((1.0,))] * 2), "does not say how it is inverted"),
        (lambda: SYSTEM.joints([1.0]), "has 2 dimensions, not 1"),
        (lambda: BlockDiagonal([Inertia.zero(), Motions([M])]), "blocks of one kind"),
        (lambda: BlockDiagonal([]), "found: none"),
        (lambda: Incidence([1], [LINK]), "number of one before it"),
        (lambda: Incidence([0, 1], [LINK]), "a link for each of its 2 bodies"),
        (lambda: Space.motions(-1), "number of bodies"),
        (lambda: Identity(Space.motions(2)) @ ForceStack([F, F]), "acts on a MotionStack"),
        (lambda: System.of("robot", [0.0]), "made of a robot"),
        (lambda: system().unknown("a", Matrix.identity(1), Vector((1.0,))), "'a' is there already"),
        (lambda: system().solve([]), "every unknown of the system once"),
        (lambda: system().solve(["a", "b"]), "every unknown of the system once"),
    ],
)
def test_refused(wrong, message):
    with pytest.raises(SixdError, match=message):
        wrong()


def test_values_never_change():
    with pytest.raises(AttributeError, match="values never change"):
        MotionStack([M]).values = ()
    assert MotionStack([M]) == MotionStack([M])
    assert MotionStack([M]) != MotionStack([M * 2.0])
    assert np.array_equal(np.asarray(MotionStack([M, M])), [1, 2, 3, 4, 5, 6] * 2)
    assert [MotionStack.size(2), JointStack.size(2)] == [12, 2]
