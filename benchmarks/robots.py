"""The robots of the benchmark, each as one URDF that every library reads, and the states they are in."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

import sixd

__all__ = ["ROBOTS", "Specimen", "binary_tree", "chain", "example", "text"]

Array = Any

#: File of the package example-robot-data, base, and joints that are held.
ROBOTS = {
    "UR5": ("ur5_robot.urdf", "fixed", ()),
    "Panda": ("panda.urdf", "fixed", ("panda_finger_joint1", "panda_finger_joint2")),
    "ANYmal": ("anymal_b_simple_description/robots/anymal.urdf", "free", ()),
    "Talos": ("talos_reduced.urdf", "free", ()),
}


@dataclass(frozen=True)
class Link:
    """A link of a made-up robot, and the joint it hangs on."""

    parent: int
    xyz: Array
    rpy: Array
    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True)
class Specimen:
    """A robot to measure: a file of the package, or a list of links."""

    name: str
    base: str = "fixed"
    source: str = ""
    links: tuple[Link, ...] = ()

    @cached_property
    def urdf(self) -> str:
        return self.source or _urdf(self.name, self.links)

    @cached_property
    def robot(self) -> sixd.Robot:
        if self.links:
            return _build(self.name, self.links)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sixd.ModelWarning)
            return sixd.load(self.source, base=self.base)

    @cached_property
    def tip(self) -> int:
        """The body farthest from the base, counted in joints."""
        depth = [0]
        for parent in self.robot.parent[1:]:
            depth.append(depth[parent] + 1)
        return int(np.argmax(depth))

    @cached_property
    def pool(self) -> dict[str, Array]:
        """Random states: positions within the limits, and vectors of the size of qd."""
        rng, robot = np.random.default_rng(0), self.robot
        n = max(100, min(10_000, 5_000_000 // robot.nv))
        parts = {"q": robot.random(rng, n), "qd": rng.normal(size=(n, robot.nv)), "qdd": rng.normal(size=(n, robot.nv))}
        return {**parts, "tau": parts["qdd"]}

    def states(self, n: int, names: Sequence[str] = ("q", "qd", "qdd")) -> dict[str, Array]:
        """The first n states; where there are not so many, they are repeated."""
        return {name: np.tile(self.pool[name], (-(-n // len(self.pool[name])), 1))[:n] for name in names}


def example(name: str) -> Specimen:
    """A robot of the package example-robot-data, without what is not dynamics."""
    file, base, held = ROBOTS[name]
    package = distribution("example-robot-data")
    found = next(f for f in package.files or [] if f.as_posix().endswith("/" + file))
    return Specimen(name, base, _plain(Path(str(package.locate_file(found))), held))


def chain(n: int) -> Specimen:
    """n bodies in a row on revolute joints in general position."""
    return Specimen(f"chain {n}", links=_links(range(n)))


def binary_tree(n: int) -> Specimen:
    """n bodies, each with two children as long as they last, numbered depth first."""
    return Specimen(f"tree {n}", links=_links(_balanced(n)))


def _balanced(n: int) -> list[int]:
    """The parents of bodies 1 to n: what is below a body is halved between its two children."""
    parents = [0] * n
    todo = [(1, n, 0)]
    while todo:
        first, count, parent = todo.pop()
        if count:
            parents[first - 1] = parent
            left = count // 2
            todo += [(first + 1 + left, count - 1 - left, first), (first + 1, left, first)]
    return parents


def _links(parents: Sequence[int]) -> tuple[Link, ...]:
    rng = np.random.default_rng(1)
    links = []
    for parent in parents:
        root = 0.1 * rng.normal(size=(3, 3))
        spread = root @ root.T + 0.01 * np.eye(3)  # second moments: any such matrix belongs to some real body
        links.append(
            Link(
                parent,
                0.3 * rng.normal(size=3),
                rng.uniform(-3.0, 3.0, size=3),
                rng.uniform(0.5, 2.0),
                0.1 * rng.normal(size=3),
                np.trace(spread) * np.eye(3) - spread,
            )
        )
    return tuple(links)


def _build(name: str, links: Sequence[Link]) -> sixd.Robot:
    builder = sixd.Builder(name)
    builder.link("link0")
    for i, link in enumerate(links, 1):
        builder.body(
            f"link{i}",
            parent=f"link{link.parent}",
            joint=sixd.joints.Revolute((0, 0, 1)),
            joint_name=f"joint{i}",
            mass=link.mass,
            com=link.com,
            inertia=link.inertia,
            xyz=link.xyz,
            rpy=link.rpy,
        )
    return builder.build()


def text(numbers: Iterable[float]) -> str:
    """Numbers as XML has them, with all digits."""
    return " ".join(repr(float(x)) for x in numbers)


def _urdf(name: str, links: Sequence[Link]) -> str:
    parts = [f'<robot name="{name}"><link name="link0"/>']
    for i, link in enumerate(links, 1):
        entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia[np.triu_indices(3)], strict=True)
        inertia = " ".join(f'{key}="{float(value)!r}"' for key, value in entries)
        parts.append(
            f'<link name="link{i}"><inertial><origin xyz="{text(link.com)}"/><mass value="{link.mass!r}"/>'
            f'<inertia {inertia}/></inertial></link><joint name="joint{i}" type="revolute">'
            f'<parent link="link{link.parent}"/><child link="link{i}"/>'
            f'<origin xyz="{text(link.xyz)}" rpy="{text(link.rpy)}"/><axis xyz="0 0 1"/>'
            f'<limit lower="-3.14" upper="3.14" effort="1" velocity="1"/></joint>'
        )
    return "".join(parts) + "</robot>"


def _plain(path: Path, held: Sequence[str]) -> str:
    """A URDF without shapes, friction, coupling and transmissions, with the held joints fixed at zero."""
    root = ET.parse(path).getroot()
    for element in list(root):
        if element.tag not in ("link", "joint"):
            root.remove(element)
            continue
        for child in list(element):
            if child.tag in ("visual", "collision", "dynamics", "mimic", "calibration", "safety_controller"):
                element.remove(child)
        if element.tag == "joint" and element.get("name") in held:
            element.set("type", "fixed")
    return ET.tostring(root, encoding="unicode")
