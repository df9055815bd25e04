"""Numbers in messages have few digits, however large they are."""

import ast
import re
import warnings
from contextlib import suppress

import numpy as np
import pytest

import sixd
from sixd.cli.main import main
from sixd.simulation import simulate
from sixd.simulation.forces import JointSpring
from tests.test_layers import PACKAGE

PENDULUM = sixd.gallery.pendulum()
LONG = re.compile(r"\d{25,}")
HUGE = [1e300, -1e300, 1e25, 10**300]

CALLS = {
    "duration": lambda x: simulate(PENDULUM, [0.1], [0.0], x),
    "dt": lambda x: simulate(PENDULUM, [0.1], [0.0], 1.0, dt=x),
    "a small dt": lambda x: simulate(PENDULUM, [0.1], [0.0], 1.0, dt=1.0 / abs(x)),
    "dopri5": lambda x: simulate(PENDULUM, [0.1], [0.0], x, integrator="dopri5"),
    "record": lambda x: simulate(PENDULUM, [0.1], [0.0], 0.1, record=int(x)),
    "control_dt": lambda x: simulate(PENDULUM, [0.1], [0.0], 0.1, control=lambda t, q, qd: -qd, control_dt=x),
    "control": lambda x: simulate(PENDULUM, [0.1], [0.0], x, control=np.zeros((5, 1))),
    "spring": lambda x: simulate(PENDULUM, [0.1], [0.0], 0.01, forces=[JointSpring(abs(x))], integrator="rk4"),
    "resume": lambda x: simulate(PENDULUM, [0.1], [0.0], 0.01).resume(x),
    "prismatic": lambda x: sixd.joints.Prismatic((x, 0, 0)),
    "mass": lambda x: sixd.Builder("b").body("a", mass=x),
    "links": lambda x: sixd.gallery.chain(x),
    "random": lambda x: PENDULUM.random(0, x),
}
WORDS = [
    "simulate gallery.pendulum --duration {}",
    "simulate gallery.pendulum --duration 1 --dt {}",
    "simulate gallery.pendulum --duration 0.1 --record {}",
    "eval gravity gallery.pendulum --q {} 1",
    "eval gravity gallery.pendulum --q 0 --chunk {}",
    "bench gallery.pendulum --seconds {}",
    "cache {}",
    "info gallery.pendulum --frame {}",
]


@pytest.mark.parametrize("x", HUGE)
@pytest.mark.parametrize("name", CALLS)
def test_errors_and_warnings_of_huge_numbers_are_short(name, x):
    """The number of steps of 1e300 s was written out, twice in a line."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        said = ""
        try:
            CALLS[name](x)
        except sixd.SixdError as error:
            said = str(error)
    assert not any(LONG.search(text) for text in (said, *(str(warning.message) for warning in found)))


@pytest.mark.parametrize("x", HUGE)
@pytest.mark.parametrize("words", WORDS)
def test_the_command_tells_huge_numbers_shortly(capsys, words, x):
    """-1e300 became a word of 300 digits before it was read."""
    with suppress(SystemExit):
        main(words.format(x).split())
    said = capsys.readouterr()
    assert not LONG.search(said.err + said.out)


def test_sizes_in_tables_of_the_command_are_short(capsys, tmp_path):
    file = tmp_path / "large.urdf"
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = (
        '<joint name="j{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>{3}{4}</joint>'
    )
    far, limit = '<origin xyz="1e120 0 0"/>', '<limit lower="-1" upper="1" velocity="1" effort="1e300"/>'
    joints = joint.format(1, "a", "b", far, limit) + joint.format(2, "b", "c", far, limit)
    links = f'<link name="a"/><link name="b">{link}</link><link name="c">{link}</link>'
    file.write_text(f'<robot name="large">{links}{joints}</robot>')
    assert main(["info", str(file)]) == 0
    said = capsys.readouterr()
    assert "e+120" in said.out
    assert not LONG.search(said.out + said.err)


def test_no_error_or_warning_writes_numbers_out():
    """None has a format like ".3f", which writes all digits before the point, but of numbers that are bounded."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) or (
                isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
            ):
                for part in ast.walk(node):
                    if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                        shape, what = ast.unparse(part.format_spec), ast.unparse(part.value)
                        assert not re.search(r"f'$", shape) or "limit" in what, f"{path}:{part.lineno} {what}"
