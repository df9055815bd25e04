"""Layouts of other libraries: against Pinocchio and MuJoCo themselves, and by laws where the library is not here."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import sixd
from sixd.joints import Free, Planar, Prismatic, Revolute, Spherical, SphericalEuler, Universal
from sixd.layouts import Layout, bullet_layout, drake_layout, linear_first, mujoco_layout, pinocchio_layout
from tests.formats import urdf_text
from tests.formats.urdf_text import LIMIT, link

BODY = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.4, 0.5, 0.6)}


def machine(*, planar: bool = True, mimic: bool = True) -> sixd.Robot:
    """A free base that carries a ball joint, hinges and a slide, and where wanted a planar joint."""
    b = sixd.Builder("machine")
    b.link("trunk", **BODY)
    b.body(
        "upper",
        parent="trunk",
        joint=Spherical(),
        joint_name="shoulder",
        xyz=(0, 0.3, 0.1),
        rpy=(0.1, 0.2, 0.3),
        **BODY,
    )
    b.body("lower", parent="upper", joint=Revolute((0, 1, 0)), joint_name="elbow", xyz=(0, 0, -0.4), **BODY)
    b.body("hand", parent="lower", joint=Prismatic((1, 2, 3)), joint_name="slide", xyz=(0, 0.1, -0.4), **BODY)
    if planar:
        b.body("puck", parent="trunk", joint=Planar(), joint_name="table", xyz=(0.2, 0, 0.3), rpy=(0.4, 0, 0.2), **BODY)
    b.body("wheel", parent="trunk", joint=Revolute((0, 0, 1)), joint_name="spin", xyz=(0.3, 0, 0), **BODY)
    coupling = sixd.Mimic("elbow", -0.7, 0.2) if mimic else None
    b.body(
        "finger",
        parent="hand",
        joint=Revolute((1, 0, 0)),
        joint_name="finger",
        xyz=(0, 0, -0.1),
        mimic=coupling,
        **BODY,
    )
    return b.build(base="free")


def pinocchio_machine() -> pin.Model:
    """The same machine in Pinocchio: joints in another order, no mimic, the wheel on an unbounded joint."""
    model = pin.Model()
    I = pin.Inertia(BODY["mass"], np.array(BODY["com"]), np.diag(BODY["inertia"]))
    parts = {
        "trunk": ("root_joint", None, pin.JointModelFreeFlyer(), pin.SE3.Identity()),
        "wheel": ("spin", "trunk", pin.JointModelRUBZ(), pin.SE3(np.eye(3), np.array([0.3, 0, 0]))),
        "puck": (
            "table",
            "trunk",
            pin.JointModelPlanar(),
            pin.SE3(pin.rpy.rpyToMatrix(0.4, 0, 0.2), np.array([0.2, 0, 0.3])),
        ),
        "upper": (
            "shoulder",
            "trunk",
            pin.JointModelSpherical(),
            pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0, 0.3, 0.1])),
        ),
        "lower": ("elbow", "upper", pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0, 0, -0.4]))),
        "hand": (
            "slide",
            "lower",
            pin.JointModelPrismaticUnaligned(np.array([1.0, 2.0, 3.0]) / np.sqrt(14)),
            pin.SE3(np.eye(3), np.array([0, 0.1, -0.4])),
        ),
        "finger": ("finger", "hand", pin.JointModelRX(), pin.SE3(np.eye(3), np.array([0, 0, -0.1]))),
    }
    number = {None: 0}
    for body, (joint, parent, kind, place) in parts.items():
        number[body] = model.addJoint(number[parent], kind, place, joint)
        model.appendBodyToJoint(number[body], I, pin.SE3.Identity())
    return model


def mujoco_machine() -> mujoco.MjModel:
    """The same machine in MuJoCo, which has no planar joint; its free joint has no name."""
    inertial = '<inertial pos="0.1 -0.2 0.3" mass="1.3" diaginertia="0.4 0.5 0.6"/>'
    turn = pin.Quaternion(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3)).coeffs()[[3, 0, 1, 2]]
    return mujoco.MjModel.from_xml_string(f"""
        <mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
        <body name="trunk"><freejoint/>{inertial}
          <body name="wheel" pos="0.3 0 0"><joint name="spin" type="hinge" axis="0 0 1"/>{inertial}</body>
          <body name="upper" pos="0 0.3 0.1" quat="{" ".join(map(repr, turn.tolist()))}">
            <joint name="shoulder" type="ball"/>{inertial}
            <body name="lower" pos="0 0 -0.4"><joint name="elbow" type="hinge" axis="0 1 0"/>{inertial}
              <body name="hand" pos="0 0.1 -0.4"><joint name="slide" type="slide" axis="1 2 3"/>{inertial}
                <body name="finger" pos="0 0 -0.1"><joint name="finger" type="hinge" axis="1 0 0"/>{inertial}</body>
              </body></body></body>
        </body></worldbody></mujoco>""")


#: A body that floats over the base, its joint placed and turned, and carries a wheel.
SOLID = """<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="1.3"/>
    <inertia ixx="0.4" ixy="0.01" ixz="0.02" iyy="0.5" iyz="0.03" izz="0.6"/></inertial>"""
PLACED = urdf_text.robot(
    link("ground"),
    link("trunk", SOLID),
    link("wheel", SOLID),
    urdf_text.joint("base", "ground", "trunk", '<origin xyz="0.3 -0.2 1" rpy="0.4 -0.5 1.2"/>', "floating"),
    urdf_text.joint("spin", "trunk", "wheel", '<origin xyz="0.3 0 0" rpy="1 0 0"/><axis xyz="0 0 1"/>', "continuous"),
)


def layouts() -> list[Layout]:
    robot, flat, placed = machine(), machine(planar=False), sixd.load(PLACED)
    names = ["spin", "slide", "elbow", "shoulder", "finger"]
    return [
        pinocchio_layout(robot, pinocchio_machine()),
        mujoco_layout(flat, mujoco_machine()),
        drake_layout(robot, [*names, "table"]),
        bullet_layout(flat, names),
        pinocchio_layout(placed, pin.buildModelFromXML(PLACED)),
        mujoco_layout(placed, mujoco.MjModel.from_xml_string(PLACED)),
        drake_layout(placed, ["spin"]),
        bullet_layout(placed, ["spin"]),
    ]


@pytest.fixture(params=layouts(), ids=lambda layout: f"{layout.peer}, {layout.model.bodies[0].name}")
def layout(request: pytest.FixtureRequest) -> Layout:
    return request.param


def state(robot: sixd.Robot, size: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return robot.random(rng, size), rng.standard_normal((*size, robot.nv)), rng.standard_normal((*size, robot.nv))


def same_attitude(robot: sixd.Robot, q0: np.ndarray, q1: np.ndarray) -> bool:
    return bool(np.abs(robot.difference(q0, q1)).max() < 1e-13)


# ---- against the libraries


@pytest.mark.parametrize("size", [(), (4,), (2, 3)])
def test_inverse_dynamics_of_pinocchio_agree(size: tuple[int, ...]) -> None:
    robot, peer = machine(), pinocchio_machine()
    layout = pinocchio_layout(robot, peer)
    q, v, a = state(robot, size)
    data = peer.createData()
    states = (layout.q_to(q), layout.v_to(q, v), layout.a_to(q, v, a))
    tau = np.empty((*size, peer.nv))
    for k in np.ndindex(size):
        tau[k] = pin.rnea(peer, data, *(x[k] for x in states))
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), layout.tau_from(q, tau), rtol=0, atol=1e-12)


def test_mass_matrix_and_jacobian_of_pinocchio_agree() -> None:
    robot, peer = machine(), pinocchio_machine()
    layout = pinocchio_layout(robot, peer)
    q, _, _ = state(robot)
    data, G = peer.createData(), layout.matrix(q)
    H = pin.crba(peer, data, layout.q_to(q))
    H = np.triu(H) + np.triu(H, 1).T
    np.testing.assert_allclose(robot.mass_matrix(q), G.T @ H @ G, rtol=0, atol=1e-12)
    for joint, body in (("finger", "finger"), ("table", "puck"), ("shoulder", "upper")):
        J = pin.computeJointJacobian(peer, data, layout.q_to(q), peer.getJointId(joint))
        np.testing.assert_allclose(robot.jacobian(q, body), linear_first(J, axis=0) @ G, rtol=0, atol=1e-13)


@pytest.mark.parametrize("mimic", [True, False])
def test_inverse_dynamics_of_mujoco_agree(mimic: bool) -> None:
    robot, peer = machine(planar=False, mimic=mimic), mujoco_machine()
    layout = mujoco_layout(robot, peer)
    q, v, a = state(robot)
    data = mujoco.MjData(peer)
    data.qpos, data.qvel, data.qacc = layout.q_to(q), layout.v_to(q, v), layout.a_to(q, v, a)
    mujoco.mj_inverse(peer, data)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), layout.tau_from(q, data.qfrc_inverse), atol=1e-12)
    for body in ("trunk", "upper", "hand", "finger"):
        pose = robot.pose(q, body)
        np.testing.assert_allclose(data.body(body).xpos, pose[:3, 3], atol=1e-14)
        np.testing.assert_allclose(data.body(body).xmat.reshape(3, 3), pose[:3, :3], atol=1e-14)


def test_forward_dynamics_of_mujoco_agree() -> None:
    robot, peer = machine(planar=False, mimic=False), mujoco_machine()
    layout = mujoco_layout(robot, peer)
    q, v, tau = state(robot)
    data = mujoco.MjData(peer)
    data.qpos, data.qvel, data.qfrc_applied = layout.q_to(q), layout.v_to(q, v), layout.tau_to(q, tau)
    mujoco.mj_forward(peer, data)
    qdd = layout.a_from(q, v, data.qacc)
    np.testing.assert_allclose(qdd, robot.forward_dynamics(q, v, tau), atol=1e-10 * np.abs(qdd).max())


def test_integration_of_pinocchio_agrees() -> None:
    robot, peer = machine(), pinocchio_machine()
    layout = pinocchio_layout(robot, peer)
    q, v, _ = state(robot)
    v[robot.joint("table").v] = 0.0  # Pinocchio moves a planar joint along an arc, sixd along a straight line
    moved = pin.integrate(peer, layout.q_to(q), layout.v_to(q, v))
    assert same_attitude(robot, layout.q_from(moved), robot.integrate(q, v))


def test_integration_of_mujoco_agrees_where_it_turns_about_the_origin() -> None:
    robot, peer = machine(planar=False), mujoco_machine()
    layout = mujoco_layout(robot, peer)
    q, v, _ = state(robot)
    v[robot.joint("base").v.start + 3 : robot.joint("base").v.stop] = 0.0
    moved = layout.q_to(q)
    mujoco.mj_integratePos(peer, moved, layout.v_to(q, v), 1.0)
    assert same_attitude(robot, layout.q_from(moved), robot.integrate(q, v))


# ---- free joints with a placement


def on_pinocchio(robot: sixd.Robot, peer: pin.Model) -> None:
    """Inverse and forward dynamics and the poses of all bodies agree with those of Pinocchio."""
    layout, data = pinocchio_layout(robot, peer), peer.createData()
    q, v, a = state(robot)
    tau = pin.rnea(peer, data, layout.q_to(q), layout.v_to(q, v), layout.a_to(q, v, a))
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), layout.tau_from(q, tau), rtol=0, atol=1e-12)
    pin.framesForwardKinematics(peer, data, layout.q_to(q))
    for body in robot.bodies.names[1:]:
        pose = data.oMf[peer.getFrameId(body, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(robot.pose(q, body), pose, rtol=0, atol=1e-14)


def test_placed_free_joints_agree_with_mujoco() -> None:
    robot, peer = sixd.load(PLACED), mujoco.MjModel.from_xml_string(PLACED)
    layout = mujoco_layout(robot, peer)
    q, v, a = state(robot)
    data = mujoco.MjData(peer)
    data.qpos, data.qvel, data.qacc = layout.q_to(q), layout.v_to(q, v), layout.a_to(q, v, a)
    mujoco.mj_inverse(peer, data)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), layout.tau_from(q, data.qfrc_inverse), atol=1e-12)
    for body in ("trunk", "wheel"):
        pose = robot.pose(q, body)
        np.testing.assert_allclose(data.body(body).xpos, pose[:3, 3], atol=1e-14)
        np.testing.assert_allclose(data.body(body).xmat.reshape(3, 3), pose[:3, :3], atol=1e-14)
    data.qfrc_applied = layout.tau_to(q, a)
    mujoco.mj_forward(peer, data)
    np.testing.assert_allclose(layout.a_from(q, v, data.qacc), robot.forward_dynamics(q, v, a), atol=1e-10)


def test_placed_free_joints_agree_with_pinocchio() -> None:
    on_pinocchio(sixd.load(PLACED), pin.buildModelFromXML(PLACED))


@pytest.mark.parametrize("library", ["Drake", "Bullet"])
def test_placed_free_joints_have_world_coordinates(library: str) -> None:
    robot = sixd.load(PLACED)
    layout = {"Drake": drake_layout, "Bullet": bullet_layout}[library](robot, ["spin"])
    q, v, a = state(robot)
    there, moves = layout.q_to(q), layout.v_to(q, v)
    pose = robot.pose(q, "trunk")
    twist = robot.velocity(q, v, "trunk", expressed_in="aligned")
    rate = robot.acceleration(q, v, a, "trunk", expressed_in="aligned", conventional=True)
    if library == "Drake":
        attitude, position = there[[1, 2, 3, 0]], there[4:7]
    else:
        attitude, position, twist, rate = there[3:7], there[:3], linear_first(twist), linear_first(rate)
    np.testing.assert_allclose(sixd.Transform.from_quaternion(attitude, position).pose(), pose, atol=1e-15)
    np.testing.assert_allclose(moves[:6], twist, atol=1e-14)
    np.testing.assert_allclose(layout.a_to(q, v, a)[:6], rate, atol=1e-14)


@pytest.mark.parametrize("library", ["MuJoCo", "Drake", "Bullet"])
def test_free_joints_on_moving_bodies_are_refused(library: str) -> None:
    b = sixd.Builder("carrier")
    b.body("cart", joint=Prismatic((1, 0, 0)), joint_name="rail", mass=1.0)
    b.body("ball", parent="cart", joint=Free(), joint_name="toss", mass=1.0)
    robot = b.build()
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    peer = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><body><joint name="rail" type="slide" axis="1 0 0"/>{inertial}</body>
        <body><freejoint name="toss"/>{inertial}</body></worldbody></mujoco>"""
    )
    with pytest.raises(sixd.ModelError, match=f"free joint 'toss' stands on 'cart', which moves; {library} has free"):
        {
            "MuJoCo": lambda: mujoco_layout(robot, peer),
            "Drake": lambda: drake_layout(robot, ["rail", "toss"]),
            "Bullet": lambda: bullet_layout(robot, ["rail"]),
        }[library]()


