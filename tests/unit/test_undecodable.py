"""A picture that cannot be decoded is left out with missing=skip, whatever the benchmark, and told."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from crossgauge import registry
from crossgauge.benchmark import Benchmark, Dataset
from crossgauge.benchmarks._decodable import left_out, undecodable
from crossgauge.errors import InputError

SKIPPING = [
    name
    for name in registry.names("benchmarks")
    if any(option.name == "missing" for option in registry.load("benchmarks", name).options)
]


def opened(benchmark: Benchmark, data: Path, missing: str) -> Dataset:
    return benchmark.open(data, {"missing": missing})


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_every_benchmark_of_pictures_has_the_option() -> None:
    assert {"coco", "flickr30k", "folder", "gem", "imagenet", "recipe1m", "winoground"} <= set(SKIPPING)


@pytest.mark.parametrize("name", SKIPPING)
def test_one_damaged_picture(name: str, tmp_path: Path) -> None:
    benchmark = registry.load("benchmarks", name)
    assert benchmark.sample is not None
    benchmark.sample(tmp_path)
    before = {item.id: item.image for item in opened(benchmark, tmp_path, "skip").media() if item.image}
    broken = min(before.values())
    truncated(broken)
    dataset = opened(benchmark, tmp_path, "skip")
    left = {item.id: item.image for item in dataset.media() if item.image}
    lost = {one for one, path in before.items() if path == broken}
    assert lost <= before.keys() - left.keys()
    assert broken not in left.values()
    told = [fault for fault in dataset.findings if fault.code == "W310"]
    assert len(told) == 1
    assert "1 picture that cannot be decoded: " in told[0].found
    assert "(E163 " in told[0].found
    dataset.fingerprint  # noqa: B018  (reads every file that is left)
    damaged = {item.image for item in opened(benchmark, tmp_path, "error").media()}
    assert broken in damaged, "it is met when it is encoded, unless it may be skipped"


def test_only_what_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    good, odd, empty, text = (tmp_path / name for name in ("a.png", "b.jpg", "c.png", "d.png"))
    Image.new("RGB", (4, 4)).save(good)
    Image.new("RGB", (4, 4)).save(odd, format="PNG")  # W160: its name says another format
    empty.write_bytes(b"")
    text.write_bytes(b"no picture")
    broken = undecodable({"a": good, "b": odd, "c": empty, "again": empty, "d": text, "e": tmp_path / "none"})
    assert {name: fault.code for name, fault in broken.items()} == {
        "c": "E161", "again": "E161", "d": "E162", "e": "E160",
    }  # fmt: skip
    assert left_out(broken, "x").found.startswith("4 pictures that cannot be decoded: c (E161 ")


def test_nothing_left_is_an_error(tmp_path: Path) -> None:
    benchmark = registry.load("benchmarks", "folder")
    benchmark.sample(tmp_path)
    for path in tmp_path.rglob("*.png"):
        truncated(path)
    with pytest.raises(InputError) as refused:
        opened(benchmark, tmp_path, "skip")
    assert "E124" in [fault.code for fault in refused.value.faults]
