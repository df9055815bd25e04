"""``sixd cache``, and how errors of any command end."""

import json
import os
import re
import subprocess
import sys

import pytest

import sixd
from sixd import SixdError, algorithms, gallery
from sixd.backends.llvm.cache import Cache, file_name
from sixd.cli import cache
from sixd.cli.main import main

NOW = 1_700_000_000.0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(cache, "time", lambda: NOW)
    return tmp_path / "kept"


def fill(folder, *sizes):
    for k, size in enumerate(sizes):
        Cache(folder).store(f"key {k}", bytes(size), f"rnea arm {k}")
        path = folder / file_name(f"key {k}")
        os.utime(path, (NOW - 5 - 7300 * k,) * 2)  # 5 s, 2 h, 4 h ago


def test_directory(capsys, folder):
    assert main(["cache", "dir"]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
    assert not folder.exists()


def test_nothing_there(capsys, folder):
    assert main(["cache"]) == 0
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"0 entries in {folder}, 0 B of at most 500 MB\n0 entries deleted from {folder}\n"


def test_list(capsys, folder):
    fill(folder, 100_000, 200_000, 300_000)
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert main(["cache", "list"]) == 0
    assert capsys.readouterr().out == shown
    first, *rest = shown.splitlines()
    assert first == f"3 entries in {folder}, 600 kB of at most 500 MB"
    assert [line.split(maxsplit=4)[4] for line in rest] == [f"rnea arm {k}" for k in range(3)]  # the newest first
    assert [" ".join(line.split()[2:4]) for line in rest] == ["5 s", "2 h", "4 h"]
    assert [" ".join(line.split()[:2]) for line in rest] == ["100 kB", "200 kB", "300 kB"]


def test_list_as_json(capsys, folder):
    fill(folder, 100_000, 200_000)
    assert main(["cache", "--json", "list", "arm 1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["directory"], found["limit"]) == (str(folder), 500_000_000)
    (entry,) = found["entries"]
    assert (entry["title"], entry["bytes"] // 1000, entry["unused"] // 3600) == ("rnea arm 1", 200, 2)
    assert main(["cache", "clear", "--json"]) == 2
    assert "--json is for the list" in capsys.readouterr().err
    assert main(["cache"]) == 0
    assert "2 entries" in capsys.readouterr().out  # nothing was cleared


def test_files_of_others_are_not_listed(capsys, folder):
    folder.mkdir(mode=0o700)
    (folder / "foreign.o").write_bytes(b"\x1b[2J")
    (folder / file_name("key")).write_bytes(b"\x1b[2J")
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"0 entries in {folder}, 0 B of at most 500 MB\n"


def test_entries_of_other_versions_are_listed_by_their_file(capsys, folder):
    folder.mkdir(mode=0o700)
    (folder / file_name("key")).write_bytes(b"sixd-object-1\nother")
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == file_name("key")


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ([], []),
        (["ARM 1"], [0, 2]),
        (["nothing"], [0, 1, 2]),
        (["--unused", "0.1"], [0, 1]),
        (["arm", "--unused", "0.05"], [0]),
    ],
)
def test_some_entries(capsys, folder, chosen, left):
    fill(folder, 10, 10, 10)
    assert main(["cache", "list", *chosen]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3 - len(left)
    assert main(["cache", "clear", *chosen]) == 0
    count = "1 entry" if len(left) == 2 else f"{3 - len(left)} entries"
    assert capsys.readouterr().out == f"{count} deleted from {folder}\n"
    assert [entry.title for entry in Cache(folder).entries()] == [f"rnea arm {k}" for k in left]


def test_clear(capsys, folder):
    sixd.compile(algorithms.kinetic_energy, gallery.seven_axis_arm())  # code that all kernels share is stored once
    assert main(["cache", "clear"]) == 0
    capsys.readouterr()
    sixd.compile(algorithms.potential_energy, gallery.seven_axis_arm())
    (folder / "other").write_text("not an entry")
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"1 entry deleted from {folder}\n"
    assert [path.name for path in folder.iterdir()] == ["other"]


@pytest.mark.parametrize("action", ["list", "clear", "dir"])
def test_off(capsys, monkeypatch, action):
    monkeypatch.setenv("SIXD_CACHE", "off")
    assert main(["cache", action]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "sixd: the cache is off: SIXD_CACHE says so\n")


@pytest.mark.parametrize("error", [SixdError("first\nsecond"), PermissionError(13, "first", "second")])
def test_errors_are_one_line(capsys, monkeypatch, folder, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(Cache, "clear", broken)
    assert main(["cache", "clear"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"sixd: .*first.*second.*\n", said.err)


def test_interrupted(monkeypatch, folder):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Cache, "clear", interrupted)
    assert main(["cache", "clear"]) == 130


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_600, "1 MB"), (5e8, "500 MB"), (2.5e9, "2.5 GB")],
)
def test_sizes(size, text):
    assert cache._size(size) == text


@pytest.mark.parametrize(
    ("age", "text"), [(-3, "0 s"), (0, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (864000, "10 days")]
)
def test_ages(age, text):
    assert cache._age(age) == text


def started(command, folder, **options):
    environment = {**os.environ, "SIXD_CACHE": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, **options)


@pytest.mark.parametrize("module", ["sixd", "sixd.cli"])
def test_as_a_module(folder, module):
    fill(folder, 10)
    done = started([sys.executable, "-m", module, "cache", "clear"], folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"1 entry deleted from {folder}\n", "")


def test_readers_may_leave(folder):
    fill(folder, *[10] * 3)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "sixd.cli", "cache"], stdout=writer, stderr=subprocess.PIPE, timeout=120, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
