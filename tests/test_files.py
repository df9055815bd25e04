"""Files that are written: complete or not at all, whatever happens, by all that writes."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import sixd
from sixd import FileError, SixdError, algorithms
from sixd.cli.main import main
from sixd.files import replacing
from sixd.tables import FORMATS, Field, create_table
from tests.incomplete import ended_process, name_of, small_disk

mpl.use("Agg")
ARM = sixd.gallery.double_pendulum()
OLD = b"what was there before"


@cache
def trajectory(*samples):
    return sixd.simulate(ARM, np.ones((*samples, 2)), np.zeros(2), 1.0, dt=0.002)


@cache
def kernel():
    return sixd.compile(algorithms.aba, sixd.gallery.seven_axis_arm())


def command(*words):
    """A writer by a command, to which the name of the file is added."""

    def write(path):
        if main([*words, str(path)]):
            raise FileError("the command has told why")

    return write


#: All that writes a file: its suffix, and a function of its path.
WRITERS = {
    "page": (".html", lambda path: trajectory().save_html(path)),
    "pictures": (".gif", lambda path: trajectory().save_gif(path, fps=5)),
    "batch": (".npz", lambda path: trajectory(3).save(path)),
    **{f"run{suffix}": (suffix, lambda path: trajectory().save(path)) for suffix in FORMATS},
    "C": (".c", lambda path: kernel().to_c(path)),
    "JavaScript": (".js", lambda path: kernel().to("javascript", path)),
    "export": (".c", command("export", "gallery.puma560", "--algorithm", "aba", "--c")),
    "plot": (".png", command("simulate", "gallery.pendulum", "--duration", "0.1", "--plot")),
    "view": (".html", command("view", "gallery.pendulum", "--out")),
    "eval": (".csv", command("eval", "id", "gallery.pendulum", "--states", "states/in.csv", "--out")),
}


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path, monkeypatch):
    """A suffix and a function that writes a file."""
    if request.param == "eval":
        monkeypatch.chdir(tmp_path)
        (tmp_path / "states").mkdir()
        rows = "".join(f"{x},{x},{x}\n" for x in np.linspace(0.1, 0.9, 700))
        (tmp_path / "states" / "in.csv").write_text(f"q0,qd0,qdd0\n{rows}")
    if request.param == "run.parquet":
        pytest.importorskip("pyarrow")
    return WRITERS[request.param]


@contextmanager
def no_file_larger(size):
    """Files cannot grow beyond these bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refused(write, path, capsys, reason):
    """A writer tells that a file cannot be written, and why: as an error, or as the line of a command."""
    capsys.readouterr()
    with pytest.raises(FileError) as error:
        write(path)
    said = f"{error.value}{capsys.readouterr().err}"
    assert f"{path}: it cannot be written: " in said
    assert reason in said
    assert ".part" not in said


def test_a_full_disk_keeps_the_old_file(writer, tmp_path, capsys):
    """save_html, save_gif, batches, export and --plot left the beginning of the new file in place of the old one."""
    suffix, write = writer
    write(tmp_path / f"first{suffix}")  # machine code is stored
    assert (tmp_path / f"first{suffix}").stat().st_size > 4096
    with small_disk(tmp_path / "disk", 8) as disk:  # two pages, and the old file takes one
        path = disk / f"x{suffix}"
        path.write_bytes(OLD)
        refused(write, path, capsys, "No space left on device")
        assert path.read_bytes() == OLD
        assert list(disk.iterdir()) == [path]


def test_a_file_that_may_not_grow_keeps_the_old_one(writer, tmp_path, capsys):
    suffix, write = writer
    write(tmp_path / f"first{suffix}")  # machine code is stored
    path = tmp_path / f"x{suffix}"
    path.write_bytes(OLD)
    before = set(tmp_path.iterdir())
    with no_file_larger(500):
        refused(write, path, capsys, "File too large")
    assert path.read_bytes() == OLD
    assert set(tmp_path.iterdir()) == before


