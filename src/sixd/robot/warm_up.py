"""Making the code of a robot's methods before it is needed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sixd import given
from sixd.compiler.progress import Progress
from sixd.errors import SingularError
from sixd.ir import TooLargeError
from sixd.model.configuration import neutral
from sixd.robot.evaluator import Evaluated

__all__ = ["WarmUpMethods"]


class WarmUpMethods(Evaluated):
    """Methods of a robot that make others ready."""

    #: Methods that a robot of this class refuses.
    refused: ClassVar[frozenset[str]] = frozenset()
    #: Methods that take one state, no batch.
    single: ClassVar[frozenset[str]] = frozenset()

    def _somewhere(self) -> Any:
        """A position, (nq,), at which methods can be called."""
        return neutral(self)

    def warm_up(self, frames: str | Sequence[str] = (), batches: bool = True, tensors: bool = False) -> None:
        """Make the code of all methods ready, so that no later call has to wait for a compiler.

        Methods that take a frame are made ready for the given ``frames``. With ``batches``, the code for more than one
        state is made too; with ``tensors`` that of curvatures and second derivatives, which takes longer than all the
        rest. Code that an earlier process has left on disk is loaded. If it takes long, a line on the terminal shows
        the progress.
        """
        names = [self.frame(name).name for name in given.words(frames, "frames")]
        leads = [(), (2,)] if given.flag(batches, "batches") else [()]
        calls = [call for lead in leads for call in _calls(self, names, lead)]
        if not given.flag(tensors, "tensors"):
            calls = [(name, call) for name, call in calls if not name.endswith(("curvature", "second_derivatives"))]
        with Progress() as progress:
            for k, (name, call) in enumerate(calls):
                progress(f"warming up {self.name or 'a robot'}: {name}, {k + 1} of {len(calls)}")
                # This position may be singular, and the code is ready all the same; a result may be too large to exist.
                with suppress(SingularError, TooLargeError):
                    call()


def _calls(robot: Any, frames: Sequence[str], lead: tuple[int, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each method that takes a state: a label and a call with suitable arguments, for each frame if it takes one."""
    q, v = np.broadcast_to(robot._somewhere(), (*lead, robot.nq)), np.zeros((*lead, robot.nv))
    state = dict.fromkeys(("q", "q0", "q1"), q)
    state |= dict.fromkeys(("qd", "qdd", "qd_r", "qdd_r", "tau", "dv", "u", "v"), v)
    state["force"] = np.zeros((*lead, 6))
    for name, method in inspect.getmembers(robot, inspect.ismethod):
        if name.startswith("_") or name in robot.refused or (lead and name in robot.single):
            continue
        parameters = inspect.signature(method).parameters
        needed = [p.name for p in parameters.values() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
        arrays = {argument: state[argument] for argument in needed if argument in state}
        places = [argument for argument in needed if argument not in state]
        if not arrays or not set(places) <= {"frame", "left", "right"}:
            continue
        for named in [dict.fromkeys(places, frame) for frame in frames] if places else [{}]:
            label = " ".join([name, *dict.fromkeys(named.values())])
            yield label, partial(method, **arrays, **named)
