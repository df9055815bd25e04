"""Motion vectors: velocities, accelerations, joint axes (the space M^6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar
from sixd.spatial.force import Force
from sixd.spatial.linear import Matrix, cross, skew
from sixd.spatial.value import named, need_kind
from sixd.spatial.vector import Quantity, SpatialVector

if TYPE_CHECKING:
    from sixd.spatial.transform import Transform

__all__ = ["Motion", "rate_in_moving_frame"]

Q = TypeVar("Q", bound=Quantity)


class Motion(SpatialVector):
    """A spatial velocity or acceleration (omega, v_O): angular part, then the linear part at the origin
    (F10a (7), (9), (10)). rad/s, m/s.
    """

    __slots__ = ()

    def dot(self, f: Force) -> Scalar:
        """The scalar product m . f, power (F10a (1), (3))."""
        if not isinstance(f, Force):
            raise SpatialTypeError(f"the scalar product pairs a Motion with a Force, not a Motion with {named(f)}")
        return self.ang @ f.ang + self.lin @ f.lin

    def cross(self, other: Q) -> Q:
        """v x m, v x* f or v x* I - I v x, chosen by the type of ``other`` (F10a (17), (18), (27)).

        This is the rate of change of ``other`` if it is fixed in a body with velocity v (F10a (19), (20)).
        """
        if not isinstance(other, Quantity):
            raise SpatialTypeError(f"the cross product of a Motion with {named(other)} has no meaning")
        return other._crossed_by(self)

    def _transformed(self, X: Transform) -> Motion:
        """X m, F10a (11): (E w, E (v - r x w))."""
        return Motion(X.E @ self.ang, X.E @ (self.lin - cross(X.r, self.ang)))

    def _transformed_back(self, X: Transform) -> Motion:
        """X^-1 m: (E^T w, E^T v + r x E^T w)."""
        Et = X.E.T
        ang = Et @ self.ang
        return Motion(ang, Et @ self.lin + cross(X.r, ang))

    def _crossed_by(self, v: Motion) -> Motion:
        """v x m, F10a (17)."""
        return Motion(
            cross(v.ang, self.ang),
            cross(v.ang, self.lin) + cross(v.lin, self.ang),
        )

    def cross_matrix(self) -> Matrix:
        """The 6x6 matrix v x of F10a (17)."""
        w, v = skew(self.ang).rows, skew(self.lin).rows
        zero = (0.0, 0.0, 0.0)
        return Matrix([[*w[k], *zero] for k in range(3)] + [[*v[k], *w[k]] for k in range(3)])

    def cross_force_matrix(self) -> Matrix:
        """The 6x6 matrix v x* = -(v x)^T of F10a (18)."""
        return -self.cross_matrix().T

    def conventional(self, v: Motion) -> Motion:
        """Of a spatial acceleration: the conventional one of the body-fixed point at the origin, (dw, r'').

        F10a (22) reads a = (dw, r'' - w x r'); here r'' = a_lin + w x v_lin, where v is the body's velocity.
        """
        need_kind(v, Motion, "the conventional acceleration")
        return Motion(self.ang, self.lin + cross(v.ang, v.lin))

    @classmethod
    def from_conventional(cls, acceleration: Motion, v: Motion) -> Motion:
        """The spatial acceleration of a body from the conventional one at the origin, F10a (22)."""
        need_kind(acceleration, Motion, "a spatial acceleration")
        need_kind(v, Motion, "a spatial acceleration")
        return Motion(acceleration.ang, acceleration.lin - cross(v.ang, v.lin))


def rate_in_moving_frame(rate_of_coordinates: Q, v: Motion, quantity: Q) -> Q:
    """The rate of a vector from the rate of its coordinates in a frame that moves with velocity v.

    F10a (15), (16): A(dm/dt) = d(A m)/dt + v x m; with x* for forces.
    """
    need_kind(rate_of_coordinates, Quantity, "the rate in a moving frame")
    need_kind(v, Motion, "the rate in a moving frame")
    return rate_of_coordinates + v.cross(quantity)
