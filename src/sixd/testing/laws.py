"""The laws of a joint."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from sixd.diagnosis.audit import report
from sixd.errors import SixdError
from sixd.joints import Joint
from sixd.model import Model
from sixd.spatial import Force, Vector, rate_of_transform
from sixd.testing.precise import derivative, precise

__all__ = ["check_joint", "check_model"]


def check_model(model: Model, states: int = 5, seed: int = 0) -> None:
    """Check that the algorithms agree with each other on a model: raises AssertionError with what does not.

    The laws are those of `Robot.check`: tau = H qdd + C, forward after inverse dynamics, energy and momentum rates,
    Jacobians, on random states. Findings about the data of the model do not count.
    """
    wrong = [finding for finding in report(model, states, seed).findings if finding.code == "audit"]
    assert not wrong, "\n".join(map(str, wrong))


def check_joint(joint: Joint, rng: np.random.Generator | int | None = 0, samples: int = 5, tol: float = 1e-12) -> None:
    """Check that a joint keeps the contract: raises AssertionError with the law that it breaks.

    At random positions: the frames coincide at neutral; the transform is a rigid displacement; dX/dt = -(S qd x) X, so
    S is the derivative of the transform; bias is (dS/dt) qd; integrate and difference are inverse to each other;
    nearest finds the position of a transform, and the constraint subspace T completes S with T^T S = 0, if the type can
    close loops; batches agree with single states; the parameters tell all, and equality and pickling are sound.
    """
    try:
        _check(joint, np.random.default_rng(rng), samples, tol)
    except AssertionError as error:
        raise AssertionError(f"{joint!r}: {error}") from None
    except SixdError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        raise AssertionError(
            f"{type(joint).__name__} does not run on every kind of number ({error}): use sixd.ops.sin, cos, sqrt, ... "
            "instead of math or numpy, sixd.ops.where instead of if, and keep parameters in _parameters"
        ) from error


def _check(joint: Joint, rng: np.random.Generator, samples: int, tol: float) -> None:
    lower, upper = joint.limits()
    _equal(joint.transform(joint.neutral()).pose(), np.eye(4), tol, "the frames coincide at the neutral position")
    assert type(joint).from_parameters(joint.parameters) == joint, "a joint is its type and its parameters"
    for _ in range(samples):
        q, qd, dv = joint.random(rng, lower, upper), rng.normal(size=joint.nv), rng.normal(size=joint.nv)
        _check_transform(joint, q, qd, tol)
        _check_bias(joint, q, qd, tol)
        _check_derivatives(joint, q, qd, dv, tol)
        _check_tangent(joint, q, 0.5 * dv, tol)
        _check_parameters(joint, q, tol)
        _check_closing(joint, q, tol)
    _check_batch(joint, rng, tol)
    assert pickle.loads(pickle.dumps(joint)) == joint, "a joint can be pickled"


def _check_transform(joint: Joint, q: Any, qd: Any, tol: float) -> None:
    X = joint.transform(Vector.from_array(q))
    E = X.E.array()
    _equal(E @ E.T, np.eye(3), tol, "E is orthogonal")
    assert np.linalg.det(E) > 0.0, "E is a rotation"
    S = joint.subspace(Vector.from_array(q))
    assert len(S) == joint.nv, "S has one column per velocity coordinate"
    assert np.linalg.matrix_rank(S.array()) == joint.nv, "the columns of S are independent"
    rate = derivative(lambda h: joint.transform(_moved(joint, q, qd, h)).matrix().components()).reshape(6, 6)
    v = S @ Vector.from_array(qd)
    law = "S is the derivative of the transform: dX/dt = -(S qd x) X (if it is: functions of math instead of sixd.ops?)"
    _equal(rate, rate_of_transform(X, v).array(), tol, law)


def _check_bias(joint: Joint, q: Any, qd: Any, tol: float) -> None:
    rate = derivative(lambda h: joint.subspace(_moved(joint, q, qd, h)).components()).reshape(joint.nv, 6).T
    entries = Vector.from_array(q), Vector.from_array(qd)
    _equal(rate, joint.subspace_rate(*entries).array(), tol, "subspace_rate is dS/dt")
    _equal(rate @ qd, joint.bias(*entries).array(), tol, "bias is (dS/dt) qd")
    if joint.constant_subspace:
        _equal(rate, np.zeros_like(rate), 0.0, "S is constant")


def _check_derivatives(joint: Joint, q: Any, qd: Any, x: Any, tol: float) -> None:
    """What derivatives of the dynamics by q need where S varies."""
    at, velocity, f = Vector.from_array(q), Vector.from_array(qd), np.arange(1.0, 7.0)

    def by_q(function: Callable[[Vector], Any]) -> Any:
        """The derivatives of a function of the position, a column for each coordinate, in high precision."""
        return np.transpose([derivative(_along(joint, q, e, function)) for e in np.eye(joint.nv)])

    _equal(
        joint.subspace_derivative(at, Vector.from_array(x)).array(),
        by_q(lambda moved: (joint.subspace(moved) @ Vector(precise(x))).components()),
        tol,
        "subspace_derivative is the derivative of S x by q",
    )
    _equal(
        joint.subspace_force_derivative(at, Force.from_array(f)).array(),
        by_q(lambda moved: (joint.subspace(moved).T @ Force.from_components(precise(f))).components()),
        tol,
        "subspace_force_derivative is the derivative of S^T f by q",
    )
    _equal(
        joint.bias_derivative(at, velocity).array(),
        by_q(lambda moved: joint.bias(moved, Vector(precise(qd))).components()),
        tol,
        "bias_derivative is the derivative of bias by q",
    )
    rates = [derivative(_faster(joint, q, qd, e)) for e in np.eye(joint.nv)]
    law = "bias_derivative_by_velocity is the derivative of bias by qd"
    _equal(joint.bias_derivative_by_velocity(at, velocity).array(), np.transpose(rates), tol, law)


def _along(joint: Joint, q: Any, e: Any, function: Callable[[Vector], Any]) -> Callable[[Any], Any]:
    """A function of the position as one of the time in which the joint moves with velocity e."""
    return lambda h: function(_moved(joint, q, e, h))


def _faster(joint: Joint, q: Any, qd: Any, e: Any) -> Callable[[Any], Any]:
    """The bias at the velocity qd + h e, in high precision, as a function of h."""
    entries = list(zip(precise(qd), precise(e), strict=True))
    return lambda h: joint.bias(Vector(precise(q)), Vector(a + b * h for a, b in entries)).components()


def _check_tangent(joint: Joint, q: Any, dv: Any, tol: float) -> None:
    q0 = Vector.from_array(q)
    q1 = joint.integrate(q0, Vector.from_array(dv))
    _equal(joint.difference(q0, q1).array(), dv, tol, "difference undoes integrate")
    again = joint.integrate(q0, joint.difference(q0, q1))
    _equal(joint.transform(again).pose(), joint.transform(q1).pose(), tol, "integrate undoes difference")
    slope = derivative(lambda h: _way_grows(joint, q, q1, dv, h))
    J = joint.difference_jacobian(q0, q1).array()
    _equal(J @ dv, slope, tol, "difference_jacobian is the derivative of difference")
    found = joint.tangent_rate(q0, Vector.from_array(dv)).array()
    by_duals = Joint.tangent_rate(joint, q0, Vector.from_array(dv)).array()
    _equal(found, by_duals, tol, "tangent_rate is how the way to a neighbour grows")
    grown = joint.integrate_jacobian(q0, Vector.from_array(dv)).array()
    _equal(grown @ J, np.eye(joint.nv), tol, "integrate_jacobian undoes difference_jacobian")
    before, after = (joint.transform(q).E.T @ (joint.subspace(q) @ v).lin for q, v in _same_velocity(joint, q0, q1, dv))
    _equal(before.array(), after.array(), tol, "in_axes_after is the same linear velocity in the axes after a motion")
    still = joint.integrate(q0, Vector.zero(joint.nv))
    _equal(joint.transform(still).pose(), joint.transform(q0).pose(), tol, "no velocity, no motion")


def _check_closing(joint: Joint, q: Any, tol: float) -> None:
    """What a joint that closes a loop needs; nothing if its type does not define `nearest`."""
    if type(joint).nearest is Joint.nearest:
        return
    at = Vector.from_array(q)
    X, S, T = joint.transform(at), joint.subspace(at).array(), joint.constraint_subspace(at)
    _equal(joint.transform(joint.nearest(X)).pose(), X.pose(), tol, "nearest finds the position of a transform")
    assert len(T) == 6 - joint.nv, "the constraint subspace has 6 - nv columns"
    if len(T):
        _equal(T.array().T @ S, np.zeros((6 - joint.nv, joint.nv)), tol, "constraint forces do no work: T^T S = 0")
        assert np.linalg.matrix_rank(T.array()) == 6 - joint.nv, "the columns of T are independent"


def _same_velocity(joint: Joint, q0: Vector, q1: Vector, dv: Any) -> list[tuple[Vector, Vector]]:
    """A position and a velocity there, and the position after a motion with the velocity in its axes; nothing where
    the velocity has no vectors in turning axes.
    """
    v = Vector.from_array(dv)
    if type(joint).in_axes_after is Joint.in_axes_after:
        return [(q0, v), (q0, v)]
    return [(q0, v), (q1, joint.in_axes_after(v, v))]


def _way_grows(joint: Joint, q: Any, q1: Vector, dv: Any, h: Any) -> Any:
    """difference(q, q1 after a time h), in high precision."""
    return joint.difference(Vector(precise(q)), _moved(joint, q1.array(), dv, h)).components()


def _check_parameters(joint: Joint, q: Any, tol: float) -> None:
    twin, at = type(joint).from_parameters(joint.parameters), Vector.from_array(q)
    law = "the parameters tell all that the joint is"
    _equal(twin.transform(at).pose(), joint.transform(at).pose(), 0.0, law)
    _equal(twin.subspace(at).array(), joint.subspace(at).array(), 0.0, law)


def _check_batch(joint: Joint, rng: np.random.Generator, tol: float) -> None:
    q = joint.random(rng, *joint.limits(), size=(3,))
    assert q.shape == (3, joint.nq), "random positions have shape (*size, nq)"
    together = joint.transform(Vector.from_array(q)).pose()
    together = np.broadcast_to(together, (3, 4, 4))
    for k in range(3):
        _equal(together[k], joint.transform(Vector.from_array(q[k])).pose(), tol, "a batch agrees with single states")


def _moved(joint: Joint, q: Any, qd: Any, h: Any) -> Vector:
    """The position after a time h, in high precision."""
    return joint.integrate(Vector(precise(q)), Vector(x * h for x in precise(qd)))


def _equal(found: Any, wanted: Any, tol: float, law: str) -> None:
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    error = np.abs(found - wanted).max()
    scale = max(1.0, np.abs(wanted).max())
    assert error <= tol * scale, f"{law}: off by {error:.3g} (allowed {tol * scale:.3g})"
