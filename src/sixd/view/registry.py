"""The renderers: each is a file in this folder that registers a function that draws scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from sixd import given
from sixd.errors import ArgumentError, ChoiceError
from sixd.view.scene import Scene

__all__ = ["RENDERERS", "Renderer", "register", "render"]


@dataclass(frozen=True)
class Renderer:
    """What draws scenes: a function of a scene and of options of its own, such as a path or a port."""

    name: str
    draw: Callable[..., Any]


#: The renderers by name.
RENDERERS: dict[str, Renderer] = {}


def register(new: Renderer) -> Renderer:
    """Make a renderer known to `render`. Its name must be new."""
    if new.name in RENDERERS:
        raise ChoiceError(f"a renderer called {new.name!r} is registered already")
    RENDERERS[new.name] = new
    return new


def render(scene: Scene, renderer: str, **options: Any) -> Any:
    """Draw a scene by the renderer of this name; ``options`` are the renderer's own."""
    if not isinstance(scene, Scene):
        raise ArgumentError(f"render draws a Scene, made by Scene.of(robot), not {given.described(scene)}")
    draw = RENDERERS[given.choice(renderer, "renderer", RENDERERS)].draw
    try:
        signature(draw).bind(scene, **options)
    except TypeError as error:
        known = list(signature(draw).parameters)[1:]
        raise ArgumentError(f"the options of the renderer {renderer!r} are {', '.join(known)}: {error}") from None
    return draw(scene, **options)
