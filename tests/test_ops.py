"""The door to numbers: every function of sixd.ops, on every kind of number it knows."""

import copy
import dataclasses
import math
import pickle

import mpmath
import numpy as np
import pytest

from sixd import ops
from sixd.dual import moving, rates
from sixd.errors import ArgumentError, ShapeError
from sixd.spatial import Inertia, Motion, Transform, screw_of_motion

INF, NAN = math.inf, math.nan
AWKWARD = [0.0, -0.0, 1.0, -2.5, 1e-320, 1e308, INF, -INF, NAN]


def same(a, b):
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("name", ["sin", "cos", "sqrt", "absolute"])
@pytest.mark.parametrize("x", AWKWARD)
def test_functions_of_floats_follow_ieee(name, x):
    numpy_name = {"absolute": "abs"}.get(name, name)
    with np.errstate(all="ignore"):
        expected = float(getattr(np, numpy_name)(x))
    found = getattr(ops, name)(x)
    assert same(found, expected) or found == pytest.approx(expected, rel=3e-16)


@pytest.mark.parametrize("a", AWKWARD)
@pytest.mark.parametrize("b", AWKWARD)
def test_division_and_angle_of_floats_follow_ieee(a, b):
    with np.errstate(all="ignore"):
        assert same(ops.divide(a, b), float(np.divide(a, b)))
    assert same(ops.arctan2(a, b), float(np.arctan2(a, b)))


def test_division_of_arrays_is_silent_at_zero():
    a, b = np.array([1.0, -1.0, 0.0, 6.0]), np.array([0.0, 0.0, 0.0, 3.0])
    assert np.array_equal(ops.divide(a, b), [INF, -INF, NAN, 2.0], equal_nan=True)
    assert np.array_equal(ops.divide(1.0, b), [INF, INF, INF, 1 / 3])


def test_division_of_mpmath_numbers_does_not_raise():
    zero = mpmath.mpf(0)
    assert ops.divide(mpmath.mpf(3), mpmath.mpf(2)) == 1.5
    assert ops.divide(1.0, zero) == mpmath.inf
    assert ops.divide(mpmath.mpf(-2), zero) == -mpmath.inf
    assert mpmath.isnan(ops.divide(zero, zero))
    assert mpmath.isnan(ops.divide(mpmath.nan, zero))


def test_functions_of_arrays_are_numpys():
    x = np.linspace(-3, 3, 7)
    for name, function in (("sin", np.sin), ("cos", np.cos), ("absolute", np.abs)):
        assert np.array_equal(getattr(ops, name)(x), function(x))
    assert np.array_equal(ops.sqrt(x * x), np.sqrt(x * x))
    assert np.array_equal(ops.arctan2(x, 2.0), np.arctan2(x, 2.0))
    assert np.array_equal(ops.arctan2(2.0, x), np.arctan2(2.0, x))


def test_functions_of_mpmath_numbers_have_their_precision():
    with mpmath.workdps(50):
        x = mpmath.mpf(1) / 3
        assert ops.sin(x) == mpmath.sin(x)
        assert ops.cos(x) == mpmath.cos(x)
        assert ops.sqrt(x) == mpmath.sqrt(x)
        assert ops.absolute(-x) == x
        assert ops.arctan2(1.0, x) == mpmath.atan2(1, x)
        assert ops.arctan2(x, 1.0) == mpmath.atan2(x, 1)
        assert ops.where(x > 0.3, x, 0.0) is x
        assert ops.bits(x) == mpmath.mp.prec > 160


@pytest.mark.parametrize("x", [1.0, 3, np.float64(1.0), np.ones(2), np.ones(2, np.float32)])
def test_hardware_numbers_count_as_double_precision(x):
    assert ops.bits(x) == 53


def test_integers_and_numpy_scalars_are_numbers():
    assert ops.sin(0) == 0.0
    assert ops.divide(1, 2) == 0.5
    assert ops.sqrt(np.float32(4.0)).dtype == np.float32
    assert ops.absolute(np.int64(-3)) == 3
    assert ops.where(np.float64(1.0) > 0.0, 1.0, 2.0) == 1.0


