"""Signatures of functions that are made of parts, whose arguments depend on these parts."""

from __future__ import annotations

from inspect import Parameter, Signature

__all__ = ["signature_of"]


def signature_of(*names: str) -> Signature:
    """The signature of a function of a model and arrays with these names: what the compiler goes by."""
    return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("model", *names)])
