"""The embedded emoji: what is in them, and what a broken table says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.errors import InputError


def test_the_embedded_emoji_are_whole() -> None:
    data = BENCHMARK.open(None, {})
    assert data.findings == ()
    assert len(data.media()) == 291
    assert len(data.languages("i2t")) == 35
    assert data.languages("classify") == ("en",)
    for language in data.languages("i2t"):
        split = data.split("i2t", language, PLAIN)
        assert len(split.queries) == len(split.corpus) == 291
        assert split.qrels.start.tolist() == list(range(292))
    assert len(data.split("classify", "en", PLAIN).corpus) == 38


def broken(folder: Path, **changed: object) -> list[tuple[str, str]]:
    BENCHMARK.sample(folder)
    table = folder / "emoji.json"
    document = json.loads(table.read_bytes())
    document.update(changed)
    table.write_text(json.dumps(document))
    with pytest.raises(InputError) as refused:
        BENCHMARK.open(folder, {})
    return [(fault.code, fault.place) for fault in refused.value.faults if not fault.is_warning]


def test_every_broken_row_is_named(tmp_path: Path) -> None:
    good = {"id": "1", "subgroup": "red", "group": "g", "file": "images/red-cross.png", "names": {"en": "x"}}
    rows = [
        good,
        {**good, "file": "images/gone.png"},
        {**good, "id": "2", "subgroup": "none"},
        7,
        {**good, "names": {"qq": "y"}},
        {**good, "file": "images/blue-cross.png"},
    ]
    assert sorted(broken(tmp_path, emoji=rows), key=lambda fault: fault[1]) == [
        ("E125", "emoji.json emoji 2"),
        ("E136", "emoji.json emoji 3"),
        ("E122", "emoji.json emoji 4"),
        ("E120", "emoji.json emoji 5"),
        ("E126", "emoji.json emoji 6"),
    ]


def test_a_table_without_its_parts(tmp_path: Path) -> None:
    assert broken(tmp_path, subgroups=None) == [("E123", "emoji.json")]
    (tmp_path / "emoji.json").write_text("{")
    with pytest.raises(InputError, match="E122"):
        BENCHMARK.open(tmp_path, {})
    (tmp_path / "emoji.json").unlink()
    with pytest.raises(InputError, match="E131"):
        BENCHMARK.open(tmp_path, {})
