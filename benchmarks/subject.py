"""sixd as a contestant: compiled kernels, the methods of a robot, the interpreter of programs, and plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sixd
from benchmarks.algorithms import Algorithm, as_one
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.robots import Specimen
from sixd import algorithms
from sixd.compiler.rolled import RollError

__all__ = ["LIBRARY", "UNROLLED", "Subject"]

Array = Any

LIBRARY = "sixd"

#: The largest made-up robot whose loops are written out.
UNROLLED = 30
#: The batch that is computed in single precision too, and how much results may differ then (relative, per state).
FLOAT32, TOLERANCE32 = 10_000, 1e-4


class Subject:
    """sixd's ways to compute on one robot."""

    def __init__(self, specimen: Specimen) -> None:
        self.specimen = specimen
        self._kernels: dict[tuple[str, bool], sixd.Kernel | None] = {}

    def kernel(self, algorithm: Algorithm, rolled: bool = False) -> sixd.Kernel | None:
        """The kernel of an algorithm, compiled on first use; None if its loops cannot be kept."""
        which = algorithm.name, rolled
        if which not in self._kernels:
            options: dict[str, Any] = {"body": self.specimen.tip} if algorithm.of_body else {}
            # The list of poses is no loop: the algorithm's own result, which begins with the base, is taken.
            function = algorithms.forward_kinematics if rolled and algorithm.name == "FK" else algorithm.function
            try:
                self._kernels[which] = sixd.compile(function, self.specimen.robot, rolled=rolled, **options)
            except RollError:
                self._kernels[which] = None
        return self._kernels[which]

    def kernels(self, algorithm: Algorithm) -> dict[str, sixd.Kernel]:
        """What there is to measure: robots of the package run on code of their own, made-up ones also on loops."""
        forms = {"": False} if not self.specimen.links else {"unrolled": False, "rolled": True}
        if len(self.specimen.links) > UNROLLED:
            del forms["unrolled"]
        found = {name: self.kernel(algorithm, rolled) for name, rolled in forms.items()}
        return {name: kernel for name, kernel in found.items() if kernel is not None}

    def results(self, algorithm: Algorithm, kernel: sixd.Kernel, n: int = CHECKED) -> Array:
        """The results for the first states."""
        out = as_one(kernel(*self.specimen.states(n, algorithm.arguments).values()))
        return out[:, -self.specimen.robot.n_bodies :, :3] if algorithm.name == "FK" else out

    def contestants(self, algorithm: Algorithm, batch: int) -> list[Contestant]:
        """Kernels; for one state also the method of the robot, for few states the slow ways."""
        given = self.arguments(algorithm, batch)
        names = ", ".join(given)
        found: list[Contestant] = []
        for form, kernel in self.kernels(algorithm).items():
            # The first is what all are compared with.
            check = (lambda kernel=kernel: self.results(algorithm, kernel)) if found else None
            if batch == 1:
                run = call(f"kernel({names})", 1, kernel=kernel, **given)
                found.append(Contestant(LIBRARY, form, 1, run, check))
                continue
            # Many results go to an array that is there already; a new one costs page faults each time.
            out = kernel(*given.values())
            run = call(f"kernel({names}, out=out)", batch, kernel=kernel, out=out, **given)
            found.append(Contestant(LIBRARY, form, batch, run, check))
            if not form:
                run = call(f"kernel({names})", batch, kernel=kernel, **given)
                found.append(Contestant(LIBRARY, "new array", batch, run))
            if not form and batch == FLOAT32:
                found.append(self.float32(algorithm, kernel, given))
        return found if self.specimen.links else found + self.slow_ways(algorithm, batch, given)

    def float32(self, algorithm: Algorithm, kernel: sixd.Kernel, given: dict[str, Array]) -> Contestant:
        """The same kernel on the same states, rounded to single precision."""
        given = {name: array.astype(np.float32) for name, array in given.items()}
        names, out = ", ".join(given), kernel(*given.values())
        run = call(f"kernel({names}, out=out)", FLOAT32, kernel=kernel, out=out, **given)
        return Contestant(LIBRARY, "float32", FLOAT32, run, lambda: as_one(out)[:CHECKED], TOLERANCE32)

    def slow_ways(self, algorithm: Algorithm, batch: int, given: dict[str, Array]) -> list[Contestant]:
        robot, found, names = self.specimen.robot, [], ", ".join(given)
        if batch == 1 and algorithm.method:
            known = {"robot": robot, "tip": robot.bodies[self.specimen.tip].name, **given}
            found.append(Contestant(LIBRARY, "robot method", 1, call(algorithm.method, 1, **known)))
        kernel = self.kernel(algorithm)
        if batch > 100 or kernel is None:
            return found
        run = call(f"kernel.interpret({names})", batch, kernel=kernel, **given)
        found.append(Contestant(LIBRARY, "interpreter", batch, run, self.checked(algorithm, kernel.interpret)))
        body = {"body": self.specimen.tip} if algorithm.of_body else {}
        eager = lambda *state: algorithm.function(robot, *state, **body)  # noqa: E731
        run = call(f"eager({names})", batch, eager=eager, **given)
        found.append(Contestant(LIBRARY, "eager", batch, run, self.checked(algorithm, eager)))
        return found

    def checked(self, algorithm: Algorithm, run: Callable[..., Any]) -> Callable[[], Array]:
        states = self.arguments(algorithm, CHECKED)
        return lambda: as_one(run(*states.values()))

    def arguments(self, algorithm: Algorithm, batch: int) -> dict[str, Array]:
        states = self.specimen.states(batch, algorithm.arguments)
        return {name: array if batch > 1 else array[0] for name, array in states.items()}
