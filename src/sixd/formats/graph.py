"""Whether the links and joints of a file form a tree, and mimics no loop: found before building, told with lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sixd.errors import shorten
from sixd.formats.document import Document
from sixd.formats.xml import Element

__all__ = ["Coupling", "Edge", "check_mimics", "check_tree"]

#: The most members of a cycle that an error lists.
MOST_LISTED = 12


class Edge(NamedTuple):
    """A joint as the file gives it: the element, and the names of the links that it connects."""

    element: Element
    parent: str
    child: str


class Coupling(NamedTuple):
    """A mimic as the file gives it: the element and the name of the joint that is followed."""

    element: Element
    joint: str


def check_tree(document: Document, links: Mapping[str, Element], joints: Mapping[str, Edge]) -> None:
    """Raises unless every link but one has exactly one parent and all are reached from that one."""
    if not links:
        raise document.error(document.root, "the description has no links")
    carrier: dict[str, str] = {}
    for name, edge in joints.items():
        for role, link in (("parent", edge.parent), ("child", edge.child)):
            if link not in links:
                hint = document.hint(link, links)
                raise document.error(edge.element, f"its {role} link {link!r} does not exist{hint and '; ' + hint}")
        if edge.child in carrier:
            first = carrier[edge.child]
            raise document.error(
                edge.element,
                f"link {edge.child!r} has two parents: it is also the child of joint {first!r} "
                f"(line {joints[first].element.line}); loops cannot be described this way",
            )
        carrier[edge.child] = name
    cycle = _find_cycle({edge.child: edge.parent for edge in joints.values()})
    if cycle:
        name = carrier[cycle[0]]
        raise document.error(joints[name].element, f"the joints form a cycle: {_chain(cycle)}")
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        listed = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:6])
        raise document.error(
            links[roots[1]],
            f"the description has {len(roots)} roots: {listed}; connect them with joints or remove the unused links",
        )


def check_mimics(document: Document, mimics: Mapping[str, Coupling]) -> None:
    """Raises if joints mimic each other in a loop."""
    cycle = _find_cycle({name: mimic.joint for name, mimic in mimics.items()})
    if cycle:
        loop = _chain([*cycle, cycle[0]])
        raise document.error(mimics[cycle[0]].element, f"joints mimic each other in a loop: {loop}")


def _chain(names: list[str]) -> str:
    shown = [repr(shorten(name, 60)) for name in names]
    if len(shown) > MOST_LISTED:
        shown[MOST_LISTED - 1 : -1] = [f"... {len(shown) - MOST_LISTED} more ..."]
    return " -> ".join(shown)


def _find_cycle(step: Mapping[str, str]) -> list[str]:
    """A cycle of the steps name -> next, in order; empty if there is none."""
    finished: set[str] = set()
    for start in step:
        path: dict[str, None] = {}
        name = start
        while name in step and name not in finished and name not in path:
            path[name] = None
            name = step[name]
        if name in path:
            names = list(path)
            return names[names.index(name) :]
        finished.update(path)
    return []