def test_pinocchio_has_free_joints_on_moving_bodies() -> None:
    text = urdf_text.robot(
        *(link(name, SOLID) for name in "abc"),
        urdf_text.joint("rail", "a", "b", LIMIT, "prismatic"),
        urdf_text.joint("toss", "b", "c", '<origin xyz="0.3 -0.2 1" rpy="0.4 -0.5 1.2"/>', "floating"),
    )
    on_pinocchio(sixd.load(text), pin.buildModelFromXML(text))


# ---- other joints of Pinocchio


@pytest.mark.parametrize(("mimic", "peer_mimics"), [(False, False), (True, False), (True, True)])
def test_continuous_joints_and_followers_agree_with_pinocchio(mimic: bool, peer_mimics: bool) -> None:
    # Where Pinocchio couples joints itself, it wants angles as angles, and the leader first.
    kind, inside = ("revolute", LIMIT) if peer_mimics else ("continuous", "")
    follow = '<mimic joint="j0" multiplier="-0.7" offset="0.2"/>'
    text = urdf_text.robot(
        *(link(name, SOLID) for name in "abcde"),
        urdf_text.joint("j0", "a", "b", f'<origin xyz="0.1 0 0.3"/><axis xyz="0 1 0"/>{inside}', kind),
        urdf_text.joint(
            "j1", "b", "c", f'<origin xyz="0 0.1 0.3" rpy="1 0 0.2"/><axis xyz="1 2 3"/>{inside}{follow}', kind
        ),
        urdf_text.joint("j2", "c", "d", f'<origin xyz="0.1 0 0.3"/><axis xyz="0 0 1"/>{inside}{follow}', kind),
        urdf_text.joint("j3", "d", "e", f'<origin xyz="0.1 0 0.3"/><axis xyz="-1 0 0"/>{inside}', kind),
    )
    on_pinocchio(sixd.load(text, mimic=mimic), pin.buildModelFromXML(text, peer_mimics))


