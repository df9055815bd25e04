"""Pictures of a robot as its methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from sixd.process.forks import importing
from sixd.robot.evaluator import Evaluated

if TYPE_CHECKING:
    from sixd.view import LiveView

__all__ = ["ViewMethods"]


class ViewMethods(Evaluated):
    """Methods of a robot that show it."""

    def plot(self, q: ArrayLike | None = None, *, layers: str | Iterable[str] | None = None, ax: Any = None) -> Any:
        """Draw the robot at a position q (nq,), neutral by default, by matplotlib; returns the axes.

        ``layers`` are those to draw: "links", "collisions", "skeleton", "inertias", "axes", "coms", "frames",
        "constraints"; by default links and constraints, where robots without shapes have skeleton and inertia
        ellipsoids instead of links. ``ax`` are axes with projection="3d", new ones by default.
        `sixd.view.plot` has more options.
        """
        with importing:
            from sixd import view
        return view.plot(self, q, layers=layers, ax=ax)

    def plot_tree(self, *, ax: Any = None) -> Any:
        """Draw the tree by matplotlib: bodies with their masses, and the joints between them; returns the axes."""
        with importing:
            from sixd import view
        return view.plot_tree(self, ax=ax)

    def show(
        self,
        q: ArrayLike | None = None,
        *,
        t: ArrayLike | None = None,
        curves: Mapping[str, Any] | None = None,
        layers: str | Iterable[str] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> LiveView:
        """Show the robot at q (nq,), or a motion t (T,), q (T, nq), on a live page; prints the page's address.

        The page has joint sliders and switches for the layers, and plays the motion beside its curves. It is seen on
        this machine only, unless ``host`` says otherwise. Needs ``pip install 'sixd[view]'``. `sixd.view.show` has
        more options.
        """
        with importing:
            from sixd import view
        return view.show(self, t, q, curves=curves, layers=layers, host=host, port=port)

    def save_html(
        self,
        path: str | PathLike[str],
        q: ArrayLike | None = None,
        *,
        t: ArrayLike | None = None,
        curves: Mapping[str, Any] | None = None,
        layers: str | Iterable[str] | None = None,
    ) -> None:
        """Write one HTML file that shows the robot at q (nq,), or a motion t (T,), q (T, nq), without a network.

        The page has joint sliders and switches for the layers, and plays the motion beside its curves.
        `sixd.view.save_html` explains the options.
        """
        with importing:
            from sixd import view
        view.save_html(path, self, t, q, curves=curves, layers=layers)
