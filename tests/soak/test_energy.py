"""Energy over a thousand seconds without losses: the error of variational integrators stays bounded."""

from __future__ import annotations

import numpy as np
import pytest

import sixd
from sixd.simulation import simulate
from tests.robots import example_urdf

pytestmark = pytest.mark.slow
SECONDS = 1000.0


@pytest.mark.parametrize(("integrator", "dt"), [("variational", 5e-4), ("variational4", 5e-3)])
def test_a_pendulum(integrator, dt, record_property):
    run = simulate(sixd.gallery.pendulum(), [2.0], [0.0], SECONDS, dt=dt, integrator=integrator, record=round(0.1 / dt))
    error = np.abs(run.energy / run.energy[0] - 1.0)
    record_property("energy", f"pendulum, {integrator}, {dt:g} s: {error.max():.1e} of the energy")
    assert error.max() < 1e-6
    assert error[-2000:].max() < 1.1 * error[:2000].max()  # it does not grow


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
def test_a_free_flying_humanoid(record_property):
    """Talos without gravity, and with joints that turn freely: 38 degrees of freedom, 500,000 steps."""
    talos = sixd.load(example_urdf("talos_data/talos_reduced"), base="free").with_gravity((0.0, 0.0, 0.0))
    qd = 0.3 * np.random.default_rng(0).normal(size=talos.nv)
    run = simulate(talos, talos.neutral(), qd, SECONDS, dt=2e-3, integrator="variational4", record=500)
    drift = np.abs(run.energy / run.energy[0] - 1.0)
    norms = np.abs(np.linalg.norm(run.q[:, :4], axis=-1) - 1.0)
    record_property("energy", f"Talos: energy {drift.max():.1e}, quaternion {norms.max():.1e}")
    assert drift.max() < 1e-6
    assert drift[-200:].max() < 3.0 * drift[:200].max()
    assert norms.max() < 1e-12
