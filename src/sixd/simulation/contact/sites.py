"""Where a robot can touch the ground, and how these places move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixd.errors import ModelError
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.contact.grounds.ground import Ground
from sixd.simulation.contact.shapes.shape import Shape
from sixd.simulation.moment import Moment
from sixd.spatial import Vector

__all__ = ["Site", "Touch", "sites_of", "touches"]

#: A sparse vector: numbers by degree of freedom; those that are missing are zero.
Sparse = dict[int, Scalar]


class Site(NamedTuple):
    """A ball of a body that can touch the ground; ``center`` is in body coordinates."""

    name: str
    body: int
    center: Vector
    radius: float


class Touch(NamedTuple):
    """A site at one instant, in world coordinates."""

    site: Site
    #: The distance from the ground, negative if the site is in it, m.
    gap: Scalar
    #: Two unit tangents and the unit normal of the ground.
    axes: tuple[Vector, Vector, Vector]
    #: The point of the body that is nearest to the ground.
    point: Vector

    def velocity(self, moment: Moment) -> Vector:
        """The velocity of that point along the two tangents and the normal, m/s."""
        X, v = moment.X[self.site.body], moment.v[self.site.body]
        found = X.E.T @ v.lin + (X.E.T @ v.ang).cross(self.point - X.r)
        return Vector([axis @ found for axis in self.axes])

    def force(self, local: Vector | Sequence[Scalar]) -> Vector:
        """A force given along the two tangents and the normal, along the world's axes."""
        t1, t2, n = self.axes
        return t1 * local[0] + t2 * local[1] + n * local[2]

    def rows(self, moment: Moment) -> list[Sparse]:
        """J of the point, a row for each axis: velocity along the axis = row . qd.

        Column by column E^T (s_lin) + (E^T s_ang) x (p - o), with o the origin of the body that the joint carries; only
        joints on the way to the base have one.
        """
        model, tree, q = moment.model, moment.tree, moment.tree.positions(moment.q)
        rows: list[Sparse] = [{}, {}, {}]
        for i, _ in tree.path(self.site.body):
            X, where = moment.X[i], model.coordinates[i]
            arm = self.point - X.r
            for k, s in zip(range(where.v.start, where.v.stop), tree.joint(i).subspace(q[i]), strict=True):
                column = X.E.T @ s.lin + (X.E.T @ s.ang).cross(arm)
                for row, axis in zip(rows, self.axes, strict=True):
                    entry = (axis @ column) * where.ratio
                    row[k] = row[k] + entry if k in row else entry
        return rows


def sites_of(model: Model, shapes: Iterable[Shape]) -> tuple[Site, ...]:
    """The balls of shapes on the bodies of a model. An unknown frame raises, and one that cannot move."""
    found = []
    for shape in shapes:
        frame = model.frames[shape.frame]
        if frame.body == 0:
            raise ModelError(f"{shape} cannot touch the ground: {shape.frame!r} is fixed to the base and never moves")
        for ball in shape.balls():
            center = frame.offset.r + frame.offset.E.T @ Vector(ball.center)
            name = f"{shape.frame} {ball.suffix}".rstrip()
            found.append(Site(name, frame.body, center, ball.radius))
    return tuple(found)


def touches(moment: Moment, sites: Iterable[Site], ground: Ground) -> list[Touch]:
    """All sites at one instant."""
    found = []
    for site in sites:
        center = moment.position(site.body, site.center)
        gap, axes = ground.below_ball(center, site.radius)
        found.append(Touch(site, gap, axes, center - axes[2] * site.radius))
    return found
