"""Screws: the line and the magnitudes of a twist or a wrench (F10a (5)-(8) and "What Is a Spatial Vector?")."""

import math

import numpy as np
import pytest

from sixd.spatial import Force, Motion, Transform, Vector, screw_of_force, screw_of_motion


def test_twists_and_wrenches_are_made_of_their_screws(numbers):
    m, f = numbers.motion(), numbers.force()
    numbers.assert_close(screw_of_motion(m).motion(), m, 10)
    numbers.assert_close(screw_of_force(f).force(), f, 10)


def test_the_line_has_a_unit_direction_and_its_nearest_point(numbers):
    for screw in (screw_of_motion(numbers.motion()), screw_of_force(numbers.force())):
        numbers.assert_close(screw.direction @ screw.direction, 1.0)
        numbers.assert_close(screw.direction @ screw.point, 0.0)


def test_pitch_is_translation_per_rotation(numbers):
    screw, wrench = screw_of_motion(numbers.motion()), screw_of_force(numbers.force())
    numbers.assert_close(screw.pitch * screw.rotation, screw.translation, 10)
    numbers.assert_close(wrench.pitch * wrench.translation, wrench.rotation, 10)


def test_scaling_keeps_the_line(numbers):
    """F10a "Scalar multiplication": magnitudes are scaled, the line stays."""
    m = numbers.motion()
    screw, scaled = screw_of_motion(m), screw_of_motion(m * 2.5)
    numbers.assert_close(scaled.point, screw.point)
    numbers.assert_close(scaled.direction, screw.direction)
    numbers.assert_close(scaled.rotation, screw.rotation * 2.5)
    numbers.assert_close(scaled.translation, screw.translation * 2.5)


def test_magnitudes_and_pitch_do_not_depend_on_the_frame(numbers):
    X, m, f = numbers.transform(), numbers.motion(), numbers.force()
    for a, b in ((screw_of_motion(m), screw_of_motion(X @ m)), (screw_of_force(f), screw_of_force(X @ f))):
        numbers.assert_close(b.rotation, a.rotation, 100)
        numbers.assert_close(b.translation, a.translation, 100)
        numbers.assert_close(b.pitch, a.pitch, 1000)
        numbers.assert_close(b.direction, X.E @ a.direction, 100)


def test_the_basis_vectors_are_the_rotations_and_translations_of_the_frame():
    """F10a (5), (6): d_Oz is a unit rotation about the line Oz, d_z a unit translation along z; e_Oz a unit force."""
    z = [0.0, 0.0, 1.0]
    rotation = screw_of_motion(Motion(z, [0.0] * 3))
    assert (list(rotation.direction), list(rotation.point)) == (z, [0.0] * 3)
    assert (rotation.rotation, rotation.translation, rotation.pitch) == (1.0, 0.0, 0.0)
    translation = screw_of_motion(Motion([0.0] * 3, z))
    assert (list(translation.direction), translation.rotation, translation.translation) == (z, 0.0, 1.0)
    force = screw_of_force(Force([0.0] * 3, z))
    assert (list(force.direction), force.translation, force.rotation, force.pitch) == (z, 1.0, 0.0, 0.0)


def test_a_rotation_about_a_line_off_the_origin():
    m = Transform.translation([1.0, 2.0, 0.0]).inv @ Motion([0.0, 0.0, 3.0], [0.0, 0.0, 6.0])
    screw = screw_of_motion(m)
    assert list(screw.point) == [1.0, 2.0, 0.0]
    assert (screw.rotation, screw.translation, screw.pitch) == (3.0, 6.0, 2.0)


@pytest.mark.parametrize("kind", ["float", "batch"])
def test_without_rotation_the_pitch_is_infinite_and_the_point_zero(kind):
    lin = [3.0, 0.0, 4.0] if kind == "float" else np.array([[3.0, 0.0, 4.0], [3.0, 0.0, 4.0]])
    screw = screw_of_motion(Motion.from_array(np.concatenate([np.zeros_like(lin), lin], axis=-1)))
    assert np.all(np.asarray(screw.pitch) == math.inf)
    assert np.all(np.asarray(screw.translation) == 5.0)
    assert not screw.point.array().any()
    assert np.abs(screw.direction.array() - [0.6, 0.0, 0.8]).max() < 1e-15
    assert np.abs(screw.motion().lin.array() - lin).max() < 1e-15


def test_nothing_moves_on_the_screw_of_zero():
    for screw in (screw_of_motion(Motion.zero()), screw_of_force(Force.zero())):
        assert screw.rotation == screw.translation == 0.0
        assert not Vector.from_array(screw.direction).array().any()
        assert not screw.motion().array().any()


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e-160, 1e160, 1e200, 1e300])
@pytest.mark.parametrize("kind", ["float", "batch"])
def test_screws_of_any_magnitude(scale, kind):
    """The line of a scaled twist is the same; its magnitudes are scaled."""
    wide = np.ones(2) if kind == "batch" else 1.0
    m, f = Motion((0, 0, 3), (6, -3, 6)) * wide * scale, Force((6, -3, 6), (0, 0, 3)) * wide * scale
    twist, wrench = screw_of_motion(m), screw_of_force(f)
    for screw, sizes in ((twist, (3, 6)), (wrench, (6, 3))):
        assert np.all(np.abs(screw.point.array() - [1.0, 2.0, 0.0]) < 1e-15)
        assert np.all(np.abs(screw.direction.array() - [0.0, 0.0, 1.0]) < 1e-15)
        assert np.all(np.asarray(screw.pitch) == pytest.approx(2.0))
        assert np.all(np.asarray(screw.rotation) == sizes[0] * scale)
        assert np.all(np.asarray(screw.translation) == sizes[1] * scale)


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e200])
def test_translations_of_any_magnitude(scale):
    screw = screw_of_motion(Motion((0, 0, 0), Vector((3.0, 0.0, 4.0)) * scale))
    assert screw.translation == pytest.approx(5 * scale, rel=1e-15)
    assert screw.direction.array() == pytest.approx([0.6, 0.0, 0.8], rel=1e-15)
    assert screw.pitch == math.inf


@pytest.mark.parametrize("base", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0] * 6, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize(
    "make", [lambda x: screw_of_motion(Motion.from_array(x)), lambda x: screw_of_force(Force.from_array(x))]
)
def test_nan_anywhere_is_nan_everywhere(make, place, base):
    values = np.array([base] * 2)
    values[1, place] = math.nan
    for screw, rows in ((make(values[1]), ()), (make(values), 1)):
        parts = [screw.direction.array(), screw.point.array(), screw.rotation, screw.translation, screw.pitch]
        assert all(np.isnan(np.asarray(part)[rows]).all() for part in parts)
    assert not np.isnan(make(values).direction.array()[0]).any()


def test_nan_stays_in_its_sample():
    values = np.random.default_rng(0).normal(size=(3, 6))
    values[1, 0] = np.nan
    screw = screw_of_motion(Motion.from_array(values))
    assert list(np.isnan(screw.motion().array()).any(axis=1)) == [False, True, False]
    assert list(np.isnan(screw.pitch)) == [False, True, False]