def test_permissions_links_and_what_was_left(writer, tmp_path):
    """The new file is as the old one was for others, stands where links lead, and what killed processes left goes."""
    suffix, write = writer
    folder = tmp_path / "folder"
    folder.mkdir()
    path, link = folder / f"x{suffix}", tmp_path / f"link{suffix}"
    path.write_bytes(OLD)
    path.chmod(0o640)
    link.symlink_to(path)
    left = folder / name_of(ended_process(), suffix=suffix)
    kept = [folder / name for name in (name_of(os.getpid()), name_of(1, host="elsewhere"), ".mine.part")]
    for item in (left, *kept):
        item.write_bytes(b"half")
    write(link)
    assert link.is_symlink()
    assert path.stat().st_size > len(OLD)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert set(folder.iterdir()) == {path, *kept}


def test_new_files_have_the_usual_permissions(tmp_path):
    for name, mask in (("a", 0o022), ("b", 0o077)):
        before = os.umask(mask)
        try:
            kernel().to_c(tmp_path / f"{name}.c")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / f"{name}.c").stat().st_mode) == 0o666 & ~mask
    (tmp_path / "dangling").symlink_to(tmp_path / "new.c")
    kernel().to_c(tmp_path / "dangling")
    assert (tmp_path / "new.c").stat().st_size


