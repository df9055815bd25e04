"""A store of limited size that keeps what was used most recently."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Generic, TypeVar

__all__ = ["Recent"]

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by key, at most ``limit`` of them: the one used longest ago is removed first.

    Any number of threads may use it, because each step is one operation of a dictionary.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: OrderedDict[Any, T] = OrderedDict()

    def get(self, key: Any) -> T | None:
        """The value of this key, which becomes the most recent; None if there is none."""
        with suppress(KeyError):
            self.items.move_to_end(key)
        return self.items.get(key)

    def put(self, key: Any, value: T) -> T:
        """Keep a value as the most recent."""
        self.items[key] = value
        with suppress(KeyError):  # another thread has removed it meanwhile
            self.items.move_to_end(key)
            while len(self.items) > self.limit:
                self.items.popitem(last=False)
        return value

    def __len__(self) -> int:
        return len(self.items)
