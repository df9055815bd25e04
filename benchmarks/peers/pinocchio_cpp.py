"""Pinocchio in C++, built on the spot from the headers of its package: the program beside this file, driven by lines.

Header only, for this very processor. Linked to the library of the package, or without -march=native, or with AVX2
instead of AVX-512, it was as fast or slower (the last up to 3 % faster at ABA, 3 % slower at CRBA).
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import partial
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.algorithms import Algorithm
from benchmarks.compiler import build, package_headers
from benchmarks.measure import CHECKED, Contestant
from benchmarks.peers.pinocchio_python import PinocchioModel

__all__ = ["PinocchioCpp", "Program", "describe"]

Array = Any

LIBRARY = "Pinocchio C++"
CALLS = {
    "RNEA": ("rnea",),
    "ABA": ("aba local", "aba world"),
    "CRBA": ("crba local", "crba world"),
    "FK": ("forwardKinematics",),
    "Jacobian": ("computeJointJacobian",),
    "M⁻¹": ("computeMinverse",),
    "centroidal map": ("computeCentroidalMap",),
    "∂ID": ("computeRNEADerivatives",),
    "∂FD": ("computeABADerivatives",),
}

#: Its workspace grows with the cube of the number of bodies: 0.9 GB at 300, 32 GB at 1,000.
MOST_BODIES = 300

#: How often the program runs, and from how many bodies on only one of them is used, for the sake of memory.
PROCESSES, LARGE = 3, 100

#: What its own build files set.
DEFINITIONS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


class Program:
    """The program, running several times; all keep to the core of this process.

    Where the system happens to place code and data makes a difference of a tenth from process to process; the peer
    shall not have bad luck.
    """

    def __init__(self) -> None:
        headers = package_headers()
        flags = (f"-I{headers}", f"-I{headers / 'eigen3'}", *DEFINITIONS)
        versions = [f"{name} {version(name)}" for name in ("libpinocchio", "cmeel-eigen", "cmeel-boost")]
        binary = str(build(Path(__file__).with_name("pinocchio_peer.cpp"), flags, versions))
        start = partial(subprocess.Popen, [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.processes: list[Any] = [start() for _ in range(PROCESSES)]
        self.directory = Path(tempfile.mkdtemp(prefix="sixd-bench-"))

    def ask(self, which: int, *words: object) -> str:
        process = self.processes[which]
        process.stdin.write("\t".join(map(str, words)) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the Pinocchio program ended at {words}")
        return str(answer)

    def close(self) -> None:
        for process in self.processes:
            process.stdin.close()
            process.wait()
        shutil.rmtree(self.directory)


class PinocchioCpp:
    """Pinocchio's C++ algorithms on one robot."""

    def __init__(self, translated: PinocchioModel, program: Program, states: int = 10_000) -> None:
        self.translated, self.program, self.states = translated, program, states
        model, data = program.directory / "model.txt", program.directory / "states.bin"
        model.write_text(describe(translated.model, translated.tip))
        np.concatenate([array.ravel() for array in translated.states(states)]).tofile(data)
        used = range(PROCESSES if translated.specimen.robot.n_bodies < LARGE else 1)
        for which in used:
            program.ask(which, "load", model, data, states)
        self.turns = cycle(used)

    def contestants(self, algorithm: Algorithm, batch: int) -> list[Contestant]:
        if batch > self.states:
            return []
        return [
            Contestant(
                LIBRARY,
                name.partition(" ")[2],
                batch,
                lambda seconds, name=name: self.time(name, batch, seconds),  # type: ignore[misc]
                lambda name=name: self.results(algorithm, name),  # type: ignore[misc]
            )
            for name in CALLS[algorithm.name]
        ]

    def time(self, name: str, batch: int, seconds: float) -> list[float]:
        return [1e-9 * float(word) for word in self.program.ask(next(self.turns), "run", name, batch, seconds).split()]

    def results(self, algorithm: Algorithm, name: str, n: int = CHECKED) -> Array:
        file = self.program.directory / "results.bin"
        self.program.ask(0, "write", name, n, file)
        theirs = np.fromfile(file).reshape(n, *algorithm.shape(self.translated.specimen.robot))
        return self.translated.ours(algorithm, theirs)


def describe(model: Any, tip: int) -> str:
    """The model as the program reads it; ``tip`` is the joint whose Jacobian is wanted."""
    lines = [str(tip)]
    for i in range(1, model.njoints):
        place, body = model.jointPlacements[i], model.inertias[i]
        numbers = (*place.rotation.ravel(), *place.translation, body.mass, *body.lever, *body.inertia.ravel())
        lines.append(" ".join([str(model.parents[i]), model.joints[i].shortname(), *(repr(float(x)) for x in numbers)]))
    return "\n".join(lines) + "\n"
