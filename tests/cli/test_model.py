"""``crossgauge model inspect`` and ``crossgauge bench-model``."""

from __future__ import annotations

import json

import pytest

from crossgauge.cli import main
from crossgauge.model_speed import measure_speed
from crossgauge.types import Item
from tests.captioners import Speaking
from tests.encoders import Hashing


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(caught.value.code or 0), captured.out, captured.err


def test_what_conse_is(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "model", "inspect", "conse")
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert facts["dimensions"] == "512"
    assert facts["takes"] == "image, text; one at a time"
    assert facts["needs"] == "the base install"
    assert "zh-Hant" in facts["languages"]


def test_the_floor_says_its_dimensions(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "model", "inspect", "random:24", "--json")
    assert json.loads(out)["model"]["dimensions"] == 24


def test_a_captioner_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "model", "inspect", "caption:labels:3", "--json")
    found = json.loads(out)["model"]
    assert code == 0
    assert found["makes"] == ["captions"]
    assert found["name"] == "caption:labels:3"
    assert "similarity" not in found


def test_a_device_that_a_model_cannot_choose_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "model", "inspect", "conse", "--device", "cuda:0")
    assert code == 2
    assert "E611" in err


def test_no_such_model(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "model", "inspect", "cone")
    assert code == 2
    assert "conse" in err


def test_the_slow_stage_is_named() -> None:
    items = [Item(str(n), text=f"word {n}") for n in range(64)]
    speed = measure_speed(Hashing(seconds=0.05), items, batch_size=16)
    assert speed.bottleneck.startswith("texts wait for encoding texts; all stages together reach ")
    encoding = next(stage for stage in speed.stages if stage.name == "encoding texts")
    assert encoding.items == 64
    assert encoding.seconds >= 4 * 0.05
    assert speed.together[0].seconds >= 4 * 0.05


def test_bench_model(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "bench-model", "random:8", "--limit", "16", "--json")
    speed = json.loads(out)["speed"]
    assert code == 0
    assert [stage["items"] for stage in speed["together"]] == [16, 16]
    assert {stage["name"].split()[0] for stage in speed["stages"]} == {
        "reading", "preparing", "encoding", "storing",
    }  # fmt: skip


def test_bench_model_of_a_captioner(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "bench-model", "caption:labels", "--limit", "6", "-b", "2", "--json")
    assert code == 0, err
    speed = json.loads(out)["speed"]
    assert [stage["name"] for stage in speed["stages"]] == [
        "reading images", "preparing images", "writing about images", "storing images",
    ]  # fmt: skip
    assert [(stage["name"], stage["items"]) for stage in speed["together"]] == [("images, all stages", 6)]


def test_the_slow_stage_of_a_captioner_is_named() -> None:
    speed = measure_speed(
        Speaking(seconds=0.05), [Item(str(n), text=f"text {n}") for n in range(8)], batch_size=2
    )
    assert speed.bottleneck.startswith("texts wait for writing about texts; all stages together reach ")
    assert speed.together[0].seconds >= 4 * 0.05


def test_cache_gc(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "cache", "gc")[0] == 2
    assert run(capsys, "cache", "gc", "--older-than", "soon")[0] == 2
    code, out, _ = run(capsys, "cache", "gc", "--older-than", "400d")
    assert code == 0
    assert out.endswith("0.0 MB forgotten\n")
