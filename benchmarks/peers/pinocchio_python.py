"""Pinocchio called from Python: one state a call, and its own loops over a batch in parallel."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import process_time
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.algorithms import Algorithm
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.robots import Specimen
from sixd.layouts import linear_first, pinocchio_layout

__all__ = ["PinocchioModel", "PinocchioPython"]

Array = Any

LIBRARY = "Pinocchio Python"

#: The calls of each algorithm; where several do the same, all are measured.
CALLS = {
    "RNEA": ("rnea(model, data, q, v, a)",),
    "ABA": ("aba(model, data, q, v, a, Convention.LOCAL)", "aba(model, data, q, v, a, Convention.WORLD)"),
    "CRBA": ("crba(model, data, q, Convention.LOCAL)", "crba(model, data, q, Convention.WORLD)"),
    "FK": ("forwardKinematics(model, data, q)",),
    "Jacobian": ("computeJointJacobian(model, data, q, tip)",),
    "M⁻¹": ("computeMinverse(model, data, q)",),
    "centroidal map": ("computeCentroidalMap(model, data, q)",),
    "∂ID": ("computeRNEADerivatives(model, data, q, v, a)",),
    "∂FD": ("computeABADerivatives(model, data, q, v, a)",),
}


DERIVATIVES = ("∂ID", "∂FD")


def _symmetric(upper: Array) -> Array:
    """The symmetric matrix whose upper triangle this is."""
    return np.triu(upper) + np.triu(upper, 1).T


class PinocchioModel:
    """A robot as Pinocchio reads it, states in its layout, and results in sixd's."""

    def __init__(self, specimen: Specimen) -> None:
        root = [pin.JointModelFreeFlyer()] if specimen.base == "free" else []
        self.specimen = specimen
        self.model = pin.buildModelFromXML(specimen.urdf, *root)
        self.layout = pinocchio_layout(specimen.robot, self.model)
        bodies = [part.joint.index for part in self.layout.parts]
        self.order = np.argsort(bodies)  # sixd's body k + 1 is their joint order[k] + 1
        self.tip = bodies.index(specimen.tip) + 1

    def states(self, n: int) -> tuple[Array, Array, Array]:
        """q, v, and the third vector, in which accelerations and forces have the same layout here."""
        own = self.specimen.states(n)
        q = own["q"]
        return self.layout.q_to(q), self.layout.v_to(q, own["qd"]), self.layout.a_to(q, own["qd"], own["qdd"])

    def ours(self, algorithm: Algorithm, theirs: Array) -> Array:
        """Results for several states in sixd's layout: the map of velocities is a constant permutation A."""
        A = self.layout.v_to(self.specimen.robot.neutral(), np.eye(self.specimen.robot.nv)).T
        if algorithm.name in ("RNEA", "ABA"):
            return theirs @ A
        if algorithm.name in ("CRBA", "M⁻¹", *DERIVATIVES):
            return A.T @ theirs @ A
        if algorithm.name == "FK":
            return theirs[:, self.order]
        return linear_first(theirs, axis=-2) @ A


class PinocchioPython:
    """Pinocchio's Python functions on one robot."""

    def __init__(self, translated: PinocchioModel) -> None:
        self.translated = translated

    @cached_property
    def names(self) -> dict[str, Any]:
        model = self.translated.model
        q, v, a = (array[0].copy() for array in self.translated.states(1))
        known = {name.split("(")[0]: getattr(pin, name.split("(")[0]) for calls in CALLS.values() for name in calls}
        fixed = {"model": model, "data": model.createData(), "tip": self.translated.tip, "Convention": pin.Convention}
        return {**known, **fixed, "q": q, "v": v, "a": a}

    def contestants(self, algorithm: Algorithm, batch: int) -> list[Contestant]:
        if batch > 1:
            return self.in_parallel(algorithm, batch, 1)
        return [
            Contestant(
                LIBRARY, self.variant(statement), 1, call(statement, 1, **self.names), self.checked(algorithm, k)
            )
            for k, statement in enumerate(CALLS[algorithm.name])
        ]

    def methods(self) -> dict[str, Contestant]:
        """Calls that do what methods of a robot do, beside the nine algorithms."""
        from benchmarks.peers.pinocchio_methods import pinocchio_methods

        return pinocchio_methods(self)

    def in_parallel(
        self, algorithm: Algorithm, batch: int, threads: int, clock: Callable[[], float] = process_time
    ) -> list[Contestant]:
        """Its functions that loop over a batch, where it has one."""
        if algorithm.name not in ("RNEA", "ABA") or batch > 100_000:
            return []
        name = f"{algorithm.name.lower()}InParallel"
        given = dict(zip("qva", (array.T for array in self.translated.states(batch)), strict=True))
        given["out"] = np.empty_like(given["v"])  # by columns, as they are
        pool = pin.ModelPool(self.translated.model, threads)
        fixed = {"f": getattr(pin, name), "threads": threads, "pool": pool}
        run = call("f(threads, pool, q, v, a, out)", batch, clock, **fixed, **given)

        def results() -> Array:
            out = getattr(pin, name)(threads, pool, given["q"], given["v"], given["a"])
            return self.translated.ours(algorithm, out.T[:CHECKED])

        return [Contestant(LIBRARY, f"{name}, {threads} thread{'s' * (threads > 1)}", batch, run, results)]

    def checked(self, algorithm: Algorithm, which: int) -> Any:
        def results() -> Array:
            found = []
            for q, v, a in zip(*self.translated.states(CHECKED), strict=True):
                names = {**self.names, "q": q, "v": v, "a": a}
                value = eval(CALLS[algorithm.name][which], names)
                found.append(self.read(algorithm, value))
            return self.translated.ours(algorithm, np.array(found))

        return results

    def read(self, algorithm: Algorithm, value: Array) -> Array:
        """The result of a call, copied; only the upper triangle of matrices counts."""
        if algorithm.name == "FK":
            return np.array([place.homogeneous[:3] for place in list(self.names["data"].oMi)[1:]])
        if algorithm.name in ("CRBA", "M⁻¹"):
            return _symmetric(value)
        if algorithm.name in DERIVATIVES:
            data = self.names["data"]
            of_id = data.dtau_dq, data.dtau_dv, _symmetric(data.M)
            return np.array(of_id if algorithm.name == "∂ID" else (data.ddq_dq, data.ddq_dv, _symmetric(data.Minv)))
        return np.array(value)

    @staticmethod
    def variant(statement: str) -> str:
        return statement.split("Convention.")[1].rstrip(")").lower() if "Convention" in statement else ""
