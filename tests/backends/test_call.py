"""Single calls: the same bits as the gufunc, and everything unusual goes the slow way."""

import pickle
import sys

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ShapeError, algorithms, gallery, ops
from sixd.backends.llvm import vectorcall
from sixd.backends.llvm.call import call_module
from sixd.backends.llvm.emit import emit
from sixd.backends.llvm.target import lanes
from sixd.ir import Port, trace
from sixd.ir.passes import fuse
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from tests.backends.compiled import compiled, float32_loop, gufunc_of

quick = pytest.mark.skipif(not vectorcall.available(), reason="objects have another layout here")


@vectorcall.single_calls
class Counted:
    """A compiled function that counts the calls which did not go straight to machine code."""

    def __init__(self, function, *shapes, nonzero=(), result=tuple):
        self.program = trace(function, [Port(f"x{k}", shape) for k, shape in enumerate(shapes)], "test")
        module = compiled(emit(fuse(self.program), lanes()))
        ports = self.program.inputs, self.program.outputs
        self.gufunc, self.keep = gufunc_of(module, *ports, float32_loop(self.program, lanes()))
        self.slow = 0
        named = [(port.name, port.shape) for port in ports[0]], [port.shape for port in ports[1]]
        call, state = call_module().address("call"), module.address("one_state")
        options = {"nonzero": nonzero, "result": result}
        self.also_keep = module, vectorcall.attach(self, call, state, *named, **options)

    def __call__(self, *arrays, **options):
        self.slow += 1
        arrays += tuple(options.pop(name) for name in [f"x{k}" for k in range(9)] if name in options)
        return self.gufunc(*arrays, **options)


def mixed(x, A, s):
    """Outputs of every rank, angles that depend on angles, functions of the C library."""
    turned = [ops.sin(x[k] + ops.cos(x[k] * s[0])) for k in range(5)]
    square = [A[3 * (k % 2) + k % 3] * turned[k % 5] + ops.arctan2(x[k % 5], s[0]) for k in range(6)]
    return [
        ("v", (5,), turned),
        ("n", (), [ops.sqrt(ops.absolute(x[0])) + turned[1] * turned[2]]),
        ("M", (2, 3), square),
    ]


def arguments(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=5), rng.normal(size=(2, 3)), np.array(rng.normal())


def straight(kernel, *arrays, **options):
    """The result of a call that must not go the slow way."""
    before = kernel.slow
    result = kernel(*arrays, **options)
    assert kernel.slow == before
    return result


def slowly(kernel, *arrays, **options):
    before = kernel.slow
    result = kernel(*arrays, **options)
    assert kernel.slow == before + 1
    return result


# ---- the same results as the gufunc


@quick
@pytest.mark.parametrize("seed", range(5))
def test_bits_are_those_of_the_batch(kernel, seed):
    args = arguments(seed)
    single = straight(kernel, *args)
    batch = kernel.gufunc(*(np.stack([a] * 11) for a in args))
    alone = kernel.gufunc(*args)
    assert isinstance(single, tuple)
    for found, many, one, port in zip(single, batch, alone, kernel.program.outputs, strict=True):
        assert type(found) is type(one)
        assert found.shape == port.shape
        assert found.dtype == np.float64
        assert found.tobytes() == many[7].tobytes() == one.tobytes()


@quick
def test_an_output_without_axes_is_a_numpy_number(kernel):
    assert type(straight(kernel, *arguments())[1]) is np.float64


@quick
def test_arrays_are_new_and_own_their_memory(plain):
    x = np.ones(3)
    first, second = straight(plain, x, x), straight(plain, x, x)
    assert type(first) is np.ndarray
    assert first.flags.owndata
    assert first.flags.writeable
    assert first.flags.c_contiguous
    first[:] = 7.0
    np.testing.assert_array_equal(second, 2.0)
    np.testing.assert_array_equal(x, 1.0)


@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "kinetic_energy", "inverse_mass_matrix"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_robots(name, seed):
    model = sixd.Robot.of(random_tree(9, seed, joints=sorted(JOINTS), rotors=True, passive=True))
    compiled = sixd.compile(getattr(algorithms, name), model)
    rng = np.random.default_rng(seed)
    known = {"q": model.random(rng, 5), **{n: rng.normal(size=(5, model.nv)) for n in ("qd", "qdd", "tau")}}
    args = [known[port.name] for port in compiled.inputs]
    batch = compiled.gufunc(*args)
    for k in range(5):
        assert compiled(*(a[k] for a in args)).tobytes() == batch[k].tobytes()


