"""The leg kicks: its joints are fastest one after the other, and the books balance."""

import re

from tests.examples.scripts import example


def test_what_it_prints(capsys, tmp_path):
    example("leg").main(str(tmp_path / "leg.png"))
    text = capsys.readouterr().out
    times = [float(t) for t in re.findall(r"^\w+ +fastest at ([\d.]+) s", text, re.MULTILINE)]
    hip, knee, ankle, toe = times
    assert hip < knee < ankle
    assert hip < toe
    assert float(re.search(r"unaccounted for: (\S+) J", text)[1]) < 1e-4
    assert (tmp_path / "leg.png").stat().st_size > 10_000
    assert (tmp_path / "leg.html").stat().st_size > 10_000


def test_joints_stay_near_their_limits():
    run = example("leg").kick()
    robot = run.robot
    assert (run.q > robot.lower - 0.25).all()
    assert (run.q < robot.upper + 0.25).all()
