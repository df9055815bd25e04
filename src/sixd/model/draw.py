"""A model as a text drawing."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sixd.model.model import Model

__all__ = ["draw"]

_MOST_LINES = 60
_DEEPEST = 60


def draw(model: Model) -> str:
    """The tree, one body a line: name, joint name, joint type, mass; below it the constraints that close its loops.

    Very large trees are cut in the middle.
    """
    welded: dict[int, list[str]] = {}
    for frame in model.frame_list:
        if frame.name != model.body_list[frame.body].name:
            welded.setdefault(frame.body, []).append(frame.name)
    base = model.body_list[0]
    fixed = f"{base.inertia.m:.4g} kg, fixed" if base.inertia.m else "fixed"
    rows: list[tuple[str, str]] = [(base.name, fixed + _carries(welded.get(0, [])))]

    stack = [(child, "", child == model.children[0][-1]) for child in reversed(model.children[0])]
    while stack:
        i, indent, last = stack.pop()
        body = model.body_list[i]
        assert body.joint is not None
        label = f"{body.joint.name}: {body.joint.type!r}"
        if body.joint.mimic:
            m = body.joint.mimic
            label += f" = {m.ratio:g} {m.joint}" + (f" {m.offset:+g}" if m.offset else "")
        label += f", {body.inertia.m:.4g} kg{_carries(welded.get(i, []))}"
        rows.append((f"{indent}{'└─' if last else '├─'} {body.name}", label))
        below = model.children[i]
        deeper = indent + ("   " if last else "│  ") if len(indent) < _DEEPEST else indent
        stack.extend((child, deeper, child == below[-1]) for child in reversed(below))

    bodies = f"{model.n_bodies} moving {'body' if model.n_bodies == 1 else 'bodies'}"
    title = f"{model.name or 'robot'}: {bodies}, nq {model.nq}, nv {model.nv}, {model.mass:.4g} kg"
    return "\n".join([title + _pulled(model), *_lines(rows, "bodies"), *_closed_by(model)])


def _pulled(model: Model) -> str:
    """Gravity, unless it points down: along -z of the world."""
    x, y, z = model.gravity
    if z < 0.0 and x == y == 0.0:
        return ""
    shown = ", ".join(f"{part:g}" for part in (x, y, z))
    way = ", upward" if z > hypot(x, y) else ""
    return f", gravity ({shown}) m/s^2{way}" if any(model.gravity) else ", no gravity"


def _closed_by(model: Model) -> list[str]:
    """The constraints, one a line."""
    if not model.constraint_list:
        return []
    title = f"closed by {_count(len(model.constraint_list), 'constraint')}, {_count(model.n_rows, 'row')}"
    rows = [(f"○─ {c.name}", f"{c.brief}, {_count(c.rows, 'row')}") for c in model.constraint_list]
    return [title, *_lines(rows, "constraints")]


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _lines(rows: list[tuple[str, str]], what: str) -> list[str]:
    """Two columns as lines; of many the middle is left out."""
    if len(rows) > _MOST_LINES:
        half = _MOST_LINES // 2
        rows = [*rows[:half], (f"... {len(rows) - 2 * half} more {what}", ""), *rows[-half:]]
    width = min(max(len(first) for first, _ in rows), 48)
    return [f"{first:<{width}}  {text}".rstrip() for first, text in rows]


def _carries(names: list[str]) -> str:
    """What is welded to a body, in a few words."""
    if not names:
        return ""
    return f" (with {', '.join(names[:2])}{f' and {len(names) - 2} more' if len(names) > 2 else ''})"
