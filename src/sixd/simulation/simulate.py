"""`simulate`: a robot over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError, ChoiceError
from sixd.model.configuration import need_positions
from sixd.robot import Robot
from sixd.runtime.batches import as_batch
from sixd.simulation.adaptive import ADAPTIVE, run_adaptive
from sixd.simulation.balance import CHECKS, check_balance
from sixd.simulation.consistent import check_consistent, check_targets
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.events import Event, checked_events
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.integrators import INTEGRATORS, Integrator
from sixd.simulation.parted import first_pace
from sixd.simulation.run import Run
from sixd.simulation.setup import need_finite, setup_of, whole_steps
from sixd.simulation.start_checks import check_steps_at_start
from sixd.simulation.tolerances import FINE, USUAL, Tolerances
from sixd.simulation.trajectory import Trajectory

__all__ = ["simulate"]

Array = NDArray[Any]


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    duration: float,
    *,
    dt: float = 1e-3,
    control: ArrayLike | Controller | Callable[[float, Array, Array], ArrayLike] | None = None,
    control_dt: float | None = None,
    forces: Sequence[ForceElement] = (),
    contacts: Contacts | None = None,
    integrator: str | Integrator | type[Integrator] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    record: int | None = 1,
    books: bool = False,
    energy_check: str = "warn",
    projection: bool | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    events: Sequence[Event] = (),
) -> Trajectory:
    """The motion of a robot from the state q0 (..., nq), qd0 (..., nv) over a time, in steps of ``dt`` seconds.

    q' = qd (on the manifold of positions), qd' = FD(q, qd, tau, f): forward dynamics under the forces of the motors, of
    ``forces`` and gravity. All samples of a batch run at once. The loop over time is compiled with the equations of
    motion; results do not depend on the number of threads, to the bit.

    ``control`` gives the joint forces: None for none; an array (nv,), constant in time; an array (..., steps, nv) with
    a value for each step, which holds for the time dt; a `Controller`, which is compiled with the rest; or a function
    of Python, f(t, q, qd), which is asked every ``control_dt`` seconds (by default dt) and whose answer (..., nv) holds
    until the next. ``inputs`` are the inputs of a controller by name, constant or for each step.

    ``forces`` are force elements (`sixd.simulation.ELEMENTS`). What the robot's file says of springs, dampers and
    friction acts only if it is among them. ``contacts`` is what touches the ground, and by which law
    (`sixd.simulation.contact.Contacts`).

    ``integrator`` is one of `sixd.simulation.INTEGRATORS`, by name, as a class or an object of it, or "dopri5". By
    default it is "rk43": steps of "rk4" that look at their error, and are made in as many parts as keep it below
    rtol |x| + atol, 1e-6 and 1e-9 by default: vibrations whose velocity, in rad/s or m/s, is not far above atol die
    out (of 100 Hz and 10 nm, 13 % are lost in 500 periods). Where forces jump again and again up to 1e-3 is allowed, as
    much as it takes (`sixd.simulation.parted`).
    With rigid contact it is "semi_implicit_parts", whose steps are made in as many parts as ``forces`` need, or
    "semi_implicit_euler" if there are none (`sixd.simulation.setup.usual_integrator`).

    "dopri5" takes steps of variable length, each sample its own, with an error of at most rtol |x| + atol in each (1e-9
    and 1e-11 if they are not given); then ``dt`` is the time between records, and ``events`` are located on the way
    (``trajectory.happened``). Where something holds for a time, as the answer of a Python function for ``control_dt``
    or one of several values for dt, steps end when it changes. With ``forces``, ``contacts`` or a `Controller`, steps
    are at most ten times dt long, so that what acts for as long as that, at a certain time or place, is not missed.

    ``parameters`` are numbers of the robot that differ from sample to sample, by the names of `sixd.parameters`:
    {"inertia": array (..., N, 10)}. Energies and forces of the trajectory are those of each sample.

    ``energy_check``: whether the run has energy that nothing gave, or lost energy that nothing took, which means that
    its steps are not exact enough: "warn" says so, "strict" raises `SimulationError` with the trajectory, "off" does
    not look, and saves the sums of work. ``trajectory.energy_error`` is that energy, J (`sixd.simulation.balance`). Of
    "dopri5", which holds its error, it is not looked at.

    ``record``: the state is kept after every so many steps, and at the end; None keeps that alone (and the start of a
    run with steps of variable length that is interrupted). ``books``: add up the work that each source of forces does
    (``trajectory.work``).

    A closed robot (``robot.close``) keeps its constraints: forward dynamics is that with constraints, and after every
    step the state is led back to the nearest one that keeps them, measured by the mass matrix (``projection``; by
    default unless a constraint has factors of `stabilisation`, which let errors decay instead). q0 and qd0 must keep
    them: `ClosedRobot.assemble` and `ClosedRobot.project` find such states. The input "targets" (targets, 3) gives
    position, velocity and acceleration of all rows whose motion is prescribed, at the beginning of each step: give it
    for each step, (..., steps, targets, 3), unless they are at rest.

    A sample whose state leaves the finite numbers is NaN from then on, and a warning tells when; the others go on. If
    all do, or if a controller fails, `SimulationError` is raised, with the time and the trajectory so far. Ctrl-C ends
    a run with a warning; `Trajectory.resume` goes on.
    """
    if not (integrator is None or isinstance(integrator, Integrator | type)):
        given.choice(integrator, "integrator", (*INTEGRATORS, *ADAPTIVE))
    adaptive = isinstance(integrator, str) and integrator in ADAPTIVE
    if adaptive and isinstance(contacts, Contacts) and contacts.is_rigid:
        raise ChoiceError(
            "rigid contact changes velocities at once, which 'dopri5' does not: use integrator='semi_implicit_euler', "
            "or law='compliant'"
        )
    fixed = "rk4" if adaptive else integrator
    tolerances = Tolerances.of(rtol, atol, FINE if adaptive else USUAL)
    looks = given.choice(energy_check, "energy_check", CHECKS)
    setup = setup_of(
        robot,
        dt,
        control,
        control_dt,
        forces,
        fixed,
        inputs,
        books,
        contacts,
        parameters,
        projection,
        tolerances,
        looks,
        str(integrator) if adaptive else "",
    )
    steps = whole_steps(duration, setup.dt)
    start = {"q": as_batch("q0", q0, (robot.nq,), f"nq of {robot.name}").astype(float)}
    start["qd"] = as_batch("qd0", qd0, (robot.nv,), f"nv of {robot.name}").astype(float)
    for name, array in start.items():
        need_finite(array, f"{name}0")
    need_positions(robot, "q0", start["q"])
    if robot.closures:
        check_targets(setup, steps)
        check_consistent(setup, start["q"], start["qd"])
    every = None if record is None else given.count(record, "record")
    noticed = checked_events(events)
    if adaptive:
        return run_adaptive(setup, start, steps, every, tolerances, noticed)
    if not setup.step.integrator.takes_tolerances and (rtol is not None or atol is not None):
        raise ArgumentError(
            f"rtol and atol are for integrators that look at their error, 'rk43' and 'dopri5': "
            f"{setup.step.integrator.name!r} makes steps of dt, so choose one of those instead"
        )
    if noticed:
        raise ArgumentError("events are located by integrators with steps of variable length: integrator='dopri5'")
    check_steps_at_start(setup, start["q"], start["qd"])
    if setup.step.impulses is not None:
        start["contact"] = np.zeros(setup.step.memory)
    if setup.step.books:
        start["work"] = np.zeros(setup.step.sources)
    if setup.step.integrator.estimates:
        start["pace"] = np.array(first_pace(setup.dt))
    if setup.step.sought:
        start["sought"] = np.zeros(setup.step.sought)
    run = Run(setup, start, steps, every)
    return check_balance(run.go(), start, run.replay)
