"""The file formats that are read: each is a file in this folder that registers a `Format`.

`format_of` finds the one of a description: for XML by the tag of the root element, else by the suffix of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sixd.errors import ChoiceError, ModelError
from sixd.formats.document import Description
from sixd.formats.source import Content, Source
from sixd.formats.xml import Element, parse, root_of

__all__ = ["FORMATS", "Format", "Reader", "format_of", "register", "what_it_is"]

#: What files with these root tags are, so that an error can say it.
_KNOWN_TAGS = {"mujoco": "a MuJoCo model (MJCF)", "sdf": "an SDF model", "COLLADA": "a mesh (COLLADA)"}


class Reader(Protocol):
    """Reads a source. ``strict`` makes every warning an error, ``mimic=False`` gives each joint its own coordinate."""

    def __call__(self, source: Source, *, strict: bool = False, mimic: bool = True) -> Description: ...


@dataclass(frozen=True)
class Format:
    """A file format: its name, its reader, and how its files are told from others.

    ``tags`` are the root elements of its files, if it is XML; ``suffixes`` end the names of its files: ``".urdf"``.
    """

    name: str
    reader: Reader
    suffixes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``URDF (<robot>, *.urdf)``"""
        signs = [*(f"<{tag}>" for tag in self.tags), *(f"*{suffix}" for suffix in self.suffixes)]
        return f"{self.name} ({', '.join(signs)})"


#: The formats by name.
FORMATS: dict[str, Format] = {}


def register(new: Format) -> Format:
    """Make a format known to `sixd.load`. No two may share a name, a suffix or a root tag."""
    if not new.suffixes and not new.tags:
        raise ChoiceError(f"the format {new.name} has neither suffixes nor root tags: no file would be taken for it")
    for old in FORMATS.values():
        shared = {old.name, *old.suffixes, *old.tags}.intersection({new.name, *new.suffixes, *new.tags})
        if shared:
            raise ChoiceError(f"{min(shared)!r} is registered already, for the format {old}")
    FORMATS[new.name] = new
    return new


def format_of(content: Content) -> Format:
    """The format of a description; what is of none raises, and says which there are."""
    root = root_of(content)
    found = _with_tag(root) or _with_suffix(content.file or "")
    if found is not None:
        return found
    known = f"sixd reads {', '.join(map(str, FORMATS.values()))}"
    if root is not None:
        message = f"this is {what_it_is(root)}; {known}"
        raise ModelError(message, file=content.file, line=root.line, element=root.label)
    if content.data.lstrip().startswith(b"<"):
        parse(content)  # raises: what is wrong stands before the root element
    raise ModelError(f"this is no XML, and no suffix tells what it is; {known}", file=content.file, line=1)


def what_it_is(root: Element) -> str:
    """What a file with this root element is, for an error."""
    if root.tag.startswith("xacro:"):
        return "a xacro file, which has to be expanded first: xacro file.xacro > file.urdf"
    return _KNOWN_TAGS.get(root.tag, f"<{root.tag}>")


def _with_tag(root: Element | None) -> Format | None:
    return next((each for each in FORMATS.values() if root is not None and root.tag in each.tags), None)


def _with_suffix(file: str) -> Format | None:
    """The format with the longest suffix that fits: ``.urdf.xacro`` comes before ``.xacro``."""
    fitting = [(len(s), each) for each in FORMATS.values() for s in each.suffixes if file.lower().endswith(s)]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None
