"""A picture of a robot that no renderer has drawn yet: layers of solids on bodies, and where bodies are over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ArgumentError, ChoiceError
from sixd.model import Model, configuration
from sixd.process.forks import cached_property
from sixd.runtime.batches import by_sample, evaluate
from sixd.view.layers import LAYERS, Context, Item, SceneLayer
from sixd.view.playback import Playback, playback
from sixd.view.surface import GROUND, GroundLike, standing

__all__ = ["FORCES", "Scene", "SceneLayer", "body_poses", "counted", "summary", "upright"]

Array = NDArray[np.float64]
#: The layer of contact forces. It has no solids: renderers draw arrows from the playback.
FORCES = "forces"
#: Ellipsoids that are so many times as long as the robot would hide it.
VAST = 2.0


@dataclass(frozen=True, eq=False)
class Scene:
    """What renderers draw: see `Scene.of`. Its coordinates are the world's, turned so that gravity pulls along -z."""

    model: Model
    title: str
    layers: tuple[SceneLayer, ...]
    playback: Playback
    #: A length that shows the size of the robot, m.
    length: float
    #: What could not be drawn, and why.
    notes: tuple[str, ...]
    #: The height of the floor that the robot is known to stand on, m; without it, `camera` looks for one.
    floor: float | None = None

    @classmethod
    def of(
        cls,
        robot: Model,
        t: ArrayLike | None = None,
        q: ArrayLike | None = None,
        *,
        points: ArrayLike | None = None,
        forces: ArrayLike | None = None,
        curves: Mapping[str, Any] | None = None,
        ground: GroundLike | None = None,
        layers: str | Iterable[str] | None = None,
        title: str | None = None,
    ) -> Scene:
        """The scene of a robot at one position q (nq,), or of a motion: times t (T,), s, and positions q (T, nq).

        ``points`` and ``forces``, (T, n, 3) each, are where contact forces act and what they are, in the world, m and
        N. ``curves`` are to be plotted: {name: array (T,) or (T, k)} or {name: {label: array (T,)}}; by default the
        positions of joints, {} for none. ``layers`` names those that are shown at first; by default links, constraints
        and forces, where robots without shapes have skeleton and inertia ellipsoids instead of links; the latter only
        if they are not so large that they would hide the robot. Where the shape of a link is missing, the skeleton is
        shown too.

        ``ground`` is what is stood on: the height of a level floor, m, or a function of arrays, ``height(x, y)``, with
        the heights above places of the world, NaN where there is no ground; see `sixd.view.surface`.
        """
        show = playback(robot, t, q, points, forces, curves)
        turned = upright(robot)
        show = replace(show, points=show.points @ turned.T, forces=show.forces @ turned.T)
        if title is not None and not isinstance(title, str):
            raise ArgumentError(f"title is text, not {given.described(title)}")
        length = _length(robot)
        contexts = {name: Context(robot, length) for name in LAYERS}
        made = {name: tuple(layer.build(contexts[name])) for name, layer in LAYERS.items()}
        labels = {name: LAYERS[name].label for name in made} | {GROUND: GROUND, FORCES: "contact forces"}
        vast = any(np.ptp(item.shape.points, axis=0).max() > VAST * length for item in made["inertias"])
        first = _shown_at_first(layers, labels, bool(made["links"]), bool(contexts["links"].notes), vast)
        kept = [name for name in made if made[name]] + ([FORCES] if show.points.shape[1] else [])
        inside = {layer.name for layer in LAYERS.values() if layer.inside}
        built = tuple(
            SceneLayer(name, labels[name], name in first, name in inside, made.get(name, ())) for name in kept
        )
        notes = tuple(note for context in contexts.values() for note in context.notes)
        scene = cls(robot, title or robot.name or "robot", built, show, length, notes)
        return scene if ground is None else standing(scene, ground)

    def poses(self, q: ArrayLike) -> Array:
        """The poses of what items are on, (..., n_bodies + 2, 4, 4): the base, the bodies, the centre of mass."""
        bodies = self.root @ body_poses(self.model, np.asarray(q, dtype=float))
        com = np.zeros((*bodies.shape[:-3], 1, 4, 4))
        com[..., 0, :, :] = np.eye(4)
        com[..., 0, :3, 3] = self._mass_points(bodies) @ self.shares
        return np.concatenate([bodies, com], axis=-3)

    @cached_property
    def root(self) -> Array:
        """The pose of the world in the picture, (4, 4)."""
        pose = np.eye(4)
        pose[:3, :3] = upright(self.model)
        return pose

    @property
    def root_transform(self) -> list[float]:
        """The same as a transform, the 9 entries of E and the 3 of r, as pages read it."""
        return [*self.root[:3, :3].T.ravel().tolist(), 0.0, 0.0, 0.0]

    @cached_property
    def shares(self) -> Array:
        """The share of each body in the robot's mass, base first, (n_bodies + 1,)."""
        masses = np.array([0.0, *(float(body.inertia.m) for body in self.model.body_list[1:])])
        return masses / (masses.sum() or 1.0)

    @cached_property
    def centres(self) -> Array:
        """The centres of mass in their bodies' frames, (n_bodies + 1, 3); the origin where there is no mass."""
        found = [b.inertia.com.array() if b.inertia.m > 0.0 else np.zeros(3) for b in self.model.body_list]
        return np.array(found, dtype=float)

    def _mass_points(self, bodies: Array) -> Array:
        """Centres of mass in the world, (..., 3, n_bodies + 1)."""
        places = np.einsum("...irc,ic->...ir", bodies[..., :3, :3], self.centres) + bodies[..., :3, 3]
        return np.swapaxes(places, -1, -2)

    @cached_property
    def force_scale(self) -> float:
        """The length of arrows for forces, m/N: the strongest of the motion is 0.4 of the robot's length."""
        strongest = float(np.linalg.norm(self.playback.forces, axis=-1).max(initial=0.0))
        return 0.4 * self.length / strongest if strongest > 0.0 else 0.0

    def bounds(self, q: ArrayLike) -> tuple[Array, Array]:
        """The corners of the box around what is shown of the robot at first at a position: the lowest and the highest.

        Each is (3,), m.
        """
        poses = self.poses(q)
        corners = [poses[1:, :3, 3]]
        for layer in self.layers:
            for item in layer.items if layer.shown and not layer.around else ():
                place = poses[item.body] @ item.pose
                corners.append(_box(item) @ place[:3, :3].T + place[:3, 3])
        every = np.concatenate(corners)
        return every.min(axis=0), every.max(axis=0)


