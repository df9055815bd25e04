"""Where to look at a scene from, and where its ground is."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, floor, log10, sin

import numpy as np
from numpy.typing import NDArray

from sixd.view.scene import Scene

__all__ = ["Camera", "camera", "grid_step"]

#: How many positions of a motion are looked at for its extent and the height of the ground.
LOOKED_AT = 16
#: A motion that takes more room than this, over that of its first position, is not seen as a whole.
FAR = 2.0


@dataclass(frozen=True, eq=False)
class Camera:
    """A view of a ball around the robot: its middle and radius, m; angles of the eye about it, rad; the ground, m."""

    target: NDArray[np.float64]
    radius: float
    ground: float
    azimuth: float = -0.75
    elevation: float = 0.32
    #: The angle that a picture spans from its lower to its upper edge, rad.
    field: float = 0.6

    def eye(self) -> tuple[float, float, float]:
        """A point from which the ball fills the picture."""
        c = cos(self.elevation)
        way = np.array([cos(self.azimuth) * c, sin(self.azimuth) * c, sin(self.elevation)])
        x, y, z = self.target + self.radius / sin(0.5 * self.field) * way
        return float(x), float(y), float(z)


def camera(scene: Scene) -> Camera:
    """A view of the whole motion, or of its first position if the robot goes far from there.

    The ground is at height 0, or below the robot where that reaches lower; feet that touch may sink in a little.
    """
    rows = np.unique(np.linspace(0, len(scene.playback.t) - 1, LOOKED_AT).astype(int))
    boxes = np.array([scene.bounds(scene.playback.q[k]) for k in rows])
    first = np.concatenate([boxes[0], _force_ends(scene)])
    every = np.concatenate([first, *boxes])
    size, whole = (float(np.linalg.norm(np.ptp(ends, axis=0))) for ends in (first, every))
    ends, seen = (every, boxes) if whole < FAR * size else (first, boxes[:1])
    lowest = float(boxes[:, 0, 2].min())
    touching = scene.playback.points.shape[1] > 0
    ground = 0.0 if lowest >= (-0.03 * scene.length if touching else 0.0) else lowest - 0.01 * scene.length
    target = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    farthest = np.linalg.norm(np.abs(seen - target).max(axis=1), axis=-1).max()  # of the corners of each box
    arrows = np.linalg.norm(_force_ends(scene) - target, axis=-1).max(initial=0.0)
    return Camera(target, max(float(farthest), float(arrows), 0.3 * scene.length), ground)


def _force_ends(scene: Scene) -> NDArray[np.float64]:
    """Where the arrows of the first forces begin and end, as renderers draw them, (2 n, 3)."""
    points = scene.playback.points[0]
    return np.concatenate([points, points + scene.force_scale * scene.playback.forces[0]])


def grid_step(scene: Scene) -> float:
    """The distance of lines on the ground, m: a power of ten."""
    return float(10.0 ** floor(log10(scene.length) - 0.5))
