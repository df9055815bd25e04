"""Every law at its special points: at rest, at zero distance, neutral, with equal moments, at a limit, just touching.

A case is a function of a few numbers and a point of it. `examine` compares its derivatives there, recorded forward and
backward, the same once more over forward ones, and by dual numbers, with differences in 40 digits to both sides.

    python -m tests.laws.special_points      prints the table
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import mpmath
import numpy as np

import sixd
from sixd import Coupling, Distance, Grasp, Loop, Prescribed, PrescribedFrame, Rolling, algorithms
from sixd.constraints import CONSTRAINTS
from sixd.dual import derivatives, duals
from sixd.errors import SixdError
from sixd.ik import error as ik
from sixd.ik.plan import GoalFrame
from sixd.ik.targets import KINDS as GOALS
from sixd.ir import Port, interpret, trace
from sixd.ir.autodiff import directional, forward, reverse
from sixd.ir.tracer import FUNCTIONS
from sixd.joints import JOINTS, Free, Joint
from sixd.lie import quaternion, se3, so3
from sixd.runtime.results import flat, parts
from sixd.simulation import Differentiable
from sixd.simulation.contact import (
    GROUNDS,
    HEIGHTS,
    SHAPES,
    Box,
    Bump,
    Capsule,
    Compliant,
    ContactForces,
    Contacts,
    Grid,
    HeightField,
    Plane,
    Point,
    Rigid,
    Slope,
    Sphere,
    Stair,
    Wave,
)
from sixd.simulation.controllers import CONTROLLERS
from sixd.simulation.forces import (
    ELEMENTS,
    CentralGravity,
    Drag,
    ForceElement,
    JointFriction,
    JointStops,
    PointSpring,
    Wind,
)
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.smooth import bounded, length, positive, root, soft_sign
from sixd.simulation.system import State, array_of
from sixd.spatial import Matrix, Motion, Transform, Vector
from tests.simulation.bodies import ball, body, slider

Function = Callable[[list[Any]], Any]
#: The step of differences: far above the rounding of floats, which decides on which side of a kink they are.
STEP = mpmath.mpf(10) ** -13
#: What derivatives may differ by from differences, relative to the largest: forces of d^(3/2) bend as sqrt(STEP).
BOUND = 1e-5


@dataclass(frozen=True)
class Case:
    """A function at a point; ``where`` says what is special there.

    ``none`` is why it has no value there, if so; ``jump`` is why it has no slope there: then derivatives, which a rule
    of the law sets, must be finite and agree with each other.
    """

    group: str
    law: str
    where: str
    function: Function
    point: tuple[float, ...]
    none: str = ""
    jump: str = ""

    @property
    def name(self) -> str:
        return f"{self.group}: {self.law}, {self.where}"

    def numbers(self, x: Sequence[Any]) -> list[Any]:
        """The results at x, one after the other."""
        return [entry for _, part in parts(self.function(list(x))) for entry in flat(part)[1]]


class Found(NamedTuple):
    """What was found: "smooth", "kink", "jump" or "no value"; and what is wrong with derivatives, if anything."""

    kind: str
    mistakes: list[str]


def examine(case: Case) -> Found:
    """Compare all derivatives at a point."""
    n = len(case.point)
    with np.errstate(all="ignore"), mpmath.workdps(40):
        value = np.array(case.numbers(case.point), dtype=float)
        if not np.isfinite(value).all():
            return Found("no value", [] if case.none else ["no value"])
        if case.none:
            return Found("no value", ["it has a value"])
        rng = np.random.default_rng(0)
        along = [*np.eye(n)[:6], *rng.normal(size=(2, n))]
        jacobian, mistakes = _recorded(case, value.size, along, rng)
        size = BOUND * max(1.0, float(np.abs(jacobian).max(initial=0.0)))
        mistakes += _by_dual_numbers(case, jacobian)
        if case.jump:
            return Found("jump", mistakes)
        kinks, precise, point = False, _precise(case), list(map(mpmath.mpf, case.point))
        here = precise(point)
        for d in along:
            ahead, back = (
                (precise([x + s * STEP * float(a) for x, a in zip(point, d, strict=True)]) - here) / (s * STEP)
                for s in (1, -1)
            )
            low, high = np.minimum(ahead, back).astype(float), np.maximum(ahead, back).astype(float)
            kinks = kinks or bool((high - low > 2.0 * size).any())
            found = jacobian @ d
            if not ((found >= low - size) & (found <= high + size)).all():
                k = int(np.argmax(np.maximum(low - found, found - high)))
                mistakes.append(f"result {k}: {found[k]}, differences {low[k]} and {high[k]}")
    return Found("kink" if kinks else "smooth", mistakes)


def _recorded(case: Case, m: int, along: list[Any], rng: Any) -> tuple[Any, list[str]]:
    """The Jacobian, and where other recorded derivatives differ from it."""
    n, weights, d = len(case.point), rng.normal(size=m), along[-1]

    def all_kinds(x: list[Any]) -> Any:
        results = case.numbers(x)
        total = sum((w * y for w, y in zip(weights.tolist(), results, strict=True)), 0.0)
        columns = [row.get(k, 0.0) for row in forward(results, x) for k in range(n)]
        slope = directional([total], x, d.tolist())[0].get(0, 0.0)
        (mixed,) = forward([slope], x)
        return [
            ("jacobian", (m, n), columns),
            ("backward", (n,), reverse([total], [1.0], x)),
            ("forward over forward", (n,), [mixed.get(k, 0.0) for k in range(n)]),
            ("backward over forward", (n,), reverse([slope], [1.0], x)),
            ("forward over backward", (n,), _along(reverse([total], [1.0], x), x, d)),
        ]

    program = trace(all_kinds, [Port("x", (n,))], "special")
    jacobian, back, *second = interpret(program, np.array(case.point))
    mistakes = []
    if not np.isfinite(jacobian).all():
        mistakes.append("forward is not finite")
    if not _agree(back, weights @ jacobian):
        mistakes.append(f"backward {back}, forward {weights @ jacobian}")
    for name, x in zip(("backward over forward", "forward over backward"), second[1:], strict=True):
        if np.isfinite(second[0]).all() and not _agree(x, second[0]):
            mistakes.append(f"{name} {x}, forward over forward {second[0]}")
    return jacobian, mistakes


def _along(gradient: list[Any], x: list[Any], d: Any) -> list[Any]:
    return [row.get(0, 0.0) for row in directional(gradient, x, d.tolist())]


def _agree(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-8, atol=1e-8 * max(1.0, float(np.abs(b).max(initial=0.0)))))


def _by_dual_numbers(case: Case, jacobian: Any) -> list[str]:
    for k, unit in enumerate(np.eye(len(case.point))[:3]):
        column = np.array(derivatives(case.numbers(duals(case.point, unit.tolist()))), dtype=float)
        if not _agree(column, jacobian[:, k]):
            return [f"dual numbers {column}, recorded {jacobian[:, k]}"]
    return []


def _precise(case: Case) -> Callable[[list[Any]], Any]:
    """The function on high-precision numbers, from a recording."""

    def recorded(x: list[Any]) -> Any:
        found = case.numbers(x)
        return [("y", (len(found),), found)]

    program = trace(recorded, [Port("x", (len(case.point),))], "special")

    def run(x: list[Any]) -> Any:
        values: list[Any] = []
        for node in program.nodes:
            if node.op == "const":
                values.append(mpmath.mpf(node.attr))
            elif node.op == "input":
                values.append(x[node.attr[1]])
            else:
                values.append(FUNCTIONS[node.op](*node.tables, *(values[a] for a in node.args)))
        return np.array([values[k] for k in program.results[0]], dtype=object)

    return run


# ---- robots


def hopper() -> sixd.Robot:
    """A trunk on a free base and an upright leg that slides: round blocks at its foot."""
    builder = sixd.Builder("hopper")
    builder.body("trunk", joint=Free(), mass=3.0, com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
    slide = sixd.joints.Prismatic((0, 0, 1))
    builder.body("leg", parent="trunk", joint=slide, mass=0.5, com=(0, 0, -0.2), inertia=(0.003, 0.003, 5e-4))
    builder.frame("foot", on="leg", xyz=(0, 0, -0.4))
    return builder.build()


def twins() -> sixd.Robot:
    """A trunk on a ball joint with two equal arms, mirror images."""
    builder = sixd.Builder("twins")
    builder.body("trunk", joint=sixd.joints.Spherical(), mass=2.0, com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
    for side, y in (("left", 0.1), ("right", -0.1)):
        hinge = sixd.joints.Revolute((0, 1, 0))
        inertia = (0.002, 0.002, 1e-4)
        builder.body(
            side,
            parent="trunk",
            joint=hinge,
            xyz=(0, y, 0),
            mass=0.5,
            com=(0, 0, -0.1),
            inertia=inertia,
            lower=-1,
            upper=1,
        )
    return builder.build()


#: Robots with equal moments, parallel axes, and mirror images.
ROBOTS = {"ball": ball(), "stretched arm": sixd.gallery.double_pendulum(), "twins": twins()}


def around(
    robot: Any, q: Any, qd: Any, function: Callable[[list[Any], list[Any]], Any]
) -> tuple[Function, tuple[float, ...]]:
    """A function of (q, qd) as one of the way from q and of qd, and the point there."""
    q, nv = np.asarray(q, dtype=float), robot.nv

    def of(x: list[Any]) -> Any:
        return function(list(algorithms.integrate(robot, q, array_of(x[:nv]))), x[nv:])

    return of, (0.0,) * nv + tuple(map(float, qd))


def states(robot: Any) -> Iterator[tuple[str, Any, Any]]:
    """Neutral and elsewhere, at rest and not."""
    rng = np.random.default_rng(3)
    moving = np.round(rng.normal(size=robot.nv), 3)
    yield "neutral, at rest", robot.neutral(), np.zeros(robot.nv)
    yield "neutral, moving", robot.neutral(), moving
    yield "elsewhere, at rest", robot.random(1), np.zeros(robot.nv)


# ---- force elements and contact


def loads_and_energy(element: ForceElement, robot: Any, inputs: Any, q: list[Any], qd: list[Any]) -> Any:
    moment = Moment(robot, 0.0, q, qd, inputs, element.base(0.0))
    loads = Loads(robot)
    element.apply(moment, loads)
    bodies = [x for f in loads.bodies[1:] for x in f.components()]
    return array_of([*loads.tau, *bodies, element.energy(moment)])


def element_case(law: str, where: str, element: ForceElement, robot: Any, q: Any, qd: Any, **why: str) -> Case:
    inputs = {name: np.zeros(shape) for name, shape in element.inputs(robot).items()}
    of = around(robot, q, qd, partial(loads_and_energy, element, robot, inputs))
    if isinstance(element, PointSpring) and (element.rest_length or element.damping):
        ends = (robot.pose(q, x)[:3, 3] if isinstance(x, str) else np.array(x) for x in (element.a, element.b))
        if np.array_equal(*ends):
            why["jump"] = "its ends meet: there the force has no direction"
    group = "law of contact" if isinstance(element, ContactForces) else "force element"
    return Case(group, law, where, *of, **why)


def of_elements() -> Iterator[Case]:
    for (name, kind), (title, robot) in product(ELEMENTS.items(), ROBOTS.items()):
        try:
            elements = [e for e in kind.examples(robot) if not isinstance(e, ContactForces)]
            for element in elements:
                element.check(robot)
        except SixdError:  # the examples are for other robots
            continue
        for k, element in enumerate(elements):
            for where, q, qd in states(robot):
                yield element_case(name, f"{k + 1}, {title}, {where}", element, robot, q, qd)
    robot, still = ROBOTS["ball"], np.zeros(6)
    q, frame = robot.neutral(), "body"
    falling = np.array([0, 0, 0, 0, 0, -1.0])
    for where, element in (
        ("of zero length", PointSpring(frame, (0, 0, 0), 5.0)),
        ("of zero length with a rest length", PointSpring(frame, (0, 0, 0), 5.0, rest_length=0.1)),
        ("of zero length with a damper", PointSpring(frame, (0, 0, 0), 5.0, damping=2.0)),
    ):
        for what, qd in (("at rest", still), ("moving", falling)):
            yield element_case("point_spring", f"{where}, {what}", element, robot, q, qd)
    yield element_case("wind", "calm", Wind(frame, (0, 0, 0), 0.4), robot, q, still)
    yield element_case("wind", "as fast as the body", Wind(frame, (0, 0, -1), 0.4), robot, q, falling)
    drag = Drag(frame, quadratic=1.0, angular_quadratic=0.2, current=(0, 0, -1))
    yield element_case("drag", "as fast as the fluid", drag, robot, q, falling)
    yield element_case("central_gravity", "at its center", CentralGravity(3.0), robot, q, still, none="infinite")
    arm = ROBOTS["stretched arm"]
    stops = JointStops(100.0, lower=0.0, upper=1.0)
    for speed in (-1.0, 0.0, 1.0):
        qd = np.full(2, speed)
        yield element_case("joint_stops", f"at a limit with {speed:g}", stops, arm, np.zeros(2), qd)
    still = np.zeros(2)
    yield element_case("joint_stops", "where damping lets go", stops, arm, -0.1 * np.ones(2), np.ones(2))
    yield element_case("joint_friction", "at rest", JointFriction(1.0, 2.0), arm, still, still)


def of_compliant_contact() -> Iterator[Case]:
    robot = body()
    soft = {"stiffness": 10.0}
    laws = {"compliant": Compliant(**soft), "without slip speed": Compliant(slip_speed=0.0, **soft)}
    laws["without friction"] = Compliant(friction=0.0, **soft)
    shapes = {
        "point": Point("body"),
        "sphere": Sphere("body", 0.1),
        "capsule": Capsule("body", 0.1, 0.4),
        "box": Box("body", (0.2, 0.3, 0.2)),
    }
    assert set(shapes) == set(SHAPES)
    low = {"point": 0.0, "sphere": 0.1, "capsule": 0.3, "box": 0.1}
    ways = {
        "at rest": (0.0,) * 6,
        "sliding": (0, 0, 0, 1, 0, 0),
        "landing": (0, 0, 0, 0, 0, -1),
        "leaving": (0, 0, 0, 0, 0, 0.5),
    }
    for (law, made), (shape, place), (height, above) in product(
        laws.items(), shapes.items(), (("touching", 0.0), ("in the air", 0.5), ("in the ground", -0.01))
    ):
        if law != "compliant" and shape != "point":
            continue
        (element,) = Contacts([place], law=made).elements()
        q = robot.neutral()
        q[6] = low[shape] + above
        for way, qd in ways.items():
            yield element_case(law, f"{shape}, {height}, {way}", element, robot, q, qd)


def of_rigid_contact() -> Iterator[Case]:
    """Whole steps. A site at the ground exactly has the derivative of one above it, so its kink is told."""
    yield from rigid_cases("ball", ball(), 0.1, Sphere("body", 0.1), ((0.8, 0.0), (0.8, 0.5), (0.0, 0.5)))
    car, held = slider(3.0), Contacts([], law=Rigid(joint_friction=True))
    for where, speed in (("at rest", 0.0), ("slipping", 1.0)):
        yield step_case("law of contact", "rigid, joints", where, car, [0.0], [speed], contacts=held)


def of_rigid_contact_of_a_hopper() -> Iterator[Case]:
    """The same with a foot at the end of a leg."""
    yield from rigid_cases("hopper", hopper(), 0.4, Point("foot"), ((0.8, 0.0), (0.0, 0.5)))


def rigid_cases(title: str, robot: Any, low: float, shape: Any, parameters: Any) -> Iterator[Case]:
    """A body that touches the ground at the height ``low``; ``parameters`` are friction, restitution."""
    for friction, restitution in parameters:
        contacts = Contacts([shape], law=Rigid(friction=friction, restitution=restitution, sweeps=2))
        for (height, above), (way, v) in product(
            (("at the ground", 0.0), ("in the air", 0.25), ("in the ground", -0.01)),
            (("at rest", (0, 0, 0)), ("sliding", (1, 0, 0)), ("landing", (0, 0, -1))),
        ):
            q, qd = robot.neutral(), np.zeros(robot.nv)
            q[6], qd[3:6] = low + above, v
            law = f"rigid, friction {friction:g}, restitution {restitution:g}"
            yield step_case("law of contact", law, f"{title}, {height}, {way}", robot, q, qd, contacts=contacts)


def step_case(group: str, law: str, where: str, robot: Any, q: Any, qd: Any, **how: Any) -> Case:
    """A step of a simulation: the way and the velocity at its end."""
    made = Differentiable(robot, dt=2.0**-7, **how)

    def after(q: list[Any], qd: list[Any]) -> Any:
        state = State(q, qd, [], [0.0] * made.step.memory)
        end = made.step.after(robot, state, [0.0] * robot.nv, 0.0, made.dt, {})
        way = algorithms.difference(robot, np.asarray(robot.neutral(), dtype=float), array_of(end.q))
        return array_of([*way, *end.qd])

    return Case(group, law, where, *around(robot, q, qd, after))


def of_grounds() -> Iterator[Case]:
    rough = np.round(np.random.default_rng(7).uniform(-0.1, 0.1, size=(4, 4)), 3)
    heights = {
        "slope": [("level", Slope(), (0, 0)), ("steep", Slope(3.0, -2.0), (0, 0))],
        "wave": [("its top", Wave(0.1, 1.0), (0.25, 0.0)), ("its middle", Wave(0.1, 1.0), (0, 0))],
        "bump": [("its top", Bump(0, 0, 0.1, 0.5), (0, 0)), ("its edge", Bump(0, 0, 0.1, 0.5), (0.5, 0))],
        "stair": [(s, Stair(0.0, 0.2, 0.25), (x, 0)) for s, x in (("foot", -0.125), ("middle", 0), ("top", 0.125))],
        "grid": [
            (f"{smooth}, {s}", Grid(rough, 0.5, (0.0, 0.0), smooth), place)
            for smooth in ("linear", "cubic")
            for s, place in (
                ("a point", (0.5, 0.5)),
                ("a line", (0.5, 0.25)),
                ("an edge", (0.0, 0.25)),
                ("beyond", (-1, 0.3)),
            )
        ],
    }
    assert set(heights) == set(HEIGHTS)
    assert set(GROUNDS) == {"plane", "height field"}
    grounds = [("plane", "the floor", Plane(), (0, 0)), ("plane", "a wall", Plane((1, 0, 0)), (0, 0))]
    grounds += [("plane", "a ceiling", Plane((0, 0, -1.0)), (0, 0))]
    grounds += [(name, s, HeightField(h), xy) for name, each in heights.items() for s, h, xy in each]
    for (name, where, ground, (x, y)), radius in product(grounds, (0.0, 0.05)):

        def nearest(p: list[Any], ground: Any = ground, radius: float = radius) -> Any:
            found = ground.below_ball(Vector(p), radius)
            return array_of([found.gap, *(x for axis in found.axes for x in axis)])

        edge = "its normal jumps at the lines of the grid" if "linear" in where and "beyond" not in where else ""
        yield Case("ground", name, f"{where}, radius {radius:g}", nearest, (float(x), float(y), 0.1), jump=edge)


# ---- controllers


#: Controllers of a frame, which must be able to move in all directions of its task: the arm can, but not stretched.
OF_FRAMES = "operational_space", "hybrid_force"
ARM = sixd.gallery.seven_axis_arm()


def of_controllers() -> Iterator[Case]:
    for (name, kind), (title, robot) in product(CONTROLLERS.items(), {**ROBOTS, "arm": ARM}.items()):
        if (title != "arm" and title != "ball") if name in OF_FRAMES else title == "arm":
            continue
        for k, controller in enumerate(kind.examples(robot)):
            for where, q, qd in states(robot):
                inputs = {n: target_of(robot, n, shape, q) for n, shape in controller.inputs(robot).items()}

                def torque(
                    q: list[Any], qd: list[Any], robot: Any = robot, part: Any = controller, given: Any = inputs
                ) -> Any:
                    return array_of(list(part.torque(Moment(robot, 0.0, q, qd, given))))

                none = "the arm is stretched" if title == "arm" and "neutral" in where else ""
                yield Case("controller", name, f"{k + 1}, {title}, {where}", *around(robot, q, qd, torque), none)


def target_of(robot: Any, name: str, shape: tuple[int, ...], q: Any) -> Any:
    """Where the robot is already; zero rates and forces."""
    pose = robot.pose(q, robot.frames[-1].name)
    if name == "q_target":
        return np.asarray(q, dtype=float)
    if name == "x_target":
        return pose if shape == (4, 4) else pose[:3, 3]
    return np.zeros(shape)


# ---- constraints, joints, Lie groups, inverse kinematics, geometry


def moved(x: list[Any], X: Transform) -> Transform:
    return se3.exp(Motion.from_components(x)) @ X


def of_constraints() -> Iterator[Case]:
    robot = ROBOTS["twins"]
    a, b = "left", "right"
    up = Transform.translation((0.0, 0.0, 0.5))
    here, aside = Transform.identity(), Transform.rotation((1.0, 0.0, 0.0), 0.5 * np.pi)
    axes = {"revolute": "z", "prismatic": "z", "cylindrical": "z", "helical": "z"}
    loops = [(f"loop: {j}", Loop(a, b, j, **({"axis": axes[j]} if j in axes else {}))) for j in closing(a, b, axes)]
    listed: list[tuple[str, Any, dict[str, Transform], str]] = [
        *((name, loop, {"coinciding": here, "turned by a right angle": aside}, "") for name, loop in loops),
        ("distance", Distance(a, b, 0.5), {"kept": up}, ""),
        ("distance", Distance(a, b, 0.5), {"zero": here}, "no direction"),
        ("grasp", Grasp(a, b, here), {"coinciding": here}, ""),
        ("prescribed frame", PrescribedFrame(a, b, "pose"), {"pose coinciding": here}, ""),
        ("prescribed frame", PrescribedFrame(a, b, "rotation"), {"rotation coinciding": here}, ""),
        ("prescribed frame", PrescribedFrame(a, b, "position"), {"position coinciding": here}, ""),
        ("rolling", Rolling(a, b, 0.5), {"touching": up}, ""),
        ("rolling", Rolling(a, b, 0.5, "wheel", axis="y"), {"upright": up}, ""),
        ("rolling", Rolling(a, b, 0.5, "wheel", axis="z"), {"lying flat": up}, "no lowest point"),
        ("coupling", Coupling({robot.joints[1].name: 1.0, robot.joints[2].name: -1.0}), {"neutral": here}, ""),
        ("prescribed", Prescribed(robot.joints[1].name), {"neutral": here}, ""),
    ]
    own = {name for name, kind in CONSTRAINTS.items() if kind.__module__.startswith("sixd.")}
    assert {constraint.kind for _, constraint, _, _ in listed} == own
    speed = Motion.from_components([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    for name, constraint, places, none in listed:
        sizes = [robot.joint(j).type.nq for j in constraint.joints]
        for where, X in places.items():

            def of(x: list[Any], c: Any = constraint, X: Transform = X, sizes: Any = tuple(sizes)) -> Any:
                there, rest = moved(x[:6], X), iter(x[6:])
                q = [Vector([next(rest) for _ in range(n)]) for n in sizes]
                rate = c.force_rate(there, speed).components()
                return array_of([*c.error(there, q), *c.forces(there).components(), *rate])

            yield Case("constraint", name, where, of, (0.0,) * (6 + sum(sizes)), none)


def closing(a: str, b: str, axes: dict[str, str]) -> Iterator[str]:
    """The types of joints that can close loops."""
    for name in JOINTS:
        try:
            Loop(a, b, name, **({"axis": axes[name]} if name in axes else {}))
        except SixdError:
            continue
        yield name


def of_joints() -> Iterator[Case]:
    for name, kind in JOINTS.items():
        if not kind.__module__.startswith("sixd."):
            continue
        for k, joint in enumerate(kind.examples()):
            neutral = Vector(list(map(float, joint.neutral())))
            places = {"neutral": neutral}
            if name == "revolute":
                places["half a turn"] = Vector((np.pi,))
            for where, q in places.items():
                for speed, qd in (("at rest", 0.0), ("moving", 0.5)):
                    point = (0.0,) * joint.nv + (qd,) * joint.nv
                    yield Case("joint", name, f"{k + 1}, {where}, {speed}", partial(of_joint, joint, q), point)


def of_joint(joint: Joint, q: Vector, x: list[Any]) -> Any:
    there, qd = joint.integrate(q, Vector(x[: joint.nv])), Vector(x[joint.nv :])
    X = joint.transform(there)
    found = [*X.components(), *joint.subspace(there).components(), *joint.bias(there, qd).components()]
    found += [
        *joint.difference(q, there),
        *joint.difference(there, joint.integrate(there, qd)),
        *joint.integrate(q, qd),
    ]
    with suppress(SixdError):  # if it cannot close loops
        found += [*joint.nearest(X)]
    return array_of(found)


def of_lie_groups() -> Iterator[Case]:
    points = {
        "zero": (0.0,) * 3,
        "tiny": (0.0, 2.0**-40, 0.0),
        "half a turn": (0.0, 0.0, 3.0),
        "about x": (1.0, 0.0, 0.0),
    }
    rest = {"zero": (0.0,) * 3, "along z": (0.0, 0.0, 1.0)}
    by_vector = [f for f in so3.__all__ if f != "log"]
    for where, phi in points.items():
        for name in by_vector:
            yield Case("Lie group", f"so3.{name}", where, lambda x, name=name: getattr(so3, name)(Vector(x)), phi)
        yield Case("Lie group", "so3.log", where, lambda x, phi=phi: so3.log(so3.exp(Vector(x))), phi)
        yield Case("Lie group", "quaternion_exp", where, lambda x: quaternion.quaternion_exp(Vector(x)), phi)
        q = tuple(map(float, quaternion.quaternion_exp(Vector(phi))))
        yield Case("Lie group", "quaternion_log", where, lambda x: quaternion.quaternion_log(Vector(x)), q)
    for (a, phi), (b, r) in product(points.items(), rest.items()):
        for name in ("exp", "left_jacobian", "left_jacobian_inverse", "right_jacobian", "right_jacobian_inverse"):
            of = getattr(se3, name)
            at = f"{a}, {b}"
            yield Case("Lie group", f"se3.{name}", at, lambda x, f=of: f(Motion.from_components(x)), phi + r)
        yield Case("Lie group", "se3.log", at, lambda x: se3.log(se3.exp(Motion.from_components(x))), phi + r)


def of_inverse_kinematics() -> Iterator[Case]:
    for (title, robot), (kind, _), (where, turn) in product(
        ROBOTS.items(),
        GOALS.items(),
        (("reached", 0.0), ("a right angle away", 0.5 * np.pi), ("almost half a turn", 3.0)),
    ):
        frame = robot.frames[-1]
        place, q = GoalFrame(frame.body, frame.offset, kind), robot.neutral()
        pose = robot.pose(q, frame.name)
        R = pose[:3, :3] @ np.array(so3.exp((0.0, 0.0, turn)).array(), dtype=float)
        target = np.array([*R.ravel(), *pose[:3, 3]])

        def of(x: list[Any], robot: Any = robot, target: Any = target, place: Any = place, q: Any = q) -> Any:
            there = algorithms.integrate(robot, np.asarray(q, dtype=float), array_of(x))
            e, slope = ik.error_and_slope(robot, there, target, place)
            return array_of([*np.asarray(e, dtype=object), *np.asarray(slope, dtype=object).ravel()])

        yield Case("inverse kinematics", kind, f"{title}, {where}", of, (0.0,) * robot.nv)


def of_geometry() -> Iterator[Case]:
    upright = Transform(Matrix([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), Vector.zero())
    attitudes = {
        "neutral": Transform.identity(),
        "half a turn": Transform.rotation((0.0, 1.0, 0.0), np.pi),
        "pointing up": upright,
    }
    for (where, X), name in product(attitudes.items(), ("rpy", "quaternion")):
        jump = "roll and yaw are not unique" if (where, name) == ("pointing up", "rpy") else ""
        of = partial(lambda name, X, x: getattr(moved(x, X), name)(), name, X)
        yield Case("geometry", name, where, of, (0.0,) * 6, jump=jump)
    small = {
        "length": lambda x: length(Vector(x)),
        "root": lambda x: array_of([root(x[0] * x[0] * x[0])]),
        "positive": lambda x: array_of([positive(x[0])]),
        "bounded": lambda x: array_of([bounded(x[0], -1.0, 1.0)]),
        "soft_sign": lambda x: array_of([soft_sign(x[0], 0.1)]),
    }
    for name, f in small.items():
        for where, at in (("zero", 0.0), ("a bound", 1.0)):
            yield Case("function", name, where, f, (at, 0.0, 0.0))


#: Where derivatives by algorithms of robots are taken: symmetric robots, neutral and at rest.
DYNAMICS = ("rnea", "aba", "crba", "forward_dynamics_crba", "kinetic_energy", "potential_energy", "centroidal_momentum")


def of_algorithms() -> Iterator[Case]:
    for name, (title, robot) in product(DYNAMICS, ROBOTS.items()):
        algorithm = algorithms.ALGORITHMS[name]
        for where, q, qd in states(robot):

            def of(q: list[Any], qd: list[Any], f: Any = algorithm, robot: Any = robot) -> Any:
                values = {"q": array_of(q), "qd": array_of(qd), "qdd": array_of(qd), "tau": array_of(qd)}
                return f(sixd.model.ModelTree(robot), **{k: values[k] for k in f.arguments if k in values})

            yield Case("algorithm", name, f"{title}, {where}", *around(robot, q, qd, of))


#: Methods of forward dynamics with constraints.
CONSTRAINED = tuple(name for name in algorithms.ALGORITHMS if name.startswith("constrained_forward_dynamics"))


def of_closed_robots() -> Iterator[Case]:
    """A square four-bar, whose opposite bars are parallel."""
    square = sixd.mechanisms.four_bar(1.0, 1.0, 1.0, 1.0, angle=0.5 * np.pi)
    for name in CONSTRAINED:
        for where, rate in (("at rest", 0.0), ("moving", 0.5)):
            robot = square.robot
            qd = robot.project(square.q, np.full(robot.nv, rate))[1] if rate else np.zeros(robot.nv)

            options = {"independent": (0,)} if name.endswith("embedding") else {}

            def of(
                q: Any, qd: Any, f: Any = algorithms.ALGORITHMS[name], robot: Any = robot, how: Any = options
            ) -> Any:
                return f(sixd.model.ModelTree(robot), array_of(q), array_of(qd), array_of([0.3] * robot.nv), **how)

            yield Case("algorithm", name, f"square four-bar, {where}", *around(robot, square.q, qd, of))


SOURCES = (
    *(of_elements, of_compliant_contact, of_rigid_contact, of_rigid_contact_of_a_hopper, of_grounds, of_controllers),
    *(of_constraints, of_joints, of_lie_groups, of_inverse_kinematics, of_geometry, of_algorithms, of_closed_robots),
)


KINDS = "smooth", "kink", "jump", "no value"


def table() -> str:
    """How many laws and points there are of each group, and what they are."""
    rows = ["| group | laws | points | smooth | at a kink | at a jump | no value | wrong |", "|---" * 8 + "|"]
    total: Counter[str] = Counter()
    laws = set()
    groups: dict[str, list[tuple[Case, Found]]] = {}
    for source in SOURCES:
        for case in source():
            groups.setdefault(case.group, []).append((case, examine(case)))
    for group, found in groups.items():
        own = {case.law for case, _ in found}
        laws |= {(group, law) for law in own}
        kinds = Counter(result.kind for _, result in found)
        wrong = sum(bool(result.mistakes) for _, result in found)
        total.update({**kinds, "wrong": wrong, "points": len(found)})
        numbers = len(own), len(found), *(kinds[k] for k in KINDS), wrong
        rows.append(f"| {group} | {' | '.join(map(str, numbers))} |")
    numbers = (len(laws), *(total[k] for k in ("points", *KINDS, "wrong")))
    rows.append(f"| all | {' | '.join(map(str, numbers))} |")
    for found in groups.values():
        rows += [f"{case.name}: {'; '.join(result.mistakes)}"[:300] for case, result in found if result.mistakes]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
