"""The peers that take part: those that are installed and read the robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.robots import Specimen

__all__ = ["invited"]


def invited(specimen: Specimen, note: Callable[[str], None], program: Any = None, states: int = 10_000) -> list[Any]:
    """The peers on a robot; ``note`` is told of those that cannot. ``program`` is Pinocchio's in C++, None without."""

    def pinocchio() -> list[Any]:
        from benchmarks.peers.pinocchio_cpp import MOST_BODIES, PinocchioCpp
        from benchmarks.peers.pinocchio_python import PinocchioModel, PinocchioPython

        if specimen.robot.n_bodies > MOST_BODIES:
            return []
        translated = PinocchioModel(specimen)
        own = [PinocchioCpp(translated, program, states)] if program is not None else []
        return [*own, PinocchioPython(translated)]

    def mujoco() -> list[Any]:
        from benchmarks.peers.mujoco import MOST_BODIES, MuJoCo

        return [MuJoCo(specimen)] if specimen.robot.n_bodies <= MOST_BODIES else []

    def dynibo() -> list[Any]:
        from benchmarks.peers.dynibo import MOST_BODIES, Dynibo

        return [Dynibo(specimen)] if specimen.robot.n_bodies <= MOST_BODIES else []

    makers: Sequence[Callable[[], list[Any]]] = (pinocchio, mujoco, dynibo)
    found = []
    for make in makers:
        try:
            found += make()
        except (ImportError, ValueError, RuntimeError) as reason:
            note(f"{specimen.name}, {make.__name__}: {reason}")
    return found
