"""Assembly of closed robots, projections, mobility."""

import pickle

import numpy as np
import pytest

import sixd
from sixd import AssemblyError, Builder, Loop
from sixd.joints import Revolute
from tests.constraints.mechanisms import MECHANISMS, bricard, four_bar, stewart
from tests.constraints.states import largest


@pytest.mark.parametrize("name", MECHANISMS)
def test_assembly_from_afar(name):
    closed, q = MECHANISMS[name]()
    rng = np.random.default_rng(0)
    guess = closed.tree.integrate(q, rng.uniform(-0.2, 0.2, size=(4, closed.nv)))
    found = closed.assemble(guess)
    assert np.abs(closed.constraint_error(found)).max() < 1e-11
    assert closed.within_limits(found).all()


def test_seeds_lead_to_both_modes_of_assembly():
    closed, q = four_bar()
    found = np.array([closed.assemble(q, fixed="crank_joint", seed=seed) for seed in range(8)])
    assert np.array_equal(found[:, 0], np.full(8, q[0]))
    rockers = np.sin(found[:, 2] / 2) ** 2
    assert len(set(np.round(rockers, 6))) == 2
    assert np.allclose(closed.assemble(q), q, atol=1e-12)
    again = closed.assemble(q, fixed="crank_joint", seed=3)
    assert np.array_equal(again, found[3])


def test_limits_are_kept():
    b = Builder("two bars")
    b.body("a", "base", Revolute("y"), mass=1.0, inertia=(1, 1, 1), lower=-1.5, upper=0.2)
    b.body("b", "a", Revolute("y"), mass=1.0, inertia=(1, 1, 1), xyz=(1, 0, 0), lower=-3.0, upper=3.0)
    b.frame("tip", on="b", xyz=(1, 0, 0)).frame("nail", on="base", xyz=(1.2, 0, 0.4))
    closed = b.build().close(Loop("nail", "tip", "point"))
    up = closed.assemble([0.1, 0.1])
    assert closed.within_limits(up)
    assert closed.within_limits(closed.assemble([-1.0, 2.0]))
    with pytest.raises(AssertionError):
        assert closed.within_limits(closed.assemble([1.4, -1.0], limits=False, restarts=0))


def test_what_cannot_be_assembled_says_which_constraint_holds_it():
    closed, q = four_bar()
    far = closed.tree.with_frame("far", "base", xyz=(9, 0, 0)).close(
        Loop("far", "coupler end", "point", name="too far")
    )
    with pytest.raises(AssemblyError, match=r"cannot be assembled: the smallest error found is 6.6 .*'too far'") as e:
        far.assemble(q)
    assert np.isclose(e.value.error, 6.6, atol=1e-3)
    assert e.value.q.shape == (3,)
    again = pickle.loads(pickle.dumps(e.value))
    assert (str(again), again.error) == (str(e.value), e.value.error)
    both = closed.close(Loop("base", "coupler end", "point", name="contradiction"))
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        both.assemble(q)
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        both.project(q)


def test_samples_that_cannot_be_assembled_are_nan():
    closed, q = four_bar(ground=3.0, crank=1.0, coupler=1.6, rocker=1.0, angle=0.0)
    with pytest.warns(sixd.ModelWarning, match="1 of 2 samples are NaN"):
        found = closed.assemble(np.stack([q, [np.pi, 0.0, 0.0]]), fixed="crank_joint", restarts=3)
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_projections_are_the_nearest_in_the_metric_of_the_mass_matrix():
    closed, q = stewart()
    rng = np.random.default_rng(1)
    qd, qdd = rng.normal(size=(2, closed.nv))
    at, velocity, acceleration = closed.project(q, qd, qdd)
    L, H = closed.constraint_jacobian(at), closed.tree.mass_matrix(at)
    assert np.abs(L @ velocity).max() < 1e-12
    assert largest(L @ acceleration, closed.constraint_bias(at, velocity)) < 1e-11
    assert np.array_equal(closed.project(q), at)
    assert np.array_equal(closed.project(q, qd)[1], velocity)
    with pytest.raises(sixd.ArgumentError, match="needs qd to make qdd consistent"):
        closed.project(q, qdd=qdd)
    free = closed.mobility(at).freedoms
    for given, found in ((qd, velocity), (qdd, acceleration)):
        assert np.abs(free @ H @ (found - given)).max() < 1e-10
    np.testing.assert_allclose(free @ H @ free.T, np.eye(6), atol=1e-11)
    assert np.abs(L @ free.T).max() < 1e-12


def test_impulses():
    closed, q = stewart()
    qd = np.random.default_rng(2).normal(size=closed.nv)
    L, H = closed.constraint_jacobian(q), closed.tree.mass_matrix(q)
    plastic, elastic = closed.impulse(q, qd), closed.impulse(q, qd, restitution=1.0)
    for found, e in ((plastic, 0.0), (elastic, 1.0)):
        assert largest(H @ (found.qd - qd), L.T @ found.impulses) < 1e-11
        np.testing.assert_allclose(L @ found.qd, -e * (L @ qd), atol=1e-11)
    energy = [closed.kinetic_energy(q, v) for v in (qd, elastic.qd, plastic.qd)]
    assert np.isclose(energy[0], energy[1], rtol=1e-12)
    assert energy[2] < energy[0]


def test_mobility():
    closed, q = four_bar()
    found = closed.mobility(q)
    assert found[:4] == (1, 2, -2, {"pin": 3})
    assert (len(found.freedoms), len(found.singular)) == (1, 0)
    assert closed.mobility(q).redundant == {"pin": 3}
    assert bricard()[0].mobility(np.zeros(5))[:4] == (1, 4, 0, {"last": 1})
    assert stewart()[0].mobility(stewart()[1])[:4] == (6, 18, 6, {})
    twice = closed.close(Loop("rocker end", "coupler end", "point", name="again"))
    assert twice.mobility(q).redundant == {"pin": 5, "again": 3}
    assert closed.independent(q) == (1,)


def test_random_positions_are_consistent():
    closed, _ = four_bar()
    q = closed.random(3, size=(2, 5))
    assert q.shape == (2, 5, 3)
    assert np.abs(closed.constraint_error(q)).max() < 1e-11
    assert np.array_equal(closed.random(3, size=(2, 5)), q)