def test_where_selects_sample_by_sample():
    x = np.array([-1.0, NAN, 2.0])
    assert np.array_equal(ops.where(x > 0.0, x, 0.0), [0.0, 0.0, 2.0])
    assert ops.where(True, 1.0, 2.0) == 1.0
    assert ops.where(False, 1.0, 2.0) == 2.0


@pytest.mark.parametrize(
    ("x", "expected"), [(3.0, 1.0), (-2.0, -1.0), (0.0, 0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)]
)
def test_sign(x, expected):
    assert ops.sign(x) == pytest.approx(expected, nan_ok=True)
    assert ops.sign(np.array([x, 1.0])) == pytest.approx([expected, 1.0], nan_ok=True)
    assert float(ops.sign(mpmath.mpf(x))) == pytest.approx(expected, nan_ok=True)


def test_floats_stack_to_an_array_of_doubles():
    array = ops.stack([1.0, 2, 3.0, 4.0], (2, 2))
    assert array.dtype == np.float64
    assert np.array_equal(array, [[1, 2], [3, 4]])
    assert ops.unstack(array, rank=2) == [1.0, 2.0, 3.0, 4.0]
    assert all(type(x) is float for x in ops.unstack(array, rank=2))


@pytest.mark.parametrize("lead", [(), (1,), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("core", [(3,), (2, 3)])
def test_unstack_and_stack_round_trip(lead, core):
    array = np.random.default_rng(0).normal(size=(*lead, *core))
    values = ops.unstack(array, rank=len(core))
    assert len(values) == math.prod(core)
    assert np.array_equal(ops.stack(values, core), array)


def test_stack_broadcasts_samples_against_constants():
    array = ops.stack([0.0, np.arange(3.0), np.ones((2, 1))])
    assert array.shape == (2, 3, 3)
    assert np.array_equal(array[1, :, 1], [0, 1, 2])


def test_integers_become_floats_when_taken_apart():
    assert ops.unstack(np.array([1, 2])) == [1.0, 2.0]
    assert all(type(x) is float for x in ops.unstack(np.array([1, 2])))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int8, bool])
def test_integer_samples_become_doubles(kind):
    whole = np.array([[1, 0, 1], [0, 1, 1]], dtype=kind)
    m = Motion((0.5, 0.5, 0.5), whole)
    assert m.array().dtype == np.float64
    assert np.array_equal(m.array(), np.c_[np.full((2, 3), 0.5), whole])
    assert [x.dtype for x in ops.unstack(whole)] == [np.float64] * 3
    assert [x.dtype for x in ops.unstack([whole[0], whole[1]])] == [np.float64] * 2
    assert np.array_equal(ops.stack([0.5, whole[0]])[:, 0], [0.5] * 3)
    assert ops.stack([whole[0], whole[1]]).dtype == np.float64
    assert ops.stack([np.int64(3), 1]).dtype == np.float64


def test_samples_of_objects_stay_objects():
    x = np.array([mpmath.mpf(1), mpmath.mpf(2)], dtype=object)
    assert ops.stack([x, 1.0]).dtype == object


class Opaque:
    """A number that NumPy would take apart if it could."""

    def __len__(self):
        return 2

    def __getitem__(self, k):
        raise AssertionError("taken apart")

    __array__ = __getitem__


def test_lists_of_foreign_numbers_are_left_alone():
    a, b = Opaque(), Opaque()
    assert ops.unstack([[a, b], [b, a]], rank=2) == [a, b, b, a]
    assert ops.unstack([a, 1.0]) == [a, 1.0]
    assert list(ops.stack([a, b, 1.0])) == [a, b, 1.0]


@pytest.mark.parametrize(
    ("array", "rank"),
    [(1.0, 1), (np.zeros(3), 2), ([[1.0, 2.0], [3.0]], 2), ([[1.0], 2.0], 2), ([[1.0, 2.0], [3.0]], 1)],
)
def test_arrays_with_too_few_axes_and_ragged_lists_are_refused(array, rank):
    with pytest.raises(ShapeError):
        ops.unstack(array, rank)


