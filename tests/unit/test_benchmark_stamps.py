"""Tux Paint's stamps: the layout on made-up ones, the counts on the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.stamps import BENCHMARK, INSTALLED
from crossgauge.collection import Collection
from crossgauge.errors import InputError


def opened(data: Path, **options: str) -> Collection:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Collection)
    return dataset


@pytest.mark.parametrize("below", ["", INSTALLED, "usr/share/tuxpaint"])
def test_any_folder_above_the_stamps_will_do(tmp_path: Path, below: str) -> None:
    BENCHMARK.sample(tmp_path)
    data = opened(tmp_path / below)
    assert data.fingerprint == opened(tmp_path).fingerprint
    assert data.languages("i2t") == ("de", "en", "fr", "zh-Hans")


def test_photos_leave_out_what_is_drawn(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    assert len(opened(tmp_path).pictures) == 8
    assert not [p.id for p in opened(tmp_path, subset="photos").pictures if "cartoon" in p.id]


def test_a_cartoon_has_the_class_of_its_subject(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    top, leaf = opened(tmp_path), opened(tmp_path, labels="leaf")
    assert top.classes["en"] == {"animals": "animals", "food": "food", "naturalforces": "natural forces"}
    assert leaf.classes["en"] == {"animals/birds": "birds", "food": "food", "naturalforces": "natural forces"}


def test_odd_text_files(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    root = tmp_path / INSTALLED
    (root / "food" / "red.txt").write_bytes(
        b"\xef\xbb\xbfA red apple.\r\nde.utf8=\r\nfr.utf8=Pomme.\r\nno line\r\n"
    )
    (root / "food" / "none.txt").write_text("No picture.\n")
    data = opened(tmp_path)
    (red,) = [picture for picture in data.pictures if picture.id == "food/red"]
    assert red.texts == {"en": ("A red apple.",), "fr": ("Pomme.",)}
    assert data.facts()["descriptions without a PNG"] == "1"


def test_faults_name_file_and_line(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    root = tmp_path / INSTALLED / "food"
    (root / "red.txt").write_bytes(b"A red apple.\nde.utf8=Apf\xe9l\n")
    (root / "blue.txt").write_text("\nqx.utf8=x\n")
    with pytest.raises(InputError) as refused:
        opened(tmp_path)
    assert sorted((f.code, f.place) for f in refused.value.faults if not f.is_warning) == [
        ("E120", "food/blue.txt"),
        ("E121", "food/red.txt:2"),
        ("E127", "food/blue.txt"),
    ]


def test_nothing_that_looks_like_stamps(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tuxpaint-stamps-default"):
        opened(tmp_path)


@pytest.mark.stamps
def test_the_real_stamps(stamps: Path) -> None:
    data = opened(stamps)
    assert len(data.pictures) == 785
    assert len(data.languages("t2i")) == 75
    assert len(data.split("classify", "en", PLAIN).corpus) == 16
    sizes = {
        language: len(data.split("i2t", language, PLAIN).queries)
        for language in ("en", "ja", "th", "sw", "ta")
    }
    assert sizes == {"en": 785, "ja": 785, "th": 724, "sw": 183, "ta": 56}
    assert len(data.split("t2i", "en", PLAIN).queries) == 674
    photos = opened(stamps, subset="photos")
    assert len(photos.pictures) == 404
    assert len(photos.split("t2i", "en", PLAIN).queries) == 377
