"""Every formulation of `sixd.historical` finds what sixd's own algorithms find, compiled or not, on any numbers."""

import mpmath
import numpy as np
import pytest

import sixd
from sixd import algorithms, historical
from sixd.compiler.parameters import with_parameters
from sixd.errors import ChoiceError, ModelError, ShapeError, SpatialTypeError
from sixd.historical import FORMULATIONS, Computes, Takes, formulation
from sixd.joints import Free, Prismatic, Revolute, Spherical
from sixd.model import Mimic, ModelBuilder
from sixd.model.random import random_tree
from sixd.spatial import Force, Forces, Transform
from sixd.testing import precise
from tests.historical.robots import DIRECTIONS, arguments, reference, robot_for, shapes_for

ALL = [pytest.param(f, id=name) for name, f in FORMULATIONS.items()]
TREES = [pytest.param(f, id=name) for name, f in FORMULATIONS.items() if f.takes is not Takes.CHAINS]
DYNAMICS = [f for f in FORMULATIONS.values() if f.computes in (Computes.INVERSE_DYNAMICS, Computes.FORWARD_DYNAMICS)]


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def condition(formulation, model, q):
    """By what rounding may grow: the condition of H where a system of it is solved, its square by its gradients."""
    if formulation.computes in (Computes.INVERSE_DYNAMICS, Computes.MASS_MATRIX):
        return 1.0
    worst = np.linalg.cond(algorithms.crba(model, q)).max()
    return worst**2 if formulation.name == "walker_orin_4" else worst


def close(found, wanted, tolerance):
    assert np.shape(found) == np.shape(wanted)
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def agrees(formulation, model, seed):
    given = arguments(formulation, model, seed)
    found, wanted = formulation.function(model, **given), reference(formulation, model, given)
    tolerance = 1e-14 * condition(formulation, model, given["q"])
    assert tolerance < 1e-6
    for one, other in zip(parts(found), parts(wanted), strict=True):
        close(one, other, tolerance)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("formulation", ALL)
