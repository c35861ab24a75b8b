"""What this machine does not have, or a text cannot be: told at once, by every adapter, nothing left."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.cli import main
from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.model_speed import measure_speed
from crossgauge.models import load_model
from crossgauge.models._torch.compiled import compiled
from crossgauge.models._torch.tokens import TokenCounts
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from tests.models import pictures
from tests.models.make_captioners import make_blip, make_llava
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_open_clip import make_clip as make_open_clip
from tests.models.make_sentence import make_bert
from tests.models.make_transformers import make_clip
from tests.models.make_vlm2vec import make_qwen2_vl


def exported(folder: Path) -> str:
    make_towers(folder / "onnx", make_dual(folder / "dual"))
    return f"onnx:{folder / 'onnx'}"


ADAPTERS: dict[str, Callable[[Path], str]] = {
    "transformers": lambda folder: f"transformers:{make_clip(folder).folder}",
    "open-clip": lambda folder: f"open-clip:{make_open_clip(folder).name}",
    "sentence-transformers": lambda folder: f"sentence-transformers:{make_bert(folder)}",
    "vlm2vec": lambda folder: f"vlm2vec:{make_qwen2_vl(folder).folder}",
    "onnx": exported,
    "captions": lambda folder: f"caption:transformers:{make_blip(folder).folder}",
    "chat": lambda folder: f"caption:transformers:{make_llava(folder).folder}",
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("checkpoints")
    return {name: make(home / name / "model") for name, make in ADAPTERS.items()}


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_a_device_that_is_not_here_is_told_before_a_run_begins(
    specs: dict[str, str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(["run", "emoji", "-m", specs[name], "--device", "cuda:7", "--limit", "2", "-o",
              str(tmp_path / "run")])  # fmt: skip
    heard = capsys.readouterr().err
    assert done.value.code == 4, heard
    assert heard.count("  place  ") == 1
    assert "--device cuda:7: " in heard
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", sorted(set(ADAPTERS) - {"captions"}))
def test_half_a_character_is_a_fault_of_its_item_alone(specs: dict[str, str], name: str) -> None:
    """A folder that is called caf\\xe9 in another encoding has such a name; it is a class."""
    model = load_model(specs[name])
    with pytest.raises(InputError, match=r"E625 item a: its text has half a character, U\+DCE9, at place 4"):
        model.prepare(Item("a", text="caf\udce9"))
    model.prepare(Item("b", text="café"))


def test_a_graph_is_compiled_already(specs: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"E611 .*--compile: .*; fix: leave out --compile$"):
        load_model(specs["onnx"], Runtime(compile=True))
    with pytest.raises(UsageError, match=r"E611 .*--dtype: .*; fix: #file_suffix=_fp16 names another file$"):
        load_model(specs["onnx"], Runtime(dtype="fp16"))


def test_what_torch_cannot_compile_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def fails(*_: object) -> None:
        raise RuntimeError("No working C++ compiler found")

    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=fails))
    with pytest.raises(EnvironmentFault, match=r"E612 model x: --compile.*No working C\+\+.*leave out"):
        compiled(lambda x: x + 1, "model x")(torch.ones(2))


def warned(caplog: pytest.LogCaptureFixture) -> str:
    return "".join(record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING)


def test_places_that_end_a_graph_are_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import torch

    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    level = logging.getLogger("torch._dynamo").level

    def half(x: Any) -> Any:
        return x / 2 if x.sum().item() > 1 else x

    logger = logging.getLogger("torch._dynamo")
    monkeypatch.setattr(logger, "propagate", True)
    plain = torch.compile(half)
    assert plain(torch.ones(3)).tolist() == [0.5] * 3
    assert "Graph break" in warned(caplog), "what users would see"
    caplog.clear()
    torch._dynamo.reset()
    assert compiled(half, "model x")(torch.ones(4)).tolist() == [0.5] * 4
    assert not warned(caplog)
    assert logger.level == level


@pytest.mark.parametrize("name", sorted(set(ADAPTERS) - {"onnx"}))
def test_compiled_it_answers_the_same(
    specs: dict[str, str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands around the compiled call changes nothing; the compiler itself takes long."""
    import torch

    seen: list[object] = []
    monkeypatch.setattr(torch, "compile", lambda call, *_: seen.append(call) or call)
    file = pictures.of_every_kind(tmp_path)["rgb.png"]
    text = name == "sentence-transformers"
    plain, fast = (answer(specs[name], text=text, file=file, compiled=on) for on in (False, True))
    assert seen
    np.testing.assert_equal(fast, plain)


def answer(spec: str, *, text: bool, file: Path, compiled: bool) -> Any:
    """A vector or a caption of a text or a picture."""
    captions = "caption" in spec.partition(":")[0]
    model: Any = load_model(f"{spec}#max_new_tokens=3" if captions else spec, Runtime(compile=compiled))
    prepared = [model.prepare(Item("a", text="a bee") if text else Item("a", image=file))]
    if captions:
        return model.caption(prepared, language="en")
    return model.encode(prepared, role="query").round(4)


def test_a_tower_of_texts_alone_can_be_timed(
    specs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(["bench-model", specs["sentence-transformers"], "--limit", "6", "-b", "4"])
    heard = capsys.readouterr()
    assert not done.value.code, heard.err
    assert "texts, all stages" in heard.out
    assert "images" not in heard.out


def test_items_of_two_things_are_timed_where_they_are_one_input(
    specs: dict[str, str], tmp_path: Path
) -> None:
    file = pictures.of_every_kind(tmp_path)["rgb.png"]
    items = [Item(str(n), text=f"a bee {n}", image=file) for n in range(3)] + [Item("t", text="a bee")]
    speed = measure_speed(load_model(specs["vlm2vec"]), items, batch_size=2)  # type: ignore[arg-type]
    assert [(stage.name, stage.items) for stage in speed.together] == [
        ("image+text items, all stages", 3), ("texts, all stages", 1),
    ]  # fmt: skip
    assert "image+text items wait for " in speed.bottleneck
    assert speed.bottleneck.endswith("; they are one batch, so no stage went beside another")
    alone = measure_speed(load_model(specs["transformers"]), items)  # type: ignore[arg-type]
    assert [stage.items for stage in alone.together] == [1]


def test_a_small_share_of_unknown_pieces_is_not_called_none() -> None:
    counts = TokenCounts(10_000)
    counts.add(pieces=9000, unknown=1)
    assert counts.told() == ["less than 0.1 % of the pieces of 1 texts are unknown to the tokenizer"]
