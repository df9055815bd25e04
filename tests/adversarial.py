"""Robot descriptions made to be slow to read, in families of any size: for tests of time against size."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import process_time

import sixd
from tests.formats.urdf_text import INERTIAL, LIMIT, arm, broken, joint, link, robot

__all__ = ["FAMILIES", "seconds"]

SPHERE = '<geometry><sphere radius="1"/></geometry>'


def links(n: int, prefix: str = "l") -> list[str]:
    return [link(f"{prefix}{k}") for k in range(n)]


def star(n: int, inside: Callable[[int], str] = lambda k: LIMIT, prefix: str = "") -> str:
    """n links on one, each by a joint with something inside."""
    return robot(*links(n + 1), *(joint(f"{prefix}j{k}", "l0", f"l{k + 1}", inside(k)) for k in range(n)))


def row(n: int, inside: Callable[[int], str] = lambda k: LIMIT, kind: str = "revolute") -> str:
    """A chain of n joints with something inside."""
    return robot(*links(n + 1), *(joint(f"j{k}", f"l{k}", f"l{k + 1}", inside(k), kind) for k in range(n)))


def value(text: str) -> str:
    return broken('mass value="1"', f'mass value="{text}"')


#: From a size to a description whose length is in proportion to it.
FAMILIES: dict[str, Callable[[int], str]] = {
    "digits and a letter": lambda n: value("9" * 40 * n + "x"),
    "digits, a point, digits and a letter": lambda n: value("9" * 20 * n + "." + "9" * 20 * n + "x"),
    "digits": lambda n: value("0." + "9" * 40 * n),
    "digits of an exponent": lambda n: value("1e" + "9" * 40 * n + "x"),
    "signs": lambda n: value("+" * 40 * n),
    "blanks": lambda n: value(" " * 40 * n + "1"),
    "many numbers": lambda n: value("1 " * 20 * n),
    "letters of infinity": lambda n: broken('effort="3"', f'effort="{"inf" * 13 * n}"'),
    "unknown attributes": lambda n: arm("<limit " + " ".join(f"lowxer{k}=''" for k in range(2 * n)) + "/>"),
    "unknown attributes like none": lambda n: arm("<limit " + " ".join(f"x{k}=''" for k in range(3 * n)) + "/>"),
    "unknown elements": lambda n: arm("".join(f"<lim{k}/>" for k in range(3 * n))),
    "unknown elements of one name": lambda n: arm("<limb/>" * 5 * n + LIMIT),
    "a long name": lambda n: arm().replace('"a"', f'"{"a" * 40 * n}"'),
    "a long name with many warnings": lambda n: arm().replace(
        'link name="a">', f'link name="{"a" * 20 * n}">' + "<visual/>" * 2 * n
    ),
    "a long robot name with many warnings": lambda n: robot(
        link("a", INERTIAL + "<visual/>" * 3 * n), attributes=f'name="{"a" * 20 * n}"'
    ),
    "a long tag": lambda n: arm(f"<{'limit' * 8 * n}/>"),
    "links with long names, one missing": lambda n: robot(
        *(link(f"{'ab' * 50}{k}", "") for k in range(n)), joint("j", "ba" * 50, f"{'ab' * 50}0")
    ),
    "mimics of joints that are missing": lambda n: star(
        n, lambda k: f'{LIMIT}<mimic joint="{"ab" * 10}{k}"/>', "ba" * 10
    ),
    "a chain of mimics": lambda n: row(n, lambda k: LIMIT + (f'<mimic joint="j{k + 1}"/>' if k < n - 1 else "")),
    "a chain of mimics backwards": lambda n: row(n, lambda k: LIMIT + (f'<mimic joint="j{k - 1}"/>' if k else "")),
    "a loop of mimics": lambda n: row(n, lambda k: f'{LIMIT}<mimic joint="j{(k + 1) % n}"/>'),
    "a loop of joints": lambda n: robot(*links(n), *(joint(f"j{k}", f"l{k}", f"l{(k + 1) % n}") for k in range(n))),
    "many roots": lambda n: robot(*links(4 * n)),
    "a long chain": row,
    "a star": star,
    "a star of welds": lambda n: robot(
        *links(n + 1), *(joint(f"j{k}", "l0", f"l{k + 1}", "", "fixed") for k in range(n))
    ),
    "a chain of welds": lambda n: row(n, kind="fixed"),
    "links of one name": lambda n: robot(*(link("a") for _ in range(4 * n))),
    "worlds": lambda n: robot(
        *(link(f"world_{k}", "") for k in range(n)),
        *(joint(f"j{k}", "world", f"world_{k}", "", "fixed") for k in range(n)),
    ),
    "materials": lambda n: robot(
        *(f'<material name="m{k}"><color rgba="1 1 1 x"/></material>' for k in range(n)),
        link("a", "".join(f'<visual><material name="m{k}"/>{SPHERE}</visual>' for k in range(n))),
    ),
    "a comment": lambda n: arm().replace("<link", f"<!--{'- ' * 20 * n}--><link", 1),
    "lines": lambda n: "\n" * 40 * n + arm(),
    "references": lambda n: value("&#49;" * 8 * n),
    "names that begin alike": lambda n: robot(
        *(link("a" * 20 + str(k), "") for k in range(n)), joint("j", "a" * 20, "x")
    ),
    "crossed limits": lambda n: star(n, lambda k: '<limit lower="1" upper="-1" effort="-1" velocity="0"/>'),
    "impossible inertias": lambda n: star(n).replace('ixx="1"', 'ixx="3"'),
}


def seconds(text: str) -> float:
    """The time that a description takes to be loaded and drawn, and to be taken apart and put together again."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        try:
            model = sixd.load(text)
        except sixd.ModelError:
            return process_time() - start
    repr(model)
    repr(model.frames)
    assert model.fingerprint
    assert model.lower.shape == (model.nq,)
    model.subtree(model.bodies[0].name, "free")
    model.lock({joint.name: None for joint in model.joints if joint.mimic is None})
    model.join(model, model.frames[-1].name, prefix="other_")
    return process_time() - start
