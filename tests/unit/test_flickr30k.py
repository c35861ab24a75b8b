"""Flickr30k: both layouts of Karpathy's split, and what is wrong with a text file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks.flickr30k import BENCHMARK
from crossgauge.errors import InputError


def opened(data: Path, **options: str) -> CaptionLines:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, CaptionLines)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    for number in (1, 2):
        Image.new("RGB", (4, 4), (number * 40, 0, 0)).save(tmp_path / f"{number}.jpg")
    return tmp_path


def lines(folder: Path, *said: str, split: str = "test", end: str = "\n") -> Path:
    whole = end.join(("image,caption", *said)) + end
    (folder / f"flickr30k_{split}_karpathy.txt").write_bytes(whole.encode())
    return folder


def test_a_caption_with_commas_and_names_of_files_in_it(pictures: Path) -> None:
    lines(pictures, "1.jpg,A man, a dog, and 2.jpg, all red", "2.jpg,Nothing\u2028else", "1.jpg,Again")
    split = opened(pictures).split("t2i", "en", PLAIN)
    assert [(query.id, query.text) for query in split.queries] == [
        ("en:1.jpg", "A man, a dog, and 2.jpg, all red"),
        ("en:1.jpg#2", "Again"),
        ("en:2.jpg", "Nothing\u2028else"),
    ]
    assert split.qrels.items.tolist() == [0, 0, 1]


def test_both_layouts_of_the_same_captions_are_the_same_data(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    before = opened(tmp_path)
    document = json.loads((tmp_path / "dataset_flickr30k.json").read_bytes())
    lines(
        tmp_path,
        *(
            f"{image['filename']},{sentence['raw']}"
            for image in document["images"]
            if image["split"] == "test"
            for sentence in image["sentences"]
        ),
        end="\r\n",
    )
    assert [fault.code for fault in opened(tmp_path).findings] == ["W372"]
    (tmp_path / "dataset_flickr30k.json").unlink()
    assert opened(tmp_path).fingerprint == before.fingerprint
    assert opened(tmp_path).findings == ()


def test_the_sample_has_five_captions_a_picture(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    assert np.diff(opened(tmp_path).split("i2t", "en", PLAIN).qrels.start).tolist() == [5] * 4
    assert len(opened(tmp_path, split="val").media()) == 2


def test_lines_that_are_no_pairs_and_missing_pictures_are_all_told(pictures: Path) -> None:
    lines(pictures, "1.jpg,fine", "no name here", ".jpg,x", "9.jpg,absent", "8.jpg,absent", "2.jpg,")
    name = "flickr30k_test_karpathy.txt"
    assert faults(pictures) == [
        ("E372", f"{name}:3"),
        ("E372", f"{name}:4"),
        ("E125", f"{name}:5"),
        ("E125", f"{name}:6"),
        ("E127", f"{name}:7"),
    ]


def test_blank_lines_are_fine_at_the_end_only(pictures: Path) -> None:
    lines(pictures, "1.jpg,fine", "2.jpg,too", "", "  ", "")
    assert [item.text for item in opened(pictures).texts()] == ["fine", "too"]
    lines(pictures, "1.jpg,fine", "", "2.jpg,too")
    assert faults(pictures) == [("E372", "flickr30k_test_karpathy.txt:3")]


def test_bytes_that_are_not_utf8(pictures: Path) -> None:
    (pictures / "flickr30k_test_karpathy.txt").write_bytes(b"image,caption\n1.jpg,caf\xe9\n")
    assert faults(pictures) == [("E121", "flickr30k_test_karpathy.txt:2")]


def test_no_file_of_the_split(pictures: Path) -> None:
    lines(pictures, "1.jpg,x")
    assert faults(pictures, split="val") == [("E131", str(pictures))]
