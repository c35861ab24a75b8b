"""Endpoints that misbehave: what they do to one question costs no other, and the key stays where it is."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.cache import Cache
from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.models import _endpoint, load_model
from crossgauge.types import Item
from tests import endpoint
from tests.endpoint import Deed, Server, always, once, said
from tests.unit.test_embeddings import Noting

KEY = "sk-secret/0123456789+abc"
HUGE = "x" * (3 << 20)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "PAUSE", 0.01)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Server]:
    with endpoint.serving() as served:
        yield served


def captioner(server: Server, settings: str = "retries=2,seconds=0.5") -> str:
    return f"caption:openai:m@{server.base}#{settings}"


def items(*texts: str) -> list[Item]:
    return [Item(f"i{text}", text=text) for text in texts]


def written(
    spec: str, texts: list[str], cache: Cache | None = None, **asked: object
) -> tuple[str | None, ...]:
    return caption_items(load_model(spec), items(*texts), language="en", cache=cache, **asked)


RECOVERS: dict[str, Deed] = {
    "busy": once(always(429, {"error": {"message": "slow down"}}, Retry_After="0.2")),
    "busy until a date": once(lambda asked: asked.reply(429, "", Retry_After=formatdate(time.time() - 5))),
    "stumbles": once(always(500)),
    "hangs once": once(endpoint.hang),
    "closes once": once(endpoint.close),
    "garbage once": once(always(200, "<html>")),
    "slow": endpoint.slowly(0.25),
}
NO_ANSWER: dict[str, Deed] = {
    "empty": always(200, said("  \n")),
    "null": always(200, said(None)),
    "refuses": always(200, said(None, refusal="I will not")),
    "filters": always(400, {"error": {"code": "content_filter", "message": "no"}}),
    "filters its answer": always(200, said("some", reason="content_filter")),
}
FAILS: dict[str, tuple[Deed, str, str]] = {
    "down": (always(503, {"error": {"message": "overloaded"}}), "E422", "status 503 overloaded"),
    "hangs": (endpoint.hang, "E422", "no whole answer in 0.5 s"),
    "drips": (endpoint.drip, "E422", "no whole answer in 0.5 s"),
    "drips its body": (endpoint.drip_body, "E422", "no whole answer in 0.5 s"),
    "closes": (endpoint.close, "E422", "the connection was closed"),
    "talks nonsense": (endpoint.nonsense, "E422", "no HTTP, or cut off (BadStatusLine)"),
    "garbage": (always(200, b"\xff<html>"), "E423", "the answer is no JSON"),
    "deep": (always(200, "[" * 100_000), "E423", "the answer is no JSON"),
    "other form": (always(200, {"choices": []}), "E423", "no choices[0].message"),
    "no text": (always(200, {"choices": [{"message": {"content": 7}}]}), "E423", "content is no text"),
    "huge": (always(200, said(HUGE)), "E423", "more than 1,048,576 bytes"),
    "come back tomorrow": (always(429, "", Retry_After="86400"), "E422", "status 429"),
    "too large": (always(413, {"error": "too large"}), "E426", "status 413 too large"),
}


def test_what_it_does_to_one_question_costs_no_other(server: Server, tmp_path: Path) -> None:
    server.deeds = RECOVERS | NO_ANSWER | {text: deed for text, (deed, _, _) in FAILS.items()}
    texts = [text for bad in FAILS for text in (bad, f"well before {bad}")]  # never many bad ones in a row
    texts += [*RECOVERS, *NO_ANSWER]
    with pytest.raises(InputError) as caught:
        written(captioner(server), texts, Cache(tmp_path), batch_size=5)
    faults = {fault.place.partition("item i")[2]: fault for fault in caught.value.faults}
    assert set(faults) == set(FAILS)
    for text, (_, code, found) in FAILS.items():
        assert (faults[text].code, found in faults[text].found) == (code, True), faults[text]
    assert server.times("down") == 3, "one attempt and two more"
    assert server.times("huge") == server.times("too large") == server.times("come back tomorrow") == 1

    server.deeds, server.asked = {}, []
    found = dict(zip(texts, written(captioner(server), texts, Cache(tmp_path)), strict=True))
    assert sorted(server.asked) == sorted(FAILS), "only what is missing is asked for"
    assert {text: found[text] for text in NO_ANSWER} == dict.fromkeys(NO_ANSWER)
    assert all(caption == f"about {text}" for text, caption in found.items() if text not in NO_ANSWER)


def test_a_redirect_is_never_followed(server: Server) -> None:
    with endpoint.serving() as elsewhere:
        for status in (301, 302, 307, 308):
            server.deeds[f"go {status}"] = always(
                status, "", Location=f"{elsewhere.base}/chat/completions?key=1"
            )
        with pytest.raises(InputError) as caught:
            written(captioner(server), ["go 301", "go 302", "go 307", "go 308", "fine"])
        assert elsewhere.asked == []
    assert {fault.code for fault in caught.value.faults} == {"E423"}
    assert f"({302}) to 127.0.0.1, which is not followed" in str(caught.value)
    assert "key=1" not in str(caught.value)


@pytest.mark.parametrize("status", [401, 404, 405])
def test_a_wrong_key_or_address_ends_the_run_and_keeps_what_was_said(
    server: Server, tmp_path: Path, status: int
) -> None:
    server.deeds["z"] = always(status, {"error": {"message": f"no such thing, {KEY}"}})
    spec = captioner(server, "concurrency=1")
    with pytest.raises(EnvironmentFault, match=f"E424 .*status {status} no such thing") as caught:
        written(spec, ["a", "b", "z", "c", "d"], Cache(tmp_path))
    assert KEY not in str(caught.value)
    assert server.asked == ["a", "b", "z"]
    server.deeds = {}
    assert written(spec, ["a", "b", "z"], Cache(tmp_path)) == ("about a", "about b", "about z")
    assert server.asked == ["a", "b", "z", "z"]


def test_a_dead_endpoint_is_given_up_soon(server: Server) -> None:
    texts = [f"t{number}" for number in range(100)]
    server.deeds = dict.fromkeys(texts, endpoint.close)
    with pytest.raises(EnvironmentFault, match=r"E425 .*8 questions in a row failed, the last with E422"):
        written(captioner(server, "retries=1"), texts)
    assert len(set(server.asked)) <= 8 + 4


def test_nobody_listens(tmp_path: Path) -> None:
    with endpoint.serving() as gone:
        spec = captioner(gone, "retries=0")
    with pytest.raises(InputError, match=r"E422 .*refused"):
        written(spec, ["a"])


def test_a_limit_holds_for_every_question(server: Server) -> None:
    server.deeds["a"] = once(always(429, "", Retry_After="0.4"))
    began = time.monotonic()
    assert written(captioner(server, "concurrency=1"), ["a", "b"]) == ("about a", "about b")
    assert time.monotonic() - began >= 0.4


def test_no_more_at_once_than_allowed(server: Server) -> None:
    texts = [f"t{number}" for number in range(20)]
    server.deeds = dict.fromkeys(texts, endpoint.slowly(0.02))
    assert written(captioner(server, "concurrency=3"), texts) == tuple(f"about {text}" for text in texts)
    assert 2 <= server.most_at_once <= 3


def test_what_is_told(server: Server) -> None:
    told = Noting()
    server.deeds = NO_ANSWER | {"cut": always(200, said("a bee in", reason="length")), "s": once(always(500))}
    written(captioner(server), ["a", "cut", "s", *NO_ANSWER], progress=told)
    text = "\n".join(told.notes)
    assert "8 answers, 1 asked again, tokens 70 in, 21 out" in text
    for code, count in (("W411", "3 refusals"), ("W412", "2 empty answers"), ("W413", "1 answers cut")):
        assert f"caption:openai:m@{server.base}: {code} {count}" in text
    assert "W414" not in text, "this machine alone sees the key"


def test_a_key_over_plain_http_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "W414" in load_model("caption:openai:m@http://models.example/v1").told()[0]
    assert load_model("caption:openai:m@https://models.example/v1").told() == ()
    monkeypatch.delenv("OPENAI_API_KEY")
    assert load_model("caption:openai:m@http://models.example/v1").told() == ()


def test_the_key_is_sent_and_never_repeated(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.deeds["echo"] = always(200, said(f"you sent {KEY}"))
    server.deeds["scold"] = always(400, {"error": {"message": f"bad key {KEY}\x1b[31m\n" + "y" * 500}})
    assert written(captioner(server), ["echo"]) == ("you sent ***",)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    with pytest.raises(InputError) as caught:
        written(captioner(server), ["scold"])
    assert "bad key *** [31m yyy" in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(caught.value.faults[0].found) < 250
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ü\nb")
    with pytest.raises(EnvironmentFault, match=r"E424") as refused:
        written(captioner(server), ["more"])
    assert "sk-ü" not in str(refused.value)
    monkeypatch.delenv("OPENAI_API_KEY")
    written(captioner(server), ["free"])
    assert "Authorization" not in server.headers[-1]


def test_what_is_sent(server: Server, tmp_path: Path) -> None:
    Image.new("RGB", (300, 100), "red").save(tmp_path / "p.jpg")
    item = Item("p", image=tmp_path / "p.jpg", text="a shop")
    spec = captioner(server, "side=60,max_tokens=9,temperature=0.5,seed=,prompt=Say it%2C in {language}!")
    assert caption_items(load_model(spec), [item], language="de") == ("about picturea shop",)
    sent = server.documents[0]
    assert {key: value for key, value in sent.items() if key != "messages"} == {
        "model": "m", "max_tokens": 9, "temperature": 0.5,
    }  # fmt: skip
    prompt, picture, text = sent["messages"][0]["content"]
    assert prompt == {"type": "text", "text": "Say it, in de!"}
    assert text == {"type": "text", "text": "a shop"}
    head, _, content = picture["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(content))) as opened:
        assert opened.size == (60, 20)
    caption_items(load_model(captioner(server)), [Item("q", text="x")], language="zh-Hans")
    assert "code is zh-Hans" in server.documents[1]["messages"][0]["content"][0]["text"]
    assert server.documents[1]["seed"] == 0
    caption_items(load_model(captioner(server)), [Item("q", text="x")], language=None)
    assert "code is" not in server.documents[2]["messages"][0]["content"][0]["text"]


def test_the_revision_pins_what_is_sent_and_not_how() -> None:
    def revision(settings: str) -> str:
        return load_model(f"caption:openai:m@http://h/v1#{settings}").revision

    same = {revision(one) for one in ("", "concurrency=9", "retries=0", "seconds=5")}
    changed = {
        revision(f"{one}") for one in ("prompt=Hi", "max_tokens=9", "temperature=1", "seed=1", "side=99")
    }
    assert len(same) == 1
    assert len(changed | same) == 6


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("openai:m@ftp://h/v1", "E415"), ("openai:m@http://", "E415"), ("openai", "E415"),
        ("openai:m@http://me:pw@h/v1", "E415"), ("openai:m@https://h/v1?key=sk-1", "E415"),
        ("openai:m@http://h:port/v1", "E415"), ("openai:m", "E415"),
        ("openai:m@http://h/v1 x", "E415"), ("openai:http://h/v1", "E412"),
        ("openai:m@http://h/v1#sed=1", "E412"), ("openai:m@http://h/v1#seed=x", "E412"),
        ("openai:m@http://h/v1#concurrency=0", "E412"), ("openai:m@http://h/v1#seconds=nan", "E412"),
    ],
)  # fmt: skip
def test_addresses_that_cannot_be(argument: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_model(f"caption:{argument}")
    assert caught.value.faults[0].code == code
    assert "pw" not in str(caught.value)
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize("path", ["", "/embeddings", "/embed"])
def test_vectors_equal_those_of_a_plain_call(server: Server, path: str) -> None:
    model = load_model(f"embed:http:{server.base}{path}")
    texts = [f"text {number}" for number in range(40)] + ["größer", ""]
    found = encode_items(model, items(*texts), role="query", batch_size=35)
    assert found.vectors.tolist() == np.array([endpoint.vector(text) for text in texts], np.float32).tolist()
    assert found.vectors.dtype == np.float32
    assert max(len(endpoint.texts_of(one)) for one in server.documents) == 16


def test_words_before_queries_and_candidates(server: Server) -> None:
    plain = load_model(f"embed:http:bge@{server.base}")
    told = load_model(f"embed:http:bge@{server.base}#query=query: ,corpus=passage: ")
    assert (plain.uses_role, told.uses_role) == (False, True)
    assert plain.revision != told.revision
    encode_items(told, items("a"), role="query")
    encode_items(told, items("a"), role="corpus")
    assert [one["input"] for one in server.documents] == [["query: a"], ["passage: a"]]
    assert server.documents[0]["model"] == "bge"


WRONG = {
    "no object": "7",
    "no data": '{"data": 1}',
    "one too many": '{"data": [{"embedding": [1]}, {"embedding": [1]}]}',
    "index from one": '{"data": [{"index": 1, "embedding": [1]}]}',
    "unhashable": '{"data": [{"index": [], "embedding": [1]}]}',
    "nothing": '{"data": [{"embedding": []}]}',
    "base64": '{"data": [{"index": 0, "embedding": "AAAA"}]}',
    "ragged": "[[1, 2], [1]]",
    "words": '[["a"]]',
    "truth": "[[true]]",
    "enormous": "[[1" + "0" * 400 + "]]",
}


@pytest.mark.parametrize("name", WRONG)
def test_answers_that_are_no_vectors(server: Server, name: str) -> None:
    server.deeds["a"] = always(200, WRONG[name])
    with pytest.raises(InputError, match=r"E423 .*items ia … ia"):
        encode_items(load_model(f"embed:http:{server.base}#retries=0"), items("a"), role="query")


def test_vectors_that_were_had_are_kept(server: Server, tmp_path: Path) -> None:
    model, texts = load_model(f"embed:http:{server.base}#retries=0"), [f"t{number}" for number in range(64)]
    server.deeds["t40"] = always(500)
    with pytest.raises(InputError, match=r"E422 .*items it32 … it47"):
        encode_items(model, items(*texts), role="query", cache=Cache(tmp_path), batch_size=16)
    server.deeds, server.asked = {}, []
    found = encode_items(model, items(*texts), role="query", cache=Cache(tmp_path), batch_size=16)
    assert server.asked == texts[32:]
    assert found.vectors[:, 0].tolist() == [len(text) for text in texts]
