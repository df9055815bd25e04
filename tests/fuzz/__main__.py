"""Runs fuzz targets: all of them one after the other, or those that are named.

    python -m tests.fuzz [files kernels cache] --seconds 60 --seed 0 [--cases 100000]

What is wrong is printed as it is found; the exit status says whether anything was.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import sixd
from tests.fuzz import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "targets", nargs="*", metavar="target", help=f"any of {', '.join(TARGETS)}; all if none is named"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each of them may take")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same attacks")
    parser.add_argument(
        "--cases", type=int, default=None, help="so many attacks by each target, however long they take"
    )
    given = parser.parse_args()
    unknown = [name for name in given.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target is named {unknown[0]!r}: there are {', '.join(TARGETS)}")
    found = 0
    for name in given.targets or TARGETS:
        target, start = TARGETS[name], time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", sixd.ModelWarning)
            counts = target.run(given.seconds, given.seed, given.cases)
        rate = counts["tried"] / (time.monotonic() - start)
        print(f"{name}: {', '.join(f'{n} {what}' for what, n in counts.items())}; {rate:.0f} a second", flush=True)
        found += sum(counts[what] for what in target.BAD)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
