"""Recording an algorithm with its loops, from the arguments to the finished program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sixd.algorithms.declared import Declaration, Kind
from sixd.compiler.rolled.bodies import Case, Pairs, RollError
from sixd.compiler.rolled.storage import Argument, RegressorOutput, Slots, Written, value_of
from sixd.compiler.rolled.tree import RolledTree
from sixd.ir import LoopProgram, ShapedPort, recording
from sixd.runtime.results import flat, parts

__all__ = ["STATE", "record"]

#: The kinds of arguments that algorithms view by joint or by body.
STATE = frozenset({Kind.POSITION, Kind.VELOCITY, Kind.BODY_FORCES})


def record(
    function: Callable[..., Any],
    declaration: Declaration,
    name: str,
    cases: Callable[[bool], Sequence[Case]],
    pairs: Pairs | None,
    is_coupled: bool,
    inputs: Sequence[ShapedPort],
    fixed: Mapping[str, Any],
    parameters: Sequence[str] = (),
    any_frames: bool = False,
) -> tuple[LoopProgram, bool]:
    """Record an algorithm with its loops: the program, and whether it works in the bodies' own frames.

    If possible, each body gets a frame that is aligned with its joint, which saves operations. That needs
    ``any_frames``, which promises that the algorithm looks at no single component, and a result that is not by body.
    ``cases`` returns the cases for the bodies' own frames (True) or for aligned ones (False). Loops over the ancestors
    of a body are recorded for ``pairs`` of types only, or for all if it is None.

    Arguments in ``fixed`` that are declared as bodies stand for any body; spatial quantities become part of the table.
    ``parameters`` names the last inputs.

    The algorithm runs twice. The first run is a rehearsal: it finds the steady places (see `LoopRecorder`), and Python
    values that change from one iteration to the next.
    """
    given = {name: len(inputs) - len(parameters) + k for k, name in enumerate(parameters)}
    frames_are_inputs = bool({"inertia", "placement", "axis"} & set(parameters))
    may_choose_frames = any_frames and not frames_are_inputs and _has_offsets(declaration, fixed)
    for in_body_frames in (False, True) if may_choose_frames else (True,):
        try:
            rehearsal = RolledTree(cases(in_body_frames), pairs, is_coupled, in_body_frames, given)
            _run(function, declaration, name, rehearsal, inputs, fixed)
            steady = rehearsal.recorder.steady_places()
            tree = RolledTree(cases(in_body_frames), pairs, is_coupled, in_body_frames, given, steady)
            program = _run(function, declaration, name, tree, inputs, fixed)
            outside = [[k for k in t.recorder.regions[0].items if isinstance(k, int)] for t in (rehearsal, tree)]
            if rehearsal.recorder.text(outside[0]) != tree.recorder.text(outside[1]):
                raise RollError("a Python value counts iterations: the number of bodies is not known while recording")
            return program, in_body_frames
        except _ByBodyError:
            continue
    raise AssertionError("unreachable")


class _ByBodyError(Exception):
    """A result is by body, so the program must work in the bodies' own frames."""


def _has_offsets(declaration: Declaration, fixed: Mapping[str, Any]) -> bool:
    """Whether every given body comes with an offset to a frame on it: then the body itself may have any frame."""
    return all(declaration.offset_of(body) in fixed for body in declaration.bodies(fixed))


def _run(
    function: Callable[..., Any],
    declaration: Declaration,
    name: str,
    tree: RolledTree,
    inputs: Sequence[ShapedPort],
    fixed: Mapping[str, Any],
) -> LoopProgram:
    arguments: dict[str, Any] = {}
    for number, port in enumerate(inputs[: len(inputs) - len(tree.parameters)]):
        by_joint_or_body = declaration.kind(port.name) in STATE
        arguments[port.name] = Argument(number) if by_joint_or_body else _entries(tree, number, port)
    bodies = declaration.bodies(fixed)
    for title, x in fixed.items():
        if title in bodies:
            arguments[title] = tree.body(title)
        elif hasattr(x, "components"):
            arguments[title] = value_of(type(x), tree.column(tree.base, f"fixed {title}", len(x.components())))
        else:
            arguments[title] = x
    with recording():
        result = function(tree, **arguments)
    if tree.unfinished:
        raise RollError("a loop over bodies is left before its end")
    outputs = [(title, _finish(tree, part)) for title, part in parts(result)]
    return tree.recorder.program(name, inputs, outputs)


def _entries(tree: RolledTree, number: int, port: ShapedPort) -> Any:
    """An argument that is not viewed by joint or body: an array of its entries, or a number if the shape is ()."""
    shape = tuple(n for n in port.shape if isinstance(n, int))
    array = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        array[place] = tree.recorder.add("entry", *[tree.base] * len(shape), attr=(number, place))
    return array if shape else array[()]


def _finish(tree: RolledTree, result: Any) -> int:
    """The number of the output that has the result. Values by body are written in one more loop."""
    if isinstance(result, RegressorOutput) and not tree.in_body_frames:
        raise _ByBodyError
    if isinstance(result, Written):
        return result.number
    r = tree.recorder
    if not isinstance(result, Slots):
        shape, numbers = flat(result)
        out = r.output(*shape)
        for place, x in zip(np.ndindex(shape), numbers, strict=True):
            r.write(out, [tree.base] * len(shape), place, x)
        return out
    if not tree.in_body_frames:
        raise _ByBodyError
    out = -1
    for body, _ in tree.outward():
        shape, numbers = flat(result[body])
        out = r.output("bodies", *shape) if out < 0 else out
        for place, x in zip(np.ndindex(shape), numbers, strict=True):
            r.write(out, [body.row, *[tree.base] * len(shape)], [0, *place], x)
    base = flat(result[0])[1] if result.base_known else [float("nan")] * len(numbers)
    for place, x in zip(np.ndindex(shape), base, strict=True):
        r.write(out, [tree.base] * (1 + len(shape)), [0, *place], x)
    return out
