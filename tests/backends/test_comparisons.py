"""Comparisons are the numbers 0 and 1, in whatever way they are used, and wherever the code runs.

Python's own floats define what is right: True is 1 there, and False is 0. Every form below goes through every kind of
number, every backend and every printer.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import sixd
from sixd import gallery, ops
from sixd.algorithms.algorithm import algorithm
from sixd.backends.printers import PRINTERS
from sixd.compiler.taped import compile_taped
from sixd.dual import duals, rates
from sixd.ir import Node, Port, Program, interpret, trace
from sixd.ir.autodiff import directional, forward, reverse
from sixd.ir.program import ProgramError
from sixd.ir.refusals import TraceError
from sixd.samples import as_samples
from sixd.spatial import Vector
from tests.backends.test_printers import runner

TABLE = ops.Tabulated([3.0, -4.0, 5.0])


def passed_on(condition, x, y):
    return condition * x + y


def stored(*values):
    """Numbers that went into an array of any kind, and out again."""
    return ops.unstack(ops.stack(values)) if len(values) > 1 else list(values)


FORMS = {
    "itself": lambda x, y: x > 0.0,
    "the other way round": lambda x, y: 0.0 < y,  # noqa: SIM300
    "times a number": lambda x, y: 2.0 * (x > 0.0),
    "a number of times": lambda x, y: (x > 0.0) * 2,
    "times one": lambda x, y: 1 * (x > y),
    "times the number": lambda x, y: x * (x > 0.0),
    "times another": lambda x, y: (x > 0.0) * (y > 0.0),
    "sum": lambda x, y: (x > 0.0) + (y > 0.0),
    "sum of several": lambda x, y: sum([x > 0.0, y > 0.0, x < y]),
    "plus a number": lambda x, y: (x > 0.0) + y,
    "difference": lambda x, y: (x > 0.0) - (y > 0.0),
    "sign": lambda x, y: (x > 0.0) - (x < 0.0),
    "the opposite": lambda x, y: 1 - (x > 0.0),
    "negative": lambda x, y: -(x > 0.0),
    "positive": lambda x, y: +(x > 0.0),
    "absolute": lambda x, y: ops.absolute(x < 0.0),
    "divided": lambda x, y: (x > 0.0) / 4.0,
    "a divisor": lambda x, y: ops.divide(y, 1.0 + (x > 0.0)),
    "squared": lambda x, y: (x > 0.0) ** 2,
    "root": lambda x, y: ops.sqrt(x > 0.0),
    "cosine": lambda x, y: ops.cos(x > 0.0),
    "angle": lambda x, y: ops.arctan2(x > 0.0, y > 0.0),
    "rounded down": lambda x, y: ops.floor(x > 0.0),
    "a place in a table": lambda x, y: ops.pick(TABLE, (x > 0.0) + (y > 0.0)),
    "compared again": lambda x, y: (x > 0.0) < (y > 0.0),
    "and": lambda x, y: (x > 0.0) & (y > 0.0),
    "or": lambda x, y: (x > 0.0) | (y > 0.0),
    "either": lambda x, y: (x > 0.0) ^ (y > 0.0),
    "and with True": lambda x, y: True & (x > 0.0),
    "of three": lambda x, y: ((x > 0.0) & (y > 0.0)) | (x < y),
    "selected by and": lambda x, y: ops.where((x > 0.0) & (y > 0.0), x, y),
    "selected by the opposite": lambda x, y: ops.where(1 - (x > 0.0), x, y),
    "selected by a sum": lambda x, y: ops.where((x > 0.0) + (y > 0.0), x, y),
    "selected by a number": lambda x, y: ops.where(x, 1.5, -2.5),
    "what is selected": lambda x, y: ops.where(x < y, x > 0.0, y > 0.0) * 3.0,
    "passed to a function": lambda x, y: passed_on(x > 0.0, x, y),
    "stored in an array": lambda x, y: stored(x > 0.0, y > 0.0)[1] * y,
    "a vector": lambda x, y: Vector([x > 0.0, y > 0.0]) @ Vector([x < y, 3.0]),
}
X, Y = np.array([(x, y) for x in (-1.5, -0.0, 0.0, 2.0) for y in (-0.5, 0.0, 1.25)] + [(2.0, 3.0), (-1.0, -0.25)]).T
ARM = gallery.double_pendulum()
#: The two joints have samples of their own, so that loops have something to do.
Q, QD = np.stack([X, X[::-1]], axis=1), np.stack([Y, Y[::-1]], axis=1)


def by_joint(form):
    """An algorithm that applies a form to the position and velocity of each joint."""

    @algorithm
    def each(tree, q: sixd.algorithms.declared.Position, qd: sixd.algorithms.declared.Velocity):
        out = tree.output()
        for i, _ in tree.outward():
            out[i] = Vector([form(q[i][0], qd[i][0]) * 1.0])
        return out

    return each


def wanted(form):
    """What Python's own floats give, as numbers."""
    return np.array(
        [[float(form(float(x), float(y))) for x, y in zip(q, qd, strict=True)] for q, qd in zip(Q, QD, strict=True)]
    )


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def test_kinds_of_numbers(form):
    """Arrays of samples, numbers of many digits, dual numbers."""
    exact = wanted(form)
    x, y = (np.asarray(part) for part in (Q[:, 0], QD[:, 0]))
    (samples,) = ops.unstack(ops.stack([form(*ops.unstack(as_samples(np.stack([x, y], axis=1)))) * 1.0]))
    np.testing.assert_allclose(np.broadcast_to(samples, x.shape), exact[:, 0], rtol=1e-15)
    for k, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        assert float(form(mpmath.mpf(a), mpmath.mpf(b))) == pytest.approx(exact[k, 0], rel=1e-15)
        value = form(*duals([a, b], [0.0, 0.0]))
        assert float(getattr(value, "value", value)) == exact[k, 0]


