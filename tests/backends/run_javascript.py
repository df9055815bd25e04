"""Runs what the printer "javascript" prints, for `tests/backends/test_printers.py`, by Node.js."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sixd.ir import Port

__all__ = ["available", "load"]

NODE = shutil.which("node")
available = NODE is not None

#: Numbers go in and out as bytes, since JSON has no NaN. The function is the last name that the text declares.
RUN = """
const f = eval(text.match(/^const (\\w+) = /m)[1]);
const numbers = hex => Array.from(new Float64Array(new Uint8Array(Buffer.from(hex, "hex")).buffer));
const inputs = process.argv.slice(2).map(numbers);
const out = f(...inputs).map(part => Buffer.from(new Float64Array(part).buffer).toString("hex"));
console.log(out.join(","));
"""


def load(text: str, folder: Path) -> Callable[..., list[np.ndarray]]:
    """The function of a text: it takes the ports of the outputs and an array for each input."""
    script = folder / "run.js"
    script.write_text(f"{text}\nconst text = require('fs').readFileSync(__filename, 'utf-8');\n{RUN}", "utf-8")

    def call(outputs: Sequence[Port], *arrays: np.ndarray) -> list[np.ndarray]:
        assert NODE is not None
        given = [np.asarray(x, dtype=float).tobytes().hex() for x in arrays]
        done = subprocess.run([NODE, str(script), *given], capture_output=True, text=True, check=True)
        parts = [np.frombuffer(bytes.fromhex(part), dtype=float) for part in done.stdout.strip().split(",")]
        return [part.reshape(port.shape) for part, port in zip(parts, outputs, strict=True)]

    return call
