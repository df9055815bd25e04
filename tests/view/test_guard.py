"""The live page is seen by its own page alone: no other page of a browser may open its websocket."""

from __future__ import annotations

import asyncio
import socket
from contextlib import nullcontext
from urllib.parse import urlsplit

import pytest

import sixd
from sixd import gallery
from sixd.view import guard
from tests.view.browser import browser, needs_chromium

__all__ = ["browser"]

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def shown():
    live = gallery.double_pendulum().show(port=8961)
    yield live
    live.stop()


def parts(shown):
    """Port and secret."""
    url = urlsplit(shown.url)
    return url.port, url.path.strip("/")


def answer(port, path, at="127.0.0.1", **headers):
    """The first line of the answer to a request, and how many bytes follow it within a moment."""
    lines = [f"GET {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items()), "", ""]
    with socket.create_connection((at, port), timeout=10.0) as s:
        s.sendall("\r\n".join(lines).encode())
        found = s.recv(4096)
        s.settimeout(0.5)
        try:
            while part := s.recv(1 << 16):
                found += part
        except TimeoutError:
            pass
    head, _, body = found.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), len(body)


def handshake(port, path, host=None, origin=None, upgrade="websocket", at="127.0.0.1"):
    """What is answered to the opening of a websocket."""
    headers = {
        "Host": host or f"localhost:{port}",
        "Upgrade": upgrade,
        "Connection": "Upgrade",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Protocol": f"viser-v{viser.__version__}",
    }
    return answer(port, path, at, **headers, **({} if origin is None else {"Origin": origin}))


def test_its_own_page_sees_the_scene(shown):
    port, secret = parts(shown)
    for path in (f"/{secret}", f"/{secret}/"):
        status, size = handshake(port, path, origin=f"http://localhost:{port}")
        assert "101" in status
        assert size > 10_000
    assert "101" in handshake(port, f"/{secret}", host=f"127.0.0.1:{port}", origin=f"http://127.0.0.1:{port}")[0]
    assert "200" in answer(port, f"/{secret}/", Host=f"localhost:{port}")[0]


@pytest.mark.parametrize("host", ["robots.example", "robots.example:8443"])
def test_its_page_behind_a_proxy_that_speaks_https(shown, host):
    """The page was loaded, and its websocket refused."""
    port, secret = parts(shown)
    assert "101" in handshake(port, f"/{secret}", host=host, origin=f"https://{host}")[0]
    assert "403" in handshake(port, f"/{secret}", host=host, origin=f"https://evil.{host}")[0]
    assert "403" in handshake(port, f"/{secret}", host=host, origin=f"ftp://{host}")[0]


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://evil.example",
            "http://evil.example:{port}",
            "http://localhost:{port}.evil.example",
            "null",
            "",
            None,
        ),
        *("http://localhost", "https://localhost", "http://localhost:1"),
    ],
)
def test_other_pages_are_refused(shown, origin):
    """Even those that know the secret: the browser tells who they are."""
    port, secret = parts(shown)
    origin = origin and origin.format(port=port)
    for upgrade in ("websocket", "WebSocket"):
        status, size = handshake(port, f"/{secret}", origin=origin, upgrade=upgrade)
        assert "403" in status
        assert size < 100


@pytest.mark.parametrize("path", ["/", "", "/{short}", "/{secret}x", "//{secret}", "/?{secret}", "/x/{secret}"])
def test_without_the_secret_nothing_is_answered(shown, path):
    """A page that has had its name changed to an address of this machine has the origin, but not the secret."""
    port, secret = parts(shown)
    path = path.format(secret=secret, short=secret[:-1]) or "/index.html"
    for host in (f"localhost:{port}", f"evil.example:{port}"):
        status, size = handshake(port, path, host=host, origin=f"http://{host}")
        assert "403" in status
        assert size < 100
    status, size = answer(port, path, Host=f"localhost:{port}")
    assert "403" in status
    assert size < 100


def test_each_page_has_its_own_secret(shown, capsys):
    other = gallery.pendulum().show(port=8961)
    try:
        assert capsys.readouterr().out == f"{other.url}\n"
        (port, secret), (first, known) = parts(other), parts(shown)
        assert secret != known
        assert len(secret) > 20
        assert "403" in handshake(port, f"/{known}", origin=f"http://localhost:{port}")[0]
        assert "403" in handshake(first, f"/{secret}", origin=f"http://localhost:{first}")[0]
    finally:
        other.stop()


def test_servers_of_others_stay_as_they_are(shown):
    """One that is started while a page is made."""
    import websockets.asyncio.server as module

    before = module.serve

    async def handler(connection):
        pass

    async def started():
        with guard.Guard().installed():
            assert module.serve is not before
            async with module.serve(handler, "127.0.0.1", 0) as server:
                return server.process_request

    assert asyncio.run(started()) is None
    assert module.serve is before


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch):
    """It would be open to all pages."""
    monkeypatch.setattr(guard.Guard, "installed", lambda self: nullcontext())
    with pytest.raises(sixd.ArgumentError, match="cannot be guarded from other pages"):
        gallery.pendulum().show(port=8963)
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 8963))  # nothing listens there any more


@pytest.mark.parametrize(("host", "at"), [("0.0.0.0", "127.0.0.1"), ("::", "::1")])
def test_a_page_for_the_network_says_so(host, at):
    with pytest.warns(RuntimeWarning, match="opens the page to the network: whoever knows its address") as caught:
        live = gallery.pendulum().show(host=host, port=8964)
    try:
        assert [each.filename for each in caught] == [__file__]
        port, secret = parts(live)
        assert live.url.startswith("http://localhost:")
        assert "403" in handshake(port, "/", origin=f"http://localhost:{port}", at=at)[0]
        assert "403" in handshake(port, f"/{secret}", origin="http://evil.example", at=at)[0]
        host = f"robots.example:{port}"
        assert "101" in handshake(port, f"/{secret}", host=host, origin=f"http://{host}", at=at)[0]
    finally:
        live.stop()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_addresses_of_this_machine_alone_need_no_warning(host):
    live = gallery.pendulum().show(host=host, port=8965)
    live.stop()


@needs_chromium
def test_a_browser_shows_it_at_its_address_alone(browser, shown):
    port, _ = parts(shown)
    with browser.page() as page:
        page.open(shown.url, ready="document.querySelector('canvas') && document.body.innerText.includes('joint')")
    with browser.page() as page:
        page.open(f"http://localhost:{port}/", ready="document.body.innerText.includes('that sixd has printed')")
        socket = f"new Promise(r => {{ const s = new WebSocket('{shown.url.replace('http', 'ws')}', 'viser-v"
        socket += f"{viser.__version__}'); s.onopen = () => r('open'); s.onerror = () => r('refused'); }})"
        assert page.run(socket) == "open"  # of the same server
        page.open("about:blank", ready="true")
        assert page.run(socket) == "refused"
