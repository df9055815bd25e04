"""From a function of a model to machine code: record, check, improve, emit, and wrap as a NumPy gufunc.

The one place that sees both robots and the compiler. A function is recorded in one of two ways:

- unrolled: body by body, with the robot's numbers as constants. Zeros and ones fold away: the fastest code. Its size,
  and the time to compile it, grow with the robot.
- rolled: the loops over bodies are kept, and read the robot's numbers from a table. One piece of code for all robots
  with the same types of joints, whatever their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sixd import given
from sixd.algorithms.algorithm import is_algorithm
from sixd.compiler.derivatives import with_inferred_shapes
from sixd.compiler.frames import with_frames
from sixd.compiler.kernel import Kernel
from sixd.compiler.parameters import check_parameters, named_parameters
from sixd.compiler.request import Request, shapes_of
from sixd.compiler.rolled.kernel import compile_rolled, compile_rolled_if_possible
from sixd.compiler.unrolled import compile_unrolled
from sixd.errors import ArgumentError
from sixd.ir import TooLargeError
from sixd.model import Model

__all__ = ["Kernel", "compile"]

#: Recordings of more nodes are rolled if they can be: compiling them takes more than a second or two.
LARGE = 20_000


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
    """A kernel from a function ``f(model, *arrays)`` of one state, written for any number.

    ``f`` is an algorithm of `sixd.algorithms` or of your own. Its arguments that are declared as part of the state, or
    named q, qd, qdd, tau and f_ext, have the shapes of the model; others need one in ``shapes``, or a value in
    ``fixed``, which is then a constant. An argument of shape () is a number. Arguments with a default keep it. It
    returns an array (of recorded numbers), a number, a spatial quantity, values by body, or a tuple of them: a pose is
    a 4x4 matrix, values by body are one array with the base first.

    Where ``f`` has an argument that is a body, it may be given by the name of a frame: ``left="hand"`` gives the number
    of the body that carries the frame, and the frame's place on it as ``left_offset``. For the arguments body and
    offset that is ``frame="hand"``. If ``f`` has an argument of its own called frame, that is meant instead.

    ``rolled``: False writes the code out for every body, True keeps the loops over bodies (algorithms only), None
    chooses by the number of operations. ``parameters`` are numbers of the model that become arguments after the others,
    one set for all samples or one for each: "inertia", "placement", "axis", "rotor", "gravity"; `sixd.parameters` gives
    the model's own.

    A sample with an argument that is NaN or infinite has NaN in all its results, however it is run; the other samples
    are not touched by it. ``nonfinite`` names arguments of your own function that may be so, since it deals with that
    itself, such as limits that may be infinite.
    """
    given.instance(model, "model", Model, "sixd.load(...); the order is sixd.compile(function, robot)")
    given.function(function, "function")
    if not isinstance(name, str | None):
        raise ArgumentError(f"name must be text, what the kernel is called, not {given.described(name)}")
    fixed = {k: int(x) if isinstance(x, np.integer) else x for k, x in fixed.items()}
    own = frozenset(given.words(nonfinite, "nonfinite"))
    request = Request(function, model, shapes_of(shapes), fixed, name, named_parameters(parameters), own)
    check_parameters(model, request.parameters)
    request = with_inferred_shapes(replace(request, fixed=with_frames(request)))
    if request.known_by_name():
        request = request.apart()  # code that is found by names must not depend on what a class derived from Model does
    if rolled is not None:
        return compile_rolled(request) if given.flag(rolled, "rolled") else compile_unrolled(request)
    if not is_algorithm(function):
        return compile_unrolled(request)
    try:
        return compile_unrolled(request, LARGE)
    except TooLargeError:
        return compile_rolled_if_possible(request) or compile_unrolled(request)
