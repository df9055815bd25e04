"""A store that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Generic, TypeVar

__all__ = ["Recent"]

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by key, at most ``limit`` of them: the one used longest ago goes first.

    Any number of threads may use it; each step is one operation of a dictionary.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: OrderedDict[Any, T] = OrderedDict()

    def get(self, key: Any) -> T | None:
        """The value of this key, now the newest; None if there is none."""
        with suppress(KeyError):
            self.items.move_to_end(key)
        return self.items.get(key)

    def put(self, key: Any, value: T) -> T:
        """Keep a value, as the newest."""
        self.items[key] = value
        with suppress(KeyError):  # another thread was quicker
            self.items.move_to_end(key)
            while len(self.items) > self.limit:
                self.items.popitem(last=False)
        return value

    def __len__(self) -> int:
        return len(self.items)