@quick
def test_huge_angles_and_nan():
    kernel = Counted(lambda x: [("y", (18,), [f(a) for f in (ops.sin, ops.cos) for a in x])], (9,))
    x = np.linspace(-3.0, 3.0, 9)
    for special in (1e5, 1.0001e5, 1e22, np.inf, -np.inf, np.nan, -0.0):
        for place in (0, 4, 8):
            mixed_in = x.copy()
            mixed_in[place] = special
            np.testing.assert_array_equal(straight(kernel, mixed_in), kernel.gufunc(mixed_in))
    assert np.isnan(straight(kernel, np.full(9, np.nan))).all()


@quick
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 13])
def test_any_number_of_angles(count):
    """Angles are put in vectors together; some depend on others."""

    def function(x):
        first = [ops.sin(a) + ops.cos(2.0 * a) for a in x]
        return [("y", (count,), [ops.sin(a * first[0]) for a in first])]

    kernel = Counted(function, (count,))
    x = np.random.default_rng(count).normal(size=(3, count))
    np.testing.assert_array_equal([straight(kernel, row) for row in x], kernel.gufunc(x))


def test_empty_arrays():
    kernel = Counted(lambda x, e: [("y", (0,), []), ("z", (2, 0), []), ("w", (1,), [2.0 * x[0]])], (1,), (0,))
    for lead in ((), (4,)):
        results = kernel(np.ones((*lead, 1)), np.ones((*lead, 0)))
        assert [r.shape for r in results] == [(*lead, 0), (*lead, 2, 0), (*lead, 1)]
        np.testing.assert_array_equal(results[2], 2.0)
    with pytest.raises(ValueError, match=r"x1 has shape \(3,\)"):
        kernel(np.ones(1), np.ones(3))
    out = tuple(np.full((4, *shape), 9.0) for shape in ((0,), (2, 0), (1,)))
    assert kernel(np.ones((4, 1)), np.ones(0), out=out) is out
    np.testing.assert_array_equal(out[2], 2.0)


# ---- arrays to be filled, arguments by name, positions that are none


@quick
def test_an_array_to_be_filled(plain):
    x, out = np.arange(3.0), np.empty(3)
    assert straight(plain, x, x, out=out) is out
    np.testing.assert_array_equal(out, [1.0, 2.0, 5.0])
    count = sys.getrefcount(out)
    for _ in range(1000):
        plain(x, x, out=out)
    assert sys.getrefcount(out) == count


@quick
@pytest.mark.parametrize(
    "unusual",
    [
        lambda memory: memory[:3],
        lambda memory: memory[1:4],
        lambda memory: memory[2:5],
        lambda memory: np.empty(6)[::2],
        lambda memory: np.empty((1, 3))[0:1],
        lambda memory: np.empty(3, np.float64).view(type("Other", (np.ndarray,), {})),
    ],
    ids=["the input", "overlapping", "overlapping its end", "strided", "more axes", "subclass"],
)
def test_unusual_arrays_to_be_filled(plain, unusual):
    memory = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    x, out = memory[:3], unusual(memory)
    assert slowly(plain, x, np.array([2.0, 5.0, 7.0]), out=out) is out
    np.testing.assert_array_equal(np.ravel(out), [1.0, 6.0, 15.0])


@quick
def test_arrays_beside_the_inputs_can_be_filled(plain):
    memory = np.arange(9.0)
    assert straight(plain, memory[3:6], np.ones(3), out=memory[:3]) is not None
    assert straight(plain, memory[3:6], np.ones(3), out=memory[6:]) is not None
    np.testing.assert_array_equal(memory, [4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 4.0, 5.0, 6.0])


