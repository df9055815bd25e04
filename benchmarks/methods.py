"""What a method of a robot costs for one state: beside the peers' calls from Python, and over its own kernel.

    python -m benchmarks.methods [--seconds S] [--only Panda,ANYmal,Talos]

All contestants of a row run in turn in one process, on one core, by the clock of the process; the minimum counts. The
peer of a row is the fastest of those that have the call: Pinocchio, MuJoCo, dynibo, each with the state in its own
layout and its workspace made beforehand. Frames are given as each library wants them: names here, numbers there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin

import sixd
from benchmarks.algorithms import ALGORITHMS
from benchmarks.machine import description, versions
from benchmarks.measure import Contestant, call, compare, pin_to_one_core
from benchmarks.peers.dynibo import Dynibo
from benchmarks.peers.mujoco import MuJoCo
from benchmarks.peers.pinocchio_python import PinocchioModel, PinocchioPython
from benchmarks.robots import Specimen, example
from sixd.backends.llvm.target import host, lanes

#: The time of a method over that of the fastest peer, at most.
GOALS = {
    "inverse_dynamics": 0.6,
    "forward_dynamics": 0.6,
    "mass_matrix": 0.6,
    "gravity_forces": 0.6,
    "pose": 0.9,
    "jacobian": 0.9,
    "velocity": 0.9,
    "integrate": 0.9,
    "inverse_dynamics, a force": 1.0,
    "inverse_mass_matrix": 1.0,
}
#: Seconds that a method may take beside its kernel: without and with the name of a frame, or of joints.
OVER, OVER_WITH_FRAME = 0.3e-6, 0.6e-6
#: The methods of the other benchmark that all peers have.
SHARED = {"inverse_dynamics": "RNEA", "forward_dynamics": "ABA", "mass_matrix": "CRBA", "inverse_mass_matrix": "M⁻¹"}


def ours(specimen: Specimen) -> dict[str, Callable[[float], list[float]]]:
    """The methods of a robot, each as something that is timed."""
    robot = specimen.robot
    q, qd, qdd = (array[0].copy() for array in specimen.states(1).values())
    tip = robot.body_list[specimen.tip].name
    names = {"robot": robot, "q": q, "qd": qd, "qdd": qdd, "tip": tip, "f_ext": {tip: np.arange(6.0)}}
    statements = {
        "inverse_dynamics": "robot.inverse_dynamics(q, qd, qdd)",
        "forward_dynamics": "robot.forward_dynamics(q, qd, qdd)",
        "mass_matrix": "robot.mass_matrix(q)",
        "gravity_forces": "robot.gravity_forces(q)",
        "pose": "robot.pose(q, tip)",
        "jacobian": "robot.jacobian(q, tip)",
        "velocity": "robot.velocity(q, qd, tip)",
        "integrate": "robot.integrate(q, qd)",
        "inverse_dynamics, a force": "robot.inverse_dynamics(q, qd, qdd, f_ext)",
        "inverse_mass_matrix": "robot.inverse_mass_matrix(q)",
    }
    return {name: call(statement, 1, **names) for name, statement in statements.items()}


def theirs(specimen: Specimen) -> dict[str, list[Contestant]]:
    """For each method the calls of peers that compute the same."""
    translated = PinocchioModel(specimen)
    python = PinocchioPython(translated)
    peers: list[Any] = [python, MuJoCo(specimen)]
    try:
        peers.append(Dynibo(specimen))
    except RuntimeError as error:  # it takes no robot with an inertia that no body has
        print(f"without dynibo: {error}")
    found = {name: [c for peer in peers for c in peer.contestants(ALGORITHMS[a], 1)] for name, a in SHARED.items()}
    model = translated.model
    force = pin.StdVec_Force()
    for k in range(model.njoints):
        force.append(pin.Force.Random() if k == translated.tip else pin.Force.Zero())
    names = {**python.names, "pin": pin, "force": force, "LOCAL": pin.ReferenceFrame.LOCAL}
    only = {
        "gravity_forces": "pin.computeGeneralizedGravity(model, data, q)",
        "pose": "pin.forwardKinematics(model, data, q); data.oMi[tip].homogeneous",
        "jacobian": "pin.computeJointJacobian(model, data, q, tip)",
        "velocity": "pin.forwardKinematics(model, data, q, v); pin.getVelocity(model, data, tip, LOCAL).vector",
        "integrate": "pin.integrate(model, q, v)",
        "inverse_dynamics, a force": "pin.rnea(model, data, q, v, a, force)",
    }
    for name, statement in only.items():
        found[name] = [Contestant("Pinocchio Python", "", 1, call(statement, 1, **names))]
    jacobians = [c for peer in peers[1:] for c in peer.contestants(ALGORITHMS["Jacobian"], 1)]
    found["jacobian"] += jacobians
    return found


def against_peers(name: str, seconds: float) -> Iterator[str]:
    specimen = example(name)
    methods, peers = ours(specimen), theirs(specimen)
    for method, time in methods.items():
        rows = compare([Contestant("sixd", "", 1, time), *peers[method]], seconds, 5)
        (_, own, _), *others = rows
        best, least, _ = min(others, key=lambda row: row[1])
        ratio = own / least
        verdict = "" if ratio <= GOALS[method] else "   MISSED"
        who = f"{best.library} {best.variant}".strip()
        yield (
            f"{name:8}{method:28}{1e6 * own:8.2f} us {1e6 * least:8.2f} us {ratio:6.2f} x  "
            f"at most {GOALS[method]:.1f} x  ({who}){verdict}"
        )


def over_kernels(name: str, seconds: float) -> Iterator[str]:
    """Every method of a robot that is a function of a state, over the kernel that it runs."""
    from tests.robot.test_front_door import calls

    robot = example(name).robot
    for label, method, arguments in calls(robot, options=False):
        before = set(robot._code)
        method(**arguments)
        made = [robot._code[key] for key in robot._code if key not in before]
        if len(made) != 1 or made[0].kernel is None:
            yield f"{name:8}{label:28}runs {len(made)} kernels"
            continue
        arrays = [arguments.get(port.name) for port in made[0].kernel.inputs]
        kernel = {"kernel": made[0].kernel, **{f"x{k}": x for k, x in enumerate(arrays)}}
        inputs = ", ".join(f"x{k}" for k in range(len(arrays)))
        named = ", ".join(arguments)
        two = [
            Contestant("method", "", 1, call(f"method({named})", 1, method=method, **arguments)),
            Contestant("kernel", "", 1, call(f"kernel({inputs})", 1, **kernel)),
        ]
        (_, own, _), (_, least, _) = compare(two, seconds, 5)
        limit = OVER_WITH_FRAME if {"frame", "left", "known"} & arguments.keys() else OVER
        verdict = "" if own - least <= limit else "   MISSED"
        yield (
            f"{name:8}{label:28}{1e6 * own:8.2f} us {1e6 * least:8.2f} us   + {1e6 * (own - least):5.2f} us  "
            f"at most {1e6 * limit:.1f} us{verdict}"
        )


def filled(name: str, seconds: float) -> Iterator[str]:
    """Kernels that fill an array that is given, beside those that make one."""
    specimen = example(name)
    for algorithm in ("RNEA", "ABA", "CRBA"):
        about = ALGORITHMS[algorithm]
        kernel = sixd.compile(about.function, specimen.robot)
        arrays = {f"x{k}": array[0].copy() for k, array in enumerate(specimen.states(1, about.arguments).values())}
        names = {"kernel": kernel, "out": kernel(*arrays.values()), **arrays}
        inputs = ", ".join(arrays)
        two = [call(f"kernel({inputs}, out=out)", 1, **names), call(f"kernel({inputs})", 1, **names)]
        (_, own, _), (_, least, _) = compare([Contestant("", "", 1, run) for run in two], seconds, 5)
        verdict = "" if own <= 1.1 * least else "   MISSED"
        yield (
            f"{name:8}{algorithm + ' kernel, out=':28}{1e6 * own:8.2f} us {1e6 * least:8.2f} us "
            f"{own / least:6.2f} x  at most 1.1 x{verdict}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each contestant")
    parser.add_argument("--only", default="Panda,ANYmal,Talos", help="robots, with commas")
    options = parser.parse_args()
    pin_to_one_core()
    sixd.set_threads(1)
    print(f"{description()}\n{host()[0]}, {lanes()} lanes\n{versions()}\n")
    for name in options.only.split(","):
        for line in against_peers(name, options.seconds):
            print(line, flush=True)
    print()
    for line in (*over_kernels("Panda", options.seconds), *filled("Panda", options.seconds)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
