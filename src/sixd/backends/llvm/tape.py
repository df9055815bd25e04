"""Tapes in LLVM: blocks that read a tape (`sixd.ir.passes.tape`) and do what it says.

The code is the same for all programs with the same ports; the tape is data in its module. For each run the code jumps
to a loop for its operation. That takes several times as long as code compiled for the program, but nothing is compiled
for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes, sincos
from sixd.backends.llvm.emit import RULES
from sixd.backends.llvm.gufunc_loop import I64
from sixd.backends.llvm.pick import look_up
from sixd.backends.llvm.slots import emit_slotted
from sixd.ir import Program
from sixd.ir.passes.runs import LITERALS, OPERATIONS
from sixd.ir.passes.tape import Tape

__all__ = ["emit_taped"]

WORD = ir.IntType(32)
WORDS = WORD.as_pointer()


def emit_taped(program: Program, tape: Tape, width: int, emit: Callable[..., str]) -> Iterator[str]:
    """LLVM assembly of a program that is run from its tape: what ``emit`` makes, with such blocks."""

    def make_block(
        module: ir.Module, program: Program, lanes: Lanes, name: str, together: int = 1, packed: bool = False
    ) -> ir.Function:
        """A block; ``packed`` is that of `emit.emit_block`. Angles are computed one by one, not ``together``."""
        with np.errstate(all="ignore"):  # constants beyond the range of float32 are infinite
            constants = tape.constants.astype(np.float64 if lanes.double else np.float32)
        words = module.constant_data(WORD, tape.words.tobytes())
        numbers = module.constant_data(lanes.real, constants.tobytes() or bytes(lanes.size))
        player = _emit_player(module, Lanes(lanes.width, lanes.real), f"{name}.play")

        def run(slots: Any) -> None:
            lanes.builder.call(player, [slots, words, numbers])

        return emit_slotted(module, program, lanes, name, packed, tape, run)

    yield emit(program, width, make_block)


def _emit_player(module: ir.Module, lanes: Lanes, name: str) -> ir.Function:
    """void play(slots, words, constants): do what the words of a tape say, on vectors over the lanes."""
    kinds = [lanes.type.as_pointer(), WORDS, lanes.real.as_pointer()]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    for pointer in function.args:
        pointer.add_attribute("noalias")
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    before, head, end = b.block, b.append_basic_block("run"), b.append_basic_block("end")
    b.branch(head)
    b.position_at_end(head)
    run = b.phi(WORDS)
    run.add_incoming(function.args[1], before)
    switch = b.switch(b.load(run), end)
    for number, op in enumerate(OPERATIONS):
        block = b.append_basic_block()
        switch.add_case(WORD(number), block)
        b.position_at_end(block)
        following = _emit_run(lanes, op, run, function)
        run.add_incoming(following, b.block)
        b.branch(head)
    b.position_at_end(end)
    b.ret_void()
    return function


def _emit_run(lanes: Lanes, op: str, run: Any, function: ir.Function) -> Any:
    """The loop over the instructions of a run, at least one; the address of the word after it."""
    b, (slots, _, constants), (takes, makes) = lanes.builder, function.args, OPERATIONS[op]
    literals = LITERALS.get(op, 0)
    fields = literals + takes + makes
    first = b.gep(run, [I64(2)])
    end = b.gep(first, [b.mul(b.zext(b.load(b.gep(run, [I64(1)])), I64), I64(fields))])
    before, body, after = b.block, b.append_basic_block(), b.append_basic_block()
    b.branch(body)
    b.position_at_end(body)
    here = b.phi(WORDS)
    here.add_incoming(first, before)
    places = [b.zext(b.load(b.gep(here, [I64(k)])), I64) for k in range(fields)]
    results: Sequence[Any]
    values = [b.load(b.gep(slots, [place])) for place in places[literals : literals + takes]]
    if op == "const":
        results = [lanes.spread(b.load(b.gep(constants, [places[0]])))]
    elif op == "pick":
        last = lanes.spread(b.sitofp(b.sub(places[1], I64(1)), lanes.real))
        results = [look_up(lanes, b.gep(constants, [places[0]]), last, *values)]
    else:
        results = _operation(lanes, op, values)
    for place, result in zip(places[-makes:], results, strict=True):
        b.store(result, b.gep(slots, [place]))
    following = b.gep(here, [I64(fields)])
    here.add_incoming(following, b.block)
    b.cbranch(b.icmp_unsigned("!=", following, end), body, after)
    b.position_at_end(after)
    return end


def _operation(lanes: Lanes, op: str, x: Sequence[Any]) -> Sequence[Any]:
    """What an instruction makes of vectors. The result of a comparison is kept as a number, 1 or 0."""
    b = lanes.builder
    if op == "sincos":
        return sincos(lanes, x[0])
    if op == "fnma":
        return [RULES["fma"](lanes, b.fneg(x[0]), x[1], x[2])]
    if op == "fms":
        return [RULES["fma"](lanes, x[0], x[1], b.fneg(x[2]))]
    if op == "less":
        return [b.select(RULES["less"](lanes, *x), lanes.constant(1.0), lanes.constant(0.0))]
    if op == "select":
        return [b.select(b.fcmp_ordered("!=", x[0], lanes.constant(0.0)), x[1], x[2])]
    return [RULES[op](lanes, *x)]
