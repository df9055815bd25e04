"""Makes a NumPy generalised ufunc from the addresses of its inner loops: through NumPy's C API, with no C compiler."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from sixd.backends.llvm.on_demand import InnerLoop
from sixd.errors import SixdError
from sixd.ir import Port

__all__ = ["make_gufunc"]

#: The index of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of ufunc functions, fixed by its binary interface.
_FROM_SIGNATURE = 31
_PY_UFUNC_NONE = -1
#: The offset of PyUFuncObject.obj, a pointer to an object that the ufunc keeps alive.
_OBJ = object.__basicsize__ + 72
Ports = tuple[Port, ...]


@cache
def _from_signature() -> Any:
    from numpy._core import _multiarray_umath as umath  # type: ignore[attr-defined]

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(get(umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    pointers = ctypes.POINTER(ctypes.c_void_p)
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        pointers,  # the loops
        pointers,  # their data
        ctypes.c_char_p,  # types, ntypes * nargs
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,  # identity
        ctypes.c_char_p,  # name
        ctypes.c_char_p,  # documentation
        ctypes.c_int,
        ctypes.c_char_p,  # signature
    )
    return prototype(table[_FROM_SIGNATURE])


def make_gufunc(
    name: str, doc: str, inputs: Ports, outputs: Ports, single: InnerLoop, double: InnerLoop
) -> tuple[Any, Any]:
    """The gufunc of two loops, in single and double precision, and an object that must live as long as it.

    Where NumPy's ufuncs are laid out as expected, the gufunc keeps that object alive itself.
    """
    if not inputs or not outputs:
        raise SixdError(f"{name} has no {'outputs' if inputs else 'arguments'}: a kernel is a function of arrays")
    sides = (",".join(f"({','.join(map(str, _padded(p)))})" for p in side) for side in (inputs, outputs))
    number = len(inputs) + len(outputs)
    loops = (ctypes.c_void_p * 2)(single.address, double.address)
    datas = (ctypes.c_void_p * 2)(single.data or None, double.data or None)
    kinds = [np.dtype(kind).num for kind in (np.float32, np.float64) for _ in range(number)]
    types = ctypes.create_string_buffer(bytes(kinds), 2 * number)
    texts = name.encode(), doc.encode(), "->".join(sides).encode()
    pointers = ctypes.POINTER(ctypes.c_void_p)
    gufunc = _from_signature()(
        ctypes.cast(loops, pointers),
        ctypes.cast(datas, pointers),
        ctypes.cast(types, ctypes.c_char_p),
        2,
        len(inputs),
        len(outputs),
        _PY_UFUNC_NONE,
        texts[0],
        texts[1],
        0,
        texts[2],
    )
    keep = (loops, datas, types, texts, single.owner, double.owner)
    if _keeps_alive():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(keep))  # the gufunc drops this reference when it is deleted
        ctypes.c_void_p.from_address(id(gufunc) + _OBJ).value = id(keep)
    if all(port.size for port in (*inputs, *outputs)):
        return gufunc, keep
    return _WithEmptyPorts(gufunc, inputs, outputs), keep


@cache
def _keeps_alive() -> bool:
    """Whether a ufunc has the object that it keeps alive at the offset `_OBJ`."""

    def function(x: Any) -> Any:
        return x

    ufunc = np.frompyfunc(function, 1, 1)
    known = type(ufunc).__basicsize__ >= _OBJ + ctypes.sizeof(ctypes.c_void_p)
    return known and ctypes.c_void_p.from_address(id(ufunc) + _OBJ).value == id(function)


def _padded(port: Port) -> tuple[int, ...]:
    return tuple(max(extent, 1) for extent in port.shape)


class _WithEmptyPorts:
    """A gufunc with arrays that have no entries. NumPy's signatures allow no empty axes: inside, they have length 1."""

    def __init__(self, gufunc: Any, inputs: Ports, outputs: Ports) -> None:
        self.gufunc, self.inputs, self.outputs = gufunc, inputs, outputs
        self.nin, self.nout, self.signature = gufunc.nin, gufunc.nout, gufunc.signature

    def __call__(self, *arrays: Any, out: Any = None, **options: Any) -> Any:
        padded = [self._pad(port, array) for port, array in zip(self.inputs, arrays, strict=False)]
        results = self.gufunc(*padded, *arrays[len(padded) :], **options)
        results = results if len(self.outputs) > 1 else (results,)
        cut = [r[(..., *map(slice, port.shape))] for r, port in zip(results, self.outputs, strict=True)]
        if out is not None:
            for target, values in zip(out if isinstance(out, tuple) else (out,), cut, strict=True):
                target[...] = values
            return out
        return tuple(cut) if len(cut) > 1 else cut[0]

    def _pad(self, port: Port, array: Any) -> Any:
        if port.size:
            return array
        array = np.asarray(array)
        lead = array.shape[: array.ndim - len(port.shape)]
        if array.shape != (*lead, *port.shape):
            needed = ", ".join(["...", *map(str, port.shape)])
            raise ValueError(f"{port.name} has shape {array.shape}, but ({needed}) is needed")
        return np.zeros((*lead, *_padded(port)), array.dtype)
