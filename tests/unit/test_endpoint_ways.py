"""More ways in which an endpoint misbehaves: on the wire, in its headers, and in what it says."""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.errors import EnvironmentFault, InputError
from crossgauge.models import _endpoint, load_model
from crossgauge.types import Encoder
from tests import endpoint
from tests.endpoint import Asked, Deed, Server, always, once, said
from tests.unit.test_embeddings import Noting
from tests.unit.test_models_endpoint import FAILS, NO_ANSWER, RECOVERS, captioner, items, written


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "PAUSE", 0.01)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with endpoint.serving() as served:
        yield served


def raw(content: bytes) -> Deed:
    return lambda asked: asked.wfile.write(content) and None


def reset(asked: Asked) -> None:
    """The connection is torn down, not closed."""
    asked.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    asked.connection.close()


def endless(asked: Asked) -> None:
    """A body without a length, as fast as it is read."""
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    try:
        while not asked.server.over.is_set():
            asked.wfile.write(b" " * 65536)
    except OSError:
        return


def whole(text: str) -> bytes:
    return json.dumps(said(text)).encode()


FINE = whole("fine")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
WIRE: dict[str, tuple[Deed, str, str, int]] = {
    "reset": (reset, "E422", "the connection was closed", 2),
    "cut off": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + FINE), "E422", "cut off", 2),
    "cut off in a word": (raw(b"HTTP/1.1 200 OK\r\n\r\n" + FINE[:30]), "E423", "no JSON", 2),
    "a chunk of no size": (raw(CHUNKED + b"zz\r\n{}"), "E422", "cut off", 2),
    "endless": (endless, "E423", "more than 1,048,576 bytes", 1),
    "nothing at all": (always(200, ""), "E423", "no JSON", 2),
    "no content": (always(204, ""), "E423", "no JSON", 2),
    "a page": (always(200, "<html>busy</html>", Content_Type="text/html"), "E423", "no JSON", 2),
    "compressed unasked": (always(200, gzip.compress(FINE), Content_Encoding="gzip"), "E423", "no JSON", 2),
    "150 headers": (always(200, FINE, **{f"X_{n}": "y" for n in range(150)}), "E422", "no HTTP", 2),
    "a long header": (always(200, FINE, X="y" * 70_000), "E422", "no HTTP", 2),
    "no number of seconds": (always(429, "", Retry_After="soon"), "E422", "status 429", 2),
    "seconds before now": (always(503, "", Retry_After="-5"), "E422", "status 503", 2),
    "an array": (always(200, "[]"), "E423", "no choices[0].message", 2),
    "half a character": (always(200, whole("a \ud800 bee")), "E423", "halves of characters", 2),
}  # fmt: skip


def test_what_it_does_on_the_wire_costs_no_other(server: Server, tmp_path: Path) -> None:
    server.deeds = {text: deed for text, (deed, _, _, _) in WIRE.items()}
    texts = [text for bad in WIRE for text in (bad, f"{bad}!")]  # texts go by length: a well one beside each
    spec = captioner(server, "retries=1,seconds=2")
    with pytest.raises(InputError) as caught:
        written(spec, texts, Cache(tmp_path), batch_size=5)
    faults = {fault.place.partition("item i")[2]: fault for fault in caught.value.faults}
    assert set(faults) == set(WIRE)
    for text, (_, code, found, attempts) in WIRE.items():
        assert (faults[text].code, found in faults[text].found) == (code, True), faults[text]
        assert server.times(text) == attempts, text
    server.deeds, server.asked = {}, []
    assert written(spec, texts, Cache(tmp_path)) == tuple(f"about {text}" for text in texts)
    assert sorted(server.asked) == sorted(WIRE), "only what is missing is asked for"


def test_the_ways_are_counted() -> None:
    """The how-to says how many there are."""
    redirects, ends = (301, 302, 307, 308), (401, 404, 405)
    ways = len(RECOVERS) + len(NO_ANSWER) + len(FAILS) + len(WIRE) + len(redirects) + len(ends) + len(VECTORS)
    page = Path(__file__).parents[2] / "docs" / "howto" / "endpoints.md"
    assert f"{ways} ways" in page.read_text(encoding="utf-8")


def test_another_type_of_content_is_read_all_the_same(server: Server) -> None:
    server.deeds["a"] = always(200, said("a bee"), Content_Type="text/plain")
    assert written(captioner(server), ["a"]) == ("a bee",)


VECTORS: dict[str, tuple[str, str]] = {
    "not a number": ('{"data": [{"index": 0, "embedding": [NaN, 1]}]}', "E408"),
    "infinite": ('{"data": [{"index": 0, "embedding": [Infinity, 1]}]}', "E408"),
    "too large for float32": ('{"data": [{"index": 0, "embedding": [1e39, 1]}]}', "E408"),
    "zero": ('{"data": [{"index": 0, "embedding": [0, 0]}]}', "E408"),
    "null": ('{"data": [{"index": 0, "embedding": null}]}', "E423"),
    "none": ('{"data": []}', "E423"),
    "nested": ('{"data": [{"index": 0, "embedding": [[1, 2]]}]}', "E423"),
    "one index twice": ('{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}', "E423"),
    "an error with status 200": ('{"error": "the model is loading"}', "E423"),
    "cut off": ('{"data": [{"index": 0, "embedding": [1, 2', "E423"),
}


def encoder(server: Server, settings: str = "retries=0") -> Encoder:
    model = load_model(f"embed:http:{server.base}#{settings}")
    assert isinstance(model, Encoder)
    return model


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_that_mean_nothing(server: Server, name: str) -> None:
    body, code = VECTORS[name]
    server.deeds["a"] = always(200, body)
    with pytest.raises(InputError) as caught:
        encode_items(encoder(server), items("a"), role="query")
    assert caught.value.faults[0].code == code


def test_vectors_of_another_length_are_no_others_of_this_model(server: Server) -> None:
    texts = [f"t{number}" for number in range(32)]
    server.deeds["t16"] = lambda asked: asked.reply(
        200, {"data": [{"index": n, "embedding": [1, 2]} for n in range(len(asked.texts))]}
    )
    with pytest.raises(InputError, match=r"E402 .*vectors of 2 float32 after 3"):
        encode_items(encoder(server), items(*texts), role="query", batch_size=16)
    with pytest.raises(InputError, match=r"E423 .*vectors of 2, 3 numbers in one batch"):
        encode_items(encoder(server), items(*texts), role="query", batch_size=32)


def test_what_vectors_cost_is_told(server: Server) -> None:
    server.deeds["a"] = once(always(500))
    rows = {"data": [{"embedding": [1, 2, 3]}], "usage": {"prompt_tokens": 7, "total_tokens": 7}}
    server.deeds["b"] = always(200, rows)
    told, model = Noting(), encoder(server, "retries=1")
    encode_items(model, items("a", "b"), role="query", batch_size=1, progress=told)
    assert told.notes == [f"{model.name}: 2 answers, 1 asked again, tokens 7 in"]


def test_a_wrong_key_ends_vectors_too(server: Server, tmp_path: Path) -> None:
    server.deeds["b"] = always(401, {"error": {"message": "who are you?"}})
    with pytest.raises(EnvironmentFault, match=r"E424 .*status 401 who are you"):
        encode_items(encoder(server), items("a", "b", "c"), role="query", batch_size=1, cache=Cache(tmp_path))
    server.deeds, server.asked = {}, []
    encode_items(encoder(server), items("a", "b", "c"), role="query", batch_size=1, cache=Cache(tmp_path))
    assert server.asked == ["b", "c"], "what was had is kept"