def test_pipes_and_devices_are_written_directly(tmp_path):
    pipe, found = tmp_path / "pipe.c", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    kernel().to_c(pipe)
    reader.join(10.0)
    assert found == [kernel().to_c()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    kernel().to_c("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(FileError, match="/dev/full: it cannot be written: No space left on device"):
        kernel().to_c("/dev/full")


def test_what_is_open_already_is_written_directly(tmp_path):
    """Standard output is the file that the shell has opened, not another one in its place."""
    code = "import sixd; print('a'); sixd.files.replacing; from pathlib import Path; import sys; sys.stdout.flush()\n"
    code += "with sixd.files.replacing(Path('/dev/stdout')) as part: part.open('a').write('b\\n')\nprint('c')"
    with (tmp_path / "out").open("ab") as out:
        subprocess.run([sys.executable, "-c", "import sixd.files\n" + code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "a\nb\nc\n"


def test_what_cannot_be_written(writer, tmp_path, capsys):
    suffix, write = writer
    (tmp_path / f"folder{suffix}").mkdir()
    refused(write, tmp_path / f"folder{suffix}", capsys, "it is a folder; add the name of a file")
    missing = tmp_path / "nowhere" / f"x{suffix}"
    capsys.readouterr()
    with pytest.raises(FileError) as error:
        write(missing)
    assert f"make the folder {missing.parent} first" in f"{error.value}{capsys.readouterr().err}"


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a.c").symlink_to(tmp_path / "b.c")
    (tmp_path / "b.c").symlink_to(tmp_path / "a.c")
    with pytest.raises(FileError, match=r"a\.c: it cannot be written: Too many levels of symbolic links"):
        kernel().to_c(tmp_path / "a.c")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_for_this_user(tmp_path):
    path = tmp_path / "x.c"
    path.write_bytes(OLD)
    path.chmod(0o400)
    with pytest.raises(FileError, match="it is read-only for you; give another name"):
        kernel().to_c(path)
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match=r"the folder .* is read-only for you"):
        kernel().to_c(tmp_path / "new.c")
    tmp_path.chmod(0o700)
    assert path.read_bytes() == OLD


def as_user(number, do):
    """Whether a function ends well in a process of another user."""
    process = os.fork()
    if not process:
        ended = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(number)
                os.setuid(number)
            do()
            ended = 0
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def write(path, content=b"new"):
    with replacing(path) as part:
        part.write_bytes(content)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of several users")


@pytest.fixture
def shared():
    """A folder that all users reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@needs_root
@pytest.mark.parametrize(
    ("folder", "mode", "owner"),
    [(0o755, 0o644, 1234), (0o1777, 0o666, 0), (0o1777, 0o666, 4321), (0o777, 0o666, 0)],
    ids=["read-only folder", "sticky, of root", "sticky, of another", "of root"],
)
def test_files_that_cannot_be_replaced_are_written_over(shared, folder, mode, owner):
    """They were refused, or became the writer's own."""
    path = shared / "x"
    path.write_bytes(OLD)
    path.chmod(mode)
    os.chown(path, owner, owner)
    shared.chmod(folder)
    before = path.stat()
    assert as_user(1234, lambda: write(path))
    after = path.stat()
    assert path.read_bytes() == b"new"
    assert (after.st_uid, after.st_mode, after.st_ino) == (owner, before.st_mode, before.st_ino)
    assert list(shared.iterdir()) == [path]


def test_hard_links_stay(tmp_path):
    path, other = tmp_path / "x", tmp_path / "other"
    path.write_bytes(OLD)
    other.hardlink_to(path)
    for content in (b"short", b"longer " * 10_000, b""):
        write(path, content)
        assert other.read_bytes() == path.read_bytes() == content
    assert path.samefile(other)
    with pytest.raises(TypeError):
        write(path, None)
    assert other.read_bytes() == b""
    assert not list(Path(tempfile.gettempdir()).glob(f".sixd-{os.getpid()}-*"))


def test_a_file_that_is_mounted(tmp_path):
    """As files are in containers: it cannot be renamed, "Device or resource busy"."""
    with small_disk(tmp_path / "disk", 64) as disk:
        path = tmp_path / "x"
        (disk / "inner").write_bytes(OLD)
        path.touch()
        if subprocess.run(["mount", "--bind", disk / "inner", path], check=False, capture_output=True).returncode:
            pytest.skip("no file can be mounted here")
        try:
            write(path)
            assert path.read_bytes() == (disk / "inner").read_bytes() == b"new"
            with pytest.raises(FileError, match="No space left on device"):
                write(path, b"x" * 100_000)
            assert path.read_bytes() == b"new"
        finally:
            subprocess.run(["umount", "--lazy", path], check=True)
        assert {item.name for item in tmp_path.iterdir()} == {"x", "disk"}


def test_a_file_that_is_being_written_is_not_left(tmp_path):
    """Of a process of another container, whose number no process has here."""
    with replacing(tmp_path / "x") as part:
        part.write_bytes(b"half")
        theirs = part.rename(tmp_path / name_of(ended_process()))
        write(tmp_path / "y")
        assert theirs.exists()
        theirs.rename(part)
    (tmp_path / "x").rename(theirs)
    write(tmp_path / "y")
    assert not theirs.exists()


def test_errors_of_others_pass(tmp_path):
    """What fails inside is told as it is, and the old file is kept."""
    path = tmp_path / "x"
    path.write_bytes(OLD)

    def fail(error):
        with replacing(path) as part:
            part.write_bytes(b"new")
            raise error

    elsewhere = FileNotFoundError(2, "No such file or directory", "other.csv")
    for error in (elsewhere, KeyboardInterrupt(), ValueError("x"), SixdError("y")):
        with pytest.raises(type(error)) as found:
            fail(error)
        assert found.value is error
    assert [item.name for item in tmp_path.iterdir()] == ["x"]
    assert path.read_bytes() == OLD


def test_without_pyarrow_the_error_names_the_file(tmp_path, monkeypatch):
    """It named a hidden file that was gone."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "run.parquet"
    for write in (trajectory().save, lambda path: create_table(path, [Field("t", (), ("t",))]).__enter__()):
        with pytest.raises(SixdError) as error:
            write(path)
        assert str(error.value) == f"{path}: Parquet files need pyarrow: pip install sixd[tables]"
    assert list(tmp_path.iterdir()) == []
