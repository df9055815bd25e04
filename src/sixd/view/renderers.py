"""Renderers draw scenes: each is a file in this folder with a function of a scene, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeAlias

from sixd import given
from sixd.errors import ArgumentError
from sixd.view.figure import draw_scene
from sixd.view.gif import write_gif
from sixd.view.html import write_page
from sixd.view.live import open_live
from sixd.view.scene import Scene

__all__ = ["RENDERERS", "Renderer", "render"]

#: A function of a scene and options of its own: a path, axes, the port of a server.
Renderer: TypeAlias = Callable[..., Any]

#: The renderers by name.
RENDERERS: dict[str, Renderer] = {
    "html": write_page,
    "gif": write_gif,
    "matplotlib": draw_scene,
    "viser": open_live,
}


def render(scene: Scene, renderer: str, **options: Any) -> Any:
    """Draw a scene by the renderer of this name; ``options`` are the renderer's own."""
    if not isinstance(scene, Scene):
        raise ArgumentError(f"render draws a Scene, made by Scene.of(robot), not {given.described(scene)}")
    draw = RENDERERS[given.choice(renderer, "renderer", RENDERERS)]
    try:
        signature(draw).bind(scene, **options)
    except TypeError as error:
        known = list(signature(draw).parameters)[1:]
        raise ArgumentError(f"the options of the renderer {renderer!r} are {', '.join(known)}: {error}") from None
    return draw(scene, **options)
