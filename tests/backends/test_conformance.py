"""Every algorithm by every backend against the interpreter, which is the definition. A backend is a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sixd
from sixd.compiler.taped import compile_taped
from tests.algorithms.calls import ALGORITHMS, TASKS, compile_algorithm, is_constrained, robot, robot_for, state
from tests.backends.c_compiler import Library, c_library_functions, needs_gcc

__all__ = ["c_library_functions"]

Arrays = Sequence[np.ndarray]


class Backend(NamedTuple):
    """A way to run a kernel of some kind on samples (n, ...), and in which precision; None: to the bit."""

    run: Callable[[sixd.Kernel, Arrays, Path], Sequence[np.ndarray]]
    kind: str
    precision: type[np.floating[Any]] | None


def machine_code(kernel: sixd.Kernel, arguments: Arrays, folder: Path) -> Sequence[np.ndarray]:
    return _several(kernel(*arguments))


def single_precision(kernel: sixd.Kernel, arguments: Arrays, folder: Path) -> Sequence[np.ndarray]:
    found = _several(kernel(*(x.astype(np.float32) for x in arguments)))
    assert all(x.dtype == np.float32 for x in found)
    return found


def c(kernel: sixd.Kernel, arguments: Arrays, folder: Path) -> Sequence[np.ndarray]:
    function = Library(kernel.to_c(), folder)
    samples = [function(kernel.outputs, *(x[k] for x in arguments)) for k in range(len(arguments[0]))]
    return [np.array(part) for part in zip(*samples, strict=True)]


BACKENDS = {
    "LLVM": Backend(machine_code, "unrolled", np.float64),
    "LLVM in single precision": Backend(single_precision, "unrolled", np.float32),
    "LLVM with loops": Backend(machine_code, "rolled", np.float64),
    "LLVM with loops in single precision": Backend(single_precision, "rolled", np.float32),
    "LLVM from a tape": Backend(machine_code, "taped", np.float64),
    "LLVM from a tape in single precision": Backend(single_precision, "taped", np.float32),
    "C": Backend(c, "unrolled", None),
    "C with loops": Backend(c, "rolled", None),
}
#: What is solved with the mass matrix loses digits with its condition.
SOLVES = (
    *("aba", "forward_dynamics_crba", "forward_dynamics_naive"),
    *("inverse_mass_matrix", "relative_pivots"),
    *("hybrid_dynamics", "relative_pivots_of_hybrid", *TASKS),
    "inverse_operational_inertia",
)
#: A tape is run in single precision by the code that runs it in double, on numbers of another type.
LONG = {"LLVM from a tape in single precision": pytest.mark.slow}
CASES = [
    pytest.param(name, backend, marks=needs_gcc if BACKENDS[backend].run is c else LONG.get(backend, ()))
    for name, algorithm in ALGORITHMS.items()
    for backend in BACKENDS
    if BACKENDS[backend].kind != "rolled" or algorithm.can_be_rolled(coupled=False)
]


def _several(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(("name", "backend"), CASES)
@pytest.mark.usefixtures("c_library_functions")
def test_the_interpreter_s_numbers(name, backend, tmp_path):
    own = name in ("screw_jacobian", *TASKS) or is_constrained(name)
    model = robot_for(name) if own else robot(("revolute", "prismatic"))
    run, kind, precision = BACKENDS[backend]
    kernel = compile_algorithm(name, model, rolled=kind == "rolled")
    if kind == "taped":
        kernel = compile_taped(kernel.origin.request)
    assert kernel.kind == kind
    given = state(name, model, 5)
    arguments = [given[port.name] for port in kernel.inputs]
    found, defined = run(kernel, arguments, tmp_path), _several(kernel.interpret(*arguments))
    condition = np.linalg.cond(model.mass_matrix(given["q"])).max() if name in SOLVES else 1.0
    if name == "constrained_reduced_dynamics":  # H is the inverse of a block of W, at random positions an ill one
        condition = np.linalg.cond(defined[0]).max()
    for part, value, port in zip(found, defined, kernel.outputs, strict=True):
        assert part.shape == (5, *port.shape)
        if precision is None:
            np.testing.assert_array_equal(part, value)
        else:
            bound = 100 * condition * np.finfo(precision).eps * max(np.nanmax(np.abs(value)), 1.0)
            np.testing.assert_allclose(part, value, rtol=0, atol=bound)
