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

    The ground is at height 0, feet that touch may sink in a little. Where the robot reaches lower, the ground is where
    contact forces act, or else below the robot.
    """
    rows = np.unique(np.linspace(0, len(scene.playback.t) - 1, LOOKED_AT).astype(int))
    boxes = np.array([scene.bounds(scene.playback.q[k]) for k in rows])
    first = np.concatenate([boxes[0], _force_ends(scene)])
    every = np.concatenate([first, *boxes])
    size, whole = (float(np.linalg.norm(np.ptp(ends, axis=0))) for ends in (first, every))
    ends, seen = (every, boxes) if whole < FAR * size else (first, boxes[:1])
    target = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    farthest = np.linalg.norm(np.abs(seen - target).max(axis=1), axis=-1).max()  # of the corners of each box
    arrows = np.linalg.norm(_force_ends(scene) - target, axis=-1).max(initial=0.0)
    return Camera(target, max(float(farthest), float(arrows), 0.3 * scene.length), _ground(scene, boxes[:, 0, 2]))


def _ground(scene: Scene, lowest: NDArray[np.float64]) -> float:
    """The height of the ground, m; ``lowest`` are those of the robot's lowest points over time, (k,)."""
    points, little = scene.playback.points, 0.03 * scene.length
    if lowest.min() >= (-little if points.shape[1] else 0.0):
        return 0.0
    pressed = points[..., 2][np.linalg.norm(scene.playback.forces, axis=-1) > 0.0]
    # What stood on it at first may fall through it later, where it has no contact.
    stood_on = len(pressed) > 0 and pressed.min() <= lowest[0] + 3.0 * little
    return float(pressed.min() if stood_on else lowest.min() - 0.01 * scene.length)


def _force_ends(scene: Scene) -> NDArray[np.float64]:
    """Where the arrows of the first forces begin and end, as renderers draw them, (2 n, 3)."""
    points = scene.playback.points[0]
    return np.concatenate([points, points + scene.force_scale * scene.playback.forces[0]])


def grid_step(scene: Scene) -> float:
    """The distance of lines on the ground, m: a power of ten."""
    return float(10.0 ** floor(log10(scene.length) - 0.5))
