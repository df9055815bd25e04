"""Meshes: readers of files, by their suffix, and what makes them fit for a picture.

A format is a file in this folder with a function that takes the content and the path, and a line here.
"""

from sixd.view.meshes.collada import read_collada
from sixd.view.meshes.mesh import Mesh, Part, Reader
from sixd.view.meshes.obj import read_obj
from sixd.view.meshes.stl import read_stl

__all__ = ["READERS", "Mesh", "Part", "Reader"]

#: The reader of each kind of file, by its suffix in lower case.
READERS: dict[str, Reader] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": read_collada,
}
