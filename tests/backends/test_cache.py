"""Machine code on disk: found again, never believed when damaged, private."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import time

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.backends.llvm import cache as module
from sixd.backends.llvm.cache import Cache, default_directory, file_name, size_limit
from sixd.backends.llvm.call import call_module
from tests.incomplete import ended_process, name_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    call_module()  # what all kernels share is kept elsewhere
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    module._warn.cache_clear()  # what was said in another test is said again
    return tmp_path / "cache"


def paths(folder):
    return [folder / entry.name for entry in Cache(folder).entries()]


def kernel():
    return sixd.compile(algorithms.rnea, gallery.seven_axis_arm())


def arguments():
    return np.random.default_rng(0).normal(size=(3, 7))


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
        "print(k(*np.random.default_rng(0).normal(size=(3, 7))).tobytes().hex())"
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
        lambda data: data[:50] + bytes([data[50] ^ 1]) + data[51:],  # in the title
        lambda data: data[:46] + data[47:],
        lambda data: data[:300] + bytes([data[300] ^ 1]) + data[301:],
        lambda data: data.replace(b"\n", b"", 2),
    ],
)
def test_damaged_entries_are_made_anew(folder, damage):
    wanted = kernel()(*arguments())
    (entry,) = paths(folder)
    entry.write_bytes(damage(entry.read_bytes()))
    again = kernel()
    assert "compile" in again.times
    np.testing.assert_array_equal(again(*arguments()), wanted)
    assert "load" in kernel().times


def test_an_entry_of_another_key_is_not_believed(folder):
    kernel()
    (entry,) = paths(folder)
    stolen = entry.read_bytes()
    other = sixd.compile(algorithms.crba, gallery.seven_axis_arm())
    (path,) = [p for p in paths(folder) if p != entry]
    path.write_bytes(stolen)
    again = sixd.compile(algorithms.crba, gallery.seven_axis_arm())
    assert "compile" in again.times
    q = arguments()[0]
    np.testing.assert_array_equal(again(q), other(q))


def test_the_directory_is_private(folder):
    kernel()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    with pytest.warns(RuntimeWarning, match=r"cache must belong to this user alone \(mode 0700\)"):
        assert "compile" in kernel().times, "a directory that others can enter is not used"
    assert "compile" in kernel().times  # and nothing is said a second time


def test_a_directory_that_cannot_be_made_is_no_error(folder, monkeypatch):
    folder.write_text("a file")
    monkeypatch.setenv("SIXD_CACHE", str(folder / "cache"))
    with pytest.warns(RuntimeWarning, match="set SIXD_CACHE to another directory, or to off"):
        assert "compile" in kernel().times


@pytest.mark.parametrize("fails", ["urandom", "replace", "scandir"])
def test_a_full_disk_is_no_error(folder, monkeypatch, fails):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"os.{fails}", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert "compile" in kernel().times
    monkeypatch.undo()
    assert not list(folder.glob("*.part"))


def test_a_directory_that_can_only_be_read(folder, monkeypatch):
    """What is there is used; what is damaged stays. (Modes do not stop the superuser: the calls fail here.)"""
    wanted = kernel()(*arguments())

    def refuse(*_, **__):
        raise PermissionError(30, "Read-only file system")

    for name in ("unlink", "utime", "replace"):
        monkeypatch.setattr(f"os.{name}", refuse)
    assert "load" in kernel().times
    (entry,) = paths(folder)
    entry.write_bytes(entry.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match="Read-only file system"):
        np.testing.assert_array_equal(kernel()(*arguments()), wanted)


def test_a_user_without_a_home(monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    for name in ("SIXD_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert default_directory() is None


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


def test_entries_tell_what_they_are(folder):
    arm = gallery.seven_axis_arm()
    sixd.compile(algorithms.rnea, arm)
    sixd.compile(algorithms.rnea, arm, rolled=True, name="forces")  # a name that no other test has in memory
    sixd.compile(algorithms.jacobian, arm, body=3, expressed_in="world")
    sixd.compile(algorithms.jacobian, arm, body=3, expressed_in="world", rolled=True, name="motion")
    sixd.compile(algorithms.potential_energy, arm, parameters=["inertia", "gravity"], name="height")
    assert {entry.title for entry in Cache(folder).entries()} == {
        "rnea seven-axis arm unrolled",
        "forces rolled (revolute)",
        "jacobian seven-axis arm unrolled body=3 expressed_in=world",
        "motion rolled (revolute) body=any expressed_in=world",
        "height seven-axis arm unrolled inertia=any gravity=any",
    }


@pytest.mark.parametrize("title", ["", "one\ntwo\0 \x1b[2J", "ä" * 500, "\ud800"])
def test_titles_are_one_line_that_can_be_printed(folder, title):
    payload = b"\n\0payload\n"
    Cache(folder).store("key", payload, title)
    assert Cache(folder).load("key") == payload
    (entry,) = Cache(folder).entries()
    assert entry.title.isprintable()
    assert len(entry.title) <= 400
    assert entry.title[:7] == title[:7].replace("\n", " ").replace("\ud800", "?")


OTHERS = {
    "foreign.o": b"\x7fELF" * 500,
    "main.o": b"sixd-object-2\n" + bytes(100),  # the mark alone does not make it an entry
    "f" * 64 + ".o": b"\x7fELF" * 500,  # nor the name
    "e" * 63 + ".o": b"sixd-object-2\n" + bytes(100),
    "E" * 64 + ".o": b"sixd-object-2\n" + bytes(100),
    "d" * 64 + ".o.part": b"sixd-object-2\n" + bytes(100),
    "movie.part": b"half a movie",
    ".sixd-1-01234567@elsewhere.part": b"notes of mine",
    "sixd-notes.part": b"sixd-object-2\n",
}


@pytest.fixture
def shared(folder):
    """A folder that has files of others too, old ones, and things that are no files."""
    folder.mkdir(mode=0o700)
    for name, content in OTHERS.items():
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1e9,) * 2)
    target = folder.parent / "elsewhere"
    target.write_bytes(b"sixd-object-2\n" + bytes(100))
    (folder / ("a" * 64 + ".o")).symlink_to(target)
    (folder / ("b" * 64 + ".o")).mkdir()
    os.mkfifo(folder / ("c" * 64 + ".o"))
    return folder


def untouched(shared):
    assert {path.name: path.read_bytes() for path in shared.iterdir() if path.name in OTHERS} == OTHERS
    assert {path.name[0] for path in shared.iterdir()} >= set("abc")
    assert (shared.parent / "elsewhere").exists()


def test_files_of_others_are_no_entries(shared):
    assert Cache(shared).entries() == []


def test_files_of_others_survive_clearing(shared):
    Cache(shared).store("key", b"mine")
    assert Cache(shared).clear() == 1
    untouched(shared)
    assert Cache(shared).load("key") is None


@pytest.mark.parametrize("limit", ["0", "0.0001"])
def test_files_of_others_survive_a_full_cache(shared, monkeypatch, limit):
    monkeypatch.setenv("SIXD_CACHE_SIZE", limit)
    Cache(shared).store("key", bytes(10))
    untouched(shared)
    assert [entry.size for entry in Cache(shared).entries()] == ([] if limit == "0" else [57])


def test_links_and_pipes_are_not_read(folder):
    """An entry is a file of the directory itself: no link, whoever made it, and nothing that keeps a reader waiting."""
    cache = Cache(folder)
    cache.store("key", b"mine")
    path = folder / file_name("key")
    real = path.rename(folder.parent / "real")
    path.symlink_to(real)
    assert cache.load("key") is None
    path.unlink()
    os.mkfifo(path)
    assert cache.load("key") is None


def test_a_file_that_others_can_write_is_not_read(folder):
    cache = Cache(folder)
    cache.store("key", b"mine")
    (folder / file_name("key")).chmod(0o666)
    assert cache.load("key") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser gives files away")
@pytest.mark.parametrize("given", ["folder", "file"])
def test_what_belongs_to_another_user_is_not_read(folder, given):
    cache = Cache(folder)
    cache.store("key", b"mine")
    os.chown(folder if given == "folder" else folder / file_name("key"), 12345, -1)
    assert cache.load("key") is None


def test_a_directory_that_is_swapped_meanwhile(folder, monkeypatch):
    """Whoever owns the parent folder puts a directory of his own in place of ours after it was found to be private."""
    cache = Cache(folder)
    cache.store("key", b"mine")
    forged = Cache(folder.parent / "forged")
    forged.store("key", b"forged")
    forged.directory.chmod(0o755)
    swaps = []
    real = module.hashlib.sha256

    def swap():
        if not swaps:
            swaps.append(folder.rename(folder.parent / "away"))
            forged.directory.rename(folder)

    class Swapping:
        """A hash that is asked for after the directory was looked at, as a slow machine would have it."""

        @staticmethod
        def sha256(data):
            swap()
            return real(data)

    for name in ("fstat", "stat"):
        status = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, status=status, **k: (status(*a, **k), swap())[0])
    monkeypatch.setattr(module, "hashlib", Swapping)
    assert cache.load("key") in (b"mine", None)
    assert swaps


def test_a_link_to_the_directory(folder):
    """A home that is small keeps its cache elsewhere: what the link leads to is what is checked."""
    (folder.parent / "large").mkdir(mode=0o700)
    folder.symlink_to(folder.parent / "large")
    Cache(folder).store("key", b"mine")
    assert Cache(folder).load("key") == b"mine"
    (folder.parent / "large").chmod(0o755)
    assert Cache(folder).load("key") is None


def test_systems_without_relative_names(folder, monkeypatch):
    """On Windows paths are used."""
    monkeypatch.setattr("sixd.backends.llvm.folder._RELATIVE", False)
    monkeypatch.setattr(os, "O_DIRECTORY", None)
    monkeypatch.delattr(os, "geteuid")
    cache = Cache(folder)
    cache.store("key", b"mine", "title")
    assert cache.load("key") == b"mine"
    assert [entry.title for entry in cache.entries()] == ["title"]
    assert cache.clear() == 1
    assert list(folder.iterdir()) == []


def test_a_disk_that_stays_full_is_told_once(folder, monkeypatch):
    """Files that are half written have random names: the warning has none."""
    folder.mkdir(mode=0o700)
    really = os.open

    def full(path, flags, *more, **options):
        if flags & os.O_CREAT:
            raise OSError(28, "No space left on device", path)
        return really(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", full)
    with pytest.warns(RuntimeWarning, match="No space left on device") as said:
        _ = [Cache(folder).store(f"key {k}", b"mine") for k in range(3)]
    assert len(said) == 1


def filled(folder, number):
    """A cache with entries of some 100 kB, the first one used longest ago."""
    cache = Cache(folder)
    for k in range(number):
        cache.store(f"key {k}", bytes(100_000))
        os.utime(folder / file_name(f"key {k}"), (1e9 + k,) * 2)
    return cache


def kept(cache, number):
    return [k for k in range(number) if (cache.directory / file_name(f"key {k}")).exists()]


def test_what_was_used_longest_ago_goes_first(folder, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE_SIZE", "0.45")
    cache = filled(folder, 4)
    assert kept(cache, 4) == [0, 1, 2, 3]
    assert cache.load("key 0") == bytes(100_000)  # used now
    cache.store("key 4", bytes(100_000))
    assert kept(cache, 5) == [0, 2, 3, 4]
    monkeypatch.setenv("SIXD_CACHE_SIZE", "0.25")
    cache.store("key 5", bytes(100_000))
    assert len(kept(cache, 6)) == 2
    monkeypatch.setenv("SIXD_CACHE_SIZE", "0")
    cache.store("key 6", bytes(100_000))
    assert kept(cache, 7) == []


def test_the_directory_is_not_listed_each_time(folder, monkeypatch):
    """With thousands of entries that takes longer than compiling; a hundredth of the limit is stored in between."""
    listed, files = [], module.Folder.files

    def counted(self):
        listed.append(files(self))
        return listed[-1]

    monkeypatch.setattr(module.Folder, "files", counted)
    monkeypatch.setenv("SIXD_CACHE_SIZE", "1")
    for k in range(100):
        Cache(folder).store(f"key {k}", bytes(2_000))
    assert [len(found) for found in listed] == [1, *range(6, 100, 5)]
    for k in range(100, 1000):
        Cache(folder).store(f"key {k}", bytes(2_000))
    assert 0.9e6 < sum(path.stat().st_size for path in folder.iterdir()) < 1.01e6


def test_reading_alone_removes_nothing(folder, monkeypatch):
    cache = filled(folder, 3)
    monkeypatch.setenv("SIXD_CACHE_SIZE", "0")
    assert cache.load("key 1") == bytes(100_000)
    assert kept(cache, 3) == [0, 1, 2]


def test_writers_of_a_full_cache(folder, monkeypatch):
    """Processes that write, read and remove at once: what is found is right, and the size holds in the end."""
    monkeypatch.setenv("SIXD_CACHE_SIZE", "0.35")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sixd.backends.llvm.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "for k in range(40):\n"
        "    cache.store(f'key {k % 7}', bytes([k % 7]) * 100_000)\n"
        "    for j in range(7):\n"
        "        assert cache.load(f'key {j}') in (None, bytes([j]) * 100_000)\n"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(folder)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [(b"", 0)] * 3
    assert 1 <= len(paths(folder)) == len(list(folder.iterdir())) <= 3


@pytest.mark.parametrize(("text", "limit"), [("", 500e6), ("20", 20e6), (" 0.5 ", 5e5), ("inf", np.inf)])
def test_the_size_can_be_chosen(monkeypatch, text, limit):
    monkeypatch.setenv("SIXD_CACHE_SIZE", text)
    assert size_limit() == limit


@pytest.mark.parametrize("text", ["much", "-1", "nan"])
def test_a_size_that_is_none(folder, monkeypatch, text):
    monkeypatch.setenv("SIXD_CACHE_SIZE", text)
    with pytest.warns(RuntimeWarning, match="SIXD_CACHE_SIZE is '.*', but a number of megabytes is needed"):
        assert size_limit() == 500e6


@pytest.mark.parametrize("tidy", [lambda cache: cache.store("key", b""), Cache.clear])
def test_what_killed_processes_left_is_removed(folder, tidy):
    folder.mkdir(mode=0o700)
    """Of this machine, those of processes that have ended; of others, which share the folder, old ones."""
    ended, half = ended_process(), b"sixd-object-2\nhalf"
    left = [(name_of(ended, 1), 10, half), (name_of(ended, 2), 10, b""), (name_of(1, 3, "other"), 4000, half)]
    kept = [(name_of(os.getpid()), 4, half), (name_of(1, 4, "other"), 10, half)]
    for name, age, content in [*left, *kept]:
        (folder / name).write_bytes(content)
        os.utime(folder / name, (time() - age,) * 2)
    tidy(Cache(folder))
    assert {path.name for path in folder.iterdir() if path.suffix != ".o"} == {name for name, *_ in kept}