def summary(model: Model) -> str:
    """The size of a robot in a line: bodies, freedoms of its joints, equations that tie them, mass."""
    if ties := model.constraint_list:
        rows = f"{counted(len(ties), 'constraint', 'constraints')} of {counted(model.n_rows, 'row', 'rows')}"
        ways = f"{counted(model.nv, 'joint freedom', 'joint freedoms')}, {rows}"
    else:
        ways = counted(model.nv, "degree of freedom", "degrees of freedom")
    return f"{counted(model.n_bodies, 'body', 'bodies')}, {ways}, {model.mass:.4g} kg"


def counted(count: int, one: str, several: str) -> str:
    """A number and what is counted."""
    return f"{count} {one if count == 1 else several}"


def upright(model: Model) -> Array:
    """The rotation, by the smallest angle, after which the model's gravity pulls along -z, (3, 3)."""
    size = float(np.linalg.norm(model.gravity))
    if size == 0.0:
        return np.eye(3)
    x, y, z = up = -np.array(model.gravity) / size
    if z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    across = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])  # the cross product with up x e_z
    turned = np.eye(3) + across + across @ across / (1.0 + z)
    return np.asarray(turned) if abs(up[:2]).max() > 0.0 else np.eye(3)


def _box(item: Item) -> Array:
    """The eight corners of the box around an item's shape, in its own frame."""
    points = item.shape.points
    if not len(points):
        return np.zeros((0, 3))
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def body_poses(model: Model, q: Array) -> Array:
    """The poses of all bodies in the world, the base first, (..., n_bodies + 1, 4, 4).

    It runs the algorithm itself: no picture should wait until code is compiled.
    """
    rank = 3  # poses by body: of which body, row, column

    def run(q: Any) -> Any:
        return by_sample(algorithms.forward_kinematics(model, q), rank)

    return np.asarray(evaluate(run, {"q": (q, 1)}, rank), dtype=float)


def _length(model: Model) -> float:
    """The diagonal of the box around the frames and centres of mass at the neutral position; 1 m if that is nothing."""
    poses = body_poses(model, configuration.neutral(model))
    offsets = [(f.body, f.offset.pose()[:3, 3]) for f in model.frame_list]
    offsets += [(i, b.inertia.com.array()) for i, b in enumerate(model.body_list) if i and b.inertia.m > 0.0]
    places = np.array([poses[i][:3, :3] @ np.array(x, dtype=float) + poses[i][:3, 3] for i, x in offsets])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0


def _shown_at_first(
    layers: Any, known: Iterable[str], has_links: bool, misses_links: bool, vast: bool
) -> tuple[str, ...]:
    if layers is None:
        links = ("links", "skeleton") if misses_links else ("links",)
        solids = links if has_links else ("skeleton",) if vast else ("skeleton", "inertias")
        return *solids, "constraints", FORCES
    names = given.words(layers, "layers")
    for name in names:
        if name not in known:
            raise ChoiceError(f"layers must be some of {', '.join(map(repr, known))}, not {name!r}")
    return names
