"""Numbers of the robot that differ from sample to sample: motion, and all that follows from it."""

import numpy as np
import pytest

import sixd
from sixd.errors import ArgumentError, ModelError
from sixd.simulation import Contacts, simulate
from sixd.simulation.forces import ELEMENTS, JointDamper, JointSpring
from tests.simulation.bodies import ball
from tests.simulation.test_simulate import start

#: What a trajectory tells beside its states.
QUANTITIES = (
    "kinetic_energy",
    "potential_energy",
    "mechanical_energy",
    "energy",
    "power",
    "center_of_mass",
    "tau",
    "work",
)


def moved(by, mass):
    """The same robot with other numbers: longer links, other masses, other gravity."""
    b = sixd.Builder("pendulum")
    b.body(
        "link1", joint=sixd.joints.Revolute("y"), xyz=(0, 0, by), mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1)
    )
    b.body(
        "link2", parent="link1", joint=sixd.joints.Revolute("y"), xyz=(0, 0, -1 - by), mass=1.0, inertia=(0.1, 0.1, 0.1)
    )
    return b.build(gravity=(0.0, 0.0, -9.0 - by))


def stacked(robots, *names):
    return {name: np.stack([sixd.parameters(r, name) for r in robots]) for name in names}


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "dopri5"])
def test_what_follows_from_the_motion_is_that_of_each_sample(integrator):
    robots = [moved(by, mass) for by, mass in ((0.0, 1.0), (0.3, 2.0), (-0.2, 0.5))]
    q, qd = start(robots[0], (3,))
    given = {"dt": 5e-3, "forces": [JointSpring(3.0), JointDamper(0.1)], "control": np.array([0.3, -0.1])}
    given |= {"integrator": integrator, "books": True}
    numbers = stacked(robots, "inertia", "placement", "gravity")
    together = simulate(robots[0], q, qd, 0.1, parameters=numbers, **given)
    for k, robot in enumerate(robots):
        alone = simulate(robot, q[k], qd[k], 0.1, **given)
        for name in ("q", "qd", *QUANTITIES):
            np.testing.assert_allclose(
                getattr(together, name)[k], getattr(alone, name), rtol=1e-9, atol=1e-10, err_msg=name
            )
            one = getattr(together.sample(k), name)
            np.testing.assert_allclose(one, getattr(alone, name), rtol=1e-9, atol=1e-10, err_msg=f"sample {name}")
    cut = together[::4].between(0.01, 0.08)
    np.testing.assert_allclose(cut.energy, together.energy[:, 4:17:4], rtol=1e-12)