def test_euler_angles_agree_with_pinocchio() -> None:
    b = sixd.Builder("gimbal")
    b.body("ball", joint=SphericalEuler(), joint_name="gimbal", xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3), **BODY)
    peer = pin.Model()
    place = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([1.0, 2.0, 3.0]))
    number = peer.addJoint(0, pin.JointModelSphericalZYX(), place, "gimbal")
    I = pin.Inertia(BODY["mass"], np.array(BODY["com"]), np.diag(BODY["inertia"]))
    peer.appendBodyToJoint(number, I, pin.SE3.Identity())
    peer.addBodyFrame("ball", number, pin.SE3.Identity(), 0)
    on_pinocchio(b.build(), peer)


UPRIGHT = urdf_text.arm('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="1 2 3"/>', "planar")


def test_pinocchio_has_planar_joints_about_z_only() -> None:
    with pytest.raises(
        sixd.ModelError, match=r"'j' has the normal \(0.267261, 0.534522, 0.801784\); that of Pinocchio"
    ):
        pinocchio_layout(sixd.load(UPRIGHT), pin.buildModelFromXML(UPRIGHT))
    level = UPRIGHT.replace("1 2 3", "0 0 2")
    on_pinocchio(sixd.load(level), pin.buildModelFromXML(level))


def test_drake_has_planar_joints_about_z_only() -> None:
    with pytest.raises(sixd.ModelError, match="that of Drake moves in the plane x y of its frame"):
        drake_layout(sixd.load(UPRIGHT), ["j"])


