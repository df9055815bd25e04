"""The example that counts operations: what it prints, and the picture."""

from tests.examples.scripts import example


def test_what_is_printed_and_drawn(capsys, tmp_path, monkeypatch):
    script = example("formulations")
    monkeypatch.setattr(script, "MOST", {"uicker_kahn": 4})
    picture = tmp_path / "formulations.png"
    script.main(str(picture))
    text = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.startswith("  ")}
    assert set(rows) == {name for names in script.PANELS.values() for name in names}
    by_six = {name: int(cells[1].replace(",", "")) for name, cells in rows.items() if cells[1] != "-"}
    assert by_six["luh_walker_paul"] < by_six["rnea"] < by_six["kane"] < by_six["hollerbach"]
    assert by_six["brandl_johanni_otter"] < by_six["walker_orin_3"] < by_six["aba"]
    assert "the latter take less from N = 10 on" in text
    assert picture.stat().st_size > 20_000
