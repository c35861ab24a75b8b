"""Encoding: each content once, decoded ahead, stored batch by batch, every fault told."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.errors import Interrupted
from crossgauge.media import load_image
from crossgauge.progress import Silent
from crossgauge.types import Item

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys, time
from pathlib import Path
from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.types import Item
from tests.unit.test_embeddings import Counting

class Dying(Counting):
    def encode(self, prepared, *, role):
        rows = super().encode(prepared, role=role)
        time.sleep(0.06)  # worth waiting for the disk
        if len(self.calls) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

items = [Item(str(n), text=f"text {n}") for n in range(100)]
encode_items(Dying(), items, role="query", cache=Cache(Path(sys.argv[1])), batch_size=10)
"""


class Counting:
    """A vector from each text's code points or picture's bytes; remembers each batch it got."""

    name, revision, languages, similarity = "counting", "1", None, "cosine"
    modalities = frozenset({"text", "image"})
    uses_role, joint, cacheable = False, False, True

    def __init__(self, **changed: Any) -> None:
        self.calls: list[list[bytes]] = []
        vars(self).update(changed)

    def prepare(self, item: Item) -> bytes:
        if item.image is not None:
            load_image(item.image, item=item.id)
            return item.image.read_bytes()
        return str(item.text).encode()

    def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
        self.calls.append(list(prepared))
        rows = [[1 + sum(one), len(one), len(role) * self.uses_role] for one in prepared]
        return np.array(rows, dtype=np.float32)

    @property
    def encoded(self) -> int:
        return sum(map(len, self.calls))


class Noting(Silent):
    """Keeps what it is told, and asks to stop after so many advances."""

    def __init__(self, stop_after: float = float("inf")) -> None:
        self.stages: list[tuple[str, int]] = []
        self.done: list[int] = []
        self.notes: list[str] = []
        self._stop_after = stop_after

    def stage(self, name: str, total: int) -> None:
        self.stages.append((name, total))

    def advance(self, done: int) -> None:
        self.done.append(done)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def stopping(self) -> bool:
        return len([done for done in self.done if done]) >= self._stop_after


def texts(*words: str) -> list[Item]:
    return [Item(f"t{n}", text=word) for n, word in enumerate(words)]


def test_rows_stand_in_the_order_of_the_items() -> None:
    found = encode_items(Counting(), texts("a", "bb", "a", "ccc"), role="query", batch_size=2)
    assert found.ids == ("t0", "t1", "t2", "t3")
    assert found.vectors[:, 1].tolist() == [1, 2, 1, 3]
    assert found.vectors.dtype == np.float32


def test_nothing_to_encode_is_no_rows() -> None:
    assert encode_items(Counting(), [], role="query").vectors.shape == (0, 0)


def test_equal_content_is_encoded_once(picture: Callable[..., Item]) -> None:
    encoder = Counting()
    items = [*texts("a", "b", "a", "a "), picture("p"), picture("q"), picture("r", "blue")]
    found = encode_items(encoder, items, role="query")
    assert encoder.encoded == 5
    assert (found.vectors[4] == found.vectors[5]).all()


def test_composed_and_decomposed_letters_are_different_texts() -> None:
    encoder = Counting()
    encode_items(encoder, texts("\u00e4", "a\u0308"), role="query")
    assert encoder.encoded == 2


def test_an_encoder_that_goes_by_id_gets_every_item(tmp_path: Path) -> None:
    encoder = Counting(cacheable=False)
    encode_items(encoder, texts("a", "a"), role="query", cache=Cache(tmp_path / "c"))
    assert encoder.encoded == 2
    assert not (tmp_path / "c").exists()


def test_what_is_cached_is_not_encoded_again(tmp_path: Path, picture: Callable[..., Item]) -> None:
    items = [*texts("a", "b"), picture("p")]
    first, second, told = Counting(), Counting(), Noting()
    one = encode_items(first, items, role="query", cache=Cache(tmp_path))
    two = encode_items(second, [*items, *texts("new")], role="corpus", cache=Cache(tmp_path), progress=told)
    assert second.calls == [[b"new"]]
    assert one.vectors.tobytes() == two.vectors[:3].tobytes()
    assert told.stages == [("encode image+text corpus", 4)]
    assert told.done == [3, 1]


