"""Pictures of robots and motions: a `Scene` is what is to be seen, a renderer of `RENDERERS` draws it.

`Robot.plot`, `Robot.show` and `Robot.save_html` are made of the functions here.
"""

from sixd.view.api import plot, plot_tree, save_gif, save_html, show
from sixd.view.layers import LAYERS
from sixd.view.live import LiveView
from sixd.view.renderers import RENDERERS, render
from sixd.view.scene import Scene

__all__ = ["LAYERS", "RENDERERS", "LiveView", "Scene", "plot", "plot_tree", "render", "save_gif", "save_html", "show"]
