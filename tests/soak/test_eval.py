"""``sixd eval`` on a file that is larger than the memory it takes."""

import subprocess
import sys
from time import perf_counter

import numpy as np
import pytest

import sixd
from sixd.tables import create_table, open_table, state_field
from tests.robots import example_urdf

ROWS, CHUNK = 10_000_000, 100_000

#: Runs the command and prints its peak of memory, MB. The count of `resource` would begin with that of the parent.
CODE = """
import sys
from sixd.cli.main import main
assert main(sys.argv[1:]) == 0
print(next(float(line.split()[1]) / 1e3 for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted in kB on Linux only")
def test_ten_million_rows(tmp_path, record_property):
    """Torques of a seven-joint arm: the file has 1.7 GB, and the memory stays below 400 MB."""
    pytest.importorskip("pyarrow")
    path, states, out = example_urdf("xarm_description/xarm7"), tmp_path / "in.parquet", tmp_path / "out.parquet"
    robot, rng = sixd.load(path), np.random.default_rng(0)
    fields = [state_field(robot, name) for name in ("q", "qd", "qdd")]

    def chunk():
        return {"q": robot.random(rng, CHUNK)} | {n: rng.normal(size=(CHUNK, robot.nv)) for n in ("qd", "qdd")}

    first = chunk()
    with create_table(states, fields) as table:
        table.write(first)
        for _ in range(ROWS // CHUNK - 1):
            table.write(last := chunk())
    argv = ["eval", "id", str(path), "--states", str(states), "--out", str(out)]
    start = perf_counter()
    done = subprocess.run([sys.executable, "-c", CODE, *argv], capture_output=True, text=True, check=True)
    seconds, peak = perf_counter() - start, float(done.stdout)
    record_property("eval", f"{ROWS / seconds:,.0f} rows a second, {peak:.0f} MB at most, {seconds:.1f} s")
    assert peak < 400.0
    tau, rows = state_field(robot, "tau"), 0
    with open_table(out) as table:
        for part in table.chunks(tau.columns, CHUNK):
            found = tau.gather(part, tau.columns)
            for wanted, at in ((first, 0), (last, ROWS - CHUNK)):
                if rows == at:
                    np.testing.assert_array_equal(found, robot.inverse_dynamics(*wanted.values()))
            rows += len(found)
    assert rows == ROWS