def test_lists_of_scalars_pass_through():
    x = mpmath.mpf(1)
    assert ops.unstack([x, 2.0]) == [x, 2.0]
    assert ops.unstack((1.0, 2.0)) == [1.0, 2.0]
    assert ops.unstack([[1.0, 2.0], [3.0, 4.0]], rank=2) == [1.0, 2.0, 3.0, 4.0]


def test_single_precision_stays_single_precision():
    x = np.array([0.5, 2.0], np.float32)
    results = [
        ops.sin(x),
        ops.sqrt(x),
        ops.divide(1.0, x),
        ops.divide(x, 2.0),
        ops.where(x > 1.0, x, 0.0),
        ops.where(x > 1.0, 1.0, x),
        ops.sign(x),
        ops.arctan2(x, 1.0),
        ops.stack([x, 1.0]),
        ops.stack(ops.unstack(np.ones((2, 3), np.float32))),
    ]
    assert [r.dtype for r in results] == [np.float32] * len(results)


@dataclasses.dataclass(frozen=True)
class Counted:
    """A number that counts the operations that made it."""

    value: float
    operations: int = 0

    def _with(self, value, *others):
        return Counted(value, 1 + self.operations + sum(o.operations for o in others if isinstance(o, Counted)))

    def __add__(self, other):
        return self._with(self.value + getattr(other, "value", other), other)

    def __sub__(self, other):
        return self._with(self.value - getattr(other, "value", other), other)

    def __mul__(self, other):
        return self._with(self.value * getattr(other, "value", other), other)

    __radd__ = __add__
    __rmul__ = __mul__


@pytest.fixture
def counted():
    """`Counted` numbers, known to sixd.ops for the length of a test."""
    ops.register(
        Counted,
        ops.Rules(
            sin=lambda x: x._with(math.sin(x.value)),
            cos=lambda x: x._with(math.cos(x.value)),
            sqrt=lambda x: x._with(math.sqrt(x.value)),
            arctan2=lambda y, x: y._with(math.atan2(y.value, x.value), x),
            absolute=lambda x: x._with(abs(x.value)),
            divide=lambda a, b: a._with(a.value / b.value, b),
            where=lambda condition, a, b: a if condition else b,
        ),
    )
    yield Counted
    del ops._RULES[Counted]
    ops._rules_of_type.cache_clear()


def test_a_registered_kind_of_number_runs_through_the_algebra(counted):
    m = Motion([counted(float(k)) for k in range(3)], [counted(float(k)) for k in range(3)])
    moment = m.cross(m)
    assert all(x.value == 0.0 for x in moment.components())
    assert sum(x.operations for x in moment.components()) == 30
    assert ops.sin(counted(0.5)) == Counted(math.sin(0.5), 1)
    assert ops.stack(m.components()).dtype == object
    assert ops.bits(counted(1.0)) == 53


def test_rules_of_a_kind_hold_for_its_subclasses(counted):
    class Special(counted):
        pass

    assert ops.sqrt(Special(4.0)).value == 2.0


@pytest.mark.parametrize("function", [ops.sin, ops.sqrt, ops.absolute, ops.bits])
def test_an_unknown_kind_of_number_is_named_with_the_remedy(function):
    with pytest.raises(TypeError, match=r"no rules for numbers of type builtins\.str.*ops\.register"):
        function("1.0")


