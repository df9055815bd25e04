"""From a function of a model to machine code: record, check, improve, emit, and wrap as a NumPy gufunc.

A function is recorded in one of two ways:

- unrolled: body by body, with the robot's numbers as constants. Operations with zeros and ones fold away, which gives
  the fastest code. Its size, and the time to compile it, grow with the robot.
- rolled: the loops over bodies are kept, and the code reads the robot's numbers from a table. One piece of code serves
  all robots with the same joint types, whatever their size.

An unrolled program that is too large to be compiled runs from a tape (`sixd.compiler.taped`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sixd import given
from sixd.algorithms.algorithm import is_algorithm, is_nested
from sixd.compiler.derivatives import with_inferred_shapes
from sixd.compiler.frames import with_frames
from sixd.compiler.kernel import Kernel
from sixd.compiler.parameters import check_parameters, named_parameters
from sixd.compiler.request import Request, shapes_of
from sixd.compiler.rolled.kernel import compile_rolled, compile_rolled_if_possible, is_declared_possible
from sixd.compiler.taped import compile_written_out
from sixd.compiler.unrolled import compile_unrolled
from sixd.errors import ArgumentError
from sixd.ir import TooLargeError
from sixd.model import Model

__all__ = ["Kernel", "compile", "compiled", "large"]

#: Programs with more nodes are rolled if they can be: compiling them unrolled takes more than a second or two.
LARGE = 20_000
#: The same for algorithms with loops within loops, whose rolled code is slower: several seconds.
LARGE_IF_NESTED = 60_000


def large(function: Callable[..., Any]) -> int:
    """The number of nodes beyond which a function is rolled, if it can be."""
    return LARGE_IF_NESTED if is_nested(function) else LARGE


def compile(
    function: Callable[..., Any],
    model: Model,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    rolled: bool | None = None,
    parameters: str | Iterable[str] = (),
    nonfinite: str | Iterable[str] = (),
    **fixed: Any,
) -> Kernel:
    """A kernel from a function ``f(model, *arrays)`` of one state that works for any kind of number.

    ``f`` is an algorithm of `sixd.algorithms` or a function of your own. Arguments that are declared as part of the
    state, or named q, qd, qdd, tau or f_ext, get their shapes from the model. Any other argument needs a shape in
    ``shapes``, or a value in ``fixed``, which becomes a constant of the code. An argument of shape () is a number.
    Arguments with a default keep it. ``f`` returns an array (of recorded numbers), a number, a spatial quantity, values
    by body, or a tuple of these. The kernel returns arrays: a pose is a 4x4 matrix, values by body are one array with
    the base first.

    An argument of ``f`` that is a body may be given as the name of a frame: ``left="hand"`` sets ``left`` to the number
    of the body that carries the frame, and ``left_offset`` to the frame's place on it. For the arguments body and
    offset, write ``frame="hand"``. If ``f`` has an argument of its own called frame, that one is set instead.

    ``rolled``: False unrolls the loops over bodies, True keeps them (algorithms only), None chooses by the size of the
    program, which then runs from a tape if it has no loops and would take too long to compile; `Kernel.kind` tells
    what was chosen. ``parameters`` names numbers of the model that become inputs of the kernel, after the other
    arguments: "inertia", "placement", "axis", "pitch", "rotor", "gravity". Each is given once for all samples or once
    for each sample; `sixd.parameters` returns the values of the model.

    A sample with an argument that is NaN or infinite has NaN in all its results, however it is run; other samples are
    not affected. ``nonfinite`` names arguments of ``f`` to which this rule does not apply, because ``f`` itself handles
    such values, for example limits that may be infinite.
    """
    return compiled(function, model, shapes, name, rolled, parameters, nonfinite, fixed)


def compiled(
    function: Callable[..., Any],
    model: Model,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    rolled: bool | None = None,
    parameters: str | Iterable[str] = (),
    nonfinite: str | Iterable[str] = (),
    fixed: Mapping[str, Any] = MappingProxyType({}),
    steady: bool = False,
) -> Kernel:
    """The same for a function that may be known to be ``steady``: that it does the same in every recording."""
    given.instance(model, "model", Model, "sixd.load(...); the order is sixd.compile(function, robot)")
    given.function(function, "function")
    if not isinstance(name, str | None):
        raise ArgumentError(f"name must be text, what the kernel is called, not {given.described(name)}")
    numbers = {k: int(x) if isinstance(x, np.integer) else x for k, x in fixed.items()}
    own = frozenset(given.words(nonfinite, "nonfinite"))
    request = Request(function, model, shapes_of(shapes), numbers, name, named_parameters(parameters), own, steady)
    check_parameters(model, request.parameters)
    request = with_inferred_shapes(replace(request, fixed=with_frames(request)))
    if request.known_by_name():
        request = request.apart()  # the cache finds this code by names, which tell nothing about a subclass of Model
    if rolled is not None:
        return compile_rolled(request) if given.flag(rolled, "rolled") else compile_unrolled(request)
    if not is_algorithm(function) or not is_declared_possible(request):
        return compile_written_out(request)
    try:
        return compile_unrolled(request, large(function))
    except TooLargeError:
        return compile_rolled_if_possible(request) or compile_written_out(request)
