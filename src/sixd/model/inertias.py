"""New models from old: inertias replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from sixd.errors import ModelError, ModelWarning
from sixd.model.build import announce, inertia_of
from sixd.model.edit import body_number
from sixd.model.model import Model
from sixd.model.plausible import complaint
from sixd.spatial import Inertia, Matrix, Vector

__all__ = ["with_inertia", "with_inertias"]

M = TypeVar("M", bound=Model)


def with_inertia(
    model: M, body: str, inertia: Any = None, mass: float | None = None, com: Iterable[float] | None = None
) -> M:
    """The robot with another inertia of a body; what is not given stays as it is."""
    number = body_number(model, body, "body", "change the inertia of")
    if inertia is None and mass is None and com is None:
        raise ModelError(f"body {body!r}: give an Inertia, or a mass, com or inertia to be changed")
    if isinstance(inertia, Inertia):
        if mass is not None or com is not None:
            raise ModelError(f"body {body!r}: give either a whole Inertia or mass, com and inertia")
        numbers: tuple[Any, Any, Any] = (0.0, (0.0, 0.0, 0.0), inertia)
    else:
        old = model.body_list[number].inertia
        about_com, center = (old.I_com, old.com) if old.m else (old.I, Vector.zero())
        numbers = (
            old.m if mass is None else mass,
            tuple(center) if com is None else com,
            about_com.rows if inertia is None else inertia,
        )
    try:
        new, I = inertia_of(*numbers)
    except ModelError as error:
        raise ModelError(f"body {body!r}: {error}") from None
    return _replaced(model, {number: (new, I)})


def with_inertias(model: M, inertias: Iterable[Inertia]) -> M:
    """The robot with other inertias of all moving bodies, in the order of the bodies."""
    found = {}
    for number, inertia in enumerate(inertias, start=1):
        try:
            found[number] = inertia_of(0.0, (0.0, 0.0, 0.0), inertia)
        except ModelError as error:
            raise ModelError(f"body {model.body_list[number].name!r}: {error}") from None
    return _replaced(model, found)


def _replaced(model: M, inertias: Mapping[int, tuple[Inertia, Matrix]]) -> M:
    """The robot with other inertias, by the number of the body; each with its rotational part about the centre of mass.

    One that no body can have is used as it is, with a warning.
    """
    bodies, warned = list(model.body_list), []
    for number, (inertia, about_com) in inertias.items():
        fault = complaint(inertia.m, about_com)
        if fault:
            warned.append(ModelWarning(f"body {bodies[number].name!r}: {fault}"))
        bodies[number] = replace(bodies[number], inertia=inertia)
    announce(warned)
    return replace(model, body_list=tuple(bodies), warnings=(*model.warnings, *warned))
