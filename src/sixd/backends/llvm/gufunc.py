"""A NumPy generalised ufunc from the address of its inner loop, through NumPy's C API; no C compiler is needed."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from sixd.ir import Port

__all__ = ["make_gufunc"]

#: PyUFunc_FromFuncAndDataAndSignature's place in NumPy's table of ufunc functions, fixed by its binary interface.
_FROM_SIGNATURE = 31
_PY_UFUNC_NONE = -1


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
    name: str, doc: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], single: int, double: int
) -> tuple[Any, Any]:
    """The gufunc from the addresses of its loops in single and double precision, and what must live as long as it."""
    signature = "->".join(",".join(f"({','.join(map(str, p.shape))})" for p in side) for side in (inputs, outputs))
    number = len(inputs) + len(outputs)
    loops, data = (ctypes.c_void_p * 2)(single, double), (ctypes.c_void_p * 2)(None, None)
    kinds = [np.dtype(kind).num for kind in (np.float32, np.float64) for _ in range(number)]
    types = ctypes.create_string_buffer(bytes(kinds), 2 * number)
    texts = name.encode(), doc.encode(), signature.encode()
    pointers = ctypes.POINTER(ctypes.c_void_p)
    gufunc = _from_signature()(
        ctypes.cast(loops, pointers),
        ctypes.cast(data, pointers),
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
    return gufunc, (loops, data, types, texts)
