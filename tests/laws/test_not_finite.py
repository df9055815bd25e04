"""One rule for all ways of running: a sample with an argument that is not finite has NaN in every result."""

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.algorithms.algorithm import algorithm
from tests.algorithms.calls import ALGORITHMS, arrays_of, compile_algorithm, fixed_for, robot, robot_for, state, suited

PAIRS = [(name, argument) for name in ALGORITHMS for argument in arrays_of(name)]
BAD = {1: np.nan, 4: np.inf, 9: -np.inf}


def spoiled(given, argument):
    """Eleven samples, of which three have one entry that is not finite."""
    array = given[argument].copy()
    entries = array.reshape(len(array), -1)
    for sample, value in BAD.items():
        entries[sample, sample % entries.shape[1]] = value
    return {**given, argument: array}


def check(found, expected):
    """Bad samples are NaN, all of them; the bits of the others are what they are without them."""
    found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
    good = [k for k in range(11) if k not in BAD]
    for bad, plain in zip(found, expected, strict=True):
        assert np.isnan(bad[list(BAD)]).all()
        np.testing.assert_array_equal(bad[good], plain[good])


def kernels(name, model):
    """The algorithm written out, and rolled where that can be."""
    kinds = (False, True) if ALGORITHMS[name].can_be_rolled(model.is_coupled) else (False,)
    return [compile_algorithm(name, model, rolled=kind) for kind in kinds]


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_kernels(name):
    """Machine code with and without loops, in both precisions, one state at a time, and the interpreters."""
    model = suited(name, robot(("revolute", "prismatic")))
    given = state(name, model, 11)
    for kernel in kernels(name, model):
        order = [port.name for port in kernel.inputs]
        plain, defined = kernel(*(given[k] for k in order)), kernel.interpret(*(given[k] for k in order))
        single = kernel(*(given[k].astype(np.float32) for k in order))
        for argument in order:
            bad = spoiled(given, argument)
            arrays = [bad[k] for k in order]
            check(kernel(*arrays), plain)
            check(kernel.interpret(*arrays), defined)
            check(kernel(*(a.astype(np.float32) for a in arrays)), single)
            check(kernel(*(np.asfortranarray(a) for a in arrays)), plain)
            alone = [kernel(*(a[k] for a in arrays)) for k in range(11)]
            alone = alone if not isinstance(alone[0], tuple) else tuple(map(np.array, zip(*alone, strict=True)))
            check(alone if isinstance(alone, tuple) else np.array(alone), plain)


def columns(result):
    """The numbers of a result, (11, n); whole numbers, which count bodies, are left out."""
    if isinstance(result, list | tuple):
        found = [columns(part) for part in result if part is not None and not isinstance(part, int)]
        return np.concatenate(found, axis=1) if found else np.empty((11, 0))
    if hasattr(result, "components"):
        return columns(result.components())
    array = np.asarray(result)
    return array.reshape(11, -1) if array.shape[:1] == (11,) else np.broadcast_to(array.ravel(), (11, array.size))


@pytest.mark.parametrize(("name", "argument"), PAIRS)
def test_eager(name, argument):
    """On arrays of samples, and on floats."""
    model = robot_for(name)
    given, fixed = state(name, model, 11), fixed_for(name, model)
    bad = spoiled(given, argument)
    with np.errstate(invalid="ignore"):
        found = ALGORITHMS[name](model, **bad, **fixed)
    check(columns(found), columns(ALGORITHMS[name](model, **given, **fixed)))
    for sample in BAD:
        alone = columns(ALGORITHMS[name](model, **{k: x[sample] for k, x in bad.items()}, **fixed))
        assert alone.size
        assert np.isnan(alone).all()


METHODS = {
    "mass_matrix": lambda r, q, qd, u: r.mass_matrix(q),
    "forward_dynamics": lambda r, q, qd, u: r.forward_dynamics(q, qd, u),
    "inverse_dynamics": lambda r, q, qd, u: r.inverse_dynamics(q, qd, u, {"link1": np.zeros(6)}),
    "gravity_forces": lambda r, q, qd, u: r.gravity_forces(q),
    "pose": lambda r, q, qd, u: r.pose(q, "link1"),
    "poses": lambda r, q, qd, u: r.poses(q),
    "velocity": lambda r, q, qd, u: r.velocity(q, qd, "link1"),
    "jacobian": lambda r, q, qd, u: r.jacobian(q, "link1"),
    "center_of_mass": lambda r, q, qd, u: r.center_of_mass(q),
    "integrate": lambda r, q, qd, u: r.integrate(q, qd),
    "difference": lambda r, q, qd, u: r.difference(q, q + qd),
}


@pytest.mark.parametrize("kind", ["rolled", "unrolled", "python"])
@pytest.mark.parametrize("method", list(METHODS))
def test_methods(method, kind):
    """Where nothing depends on the angle of the first joint, too, which turns about the vertical; and whatever runs."""
    arm = gallery.puma560()
    arm = arm if "link1" in arm.frames else arm.with_frame("link1", on=arm.bodies[1].name)
    rng = np.random.default_rng(0)
    given = dict(zip(("q", "qd", "u"), rng.normal(size=(3, 11, arm.nv)), strict=True))
    sixd.set_kernels(kind)
    try:
        plain = METHODS[method](arm, *given.values())
        bad = given["q"].copy()
        for sample, value in BAD.items():
            bad[sample, 0] = value
        check(METHODS[method](arm, bad, given["qd"], given["u"]), plain)
    finally:
        sixd.set_kernels(None)


