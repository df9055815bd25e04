"""The particle of FDSV (24)-(30): the script prints the paper's numbers."""

import numpy as np

from tests.examples.scripts import example


def test_what_is_computed_is_what_the_paper_s_formulas_give():
    for _, name, found, wanted in example("particle").rows():
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14, err_msg=name)


def test_what_it_prints(capsys, tmp_path):
    example("particle").main(str(tmp_path / "particle.png"))
    text = capsys.readouterr().out
    for number in ("(24)", "(26)", "(28)", "(30)"):
        assert number in text
    assert "   7.950   -1.500   30.000" in text  # the force on the ground
    assert "Q =  -1.500   30.000" in text
    assert (tmp_path / "particle.png").stat().st_size > 5_000
