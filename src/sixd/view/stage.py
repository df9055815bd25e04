"""Where to look at a scene from, and where its ground is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, floor, log10, pi, sin
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sixd.view.scene import Scene

__all__ = ["Camera", "camera", "grid_step"]

#: How many positions of a motion are looked at for its extent and the height of the ground.
LOOKED_AT = 16
#: A motion that takes more room than this, over that of its first position, is not seen as a whole.
FAR = 2.0
#: Ways to turn the camera where a hill is before it, rad; how many points of its line of sight are compared with the
#: ground; and at least how steeply it looks down on that.
TURNS = tuple(k * pi / 4.0 for k in (0, 1, -1, 2, -2, 3, -3, 4))
SEEN, CLEAR = 24, 0.05


@dataclass(frozen=True, eq=False)
class Camera:
    """A view of a ball around the robot: its middle and radius, m; angles of the eye about it, rad; the ground, m.

    The ground is the height of a level one, None where a layer of the scene is the ground.
    """

    target: NDArray[np.float64]
    radius: float
    ground: float | None
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

    A ground that the scene does not know is at height 0, feet that touch may sink in a little. Where the robot reaches
    lower, the ground is where contact forces act, or else below the robot.
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
    radius = max(float(farthest), float(arrows), 0.3 * scene.length)
    return _in_sight(scene, Camera(target, radius, _ground(scene, boxes[:, 0, 2])))


def _in_sight(scene: Scene, camera: Camera) -> Camera:
    """The camera, turned about the robot by the smallest of some angles with which no hill is before it; else as it is.

    The line from the ball to the eye must be above those points of the ground that are nearest to it in the plan, by an
    angle with which something of the ground is seen.
    """
    items = [item for layer in scene.layers if layer.around for item in layer.items]
    for turn in TURNS if items else ():
        turned = replace(camera, azimuth=camera.azimuth + turn)
        way = np.array(turned.eye()) - turned.target
        line = turned.target + np.linspace(0.2, 1.0, SEEN)[:, None] * way
        if not any(_hides(item.shape.points @ scene.root[:3, :3].T, line, turned) for item in items):
            return turned
    return camera


def _hides(ground: NDArray[np.float64], line: NDArray[np.float64], camera: Camera) -> bool:
    """Whether points of a ground (n, 3) are above the points of a line of sight."""
    away = np.linalg.norm(line[:, None, :2] - ground[None, :, :2], axis=-1)
    nearest = away.argmin(axis=1)
    clear = line[:, 2] - ground[nearest, 2] - CLEAR * np.linalg.norm(line - camera.target, axis=-1)
    return bool(np.any((clear < 0.0) & (away.min(axis=1) < 0.2 * camera.radius)))


def _ground(scene: Scene, lowest: NDArray[np.float64]) -> float | None:
    """The height of the ground, m; ``lowest`` are those of the robot's lowest points over time, (k,)."""
    if scene.floor is not None or any(layer.around for layer in scene.layers):
        return scene.floor
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
