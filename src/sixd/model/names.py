"""Ordered collections whose items are found by name or by position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, Generic, Protocol, TypeVar, overload

from sixd.errors import ArgumentError, NameNotFoundError, OutOfRangeError

__all__ = ["Named"]


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_HasName)


class Named(Sequence[T], Generic[T]):
    """A read-only sequence of named items: ``robot.bodies["hand"]``, ``robot.bodies[7]``, iteration, ``in``.

    A name that does not exist raises an error with the closest names.
    """

    __slots__ = ("_index", "_items", "_kind")

    def __init__(self, kind: str, items: Sequence[T]) -> None:
        self._kind, self._items = kind, tuple(items)
        self._index = {item.name: k for k, item in enumerate(self._items)}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self._items)

    def index(self, name: Any, *_: Any) -> int:
        """The position of a name (or of an item)."""
        try:
            return self._index[getattr(name, "name", name)]
        except (KeyError, TypeError):
            raise NameNotFoundError(self._kind, name, self.names) from None

    @overload
    def __getitem__(self, key: str | int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: str | int | slice) -> T | Sequence[T]:
        if isinstance(key, str):
            return self._items[self.index(key)]
        try:
            return self._items[key if isinstance(key, slice) else index(key)]
        except IndexError:
            raise OutOfRangeError(f"no {self._kind} at position {key}: there are {len(self)}, from 0 on") from None
        except TypeError:
            if isinstance(key, slice):
                raise ArgumentError(f"a slice of positions needs whole numbers, not {key}") from None
            raise NameNotFoundError(self._kind, key, self.names) from None

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return item in self._index
        return any(item is own or (type(item) is type(own) and item == own) for own in self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (self._kind, self._items)

    def __repr__(self) -> str:
        return f"<{len(self)}: {', '.join(self.names)}>"
