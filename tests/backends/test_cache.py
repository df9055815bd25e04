"""Machine code on disk: found again, never believed when damaged, private."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.backends.llvm.cache import Cache, default_directory


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kernel():
    return sixd.compile(algorithms.rnea, gallery.seven_axis_arm())


def arguments():
    return np.random.default_rng(0).normal(size=(3, 11, 7))


def test_a_second_time_is_loaded(folder):
    first, again = kernel(), kernel()
    assert "compile" in first.times
    assert "load" in again.times
    np.testing.assert_array_equal(first(*arguments()), again(*arguments()))
    assert len(Cache(folder).entries()) == 1


def test_another_process_finds_it(folder):
    wanted = kernel()(*arguments())
    code = (
        "import sixd, numpy as np\n"
        "k = sixd.compile(sixd.algorithms.rnea, sixd.gallery.seven_axis_arm())\n"
        "assert 'load' in k.times, k.times\n"
        "print(k(*np.random.default_rng(0).normal(size=(3, 11, 7))).tobytes().hex())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert out == wanted.tobytes().hex()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"x",
        lambda data: b"other" + data[5:],
        lambda data: data[:-100] + bytes(100),
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
    ],
)
def test_damaged_entries_are_made_anew(folder, damage):
    wanted = kernel()(*arguments())
    (entry,) = Cache(folder).entries()
    entry.write_bytes(damage(entry.read_bytes()))
    again = kernel()
    assert "compile" in again.times
    np.testing.assert_array_equal(again(*arguments()), wanted)
    assert "load" in kernel().times


def test_an_entry_of_another_key_is_not_believed(folder):
    kernel()
    (entry,) = Cache(folder).entries()
    stolen = entry.read_bytes()
    other = sixd.compile(algorithms.crba, gallery.seven_axis_arm())
    (path,) = [p for p in Cache(folder).entries() if p != entry]
    path.write_bytes(stolen)
    again = sixd.compile(algorithms.crba, gallery.seven_axis_arm())
    assert "compile" in again.times
    q = arguments()[0]
    np.testing.assert_array_equal(again(q), other(q))


def test_the_directory_is_private(folder):
    kernel()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    assert "compile" in kernel().times, "a directory that others can enter is not used"


def test_a_directory_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("SIXD_CACHE", str(file / "cache"))
    assert "compile" in kernel().times


def test_the_place_can_be_chosen(monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", "off")
    assert default_directory() is None
    monkeypatch.delenv("SIXD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_directory() == Path("/somewhere/sixd")


def test_writers_do_not_disturb_each_other(folder):
    cache = Cache(folder)
    payload = os.urandom(200_000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: cache.store("key", payload), range(50)))
        results = list(pool.map(lambda _: cache.load("key"), range(50)))
    assert all(result == payload for result in results)
    assert len(list(folder.iterdir())) == 1


def test_clearing(folder):
    kernel()
    assert Cache(folder).clear() == 1
    assert Cache(folder).entries() == []
