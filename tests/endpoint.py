"""A server on loopback that answers as OpenAI's does, and misbehaves for the texts it is told to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

Deed = Callable[["Asked"], None]


class Server(ThreadingHTTPServer):
    """Remembers what it was asked; ``deeds`` says what it does for a text instead of answering."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.deeds: dict[str, Deed] = {}
        self.asked: list[str] = []  # the texts, in the order they came
        self.documents: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self.lock = Lock()
        self.over = Event()  # set when the test ends, so that nobody sleeps on

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def times(self, text: str) -> int:
        return self.asked.count(text)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The other side hung up: that is what is being tested."""


class Asked(BaseHTTPRequestHandler):
    """One question."""

    server: Server

    def do_POST(self) -> None:
        self.document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.texts = texts_of(self.document)
        with self.server.lock:
            self.server.asked += self.texts
            self.server.documents.append(self.document)
            self.server.headers.append(dict(self.headers))
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        try:
            deed = next((self.server.deeds[text] for text in self.texts if text in self.server.deeds), None)
            (deed or answer_well)(self)
        finally:
            with self.server.lock:
                self.server.at_once -= 1

    def reply(self, status: int, body: bytes | str | dict[str, Any], **headers: str) -> None:
        content = json.dumps(body) if isinstance(body, dict) else body
        sent = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def times(self) -> int:
        """How often this text came, this time included."""
        return self.server.times(self.texts[0])

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked.append(f"GET {self.path}")
        self.reply(200, "{}")

    def log_message(self, *_: Any) -> None:
        """Silent."""


def texts_of(document: dict[str, Any]) -> list[str]:
    if "messages" in document:
        parts = document["messages"][0]["content"][1:]  # the prompt comes first
        return ["".join(part.get("text") or "picture" for part in parts)]
    return list(document.get("input") or document.get("inputs") or [])


def said(text: str | None, *, reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion."""
    return {
        "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    }


def answer_well(asked: Asked) -> None:
    if "messages" in asked.document:
        asked.reply(200, said(f" about {asked.texts[0]}\n"))
    elif "inputs" in asked.document:
        asked.reply(200, json.dumps([vector(text) for text in asked.texts]))
    else:
        rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(asked.texts)]
        asked.reply(200, {"data": rows[::-1]})


def vector(text: str) -> list[float]:
    return [len(text), sum(map(ord, text)) / 100, 1.5]


def always(status: int, body: bytes | str | dict[str, Any] = "", **headers: str) -> Deed:
    return lambda asked: asked.reply(status, body, **headers)


def once(deed: Deed) -> Deed:
    """The first time only; then it answers well."""
    return lambda asked: (deed if asked.times() == 1 else answer_well)(asked)


def hang(asked: Asked) -> None:
    asked.server.over.wait(30)


def close(asked: Asked) -> None:
    asked.connection.close()


def nonsense(asked: Asked) -> None:
    asked.wfile.write(b"220 mail.example ready\r\n")


def drip(asked: Asked) -> None:
    """A byte of a header now and then, for ever: every read succeeds in time."""
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    while not asked.server.over.wait(0.02):
        asked.wfile.write(b".")
        asked.wfile.flush()


def drip_body(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not asked.server.over.wait(0.02):
        asked.wfile.write(b" ")
        asked.wfile.flush()


def slowly(seconds: float) -> Deed:
    def deed(asked: Asked) -> None:
        time.sleep(seconds)
        answer_well(asked)

    return deed


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