def test_every_element_acts_on_the_numbers_of_each_sample():
    """Buoyancy on gravity, fields on masses, a base that moves on both."""
    robots = [moved(by, mass) for by, mass in ((0.0, 1.0), (0.3, 2.0))]
    elements = [element for kind in ELEMENTS.values() for element in kind.examples(robots[0])[:1]]
    q, qd = start(robots[0], (2,))
    numbers = stacked(robots, "inertia", "placement", "gravity")
    together = simulate(robots[0], q, qd, 0.02, parameters=numbers, forces=elements)
    alone = simulate(robots[1], q[1], qd[1], 0.02, forces=elements)
    for name in ("q", "qd"):
        np.testing.assert_allclose(getattr(together, name)[1], getattr(alone, name), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("law", ["compliant", "rigid"])
def test_contact_of_bodies_with_masses_of_their_own(law):
    robots = [ball(mass) for mass in (1.0, 2.0)]
    q, qd = robots[0].neutral(), np.array([0.0, 0.0, 0.0, 0.4, 0.0, 0.0])
    q[6] = 0.1
    contacts = Contacts.of(robots[0], "body", radius=0.1, law=law)
    given = {"contacts": contacts, "books": True}
    together = simulate(robots[0], q, qd, 0.2, parameters=stacked(robots, "inertia"), **given)
    for k, robot in enumerate(robots):
        alone = simulate(robot, q, qd, 0.2, **given)
        for name in ("q", "qd", *QUANTITIES, "contact_forces", "contact_points"):
            np.testing.assert_allclose(
                getattr(together, name)[k], getattr(alone, name), rtol=1e-8, atol=1e-9, err_msg=name
            )


def test_the_first_sample_decides_about_the_step_with_its_own_numbers():
    """A light link on a stiff spring needs short steps; with heavier links of all samples the step is fine."""
    robot, given = moved(0.0, 1.0), {"dt": 1e-3, "forces": [JointSpring(1e9)], "integrator": "semi_implicit_euler"}
    with pytest.raises(ModelError, match="is too long for the springs"):
        simulate(robot, np.zeros(2), np.zeros(2), 0.01, **given)
    numbers = {"inertia": 1e6 * sixd.parameters(robot, "inertia")}
    assert simulate(robot, np.zeros(2), np.zeros(2), 0.01, parameters=numbers, **given).finished
    light, contacts = ball(1e-12), Contacts.of(ball(1e-12), "body", radius=0.1, law="compliant")
    q = light.neutral()
    q[6] = 0.1
    with pytest.raises(ModelError, match="of compliant contact"):
        simulate(light, q, np.zeros(6), 0.01, contacts=contacts, integrator="rk4")
    numbers = stacked([ball(100.0)], "inertia")
    assert simulate(light, q, np.zeros(6), 0.01, contacts=contacts, parameters=numbers, integrator="rk4").finished


def test_pictures_are_of_the_robot_that_moved(tmp_path):
    robots = [moved(by, 1.0) for by in (0.0, 0.3)]
    q, qd = start(robots[0], (2,))
    run = simulate(robots[0], q, qd, 0.01, parameters=stacked(robots, "placement"))
    with pytest.raises(ArgumentError, match=r"'placement'.*of this sample"):
        run.sample(1).save_html(tmp_path / "page.html")
    run = simulate(robots[0], q, qd, 0.01, parameters=stacked(robots, "gravity", "inertia"))
    run.sample(1).save_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000


def test_a_closed_robot_starts_from_where_its_own_numbers_let_it():
    robot = sixd.mechanisms.four_bar().robot
    q = robot.assemble(robot.neutral())
    longer = sixd.parameters(robot, "placement").copy()
    longer[1, :3, 3] *= 1.1
    with pytest.raises(ModelError, match="q0 does not keep the constraint"):
        simulate(robot, q, np.zeros(robot.nv), 0.01, parameters={"placement": longer})
    same = simulate(robot, q, np.zeros(robot.nv), 0.01, parameters={"placement": sixd.parameters(robot, "placement")})
    alone = simulate(robot, q, np.zeros(robot.nv), 0.01)
    np.testing.assert_allclose(same.q, alone.q, atol=1e-12)


def test_numbers_that_no_robot_has_are_refused():
    """They would give a motion, of something else."""
    robot = moved(0.0, 1.0)
    for name, spoil, text in (
        ("inertia", lambda x: -x, r"the mass of body 'link2' of sample \(1,\) is negative"),
        ("placement", lambda x: 2.0 * x, r"the placement of body 'link2' of sample \(1,\) is no pose"),
        ("placement", lambda x: x.T, r"the placement of body 'link2' of sample \(1,\) is no pose"),
        ("placement", lambda x: x * [1, 1, -1, 1], r"the placement of body 'link2' of sample \(1,\) is no pose"),
        ("axis", lambda x: 2.0 * x, r"the axis of body 'link2' of sample \(1,\) is no unit vector: divide it"),
    ):
        numbers = np.stack([sixd.parameters(robot, name)] * 2)
        numbers[1, 1] = spoil(numbers[1, 1])
        with pytest.raises(ModelError, match=text):
            simulate(robot, [0.1, 0.2], [0.0, 0.0], 0.01, parameters={name: numbers})
