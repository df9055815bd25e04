"""How fast sixd is, against Pinocchio (C++ and Python), MuJoCo and dynibo, on the same states, in one run.

    make bench          or: python -m benchmarks [--quick] [--only panda,chains,constrained,...] [--seconds S]

Writes a report in Markdown with plots, and the figures as JSON. Runs that are not complete go to results/partial.
"""

from __future__ import annotations

from benchmarks.run import main

if __name__ == "__main__":
    main()
