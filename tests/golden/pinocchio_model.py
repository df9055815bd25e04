"""A sixd model as a Pinocchio model, joint by joint, and states in Pinocchio's coordinates.

What Pinocchio has no joint for is made of simpler joints and massless bodies.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from sixd import joints
from sixd.model import Model


def se3(X) -> pin.SE3:
    return pin.SE3(X.E.array().T, X.r.array())


def build(model: Model) -> tuple[pin.Model, list[int]]:
    """The Pinocchio model and, for each body, its joint there."""
    peer = pin.Model()
    peer.gravity = pin.Motion(np.array(model.gravity), np.zeros(3))
    at, one = [0], pin.SE3.Identity()
    for body in model.body_list[1:]:
        kind, place, parent = body.joint.type, se3(body.placement), at[body.parent]
        axis = kind.axis.array() if hasattr(kind, "axis") else None
        steps = {
            "revolute": lambda a: [pin.JointModelRevoluteUnaligned(a)],
            "prismatic": lambda a: [pin.JointModelPrismaticUnaligned(a)],
            "helical": lambda a, k=kind: [pin.JointModelHelicalUnaligned(a, float(k.pitch))],
            "cylindrical": lambda a: [pin.JointModelRevoluteUnaligned(a), pin.JointModelPrismaticUnaligned(a)],
            "universal": lambda a: [pin.JointModelRX(), pin.JointModelRY()],
            "spherical": lambda a: [pin.JointModelSpherical()],
            "translational": lambda a: [pin.JointModelTranslation()],
            "free": lambda a: [pin.JointModelFreeFlyer()],
            "planar": lambda a, k=kind: _one_by_one(k),
            "spherical-euler": lambda a: [pin.JointModelSphericalZYX()],
        }[kind.name](axis)
        for k, step in enumerate(steps):
            parent = peer.addJoint(parent, step, place if k == 0 else one, f"{body.name}.{k}")
        at.append(parent)
        I = body.inertia
        peer.appendBodyToJoint(parent, pin.Inertia(float(I.m), I.com.array(), I.I_com.array()), one)
    armature = np.zeros(peer.nv)
    for joint, data in ((j, j.data) for j in model.joints):
        armature[joint.v] = np.asarray(data.rotor_inertia)[_order(joint.type)]
    peer.armature = armature
    return peer, at


def _one_by_one(kind) -> list:
    """A joint that moves along its neutral axes in turn, as single joints."""
    axes = [(s.ang.array(), s.lin.array()) for s in kind.subspace(kind.neutral())]
    revolute, prismatic = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    return [revolute(ang) if ang.any() else prismatic(lin) for ang, lin in axes]


def _order(kind) -> list[int]:
    """Pinocchio's order of a joint's velocities: linear before angular in a free flyer."""
    return [3, 4, 5, 0, 1, 2] if isinstance(kind, joints.Free) else list(range(kind.nv))


def q_of(model: Model, q):
    """q in Pinocchio's layout: a free joint has its position first."""
    parts = []
    for joint in model.joints:
        part = q[joint.q]
        parts.append(np.concatenate([part[4:], part[:4]]) if isinstance(joint.type, joints.Free) else part)
    return np.concatenate(parts)


def v_of(model: Model, v):
    return np.concatenate([v[joint.v][_order(joint.type)] for joint in model.joints])
