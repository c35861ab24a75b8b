"""One JSON question to a web address: a deadline, a size limit, no redirects, and nothing else.

The standard library's client, because the base install must stay light and this is all that is needed of one.
"""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from email.message import Message
from functools import cache, partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import (
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    Request,
    build_opener,
)

if TYPE_CHECKING:
    from ssl import SSLContext


class Reply(NamedTuple):
    """What came back, whatever its status."""

    status: int
    headers: Message
    body: bytes  # cut after the limit


class NoAnswerError(Exception):
    """There is no whole answer; the text says why."""


def post(url: str, document: Any, *, headers: Mapping[str, str], seconds: float, most: int) -> Reply:
    """Send a JSON document and read what comes back, up to ``most`` bytes and one more.

    ``seconds`` is for everything together, so a server that drips cannot hold it. A redirect is a reply like
    any other: it is never followed, for the headers may hold a key. Raises NoAnswerError.
    """
    content = json.dumps(document, ensure_ascii=True, allow_nan=False).encode()
    request = Request(url, content, {"Content-Type": "application/json", **headers}, method="POST")  # noqa: S310  (its scheme is checked where the address is read)
    sockets: list[socket.socket] = []
    opener = build_opener(_AsItIs, _Http(sockets), _Https(sockets))
    deadline = time.monotonic() + seconds
    watchdog = Timer(seconds, _hang_up, [sockets])
    watchdog.daemon = True
    watchdog.start()
    try:
        with opener.open(request, timeout=seconds) as response:
            reply = Reply(response.status, response.headers, response.read(most + 1))
    except (OSError, HTTPException, ValueError) as error:
        if time.monotonic() >= deadline:
            raise NoAnswerError(_late(seconds)) from None
        raise NoAnswerError(_why(error)) from None
    finally:
        watchdog.cancel()
    if time.monotonic() >= deadline:
        raise NoAnswerError(_late(seconds))
    if missing := _missing(reply, most):
        raise NoAnswerError(f"cut off: {missing:,} bytes are missing")
    return reply


def _missing(reply: Reply, most: int) -> int:
    """How many bytes the other side announced and did not send."""
    said = str(reply.headers.get("Content-Length", ""))
    return max(0, min(int(said), most) - len(reply.body)) if re.fullmatch("[0-9]{1,15}", said) else 0


def _late(seconds: float) -> str:
    return f"no whole answer in {seconds:g} s"


def _why(error: Exception) -> str:
    """The reason in a few words; never the error's own text where that could quote what was sent."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "timed out"
    if isinstance(reason, ConnectionError) and not isinstance(reason, ConnectionRefusedError):
        return "the connection was closed"
    if isinstance(reason, OSError) and reason.strerror:
        return str(reason.strerror)
    return f"no HTTP, or cut off ({type(reason).__name__})"


def _hang_up(sockets: list[socket.socket]) -> None:
    """End the connection under a reader that waits for it; not through TLS, which another thread is using."""
    for one in sockets:
        with suppress(OSError):
            socket.socket.shutdown(one, socket.SHUT_RDWR)


class _AsItIs(HTTPErrorProcessor):
    """Every status is a reply: nothing is raised, nothing followed."""

    def http_response(self, request: Request, response: Any) -> Any:  # noqa: ARG002
        return response

    https_response = http_response


class _Http(HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: Request) -> Any:
        return self.do_open(partial(_Plain, self._sockets), req)


class _Https(HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__(context=_context())
        self._sockets = sockets

    def https_open(self, req: Request) -> Any:
        return self.do_open(partial(_Secure, self._sockets), req, context=_context())


class _Plain(HTTPConnection):
    def __init__(self, sockets: list[socket.socket], host: str, **settings: Any) -> None:
        super().__init__(host, **settings)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.append(self.sock)


class _Secure(HTTPSConnection):
    def __init__(self, sockets: list[socket.socket], host: str, **settings: Any) -> None:
        super().__init__(host, **settings)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.append(self.sock)


@cache
def _context() -> SSLContext:
    """Certificates are checked; reading the system's takes a while, so it is done once."""
    import ssl

    return ssl.create_default_context()
