"""Recording: what is folded, what is shared, and what cannot be recorded."""

import importlib
import math
import sys

import numpy as np
import pytest

import sixd
from sixd import SixdError, ops
from sixd.ir import Node, Port, Program, TooLargeError, TraceError, interpret, trace
from sixd.ir.autodiff import forward, reverse
from sixd.ir.passes import fuse
from sixd.ir.program import ProgramError


def record(function, n=3):
    """The program of a function of n numbers that returns one number or several."""

    def run(x):
        result = function(*x)
        values = result if isinstance(result, list) else [result]
        return [("y", (len(values),), values)]

    return trace(run, [Port("x", (n,))], "test")


def ops_of(program):
    return sorted(node.op for node in program.nodes if node.op not in ("const", "input"))


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (lambda x, y, z: x + 0.0, []),
        (lambda x, y, z: 0.0 + x, []),
        (lambda x, y, z: x - 0.0, []),
        (lambda x, y, z: 0.0 - x, ["neg"]),
        (lambda x, y, z: x * 1.0, []),
        (lambda x, y, z: -1.0 * x, ["neg"]),
        (lambda x, y, z: x * 0.0 + y, []),
        (lambda x, y, z: x - x + y, []),
        (lambda x, y, z: (-x).__neg__(), []),
        (lambda x, y, z: x + (-y), ["sub"]),
        (lambda x, y, z: x - (-y), ["add"]),
        (lambda x, y, z: (-x) * y, ["mul", "neg"]),
        (lambda x, y, z: (-x) * (-y), ["mul"]),
        (lambda x, y, z: x * (1.0 / x) * y, []),
        (lambda x, y, z: x * (y * (1.0 / x)), []),
        (lambda x, y, z: x / z + y / z, ["add", "div", "mul", "mul"]),
        (lambda x, y, z: x / 2.0, ["mul"]),
        (lambda x, y, z: ops.where(x < y, z, z), []),
    ],
)
def test_folds(function, operations):
    assert ops_of(record(function)) == operations


def test_equal_expressions_are_made_once():
    program = record(lambda x, y, z: [x * y + z, y * x + z, z + y * x])
    assert ops_of(program) == ["add", "mul"]


def test_what_no_result_needs_is_left_out():
    def wasteful(x, y, z):
        _ = ops.sin(x) * y
        return x + z

    assert ops_of(record(wasteful)) == ["add"]


