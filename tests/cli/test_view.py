"""``sixd view``: pages of robots and motions, and the live page."""

import sys
import threading

import numpy as np
import pytest

import sixd
from sixd import view
from sixd.cli.main import main

TWO_LINK = "examples/two_link.urdf"


@pytest.fixture(autouse=True)
def _at_the_root(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)


def ran(capsys, *argv):
    """The exit code, standard output and standard error of ``sixd view``."""
    code = main(["view", *map(str, argv)])
    return code, *capsys.readouterr()


@pytest.fixture
def drawn(monkeypatch):
    """The arguments with which a page was asked for."""
    calls = []
    monkeypatch.setattr(view, "save_html", lambda *args, **options: calls.append((args, options)))
    return calls


def test_without_options(capsys, tmp_path, request, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = ran(capsys, request.config.rootpath / TWO_LINK)
    assert (code, out, err) == (0, "two_link.html\n", "")
    assert [file.name for file in tmp_path.iterdir()] == ["two_link.html"]
    assert "two-link arm" in (tmp_path / "two_link.html").read_text()


def test_a_position_and_layers(capsys, tmp_path, drawn):
    page = tmp_path / "pose.html"
    code, out, _ = ran(capsys, TWO_LINK, "--q", "elbow=0.5", "--layers", "skeleton", "axes", "--out", page)
    assert (code, out) == (0, f"{page}\n")
    (path, _, t, q), options = drawn[0]
    assert (path, t, q.tolist(), options) == (str(page), None, [0.0, 0.5], {"layers": ["skeleton", "axes"]})


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_a_motion_that_simulate_wrote(capsys, tmp_path, drawn, suffix):
    motion = tmp_path / f"run{suffix}"
    run = sixd.simulate(sixd.load(TWO_LINK), [0.3, 0.2], [1.0, 0.0], 0.1, record=10)
    run.save(motion)
    assert ran(capsys, TWO_LINK, "--motion", motion, "--out", tmp_path / "run.html")[0] == 0
    (_, _, t, q), _ = drawn[0]
    np.testing.assert_array_equal(t, run.t)
    np.testing.assert_array_equal(q, run.q)


def test_the_browser(capsys, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert ran(capsys, TWO_LINK, "--out", tmp_path / "arm.html", "--open")[0] == 0
    assert opened == [(tmp_path / "arm.html").as_uri()]


def test_a_live_page(capsys, monkeypatch):
    pytest.importorskip("viser")
    waited = view.LiveView.wait

    def wait(self):
        stopping = threading.Timer(0.1, self.stop)
        stopping.start()
        waited(self)
        stopping.join()

    monkeypatch.setattr(view.LiveView, "wait", wait)
    code, out, _ = ran(capsys, TWO_LINK, "--live", "--port", 18431)
    assert code == 0
    assert out.startswith("http://localhost:18")
    assert out.count("http") == 1


def test_viser_is_an_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    code, out, err = ran(capsys, TWO_LINK, "--live")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'sixd[view]'" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--q", "1"], "--q needs 2 numbers (shoulder, elbow), not 1"),
        (["--q", "elbw=1"], "did you mean 'elbow'?"),
        (["--host", "127.0.0.1"], "add --live"),
        (["--port", "8080"], "add --live"),
        (["--out", "nowhere/arm.html"], "make the folder nowhere first"),
        (["--out", "docs"], "docs must be a .html or .htm file"),
        (["--motion", "nowhere.csv"], "No such file"),
        (["--motion", TWO_LINK], ".csv, .npz or .parquet file"),
    ],
)
def test_what_cannot_be_shown(capsys, tmp_path, argv, message):
    page = [] if "--out" in argv else ["--out", tmp_path / "arm.html"]
    code, out, err = ran(capsys, TWO_LINK, *argv, *page)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,x\n0,1\n", "columns are missing: q_shoulder, q_elbow"),
        ("t,q_elbow_meas,q_shoulder_meas\n0,1,2\n", "columns are missing: q_shoulder, q_elbow"),
        ("t,q_elbow [m],q_shoulder\n0,1,2\n", "'q_elbow [m]' would be in 'm'"),
        ("q_shoulder,q_elbow\n0,1\n", "a motion needs the time of each row"),
        ("t,q_shoulder,q_elbow\n", "no rows"),
        ("t,q_shoulder,q_elbow\n0,1,2\n0,1,2\n", "t must increase"),
        ("t,q_shoulder,q_elbow\n0,1,2\n1,1,\n", "run.csv: row 1, counted from 0, has numbers that are not finite"),
        ("", ""),
    ],
)
def test_motions_that_do_not_fit(capsys, tmp_path, text, message):
    (tmp_path / "run.csv").write_text(text)
    code, out, err = ran(capsys, TWO_LINK, "--motion", tmp_path / "run.csv", "--out", tmp_path / "arm.html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [(["--port", "70000"], "port must be at most 65535"), (["--host", "192.0.2.1"], "an address of this machine")],
)
def test_servers_that_cannot_be(capsys, argv, message):
    pytest.importorskip("viser")
    code, _, err = ran(capsys, TWO_LINK, "--live", *argv)
    assert (code, err.count("\n")) == (2, 1)
    assert message in err


def test_unknown_layers_name_the_closest(capsys):
    with pytest.raises(SystemExit) as end:
        main(["view", TWO_LINK, "--layers", "skeletton"])
    assert end.value.code == 2
    assert "did you mean 'skeleton'?" in capsys.readouterr().err
