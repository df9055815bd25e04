"""Objects whose calls go straight to machine code: no Python function runs, and no tuple of arguments is made.

The class gets a slot in each object for a C function ("vectorcall", PEP 590). The function comes from
`sixd.backends.llvm.call`. It reads the fields of arrays at the offsets below, which are those of the public structures
of NumPy 2. They are compared with real arrays first (`available`). Where they differ, the class is not changed, its
objects are called through ``__call__`` as usual, and one warning says why. All else, such as tuples, differs between
versions of CPython: that is left to functions of its stable interface.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Sequence
from functools import cache
from inspect import signature
from math import prod
from types import MethodType
from typing import Any, TypeVar

import numpy as np

from sixd.errors import SixdError
from sixd.process.told import warn

__all__ = [
    "ARRAY",
    "BASE",
    "DTYPE",
    "FLOAT64",
    "NATIVE",
    "OBJECT_TYPE",
    "SLOTS",
    "attach",
    "available",
    "obstacle",
    "single_calls",
]

#: The bytes that every object begins with: a count of references and its type. Builds without the GIL have more.
_OBJECT = 16
#: Offsets of fields: in PyObject, in PyArray_Descr, in PyArrayObject_fields.
OBJECT_TYPE = 8
DTYPE = {"order": 26, "number": 28}
ARRAY = {"data": 16, "nd": 24, "dimensions": 32, "strides": 40, "descr": 56, "flags": 64}
#: The slots of an object with single calls: pointers, from the offset ``BASE`` on. They hold what is particular to the
#: object (see `sixd.backends.llvm.call`) and the addresses of Python's and NumPy's functions in this process. So the
#: machine code itself contains no addresses, and can be stored on disk.
BASE = 64
SLOTS = (
    "vectorcall",
    "single",
    "data",
    "plan",
    "nonzero",
    "slow",
    "named",
    "None",
    "ndarray",
    "float64",
    "PyArray_NewFromDescr",
    "PyArray_Scalar",
    "PyErr_Occurred",
    "PyMethod_New",
    "PyObject_Vectorcall",
    "PyTuple_GetItem",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyTuple_Size",
    "Py_DecRef",
    "Py_IncRef",
    "tuple_new",
)
#: NumPy's number of float64, and its sign for the machine's order of bytes.
FLOAT64, NATIVE = 12, ord("=")
#: Indices in NumPy's table of functions, fixed by its binary interface.
_NUMPY = {"PyArray_GetNDArrayCVersion": 0, "PyArray_Scalar": 60, "PyArray_NewFromDescr": 94}
_NUMPY_ABI = 0x02000000
#: Constants of CPython's stable binary interface.
_TP_CALL, _TP_NEW, _TP_MEMBERS, _BASETYPE, _HAVE_VECTORCALL, _PYSSIZET, _READONLY = 50, 65, 72, 1 << 10, 1 << 11, 19, 1

Class = TypeVar("Class", bound=type)


def available() -> bool:
    """Whether objects can be called straight: this interpreter and NumPy lay out theirs as the emitted code expects."""
    return not obstacle()


@cache
def obstacle() -> str:
    """Why objects cannot be called straight here; an empty text if they can."""
    if sys.implementation.name != "cpython":
        return f"this Python is {sys.implementation.name}, not CPython"
    if object.__basicsize__ != _OBJECT or struct.calcsize("P") != 8:
        return "objects of this build of Python begin in another way (it has no GIL, or not 64 bits)"
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(_numpy_function("PyArray_GetNDArrayCVersion"))
    read_only = np.arange(24.0).reshape(2, 3, 4)[:, ::-1]
    read_only.flags.writeable = False
    samples = (np.zeros(3), np.ones((2, 5), np.float32).T, np.array(1.0), read_only)
    kinds = map(np.dtype, ("=f8", ">f8", "<f8", "f4", "i8", "V3"))
    if (
        version() != _NUMPY_ABI
        or np.ndarray.__basicsize__ < ARRAY["flags"] + 8
        or not all(map(_as_expected, samples))
        or not all(map(_is_dtype_as_expected, kinds))
    ):
        return (
            f"sixd does not know how NumPy {np.__version__} lays out its arrays on Python {platform.python_version()}"
        )
    return ""


@cache
def _tell(obstacle: str) -> None:
    """Say once that calls are slower than they could be."""
    text = f"each call for one state takes some microseconds more than it need (batches take no longer): {obstacle}"
    warn(text, RuntimeWarning)


def _as_expected(array: Any) -> bool:
    """Whether the fields of an array are at the expected offsets."""

    def field(name: str, kind: Any = ctypes.c_void_p) -> Any:
        return kind.from_address(id(array) + ARRAY[name]).value

    def extents(name: str) -> tuple[int, ...]:
        return tuple((ctypes.c_ssize_t * array.ndim).from_address(field(name))) if array.ndim else ()

    return bool(
        ctypes.c_void_p.from_address(id(array) + OBJECT_TYPE).value == id(type(array))
        and field("data") == array.ctypes.data
        and field("nd", ctypes.c_int) == array.ndim
        and extents("dimensions") == array.shape
        and extents("strides") == array.strides
        and field("descr") == id(array.dtype)
        and field("flags", ctypes.c_int) == array.flags.num
    )


def _is_dtype_as_expected(dtype: Any) -> bool:
    """Whether the number and the order of bytes of a dtype are at the expected offsets."""
    number = ctypes.c_int.from_address(id(dtype) + DTYPE["number"]).value
    order = ctypes.c_char.from_address(id(dtype) + DTYPE["order"]).value
    known = dtype.num == FLOAT64 and dtype.byteorder == chr(NATIVE)
    return number == dtype.num and order == dtype.byteorder.encode() and known == (dtype == np.dtype(np.float64))


def _numpy_function(name: str) -> int:
    from numpy._core import _multiarray_umath as umath  # type: ignore[attr-defined]

    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return int(ctypes.cast(get(umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))[_NUMPY[name]])


class _Member(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    ]


#: Memory that the types made here refer to. It must never be freed.
_kept: list[Any] = []


def single_calls(cls: Class) -> Class:
    """A class decorator: calls of an object go through a slot that `attach` fills, if that is `available`.

    ``__call__`` of the class then gets only the calls that the machine code does not take.
    """
    if not available():
        return cls
    if cls.__basicsize__ > BASE:
        raise SixdError(f"objects of {cls.__name__} take {cls.__basicsize__} bytes; vectorcall.BASE must be no less")
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _PYSSIZET, BASE, _READONLY, None), _Member())
    call = ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p).value
    slots = (_Slot * 3)(_Slot(_TP_CALL, call), _Slot(_TP_MEMBERS, ctypes.addressof(members)), _Slot())
    name = f"{cls.__module__}.{cls.__qualname__}".encode()
    spec = _Spec(name, BASE + 8 * len(SLOTS), 0, _BASETYPE | _HAVE_VECTORCALL, slots)
    _kept.append((members, slots, spec))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object)(
        ("PyType_FromSpecWithBases", ctypes.pythonapi)
    )
    made = make(ctypes.addressof(spec), (cls,))
    made.__doc__, made.__module__, made._plain = cls.__doc__, cls.__module__, cls
    return made


def attach(
    owner: Any,
    call: int,
    single: int,
    inputs: Sequence[tuple[str, tuple[int, ...]]],
    outputs: Sequence[tuple[int, ...]],
    data: int = 0,
    nonzero: Sequence[tuple[int, int, int]] = (),
    result: type[tuple[Any, ...]] = tuple,
) -> Any:
    """Let the calls of an object run machine code: the function at address ``call`` of `sixd.backends.llvm.call`.

    That function calls the one at ``single``, with ``data``, if the arguments have these names and shapes. ``nonzero``
    are groups of entries that must not all be zero: (input, first entry, number of entries). Several outputs come back
    in a ``result``: a tuple or a class of named tuples. The class of the object must be decorated with `single_calls`;
    if that had no effect, this has none, and one warning says why. Returns an object that must live as long as
    ``owner``.
    """
    plain = getattr(type(owner), "_plain", None)
    if plain is None:
        _tell(obstacle())
        return None
    slow = plain.__call__
    names = [sys.intern(name) for name in (*(name for name, _ in inputs), "out")]
    ports = [n for shape in (*(shape for _, shape in inputs), *outputs) for n in (len(shape), 8 * prod(shape), *shape)]
    plan = np.array([len(inputs), len(outputs), *map(id, names), *ports], dtype=np.int64)
    groups = np.array([len(nonzero), *(n for group in nonzero for n in group)], dtype=np.int64)
    known = {"vectorcall": call, "single": single, "data": data, "plan": plan.ctypes.data, "slow": id(slow)}
    known["nonzero"] = groups.ctypes.data if nonzero else 0
    known["named"] = 0 if result is tuple else id(result)
    known |= _process()
    place = (ctypes.c_void_p * len(SLOTS)).from_address(id(owner) + BASE)
    place[:] = [known[name] for name in SLOTS]
    owner.__signature__ = signature(MethodType(slow, owner))  # for `inspect`: a vectorcall type has no signature
    return slow, names, plan, groups, result


@cache
def _process() -> dict[str, int]:
    """The addresses of the types and functions that single calls need."""
    found = {"None": id(None), "ndarray": id(np.ndarray), "float64": id(np.dtype(np.float64))}
    slot_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_int)(("PyType_GetSlot", ctypes.pythonapi))
    found["tuple_new"] = slot_of(tuple, _TP_NEW)
    for name in SLOTS:
        if name in _NUMPY:
            found[name] = _numpy_function(name)
        elif name.startswith("Py"):  # what belongs to CPython's stable interface needs no layout
            found[name] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return found
