"""The equations of motion of frames of closed robots."""

import numpy as np
import pytest

import sixd
from tests.constraints.mechanisms import four_bar, standing, stewart


@pytest.mark.parametrize(
    ("mechanism", "frame", "kind"),
    [(stewart(), "platform", "pose"), (standing(), "base", "pose"), (stewart(), ["platform"], ["position"])],
    ids=["Stewart", "standing", "a list"],
)
@pytest.mark.parametrize("expressed_in", ["body", "aligned"])
def test_forces_at_a_frame_move_it_as_its_equations_say(mechanism, frame, kind, expressed_in):
    closed, q = mechanism
    frame = closed.bodies[1].name if frame == "base" else frame
    rng = np.random.default_rng(0)
    q, qd, _ = closed.project(q, 0.3 * rng.normal(size=closed.nv))
    Lambda, mu, p = closed.operational_space(q, qd, frame, kind, expressed_in)
    name, rows = (frame, slice(0, 6)) if isinstance(frame, str) else (frame[0], slice(3, 6))
    J = closed.jacobian(q, name, expressed_in)[rows]
    f = rng.normal(size=len(J))
    qdd = closed.forward_dynamics(q, qd, J.T @ f)
    drift = closed.bias_acceleration(q, qd, name, expressed_in, expressed_in == "aligned")[rows]
    found = Lambda @ (J @ qdd + drift) + mu + p
    np.testing.assert_allclose(found, f, rtol=0, atol=1e-9 * (np.abs(mu) + np.abs(p) + np.abs(f)).max())
    np.testing.assert_allclose(Lambda, Lambda.T, rtol=0, atol=1e-10 * np.abs(Lambda).max())


def test_batches_and_frames_that_cannot_move():
    closed, q = four_bar()
    with pytest.raises(sixd.SingularError, match="cannot move in every direction"):
        closed.operational_space(q, np.zeros(3), "coupler end", "position")
    with pytest.raises(sixd.SixdError, match="frame must be the name"):
        closed.operational_space(q, np.zeros(3), [])
    platform, q = stewart()
    both = platform.operational_space(np.stack([q, q]), np.zeros(platform.nv), "platform")
    assert both.Lambda.shape == (2, 6, 6)
