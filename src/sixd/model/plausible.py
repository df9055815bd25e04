"""Whether a body with this mass and inertia can exist."""

from __future__ import annotations

import numpy as np

from sixd.spatial import Matrix

__all__ = ["complaint", "impossible"]


def impossible(mass: float, I: Matrix) -> str:
    """Why no distribution of mass has this inertia about its centre of mass; empty if one may have. Floats only.

    The principal moments must satisfy 0 <= a <= b <= c <= a + b, and without mass there is no inertia. Allowed for
    rounding: a millionth, and what belongs to a body of the size of a micrometre.
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
    """What to say of a link as it is described, if no body has its inertia about its centre of mass; else empty."""
    fault = impossible(mass, I)
    return f"no body has this inertia: {fault}; it is used as written" if fault else ""
