"""The inertial parameters of a robot as an array, and robots with others."""

import numpy as np
import pytest

import sixd
from sixd import ModelError, ShapeError


def test_the_order_of_the_parameters():
    """m, m c, and the moments about the origin: I_c + m (|c|^2 1 - c c^T)."""
    b = sixd.Builder("one").body("a", joint=sixd.joints.Free(), mass=2.0, com=(0.1, 0.2, 0.3), inertia=(1.0, 2.0, 2.5))
    wanted = [2.0, 0.2, 0.4, 0.6, 1.26, -0.04, -0.06, 2.2, -0.12, 2.6]
    np.testing.assert_allclose(b.build().inertial_parameters, wanted, rtol=1e-15)
    np.testing.assert_array_equal(b.build().inertial_parameters, sixd.parameters(b.build(), "inertia").ravel())


def test_another_robot():
    arm = sixd.gallery.seven_axis_arm()
    p = arm.inertial_parameters * 1.25
    other = arm.with_inertial_parameters(p)
    assert isinstance(other, sixd.Robot)
    np.testing.assert_array_equal(other.inertial_parameters, p)
    assert other.mass == pytest.approx(1.25 * arm.mass)
    assert other.joints.names == arm.joints.names
    assert other.lock({"joint7": 0.0}).n_bodies == 6


def test_what_no_body_can_have():
    arm = sixd.gallery.double_pendulum()
    p = np.array(arm.inertial_parameters)
    p[14] *= 100.0
    with pytest.warns(sixd.ModelWarning, match="body 'link2': no body has this inertia") as caught:
        odd = arm.with_inertial_parameters(p)
    assert caught[0].filename == __file__  # the warning is shown for the line that is to blame
    np.testing.assert_array_equal(odd.inertial_parameters, p)
    assert len(odd.warnings) == 1


def test_mistakes():
    arm = sixd.gallery.double_pendulum()
    p = np.array(arm.inertial_parameters)
    with pytest.raises(ShapeError, match=r"p has shape \(19,\), but \(..., 20\) is needed"):
        arm.with_inertial_parameters(p[1:])
    with pytest.raises(ShapeError, match="one robot has one set"):
        arm.with_inertial_parameters([p, p])
    p[10] = -1.0
    with pytest.raises(ModelError, match="body 'link2': inertia: its mass is negative"):
        arm.with_inertial_parameters(p)
    p[10] = np.nan
    with pytest.raises(ModelError, match="body 'link2': inertia: its inertia is not finite"):
        arm.with_inertial_parameters(p)
