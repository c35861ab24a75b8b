"""Crossmodal-3600: uneven captions in many languages, and the policy that decides the denominators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks.xm3600 import BENCHMARK
from crossgauge.errors import InputError

LANGUAGES = (
    "ar", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fil", "fr",
    "he", "hi", "hr", "hu", "id", "it", "ja", "ko", "mi", "nl", "no", "pl",
    "pt", "quz", "ro", "ru", "sv", "sw", "te", "th", "tr", "uk", "vi", "zh",
)  # fmt: skip


def opened(data: Path, **options: str) -> CaptionLines:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, CaptionLines)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults if not fault.is_warning]


def rows(folder: Path, *said: dict[str, Any], absent: tuple[str, ...] = ()) -> Path:
    """A captions file, and a picture for each row but the absent ones."""
    (folder / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said))
    for number, row in enumerate(said):
        key = row.get("image/key")
        if isinstance(key, str) and key not in absent:
            Image.new("RGB", (4, 4), (number * 9, 0, 0)).save(folder / f"{key}.jpg")
    return folder


def row(key: Any, **said: list[Any]) -> dict[str, Any]:
    captions = {code: {"caption": texts, "caption/tokenized": ["not read"]} for code, texts in said.items()}
    return {"image/key": key, "image/locale": "en"} | captions


def test_all_captions_are_queries_and_any_is_right(tmp_path: Path) -> None:
    rows(tmp_path, row("b", en=["one", "two"], quz=["o"]), row("a", en=["three"]))
    data = opened(tmp_path)
    assert data.languages("t2i") == ("en", "quz")
    t2i, i2t = (data.split(task, "en", PLAIN) for task in ("t2i", "i2t"))
    assert [(query.id, query.text, query.lang) for query in t2i.queries] == [
        ("en:b.jpg", "one", "en"),
        ("en:b.jpg#2", "two", "en"),
        ("en:a.jpg", "three", "en"),
    ]
    assert np.diff(i2t.qrels.start).tolist() == [2, 1]
    assert t2i.clusters is not None
    assert t2i.clusters.tolist() == [0, 0, 1]
    assert [item.id for item in data.split("t2i", "quz", PLAIN).corpus] == ["b.jpg"]


def test_first_takes_one_caption_a_language(tmp_path: Path) -> None:
    rows(tmp_path, row("b", en=["one", "two"], fil=["isa", "dalawa"]), row("a", en=["three"]))
    data = opened(tmp_path, captions="first")
    assert [query.text for query in data.split("t2i", "en", PLAIN).queries] == ["one", "three"]
    assert [query.text for query in data.split("t2i", "fil", PLAIN).queries] == ["isa"]
    assert data.split("t2i", "en", PLAIN).clusters is None


def test_every_language_of_the_data_set_is_a_code(tmp_path: Path) -> None:
    rows(tmp_path, row("a", **{code: [f"a in {code}"] for code in LANGUAGES}))
    data = opened(tmp_path)
    assert data.languages("i2t") == tuple(sorted(LANGUAGES))
    assert len(data.languages("i2t")) == 36
    assert [fault.code for fault in data.findings] == ["W373"]


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    rows(
        tmp_path,
        row("a", en=["x"]),
        row("gone", en=["y"]),
        row("a", en=["z"]),
        row(None, en=["q"]),
        row("b", en=["", "w"]),
        row("c", klingonish=["k"]),
        {"image/key": "d", "en": {"caption": "no list"}},
        row("../e", en=["v"]),
        row("f", en=[5]),
        absent=("gone", "../e"),
    )
    whole = (tmp_path / "captions.jsonl").read_text()
    (tmp_path / "captions.jsonl").write_text(whole + '{"image/key": "cut')
    assert sorted(faults(tmp_path)) == [
        ("E120", "captions.jsonl:6"),
        ("E122", "captions.jsonl:10"),
        ("E125", "captions.jsonl:2"),
        ("E126", "captions.jsonl:3"),
        ("E127", "captions.jsonl:5 en"),
        ("E127", "captions.jsonl:9 en"),
        ("E128", "captions.jsonl:8"),
        ("E129", "captions.jsonl:4"),
        ("E370", "captions.jsonl:7"),
    ]


def test_no_file(tmp_path: Path) -> None:
    assert faults(tmp_path) == [("E131", str(tmp_path))]


def test_a_picture_without_captions_is_in_no_task(tmp_path: Path) -> None:
    rows(tmp_path, row("a", en=["x"]), row("b"))
    assert {fault.code for fault in opened(tmp_path).findings} == {"W136", "W373"}
    assert len(opened(tmp_path).split("i2t", "en", PLAIN).queries) == 1


def test_the_sample_says_its_counts(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    facts = opened(tmp_path).facts()
    assert facts["pictures"] == "5"
    assert facts["texts en"] == "10 lines, 5 pictures, captions a picture 2/2/2"
    assert facts["texts de"] == "7 lines, 5 pictures, captions a picture 1/1/2"
