"""How large the estimated error of a step is, over what is allowed."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.model import Model
from sixd.ops import Scalar, absolute, divide, sqrt, where

__all__ = ["error_size"]

Numbers = Sequence[Scalar]


def error_size(
    model: Model,
    q: Numbers,
    speeds: Sequence[Numbers],
    errors: Sequence[Numbers],
    rtol: Scalar,
    atol: Scalar,
) -> Scalar:
    """The root mean square of the errors of position and velocity, each over atol + rtol |x|: allowed below 1.

    q is the position at the beginning, ``speeds`` are the velocities at both ends, of which the larger one counts, and
    ``errors`` those of the way, in the tangent space, and of the velocity. |x| is 1 for joints with quaternions.
    """
    sizes: list[Scalar] = [1.0] * model.nv
    for i, body in enumerate(model.body_list):
        if body.joint is not None and body.joint.type.has_rates:
            where_ = model.coordinates[i]
            sizes[where_.v] = [absolute(x) for x in q[where_.q]]
    total: Scalar = 0.0
    for e, size in zip(errors[0], sizes, strict=True):
        total = total + _square(divide(e, atol + rtol * size))
    for e, a, b in zip(errors[1], *speeds, strict=True):
        old, new = absolute(a), absolute(b)
        total = total + _square(divide(e, atol + rtol * where(old < new, new, old)))
    return sqrt(total * (0.5 / model.nv))


def _square(x: Scalar) -> Scalar:
    return x * x