def test_batch_size_and_workers_are_not_in_the_key(tmp_path: Path) -> None:
    items = texts(*map(str, range(30)))
    encode_items(Counting(), items, role="query", cache=Cache(tmp_path), batch_size=4, workers=1)
    again = Counting()
    encode_items(again, items, role="query", cache=Cache(tmp_path), batch_size=32, workers=4)
    assert again.encoded == 0


@pytest.mark.parametrize("changed", [{"revision": "2"}, {"name": "other"}, {"uses_role": True}])
def test_another_model_revision_or_role_is_encoded_anew(tmp_path: Path, changed: dict[str, Any]) -> None:
    encode_items(Counting(), texts("a"), role="query", cache=Cache(tmp_path))
    other = Counting(**changed)
    encode_items(other, texts("a"), role="query", cache=Cache(tmp_path))
    assert other.encoded == 1


def test_a_role_has_vectors_of_its_own_where_the_model_says_so() -> None:
    encoder, cache = Counting(uses_role=True), Cache.in_memory()
    query = encode_items(encoder, texts("a"), role="query", cache=cache)
    corpus = encode_items(encoder, texts("a"), role="corpus", cache=cache)
    encode_items(encoder, texts("a", "a"), role="corpus", cache=cache)
    assert encoder.encoded == 2
    assert query.vectors.tolist() != corpus.vectors.tolist()


def test_a_changed_picture_under_the_same_name_is_encoded_anew(
    tmp_path: Path, picture: Callable[..., Item]
) -> None:
    cache, encoder = Cache(tmp_path), Counting()
    encode_items(encoder, [picture("p", "red")], role="query", cache=cache)
    encode_items(encoder, [picture("p", "blue")], role="query", cache=cache)
    assert encoder.encoded == 2


def test_a_trial_run_feeds_the_full_run_and_no_more(tmp_path: Path) -> None:
    items, encoder = texts("a", "b", "c", "d", "e"), Counting()
    encode_items(encoder, items[:2], role="query", cache=Cache(tmp_path))
    full = encode_items(encoder, items, role="query", cache=Cache(tmp_path))
    assert len(full.vectors) == 5
    assert encoder.calls == [[b"a", b"b"], [b"c", b"d", b"e"]]


def test_a_run_killed_at_any_time_loses_one_batch_at_most(tmp_path: Path) -> None:
    """kill -9 inside the fourth batch of ten: three are kept, and are right."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    items = texts(*(f"text {n}" for n in range(100)))
    resumed, fresh = Counting(), Counting()
    after = encode_items(resumed, items, role="query", cache=Cache(tmp_path), batch_size=10)
    assert resumed.encoded == 70
    assert after.vectors.tobytes() == encode_items(fresh, items, role="query").vectors.tobytes()


def test_a_damaged_vector_is_computed_again_and_told(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    before = encode_items(Counting(), texts("a", "b"), role="query", cache=cache)
    raw = sqlite3.connect(cache.store("counting", "1").path)
    raw.execute("UPDATE vectors SET vector = zeroblob(12) WHERE rowid = 1")
    raw.commit()
    raw.close()
    told, again = Noting(), Counting()
    after = encode_items(again, texts("a", "b"), role="query", cache=Cache(tmp_path), progress=told)
    assert again.calls == [[b"a"]]
    assert after.vectors.tobytes() == before.vectors.tobytes()
    assert [note[:4] for note in told.notes] == ["W401"]
    later = Noting()
    encode_items(again, texts("a", "b"), role="query", cache=Cache(tmp_path), progress=later)
    assert (again.encoded, later.notes) == (1, [])


def test_stopping_saves_the_batch_and_can_be_resumed(tmp_path: Path) -> None:
    items, encoder = texts(*map(str, range(10))), Counting()
    with pytest.raises(Interrupted, match="stopped on request after 6 of 10 items") as caught:
        encode_items(encoder, items, role="query", cache=Cache(tmp_path), batch_size=3, progress=Noting(2))
    assert caught.value.faults[0].code == "E420"
    encode_items(encoder, items, role="query", cache=Cache(tmp_path), batch_size=3, progress=Noting())
    assert encoder.encoded == 10


def test_a_stop_after_the_last_batch_comes_too_late_to_matter() -> None:
    assert len(encode_items(Counting(), texts("a"), role="query", progress=Noting(1)).vectors) == 1
