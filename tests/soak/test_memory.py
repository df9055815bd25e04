"""Memory stays flat, however many robots come and go."""

import subprocess
import sys

import pytest

CODE = """
import sys
import numpy as np
from tests.pendulums import METHODS, pendulum

def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

q, used = np.zeros(2), []
for k in range(int(sys.argv[1])):
    robot = pendulum(1.0 + 1e-4 * k)
    for method in METHODS.values():
        method(robot, q, q, "lower")
    used.append(megabytes())
print(used[20], used[2 * len(used) // 5], used[-1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_five_thousand_robots(record_property):
    """8 methods each: flat once the stores are full and what Python's collector leaves lying has its place.

    The first robots have code of their own; with the twentieth the code that all others share is there too. Until the
    thousandth kernel the store of kernels grows, by 20 kB each.
    """
    found = subprocess.run([sys.executable, "-c", CODE, "5000"], capture_output=True, text=True, check=True)
    first, early, last = map(float, found.stdout.split())
    record_property("memory", f"{first:.0f} MB after 20 robots, {early:.0f} after 2,000, {last:.0f} after 5,000")
    assert last - early < 5.0
    assert last < 200.0
