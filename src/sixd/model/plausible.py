"""Whether a body with this mass and inertia can exist."""

from __future__ import annotations

import numpy as np

from sixd.spatial import Matrix

__all__ = ["complaint", "impossible"]


def impossible(mass: float, I: Matrix) -> str:
    """Why no body can have this mass and this inertia about its centre of mass; empty if one can. For floats only.

    The principal moments must satisfy 0 <= a <= b <= c <= a + b, and a body without mass has no inertia. Rounding is
    allowed for: a millionth, plus the inertia of a body of this mass that is a micrometre large.
    """
    if not any(I.components()):
        return ""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = I.rows
    if xy == xz == yz == 0.0:
        a, b, c = sorted((xx, yy, zz))
    else:
        scale = max(map(abs, I.components()))
        a, b, c = (scale * np.linalg.eigvalsh(np.array(I.rows) / scale)).tolist()
    slack = 1e-6 * max(abs(a), abs(c)) + 1e-12 * mass
    moments = f"principal moments {a:.4g}, {b:.4g}, {c:.4g} kg m^2"
    if mass == 0.0:
        return f"the mass is zero, but not the {moments}"
    if a < -slack:
        return f"{moments}, one of them negative"
    if c > a + b + slack:
        return f"{moments}, the largest above the sum of the others"
    return ""


def complaint(mass: float, I: Matrix) -> str:
    """The warning about a link that is described with an inertia that no body can have; else empty."""
    fault = impossible(mass, I)
    return f"no body has this inertia: {fault}; it is used as written" if fault else ""
