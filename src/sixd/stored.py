"""Pickles of models and their parts: they have a version, and what is read is checked like what is newly made."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sixd.errors import ModelError

__all__ = ["VERSION", "Stored"]

#: The version of the fields of models and parts. It is increased when their names or meaning change.
VERSION = 1

_AGAIN = "load or build the robot again with this sixd, and pickle that"


class Stored:
    """A frozen dataclass whose pickles carry a version and are checked."""

    def __getstate__(self) -> dict[str, Any]:
        own: Any = self
        return {"version": VERSION, **{f.name: getattr(self, f.name) for f in fields(own)}}

    def __setstate__(self, state: Any) -> None:
        own: Any = self
        kind, names = type(self).__name__, [f.name for f in fields(own)]
        if not isinstance(state, dict) or "version" not in state:
            raise ModelError(f"this pickled {kind} has no version: it is older than this sixd, or damaged; {_AGAIN}")
        if state["version"] != VERSION:
            raise ModelError(f"this pickled {kind} has version {state['version']!r}, not {VERSION}; {_AGAIN}")
        for fault, wrong in (
            ("lacks", [name for name in names if name not in state]),
            ("has an unknown", [str(name) for name in state if name not in ("version", *names)]),
        ):
            if wrong:
                raise ModelError(f"this pickled {kind} {fault} {', '.join(wrong)}; {_AGAIN}")
        for name in names:
            object.__setattr__(self, name, state[name])
        self.__post_init__()

    def __post_init__(self) -> None:
        """Raise unless all fields are sound."""
        raise NotImplementedError
