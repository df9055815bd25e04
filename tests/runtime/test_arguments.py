"""What kernels and robots take for arrays: numbers from many containers, but none that mean something else."""

import sys
from types import ModuleType

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ShapeError, algorithms, gallery

ARM = gallery.seven_axis_arm()


@pytest.fixture(scope="module", params=[False, True], ids=["unrolled", "rolled"])
def kernel(request):
    return sixd.compile(algorithms.rnea, ARM, rolled=request.param)


def states(n=7):
    return np.random.default_rng(0).normal(size=(3, n, 7))


class Container(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another library, which answers NumPy's functions itself."""

    def __init__(self, data):
        self.data = data

    @property
    def shape(self):
        return self.data.shape

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return NotImplemented


class Transposing(Container):
    """As pandas does, whose blocks are columns: functions of whole rows get columns."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return getattr(ufunc, method)(*(np.asarray(x).T for x in inputs), **options).T


class Frame(Transposing):
    __module__ = "pandas.core.frame"


class MyFrame(Frame):
    """Made from a type of pandas."""


class DataArray(Container):
    __module__ = "xarray.core.dataarray"


class Quantity(Container):
    unit = "deg"


class OtherQuantity(Container):
    def __init__(self, data):
        super().__init__(data)
        self.units = None


class Subclass(np.ndarray):
    pass


class WithUnit(np.ndarray):
    """An array with units, as Astropy's."""

    unit = "deg"


def matrix(array):
    return array.view(np.matrix)  # its constructor warns


@pytest.mark.parametrize("make", [Frame, MyFrame, DataArray, np.ma.array, matrix, list, np.ndarray.tolist])
def test_arrays_are_taken_by_position(kernel, make):
    state = states()
    wanted = kernel(*state)
    found = kernel(*map(make, state))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(kernel(state[0], make(state[1]), state[2]), wanted)
    np.testing.assert_array_equal(ARM.inverse_dynamics(*map(make, state)), ARM.inverse_dynamics(*state))


def test_matrices_give_results_with_more_axes():
    q = states()[0]
    mass = sixd.compile(algorithms.crba, ARM)
    np.testing.assert_array_equal(mass(matrix(q)), mass(q))


def test_subclasses_stay_what_they_are(kernel):
    state = states()
    found = kernel(*(array.view(Subclass) for array in state))
    assert type(found) is Subclass
    np.testing.assert_array_equal(np.asarray(found), kernel(*state))


@pytest.mark.parametrize("make", [Quantity, OtherQuantity, lambda array: array.view(WithUnit)])
@pytest.mark.parametrize("place", [0, 2])
def test_units_are_refused(kernel, make, place):
    state = list(states())
    state[place] = make(state[place])
    for call in (kernel, ARM.inverse_dynamics):
        with pytest.raises(ArgumentError, match=f"{['q', 'qd', 'qdd'][place]} has units: give its numbers alone"):
            call(*state)


def test_masked_entries_are_refused(kernel):
    state = states()
    masked = np.ma.array(state[1], mask=np.eye(7))
    for call in (kernel, ARM.inverse_dynamics):
        with pytest.raises(ArgumentError, match=r"qd has masked entries.* give qd\.filled\(np\.nan\)"):
            call(state[0], masked, state[2])
        assert np.isnan(call(state[0], masked.filled(np.nan), state[2])).any(axis=-1).all()


def test_forces_are_looked_at_too():
    state, force = states(), np.ma.array(np.ones(6), mask=[0, 0, 1, 0, 0, 0])
    with pytest.raises(ArgumentError, match=r"f_ext\['flange'\] has masked entries"):
        ARM.inverse_dynamics(*state, f_ext={"flange": force})


def test_other_containers_are_named(kernel):
    state = states()
    with pytest.raises(ArgumentError, match=r"qdd is a tests\.runtime\.test_arguments\.Container, .* give its numbers"):
        kernel(state[0], state[1], Container(state[2]))


@pytest.mark.parametrize("kind", [complex, object, str, np.longdouble, "timedelta64[s]"])
def test_other_numbers_are_named(kernel, kind):
    if np.dtype(kind) == np.float64:
        pytest.skip("no longer than double here")
    state = states()
    with pytest.raises(ArgumentError, match=r"qd has numbers of type .*, but float64 or what fits in it is needed"):
        kernel(state[0], state[1].astype(kind), state[2])


def test_containers_that_take_gufuncs_do(kernel):
    class Counting(Container):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            assert ufunc is kernel.gufunc
            return "counted", getattr(ufunc, method)(*map(np.asarray, inputs), **options)

    state = states()
    said, found = kernel(Counting(state[0]), *state[1:])
    assert said == "counted"
    np.testing.assert_array_equal(found, kernel(*state))


def test_no_library_is_imported_for_it(kernel, monkeypatch):
    for name in ("dask", "pandas", "xarray"):
        monkeypatch.setitem(sys.modules, name, None)
    kernel(*map(Frame, states()))
    kernel(*states().tolist())


@pytest.fixture(scope="module")
def dask() -> ModuleType:
    return pytest.importorskip("dask.array")


@pytest.mark.parametrize("chunk", [1, 3, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dask_arrays_are_computed_later(dask, kernel, chunk, dtype):
    state = states(10).astype(dtype)
    lazy = [dask.from_array(array, chunks=(chunk, 7)) for array in state]
    found = kernel(*lazy)
    assert isinstance(found, dask.Array)
    assert (found.shape, found.dtype, found.chunks) == ((10, 7), dtype, lazy[0].chunks)
    np.testing.assert_array_equal(found.compute(), kernel(*state))  # the same bits in any chunk
    mixed = kernel(lazy[0], state[1, 0], state[2].tolist())
    wanted = kernel(state[0], state[1, 0], state[2].tolist())
    assert mixed.dtype == wanted.dtype
    np.testing.assert_array_equal(mixed.compute(), wanted)


def test_dask_arrays_of_results_with_other_shapes(dask):
    q = states(6)[0]
    lazy = dask.from_array(q, chunks=(2, 7))
    for algorithm, fixed in ((algorithms.crba, {}), (algorithms.potential_energy, {}), (algorithms.pose, {"body": 7})):
        call = sixd.compile(algorithm, ARM, **fixed)
        found, wanted = call(lazy), call(q)
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found.compute(), wanted)
    several = sixd.compile(lambda model, q: (algorithms.crba(model, q), algorithms.potential_energy(model, q)), ARM)
    for found, wanted in zip(several(lazy), several(q), strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found.compute(), wanted)


def test_dask_arrays_with_wrong_shapes(dask, kernel):
    state = states(6)
    lazy = [dask.from_array(array, chunks=(2, 7)) for array in state]
    with pytest.raises(ShapeError, match=r"qd has shape \(6, 6\), but \(\.\.\., 7\) is needed"):
        kernel(lazy[0], lazy[1][:, :6], lazy[2])
    cut = [array.rechunk((2, 4)) for array in lazy]
    np.testing.assert_array_equal(kernel(*cut).compute(), kernel(*state))
    with pytest.raises(ValueError, match="consists of multiple chunks"):
        kernel(*cut, allow_rechunk=False)
