"""Every method of a robot that is a function of a state, with arguments: for tests, and for benchmarks."""

import inspect

import numpy as np

from sixd.robot import dynamics

__all__ = ["calls", "values"]

#: Methods of a state that compare it with the limits, in NumPy.
OTHERS = {"within_limits", "clip"}
#: Methods that make nv^4 numbers. If these are too many for code of their own, they are put together in NumPy, in more
#: time: tests/robot/test_geometry.py.
TENSORS = {"curvature", "scalar_curvature"}


def values(robot, lead=(), seed=0):
    rng = np.random.default_rng(seed)
    names = ("qd", "qdd", "qd_r", "qdd_r", "tau", "dv", "u", "v")
    state = {name: rng.normal(size=(*lead, robot.nv)) for name in names}
    frames = [f.name for f in robot.frames if f.body]
    q = {name: robot.random(rng, lead) for name in ("q", "q0", "q1")}
    frames = {"frame": frames[-1], "left": frames[0], "right": frames[-1]}
    some = tuple(j.name for j in robot.joints if j.mimic is None)[::2]
    return {**state, **q, **frames, "known": some, "force": rng.normal(size=(*lead, 6))}


def calls(robot, lead=(), options=True):
    """Each method of a robot that is a function of a state, in each of its variants."""
    known = values(robot, lead)
    choices = {
        "method": {"forward_dynamics": ("aba", "crba", "naive"), "mass_matrix": ("crba", "naive", "energy")},
        "about": dict.fromkeys(("momentum", "momentum_matrix"), ("origin", "com")),
    }
    for name, method in inspect.getmembers(robot, inspect.ismethod):
        if name.startswith("_") or name in OTHERS or (name in TENSORS and robot.nv**4 > dynamics.DIRECT):
            continue
        if "second_derivatives" in name and robot.nv > 7:
            continue  # code of these takes long to compile
        parameters = inspect.signature(method).parameters
        required = [p for p in parameters if parameters[p].default is inspect.Parameter.empty]
        if not {"q", "q0"}.intersection(required):
            continue
        needed = {p: known[p] for p in required}
        yield name, method, needed
        for option, by_method in choices.items():
            for choice in by_method.get(name, ())[1:] if options else ():
                yield f"{name} {choice}", method, {**needed, option: choice}
        if "f_ext" in parameters and options and not (name.endswith("derivatives") and robot.nv > 18):
            force = {"f_ext": {known["frame"]: known["force"]}}
            yield f"{name} with a force", method, {**needed, **force}
            if "expressed_in" in parameters:
                yield f"{name} with a force in the world", method, {**needed, **force, "expressed_in": "world"}
