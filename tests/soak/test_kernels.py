"""Compiled, interpreted and eager results agree on every robot of example-robot-data, rolled and unrolled."""

import warnings

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.compiler.rolled import RollError
from tests.robots import example_urdfs

#: Algorithms, and how far results may differ for each unit of the condition number of the mass matrix.
ALGORITHMS = {"rnea": 0.0, "crba": 0.0, "forward_kinematics": 0.0, "centroidal_momentum_matrix": 0.0, "aba": 1e-15}


@pytest.mark.slow
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize(("name", "path"), example_urdfs())
def test_compiled_interpreted_and_eager_agree(name, path, base, record_property):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = sixd.load(path, base=base)
    except sixd.ModelError:
        pytest.skip("no robot")
    if not robot.nv:
        pytest.skip("nothing moves")
    rng = np.random.default_rng(0)
    state = {k: rng.normal(size=(5, robot.nv)) for k in ("qd", "qdd", "tau")} | {"q": robot.random(rng, 5)}
    H = robot.mass_matrix(state["q"])
    for title, growth in ALGORITHMS.items():
        if growth and robot.may_be_singular:
            continue
        function, kernels = getattr(algorithms, title), []
        try:
            kernels = [sixd.compile(function, robot, rolled=True)]
        except RollError:
            assert robot.is_coupled
        kernels += [sixd.compile(function, robot, rolled=False)] if robot.nv <= 30 else []
        for kernel in kernels:
            arrays = [state[port.name] for port in kernel.inputs]
            eager = function(robot, *arrays)
            if title == "forward_kinematics":
                eager = np.stack(np.broadcast_arrays(*(X.pose() for X in eager)), axis=1)
            scale = np.abs(eager).max(axis=tuple(range(1, eager.ndim)), keepdims=True)
            bound = max(1e-12, growth * robot.nv * np.linalg.cond(H).max()) if growth else 1e-12
            for found in (kernel(*arrays), kernel.interpret(*arrays)):
                difference = float((np.abs(found - eager) / np.maximum(scale, 1e-9)).max())
                record_property(f"{title} {'rolled' if kernel.rolled else 'unrolled'}", difference)
                assert difference <= bound, (title, kernel.rolled)
