"""Robot files with a few things broken: whatever happens to a file, it loads, and all its numbers are sound, or it ends
in a `SixdError`, and soon.

    python -m tests.fuzz files --seconds 10 --seed 0

Files are mutated as bytes, as words (attributes, numbers, names) and as elements. Most start from small files, for the
rate; some from real ones.
"""

from __future__ import annotations

import re
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import cache
from math import isfinite, isnan
from pathlib import Path
from random import Random

import sixd
from sixd.model import Model
from tests.formats.urdf_text import INERTIAL, LIMIT, arm, chain, joint, link, robot
from tests.robots import example_urdfs

__all__ = ["BAD", "NAMES", "is_sound", "mutated", "run"]

NAMES = ("tried", "loaded", "refused", "crashed", "slow", "not_finite")
BAD = ("crashed", "slow", "not_finite")

#: What takes more time of the processor than this is slow, s.
SLOW = 1.0

_ORIGIN = '<origin xyz="0.1 -0.2 0.3" rpy="0.1 1.57 -3"/>'
_MATERIAL = '<material name="m"><color rgba="1 0 0 1"/></material>'
_SHAPE = f'<visual>{_ORIGIN}<geometry><box size="1 2 3"/></geometry>{_MATERIAL}</visual>'
_MESH = '<collision><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry></collision>'
_FULL = INERTIAL.replace("<inertial>", "<inertial>" + _ORIGIN)
_DYNAMICS = '<dynamics damping="0.1" friction="0.2"/>'

#: Files that have every element of the format, and are small.
HAND_WRITTEN = (
    arm(),
    arm(_ORIGIN + '<axis xyz="0 1 0"/>' + LIMIT + _DYNAMICS),
    arm(_ORIGIN + '<axis xyz="0.6 0.8 0"/>', "continuous"),
    arm('<axis xyz="0 0 1"/>' + LIMIT, "prismatic"),
    arm('<axis xyz="0 0 1"/>', "planar"),
    arm("", "floating"),
    arm(_ORIGIN, "fixed"),
    chain('<mimic joint="j0" multiplier="2" offset="0.5"/>', '<mimic joint="j1"/>'),
    robot(link("a", _FULL + _SHAPE + _MESH), link("b", _FULL), joint("j", "a", "b", _ORIGIN + LIMIT)),
    arm('<origin xyz="1 2 3" quat_xyzw="0 0 0.6 0.8"/>' + LIMIT, attributes='name="r" version="1.2"'),
    robot(link("a"), joint("j", "world", "a", _ORIGIN, "fixed")),
    '<?xml version="1.0" encoding="utf-8"?>\n<!-- a robot -->\n' + arm() + "\n<!-- end -->\n",
    robot('<material name="m"><color rgba="0 0 1 1"/></material>', link("a", _SHAPE), "<gazebo><a/></gazebo>"),
)

_NUMBERS = (
    *("0", "-0", "1", "-1", "1e308", "-1e308", "1e309", "1e-308", "4.9e-324", "1e-400", "1e154", "-1e154", "1e-154"),
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e", "e5", "1e+", ".", "-", "+", "--1", "1.2.3", "1,5"),
    *("0x10", "0x1p3", "0b1", "1f", "1d0", "１", "٣", "²", "½", "1\u00a02", "\u2212 1", "1_000", " 1 ", "1 2", ""),
    *("9" * 400, "0." + "0" * 400 + "1", "1e99999999999", "3.141592653589793", "1.5707963267948966", "None", "true"),
)
_WORDS = (
    *("", " ", "a", "b", "j", "world", "world_2", "base", "l0", "j0", "fixed", "revolute", "prismatic", "continuous"),
    *("floating", "planar", "spherical", "1.0", "1.1", "1.2", "2.0", "${x}", "$(arg x)", "../../x", "\ud800", "\x00"),
    *("é", "名", "😀", "&lt;", "&#0;", "&#x41;", "&x;", "a" * 300, "a" * 1100, "'", "]]>", "{0}", "%s", "\u202e"),
)
_PIECES = (
    *("<!-- x -->", "<x/>", "</link>", "<link name='a'/>", "<link name='z'/>", "&amp;", "&x;", "<![CDATA[x]]>"),
    *("<!DOCTYPE robot [<!ENTITY x 'y'>]>", "<xacro:macro/>", "<joint/>", "<robot>", "</robot>", "<a:b c:d='e'/>"),
    *("<!DOCTYPE r [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]>", "<mimic joint='j'/>", "<limit/>", "<inertial/>", LIMIT),
    *("<visual/>", "<collision/>", "<axis xyz='0 0 0'/>", "<origin rpy='nan 0 0'/>", "<mass value='-1'/>", "\r"),
    *("<", ">", "\x0b", "<?x y?>", "<x>" * 70, "<x>" * 30 + "</x>" * 30, '"', "'", "=", "/", "\t" * 50, "\n" * 50),
)
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7", "ascii", "shift_jis")

