"""The cache: found by content, whole after a kill, shared by processes, mended when damaged."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from crossgauge import store as store_module
from crossgauge.cache import Cache, content_key, default_folder
from crossgauge.errors import EnvironmentFault
from crossgauge.store import MEMORY, Store
from crossgauge.types import Item

ROOT = Path(__file__).parents[2]
WRITER = """
import sys, numpy as np
from pathlib import Path
from crossgauge.cache import Cache
store = Cache(Path(sys.argv[1])).store("m", "1")
for batch in range(int(sys.argv[2])):
    print(batch, flush=True)
    keys = [f"{batch % 50}-{n}".encode() for n in range(32)]
    keys += [f"{sys.argv[2]}:{batch % 50}-{n}".encode() for n in range(4)]  # and some that only it writes
    store.put_many({key: np.full(64, sum(key), np.float32) for key in keys})
"""


def vector(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store with 100 vectors, closed."""
    store = Store(tmp_path / "a.sqlite", name="m", revision="1")
    store.put_many({bytes([n]): vector(n, 1) for n in range(100)})
    store.close()
    return tmp_path / "a.sqlite"


def reopened(path: Path) -> Store:
    return Store(path, name="m", revision="1")


def test_vectors_come_back_bit_for_bit_in_their_type(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "er" / "a.sqlite", name="m", revision="1")
    kept = {
        b"a": vector(0.1, -0.0, 1e-45),
        b"b": np.array([0.1], dtype=np.float64),
        b"c": np.array([7], dtype=">f4"),
    }
    store.put_many(kept)
    found = reopened(tmp_path / "deep" / "er" / "a.sqlite").get_many([*kept, b"absent"])
    assert set(found) == set(kept)
    assert found[b"a"].tobytes() == kept[b"a"].tobytes()
    assert found[b"b"].dtype == np.float64
    assert found[b"c"].tolist() == [7]


