"""The robot at one instant, as force elements and controllers see it; and the loads that they put on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sixd import algorithms
from sixd.errors import ModelError, ShapeError
from sixd.model import Frame, Model, ModelTree
from sixd.model.configuration import neutral
from sixd.model.tree import Slots
from sixd.ops import Scalar
from sixd.process.forks import cached_property
from sixd.samples import Samples
from sixd.spatial import Force, Motion, Transform, Vector

__all__ = ["BaseState", "Loads", "Moment", "sample_moment"]


class BaseState(NamedTuple):
    """Where the robot's base is at one instant, and how it moves; velocity and acceleration in its own coordinates."""

    #: X_B0, from world to base coordinates.
    X: Transform
    #: The velocity, v_0 of FO00.
    v: Motion
    #: The spatial acceleration, a_0 of FO00; gravity left out.
    a: Motion


class Moment:
    """A robot at one instant: its state, in numbers of any kind, and what follows from it.

    ``q``, ``qd`` and the time ``t`` are the state. ``inputs`` are the numbers that a simulation was given by name, such
    as set points, at this instant. All is for one sample: batches and time are the compiler's. ``base`` is how the base
    moves; without it the base stands still and its coordinates are the world's.
    """

    def __init__(
        self,
        model: Model,
        t: Scalar,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        inputs: Mapping[str, Any],
        base: BaseState | None = None,
    ) -> None:
        self.model, self.t, self.q, self.qd, self.inputs, self.base = model, t, list(q), list(qd), inputs, base

    @cached_property
    def tree(self) -> ModelTree:
        """How algorithms walk the model."""
        return ModelTree(self.model)

    @cached_property
    def X(self) -> Slots[Transform]:
        """X_i0 of every body, from world to body coordinates: F10b (14)."""
        if self.base is None:
            return self.X_base
        X = self.tree.slots(Transform, base=self.base.X)
        for i, _ in self.tree.outward():
            X[i] = self.X_base[i] @ self.base.X
        return X

    @cached_property
    def v(self) -> Slots[Motion]:
        """The velocity of every body, in its own coordinates: F10b (9)."""
        if self.base is None:
            return self.v_base
        v = self.tree.slots(Motion, base=self.base.v)
        for i, _ in self.tree.outward():
            v[i] = self.v_base[i] + self.X_base[i] @ self.base.v
        return v

    @cached_property
    def X_base(self) -> Slots[Transform]:
        """The transform from base to body coordinates, of every body. It is `X` unless the base moves."""
        return algorithms.forward_kinematics(self.tree, self.tree.positions(self.q))

    @cached_property
    def v_base(self) -> Slots[Motion]:
        """The velocity of every body relative to the base, in its own coordinates. It is `v` unless the base moves."""
        return algorithms.velocities(self.tree, self.tree.positions(self.q), self.tree.velocities(self.qd))

    def frame(self, name: str) -> Frame:
        """The frame of this name: its body and its place on it. An unknown name raises with the closest matches."""
        return self.model.frames[name]

    def position(self, body: int, r: Vector) -> Vector:
        """Where a point of a body is, in world coordinates; r is its place in body coordinates."""
        X = self.X[body]
        return X.r + X.E.T @ r

    def velocity(self, body: int, r: Vector) -> Vector:
        """The velocity of a point of a body, in world coordinates: E^T (v_O + omega x r)."""
        v = self.v[body]
        return self.X[body].E.T @ (v.lin + v.ang.cross(r))

    def joint_position(self, joint: str) -> list[Scalar]:
        """The coordinates of a joint."""
        return self.q[self.model.joint(joint).q]

    def joint_velocity(self, joint: str) -> list[Scalar]:
        """The velocity of a joint."""
        return self.qd[self.model.joint(joint).v]


class Loads:
    """Joint forces, by degree of freedom, and forces on bodies, in body coordinates; they add up."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tau: list[Scalar] = [0.0] * model.nv
        self.bodies: list[Force] = [Force.zero() for _ in range(model.n_bodies + 1)]

    def add(self, other: Loads) -> None:
        """Add all of another's loads."""
        self.tau = [a + b for a, b in zip(self.tau, other.tau, strict=True)]
        self.bodies = [a + b for a, b in zip(self.bodies, other.bodies, strict=True)]

    def on_joints(self, tau: Sequence[Scalar]) -> None:
        """Add joint forces, one for each degree of freedom."""
        if len(tau) != self.model.nv:
            raise ShapeError(f"joint forces are nv = {self.model.nv} numbers, not {len(tau)}")
        self.tau = [a + b for a, b in zip(self.tau, tau, strict=True)]

    def on_joint(self, joint: str, tau: Sequence[Scalar]) -> None:
        """Add forces to one joint, one for each of its degrees of freedom."""
        where = self.model.joint(joint).v
        if len(tau) != where.stop - where.start:
            raise ShapeError(f"joint {joint!r} has {where.stop - where.start} degrees of freedom, not {len(tau)}")
        self.tau[where] = [a + b for a, b in zip(self.tau[where], tau, strict=True)]

    def add_at(self, tau: Mapping[int, Scalar]) -> None:
        """Add joint forces by the number of their degree of freedom."""
        for k, x in tau.items():
            self.tau[k] = self.tau[k] + x

    def on_body(self, body: int, force: Force) -> None:
        """Add a force on a body, in the body's coordinates. What acts on the base, body 0, moves nothing."""
        if not 0 <= body <= self.model.n_bodies:
            raise ModelError(f"there is no body {body}: bodies are 0 to {self.model.n_bodies}")
        self.bodies[body] = self.bodies[body] + force

    def at_point(self, moment: Moment, body: int, r: Vector, f: Vector) -> None:
        """Add a force f, in world coordinates, that acts at the point r of a body, in body coordinates."""
        own = moment.X[body].E @ f
        self.on_body(body, Force(r.cross(own), own))

    def power(self, moment: Moment) -> Scalar:
        """The work per time of all loads, tau qd + sum of f_i v_i, with velocities relative to the base; W."""
        total: Scalar = 0.0
        for tau, qd in zip(self.tau, moment.qd, strict=True):
            total = total + tau * qd
        for i, f in enumerate(self.bodies[1:], start=1):
            if any(not (isinstance(x, float) and x == 0.0) for x in f.components()):
                total = total + f.dot(moment.v_base[i])
        return total


def sample_moment(model: Model, inputs: Mapping[str, tuple[int, ...]]) -> Moment:
    """The robot at rest in its neutral position, with zeros for the inputs of these shapes: for checks.

    Its numbers are NumPy's, which divide by zero: a field may have its pole there.
    """
    zeros = {name: np.zeros(shape) for name, shape in inputs.items()}
    q, qd, t = ([np.asarray(x).view(Samples) for x in values] for values in (neutral(model), np.zeros(model.nv), [0.0]))
    return Moment(model, t[0], q, qd, zeros)
