"""The tree of a robot as a graph in matplotlib: bodies as boxes, joints as lines between them, loops in magenta."""

from __future__ import annotations

from typing import Any

from sixd.model import Model
from sixd.view.extras import optional, plain
from sixd.view.scene import summary

__all__ = ["draw_tree", "places"]

#: The width of a letter of the title, of a body and of a joint, and the height of a row, in.
TITLE, BODY, JOINT, ROW = 0.09, 0.068, 0.058, 0.62
LOOP = "#db1f7a"


def places(model: Model) -> list[tuple[float, float]]:
    """Where bodies stand: x is the depth, y is the row. Each body is in the middle of those that it carries."""
    rows = [0.0] * (model.n_bodies + 1)
    depth = [0] * (model.n_bodies + 1)
    for i in range(1, model.n_bodies + 1):
        depth[i] = depth[model.parent[i]] + 1
    order, todo = [], [0]
    while todo:
        i = todo.pop()
        order.append(i)
        todo.extend(reversed(model.children[i]))
    leaves = 0.0
    for i in order:  # depth first: leaves stand in this order
        if not model.children[i]:
            rows[i], leaves = leaves, leaves + 1.0
    for i in reversed(order):
        if model.children[i]:
            own = [rows[k] for k in model.children[i]]
            rows[i] = 0.5 * (min(own) + max(own))
    return [(float(depth[i]), -rows[i]) for i in range(model.n_bodies + 1)]


def draw_tree(model: Model, ax: Any = None) -> Any:
    """Draw the tree into axes, new ones by default. The base is on the left; columns are as wide as their names."""
    pyplot = optional("matplotlib.pyplot", "plot_tree", "plot")
    at = places(model)
    bodies, joints = _bodies(model), _joints(model)
    left, right = _columns([int(x) for x, _ in at], bodies, joints)
    title = f"{model.name or 'robot'}: {summary(model)}"
    wide, high = right[-1] + 0.2, 1 - min(y for _, y in at)
    least = TITLE * len(title)
    if ax is None:
        size = (min(max(wide, least), 60.0), min(ROW * high + 0.6, 60.0))
        ax = pyplot.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0 - 0.45 / size[1]))
    middle = [0.5 * (left[int(x)] + right[int(x)]) for x, _ in at]
    for i, body in enumerate(model.body_list):
        k, y = int(at[i][0]), at[i][1]
        if i:
            start, turn, end = right[k - 1], left[k] - _width(joints, at, k, JOINT), left[k]
            ax.plot([middle[body.parent], start, turn, middle[i]], [at[body.parent][1]] * 2 + [y] * 2, **_LINE)
            ax.annotate(plain(joints[i]), (0.5 * (turn + end), y), fontsize=6.5, color="#5d6878", **_TEXT, zorder=3)
        box = {"boxstyle": "round,pad=0.3", "fc": "#dce8f5" if i else "#e8e8e8", "ec": "#1f3a5f", "lw": 0.8}
        ax.annotate(plain(bodies[i]), (middle[i], y), fontsize=7.5, bbox=box, **_TEXT, zorder=2)
    for constraint in model.constraint_list:
        ends = [model.frame(name).body for name in constraint.frames]
        if len(ends) == 2:
            look = {"arrowstyle": "-", "color": LOOP, "lw": 1.0, "ls": "--", "connectionstyle": "arc3,rad=0.15"}
            (a, b) = ((middle[i], at[i][1]) for i in ends)
            ax.annotate("", a, b, arrowprops=look, zorder=1.5)
    ax.set_xlim(min(0.0, 0.5 * (wide - least)), max(wide, 0.5 * (wide + least)))
    ax.set_ylim(-high + 0.4, 0.6)
    ax.set_title(plain(title), fontsize=10)
    ax.set_axis_off()
    return ax


_LINE: dict[str, Any] = {"color": "#8794a6", "lw": 1.2, "zorder": 1}
_TEXT: dict[str, Any] = {"ha": "center", "va": "center"}


def _bodies(model: Model) -> list[str]:
    """What stands in the boxes."""
    return [f"{b.name}\n{b.inertia.m:.3g} kg" if i else f"{b.name}\nfixed" for i, b in enumerate(model.body_list)]


def _joints(model: Model) -> list[str]:
    """What stands on the line to each body; the base has none."""
    found = [""]
    for body in model.body_list[1:]:
        assert body.joint is not None
        mimic = body.joint.mimic
        tied = f" = {mimic.ratio:g} {mimic.joint}" if mimic else ""
        found.append(f"{body.joint.name}\n{body.joint.type.name}{tied}")
    return found


def _width(texts: list[str], at: list[tuple[float, float]], column: int, letter: float) -> float:
    """The room that the longest line of the texts of a column takes, in."""
    own = (line for (x, _), text in zip(at, texts, strict=True) if int(x) == column for line in text.splitlines())
    return letter * max(map(len, own), default=0) + 0.15


def _columns(depth: list[int], bodies: list[str], joints: list[str]) -> tuple[list[float], list[float]]:
    """The left and right edges of the boxes of each column, in."""
    at = [(float(d), 0.0) for d in depth]
    left, right = [0.2], [0.2 + _width(bodies, at, 0, BODY)]
    for k in range(1, max(depth) + 1):
        left.append(right[-1] + 0.25 + _width(joints, at, k, JOINT))
        right.append(left[-1] + _width(bodies, at, k, BODY))
    return left, right
