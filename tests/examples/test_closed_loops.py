"""Ten mechanisms: what the example tells of them, the published solution, the picture."""

from sixd.mechanisms import MECHANISMS
from tests.examples.scripts import example


def test_freedoms_and_the_published_solution(capsys):
    module = example("closed_loops")
    for name in ("four_bar", "bricard"):
        module.tell(name, MECHANISMS[name]())
    four_bar, bricard = capsys.readouterr().out.splitlines()
    assert "1 freedom(s), Gruebler -2" in four_bar
    assert "1 freedom(s), Gruebler  0" in bricard
    assert module.squeeze()[1] < 2e-9


def test_the_picture(tmp_path):
    example("closed_loops").draw(str(tmp_path / "all.png"))
    assert (tmp_path / "all.png").stat().st_size > 50_000
