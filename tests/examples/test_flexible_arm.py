"""Two flexible links: modes and many rigid pieces agree, and the rigid arm stands still where they swing."""

import re

import numpy as np

from tests.examples.scripts import example


def test_modes_and_pieces_agree(capsys, tmp_path):
    module = example("flexible_arm")
    module.main(str(tmp_path / "arm.png"))
    said = capsys.readouterr().out
    assert "8 with modes, 26 in pieces" in said
    assert float(re.search(r"differ by at most ([\d.]+) mm", said)[1]) < 4.0
    assert float(re.search(r"the load swings over (\d+) mm", said)[1]) > 400.0
    assert float(re.search(r"of the rigid arm over (\d+) mm", said)[1]) < 40.0
    assert (tmp_path / "arm.png").stat().st_size > 10_000
    assert "upper_modes" in (tmp_path / "arm.html").read_text()


def test_locked_modes_make_the_rigid_arm():
    module = example("flexible_arm")
    stiff, rigid = module.arm("modal").lock({"upper_modes": None, "fore_modes": None}), module.arm("rigid")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(stiff.inverse_dynamics(q, qd, qdd), rigid.inverse_dynamics(q, qd, qdd), rtol=1e-12)
