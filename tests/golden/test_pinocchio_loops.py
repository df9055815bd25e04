"""Mechanisms with loops against Pinocchio's constrained dynamics."""

import numpy as np
import pinocchio as pin
import pytest

from tests.constraints.closing import closed_by
from tests.constraints.mechanisms import four_bar
from tests.constraints.states import consistent, largest
from tests.golden.pinocchio_model import build, q_of, se3, v_of


def peer_of(closed):
    """The tree and its constraints in Pinocchio: welds, and points for spherical loop joints."""
    peer, at = build(closed)
    peer.lowerPositionLimit, peer.upperPositionLimit = np.full(peer.nq, -np.inf), np.full(peer.nq, np.inf)
    contacts = pin.StdVec_RigidConstraintModel()
    for c in closed.closures:
        kind = pin.ContactType.CONTACT_6D if c.constraint.rows == 6 else pin.ContactType.CONTACT_3D
        places = (at[c.b], se3(c.X_b), at[c.a], se3(c.X_a))
        contacts.append(pin.RigidConstraintModel(kind, peer, *places, pin.ReferenceFrame.LOCAL))
    return peer, contacts


def accelerations(closed, q, qd, tau):
    """qdd by Pinocchio, sample by sample, and the multipliers of the constraints."""
    peer, contacts = peer_of(closed)
    data = peer.createData()
    datas = pin.StdVec_RigidConstraintData()
    for contact in contacts:
        datas.append(contact.createData())
    settings = pin.ProximalSettings(1e-15, 1e-12, 100)
    found, forces = [], []
    for k in range(len(q)):
        state = q_of(closed, q[k]), v_of(closed, qd[k]), v_of(closed, tau[k])
        pin.initConstraintDynamics(peer, data, contacts, datas)
        found.append(pin.constraintDynamics(peer, data, *state, contacts, datas, settings).copy())
        forces.append([np.array(each.contact_force.vector) for each in datas])
    return np.array(found), np.array(forces)


@pytest.mark.parametrize("name", ["Stewart", "standing"])
def test_mechanisms(name):
    closed, q, qd, tau = consistent(name)
    wanted, forces = accelerations(closed, q, qd, tau)
    qdd = closed.forward_dynamics(q, qd, tau)
    assert largest(np.array([v_of(closed, x) for x in qdd]), wanted) < 1e-9
    own = closed.constraint_forces(q, qd, tau).forces
    for k, constraint in enumerate(closed.constraint_list):
        assert largest(own[constraint.name][:, 3:], forces[:, k, :3]) < 1e-8


def test_a_redundant_loop():
    closed, q = four_bar(joint="point")
    q = np.array([q])
    qd, tau = closed.project(q, np.ones((1, 3)))[1], np.array([[1.0, 2.0, 3.0]])
    wanted, _ = accelerations(closed, q, qd, tau)
    assert largest(closed.forward_dynamics(q, qd, tau), wanted) < 1e-6  # Pinocchio regularises the redundant row


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_a_weld(seed):
    closed, q = closed_by(None, seed + 1)
    rng = np.random.default_rng(seed)
    qd, tau = closed.impulse(q, rng.normal(size=closed.nv)).qd, rng.normal(size=closed.nv)
    wanted, _ = accelerations(closed, q[None], qd[None], tau[None])
    assert largest(v_of(closed, closed.forward_dynamics(q, qd, tau)), wanted[0]) < 1e-8