def test_folds_are_exact_for_finite_numbers():
    """Zeros, ones and signs change no bit of a finite result."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 3))
    program = record(lambda a, b, c: [a * 1.0 + 0.0 * b - (-c), (-a) * (-b) + 0.0, c - 0.0 * a])
    a, b, c = x.T
    np.testing.assert_array_equal(interpret(program, x)[0], np.stack([a + c, a * b, c], axis=-1))


def test_zeros_and_nan_are_kept_apart():
    program = record(lambda x, y, z: [ops.where(x < y, 0.0, -0.0), ops.where(x < y, math.nan, 1.0)])
    low, high = interpret(program, np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))[0]
    assert not np.signbit(low[0])
    assert np.signbit(high[0])
    assert np.isnan(low[1])
    assert high[1] == 1.0


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, z: x if x > 0 else y,
        lambda x, y, z: float(x),
        lambda x, y, z: math.sin(x),
        lambda x, y, z: x == y,
        lambda x, y, z: [1, 2, 3][x],
        lambda x, y, z: max(x, y),
        lambda x, y, z: x + "1",
        lambda x, y, z: x * np.ones(3),
        lambda x, y, z: np.exp(np.array([x, y])),
        lambda x, y, z: np.sin(x),
        lambda x, y, z: np.isnan(np.array([x, y])),
        lambda x, y, z: np.linalg.inv(np.array([[x, y], [y, z]])),
        lambda x, y, z: x % 2.0,
        lambda x, y, z: x.real,
        lambda x, y, z: x**2.5,
        lambda x, y, z: x**y,
    ],
)
def test_what_cannot_be_recorded_is_refused(function):
    with pytest.raises(TraceError, match=r"test_tracer\.py, line"):
        record(function)


@pytest.mark.parametrize("folder", ["sixd", "my dir/numpy/sixd", "Bücher/sixd", "numpy/#100%20"])
@pytest.mark.parametrize("wrong", ["float(x)", "x % 2.0", "np.exp(np.array([x, y]))"])
def test_the_line_is_the_users_whatever_his_folders_are_called(tmp_path, monkeypatch, folder, wrong):
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / "law_of_user.py").write_text(f"import numpy as np\n\n\ndef law(x, y, z):\n    return {wrong}\n")
    monkeypatch.syspath_prepend(place)
    monkeypatch.delitem(sys.modules, "law_of_user", raising=False)
    law = importlib.import_module("law_of_user").law
    with pytest.raises(TraceError) as caught:
        record(law)
    assert str(caught.value).endswith(f"in {place / 'law_of_user.py'}, line 5: return {wrong}")


def test_the_line_of_code_that_is_in_no_file():
    with pytest.raises(TraceError, match=r"in <string>, line 1$"):
        record(eval("lambda x, y, z: float(x)", {}))


def test_other_errors_pass_as_they_are():
    with pytest.raises(TypeError, match="unsupported") as caught:
        record(lambda x, y, z: 1.0 + "1")
    assert not isinstance(caught.value, TraceError)


def test_functions_of_numpy_and_powers_are_recorded():
    def function(x):
        roots = np.sqrt(np.abs(x)) - np.abs(x) ** 0.5 * 2.0
        return [np.sin(x) + np.cos(x), np.tan(x), np.arctan2(x, 1.0 + x), x**3, x**-2, roots, +x]

    program = record(lambda *numbers: list(np.concatenate(function(np.array(numbers)))))
    x = np.random.default_rng(0).normal(size=(100, 3))
    np.testing.assert_allclose(interpret(program, x)[0], np.concatenate(function(x), axis=-1), rtol=1e-14)


def test_powers_multiply_as_often_as_squaring_does():
    assert ops_of(record(lambda x, y, z: x**5)) == ["mul"] * 3
    assert ops_of(record(lambda x, y, z: x**1)) == []
    assert ops_of(record(lambda x, y, z: x**0)) == []


def test_numbers_of_two_recordings_do_not_mix():
    kept = []
    record(lambda x, y, z: [kept.append(x), x][1])
    with pytest.raises(TraceError, match="one recording is used in another"):
        record(lambda x, y, z: x + kept[0])


@pytest.mark.parametrize(
    "meet",
    [
        lambda x, old: x - old,
        lambda x, old: -x + old,
        lambda x, old: x * (1.0 / old),
        lambda x, old: x / old,
        lambda x, old: (1.0 / old) * x,
        lambda x, old: (x * 2.0) * (1.0 / (old * 2.0)),
        lambda x, old: ops.where(x > 0.0, x, old),
        lambda x, old: ops.where(old > 0.0, x, -x),
        lambda x, old: ops.arctan2(x, old),
        lambda x, old: (x > 0.0) & (old > 0.0),
        lambda x, old: x < old,
        lambda x, old: old,
        lambda x, old: reverse([old], [1.0], [x])[0],
        lambda x, old: forward([old], [x])[0].get(0, 0.0),
    ],
)
def test_numbers_of_two_recordings_with_the_same_id_do_not_cancel(meet):
    """Memories of a function, such as a dictionary of results, bring them in."""
    kept = {}
    record(lambda x, y, z: kept.setdefault("x", x))
    with pytest.raises(TraceError, match=r"one recording is used in another: keep no .*test_tracer.py, line"):
        record(lambda x, y, z: meet(x, kept["x"]))


def test_memories_that_are_found_out():
    first = []

    def moved(model, q):
        if not first:
            first.extend(q)
        return q[0] - first[0]

    with pytest.raises(TraceError, match=r"one recording is used in another.*return q\[0\] - first\[0\]"):
        sixd.compile(moved, sixd.gallery.pendulum())  # it is recorded twice, to see whether both are the same


def test_fused_operations():
    program = record(lambda x, y, z: [x * y + z, x * y - z + 1.0, z - x * z])
    fused = fuse(record(lambda x, y, z: [x * y + z, z * z - y, x - y * y]))
    assert sorted(set(ops_of(fused))) == ["fma", "neg"]
    rng = np.random.default_rng(0)
    for p in (program, record(lambda x, y, z: (x * y + z) * (x - y * z) - x * x)):
        x = rng.normal(size=(50, 3))
        np.testing.assert_allclose(interpret(fuse(p), x)[0], interpret(p, x)[0], rtol=1e-12, atol=1e-14)


def test_products_with_two_uses_are_not_fused():
    assert ops_of(fuse(record(lambda x, y, z: [x * y, x * y + z]))) == ["add", "mul"]


@pytest.mark.parametrize(
    ("nodes", "results", "message"),
    [
        ([Node("add", (0, 1))], [(0,)], "does not come before"),
        ([Node("const", (), 1)], [(0,)], "must hold one float"),
        ([Node("input", (), (0, 7))], [(0,)], "entry 7 of input 0, which does not exist"),
        ([Node("input", (), (0, 0)), Node("swirl", (0,))], [(1,)], "not a primitive that takes 1 operands"),
        ([Node("input", (), (0, 0)), Node("add", (0,))], [(1,)], "not a primitive that takes 1 operands"),
        ([Node("input", (), (0, 0))], [(0, 0)], "needs 1 entries"),
        ([Node("input", (), (0, 0))], [], "1 outputs but 0 results"),
    ],
)
def test_broken_programs_are_found(nodes, results, message):
    with pytest.raises(ProgramError, match=message):
        Program("bad", (Port("x", (3,)),), (Port("y", (1,)),), tuple(nodes), tuple(results)).verify()


def test_programs_print_and_have_a_fingerprint():
    program, again = (record(lambda x, y, z: ops.sin(x) * y) for _ in range(2))
    assert "mul" in str(program)
    assert "x[0]" in str(program)
    assert program.fingerprint == again.fingerprint
    assert program.fingerprint != record(lambda x, y, z: ops.cos(x) * y).fingerprint


def test_a_number_meets_an_array_entry_by_entry():
    def mixed(x):
        a = np.array(x, dtype=object)
        return [("out", (8,), [*(x[0] * a), *(a - x[1]), *(x[0] / a), *(np.array([1.0, 2.0]) + x[0])])]

    (found,) = interpret(trace(mixed, [Port("x", (2,))], "arrays"), [3.0, 4.0])
    np.testing.assert_allclose(found, [9.0, 12.0, -1.0, 0.0, 1.0, 0.75, 4.0, 5.0])


def test_tables_are_part_of_what_a_program_computes():
    """Programs that look into other numbers have other fingerprints, by which code is kept; equal tables are one."""
    tables = [ops.Tabulated(x) for x in ([1.0, 2.0], [1.0, 2.5], [[1.0, 2.0]], [0.0, 2.0], [-0.0, 2.0])]
    programs = [record(lambda x, table=table: ops.pick(table, x), 1) for table in tables]
    assert len({program.fingerprint for program in programs}) == len(tables)
    assert record(lambda x: ops.pick(ops.Tabulated([1.0, 2.0]), x), 1).fingerprint == programs[0].fingerprint
    twice = record(lambda x: ops.pick(tables[0], x) * ops.pick(ops.Tabulated([1.0, 2.0]), x), 1)
    assert ops_of(twice) == ["mul", "pick"]
    for node in (Node("pick", (0,)), Node("neg", (0,), tables[0])):
        with pytest.raises(ProgramError, match="must have a table if it is a pick, and only then"):
            Program("wrong", (Port("x", ()),), (Port("y", ()),), (Node("input", (), (0, 0)), node), ((1,),)).verify()


@pytest.mark.parametrize(
    "asks",
    [
        lambda x: x if x > 0.0 else -x,
        float,
        math.exp,
        lambda x: x % 2.0,
        round,
        lambda x: np.exp(np.array([x]))[0],
        lambda x: x == 1.0,
    ],
)
@pytest.mark.parametrize("caught", [Exception, TypeError, BaseException, SixdError])
def test_a_refusal_that_is_caught_is_raised_at_the_end(asks, caught):
    """Code that goes another way where it cannot ask for a value is not what it would be with numbers."""

    def law(x, y, z):
        try:
            return asks(x)
        except caught:
            return y

    with pytest.raises(TraceError, match=r"sixd\.ops.*test_tracer.py, line .*the `except` around this line"):
        record(law)


@pytest.mark.parametrize(
    ("asks", "advice"),
    [
        (lambda x, y, z: ops.where(x >= 0.0, 1.0, 2.0), r"write 1 - \(a < b\) for a >= b"),
        (lambda x, y, z: 1.0 - (0.0 <= x), r"1 - \(a > b\) for a <= b"),  # noqa: SIM300
        (lambda x, y, z: ops.where(x == 0.0, 1.0, 2.0), r"absolute\(a - b\) < tolerance for a == b"),
        (lambda x, y, z: x != y, "tolerance for a == b"),
        (lambda x, y, z: x in (1.0, 2.0), "for a == b"),
        (lambda x, y, z: ops.where(np.array([x, y]) > 0.0, 1.0, 2.0), "compare the entries of an array one by one"),
        (lambda x, y, z: 1.0 if x > 0.0 else 2.0, r"sixd\.ops\.where\(condition, a, b\) instead of if"),
        (lambda x, y, z: max(x, y), "instead of if, min or max"),
        (lambda x, y, z: 0.0 < x < 1.0, "by & and | instead of and, or, a < b < c"),
        (lambda x, y, z: float(x), "use sixd.ops for functions"),
    ],
)
def test_refusals_say_what_to_write(asks, advice):
    with pytest.raises(TraceError, match=advice):
        record(asks)


def test_the_advice_for_weak_comparisons_is_right_in_all_kinds_of_numbers():
    program = record(lambda x, y, z: [1.0 - (x < y), 1.0 - (x > y)])
    numbers = np.array([[1.0, 2.0, 0.0], [2.0, 2.0, 0.0], [3.0, 2.0, 0.0], [np.nan, 2.0, 0.0]])
    (found,) = interpret(program, numbers)
    np.testing.assert_array_equal(found, [[1.0 - (x < y), 1.0 - (x > y)] for x, y, _ in numbers.tolist()])


@pytest.mark.parametrize(
    ("result", "named"),
    [(None, "None"), ("a", "a str"), ([[1.0, "a"]], "a str"), ({"a": 1.0}, "a dict"), ({1.0}, "a set")],
)
def test_what_a_function_must_return(result, named):
    with pytest.raises(TraceError, match=f"answer must return a number, an array of numbers, .*, not {named}"):
        sixd.compile(answering(result), sixd.gallery.pendulum())


def answering(result):
    def answer(model, q):
        return result

    return answer


def test_a_limit_that_is_caught_is_raised_at_the_end():
    def law(x):
        try:
            return [("y", (), [sum(x[0] ** k for k in range(99))])]
        except SixdError:
            return [("y", (), [0.0])]

    with pytest.raises(TooLargeError):
        trace(law, [Port("x", (1,))], "law", limit=20)


def test_a_refusal_outside_a_recording_is_forgotten():
    kept = []
    record(lambda x, y, z: [kept.append(x), x][1])
    with pytest.raises(TraceError, match="has none while"):
        float(kept[0])
    assert record(lambda x, y, z: x + y).nodes
