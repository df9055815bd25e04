"""Operations are those of recorded programs, formulas hold for other sizes; docs/formulations.md tells what is so."""

import re
from fractions import Fraction

import pytest

import sixd
from benchmarks import operations
from sixd import algorithms, historical
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position
from sixd.errors import ArgumentError, SixdError
from sixd.historical import FORMULATIONS, GEOMETRIES, PUBLISHED, Polynomial
from sixd.model import Tree
from sixd.spatial import Transform, Vector

NAMES = [name for _, names in operations.groups() for name in names]
#: Those whose formulas take a second or less to find.
LINEAR = [name for name in NAMES if name not in FORMULATIONS or FORMULATIONS[name].cost == "O(N)"]
LINEAR = [name for name in LINEAR if name != "forward_dynamics_crba"]
PAGE = operations.PAGE.read_text()


@pytest.mark.parametrize("name", ["rnea", "brandl_johanni_otter", "kane"])
def test_they_are_those_of_the_compiled_program(name):
    function = operations.function(name)
    counts = historical.operation_counts(function, 3, "general")
    kernel = sixd.compile(function, historical.counted_robot(3, "general"))
    assert counts.total == kernel.program.operations == kernel.code.operations
    assert counts.functions == 6


def test_a_pendulum_by_hand():
    """tau = I_zz qdd: gravity is along the axis. One multiplication; no sine, for nothing depends on q."""
    assert historical.operation_counts(algorithms.rnea, 1) == historical.Counts(1, 0, 0, 0)


def test_as_written_counts_zeros_and_repetitions():
    """E v is nine multiplications and six additions, whatever is zero in E."""

    @algorithm(rolled=False)
    def turned(tree: Tree, q: Position) -> Vector:
        E = tree.joint(1).transform(q[1]).E
        return E @ Vector((1.0, 2.0, 0.0)) + E @ Vector((1.0, 2.0, 0.0))

    once = historical.operation_counts(turned, 1)
    as_written = historical.operation_counts(turned, 1, written=True)
    assert (once.multiplications, once.additions) == (2, 4)
    assert (
        as_written.multiplications - 18 == historical.operation_counts(only_transform, 1, written=True).multiplications
    )
    assert as_written.functions == once.functions == 2


@algorithm(rolled=False)
def only_transform(tree: Tree, q: Position) -> Transform:
    return tree.joint(1).transform(q[1])


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("name", ["aba", "luh_walker_paul", "crba"])
def test_formulas_hold_for_other_sizes(name, geometry):
    function = operations.function(name)
    formula = historical.formula_of(function, geometry)
    for n in (formula.start, 13, 17):
        counts = historical.operation_counts(function, n, geometry)
        assert formula.multiplications(n) == counts.multiplications
        assert formula.additions(n) == counts.additions
        assert formula.total(n) == counts.total


@pytest.mark.parametrize("name", [name for name in FORMULATIONS if name != "uicker_kahn"])
def test_costs_grow_as_declared(name):
    formula = historical.formula_of(FORMULATIONS[name].function)
    degree = formula.total.degree
    assert FORMULATIONS[name].cost == ("O(N)" if degree == 1 else f"O(N^{degree})")


def test_the_cost_of_lagrange_grows_with_the_fourth_power():
    """Its fourth differences are constant; as written, they are those of the published formula."""
    uicker_kahn = FORMULATIONS["uicker_kahn"].function
    for written in (False, True):
        counts = {n: historical.operation_counts(uicker_kahn, n, "general", written) for n in range(2, 8)}
        multiplications = Polynomial.through({n: c.multiplications for n, c in counts.items()})
        additions = Polynomial.through({n: c.additions for n, c in counts.items()})
        assert multiplications.degree == additions.degree == 4
        if written:
            paper = PUBLISHED["uicker_kahn"]
            assert multiplications.coefficients[4] == paper.multiplications.coefficients[4] == Fraction(65, 2)
            assert additions.coefficients[4] == paper.additions.coefficients[4] == 25


def test_the_claims():
    """FO00, section 2: articulated bodies are cheaper for N > 9. PBP95, section 3: 130n - 68 and 101n - 56."""
    crba, aba = historical.walker_orin_3, algorithms.aba
    assert historical.crossover(crba, aba) == 10
    assert historical.operation_counts(crba, 9).total < historical.operation_counts(aba, 9).total
    assert historical.operation_counts(crba, 10).total > historical.operation_counts(aba, 10).total
    rnea, paper = historical.operation_counts(algorithms.rnea, 6), PUBLISHED["rnea"]
    assert (str(paper.multiplications), str(paper.additions)) == ("130 n - 68", "101 n - 56")
    assert abs(rnea.total / paper.total(6) - 1.0) < 0.06
    geometric = historical.operation_counts(algorithms.geometric_newton_euler, 6).total
    assert 1.0 < geometric / rnea.total < 1.06
    for name, share in (("aba", 1.0), ("brandl_johanni_otter", 0.9)):
        formula, stated = historical.formula_of(operations.function(name)), PUBLISHED[name]
        counted, published = (x.multiplications.coefficients for x in (formula, stated))
        assert abs(counted[1] / published[1] - share) < 0.04
        assert counted[0] < published[0] < 0
    lagrange = historical.operation_counts(historical.uicker_kahn, 6).total
    assert lagrange < 0.1 * PUBLISHED["uicker_kahn"].total(6)
    assert historical.formula_of(historical.hollerbach) == historical.formula_of(historical.hollerbach_3x3)


