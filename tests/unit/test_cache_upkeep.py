"""What the cache forgets when asked to, and what it keeps."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from crossgauge.cache import Cache
from crossgauge.cache_upkeep import collect
from crossgauge.cli import main
from crossgauge.embeddings import encode_items
from crossgauge.errors import UsageError
from crossgauge.types import Item
from tests.encoders import Hashing

DAY = 86400.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Stores of three models, last used 1, 10 and 100 days ago."""
    for name, days in (("young", 1), ("middle", 10), ("old", 100)):
        cache = Cache(tmp_path)
        store = cache.store(name, "1")
        store.put_many({str(n).encode(): np.full(64, n, np.float32) for n in range(200)})
        cache.close()
        os.utime(store.path, (time.time() - days * DAY,) * 2)
    return tmp_path


def left(folder: Path) -> list[str]:
    return sorted(one.name for one in Cache(folder).contents())


def test_by_age(folder: Path) -> None:
    gone = collect(Cache(folder), older_than=30 * DAY)
    assert [one.name for one in gone] == ["old"]
    assert gone[0].size > 200 * 64 * 4
    assert left(folder) == ["middle", "young"]


def test_by_size_the_longest_unused_first(folder: Path) -> None:
    one = Cache(folder).contents()[0].size
    assert [row.name for row in collect(Cache(folder), max_size=int(1.5 * one))] == ["old", "middle"]
    assert left(folder) == ["young"]


def test_by_name_whatever_its_age(folder: Path) -> None:
    assert [row.name for row in collect(Cache(folder), models=["young"])] == ["young"]
    assert left(folder) == ["middle", "old"]


def test_models_to_keep_lose_nothing(folder: Path) -> None:
    assert collect(Cache(folder), older_than=30 * DAY, keep=["old"]) == ()
    assert [row.name for row in collect(Cache(folder), max_size=0, keep=["middle"])] == ["old", "young"]
    assert left(folder) == ["middle"]


def test_models_to_keep_alone_forget_all_others(folder: Path) -> None:
    assert {row.name for row in collect(Cache(folder), keep=["middle"])} == {"old", "young"}
    assert left(folder) == ["middle"]


def test_a_run_whose_store_is_forgotten_begins_it_anew(folder: Path) -> None:
    """What it writes afterwards is found by others, not lost with the file that went."""
    running = Cache(folder).store("busy", "1")
    running.put_many({b"before": np.ones(4, np.float32)})
    collect(Cache(folder), models=["busy"])
    running.put_many({b"after": np.full(4, 2, np.float32)})
    found = Cache(folder).store("busy", "1").get_many([b"before", b"after"])
    assert {key: row.tolist() for key, row in found.items()} == {b"after": [2.0] * 4}
    assert running.findings() == ()


def test_what_damage_set_aside_goes_too(folder: Path) -> None:
    aside = folder / "x.v1.sqlite.damaged-1"
    aside.write_bytes(b"x" * 10)
    other = folder / "x-0123.v0.sqlite"
    other.write_bytes(b"y" * 10)
    gone = collect(Cache(folder), older_than=1000 * DAY)
    assert {row.path for row in gone} == {aside, other}
    assert left(folder) == ["middle", "old", "young"]


def test_the_size_report_holds_what_damage_set_aside(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.v1.sqlite.damaged-1").write_bytes(b"x" * 5_000_000)
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(folder))
    with pytest.raises(SystemExit) as done:
        main(["cache", "list"])
    *_, aside, total = capsys.readouterr().out.splitlines()
    assert not done.value.code
    assert aside.split() == ["?", "-", "5.0", "MB", "set", "aside", "as", "damaged",
                             "x.v1.sqlite.damaged-1"]  # fmt: skip
    assert 5.0 < float(total.split()[0]) < 6.0


def test_what_another_process_forgets_meanwhile_is_no_fault(folder: Path) -> None:
    class Raced(Cache):
        def close(self) -> None:
            super().close()
            for file in self.folder.glob("old-*"):
                file.unlink()

    assert [(one.name, one.size) for one in collect(Raced(folder), models=["old"])] == [("old", 0)]
    assert left(folder) == ["middle", "young"]


def test_using_a_store_makes_it_young(folder: Path) -> None:
    cache = Cache(folder)
    cache.store("old", "1").get_many([b"0"])
    cache.close()
    assert [row.name for row in collect(Cache(folder), older_than=5 * DAY)] == ["middle"]


def test_a_store_that_is_being_written_is_not_taken_for_room(folder: Path) -> None:
    busy = Cache(folder).store("busy", "1")
    busy.put_many({b"k": np.ones(4, np.float32)})
    assert "busy" not in [row.name for row in collect(Cache(folder), max_size=0)]
    assert left(folder) == ["busy"]


def test_what_is_forgotten_is_computed_again_the_same(tmp_path: Path) -> None:
    items = [Item("a", text="a bee"), Item("b", text="a boat")]
    first = encode_items(Hashing(), items, role="query", cache=Cache(tmp_path))
    collect(Cache(tmp_path), models=["hashing"])
    log = tmp_path / "log"
    again = encode_items(Hashing(log), items, role="query", cache=Cache(tmp_path))
    assert len(log.read_text().splitlines()) == 2
    assert (first.vectors == again.vectors).all()


def test_nothing_asked_nothing_forgotten(folder: Path) -> None:
    with pytest.raises(UsageError, match="E682"):
        collect(Cache(folder))
    assert left(folder) == ["middle", "old", "young"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert collect(Cache(tmp_path / "none"), max_size=0) == ()