def test_external_forces_on_the_base():
    """They move nothing, but a sample with a force that is not finite is bad all the same."""
    arm = gallery.double_pendulum()
    q, force = np.zeros((11, 2)), np.zeros((11, 6))
    plain = arm.inverse_dynamics(q, q, q, {arm.bodies[0].name: force})
    for sample, value in BAD.items():
        force[sample, 2] = value
    check(arm.inverse_dynamics(q, q, q, {arm.bodies[0].name: force}), plain)


def test_steps_and_differences_on_numbers():
    model = robot()
    q = model.random(0)
    for bad in (np.nan, np.inf):
        dv = np.zeros(model.nv)
        dv[-1] = bad
        assert np.isnan(algorithms.integrate(model, q, dv)).all()
        assert np.isnan(algorithms.difference(model, q, np.where(q == q[-1], bad, q))).all()


def test_arguments_that_may_be_infinite():
    """A function of one's own that deals with infinities itself says so."""
    arm = gallery.double_pendulum()

    def limited(model, q, limit):
        tau = algorithms.gravity_forces(model, q)
        return sixd.ops.where(tau[0] < limit[0], tau[0], limit[0])

    q = np.array([1.0, 0.5])
    tau = arm.gravity_forces(q)[0]
    free = sixd.compile(limited, arm, shapes={"limit": (1,)}, nonfinite="limit")
    assert free(q, [np.inf]) == pytest.approx(tau)
    assert free(q, [-np.inf]) == -np.inf
    assert np.isnan(free([np.nan, 0.0], [np.inf]))
    assert np.isnan(sixd.compile(limited, arm, shapes={"limit": (1,)})(q, [np.inf]))
    with pytest.raises(sixd.SixdError, match="nonfinite names 'limits', but the arguments are 'q', 'limit'"):
        sixd.compile(limited, arm, shapes={"limit": (1,)}, nonfinite="limits")


def test_arguments_that_are_no_quantities():
    """Bodies, choices and names are no numbers; a scalar that is one counts; so does a comparison, as in a kernel."""
    arm = gallery.double_pendulum()

    @algorithm
    def several(tree, q, gain, which=("a", "b")):
        return {"scaled": q[1] * gain, "name": which[0], "number": 3, "large": q[1][0] > 0.15}

    found = several(arm, [[0.1, 0.2], [0.2, np.nan]], np.float64(2.0))
    assert (found["name"], found["number"]) == ("a", 3)
    np.testing.assert_array_equal(found["scaled"].array(), [[0.2], [np.nan]])
    np.testing.assert_array_equal(found["large"], [0.0, np.nan])
    assert several(arm, [0.2, 0.1], 1.0)["large"] == 1.0
    assert np.isnan(several(arm, [0.1, 0.2], float("nan"))["large"])
    assert np.isnan(several(arm, [0.1, 0.2], float("nan"))["scaled"].array()).all()
    assert algorithms.pose(arm, [0.1, 0.2], np.int64(1)).r is not None
    assert not arm.within_limits([[np.inf, 0.0], [np.nan, 0.0]]).any()


def test_scalars_as_arguments():
    arm, q = gallery.double_pendulum(), np.array([0.1, 0.2])

    def scaled(model, q, gain):
        return gain * q[0] + (q[1] - gain) + gain * gain

    kernel = sixd.compile(scaled, arm, shapes={"gain": ()})
    assert kernel(q, 3.0) == pytest.approx(0.3 - 2.8 + 9.0)
    assert np.isnan(kernel(q, np.inf))
    assert sixd.compile(lambda model, q: q[0] > 0.15, arm)([[0.1, 0.0], [0.2, 0.0]]).tolist() == [0.0, 1.0]


def test_parameters():
    arm = gallery.double_pendulum()
    kernel = sixd.compile(algorithms.rnea, arm, parameters="inertia")
    given = np.random.default_rng(0).normal(size=(3, 11, 2))
    inertia = np.repeat(sixd.parameters(arm, "inertia")[None], 11, axis=0)
    plain = kernel(*given, inertia)
    for sample, value in BAD.items():
        inertia[sample, 0, 3] = value
    check(kernel(*given, inertia), plain)


def test_large_programs():
    """Programs that are compiled in pieces, and those with large inputs."""
    chain = sixd.gallery.chain(60)
    kernel = sixd.compile(algorithms.rnea, chain, rolled=False)
    assert "pieces" in kernel.report()
    given = dict(zip(("q", "qd", "qdd"), np.random.default_rng(0).normal(size=(3, 11, 60)), strict=True))
    plain = kernel(*given.values())
    for argument in given:
        bad = spoiled(given, argument)
        check(kernel(*bad.values()), plain)
        check(np.array([kernel(*(x[k] for x in bad.values())) for k in range(11)]), plain)
        check(
            kernel(*(x.astype(np.float32) for x in bad.values())),
            kernel(*(x.astype(np.float32) for x in given.values())),
        )