def test_planar_joints_of_pinocchio_may_be_turned_to_suit() -> None:
    robot = sixd.load(UPRIGHT)
    plane = robot.joint("j").type
    turn = pin.SE3(np.column_stack([d.array() for d in (plane.u, plane.v, plane.axis)]), np.zeros(3))
    peer, inertia = pin.Model(), robot.bodies["b"].inertia
    place = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([1.0, 2.0, 3.0]))
    number = peer.addJoint(0, pin.JointModelPlanar(), place * turn, "j")
    I = pin.Inertia(float(inertia.m), inertia.com.array(), inertia.I_com.array())
    peer.appendBodyToJoint(number, I, turn.inverse())
    peer.addBodyFrame("b", number, turn.inverse(), 0)
    on_pinocchio(robot, peer)


# ---- laws for all of them


@pytest.mark.parametrize("size", [(), (5,), (2, 3)])
def test_there_and_back_again(layout: Layout, size: tuple[int, ...]) -> None:
    robot = sixd.Robot.of(layout.model)
    q, v, a = state(robot, size)
    there = layout.q_to(q)
    assert there.shape == (*size, layout.nq)
    assert same_attitude(robot, layout.q_from(there), q)
    np.testing.assert_allclose(layout.q_to(layout.q_from(there)), there, rtol=0, atol=1e-15)
    assert layout.v_to(q, v).shape == (*size, layout.nv)
    np.testing.assert_allclose(layout.v_from(q, layout.v_to(q, v)), v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(layout.a_from(q, v, layout.a_to(q, v, a)), a, rtol=0, atol=1e-14)
    np.testing.assert_allclose(layout.tau_from(q, layout.tau_to(q, a)), a, rtol=0, atol=1e-14)


def test_leading_axes_broadcast(layout: Layout) -> None:
    robot = sixd.Robot.of(layout.model)
    q, _, _ = state(robot)
    _, v, a = state(robot, (3,))
    np.testing.assert_array_equal(layout.v_to(q, v)[1], layout.v_to(q, v[1]))
    np.testing.assert_array_equal(layout.a_to(q, v, a)[2], layout.a_to(q, v[2], a[2]))
    np.testing.assert_allclose(layout.matrix(q) @ v[0], layout.v_to(q, v[0]), atol=1e-15)


def test_forces_have_the_same_power(layout: Layout) -> None:
    robot = sixd.Robot.of(layout.model)
    q, v, tau = state(robot, (4,))
    power = (tau * v).sum(axis=-1)
    np.testing.assert_allclose((layout.tau_to(q, tau) * layout.v_to(q, v)).sum(axis=-1), power, atol=1e-13)
    there = np.random.default_rng(3).standard_normal((4, layout.nv))
    power = (there * layout.v_to(q, v)).sum(axis=-1)
    np.testing.assert_allclose((layout.tau_from(q, there) * v).sum(axis=-1), power, atol=1e-13)


def test_accelerations_are_rates_of_velocities(layout: Layout) -> None:
    robot = sixd.Robot.of(layout.model)
    q, v, a = state(robot)
    h = 1e-5
    ahead, behind = (layout.v_to(robot.integrate(q, t * v + 0.5 * t * t * a), v + t * a) for t in (h, -h))
    np.testing.assert_allclose(layout.a_to(q, v, a), (ahead - behind) / (2 * h), rtol=0, atol=1e-8)


def test_single_precision_stays(layout: Layout) -> None:
    robot = sixd.Robot.of(layout.model)
    q, v, a = (x.astype(np.float32) for x in state(robot))
    assert layout.q_to(q).dtype == layout.q_from(layout.q_to(q)).dtype == np.float32
    assert layout.a_to(q, v, a).dtype == layout.tau_from(q, layout.tau_to(q, a)).dtype == np.float32


def test_quaternions_need_not_be_normalised(layout: Layout) -> None:
    robot = sixd.Robot.of(layout.model)
    q, v, _ = state(robot)
    scaled = q.copy()
    scaled[robot.joint("base").q.start : robot.joint("base").q.start + 4] *= -3.0
    np.testing.assert_allclose(layout.v_to(scaled, v), layout.v_to(q, v), atol=1e-14)
    assert same_attitude(robot, layout.q_from(layout.q_to(scaled)), q)


# ---- by hand


def on_the_side() -> tuple[sixd.Robot, np.ndarray, np.ndarray]:
    """A body turned by 90 degrees about z, so that its x axis is the world's y, that turns about and moves along x."""
    b = sixd.Builder("box")
    b.link("box", mass=1.0, inertia=(1, 2, 3))
    b.body("lid", parent="box", joint=Revolute((1, 0, 0)), joint_name="hinge", mass=0.1)
    robot = b.build(base="free")
    half = np.sqrt(0.5)
    return robot, np.array([0, 0, half, half, 1, 2, 3, 0.5]), np.array([10, 0, 0, 20, 0, 0, 7.0])


def test_drake_by_hand() -> None:
    robot, q, v = on_the_side()
    half, layout = np.sqrt(0.5), drake_layout(robot, ["hinge"])
    np.testing.assert_allclose(layout.q_to(q), [half, 0, 0, half, 1, 2, 3, 0.5])
    np.testing.assert_allclose(layout.v_to(q, v), [0, 10, 0, 0, 20, 0, 7], atol=1e-14)


def test_bullet_by_hand() -> None:
    robot, q, v = on_the_side()
    half, layout = np.sqrt(0.5), bullet_layout(robot, ["hinge"])
    np.testing.assert_allclose(layout.q_to(q), [1, 2, 3, 0, 0, half, half, 0.5])
    np.testing.assert_allclose(layout.v_to(q, v), [0, 20, 0, 0, 10, 0, 7], atol=1e-14)


def test_drake_base_may_be_named_and_stand_anywhere() -> None:
    robot, q, _ = on_the_side()
    assert drake_layout(robot, ["hinge", "base"]).q_to(q)[0] == 0.5


def test_drake_ball_joint_by_hand() -> None:
    b = sixd.Builder("ball")
    b.body("ball", joint=Spherical(), joint_name="socket", mass=1.0)
    layout = drake_layout(b.build(), ["socket"])
    half = np.sqrt(0.5)
    q = np.array([0, 0, half, half])
    np.testing.assert_allclose(layout.q_to(q), [0, 0, np.pi / 2], atol=1e-15)
    np.testing.assert_allclose(layout.v_to(q, [1, 0, 0]), [0, 1, 0], atol=1e-15)


def test_joints_that_are_the_same_everywhere() -> None:
    b = sixd.Builder("cardan")
    b.body("shaft", joint=Universal(), joint_name="cross", mass=1.0)
    layout = drake_layout(b.build(), ["cross"])
    np.testing.assert_array_equal(layout.q_to([1, 2]), [1, 2])


def test_pinocchio_forgets_whole_turns() -> None:
    robot = machine()
    layout = pinocchio_layout(robot, pinocchio_machine())
    q, _, _ = state(robot)
    spin = robot.joint("spin").q
    q[spin] = 7.0
    np.testing.assert_allclose(layout.q_from(layout.q_to(q))[spin], 7.0 - 2 * np.pi)


def test_six_vectors_change_halves() -> None:
    np.testing.assert_array_equal(linear_first([1, 2, 3, 4, 5, 6]), [4, 5, 6, 1, 2, 3])
    J = np.arange(12).reshape(6, 2)
    np.testing.assert_array_equal(linear_first(linear_first(J, axis=0), axis=0), J)


# ---- refusals


def test_wrong_shapes_name_the_argument() -> None:
    robot, q, v = on_the_side()
    layout = drake_layout(robot, ["hinge"])
    with pytest.raises(sixd.ShapeError, match=r"q needs 8 entries.*\(7,\)"):
        layout.q_to(q[:7])
    with pytest.raises(sixd.ShapeError, match="v of Drake needs 7 entries"):
        layout.v_from(q, v[:6])
    with pytest.raises(sixd.ShapeError, match="tau needs 7 entries"):
        layout.tau_to(q, 1.0)


def test_names_must_fit() -> None:
    robot, _, _ = on_the_side()
    with pytest.raises(sixd.NameNotFoundError, match="did you mean 'hinge'"):
        drake_layout(robot, ["hing"])
    with pytest.raises(sixd.ModelError, match="Bullet does not have joint 'hinge'"):
        bullet_layout(robot, [])
    with pytest.raises(sixd.ModelError, match="two joints for one"):
        bullet_layout(robot, ["hinge", "hinge"])


def test_joint_types_a_library_lacks() -> None:
    b = sixd.Builder("puck")
    b.body("puck", joint=Planar(), joint_name="table", mass=1.0)
    with pytest.raises(sixd.ModelError, match="Bullet has no planar joint"):
        bullet_layout(b.build(), ["table"])


def test_types_must_fit() -> None:
    b = sixd.Builder("other")
    b.link("trunk", mass=1.0)
    b.body("wheel", parent="trunk", joint=Free(), joint_name="spin", mass=1.0)
    model = pin.Model()
    number = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    model.addJoint(number, pin.JointModelRX(), pin.SE3.Identity(), "spin")
    with pytest.raises(sixd.ModelError, match="joint 'spin' is free here, but another type in Pinocchio"):
        pinocchio_layout(b.build(base="free"), model)
