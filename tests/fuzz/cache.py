"""Attacks on the machine code on disk: entries that are damaged, cut, swapped or forged are never believed.

    python -m tests.fuzz cache --seconds 10 --seed 0

Half of the attacks are on the store of bytes alone, where many are tried in a second. The others are on entries of real
kernels, which are then compiled again, or loaded if they were believed, and run.
"""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import numpy as np

import sixd
from sixd.backends.llvm.cache import Cache, file_name

__all__ = ["ATTACKS", "BAD", "NAMES", "run"]

NAMES = ("tried", "believed", "crashed")
BAD = ("believed", "crashed")

Attack = Callable[[random.Random, bytes, bytes], bytes]


def _flip(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Some bits."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8, 100))):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The end is missing, as after a crash of the machine; or it is zeros."""
    length = min(rng.choice((0, 1, 13, 14, 45, 46, 47, len(data) - 1, rng.randrange(len(data)))), len(data))
    return data[:length] + bytes(rng.choice((0, len(data) - length)))


def _insert(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at, more = rng.randrange(len(data) + 1), rng.randbytes(rng.choice((1, 2, 16, 4096)))
    return data[:at] + more + data[at:]


def _remove(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 16, 4096)) :]


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of this entry and the end of that of another key."""
    at = rng.randrange(min(len(data), len(other)))
    return data[:at] + other[at:]


def _swap(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The entry of another key, whole and valid."""
    return other


def _other_mark(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Another version's, or none."""
    marks = (b"sixd-object-1\n", b"sixd-object-3\n", b"SIXD-object-2\n", b"sixd-object-2\r\n", b"\x7fELF", b"")
    return rng.choice(marks) + data[14:]


def _forge(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Another object with a valid hash of itself, but not of the key."""
    rest = other[46:]
    return data[:14] + hashlib.sha256(rest).digest() + rest


def _noise(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return rng.choice((b"", data[:14], data[:46])) + rng.randbytes(rng.choice((0, 1, 100, len(data))))


ATTACKS: tuple[Attack, ...] = (_flip, _cut, _insert, _remove, _splice, _swap, _other_mark, _forge, _noise)


def run(seconds: float, seed: int, cases: int | None = None) -> dict[str, int]:
    """Attack for so long; how many attacks were tried, believed (an object came back, a result is wrong), crashed.

    With ``cases``, so many of them, however long they take.
    """
    rng, counts = random.Random(seed), dict.fromkeys(NAMES, 0)
    with tempfile.TemporaryDirectory() as folder, _environment("SIXD_CACHE", f"{folder}/kernels"):
        for attack in (_Bytes(rng, Path(folder) / "bytes"), _Kernels(rng, Path(folder) / "kernels")):
            end, last = monotonic() + seconds / 2, counts["tried"] + (cases or 0) / 2
            while monotonic() < end if cases is None else counts["tried"] < last:
                counts["tried"] += 1
                try:
                    counts["believed"] += attack()
                except Exception:  # whatever it is, it is shown and counted
                    traceback.print_exc()
                    counts["crashed"] += 1
    return counts


def _damaged(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """One attack, or several, after which the entry is another."""
    changed = data
    while changed == data:
        for attack in rng.choices(ATTACKS, k=rng.choice((1, 1, 1, 2, 3))):
            changed = attack(rng, changed, other) if changed else changed
    return changed


class _Bytes:
    """Attacks on objects of random bytes: whether one was believed."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.cache, self.entries = rng, Cache(folder), {}
        for size in (0, 1, 100, 100, 20_000, 20_000):
            key = rng.randbytes(8).hex()
            self.cache.store(key, rng.randbytes(size), rng.choice(("", "title", "a\nb")))
            path = folder / file_name(key)
            self.entries[key] = path, path.read_bytes()

    def __call__(self) -> bool:
        key, other = self.rng.sample(sorted(self.entries), 2)
        path, data = self.entries[key]
        path.write_bytes(_damaged(self.rng, data, self.entries[other][1]))
        return self.cache.load(key) is not None


class _Kernels:
    """Attacks on entries of kernels: whether damaged code was loaded, or a result is not that of the algorithm."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.robot, self.entries = rng, sixd.gallery.double_pendulum(), {}
        self.q = np.random.default_rng(0).normal(size=(9, 2))
        functions = {f.__name__: f for f in (sixd.algorithms.gravity_forces, sixd.algorithms.potential_energy)}
        for name, function in functions.items():
            sixd.compile(function, self.robot)
            (path,) = set(folder.iterdir()) - {path for _, path, _, _ in self.entries.values()}
            self.entries[name] = function, path, path.read_bytes(), np.asarray(function(self.robot, self.q))

    def __call__(self) -> bool:
        name, other = self.rng.sample(sorted(self.entries), 2)
        function, path, data, wanted = self.entries[name]
        path.write_bytes(_damaged(self.rng, data, self.entries[other][2]))
        kernel = sixd.compile(function, self.robot)
        right = np.allclose(kernel(self.q), wanted, rtol=1e-12, atol=1e-12)
        return "load" in kernel.times or not right


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