class StandardArray:
    """An array of another library: it follows the array API standard and is no NumPy array."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array_namespace__(self):
        return StandardNamespace

    def __gt__(self, other):
        return StandardArray(self.values > other)

    def __truediv__(self, other):
        return StandardArray(self.values / other.values)


class StandardNamespace:
    sin = staticmethod(lambda x: StandardArray(np.sin(x.values)))
    cos = staticmethod(lambda x: StandardArray(np.cos(x.values)))
    sqrt = staticmethod(lambda x: StandardArray(np.sqrt(x.values)))
    abs = staticmethod(lambda x: StandardArray(np.abs(x.values)))
    atan2 = staticmethod(lambda y, x: StandardArray(np.arctan2(y.values, x.values)))
    where = staticmethod(lambda c, a, b: StandardArray(np.where(c.values, a.values, b.values)))
    floor = staticmethod(lambda x: StandardArray(np.floor(x.values)))


def test_arrays_of_the_array_api_standard_use_their_namespace():
    x, y = StandardArray([1.0, -4.0]), StandardArray([2.0, 3.0])
    assert np.array_equal(ops.sin(x).values, np.sin(x.values))
    assert np.array_equal(ops.cos(x).values, np.cos(x.values))
    assert np.array_equal(ops.sqrt(y).values, np.sqrt(y.values))
    assert np.array_equal(ops.absolute(x).values, [1.0, 4.0])
    assert np.array_equal(ops.arctan2(x, y).values, np.arctan2(x.values, y.values))
    assert np.array_equal(ops.divide(x, y).values, x.values / y.values)
    assert np.array_equal(ops.where(x > 0.0, x, y).values, [1.0, 3.0])
    assert np.array_equal(ops.floor(x / y).values, [0.0, -2.0])


@pytest.fixture
def strict():
    """A library that follows the array API standard and does nothing else."""
    return pytest.importorskip("array_api_strict")


def test_the_algebra_runs_on_arrays_of_another_library(strict):
    rng = np.random.default_rng(0)
    q, r, v, p = (rng.normal(size=(4, n)) for n in (4, 3, 6, 10))

    def results(convert):
        X = Transform.from_quaternion(convert(q), convert(r))
        m, I = Motion.from_array(convert(v)), Inertia.from_parameters(convert(p))
        screw = screw_of_motion(m)
        values = [X @ m, X.inv @ (I @ m), m.cross(m / 2.0), m.cross(I).I, X.quaternion(), X.rpy(), X.matrix()]
        return [x.array() for x in values] + [X.pose(), (X @ I).parameters(), screw.point.array(), screw.pitch]

    for found, expected in zip(results(strict.asarray), results(np.asarray), strict=True):
        assert type(found) is type(strict.asarray(0.0))
        assert found.shape == expected.shape
        assert np.max(np.abs(np.asarray(found) - expected)) <= 1e-14 * max(1.0, np.max(np.abs(expected)))


def test_arrays_of_another_library_stack_with_python_numbers(strict):
    x = strict.asarray([1.0, 2.0], dtype=strict.float32)
    for result in (ops.stack([x, 0.5]), ops.where(x > 1.0, x, 0), ops.arctan2(1.0, x), ops.divide(1.0, x)):
        assert result.dtype == strict.float32
    assert ops.stack([x, 0.5, 1.0, x], (2, 2)).shape == (2, 2, 2)
    assert ops.where(x > 1.0, 1.0, 2.0).shape == (2,)
    assert ops.unstack(strict.asarray([[1, 2], [3, 4]]))[0].dtype == strict.float64
    assert ops.unstack(strict.zeros((5, 2, 3)), rank=2)[0].shape == (5,)
    assert len(ops.unstack(strict.zeros(3))) == 3
    with pytest.raises(ShapeError):
        ops.unstack(strict.zeros(3), rank=2)


def test_tables_are_looked_up_by_arrays_of_another_library(strict):
    table = ops.Tabulated([[0.5, -1.0], [2.0, 0.25]])
    for kind in (strict.float32, strict.float64):
        found = ops.pick(table, strict.asarray([[-3.0, 0.9, 1.0], [2.5, 9.0, math.nan]], dtype=kind))
        assert found.dtype == kind
        assert np.array_equal(np.asarray(found), [[0.5, 0.5, -1.0], [2.0, 0.25, np.nan]], equal_nan=True)


PLACES = [-math.inf, -1e300, -0.5, 0.0, 0.99, 1.0, 2.5, 3.0, 4.0, 1e300, math.inf]


@pytest.mark.parametrize("place", PLACES)
def test_tables_are_looked_up_by_every_kind_of_number(place):
    numbers = np.array([[0.5, -1.0], [2.0, 0.25]])
    table = ops.Tabulated(numbers)
    wanted = numbers.ravel()[int(min(max(place, 0.0), 3.0))]
    assert ops.pick(table, place) == wanted
    assert type(ops.pick(table, place)) is float
    assert ops.pick(table, np.float64(place)) == wanted
    assert ops.pick(table, mpmath.mpf(place)) == wanted
    np.testing.assert_array_equal(ops.pick(table, np.full((2, 1), place)), np.full((2, 1), wanted))
    (x,), level = moving((1.0,), (place,))
    assert rates((ops.pick(table, x) * 2.0,), level) == [0.0]


def test_what_is_rounded_down():
    for x, wanted in ((2.0, 2.0), (2.7, 2.0), (-2.1, -3.0), (-0.0, -0.0), (math.inf, math.inf), (-math.inf, -math.inf)):
        for kind in (float, np.float64, mpmath.mpf, lambda v: np.array([v])):
            assert ops.floor(kind(x)) == wanted
    assert math.isnan(ops.floor(math.nan))
    (x,), level = moving((1.0,), (2.5,))
    assert rates((x - ops.floor(x),), level) == [1.0]


def test_nan_has_no_place_in_a_table():
    table = ops.Tabulated([1.0, 2.0])
    assert math.isnan(ops.pick(table, math.nan))
    np.testing.assert_array_equal(ops.pick(table, np.array([math.nan, 1.0])), [math.nan, 2.0])
    assert mpmath.isnan(ops.pick(table, mpmath.nan))


def test_places_between_floats_are_rounded_down():
    with mpmath.workdps(40):
        assert ops.pick(ops.Tabulated([10.0, 20.0, 30.0]), mpmath.mpf(2) - mpmath.mpf(10) ** -30) == 20.0


def test_numbers_without_places_are_told(counted):
    with pytest.raises(ArgumentError, match="Counted are no places in a table"):
        ops.pick(ops.Tabulated([1.0]), counted(0.0))
    with pytest.raises(ArgumentError, match="cannot be rounded down: give their Rules a floor"):
        ops.floor(counted(0.5))
    with pytest.raises(ArgumentError, match=r"pick looks into a sixd\.ops\.Tabulated, not into \[1\.0\]"):
        ops.pick([1.0], 0.0)


def test_tables_are_values():
    """Equal by shape and bits, constant, and the same after a pickle or a copy."""
    numbers = np.arange(6.0).reshape(2, 3)
    table = ops.Tabulated(numbers)
    numbers[0, 0] = 9.0
    assert table.array[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        table.array[0, 0] = 1.0
    with pytest.raises(AttributeError, match="a table is constant"):
        table.array = numbers
    same = [ops.Tabulated(np.arange(6.0).reshape(2, 3)), pickle.loads(pickle.dumps(table)), copy.deepcopy(table)]
    assert {table, *same} == {table}
    others = [ops.Tabulated(np.arange(6.0)), ops.Tabulated(numbers), ops.Tabulated(-table.array)]
    assert len({table, *others}) == 4
    assert np.asarray(table, np.float32).dtype == np.float32
    with pytest.raises(AttributeError, match="a table is constant"):
        del table.array
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    wrongs = [], [[1.0], [2.0, 3.0]], "1.5", ["1", "2"], None, [1j], [10**400], masked, np.zeros((1 << 24) + 1, np.int8)
    for wrong in wrongs:
        with pytest.raises(ArgumentError, match="a table must"):
            ops.Tabulated(wrong)


def test_rules_may_bring_their_own_stack(counted):
    rules = ops._RULES[counted]
    ops.register(counted, dataclasses.replace(rules, stack=lambda values, shape: (list(values), shape)))
    one = counted(1.0)
    assert ops.stack([0.0, one], (2, 1)) == ([0.0, one], (2, 1))
    assert ops.stack([0.0, 1.0]).dtype == float
