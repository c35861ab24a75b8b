"""Which items a model is asked about: each content once, none that is known, found while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from crossgauge.batching import Refusals
from crossgauge.cache import content_key
from crossgauge.errors import InputError
from crossgauge.missing import AHEAD, CHUNK, Missing, Source
from crossgauge.types import Item
from tests.unit.test_embeddings import Noting, texts

Met = Callable[[Mapping[bytes, int]], None]
SOURCE: Source[int] = Source(content_key, lambda _: {})


def ignore(found: Mapping[bytes, int]) -> None:
    """What a test does not ask about."""


def missing(
    items: Sequence[Item],
    size: int,
    *,
    source: Source[int] = SOURCE,
    met: Met = ignore,
    told: Noting | None = None,
) -> Missing[int]:  # fmt: skip
    progress = told or Noting()
    return Missing(items, source, met, size, 2, Refusals(progress, rest=0), progress)


def ids(found: Missing[int]) -> list[list[str]]:
    return [[item.id for _, item in batch] for batch in found.batches()]


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[Item]]:
    def made(*contents: str) -> list[Item]:
        items = []
        for number, content in enumerate(contents):
            path = tmp_path / f"{number}.png"
            path.write_text(content)
            items.append(Item(f"p{number}", image=path))
        return items

    return made


def test_texts_go_by_their_length_and_pictures_by_their_place(files: Callable[..., list[Item]]) -> None:
    words = texts("ccc", "a", "日本", "bb", "zz")
    assert ids(missing(words, 2)) == [["t1", "t3"], ["t4", "t0"], ["t2"]]
    assert ids(missing([*words, *files("x")], 4)) == [["t0", "t1", "t2", "t3"], ["t4", "p0"]]
    assert ids(missing([], 4)) == []


@pytest.mark.parametrize("size", [1, 7, CHUNK, 1000])
def test_each_content_once_in_full_batches_whatever_is_known(
    files: Callable[..., list[Item]], size: int
) -> None:
    """Against the obvious way: all keys first, then what is new and unknown, cut into batches."""
    items = files(*(f"content {n % 150} " for n in range(400)))
    told, met = Noting(), list[bytes]()
    some = {content_key(item) for item in items[20:40]}
    source: Source[int] = Source(content_key, lambda keys: {key: 1 for key in keys if key in some})
    found = missing(items, size, source=source, met=met.extend, told=told)
    batches = list(found.batches())
    keys = [content_key(item) for item in items]
    first = dict(reversed(list(zip(keys, items, strict=True))))
    wanted = [(key, first[key]) for key in dict.fromkeys(keys) if key not in some]
    assert [pair for batch in batches for pair in batch] == wanted
    assert {len(batch) for batch in batches[:-1]} <= {size}
    assert found.keys == keys
    assert found.wanted == first
    assert found.most == len(wanted)
    assert met == [key for key in dict.fromkeys(keys) if key in some], "each once"
    assert sum(told.done) == 400 - len(wanted), "what is known or met again is done"


def test_no_more_files_are_read_ahead_than_a_few_batches(files: Callable[..., list[Item]]) -> None:
    seen: list[str] = []

    def key(item: Item) -> bytes:
        seen.append(item.id)
        return item.id.encode()

    items = files(*map(str, range(50 * CHUNK)))
    drawn = missing(items, CHUNK, source=Source(key, lambda _: {})).batches()
    next(drawn)
    drawn.close()
    assert CHUNK <= len(seen) <= (AHEAD + 2) * CHUNK
    assert not [one for one in threading.enumerate() if one.name.startswith("key")]


def test_what_cannot_be_read_is_told_in_order_and_the_others_are_asked_about(
    files: Callable[..., list[Item]],
) -> None:
    items = files(*map(str, range(6)))
    for number in (4, 1):
        path = items[number].image
        assert path is not None
        path.unlink()
    found = missing(items, 2)
    assert ids(found) == [["p0", "p2"], ["p3", "p5"]]
    assert found.most == 4
    with pytest.raises(InputError) as caught:
        found.refusals.raise_all(items, found.keys)
    assert [fault.place[-4:] for fault in caught.value.faults] == [" p1)", " p4)"]


def test_without_a_key_every_item_is_its_own(files: Callable[..., list[Item]]) -> None:
    items = files("same", "same")
    assert ids(missing(items, 9, source=Source(None, lambda _: {}))) == [["p0", "p1"]]
