"""Servers that talk to their own page alone.

Any page that is open in a browser can reach the servers of its machine, and a websocket tells whoever asks. So the
address of a live page begins with a secret, http://localhost:8080/<secret>/, and that of its websocket with the same.
What comes without it is refused, and a websocket, too, if the browser says that another page opens it (its "Origin").
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from http import HTTPStatus
from importlib import import_module
from typing import Any

from sixd.errors import ArgumentError

__all__ = ["Guard"]

#: Looks at a request before `websockets` does: it returns an answer, or None for a websocket to be opened.
Look = Callable[[Any, Any], Any]
_one_at_a_time = threading.Lock()


class Guard:
    """A secret, and what looks for it in the requests of one server."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(16)
        self._installed = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Guard the server that viser starts within the ``with`` block. It has no option for that, `websockets` has."""
        module: Any = import_module("websockets.asyncio.server")
        serve = module.serve

        def guarded(handler: Any, *address: Any, process_request: Look, **options: Any) -> Any:
            self._installed = True
            return serve(handler, *address, process_request=self._before(process_request), **options)

        def serve_instead(handler: Any, *address: Any, **options: Any) -> Any:
            is_of_viser = handler.__module__.partition(".")[0] == "viser"
            return (guarded if is_of_viser else serve)(handler, *address, **options)

        with _one_at_a_time:
            module.serve = serve_instead
            try:
                yield
            finally:
                module.serve = serve

    def need_installed(self) -> None:
        """Raise unless a server has been started in the way that `installed` expects."""
        if not self._installed:
            raise ArgumentError("this version of viser cannot be guarded from other pages: pip install 'sixd[view]'")

    def _before(self, look: Look) -> Look:
        """Look for the secret, then take it away and go on."""

        def guarded(connection: Any, request: Any) -> Any:
            start, secret, rest = (*request.path.split("/", 2), "", "")[:3]
            known = not start and compare_digest(secret.partition("?")[0].encode(), self.secret.encode())
            if not known or ("Upgrade" in request.headers and not _is_of_own_page(request.headers)):
                return connection.respond(HTTPStatus.FORBIDDEN, "Open the address that sixd has printed.\n")
            request.path = f"/{rest}"
            return look(connection, request)

        return guarded


def _is_of_own_page(headers: Any) -> bool:
    """Whether a page of this server opens a websocket: the browser says so. A proxy before it may speak https."""
    return headers.get("Origin") in [f"{scheme}://{headers.get('Host')}" for scheme in ("http", "https")]