def test_which_is_cheaper():
    assert historical.crossover(algorithms.aba, algorithms.rnea, most=5) == 2
    assert historical.crossover(algorithms.rnea, algorithms.aba, most=5) is None


@pytest.mark.parametrize("name", NAMES)
def test_totals_on_the_page(name):
    """Those that are counted; the rest of the row is by formulas."""
    cells = [str(cell) for cell in operations.total_row(name, (1, 2, 3, 6))]
    assert any(line.startswith("| " + " | ".join(cells) + " | ") for line in PAGE.splitlines()), cells


@pytest.mark.parametrize("name", LINEAR)
def test_formulas_on_the_page(name):
    found = [str(cell) for cell in operations.formula_row(name) if cell != ""]
    rows = ([cell for cell in line.strip("| ").split(" | ") if cell.strip()] for line in PAGE.splitlines())
    assert found in rows


@pytest.mark.parametrize("pair", operations.CROSSOVERS, ids=lambda pair: " ".join(pair[:2]))
def test_crossovers_on_the_page(pair):
    one, other, _, found, _ = operations.crossover_row(*pair, geometries=("dh", "dh"))
    assert any(line.startswith(f"| {one} | {other} |") and line.split(" | ")[3] == found for line in PAGE.splitlines())


def test_the_other_tables_on_the_page():
    made = operations.formulation_table(), operations.reference_table(), operations.source_table()
    assert [text in PAGE for text in (*made, operations.spherical_table())] == [True] * 4
    assert operations.table((), [operations.written_row("hollerbach")]).splitlines()[-1] in PAGE


def test_tables_replace_those_that_are_there():
    page = "a\n\n<!-- table: x -->\n\n| old |\n| --- |\n\nb\n\n<!-- table: y -->\n\nc\n"
    once = operations.filled(page, {"x": "| new |", "y": "| y |"})
    assert once == "a\n\n<!-- table: x -->\n\n| new |\n\nb\n\n<!-- table: y -->\n\n| y |\n\nc\n"
    assert operations.filled(once, {"x": "| new |", "y": "| y |"}) == once
    with pytest.raises(ValueError, match="no place for the table 'z'"):
        operations.filled(once, {"z": "| z |"})
    others = ["formulations", "spherical joints", "crossovers", "totals", "geometries", "as written", "references"]
    wanted = [*others, "sources", *(question.value for question, _ in operations.groups())]
    assert sorted(re.findall("<!-- table: (.*) -->", PAGE)) == sorted(wanted)


def test_polynomials():
    p = Polynomial.through({1: 1, 2: 5, 3: 14, 4: 30, 5: 55})
    assert str(p) == "1/3 n^3 + 1/2 n^2 + 1/6 n"
    assert (p.degree, p(10)) == (3, 385)
    assert p == Polynomial.of("1/3", "1/2", "1/6", 0)
    assert str(Polynomial.of(-1, 2, -3)) == "-n^2 + 2 n - 3"
    assert str(p + Polynomial.of("-1/3", 0, 0, 1)) == "1/2 n^2 + 1/6 n + 1"
    assert [str(Polynomial.of(0)), str(Polynomial.of(7))] == ["0", "7"]
    assert Polynomial.through({3: 4}) == Polynomial.of(4)
    with pytest.raises(ArgumentError, match="one point or more"):
        Polynomial.through({})


@pytest.mark.parametrize("spherical", [False, True])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_robots_that_are_counted_on(geometry, spherical):
    model = historical.counted_robot(4, geometry, spherical)
    assert model.n_bodies == 4
    assert model.nv == (12 if spherical else 4)
    assert not model.warnings
    assert len({body.placement for body in model.body_list[2:]}) == 1
    zeros = [x for x in sixd.parameters(model, "inertia").ravel() if x in (0.0, 1.0)]
    assert not zeros


def test_what_is_no_polynomial_is_said():
    @algorithm(rolled=False)
    def odd(tree: Tree, q: Position) -> Vector:
        x = q.values[0]
        for _ in range(2 ** len(q.values)):
            x = x * q.values[0]
        return Vector((x,))

    with pytest.raises(SixdError, match="the operations of odd are no polynomial of degree 4 or less"):
        historical.formula_of(odd)


def test_wrong_arguments_are_named():
    with pytest.raises(ArgumentError, match="function must be an algorithm"):
        historical.operation_counts(len, 3)
    with pytest.raises(SixdError, match="geometry"):
        historical.operation_counts(algorithms.rnea, 3, "flat")