@quick
def test_what_cannot_be_filled_is_refused(plain):
    x, out = np.arange(3.0), np.empty(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plain(x, x, out=out)
    for wrong in (np.empty(4), np.empty(2), [0.0, 0.0, 0.0], 1.0):
        with pytest.raises((ValueError, TypeError)):
            plain(x, x, out=wrong)
    np.testing.assert_array_equal(straight(plain, x, x, out=None), [1.0, 2.0, 5.0])


@quick
def test_several_arrays_are_filled_by_numpy(kernel):
    args = arguments()
    out = np.empty(5), np.empty(()), np.empty((2, 3))
    slowly(kernel, *args, out=out)
    for found, wanted in zip(out, kernel(*args), strict=True):
        np.testing.assert_array_equal(found, wanted)


@quick
def test_arguments_by_name(plain):
    x, y, out = np.arange(3.0), np.array([2.0, 5.0, 7.0]), np.empty(3)
    wanted = x * y + 1.0
    np.testing.assert_array_equal(straight(plain, x, x1=y), wanted)
    np.testing.assert_array_equal(straight(plain, x1=y, x0=x), wanted)
    assert straight(plain, x1=y, out=out, x0=x) is out
    np.testing.assert_array_equal(out, wanted)
    name = "".join(["x", "1"])  # a name that Python has not made the one of its kind
    np.testing.assert_array_equal(plain(x, **{name: y}), wanted)


@quick
def test_kernels_say_what_is_wrong_with_names():
    kernel = sixd.compile(algorithms.rnea, gallery.double_pendulum())
    x = np.ones(2)
    wanted = kernel(x, x, x)
    np.testing.assert_array_equal(kernel(x, qdd=x, qd=x), wanted)
    np.testing.assert_array_equal(kernel(x, qdd=[1, 1], qd=x), wanted)
    with pytest.raises(ArgumentError, match="rnea takes q, qd, qdd: qdd is missing"):
        kernel(x, qd=x)
    with pytest.raises(ArgumentError, match="rnea takes q, qd, qdd: q is given twice"):
        kernel(x, q=x, qd=x, qdd=x)
    with pytest.raises(ArgumentError, match="tau"):
        kernel(x, x, x, tau=x)


@quick
def test_groups_that_must_not_be_zero():
    """A quaternion among the entries: where all of it is zero the slow way explains."""
    kernel = Counted(lambda x, y: [("z", (2,), [x[4] + y[0], x[0]])], (5,), (3,), nonzero=[(0, 1, 2), (1, 0, 3)])
    x, y = np.array([0.0, 0.0, 1.0, 0.0, 2.0]), np.array([0.0, 0.0, -1.0])
    np.testing.assert_array_equal(straight(kernel, x, y), [2.0, 0.0])
    np.testing.assert_array_equal(slowly(kernel, x, 0 * y), [2.0, 0.0])
    np.testing.assert_array_equal(slowly(kernel, np.array([1.0, 0.0, -0.0, 1.0, 2.0]), y), [2.0, 1.0])
    np.testing.assert_array_equal(straight(kernel, x, np.array([0.0, np.nan, 0.0])), [2.0, 0.0])


# ---- what goes the slow way


@quick
@pytest.mark.parametrize(
    "unusual",
    [
        lambda x: x.tolist(),
        lambda x: x[None],
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.view(type("Other", (np.ndarray,), {})),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(float),
    ],
    ids=["list", "batch", "strided", "backwards", "byte order", "subclass", "unaligned"],
)
def test_unusual_arguments(plain, unusual):
    x, y = np.arange(3.0), np.array([2.0, 5.0, 7.0])
    for args in ((unusual(x), y), (y, unusual(x))):
        result = slowly(plain, *args)
        np.testing.assert_array_equal(np.ravel(result), x * y + 1.0)
        assert result.dtype == np.float64


@quick
def test_single_precision_in_gives_single_precision_out(plain):
    x = np.ones(3, np.float32)
    assert slowly(plain, x, x).dtype == np.float32
    assert slowly(plain, x, np.ones(3)).dtype == np.float64
    np.testing.assert_array_equal(slowly(plain, np.arange(3), np.arange(3)), [1.0, 2.0, 5.0])


@quick
def test_numbers_for_inputs_without_axes(kernel):
    x, A, s = arguments()
    for found, wanted in zip(slowly(kernel, x, A, float(s)), straight(kernel, x, A, s), strict=True):
        np.testing.assert_array_equal(found, wanted)


@quick
def test_read_only_inputs_are_quick(plain):
    x = np.arange(3.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(straight(plain, x, x), [1.0, 2.0, 5.0])


@quick
def test_arrays_from_a_pickle_are_quick(plain):
    """Their dtype is another object than that of new arrays."""
    x = pickle.loads(pickle.dumps(np.arange(3.0)))
    assert x.dtype is not np.dtype(np.float64)
    np.testing.assert_array_equal(straight(plain, x, x, out=x.copy()), [1.0, 2.0, 5.0])


@quick
def test_options(plain):
    x, out = np.arange(3.0), np.empty(3)
    assert slowly(plain, x, x, out) is out, "NumPy takes it in this place too"
    with pytest.raises(TypeError, match="unexpected keyword"):
        plain(x, x, nonsense=1)


def test_mistakes_are_named():
    compiled = sixd.compile(algorithms.rnea, gallery.seven_axis_arm())
    x = np.zeros(7)
    with pytest.raises(ShapeError, match=r"qd has shape \(6,\), but \(..., 7\) is needed"):
        compiled(x, np.zeros(6), x)
    with pytest.raises(ShapeError, match=r"qdd has shape \(\)"):
        compiled(x, x, np.array(1.0))
    for wrong in ((), (x,), (x, x), (x,) * 5):
        with pytest.raises(TypeError, match=r"takes from 3 to 4 positional arguments"):
            compiled(*wrong)
    with pytest.raises(TypeError):
        compiled(x, x, "text")
