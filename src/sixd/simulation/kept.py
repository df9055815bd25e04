"""Code of simulations that is kept for runs that follow: by robot, and by what a function computes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from sixd.compiler.compile import compiled
from sixd.compiler.kernel import Kernel
from sixd.compiler.rollout import Rollout
from sixd.model import Model
from sixd.runtime.least_recently_used import Recent
from sixd.simulation.content import content

__all__ = ["kept_kernel", "kept_rollout"]

T = TypeVar("T")
#: The rollouts and kernels used most recently, by function, model and options.
_ROLLOUTS: Recent[Rollout] = Recent(64)
_KERNELS: Recent[Kernel] = Recent(256)


def kept_rollout(function: Any, model: Model, computed: Hashable = None, **options: Any) -> Rollout:
    """The `Rollout` of a function for a model with these options; ``computed`` is its `content`, if that is known.

    It is kept by what the function computes, with the controllers and elements in it. Where no key tells that, the
    function is recorded anew; machine code is found by what was recorded.
    """
    return _kept(_ROLLOUTS, Rollout, function, model, options, computed)


def kept_kernel(function: Any, model: Model, computed: Hashable = None, **options: Any) -> Kernel:
    """The kernel that `sixd.compile` makes of a function with these options, kept by the same rule."""
    return _kept(_KERNELS, compiled, function, model, options, computed)


def _kept(
    store: Recent[T],
    make: Callable[..., T],
    function: Any,
    model: Model,
    options: Mapping[str, Any],
    computed: Hashable,
) -> T:
    """What is in the store, or what is made and put there.

    What has a key is steady: it is data, or what users wrote was recorded to make the key.
    """
    which = _key(function, model, options, computed)
    found = None if which is None else store.get(which)
    if found is not None:
        return found
    made = make(function, model, **options, steady=which is not None)
    return made if which is None else store.put(which, made)


def _key(function: Any, model: Model, options: Mapping[str, Any], computed: Hashable) -> Hashable | None:
    """A key of all that decides about code; None if no key tells what the function computes."""
    what = content(function, model, options.get("parameters", ())) if computed is None else computed
    if what is None:
        return None
    chosen = tuple((name, tuple(x.items()) if isinstance(x, Mapping) else x) for name, x in options.items())
    return what, model.fingerprint, model.types, chosen
