"""Programs with loops: what may be shared, forwarded and left out while recording, and what the passes keep."""

import numpy as np
import pytest

from sixd.ir import LoopRecorder, ShapedPort, Table, TraceError, interpret_loops
from sixd.ir.passes import improve_loops, record_layout, record_sizes
from sixd.ir.program import ProgramError
from sixd.ops import sin

ROWS = 5
PARENT = [0, 0, 1, 2, 2, 4]


def table(program, parent=PARENT):
    """A small tree; the number of a row is its number, its input entry too."""
    n = len(parent)
    children = [[i for i in range(1, n) if parent[i] == k] for k in range(n)]
    columns = {
        "parent": parent,
        "place": [max(i - 1, 0) for i in range(n)],
        "opens": [int(i > 0 and parent[i] > 0 and max(children[parent[i]]) == i) for i in range(n)],
        "leaf": [int(not c) for c in children],
        "scratch up": list(range(n)),
        "scratch down": list(range(n)),
        "case": [i % 2 for i in range(n)],
    }
    numbers = np.array([[float(10 * i + k) for k, _ in enumerate(program.columns)] for i in range(n)])
    indices = np.array([columns[name] for name in program.lookups]).reshape(-1, n).T.copy()
    return Table(numbers, indices, (), (), {"n": n - 1, "scratch up": n, "scratch down": n})


def run(record, *inputs, cases=1, parent=PARENT):
    """Record a function of (recorder, loop), run it before and after all passes; the two agree."""
    r = LoopRecorder()
    base = r.row("row", attr=0)
    out = r.output("n")

    def loop(down=False):
        number, r.loops = r.loops, r.loops + 1
        regions = []
        for k in range(cases):
            with r.case(number, k, True, first=k == 0) as region:
                i = r.row("index", attr=number)
                p = r.row("lookup", i, attr="parent")
                r.apart(i, p)
                r.apart(i, base)
                yield i, p
                regions.append(region)
        r.close(number, "rows", regions, down, None, True)

    def write(i, value):
        r.write(out, [r.row("lookup", i, attr="place")], [0], value)

    record(r, loop, write, base)
    ports = [ShapedPort(f"x{k}", ("n",)) for k in range(len(inputs))]
    program = r.program("test", ports, [("out", out)])
    better = improve_loops(program)
    results = [interpret_loops(p, table(p, parent), *inputs)[0] for p in (program, better)]
    np.testing.assert_array_equal(*results)
    return results[0], better


def number(r, i):
    return r.add("table", i, attr=("a", 0))


def test_a_load_after_a_store_to_a_row_that_may_be_the_same_is_made_again():
    def record(r, loop, write, base):
        place = r.place("s", 1)
        r.put(place, base, [1.0])
        for i, p in loop():
            before = r.get(place, p, 1)[0]  # p may be the base
            r.put(place, base, [before + 1.0])
            after = r.get(place, p, 1)[0]
            r.put(place, i, [0.0])
            write(i, after - before)

    found, _ = run(record)
    np.testing.assert_array_equal(found, [1.0, 0.0, 0.0, 0.0, 0.0])


def test_a_store_to_another_row_keeps_what_is_known():
    def record(r, loop, write, base):
        place = r.place("s", 1)
        r.put(place, base, [0.0])
        for i, p in loop():
            r.put(place, i, [number(r, i)])
            loads = len(r.nodes)
            r.put(place, p, [2.0])  # i is never p
            r.get(place, i, 1)
            assert all(node.op != "get" for node in r.nodes[loads:])
            write(i, r.get(place, i, 1)[0])

    found, _ = run(record)
    np.testing.assert_array_equal(found, [10.0, 20.0, 30.0, 40.0, 50.0])


def test_loads_of_different_iterations_are_not_shared():
    """Hash-consed like arithmetic, the second loop would see what the first had loaded."""

    def record(r, loop, write, base):
        place = r.place("s", 1)
        for i, _ in loop():
            r.put(place, i, [number(r, i)])
        for i, _ in loop():
            r.put(place, i, [r.get(place, i, 1)[0] + 1.0])
        for i, _ in loop():
            write(i, r.get(place, i, 1)[0])

    found, _ = run(record)
    np.testing.assert_array_equal(found, [11.0, 21.0, 31.0, 41.0, 51.0])


def test_sums_over_children_start_from_the_table_in_the_downward_loop():
    """What one loop stores from the table alone is stored by the loop that needs it: in scratch, not in every row."""

    def record(r, loop, write, base):
        total = r.place("total", 1)
        r.put(total, base, [0.0])
        for i, _ in loop():
            r.put(total, i, [number(r, i)])
        for i, p in loop(down=True):
            own = r.get(total, i, 1)[0]
            r.put(total, p, [r.get(total, p, 1)[0] + own])
            write(i, own)

    found, better = run(record)
    np.testing.assert_array_equal(found, [150.0, 140.0, 30.0, 90.0, 50.0])
    assert record_sizes(better) == {"row": 0, "scratch down": 1}


