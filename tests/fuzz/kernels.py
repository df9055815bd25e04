"""Kernels called in all ways, on random robots and numbers, against the interpreter.

    python -m tests.fuzz kernels --seconds 10 --seed 0

A call is wrong if a number differs from the interpreter's by more than rounding, if NaN is where it is not (or the
reverse), or if anything but a `SixdError` is raised. Batches have any shape and strides, some samples have NaN or
infinities, some calls are in single precision, with ``out=``, in threads.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from typing import Any

import numpy as np

import sixd
from sixd.compiler.taped import compile_taped
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from tests.algorithms.calls import ALGORITHMS, TASKS, compile_algorithm, state, suited

__all__ = ["BAD", "NAMES", "run"]

NAMES = ("tried", "wrong", "crashed", "kernels")
BAD = ("wrong", "crashed")

#: Calls of one kernel: compiling takes as long as thousands of them.
CALLS = 2_000
#: Algorithms that solve with the mass matrix, and lose digits with its condition.
SOLVES = (
    *("aba", "forward_dynamics_crba", "forward_dynamics_naive", "inverse_mass_matrix", "relative_pivots"),
    *("hybrid_dynamics", "relative_pivots_of_hybrid"),
    *("inverse_operational_inertia", "inverse_operational_inertia_of_frames", "sectional_curvature"),
)
#: Joints that every algorithm takes, and that move by one screw for each coordinate.
PLAIN = ("helical", "prismatic", "revolute")
SHAPES = ((), (1,), (2,), (7,), (8,), (9,), (16,), (17,), (40,), (3, 5), (2, 1, 9), (0,), (4, 0), (130,))


def run(seconds: float, seed: int, cases: int | None = None) -> dict[str, int]:
    """Call kernels for so long, or ``cases`` times: how many calls were tried, how many were wrong or crashed."""
    rng, counts = np.random.default_rng(seed), Counter(dict.fromkeys(NAMES, 0))
    end = time.monotonic() + seconds

    def is_over() -> bool:
        return time.monotonic() >= end if cases is None else counts["tried"] >= cases

    while not is_over():
        name, kernel, robot = _kernel(rng)
        if kernel is None:
            continue
        counts["kernels"] += 1
        for _ in range(CALLS):
            if is_over():
                break
            counts["tried"] += 1
            try:
                problem = _call(name, kernel, robot, rng)
            except Exception:  # whatever it is, it is a finding
                counts["crashed"] += 1
                print(f"{name} on {robot.name!r}, {kernel!r}:\n{traceback.format_exc()}", file=sys.stderr)
                continue
            if problem:
                counts["wrong"] += 1
                print(f"{name} on {[j.type.name for j in robot.joints]}, {kernel!r}: {problem}", file=sys.stderr)
    return dict(counts)


def _kernel(rng: np.random.Generator) -> tuple[str, sixd.Kernel | None, sixd.Robot]:
    """A kernel of a random algorithm and kind for a random robot; None where the algorithm cannot be rolled."""
    name = str(
        rng.choice([name for name in ALGORITHMS if name not in TASKS])
    )  # near singular positions no digits agree
    rolled = bool(rng.random() < 0.4)
    few = name == "screw_jacobian" or rolled or rng.random() < 0.5
    kinds = PLAIN if few else tuple(sorted(kind for kind in JOINTS if JOINTS[kind].__module__.startswith("sixd.")))
    tree = random_tree(int(rng.integers(1, 6)), int(rng.integers(1 << 30)), joints=kinds, rotors=True, passive=True)
    robot = suited(name, sixd.Robot.of(tree))
    try:
        kernel = compile_algorithm(name, robot, rolled=rolled)
        if not rolled and rng.random() < 0.4:
            kernel = compile_taped(kernel.origin.request)
        return name, kernel, robot
    except sixd.SixdError:
        return name, None, robot


def _call(name: str, kernel: sixd.Kernel, robot: sixd.Robot, rng: np.random.Generator) -> str:
    """One call in a random way; what is wrong with its result, or ""."""
    lead = SHAPES[rng.integers(len(SHAPES))]
    given = state(name, robot, lead, int(rng.integers(1 << 30)))
    arrays = [_in_some_way(given[port.name], port.shape, rng) for port in kernel.inputs]
    single = bool(rng.random() < 0.2)
    if single:
        arrays = [array.astype(np.float32) for array in arrays]
    sixd.set_threads(int(rng.integers(1, 3)))
    found = kernel(*arrays)
    defined = kernel.interpret(*arrays)
    if rng.random() < 0.3:
        parts = found if isinstance(found, tuple) else (found,)
        out = tuple(np.full_like(part, -7.0) for part in parts)
        again = kernel(*arrays, out=out if len(out) > 1 else out[0]) if parts[0].ndim else found
        if not all(map(_same_bits, again if isinstance(again, tuple) else (again,), parts)):
            return "out= gives other bits"
    condition = 1.0
    if name in SOLVES:
        with np.errstate(all="ignore"):
            H = robot.mass_matrix(np.where(np.isfinite(given["q"]), given["q"], 0.0))
            condition = float(np.linalg.cond(H).max(initial=1.0))
            if name == "sectional_curvature":  # of a plane, which vectors that are nearly parallel hardly tell
                condition *= _flatness(H, given["u"], given["v"])
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    for part, exact in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, defined)), strict=True):
        problem = _differs(np.asarray(part), np.asarray(exact), 1e3 * eps * condition, single)
        if problem:
            return f"{problem} (lead {lead}, {'float32' if single else 'float64'})"
    return ""


def _flatness(H: Any, u: Any, v: Any) -> float:
    """The largest 1 / sin^2 of the angle between u and v, in the metric of H."""
    a, b, c = (np.einsum("...i,...ij,...j", x, H, y) for x, y in ((u, u), (v, v), (u, v)))
    sine = 1.0 - c * c / (a * b)
    return float((1.0 / sine[np.isfinite(sine)]).max(initial=1.0))


def _in_some_way(array: Any, core: tuple[int, ...], rng: np.random.Generator) -> Any:
    """The same numbers with other strides; or of fewer samples, to be broadcast; now and then with bad samples."""
    if rng.random() < 0.15 and array.size:
        array.reshape(-1)[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -np.inf])
    way, rank = rng.integers(6), array.ndim - len(core)
    if way == 0:
        return np.asfortranarray(array)
    if way == 1 and rank:
        return np.repeat(array, 2, axis=0)[::2]
    if way == 2 and rank:
        return array[::-1]
    if way == 3 and rank and array.shape[0] > 0:
        return array[:1]  # to be broadcast
    if way == 4:
        wide = np.full((*array.shape[:-1], 2 * array.shape[-1] + 1), 7.0)
        wide[..., 1::2] = array
        return wide[..., 1::2]
    return array


def _same_bits(a: Any, b: Any) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _differs(found: Any, exact: Any, bound: float, single: bool) -> str:
    """What is wrong with a result, entries of a sample measured by the largest of them; "" if nothing is."""
    if found.shape != exact.shape:
        return f"shape {found.shape}, not {exact.shape}"
    if not np.array_equal(np.isnan(found), np.isnan(exact)):
        return "NaN in other places"
    known = np.isfinite(exact)
    scale = max(float(np.abs(exact[known]).max(initial=0.0)), 1.0)
    worst = float(np.abs(found[known] - exact[known]).max(initial=0.0)) / scale
    return (
        "" if worst <= bound or (single and bound > 0.1) else f"off by {worst:.2e} of {scale:.2e}, allowed {bound:.1e}"
    )
