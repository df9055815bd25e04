"""An arm polishes a table: with a sensor it stays on its path, and keeps the force that is set."""

import re

import pytest

from tests.examples.scripts import example


def test_what_it_prints_and_draws(capsys, monkeypatch, tmp_path):
    module = example("polishing")
    monkeypatch.setattr(module, "DURATION", 4.0)
    module.main(str(tmp_path / "polishing.png"))
    text = capsys.readouterr().out
    rows = re.findall(
        r"^(\w+) a sensor +off its path by at most +([.\d]+) mm; .* ([.\d]+) N on average", text, re.MULTILINE
    )
    off, wrong = ({name: float(row[k]) for name, *row in rows} for k in range(2))
    assert off["with"] < 2.5 < 20.0 < off["without"]
    assert wrong["with"] == pytest.approx(0.6, abs=0.3)
    assert wrong["without"] > 3.0
    assert (tmp_path / "polishing.png").stat().st_size > 10_000
    assert (tmp_path / "polishing.html").stat().st_size > 10_000
