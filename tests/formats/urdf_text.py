"""Small URDF files as text, with known line numbers."""

from __future__ import annotations

from sixd.formats import read_urdf
from sixd.model import Model

__all__ = ["INERTIAL", "LIMIT", "arm", "broken", "build", "chain", "joint", "link", "robot"]

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = LIMIT, kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*lines: str, attributes: str = 'name="r"') -> str:
    """A file: the root element in line 1, then one line for each argument."""
    return "\n".join([f"<robot {attributes}>", *lines, "</robot>"])


def arm(inside: str = LIMIT, kind: str = "revolute", **options: str) -> str:
    """Two links in lines 2 and 3 and the joint between them in line 4."""
    return robot(link("a"), link("b"), joint("j", "a", "b", inside, kind), **options)


def build(text: str, **options: bool) -> Model:
    return read_urdf(text, **options).builder.build()


def chain(*mimics: str) -> str:
    """Links in line 2, then one joint a line, j0 without and j1, j2, ... with the given mimic."""
    links = "".join(link(f"l{k}") for k in range(len(mimics) + 2))
    joints = [joint(f"j{k}", f"l{k}", f"l{k + 1}", LIMIT + m) for k, m in enumerate(("", *mimics))]
    return robot(links, *joints)


def broken(old: str, new: str) -> str:
    """A file like `arm`, all on its lines 2 to 4, with one place in it changed."""
    text = arm('<origin xyz="0 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/>' + LIMIT + '<dynamics damping="0" friction="0"/>')
    assert old in text
    return text.replace(old, new, 1)