_VALUE = re.compile(r"""=\s*("[^"<]*"|'[^'<]*')""")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_TAG = re.compile(r"<(\w+)[^<>]*/>")
_ATTRIBUTE = re.compile(r"""\s(\w+)=("[^"<]*"|'[^'<]*')""")
_WORD = re.compile(r"\w+")
_TIDY = re.compile(r">\s+<")

#: A change of a text at a random place.
Mutation = Callable[[str, Random], str]


def _found(pattern: re.Pattern[str], text: str, rng: Random) -> re.Match[str] | None:
    """A match, the first after a random place: all of a large file are not looked for."""
    at = rng.randrange(len(text) + 1)
    return pattern.search(text, at) or pattern.search(text)


def _replace(text: str, match: re.Match[str] | None, new: str, group: int = 0) -> str:
    return text if match is None else text[: match.start(group)] + new + text[match.end(group) :]


def _character(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    new = rng.choice(("<", ">", '"', "'", "&", "/", "=", " ", "\x00", "\x01", "x", "9", "-", ".", "é", "\ud800", ""))
    return text[:at] + new + text[at + rng.randrange(2) :]


def _cut(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.choice((1, 5, 40, 400)) :]


def _repeat(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    piece = text[at : at + rng.choice((1, 5, 40, 400))]
    return text[:at] + piece * rng.choice((2, 3, 20)) + text[at:]


def _move(text: str, rng: Random) -> str:
    at, to = rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)
    piece = text[at : at + rng.choice((5, 40, 400))]
    return text[:to] + piece + text[to:]


def _number(text: str, rng: Random) -> str:
    return _replace(text, _found(_NUMBER, text, rng), rng.choice(_NUMBERS))


def _value(text: str, rng: Random) -> str:
    return _replace(text, _found(_VALUE, text, rng), f'="{rng.choice(_NUMBERS + _WORDS)}"')


def _exchange(text: str, rng: Random) -> str:
    other = _found(_VALUE, text, rng)
    return _replace(text, _found(_VALUE, text, rng), other.group() if other else "")


def _element(text: str, rng: Random) -> str:
    match = _found(_TAG, text, rng)
    return _replace(text, match, rng.choice(("", match.group() * 2, match.group() * 50)) if match else "")


def _attribute(text: str, rng: Random) -> str:
    match = _found(_ATTRIBUTE, text, rng)
    return _replace(text, match, rng.choice(("", match.group() * 2, match.group().upper())) if match else "")


def _word(text: str, rng: Random) -> str:
    other = _found(_WORD, text, rng)
    return _replace(text, _found(_WORD, text, rng), rng.choice((*_WORDS, other.group() if other else "")))


def _piece(text: str, rng: Random) -> str:
    at = text.find("<", rng.randrange(len(text) + 1)) if rng.random() < 0.7 else rng.randrange(len(text) + 1)
    return text[: max(at, 0)] + rng.choice(_PIECES) + text[max(at, 0) :]


def _long(text: str, rng: Random) -> str:
    token = rng.choice(("9", "a", " ", "1 ", "&#49;", "<", "-", ".9", "aé"))
    return _replace(text, _found(_VALUE, text, rng), f'="{token * rng.choice((100, 3000))}"')


MUTATIONS: tuple[Mutation, ...] = (
    *(_number, _number, _value, _value, _exchange, _element, _attribute, _word, _piece, _character),
    *(_cut, _repeat, _move),
)


def _bytes(data: bytes, rng: Random) -> bytes:
    """A few bytes changed, in or out."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice((b"", bytes([rng.randrange(256)]), b"\xff\xfe", b"\xc0\x80")) + data[at + 1 :]
    return data


def mutated(text: str, rng: Random) -> str | bytes:
    """The text with one to five things changed; now and then as bytes, in some encoding."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        text = (_long if rng.random() < 0.01 else rng.choice(MUTATIONS))(text, rng)
    if rng.random() < 0.9:
        return text
    data = text.encode(rng.choice(_ENCODINGS) if rng.random() < 0.3 else "utf-8", "replace")
    return _bytes(data, rng) if rng.random() < 0.7 else data


@cache
def corpus() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Small files and real ones. Of the real ones, single links and joints are small files too."""
    paths = [path for _, path in example_urdfs()] + sorted((Path(__file__).parents[2] / "examples").glob("*.urdf"))
    real = sorted((_TIDY.sub("><", path.read_text(errors="replace")) for path in paths), key=len)
    parts = [part for text in real for part in re.findall(r"<link .*?</link>|<joint .*?</joint>", text, re.DOTALL)]
    links = [part for part in parts if part.startswith("<link") and len(part) < 1500]
    joints = [part for part in parts if part.startswith("<joint") and len(part) < 1500]
    rng = Random(0)
    small = [*HAND_WRITTEN, *(_fragment(rng.choice(joints), rng.choice(links)) for _ in range(300))]
    return tuple(small), tuple(text for text in real if len(text) < 60_000)


def _fragment(joint: str, link: str) -> str:
    """A robot of one real joint and one real link: the names are made to fit."""
    names = [re.search(rf"<{role}\s+link\s*=\s*[\"']([^\"']*)", joint) for role in ("parent", "child")]
    parent, child = (name[1] if name else "a" for name in names)
    link = re.sub(r"name\s*=\s*[\"'][^\"']*[\"']", f'name="{child}"', link, count=1)
    return robot(f'<link name="{parent}"/>', link, joint)


def is_sound(model: Model) -> bool:
    """Whether no number is NaN, and only limits are infinite."""
    for body in model.body_list:
        if not all(map(isfinite, (*body.placement.components(), *body.inertia.components()))):
            return False
        if body.joint is not None:
            data, mimic = body.joint, body.joint.mimic
            finite = (*data.type.parameters, *data.damping, *data.friction, *data.rotor_inertia, *data.stiffness)
            if not all(map(isfinite, (*finite, *data.rest, *((mimic.ratio, mimic.offset) if mimic else ())))):
                return False
            if any(map(isnan, (*data.lower, *data.upper, *data.velocity, *data.effort))):
                return False
    shapes = [x for v in model.visuals for x in (*v.size, *(v.color or ()), *v.offset.components())]
    frames = [x for frame in model.frame_list for x in frame.offset.components()]
    limits = (*model.lower, *model.upper, *model.velocity_limit, *model.effort_limit)
    return all(map(isfinite, (*model.gravity, model.mass, *shapes, *frames))) and not any(map(isnan, limits))


def run(seconds: float, seed: int, cases: int | None = None) -> dict[str, int]:
    """Tries mutated files for a time, or ``cases`` of them: how many loaded, were refused, crashed, were slow, unsound.

    What goes wrong is printed with the file.
    """
    small, real = corpus()
    rng, counts = Random(seed), Counter(dict.fromkeys(NAMES, 0))
    end = time.monotonic() + seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        while counts["tried"] != cases if cases is not None else time.monotonic() < end:
            source = mutated(rng.choice(real if rng.random() < 0.002 else small), rng)
            options = {"base": "free"} if rng.random() < 0.2 else {"mimic": False} if rng.random() < 0.1 else {}
            if isinstance(source, str) and not source.lstrip().startswith("<"):
                source = source.encode("utf-8", "surrogatepass")  # text that is no XML would be a path
            counts["tried"] += 1
            start = time.process_time()  # of this process alone: a busy machine is no slow file
            try:
                outcome = "loaded" if is_sound(sixd.load(source, **options)) else "not_finite"
            except sixd.SixdError:
                outcome = "refused"
            except Exception as error:
                outcome = "crashed"
                print(f"{type(error).__name__}: {error}")
            counts[outcome] += 1
            if time.process_time() - start > SLOW:
                counts["slow"] += 1
                outcome = "slow"
            if outcome in ("crashed", "slow", "not_finite"):
                print(f"{outcome}: {options} {source[:3000]!r}", flush=True)
    return dict(counts)
