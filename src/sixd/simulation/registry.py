"""Registries of kinds by name: force elements, controllers, integrators, parts of contact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sixd.errors import ChoiceError

__all__ = ["registry"]

K = TypeVar("K", bound=type[Any])


def registry(what: str) -> tuple[dict[str, type[Any]], Callable[[K], K]]:
    """An empty registry of so-and-sos, and the decorator that puts a class into it under its ``name``."""
    kinds: dict[str, type[Any]] = {}

    def register(kind: K) -> K:
        if kind.name in kinds:
            raise ChoiceError(f"the {what} {kind.name!r} is registered already")
        kinds[kind.name] = kind
        return kind

    return kinds, register
