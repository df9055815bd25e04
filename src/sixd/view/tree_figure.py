"""The tree of a robot as a graph in matplotlib: bodies as boxes, joints as lines between them."""

from __future__ import annotations

from typing import Any

from sixd.model import Model
from sixd.view.extras import optional
from sixd.view.scene import summary

__all__ = ["draw_tree", "places"]


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
    """Draw the tree into axes, new ones by default. The base is on the left."""
    pyplot = optional("matplotlib.pyplot", "plot_tree", "plot")
    at = places(model)
    wide, high = 1 + max(x for x, _ in at), 1 - min(y for _, y in at)
    if ax is None:
        size = (min(2.2 * wide + 0.6, 60.0), min(0.62 * high + 1.0, 60.0))
        ax = pyplot.figure(figsize=size).add_subplot()
    for i, body in enumerate(model.body_list):
        x, y = at[i]
        if i:
            assert body.joint is not None
            u, v = at[body.parent]
            ax.plot([u, x - 0.5, x], [v, y, y], color="#8794a6", lw=1.2, zorder=1)
            mimic = f" = {body.joint.mimic.ratio:g} {body.joint.mimic.joint}" if body.joint.mimic else ""
            words = f"{body.joint.name}{mimic}\n{body.joint.type.name}"
            ax.annotate(words, (x - 0.42, y), fontsize=6.5, color="#5d6878", ha="center", va="center", zorder=3)
        words = f"{body.name}\n{body.inertia.m:.3g} kg" if i else f"{body.name}\nfixed"
        box = {"boxstyle": "round,pad=0.3", "fc": "#dce8f5" if i else "#e8e8e8", "ec": "#1f3a5f", "lw": 0.8}
        ax.annotate(words, (x, y), fontsize=7.5, ha="center", va="center", bbox=box, zorder=2)
    ax.set_xlim(-0.5, wide - 0.4)
    ax.set_ylim(-high + 0.4, 0.6)
    ax.set_title(f"{model.name or 'robot'}: {summary(model)}", fontsize=10)
    ax.set_axis_off()
    return ax
