"""Headless Chromium, driven by its DevTools protocol: open a page, run JavaScript in it, take pictures."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

__all__ = ["Browser", "Page", "browser", "needs_chromium"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
#: Without the background services, which would look for hosts that tests must not need; WebGL in software.
FLAGS = """
    --headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update
    --disable-sync --disable-extensions --disable-dev-shm-usage --hide-scrollbars --mute-audio --remote-debugging-port=0
    --use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist
"""
#: What a page may take to load or to draw, s: software is slow, and the machine may be busy.
LONGEST = 60.0

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium, which is not installed here (Debian: apt-get install chromium)"
)


class Page:
    """A page that is open in the browser."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.count = socket, 0
        #: Errors and warnings that the page has written to the console, and exceptions that nobody caught.
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=LONGEST))
            if message.get("id") == self.count:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(json.dumps(parameters["entry"]))

    def open(self, address: str, width: int = 900, height: int = 640, ready: str | None = None) -> Page:
        """Go to an address, and wait until an expression is true there: that something is drawn."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.command("Page.navigate", url=address)
        self.wait(ready or "Number(document.body?.dataset.frames) > 0")
        return self

    def run(self, expression: str) -> Any:
        """The value of an expression, or of the promise that it gives."""
        found = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + LONGEST
        while not self.run(f"Boolean({expression})"):
            assert time.monotonic() < end, f"{expression} is still not true; {self.complaints}"
            time.sleep(0.05)

    def drawn(self, action: str = "null") -> None:
        """Run an action, and wait until the page has drawn again."""
        before = self.run(f"(() => {{ const n = document.body.dataset.frames; {action}; return n; }})()")
        self.wait(f"document.body.dataset.frames !== '{before}'")

    def set(self, selector: str, value: float) -> None:
        """Move a slider, as a hand would."""
        event = "new Event('input', {bubbles: true})"
        self.drawn(f"const e = document.querySelector('{selector}'); e.value = {value}; e.dispatchEvent({event})")

    def png(self, selector: str | None = None) -> bytes:
        """A picture of the page, or of an element."""
        clip = {}
        if selector is not None:
            box = self.run(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
            clip = {"clip": {**{key: box[key] for key in ("x", "y", "width", "height")}, "scale": 1}}
        return base64.b64decode(self.command("Page.captureScreenshot", format="png", **clip)["data"])

    def pixels(self, selector: str = "#scene") -> np.ndarray:
        """The colours of an element, (height, width, 3), 0 to 255."""
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(self.png(selector))).convert("RGB"), dtype=float)


class Browser:
    """A running Chromium."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        command = [CHROMIUM, *FLAGS.split(), f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = folder / "DevToolsActivePort"
        end = time.monotonic() + LONGEST
        while not (port.is_file() and port.read_text().count("\n") >= 1):
            assert self.process.poll() is None, "Chromium has stopped"
            assert time.monotonic() < end, "Chromium does not start"
            time.sleep(0.05)
        self.port = int(port.read_text().splitlines()[0])

    @contextmanager
    def page(self) -> Iterator[Page]:
        """A new page."""
        from urllib.request import Request, urlopen

        from websockets.sync.client import connect

        place = f"http://127.0.0.1:{self.port}/json"
        with urlopen(Request(f"{place}/new?about:blank", method="PUT"), timeout=LONGEST) as answer:
            target = json.load(answer)
        with connect(target["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket:
            yield Page(socket)
        with urlopen(f"{place}/close/{target['id']}", timeout=LONGEST):
            pass

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(LONGEST)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of a module."""
    with TemporaryDirectory(prefix="sixd-chromium-", ignore_cleanup_errors=True) as folder:
        running = Browser(Path(folder))
        yield running
        running.stop()
