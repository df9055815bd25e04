"""Files that a process left when it was killed."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from sixd.process import parts


def ended_process():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def name_of(process, k=0, host=None, suffix=""):
    """The name of the k-th incomplete file of a process, of this machine by default."""
    own = parts.new_name()
    return f".sixd-{process}-{k:08x}@{host or own.partition('@')[2].removesuffix('.part')}.part{suffix}"


@contextmanager
def small_disk(folder, kilobytes):
    """A disk of its own in this folder. Skips the test where none can be mounted."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not is_root or subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