@pytest.mark.parametrize("kind", ["unrolled", "rolled", "taped"])
def test_backends(form, kind):
    """One state, and batches in vector registers, in both precisions; the interpreter; the algorithm itself."""
    exact, run = wanted(form), by_joint(form)
    kernel = sixd.compile(run, ARM, rolled=kind == "rolled")
    if kind == "taped":
        kernel = compile_taped(kernel.origin.request)
    assert kernel.kind == kind
    for found in (run(ARM, Q, QD), kernel.interpret(Q, QD), kernel(Q, QD)):
        np.testing.assert_allclose(found, exact, rtol=1e-15)
    for one, q, qd in zip(exact, Q, QD, strict=True):
        for found in (run(ARM, q, qd), kernel(q, qd)):
            np.testing.assert_allclose(found, one, rtol=1e-15)
    single = kernel(Q.astype(np.float32), QD.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, rtol=2e-7)


#: Each printer, for straight programs and, if it has them, for loops.
PRINTED = [
    (name, rolled) for name, kind in PRINTERS.items() for rolled in (False, True)[: 1 + (kind.loops is not None)]
]


@pytest.mark.parametrize(("printer", "rolled"), PRINTED)
def test_printers(form, printer, rolled, tmp_path):
    kernel = sixd.compile(by_joint(form), ARM, rolled=rolled)
    call = runner(printer).load(kernel.to(printer), tmp_path)
    for q, qd, one in list(zip(Q, QD, wanted(form), strict=True))[:: 1 if printer == "c" else 5]:
        (found,) = call(kernel.outputs, q, qd)
        np.testing.assert_allclose(found, one, rtol=1e-15)


def test_derivatives(form):
    """Forward, along a direction, and reverse: those of the rest, since a comparison has the derivative zero."""
    h = 2.0**-20

    def both(x):
        y = form(*x) * 1.0
        (tangents,), (along,) = forward([y], x), directional([y], x, (0.5, -2.0))
        first = [tangents.get(k, 0.0) for k in range(2)]
        return [("J", (2,), first), ("g", (2,), reverse([y], [1.0], x)), ("d", (), [along.get(0, 0.0)])]

    program = trace(both, [Port("x", (2,))], "derivatives")
    for x, y in ((-1.5, 1.25), (2.0, -0.5), (2.0, 3.0), (-1.0, -0.25)):
        exact = [float(form(x + h, y) - form(x - h, y)) / (2 * h), float(form(x, y + h) - form(x, y - h)) / (2 * h)]
        J, gradient, along = interpret(program, np.array([x, y]))
        np.testing.assert_allclose(J, exact, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(gradient, exact, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(along, 0.5 * exact[0] - 2.0 * exact[1], rtol=1e-9, atol=1e-9)
        for k in range(2):
            value = form(*duals([x, y], [float(k == 0), float(k == 1)]))
            assert float(rates([value], 0)[0]) == pytest.approx(exact[k], rel=1e-9, abs=1e-9)


def test_not_a_number_counts_as_true_where_it_is_a_condition():
    """As in Python and in NumPy; it is not zero."""
    for kind in (np.float64, np.float32):
        least = np.finfo(kind).smallest_subnormal
        places = np.array([[np.nan], [0.0], [-0.0], [least], [-least], [np.inf]], kind)
        kernel = sixd.compile(
            lambda model, x: ops.where(x[0], 1.0, 0.0), ARM, shapes={"x": (1,)}, nonfinite="x", rolled=False
        )
        np.testing.assert_array_equal(kernel(places), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    assert ops.where(float("nan"), 1.0, 0.0) == 1.0


def test_what_python_has_other_rules_for_is_refused():
    """~True is -2 in Python; & of numbers is for whole ones."""
    for mistake, message in (
        (lambda x, y: ~(x > 0.0), "write 1 - x for the opposite"),
        (lambda x, y: x & (y > 0.0), "are for comparisons"),
        (lambda x, y: (y > 0.0) | 2.0, "are for comparisons"),
        (lambda x, y: ((x > 0.0) + (y > 0.0)) ^ True, "are for comparisons"),
    ):
        with pytest.raises(TraceError, match=message):
            sixd.compile(by_joint(mistake), ARM)
    with pytest.raises(TypeError):
        by_joint(lambda x, y: ~(x > 0.0))(ARM, Q, QD)


def test_the_checker_keeps_the_rule():
    """Where a condition is a number, or a comparison is not one, a program is refused before code is made of it."""
    x, less = Node("input", (), (0, 0)), Node("less", (0, 0))
    for nodes, result in (
        ((x, less), 1),
        ((x, less, Node("add", (0, 1))), 2),
        ((x, less, Node("select", (0, 0, 0))), 2),
        ((x, less, Node("select", (1, 0, 1))), 2),
    ):
        program = Program("wrong", (Port("x", (1,)),), (Port("y", ()),), nodes, ((result,),))
        with pytest.raises(ProgramError, match="comparison"):
            program.verify()
