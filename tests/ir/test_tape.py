"""Tapes: what they say is what the program says, in runs, with few slots."""

from dataclasses import replace

import numpy as np
import pytest

from sixd import algorithms
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.gallery import quadruped
from sixd.ir import Port, interpret, trace
from sixd.ir.passes import fuse
from sixd.ir.passes.runs import LITERALS, OPERATIONS, instructions_of, runs_of
from sixd.ir.passes.tape import END, _Writer, tape_of
from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import ProgramError
from sixd.ops import Tabulated
from tests.ir.programs import random_function


def play(tape, *arrays):
    """What a tape computes for one state, in Python."""
    slots, words, names = np.full(tape.slots, np.nan), iter(tape.words.tolist()), list(OPERATIONS)
    for first, array in zip(tape.inputs, arrays, strict=True):
        if first is not None:
            slots[first : first + array.size] = array.ravel()
    while (number := next(words)) != END:
        op = names[number]
        takes, _ = OPERATIONS[op]
        for _ in range(next(words)):
            literals = [next(words) for _ in range(LITERALS.get(op, 0))]
            x = [slots[next(words)] for _ in range(takes)]
            if op == "const":
                x = [tape.constants[literals[0]]]
            elif op == "pick":
                x = [Tabulated(tape.constants[literals[0] : sum(literals)]), *x]
            for value in evaluate(op, *x):
                slots[next(words)] = value
    assert next(words, None) is None
    return [slots[list(entries)] for entries in tape.results]


def evaluate(op, x, *more):
    """The values that an operation makes."""
    if op == "const":
        return [x]
    if op == "sincos":
        return [np.sin(x), np.cos(x)]
    if op == "fnma":
        return [-x * more[0] + more[1]]
    if op == "fms":
        return [x * more[0] - more[1]]
    return [PRIMITIVES[op].evaluate(x, *more)]


def programs():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        function, size = random_function(rng, 500)
        yield fuse(trace(function, [Port("x", (size,)), Port("unused", (2,))], "random"))
    yield fuse(record_unrolled(Request(algorithms.aba, quadruped(), {}, {})))


PROGRAMS = list(programs())


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_tape_computes_what_its_program_does(program):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=port.shape) for port in program.inputs]
    for found, wanted in zip(play(tape_of(program), *arrays), interpret(program, *arrays), strict=True):
        np.testing.assert_array_equal(found, np.ravel(wanted))


def test_runs_are_long_and_slots_few():
    program = PROGRAMS[-1]
    instructions, tape = instructions_of(program), tape_of(program)
    assert tape.instructions == len(instructions) < len(program.nodes)
    assert tape.runs < tape.instructions / 4
    assert tape.slots < tape.instructions / 4


def test_an_instruction_comes_after_those_that_make_what_it_takes():
    program = PROGRAMS[0]
    known = {k for k, node in enumerate(program.nodes) if node.op == "input"}
    for window in (1, 10, 10_000):
        runs, made = runs_of(instructions_of(program), window), set(known)
        assert sorted(i for run in runs for i in run) == sorted(instructions_of(program))
        for run in runs:
            assert len({instruction.op for instruction in run}) == 1
            for instruction in run:
                assert made.issuperset(instruction.takes)
                made.update(instruction.makes)


def test_a_negation_in_a_sum_of_a_product_is_no_instruction():
    def function(x):
        return [("y", (3,), [x[0] * x[1] - x[2], x[2] - x[0] * x[1], x[0] * x[1] + x[2]])]

    ops = {i.op for i in instructions_of(fuse(trace(function, [Port("x", (3,))], "test")))}
    assert "neg" not in ops
    assert ops <= {"mul", "fma", "fms", "fnma", "add", "sub"}


def test_a_wrong_tape_is_found():
    program = PROGRAMS[0]
    writer = _Writer(program, runs_of(instructions_of(program), 100))
    tape = writer.tape()
    writer.verify(tape)
    for k in range(0, len(tape.words), 37):
        words = tape.words.copy()
        words[k] += 1
        with pytest.raises(ProgramError):
            writer.verify(replace(tape, words=words))