def test_on_chains(formulation, seed):
    agrees(formulation, robot_for(formulation, seed), seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("formulation", TREES)
def test_on_trees(formulation, seed):
    agrees(formulation, robot_for(formulation, seed, branching=0.7), seed)


@pytest.mark.parametrize("formulation", ALL)
def test_on_one_link(formulation):
    if formulation.name == "vereshchagin_constrained":
        pytest.skip("one joint cannot keep two constraints")
    agrees(formulation, robot_for(formulation, 5, n=1), 5)


def in_forty_digits(formulation):
    """A robot whose rotations are exact to forty digits."""
    joints = [Spherical()] if formulation.takes is Takes.SPHERICAL else [Revolute("x"), Prismatic("y"), Revolute("-z")]
    branching = 0.0 if formulation.takes is Takes.CHAINS else 0.5
    model, rng = random_tree(3, 8, joints=joints, branching=branching), np.random.default_rng(3)
    poses = [Transform.from_rpy(*(precise(x) for x in rng.normal(size=(2, 3)))).pose() for _ in range(3)]
    inertias = np.array([precise(row) for row in sixd.parameters(model, "inertia")])
    return with_parameters(model, {"placement": np.array(poses), "inertia": inertias})


@pytest.mark.parametrize("formulation", DYNAMICS, ids=lambda f: f.name)
def test_in_forty_digits(formulation):
    """They are equal, not only nearly so: in forty digits they differ by 1e-30."""
    with mpmath.workdps(40):
        model = in_forty_digits(formulation)
        given = {k: [mpmath.mpf(float(x)) for x in v[0]] for k, v in arguments(formulation, model, 1).items()}
        found, wanted = formulation.function(model, **given), reference(formulation, model, given)
        assert max(abs(a - b) for a, b in zip(found, wanted, strict=True)) < mpmath.mpf(10) ** -30


@pytest.mark.parametrize("formulation", ALL)
def test_compiled_code_computes_the_same(formulation):
    model = robot_for(formulation, 1, n=4)
    given = arguments(formulation, model, 3)
    fixed = {k: given.pop(k) for k in ("body", "directions") if k in given}
    kernel = sixd.compile(formulation.function, model, shapes=shapes_for(formulation), **fixed)
    found, wanted = kernel(**given), formulation.function(model, **given, **fixed)
    tolerance = 1e-14 * condition(formulation, model, given["q"])
    for one, other, part in zip(parts(found), parts(wanted), kernel.outputs, strict=True):
        assert one.shape == (7, *part.shape)
        close(one, other, tolerance)


@pytest.mark.parametrize("formulation", DYNAMICS, ids=lambda f: f.name)
def test_masses_and_placements_may_vary(formulation):
    """Numbers of the robot are inputs of the code: none is asked for its value."""
    model, numbers = robot_for(formulation, 1, n=3), ("inertia", "placement", "gravity")
    given = arguments(formulation, model, 3)
    kernel = sixd.compile(formulation.function, model, parameters=numbers)
    found = kernel(*given.values(), *(sixd.parameters(model, name) for name in numbers))
    close(found, reference(formulation, model, given), 1e-14 * condition(formulation, model, given["q"]))


@pytest.mark.parametrize("formulation", ALL)
def test_links_without_mass(formulation):
    """They have no centre of mass; what they carry has."""
    if formulation.takes is Takes.SPHERICAL:
        pytest.skip("a spherical joint that moves no inertia has no acceleration")
    builder = ModelBuilder("wrist")
    for i, axis in enumerate("xzy", start=1):
        mass = {"mass": 2.0, "com": (0.1, 0.2, 0.3), "inertia": (0.3, 0.4, 0.5)} if i == 3 else {}
        parent = f"link{i - 1}" if i > 1 else "base"
        builder.body(f"link{i}", parent, Revolute(axis), xyz=(0.1, 0.2, 0.3), **mass)
    agrees(formulation, builder.build(), 2)


@pytest.mark.parametrize("formulation", ALL)
def test_an_argument_that_is_not_finite_spoils_its_sample_alone(formulation):
    model = robot_for(formulation, 1, n=3)
    given = arguments(formulation, model, 3)
    clean = parts(formulation.function(model, **given))
    given["q"][2, 0] = np.nan
    for spoilt, whole in zip(parts(formulation.function(model, **given)), clean, strict=True):
        assert np.isnan(spoilt[2]).all()
        assert np.array_equal(np.delete(spoilt, 2, 0), np.delete(whole, 2, 0))


def limbs(joint, **options):
    """Two links on the first, by joints of this type."""
    builder = ModelBuilder("limbs")
    for name, parent in (("trunk", "base"), ("left", "trunk"), ("right", "trunk")):
        builder.body(name, parent, joint, mass=1.0, inertia=(1.0, 1.0, 1.0), **options)
    return builder.build()


REFUSED = {
    Takes.SCREWS: [
        (random_tree(2, 0, joints=[Free()]), "is free"),
        (random_tree(2, 0, joints=["planar"]), "is planar"),
    ],
    Takes.CHAINS: [(random_tree(2, 0, joints=[Free()]), "is free"), (limbs(Revolute()), "makes a branch")],
    Takes.SPHERICAL: [
        (random_tree(2, 0, joints=["revolute"]), "is revolute"),
        (limbs(Spherical(), rotor_inertia=(0.1, 0.1, 0.1)), "has a rotor inertia"),
    ],
    Takes.ALL: [],
}


@pytest.mark.parametrize("formulation", ALL)
def test_what_it_does_not_take_is_refused_by_name(formulation):
    builder = ModelBuilder("gripper")
    builder.body("palm", "base", Prismatic(), joint_name="slide", mass=1.0)
    builder.body("finger", "palm", Prismatic(), joint_name="follow", mass=1.0, mimic=Mimic("slide", 1.0, 0.0))
    mimic = builder.build(), "mimics 'slide'"
    faults = (
        REFUSED[formulation.takes] if formulation.takes is Takes.SPHERICAL else [*REFUSED[formulation.takes], mimic]
    )
    for model, fault in faults:
        given = arguments(formulation, model, 1)
        with pytest.raises(ModelError, match=f"is for {formulation.takes.value}.* joint .* of robot .* {fault}.*: .* "):
            formulation.function(model, **given)


def test_constraint_forces_do_what_they_say():
    """A chain with a force at its tip moves as a chain that is held there."""
    f = FORMULATIONS["vereshchagin_constrained"]
    model = robot_for(f, 3)
    given = arguments(f, model, 1)
    qdd, forces = f.function(model, **given)
    on_tip = np.zeros((7, model.n_bodies, 6))
    on_tip[:, -1] = forces @ np.array([d.components() for d in DIRECTIONS])
    close(algorithms.aba(model, given["q"], given["qd"], given["tau"], on_tip), qdd, 1e-11)
    a = algorithms.acceleration(model, given["q"], given["qd"], qdd, model.n_bodies).array()
    close(a @ np.array([d.components() for d in DIRECTIONS]).T, given["accelerations"], 1e-11)


def test_a_tip_that_hangs_still_carries_its_weight():
    """A slide that moves up and down is held by its weight, whatever it would do by itself."""
    model = random_tree(1, 0, joints=[Prismatic("z")]).with_gravity((0.0, 0.0, -10.0))
    X = algorithms.forward_kinematics(model, [0.3])[1]
    up = (X @ sixd.Motion((0, 0, 0), (0, 0, 1))).lin  # the direction up, as the tip sees it
    held = historical.vereshchagin_constrained(model, [0.3], [0.2], [1.7], Forces([Force((0, 0, 0), (0, 0, 1))]), [0.0])
    close(held.qdd, [0.0], 1e-15)
    close(held.forces, [model.mass * 10.0 * up[2] - 1.7], 1e-12)


def test_constraints_that_cannot_be_kept_are_nan():
    f = FORMULATIONS["vereshchagin_constrained"]
    model = robot_for(f, 3)
    given = arguments(f, model, 1)
    twice = Forces([DIRECTIONS[0], DIRECTIONS[0]])
    for result in f.function(model, **(given | {"directions": twice})):
        assert np.isnan(result).all()


def test_directions_and_accelerations_belong_together():
    f = FORMULATIONS["vereshchagin_constrained"]
    model = robot_for(f, 3)
    given = arguments(f, model, 1)
    with pytest.raises(ShapeError, match="each direction needs one acceleration: there are 2 and 3"):
        f.function(model, **(given | {"accelerations": np.zeros((7, 3))}))
    with pytest.raises(SpatialTypeError, match="directions"):
        f.function(model, **(given | {"directions": np.zeros((2, 6))}))


def test_force_propagation_gives_the_operational_space():
    """Lambda^-1 of a frame on the hand, against Khatib's Lambda."""
    arm = sixd.gallery.seven_axis_arm()
    q = arm.random(3)
    frame = arm.frame("tool")
    found = historical.lilly_orin(arm, q, frame.body, frame.offset)
    Lambda = arm.operational_space(q, np.zeros(7), "tool", expressed_in="body").Lambda
    close(found @ Lambda, np.eye(6), 1e-10)
    kernel = sixd.compile(historical.lilly_orin, arm, frame="tool")
    close(kernel(q), found, 1e-13)
    close(found, found.T, 1e-14)


def test_what_the_base_feels_is_nothing():
    close(historical.lilly_orin(sixd.gallery.seven_axis_arm(), np.zeros(7), 0), np.zeros((6, 6)), 0.0)


def test_more_iterations_of_conjugate_gradients():
    """Fewer than N leave something to do; N and more do not, and what is done already does no harm."""
    model = robot_for(FORMULATIONS["walker_orin_4"], 1)
    given = arguments(FORMULATIONS["walker_orin_4"], model, 3)
    wanted = algorithms.aba(model, **given)
    errors = [np.abs(historical.walker_orin_4(model, **given, iterations=k) - wanted).max() for k in (3, 6, 30)]
    assert errors[0] > 1e-3
    assert max(errors[1:]) < 1e-6
    assert np.array_equal(historical.walker_orin_4(model, [0.1] * 6, None, None, iterations=6).shape, (6,))
    with pytest.raises(sixd.SixdError, match="iterations"):
        historical.walker_orin_4(model, **given, iterations=0)


def test_parallel_and_meeting_axes():
    """Where z axes are parallel, or origins coincide, the turns of Brandl, Johanni and Otter are not determined."""
    builder = ModelBuilder("planar")
    places = [
        ((0, 0, 0), (0, 0, 0)),
        ((0.3, 0.4, 0.5), (0, 0, 0)),
        ((0, 0, 0.2), (0, 0, 0.7)),
        ((0.1, 0, 0), (np.pi, 0, 0)),
    ]
    places += [((0, 0, 0), (0.5, 0, 0.3)), ((0.2, 0.1, 0), (1e-9, 0, 0.3)), ((0.1, 0.2, 0.3), (-1.2, 0.3, 0.0))]
    for i, (xyz, rpy) in enumerate(places, start=1):
        parent = f"link{i - 1}" if i > 1 else "base"
        builder.body(
            f"link{i}", parent, Revolute("z"), xyz=xyz, rpy=rpy, mass=1.0, com=(0.1, 0.2, 0.3), inertia=(1, 1.5, 2)
        )
    model = builder.build()
    agrees(FORMULATIONS["brandl_johanni_otter"], model, 1)


@pytest.mark.parametrize("formulation", ALL)
def test_each_says_what_it_is(formulation):
    text = " ".join(formulation.function.__doc__.split())
    assert formulation.cost in text or f"{formulation.cost[:-1]} +" in text
    assert formulation.name == formulation.function.__name__
    assert 1960 < formulation.year < 2000
    assert len(formulation.reference) > 40
    assert getattr(historical, formulation.name) is formulation.function
    assert not formulation.function.rolled


def test_no_two_share_a_name():
    kane = FORMULATIONS["kane"]
    with pytest.raises(ChoiceError, match="'kane' is registered already"):
        formulation.register(kane.function, kane.computes, kane.takes, kane.cost, kane.year, kane.reference)


def test_they_are_no_part_of_the_algorithms():
    assert not set(FORMULATIONS) & set(algorithms.ALGORITHMS)
