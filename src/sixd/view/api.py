"""What users call to look at a robot or a motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from sixd import given
from sixd.errors import ArgumentError, ModelError
from sixd.model import Model
from sixd.view.figure import axes_for
from sixd.view.html import announce_notes
from sixd.view.live import LiveView
from sixd.view.registry import render
from sixd.view.scene import Scene
from sixd.view.surface import GroundLike
from sixd.view.tree_figure import draw_tree

__all__ = ["plot", "plot_tree", "save_gif", "save_html", "show"]

LOOPBACK = "127.0.0.1"


def plot(
    robot: Model,
    q: ArrayLike | None = None,
    *,
    points: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    layers: str | Iterable[str] | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw a robot at a position q (nq,), neutral by default, by matplotlib; returns the axes.

    ``ax`` are axes with projection="3d", new ones by default. ``points`` and ``forces``, (n, 3) each, are contact
    forces in the world, m and N. ``layers`` are those to draw, of `sixd.view.LAYERS`: "links", "collisions",
    "skeleton", "inertias", "axes", "coms", "frames", "constraints" and "forces"; by default links or, without them,
    skeleton and inertias, and constraints.
    """
    scene = Scene.of(robot, None, q, points=points, forces=forces, layers=layers, title=title)
    axes = axes_for(ax, "plot")
    render(scene, "matplotlib", ax=axes)
    announce_notes(scene)
    return axes


def plot_tree(robot: Model, *, ax: Any = None) -> Any:
    """Draw the tree of a robot by matplotlib, bodies with their masses and joints between them; returns the axes."""
    if not isinstance(robot, Model):
        raise ArgumentError(f"a robot is needed to draw, not {given.described(robot)}")
    if ax is not None and not hasattr(ax, "annotate"):
        raise ArgumentError(f"ax must be axes of matplotlib, not {given.described(ax)}")
    return draw_tree(robot, ax)


def show(
    robot: Model,
    t: ArrayLike | None = None,
    q: ArrayLike | None = None,
    *,
    points: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    curves: Mapping[str, Any] | None = None,
    ground: GroundLike | None = None,
    layers: str | Iterable[str] | None = None,
    title: str | None = None,
    host: str = LOOPBACK,
    port: int = 8080,
) -> LiveView:
    """Show a robot, or a motion, on a live page by viser, and print its address; needs ``pip install 'sixd[view]'``.

    Arguments as in `save_html`. The page has a slider for each joint and switches for the layers; for a motion also
    play, pause, time and speed, and its curves with a line at the present time. The result moves the robot with
    ``update(q)``, waits with ``wait()`` and ends with ``stop()``. The address, ``url`` of the result, has a secret:
    without it, or from another page, nothing is answered. The server listens on this machine only, unless another
    ``host`` is given: "0.0.0.0" for all networks, with a warning. If the port is taken, the next free one is used.
    """
    scene = Scene.of(
        robot, t, q, points=points, forces=forces, curves=curves, ground=ground, layers=layers, title=title
    )
    view: LiveView = render(scene, "viser", host=host, port=port)
    announce_notes(scene)
    print(view.url, flush=True)
    return view


def save_html(
    path: str | PathLike[str],
    robot: Model,
    t: ArrayLike | None = None,
    q: ArrayLike | None = None,
    *,
    points: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    curves: Mapping[str, Any] | None = None,
    ground: GroundLike | None = None,
    layers: str | Iterable[str] | None = None,
    title: str | None = None,
) -> None:
    """Write one HTML file that shows a robot or a motion in any browser, without a network.

    One position q (nq,), neutral by default; or a motion: times t (T,), s, increasing, and positions q (T, nq). The
    page has a slider for each joint, switches for the layers, and plays the motion beside its curves. Of motions with
    more than 5,000 samples, evenly chosen ones are kept; meshes with very many triangles are made coarser.

    ``points`` and ``forces``, (T, n, 3) each, are where contact forces act and what they are, in the world, m and N.
    ``curves`` are plotted: {name: array (T,) or (T, k)} or {name: {label: array (T,)}}; by default positions of joints,
    {} for none. Three plots are shown at first, further ones have switches. ``layers`` are shown at first, of
    `sixd.view.LAYERS` and "forces".

    ``ground`` is what the robot stands on: the height of a level floor, m, or a function of arrays, ``height(x, y)``,
    that gives heights above places of the world, NaN where there is no ground. Without it, the page looks for a floor.

    Meshes are looked for as the robot's file names them: beside it, in ROS_PACKAGE_PATH and in the folders above the
    file. What is not found is announced by a `ModelWarning`, said on the page, and drawn by bones.
    """
    scene = Scene.of(
        robot, t, q, points=points, forces=forces, curves=curves, ground=ground, layers=layers, title=title
    )
    render(scene, "html", path=path)
    announce_notes(scene)


def save_gif(
    path: str | PathLike[str],
    robot: Model,
    t: ArrayLike,
    q: ArrayLike,
    *,
    points: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    layers: str | Iterable[str] | None = None,
    title: str | None = None,
    fps: float = 20.0,
    speed: float = 1.0,
    dpi: float = 72.0,
) -> None:
    """Write a motion as an animated GIF by matplotlib: ``fps`` pictures a second, ``speed`` times as fast as life.

    GIF files tell the time of a picture in hundredths of a second: there are as many pictures as come nearest to
    ``fps``, at most 50 a second, and the speed is right. Arguments as in `save_html`. Each picture takes some tenths of
    a second to draw.
    """
    numbers = {name: given.number(x, name) for name, x in (("fps", fps), ("speed", speed), ("dpi", dpi))}
    for name, number in numbers.items():
        if not (number > 0.0 and isfinite(number)):
            raise ModelError(f"{name} must be positive, not {number:g}")
    scene = Scene.of(robot, t, q, points=points, forces=forces, layers=layers, title=title, curves={})
    render(scene, "gif", path=path, **numbers)
    announce_notes(scene)
