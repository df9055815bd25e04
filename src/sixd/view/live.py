"""Scenes in a live page, by viser: what is moved in the page moves here, and the other way round."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from math import floor, isnan, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError
from sixd.model.configuration import need_positions
from sixd.process.told import warn
from sixd.runtime.batches import as_batch
from sixd.spatial import Vector
from sixd.view.extras import optional
from sixd.view.guard import Guard
from sixd.view.live_plots import LivePlots
from sixd.view.live_scene import LiveScene
from sixd.view.playback import interpolated
from sixd.view.registry import Renderer, register
from sixd.view.scene import Scene
from sixd.view.sliders import LOOPS_OPEN, controls

__all__ = ["VISER", "LiveView", "open_live"]

Array = NDArray[np.float64]
#: Pictures a second while a motion plays.
RATE = 30.0
SPEEDS = ("0.1 x", "0.25 x", "0.5 x", "1 x", "2 x", "4 x")


def open_live(scene: Scene, host: str, port: int) -> LiveView:
    """A live page of a scene."""
    viser = optional("viser", "show", "view")
    given.name(host, "host")
    number = given.count(port, "port", least=0)
    if number > 65535:
        raise ArgumentError(f"port must be at most 65535, not {number}")
    if not ip_address(_own_address(host)).is_loopback:
        warn(
            f"host={host!r} opens the page to the network: whoever knows its address can see and move the robot, and "
            'reads along, since nothing is encrypted; leave host out and use "ssh -L" to look from another machine',
            RuntimeWarning,
        )
    guard = Guard()
    with guard.installed(), _without_a_word():
        server = viser.ViserServer(host=host, port=number, label=scene.title)
    try:
        guard.need_installed()
        return LiveView(scene, server, guard.secret)
    except BaseException:
        server.stop()
        raise


def _own_address(host: str) -> str:
    """The number of an address; raises unless this machine can listen there: viser would wait for ever."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.bind(address)
    except (OSError, UnicodeError) as error:
        raise ArgumentError(f"host must be an address of this machine, not {host!r}: {error}") from None
    return str(address[0]).partition("%")[0]  # without the name of a network card, as in fe80::1%eth0


@contextmanager
def _without_a_word() -> Iterator[None]:
    """Keep viser from printing its address, which has no secret and would be refused."""
    console = import_module("rich").get_console()
    console.quiet, before = True, console.quiet
    try:
        yield
    finally:
        console.quiet = before