def test_more_keys_than_one_query_takes(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite", name="m", revision="1")
    keys = [str(n).encode() for n in range(1_700)]
    store.put_many({key: vector(len(key)) for key in keys})
    assert len(store.get_many(keys)) == 1_700
    assert store.get_many([]) == {}


def test_a_name_and_a_revision_have_a_file_of_their_own(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.store("conse", "1").put_many({b"k": vector(1)})
    assert cache.store("conse", "2").get_many([b"k"]) == {}
    assert cache.store("conse-lite2", "1").get_many([b"k"]) == {}
    assert cache.store("precomputed:/a/../b", "1").path.parent == tmp_path
    assert Cache(tmp_path).store("conse", "1").get_many([b"k"])[b"k"].tolist() == [1]


def test_contents_verify_and_clear_cover_every_store(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.store("a", "1").put_many({b"k": vector(1), b"l": vector(2)})
    cache.store("b:x", "2").put_many({b"k": vector(1)})
    other = Cache(tmp_path)
    assert [(c.name, c.revision, c.rows) for c in other.contents()] == [("a", "1", 2), ("b:x", "2", 1)]
    assert all(c.size > 0 for c in other.contents())
    assert other.verify() == ()
    assert other.clear() == 3
    assert cache.store("a", "1").get_many([b"k"]) == {}
    cache.close()
    other.close()


def test_in_memory_keeps_as_long_as_the_object_and_writes_nothing() -> None:
    cache = Cache.in_memory()
    cache.store("a", "1").put_many({b"k": vector(1)})
    assert cache.store("a", "1").get_many([b"k"])[b"k"].tolist() == [1]
    assert cache.store("a", "2").get_many([b"k"]) == {}
    assert [(c.name, c.rows, c.size) for c in cache.contents()] == [("a", 1, 0), ("a", 0, 0)]
    assert not Path(MEMORY).exists()


def test_the_folder_is_the_variable_s_or_the_system_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(tmp_path / "here"))
    assert Cache.default().folder == tmp_path / "here"
    assert not (tmp_path / "here").exists(), "nothing is made before it is needed"
    monkeypatch.delenv("CROSSGAUGE_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert default_folder() == tmp_path / ".cache" / "crossgauge"
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_folder() == Path("/x/crossgauge")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_folder() == tmp_path / "Library" / "Caches" / "crossgauge"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert default_folder() == tmp_path / "crossgauge" / "Cache"


def test_a_damaged_row_is_set_aside_and_told_once(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        flipped = bytearray(vector(3, 1).tobytes())
        flipped[0] ^= 1
        raw.execute("UPDATE vectors SET vector = ? WHERE key = ?", (bytes(flipped), b"\x03"))
        raw.execute("UPDATE vectors SET dim = 3 WHERE key = ?", (b"\x04",))
        raw.execute("UPDATE vectors SET dtype = '|O' WHERE key = ?", (b"\x05",))
        stolen = raw.execute("SELECT vector, checksum FROM vectors WHERE key = ?", (b"\x07",)).fetchone()
        raw.execute("UPDATE vectors SET vector = ?, checksum = ? WHERE key = ?", (*stolen, b"\x06"))
    raw.close()
    store = reopened(file)
    assert set(store.get_many([bytes([n]) for n in range(100)])) == {bytes([n]) for n in range(100)} - {
        b"\x03", b"\x04", b"\x05", b"\x06"
    }  # fmt: skip
    (fault,) = store.findings()
    assert (fault.code, fault.found) == ("W401", "4 damaged rows")
    assert store.findings() == ()
    store.put_many({b"\x03": vector(3, 1)})
    assert store.get_many([b"\x03"])[b"\x03"].tolist() == [3, 1]
    assert store.verify() == (97, 0)


def test_verify_finds_what_nobody_asked_for(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE vectors SET checksum = x'00' WHERE key = ?", (b"\x09",))
    raw.close()
    cache = Cache(file.parent)
    file.rename(file.with_name("a.v1.sqlite"))
    assert [fault.code for fault in cache.verify()] == ["W401"]
    assert cache.verify() == ()


@pytest.mark.parametrize("damage", ["header", "middle", "text", "cut"])
def test_a_damaged_file_is_renamed_and_replaced(file: Path, damage: str) -> None:
    content = bytearray(file.read_bytes())
    if damage == "header":
        content[:100] = os.urandom(100)
    elif damage == "middle":
        content[4096:] = b"\xff" * (len(content) - 4096)
    elif damage == "text":
        content[:] = b"not a database " * 1000
    else:
        del content[len(content) // 2 :]
    file.write_bytes(content)
    store = reopened(file)
    keys = [bytes([n]) for n in range(100)]
    before = store.get_many(keys)
    assert all(found.tolist() == [key[0], 1] for key, found in before.items()), "never a wrong vector"
    store.put_many({key: vector(key[0], 1) for key in keys})
    assert len(store.get_many(keys)) == 100
    codes = {fault.code for fault in store.findings()}
    assert codes == {"W402"}
    assert [path.name for path in file.parent.glob("*.damaged-*")] == ["a.sqlite.damaged-1"]
    assert len(reopened(file).get_many(keys)) == 100


def test_a_file_damaged_while_it_is_open(file: Path) -> None:
    store = reopened(file)
    store.get_many([b"\x01"])
    with file.open("r+b") as stream:
        stream.write(os.urandom(file.stat().st_size))
    store.put_many({b"new": vector(1)})
    assert store.get_many([b"new"])[b"new"].tolist() == [1]
    assert [fault.code for fault in store.findings()] == ["W402"]


def test_a_file_that_another_process_has_replaced_is_left_alone(file: Path) -> None:
    """Whoever comes second must not rename the good file of whoever came first."""
    first, second = reopened(file), reopened(file)
    with file.open("r+b") as stream:
        stream.write(os.urandom(file.stat().st_size))
    first.put_many({b"new": vector(1)})
    second.put_many({b"newer": vector(2)})
    assert second.get_many([b"new", b"newer"]).keys() == {b"new", b"newer"}
    assert len(list(file.parent.glob("*.damaged-*"))) == 1


def test_a_full_disk_is_told_with_a_way_out(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite", name="m", revision="1")
    store.put_many({b"k": vector(1)})
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(EnvironmentFault, match="E502") as caught:
        store.put_many({bytes([n]): np.ones(500, np.float32) for n in range(100)})
    assert "CROSSGAUGE_CACHE" in caught.value.faults[0].fix
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert store.get_many([b"k"])[b"k"].tolist() == [1], "nothing half-written, nothing lost"
    assert store._count() == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentFault, match="E501") as caught:
        Cache(tmp_path / "file" / "cache").store("m", "1")
    assert "--no-cache" in caught.value.faults[0].fix
    (tmp_path / "a.sqlite").mkdir()
    with pytest.raises(EnvironmentFault, match="E501"):
        Store(tmp_path / "a.sqlite", name="m", revision="1")


def test_a_lock_held_too_long_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "PATIENCE", 0.1)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = reopened(file)
    with pytest.raises(EnvironmentFault, match="E411"):
        store.put_many({b"k": vector(1)})
    other.close()
    store.put_many({b"k": vector(1)})


def test_a_mistake_of_ours_is_not_taken_for_damage(file: Path) -> None:
    store = reopened(file)
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.get_many([b"\x01"])
    assert not list(file.parent.glob("*.damaged-*"))


def test_two_processes_write_at_once_and_one_is_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), count], stdout=subprocess.PIPE, env=environment
        )
        for count in ("60", "1000000")
    ]
    victim = writers[1]
    assert victim.stdout is not None
    for _ in range(40):
        victim.stdout.readline()
    time.sleep(0.01)  # somewhere inside a batch
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    writers[0].communicate()
    assert writers[0].returncode == 0
    store = Cache(tmp_path).store("m", "1")
    keys = [f"{batch}-{n}".encode() for batch in range(50) for n in range(32)]
    keys += [f"60:{batch}-{n}".encode() for batch in range(50) for n in range(4)]
    found = store.get_many(keys)
    assert len(found) == 1_800
    assert all((rows == sum(key)).all() for key, rows in found.items())
    whole, damaged = store.verify()
    assert (whole > 1_800, damaged) == (True, 0), "those of the one that was killed, batch by batch"
    assert whole % 4 == 0
    assert store.findings() == ()


def test_a_key_tells_content_and_role_apart_and_nothing_else(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    for path, content in ((one, b"ab"), (same, b"ab"), (other, b"c")):
        path.write_bytes(content)
    texts = ["", " ", "a", "\u00e4", "a\u0308", "|image:", "\ud800"]
    items = [Item("i", text=text) for text in texts]
    items += [
        Item("i", image=one),
        Item("i", video=one),
        Item("i", image=other),
        Item("i", image=one, text="a"),
    ]
    items += [
        Item("i", image=one, text=""),
        Item("i", image=one, video=other),
        Item("i", image=other, video=one),
    ]
    keys = {content_key(item, role=role) for item in items for role in (None, "query", "corpus")}
    assert len(keys) == 3 * len(items)
    assert content_key(Item("i", image=one)) == content_key(Item("j", image=same, lang="de"))


def test_equal_pixel_bytes_in_another_shape_have_another_key(tmp_path: Path) -> None:
    """Equal pixel bytes, 2 × 3 and 3 × 2: two files, two keys (an old mistake of caches)."""
    from PIL import Image

    grey = np.arange(6, dtype=np.uint8)
    paths = [tmp_path / "a.bmp", tmp_path / "b.bmp"]
    for path, shape in zip(paths, [(2, 3), (3, 2)], strict=True):
        Image.fromarray(grey.reshape(shape)).save(path)
    assert len({content_key(Item("i", image=path)) for path in paths}) == 2


def test_keys_are_as_they_always_were_so_that_old_caches_are_found(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"abc")
    item = Item("i", image=tmp_path / "p", text="é \ud800")
    abc = hashlib.sha256(b"abc").hexdigest().encode()
    layout = b"1:query|image:" + abc + b"|text:\xc3\xa9 \xed\xa0\x80"
    assert content_key(item, role="query") == hashlib.sha256(layout).digest()
    assert content_key(Item("i", text="")) == hashlib.sha256(b"1:|text:").digest()
