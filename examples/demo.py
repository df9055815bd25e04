"""A tour: load a robot, compute with it, check it. It needs nothing but sixd.

It is what ``sixd demo --tour`` shows; its code is in ``src/sixd/cli/tour.py``.
"""

from sixd.cli.tour import tour

if __name__ == "__main__":
    tour()