class LiveView:
    """A robot in a live page. The page is there until `stop` is called or the process ends."""

    def __init__(self, scene: Scene, server: Any, secret: str) -> None:
        self.scene, self.server, self._secret = scene, server, secret
        self._drawn = LiveScene(scene, server)
        self._lock = threading.RLock()
        self._q = scene.playback.q[0].copy()
        self._rest, self._steps = self._q.copy(), dict[int, Array]()
        self._ended, self._playing = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._scrub: Any = None  # the slider of the time; None for one position
        self._controls = controls(scene.model, scene.playback.q)
        self._switches()
        play = self._player()
        self._plots = LivePlots(scene, server.gui)
        with server.gui.add_folder("joints"):
            self._hint = server.gui.add_markdown(LOOPS_OPEN) if scene.model.constraint_list else None
            self._sliders = [self._slider(control) for control in self._controls]
        self._draw()
        if play is not None:
            self._thread = threading.Thread(target=play, daemon=True, name="sixd-view")
            self._thread.start()

    @property
    def url(self) -> str:
        """The address of the page. It has a secret: what comes without it is refused."""
        host = self.server.get_host()
        known = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        return f"http://{known}:{self.server.get_port()}/{self._secret}/"

    @property
    def q(self) -> Array:
        """The position that is shown, (nq,)."""
        return self._q.copy()

    def update(self, q: ArrayLike) -> None:
        """Show another position, (nq,)."""
        array = as_batch("q", q, (self.scene.model.nq,), "nq of this robot").astype(float)
        if array.ndim != 1 or not np.isfinite(array).all():
            raise ArgumentError(f"q must be one position ({self.scene.model.nq},) of finite numbers")
        need_positions(self.scene.model, "q", array)
        self._playing.clear()
        self._move(array)

    def seek(self, t: float) -> None:
        """Show the motion at a time, s, and let it rest there."""
        show = self.scene.playback
        if self._scrub is None:
            raise ArgumentError("one position is shown, without times: update(q) moves it")
        moment = given.number(t, "t")
        if isnan(moment):
            raise ArgumentError("t must be a time, s, not NaN")
        moment = min(max(moment, float(show.t[0])), float(show.t[-1]))
        self._playing.clear()
        self._scrub.value = moment
        self._go(moment)

    def wait(self) -> None:
        """Wait until `stop` is called in another thread, or Ctrl-C is pressed."""
        try:
            self._ended.wait()
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Close the page."""
        self._ended.set()
        self._playing.set()  # wakes the thread that plays, so that it ends
        if self._thread is not None:
            self._thread.join()
        self.server.stop()

    def __repr__(self) -> str:
        return f"LiveView({self.scene.title!r}, {self.url})"

    # ---- inside

    def _draw(self) -> None:
        self._drawn.move(self._q)

    def _move(self, q: Array) -> None:
        """Show a position, in the scene and by the sliders."""
        with self._lock:
            self._q, self._rest = q.copy(), q.copy()
            self._steps.clear()
            for control, slider in zip(self._controls, self._sliders, strict=True):
                value = float(q[control["k"]]) if control["kind"] == "q" else 0.0
                slider.value = min(max(value, slider.min), slider.max)
            self._draw()

    def _switches(self) -> None:
        with self.server.gui.add_folder("show"):
            for layer in self.scene.layers:
                box = self.server.gui.add_checkbox(layer.label, layer.shown)
                box.on_update(self._switched(layer.name, box))

    def _switched(self, name: str, box: Any) -> Callable[[Any], None]:
        return lambda _: self._drawn.show(name, bool(box.value))

    def _slider(self, control: dict[str, Any]) -> Any:
        low, high = control["lower"], control["upper"]
        first = float(self._q[control["k"]]) if control["kind"] == "q" else 0.0
        label = f"{control['label']}, {control['unit']}"
        step = 10.0 ** floor(log10((high - low) / 1000.0 or 1e-3))  # a number of few digits
        slider = self.server.gui.add_slider(label, low, max(high, low + step), step, min(max(first, low), high))

        def slid(event: Any) -> None:
            if event.client is not None:  # not by `_move`
                self._slid(control, float(slider.value))

        slider.on_update(slid)
        return slider

    def _slid(self, control: dict[str, Any], value: float) -> None:
        with self._lock:
            self._playing.clear()
            if control["kind"] == "q":
                self._q[control["k"]] = self._rest[control["k"]] = value
            else:
                joint = self.scene.model.joints[control["joint"]]
                step = self._steps.setdefault(joint.index, np.zeros(joint.type.nv))
                step[control["k"]] = value
                reached = joint.type.integrate(Vector(self._rest[joint.q].tolist()), Vector(step.tolist()))
                self._q[joint.q] = [float(x) for x in reached]
            self._draw()

    def _player(self) -> Callable[[], None] | None:
        """What is to run in a thread of its own for a motion to play; None for one position."""
        show, gui = self.scene.playback, self.server.gui
        if show.is_still:
            return None
        with gui.add_folder("time"):
            button = gui.add_button("play / pause")
            first, last = float(show.t[0]), float(show.t[-1])
            self._scrub = scrub = gui.add_slider("time, s", first, last, (last - first) / 2000.0, first)
            speed = gui.add_dropdown("speed", SPEEDS, initial_value="1 x")

        def pressed(_: Any) -> None:
            (self._playing.clear if self._playing.is_set() else self._playing.set)()

        def scrubbed(event: Any) -> None:
            if event.client is not None:
                self._playing.clear()
                self._go(float(scrub.value))

        button.on_click(pressed)
        scrub.on_update(scrubbed)
        return partial(self._play, speed)

    def _go(self, t: float, playing: bool = False) -> None:
        """Show the motion at a time."""
        self._move(interpolated(self.scene.model, self.scene.playback, t))
        self._drawn.forces(t)
        self._plots.mark(t, playing)

    def _play(self, speed: Any) -> None:
        """Runs in a thread of its own until the page is closed."""
        scrub = self._scrub
        before, first, last = time.monotonic(), float(self.scene.playback.t[0]), float(self.scene.playback.t[-1])
        while not self._ended.is_set():
            if not self._playing.is_set():
                self._playing.wait()
                before = time.monotonic()
                if scrub.value >= last and not self._ended.is_set():
                    scrub.value = first
                continue
            now = time.monotonic()
            t = min(float(scrub.value) + (now - before) * float(speed.value.split()[0]), last)
            before = now
            scrub.value = t
            self._go(t, playing=t < last)
            if t >= last:
                self._playing.clear()
            time.sleep(1.0 / RATE)


VISER = register(Renderer("viser", open_live))
