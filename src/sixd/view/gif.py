"""Motions as animated GIF files, by matplotlib and Pillow."""

from __future__ import annotations

from math import ceil
from os import PathLike

import numpy as np

from sixd import given
from sixd.errors import ArgumentError
from sixd.files import replacing
from sixd.view.extras import optional, plain
from sixd.view.figure import axes_for, fit, forces_on, shown_items, solids_on
from sixd.view.registry import Renderer, register
from sixd.view.scene import Scene

__all__ = ["GIF", "write_gif"]


#: GIF files tell how long a picture is shown in hundredths of a second, and browsers show none for less than two.
TICK, LEAST = 0.01, 2
#: More pictures are refused: each takes some tenths of a second to draw.
MOST = 10_000


def write_gif(scene: Scene, path: str | PathLike[str], fps: float, speed: float, dpi: float) -> None:
    """Write the motion of a scene with about ``fps`` pictures a second, at most 50; ``speed`` times as fast as life.

    Each picture is shown for a whole number of hundredths of a second, and shows where the motion is then.
    """
    file = given.file_path(path, "path")
    if scene.playback.is_still:
        raise ArgumentError(
            "an animation needs a motion: times t (T,) and positions q (T, nq) with two samples or more"
        )
    if file.suffix.lower() != ".gif":
        raise ArgumentError(f"path must end with .gif, not {file.name!r}")
    optional("PIL", "save_gif", "plot")
    animation = optional("matplotlib.animation", "save_gif", "plot")
    pyplot = optional("matplotlib.pyplot", "save_gif", "plot")
    t = scene.playback.t
    ticks = max(round(1.0 / (fps * TICK)), LEAST)
    number = float(t[-1] - t[0]) / (speed * ticks * TICK)
    if number > MOST:
        raise ArgumentError(
            f"{number:.3g} pictures are more than {MOST}: give a smaller fps, a larger speed, or a part of the motion"
        )
    times = t[0] + speed * ticks * TICK * np.arange(max(ceil(number), 1))
    ends = [scene.bounds(q) for q in scene.playback.q[:: max(1, len(t) // 20)]]
    ax, items = axes_for(None, "save_gif"), shown_items(scene)
    try:
        fit(ax, np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0))
        writer = animation.PillowWriter(fps=(1.0 - 1e-9) / (ticks * TICK))  # it cuts off, and would lose a tick
        with replacing(file) as part, writer.saving(ax.figure, str(part), dpi):
            for time in times:
                sample = int(np.searchsorted(t, time, side="right")) - 1
                poses = scene.poses(scene.playback.q[sample])
                drawn = [*solids_on(ax, items, poses), *forces_on(ax, scene, sample)]
                ax.set_title(plain(f"{scene.title}, t = {time:.2f} s"), fontsize=10)
                writer.grab_frame()
                for artist in drawn:
                    artist.remove()
    finally:
        pyplot.close(ax.figure)


GIF = register(Renderer("gif", write_gif))
