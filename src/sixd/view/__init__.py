"""Pictures of robots and motions: a `Scene` is what is to be seen, a renderer of `RENDERERS` draws it.

`Robot.plot`, `Robot.show` and `Robot.save_html` are made of the functions here. To add a renderer, write one file here
that registers it, and add its line below.
"""

from sixd.view.api import plot, plot_tree, save_gif, save_html, show
from sixd.view.figure import MATPLOTLIB as MATPLOTLIB
from sixd.view.gif import GIF as GIF
from sixd.view.html import HTML as HTML
from sixd.view.layers import LAYERS
from sixd.view.live import VISER as VISER
from sixd.view.live import LiveView
from sixd.view.registry import RENDERERS, render
from sixd.view.scene import Scene

__all__ = ["LAYERS", "RENDERERS", "LiveView", "Scene", "plot", "plot_tree", "render", "save_gif", "save_html", "show"]