def test_values_of_one_upward_loop_live_in_scratch_records():
    def record(r, loop, write, base):
        depth = r.place("depth", 1)
        r.put(depth, base, [0.0])
        for i, p in loop():
            r.put(depth, i, [r.get(depth, p, 1)[0] + 1.0])
            write(i, r.get(depth, i, 1)[0])

    found, better = run(record)
    np.testing.assert_array_equal(found, [1.0, 2.0, 3.0, 3.0, 4.0])
    assert record_sizes(better) == {"row": 0, "scratch up": 1}


def test_values_that_are_not_needed_at_the_same_time_share_a_place():
    def record(r, loop, write, base):
        a, b, c = (r.place(name, 1) for name in "abc")
        for i, _ in loop():
            r.put(a, i, [number(r, i)])
        for i, _ in loop():
            r.put(b, i, [r.get(a, i, 1)[0] * 2.0])
        for i, _ in loop():
            r.put(c, i, [r.get(b, i, 1)[0] + 1.0])
        for i, _ in loop():
            write(i, r.get(c, i, 1)[0])

    found, better = run(record)
    np.testing.assert_array_equal(found, [21.0, 41.0, 61.0, 81.0, 101.0])
    # In the second loop b takes the place of a row by row, in the third c that of b.
    assert sorted(record_layout(better).values()) == [0, 0, 0]


def entry(r, i):
    return r.add("entry", r.row("lookup", i, attr="place"), attr=(0, (0,)))


def test_a_new_value_takes_the_place_of_a_sum_over_children():
    """The sum of a row is complete when the downward loop comes to it, and used up; the store waits for that."""

    def record(r, loop, write, base):
        total, new = r.place("total", 1), r.place("new", 1)
        r.put(total, base, [0.0])
        for i, _ in loop():
            r.put(total, i, [entry(r, i)])
        for i, p in loop(down=True):
            r.put(new, i, [sin(entry(r, i))])
            own = r.get(total, i, 1)[0]
            r.put(total, p, [r.get(total, p, 1)[0] + own * 2.0])
            write(i, own)
        for i, _ in loop():
            write(i, r.get(new, i, 1)[0])

    found, better = run(record, np.linspace(0.1, 0.9, ROWS))
    np.testing.assert_array_equal(found, np.sin(np.linspace(0.1, 0.9, ROWS)))
    assert set(record_layout(better).values()) == {0}


@pytest.mark.parametrize("reader", ["child", "later loop"])
def test_a_value_that_is_needed_again_keeps_its_place(reader):
    """By a row that comes later in the same loop, or by a later loop."""

    def record(r, loop, write, base):
        old, new = r.place("old", 1), r.place("new", 1)
        r.put(old, base, [7.0])
        for i, _ in loop():
            r.put(old, i, [entry(r, i)])
        for i, p in loop():
            r.put(new, i, [r.get(old, p if reader == "child" else i, 1)[0] + 1.0])
        for i, _ in loop():
            again = r.get(old, i, 1)[0] if reader == "later loop" else 0.0
            write(i, r.get(new, i, 1)[0] + again)

    x = np.linspace(0.1, 0.9, ROWS)
    found, better = run(record, x)
    parents = np.array([7.0, *x])[PARENT[1:]]
    np.testing.assert_array_equal(found, parents + 1.0 if reader == "child" else x + 1.0 + x)
    assert sorted(record_layout(better).values()) == [0, 1]


def test_sines_are_kept_and_cheap_values_made_again():
    x = np.linspace(0.1, 0.9, ROWS)

    def record(r, loop, write, base):
        place = r.place("s", 2)
        r.steady = {r.place_keys[place]}
        for i, _ in loop():
            entry = r.add("entry", r.row("lookup", i, attr="place"), attr=(0, (0,)))
            r.put(place, i, [sin(entry) * number(r, i), number(r, i) + 1.0])
        for i, _ in loop():
            a, b = r.get(place, i, 2)
            write(i, a + b)

    found, better = run(record, x)
    n = np.arange(10.0, 51.0, 10.0)
    np.testing.assert_allclose(found, np.sin(x) * n + n + 1.0, rtol=1e-15)
    assert record_sizes(better)["row"] == 1  # the sine alone


def test_a_value_of_a_closed_iteration_is_refused():
    def record(r, loop, write, base):
        kept = None
        for i, _ in loop():
            if kept is None:
                kept = number(r, i)
            write(i, kept)

    with pytest.raises(TraceError, match="keep it in a slot or a cell"):
        run(record, cases=2)


def test_what_nobody_loads_is_not_stored():
    def record(r, loop, write, base):
        place = r.place("s", 2)
        for i, _ in loop():
            r.put(place, i, [number(r, i), number(r, i) * 3.0])
        for i, _ in loop():
            write(i, r.get(place, i, 2)[0])

    _, better = run(record)
    assert better.counts()["put"] == 1
    assert better.counts()["mul"] == 0


def test_the_checker_finds_a_value_out_of_sight():
    def record(r, loop, write, base):
        for i, _ in loop():
            write(i, number(r, i))

    _, program = run(record)
    broken = type(program)(
        **{**program.__dict__, "body": type(program.body)((*program.body.items[::-1][:1], len(program.nodes) - 1))}
    )
    with pytest.raises(ProgramError, match="not computed there"):
        broken.verify()
