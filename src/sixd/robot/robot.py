"""The robot that users hold: a model with its dynamics as methods, for one state or a batch of any shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.compiler.choice import Chooser, chooser
from sixd.diagnosis.audit import Report, report
from sixd.errors import ArgumentError, ChoiceError, ModelError
from sixd.joints import Joint
from sixd.model import Frame, Model, configuration
from sixd.process.forks import cached_property, importing
from sixd.robot.external_forces import Forces, force_arrays, forces_by_body
from sixd.robot.later import run_later, without_singular_later
from sixd.robot.singular import may_be_singular, without_singular
from sixd.runtime.arguments import common_lead, is_lazy
from sixd.runtime.batches import as_batch, by_sample, evaluate
from sixd.spatial import Vector

if TYPE_CHECKING:
    from sixd.ik import IKResult

__all__ = ["Robot"]

Array = NDArray[Any]
_FLOAT = np.dtype(np.float64)
#: What vectors of a frame can be expressed in.
_EXPRESSIONS = ("body", "world", "aligned")
#: The arguments of methods that are positions (nq entries) and velocities, accelerations or forces (nv).
_POSITIONS, _VELOCITIES = frozenset({"q", "q0", "q1"}), frozenset({"qd", "qdd", "tau", "dv"})


class Robot(Model):
    """A robot: its model, and everything that can be computed from it.

    Every method takes arrays whose last axis holds the coordinates; axes before it are batch axes and broadcast. Frames
    are given by name. Coordinates: see `joints` (``robot.joint("elbow").q`` is a slice). SI units, radians.
    """

    @classmethod
    def of(cls, model: Model) -> Robot:
        """A model, with methods."""
        if not isinstance(model, Model):
            raise ArgumentError(f"a robot is made of a Model, not of {type(model).__name__}")
        return cls(**{f.name: getattr(model, f.name) for f in fields(Model)})

    # ---- configurations

    def neutral(self) -> Array:
        """The position q at which every joint's frames coincide, (nq,); it need not be within the limits."""
        return configuration.neutral(self)

    def within_limits(self, q: ArrayLike) -> Array:
        """Whether every coordinate is finite and within its limits, (...)."""
        array = as_batch("q", q, (self.nq,), "nq of this robot")
        return np.all((array >= self.lower) & (array <= self.upper) & np.isfinite(array), axis=-1)

    def clip(self, q: ArrayLike) -> Array:
        """The nearest position within the limits, coordinate by coordinate, (..., nq)."""
        array = as_batch("q", q, (self.nq,), "nq of this robot")
        lower, upper = (limit.astype(array.dtype) for limit in (self.lower, self.upper))
        # Limits that rounding to single precision has moved outward are moved back.
        lower = np.where(lower < self.lower, np.nextafter(lower, np.inf, dtype=array.dtype), lower)
        upper = np.where(upper > self.upper, np.nextafter(upper, -np.inf, dtype=array.dtype), upper)
        return np.clip(array, lower, upper)

    def random(self, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()) -> Array:
        """Positions (*size, nq), uniform within the joint limits; where there are none, within a turn or a metre."""
        return configuration.random(self, rng, size)

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> Array:
        """The position reached from q by the velocity dv in unit time, (..., nq); exact on quaternions."""
        return self._run(algorithms.integrate, 1, q=q, dv=dv)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """The velocity that leads from q0 to q1 in unit time, (..., nv): integrate(q0, difference(q0, q1)) is q1."""
        return self._run(algorithms.difference, 1, q0=q0, q1=q1)

    # ---- dynamics

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Forces = None,
        passive: bool = False,
        expressed_in: str = "body",
    ) -> Array:
        """The joint forces tau that make the accelerations qdd, (..., nv): tau = H qdd + C.

        The recursive Newton-Euler algorithm (F10b Fig. 5). ``f_ext`` maps frame names to forces (..., 6), moment first,
        that act on the robot at that frame, ``expressed_in`` its coordinates ("body"), those of the world at its origin
        ("world", FDSV (15)) or the world's axes at the frame's origin ("aligned"). With ``passive``, what springs,
        dampers and friction deliver is subtracted: the result is then what the motors deliver.
        """
        f_ext = self._in_frames(q, f_ext, expressed_in)
        tau = self._run(algorithms.rnea, 1, q=q, qd=qd, qdd=qdd, f_ext=f_ext)
        return tau - self.passive_forces(q, qd) if given.flag(passive, "passive") else tau

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        method: str = "aba",
        passive: bool = False,
        expressed_in: str = "body",
    ) -> Array:
        """The accelerations qdd that the joint forces tau make, (..., nv).

        ``method``: "aba", the articulated-body algorithm (F10b Fig. 9); "crba", the mass matrix and its sparse factors
        (F10b (36)); "naive", from inverse dynamics alone (FDSV). ``f_ext`` and ``expressed_in`` as in
        `inverse_dynamics`. With ``passive``, springs, dampers and friction act beside tau. A mechanism with a joint
        that moves no inertia raises `SingularError`; single samples where that happens come out as NaN, with a warning.
        """
        methods = {
            "aba": algorithms.aba,
            "crba": algorithms.forward_dynamics_crba,
            "naive": algorithms.forward_dynamics_naive,
        }
        run = methods[given.choice(method, "method", methods)]
        if given.flag(passive, "passive"):
            tau = as_batch("tau", tau, (self.nv,), "nv of this robot") + self.passive_forces(q, qd)
        f_ext = self._in_frames(q, f_ext, expressed_in)
        qdd = self._run(run, 1, q=q, qd=qd, tau=tau, f_ext=f_ext)
        return self._without_singular(q, qdd) if self.may_be_singular else qdd

    def mass_matrix(self, q: ArrayLike, method: str = "crba") -> Array:
        """H(q), (..., nv, nv), of tau = H qdd + C and T = 1/2 qd^T H qd (F10b (36), (38)).

        ``method``: "crba", the composite-rigid-body algorithm (F10b Fig. 7); "naive", column by column from inverse
        dynamics at rest (FO00 3.2; FDSV (11)); "energy", from the kinetic energy (F10b (38)).
        """
        methods = {
            "crba": algorithms.crba,
            "naive": algorithms.mass_matrix_naive,
            "energy": algorithms.mass_matrix_from_energy,
        }
        run = methods[given.choice(method, "method", methods)]
        return self._run(run, 2, {"qd": None} if method == "naive" else None, q=q)

    def inverse_mass_matrix(self, q: ArrayLike) -> Array:
        """H(q)^-1, (..., nv, nv), computed directly."""
        H_inv = self._run(algorithms.inverse_mass_matrix, 2, q=q)
        return self._without_singular(q, H_inv, rank=2) if self.may_be_singular else H_inv

    def bias_forces(self, q: ArrayLike, qd: ArrayLike, f_ext: Forces = None, expressed_in: str = "body") -> Array:
        """C(q, qd), (..., nv): what inverse dynamics gives at zero acceleration (F10b (37)).

        ``f_ext`` and ``expressed_in`` as in `inverse_dynamics`.
        """
        return self._run(algorithms.bias_forces, 1, q=q, qd=qd, f_ext=self._in_frames(q, f_ext, expressed_in))

    def gravity_forces(self, q: ArrayLike) -> Array:
        """The joint forces that hold the robot still, (..., nv): the gradient of the potential energy."""
        return self._run(algorithms.gravity_forces, 1, q=q)

    def passive_forces(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The forces that springs, dampers and dry friction exert at the joints, (..., nv)."""
        return self._run(algorithms.passive_forces, 1, q=q, qd=qd)

    def joint_forces(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Forces = None, expressed_in: str = "body"
    ) -> Array:
        """The whole force that each joint transmits onto its successor body, (..., N, 6), in successor coordinates.

        What bearings are sized by; F10b (12). ``f_ext`` as in `inverse_dynamics`; ``expressed_in`` says in what
        coordinates that is, and nothing about the result.
        """
        given.choice(expressed_in, "expressed_in", _EXPRESSIONS)
        if f_ext is None and expressed_in != "body":
            raise ChoiceError(
                f"expressed_in={expressed_in!r} says what coordinates f_ext has, and there is no f_ext; the result is "
                "in the coordinates of each joint's successor"
            )
        f_ext = self._in_frames(q, f_ext, expressed_in)
        return self._run(algorithms.joint_forces, 2, q=q, qd=qd, qdd=qdd, f_ext=f_ext)[..., 1:, :]

    # ---- kinematics

    def pose(self, q: ArrayLike, frame: str) -> Array:
        """The pose of a frame in the world, homogeneous matrices (..., 4, 4)."""
        return self._run(algorithms.pose, 2, self._place(frame), q=q)

    def poses(self, q: ArrayLike) -> Array:
        """The poses of all frames in the world, (..., n_frames, 4, 4), in the order of `frames`."""
        bodies = self._run(algorithms.forward_kinematics, 3, q=q)
        carriers, offsets = self._frame_arrays
        return np.matmul(bodies[..., carriers, :, :], offsets.astype(bodies.dtype, copy=False))

    def velocity(self, q: ArrayLike, qd: ArrayLike, frame: str, expressed_in: str = "body") -> Array:
        """The spatial velocity of a frame, (..., 6), angular first.

        ``expressed_in``: "body" (the frame's own coordinates), "world" (the world's, at its origin) or "aligned" (the
        world's axes at the frame's origin: there the linear part is the velocity of that point, F10b (26)).
        """
        fixed = self._expressed(frame, expressed_in)
        return self._run(algorithms.velocity, 1, fixed, q=q, qd=qd)

    def acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        expressed_in: str = "body",
        conventional: bool = False,
    ) -> Array:
        """The spatial acceleration of a frame, (..., 6), without gravity; expressed as in `velocity`.

        ``conventional`` gives that of the frame's origin instead, the second derivative of its position (F10a (22)), in
        "body" or "aligned" axes. An accelerometer there measures it less gravity.
        """
        fixed = {**self._expressed(frame, expressed_in), "conventional": given.flag(conventional, "conventional")}
        return self._run(algorithms.acceleration, 1, fixed, q=q, qd=qd, qdd=qdd)

    def bias_acceleration(
        self, q: ArrayLike, qd: ArrayLike, frame: str, expressed_in: str = "body", conventional: bool = False
    ) -> Array:
        """The part of a frame's acceleration that velocities make, (..., 6): a = J qdd + bias, F10b (33).

        Spatial by default, ``conventional`` as in `acceleration`.
        """
        place = self._expressed(frame, expressed_in)
        fixed = {**place, "conventional": given.flag(conventional, "conventional"), "qdd": None}
        return self._run(algorithms.acceleration, 1, fixed, q=q, qd=qd)

    def jacobian(self, q: ArrayLike, frame: str, expressed_in: str = "body") -> Array:
        """J with velocity(q, qd, frame) = J qd, (..., 6, nv): F10b (17)-(25)."""
        return self._run(algorithms.jacobian, 2, self._expressed(frame, expressed_in), q=q)

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, frame: str, expressed_in: str = "body") -> Array:
        """dJ/dt, (..., 6, nv).

        (dJ/dt) qd is `bias_acceleration`, in "aligned" the conventional one.
        """
        fixed = self._expressed(frame, expressed_in)
        return self._run(algorithms.jacobian_rate, 2, fixed, q=q, qd=qd)

    def frame_forces(self, q: ArrayLike, frame: str, force: ArrayLike, expressed_in: str = "body") -> Array:
        """tau = J^T f, (..., nv): the joint forces equivalent to a force (..., 6) on a frame, F10b (27)."""
        fixed = self._expressed(frame, expressed_in)
        return self._run(algorithms.frame_forces, 1, fixed, q=q, force=force)

    def grasp_constraint(self, q: ArrayLike, qd: ArrayLike, left: str, right: str) -> tuple[Array, Array]:
        """A (..., 6, nv) and b (..., 6) with A qdd = b while two frames hold one rigid object, F10b (34)."""
        hands = {"left": self._place(left), "right": self._place(right)}
        bodies = {side: place["body"] for side, place in hands.items()}
        offsets = {f"{side}_offset": place["offset"] for side, place in hands.items()}
        return self._run(algorithms.grasp_constraint, (2, 1), {**bodies, **offsets}, q=q, qd=qd)

    # ---- energy and momentum

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T, (...), J."""
        return self._run(algorithms.kinetic_energy, 0, q=q, qd=qd)

    def potential_energy(self, q: ArrayLike) -> Array:
        """The energy in the gravitational field, (...), J; zero at the world's origin."""
        return self._run(algorithms.potential_energy, 0, q=q)

    def spring_energy(self, q: ArrayLike) -> Array:
        """The energy in the joint springs, (...), J."""
        return self._run(algorithms.spring_energy, 0, q=q)

    def center_of_mass(self, q: ArrayLike) -> Array:
        """The centre of mass of all moving bodies in the world, (..., 3), m."""
        return self._run(algorithms.center_of_mass, 1, q=q)

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """J with d/dt center_of_mass = J qd, (..., 3, nv)."""
        return self._run(algorithms.center_of_mass_jacobian, 2, q=q)

    def momentum(self, q: ArrayLike, qd: ArrayLike, about: str = "origin") -> Array:
        """The spatial momentum of the robot in world axes, (..., 6): about the world's origin, or about "com"."""
        methods = {"origin": algorithms.momentum, "com": algorithms.centroidal_momentum}
        run = methods[given.choice(about, "about", methods)]
        return self._run(run, 1, q=q, qd=qd)

    def momentum_matrix(self, q: ArrayLike, about: str = "origin") -> Array:
        """A with momentum = A qd, (..., 6, nv), about the origin; about "com" it is the centroidal momentum matrix."""
        methods = {"origin": algorithms.momentum_matrix, "com": algorithms.centroidal_momentum_matrix}
        return self._run(methods[given.choice(about, "about", methods)], 2, q=q)

    def composite_inertia(self, q: ArrayLike) -> Array:
        """The inertia of the whole robot, frozen at q, in world coordinates, (..., 6, 6): F10a (24)."""
        return self._run(algorithms.composite_inertia, 2, q=q)

    # ---- inverse kinematics

    def inverse_kinematics(
        self,
        frame: str | Sequence[str] | Mapping[str, ArrayLike],
        target: Any = None,
        q0: ArrayLike | None = None,
        *,
        kind: Any = None,
        weights: Any = None,
        posture: ArrayLike | None = None,
        limits: bool = True,
        tolerance: float | tuple[float, float] = 1e-8,
        max_iterations: int = 100,
        restarts: int = 64,
        seed: int | np.random.Generator = 0,
    ) -> IKResult:
        """A position q that brings a frame (or several) to a target, within the joint limits.

        The target's shape says what it is: a pose (..., 4, 4), a position (..., 3) or a rotation (..., 3, 3). ``q0`` is
        where the search starts, ``posture`` a position to stay close to as far as the target allows. The result has
        ``q``, ``success``, ``message``, ``nit`` and ``residual``; when it fails it says whether the target is out of
        reach, a limit is in the way or the arm is singular. `sixd.ik.inverse_kinematics` explains all options.
        """
        with importing:  # what not all programs need is imported when it is used
            from sixd.ik import inverse_kinematics

        return inverse_kinematics(
            self,
            frame,
            target,
            q0,
            kind=kind,
            weights=weights,
            posture=posture,
            limits=limits,
            tolerance=tolerance,
            max_iterations=max_iterations,
            restarts=restarts,
            seed=seed,
        )

    # ---- diagnosis

    def check(self, states: int = 5, seed: int = 0) -> Report:
        """What looks wrong in this robot, and whether the algorithms agree on it; print the result.

        The linter names the body or joint of each finding and says what to do. The audit compares inverse and forward
        dynamics, mass matrix, energy, momentum and Jacobians with each other on random states of this very robot. What
        takes long for a robot of hundreds of bodies is left out, and named in ``skipped``.
        """
        return report(self, states, seed)

    @cached_property
    def may_be_singular(self) -> bool:
        """Whether the mass matrix could be singular somewhere, as far as the data of the robot tell.

        It cannot if every body has a definite inertia and every joint's axes stay independent, or if every joint has a
        rotor and no inertia is negative.
        """
        return may_be_singular(self)

    def _without_singular(self, q: ArrayLike, result: Array, rank: int = 1) -> Array:
        """A result that needs H^-1 where that exists: NaN for singular samples, an error if there are no others."""
        if is_lazy(result):
            return without_singular_later(self._without_singular, as_batch("q", q, (self.nq,)), result, rank)
        q = np.asarray(q, dtype=float)  # in single precision no pivot is small enough
        return without_singular(self, q, self._run(algorithms.relative_pivots, 1, q=q), result, rank)

    # ---- inside

    def _expressed(self, frame: str | Frame, expressed_in: str) -> dict[str, Any]:
        """`_place`, and what a vector of the frame is expressed in."""
        return {**self._place(frame), "expressed_in": given.choice(expressed_in, "expressed_in", _EXPRESSIONS)}

    def _place(self, frame: str | Frame) -> dict[str, Any]:
        """The body that carries a frame of this robot, and the way from the body's coordinates to the frame's."""
        name = frame.name if isinstance(frame, Frame) else frame
        if not isinstance(name, str):
            raise ModelError(f"a frame is given by its name, not by {frame!r}")
        found = self.frames[name]
        if isinstance(frame, Frame) and frame != found:
            raise ModelError(f"this frame {name!r} belongs to another robot")
        return {"body": found.body, "offset": found.offset}

    @cached_property
    def _frame_arrays(self) -> tuple[Array, Array]:
        """The body of each frame, and the frame's pose on it."""
        poses = [f.offset.pose() for f in self.frame_list]
        return np.array([f.body for f in self.frame_list], dtype=int), np.array(poses, dtype=float).reshape(-1, 4, 4)

    @cached_property
    def _has_invalid_positions(self) -> bool:
        """Whether some positions are none, such as a zero quaternion."""
        return any(type(joint.type).valid is not Joint.valid for joint in self.joints)

    def _run(
        self, function: Any, out_rank: int | tuple[int, ...], fixed: Mapping[str, Any] | None = None, **state: Any
    ) -> Any:
        """Check the shapes of the named arguments, then run a function of this model on every sample.

        ``fixed`` are arguments that are the same for all samples.
        """
        arguments: dict[str, Array] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        for name, value in state.items():
            if name in _POSITIONS or name in _VELOCITIES:
                size = self.nq if name in _POSITIONS else self.nv
                if type(value) is not np.ndarray or value.dtype is not _FLOAT or value.shape[-1:] != (size,):
                    symbol = "nq" if name in _POSITIONS else "nv"
                    value = as_batch(name, value, (size,), f"{symbol} of {self.name or 'this robot'}")
                if name in ("dv", "q0", "q1"):
                    shapes[name] = (size,)
                arguments[name] = value
            elif name == "force":
                arguments[name], shapes[name] = as_batch(name, value, (6,), "moment, then force"), (6,)
            elif value is not None:  # f_ext
                arguments[name], shapes[name] = forces_by_body(value, self._place, self.n_bodies), (self.n_bodies, 6)
        if any(map(is_lazy, arguments.values())):
            run = partial(self._checked, function, out_rank, fixed or {}, shapes)
            return run_later(run, arguments, dict.fromkeys(_POSITIONS.intersection(arguments), self.neutral()))
        return self._checked(function, out_rank, fixed or {}, shapes, arguments)

    def _checked(
        self,
        function: Any,
        out_rank: int | tuple[int, ...],
        fixed: Mapping[str, Any],
        shapes: Mapping[str, tuple[int, ...]],
        arguments: dict[str, Array],
    ) -> Any:
        """`_compute`, and an error where a position is none."""
        result = self._compute(function, out_rank, fixed, shapes, arguments)
        if self._has_invalid_positions:
            parts = result if isinstance(result, tuple) else (result,)
            if not all(np.isfinite(part).all() for part in parts):
                self._refuse_invalid({name: arguments[name] for name in _POSITIONS if name in arguments})
        return result

    def _compute(
        self,
        function: Any,
        out_rank: int | tuple[int, ...],
        fixed: Mapping[str, Any],
        shapes: Mapping[str, tuple[int, ...]],
        arguments: dict[str, Array],
    ) -> Any:
        """By a kernel, or by the function itself where there is none."""
        key = (function, tuple(shapes), tuple(fixed.values()))
        choose = self._choosers.get(key)
        if choose is None:
            choose = self._choosers[key] = chooser(function, self, shapes, fixed)
        samples = max(array.size for array in arguments.values()) // max(self.nv, 1)
        kernel = choose(samples)
        ranks = {name: 2 if name == "f_ext" else 1 for name in arguments}
        if kernel is not None:
            try:
                return kernel(*[arguments[port.name] for port in kernel.inputs])
            except ValueError:
                common_lead({name: a.shape[: a.ndim - ranks[name]] for name, a in arguments.items()})
                raise

        def run(**arrays: Array) -> Any:
            result = function(self, **arrays, **fixed)
            if isinstance(out_rank, int):
                return by_sample(result, out_rank)
            return tuple(by_sample(part, rank) for part, rank in zip(result, out_rank, strict=True))

        return evaluate(run, {name: (array, ranks[name]) for name, array in arguments.items()}, out_rank)

    @cached_property
    def _choosers(self) -> dict[Any, Chooser]:
        """What this robot has used so far of the kernels of this process."""
        return {}

    def _refuse_invalid(self, positions: Mapping[str, Array]) -> None:
        """Raise if a position is none, such as a zero quaternion: asked only when a result is not finite."""
        for name, array in positions.items():
            for joint in self.joints:
                own = array[..., joint.q]
                valid = joint.type.valid(Vector.from_array(own)) | ~np.isfinite(own).all(axis=-1)
                if joint.mimic is None and not np.all(valid):
                    raise ModelError(
                        f"{name} is no position of joint {joint.name!r}: its quaternion is zero; start from "
                        "robot.neutral() or robot.random()"
                    )

    def _in_frames(self, q: ArrayLike, forces: Forces, expressed_in: str) -> Forces:
        """``f_ext`` in the coordinates of its frames, wherever it was expressed in: FDSV (15)."""
        given.choice(expressed_in, "expressed_in", _EXPRESSIONS)
        if expressed_in == "body":
            return forces
        if forces is None:
            return None
        arrays = force_arrays(forces)
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        common_lead({"q": q.shape[:-1], **{f"f_ext[{name!r}]": a.shape[:-1] for name, a in arrays.items()}})
        for name, array in arrays.items():
            place = self._place(name)
            if place["body"]:
                fixed = {**place, "expressed_in": expressed_in}
                arrays[name] = self._run(algorithms.force_in_frame, 1, fixed, q=q, force=array)
        return arrays
