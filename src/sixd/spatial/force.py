"""Force vectors: wrenches, momenta, and the columns of force matrices (the space F^6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar
from sixd.spatial.linear import cross
from sixd.spatial.value import named
from sixd.spatial.vector import SpatialVector

if TYPE_CHECKING:
    from sixd.spatial.motion import Motion
    from sixd.spatial.transform import Transform

__all__ = ["Force"]


class Force(SpatialVector):
    """A spatial force (n_O, f): moment about the origin, then linear force (F10a (8)-(10)). N m, N."""

    __slots__ = ()

    def dot(self, m: Motion) -> Scalar:
        """The scalar product f . m, the power of the force on that motion (F10a (1))."""
        from sixd.spatial.motion import Motion

        if not isinstance(m, Motion):
            raise SpatialTypeError(f"the scalar product pairs a Motion with a Force, not a Force with {named(m)}")
        return m.dot(self)

    def _transformed(self, X: Transform) -> Force:
        """X* f, F10a (12): (E (n - r x f), E f)."""
        return Force(X.E @ (self.ang - cross(X.r, self.lin)), X.E @ self.lin)

    def _transformed_back(self, X: Transform) -> Force:
        """X^T f, the inverse of `_transformed`: (E^T n + r x E^T f, E^T f)."""
        Et = X.E.T
        lin = Et @ self.lin
        return Force(Et @ self.ang + cross(X.r, lin), lin)

    def _crossed_by(self, v: Motion) -> Force:
        """v x* f, F10a (18)."""
        return Force(
            cross(v.ang, self.ang) + cross(v.lin, self.lin),
            cross(v.ang, self.lin),
        )
