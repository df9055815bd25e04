"""The layers of a picture: each is a file in this folder and a line here."""

from sixd.view.layers.axes import AXES
from sixd.view.layers.coms import COMS
from sixd.view.layers.constraints import CONSTRAINTS
from sixd.view.layers.frames import FRAMES
from sixd.view.layers.inertias import INERTIAS
from sixd.view.layers.layer import Context, Item, Layer, SceneLayer
from sixd.view.layers.links import COLLISIONS, LINKS
from sixd.view.layers.skeleton import SKELETON

__all__ = ["LAYERS", "Context", "Item", "Layer", "SceneLayer"]

#: The layers by name, in the order of their switches.
LAYERS: dict[str, Layer] = {
    layer.name: layer for layer in (LINKS, COLLISIONS, SKELETON, INERTIAS, AXES, COMS, FRAMES, CONSTRAINTS)
}
