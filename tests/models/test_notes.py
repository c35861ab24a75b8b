"""What a model tells is passed on behind its name, once: the line itself does not say it again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgauge import registry
from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.models import load_model
from crossgauge.types import Captioner, Item
from tests.models import hub, make_open_clip
from tests.models.command import ran, stopped
from tests.models.make_captioners import changed, make_llava
from tests.models.make_sentence import bert, make_dense
from tests.models.make_transformers import make_blip_2
from tests.models.make_vlm2vec import make_qwen2_vl
from tests.unit.test_embeddings import Noting


def plain_bert(folder: Path) -> str:
    """A checkpoint of transformers, for which the library makes up the pooling."""
    folder.mkdir()
    bert(folder / "bert")
    return f"sentence-transformers:{folder / 'bert'}"


def passages(folder: Path) -> str:
    made = make_dense(folder / "dense")
    prompts = {"query": "query: ", "passage": "passage: "}
    changed(made, "config_sentence_transformers.json", prompts=prompts, similarity_fn_name="cosine")
    return f"sentence-transformers:{made}"


def dated(folder: Path) -> Path:
    made = make_qwen2_vl(folder / "qwen").folder
    template = made / "chat_template.jinja"
    template.write_text("{{ strftime_now('%d %b %Y') }}" + template.read_text())
    return made


def with_adapters(folder: Path) -> str:
    made = make_qwen2_vl(folder / "qwen").folder
    (made / "lora").mkdir()
    (made / "lora" / "adapter_config.json").write_text("{}")
    return f"vlm2vec:{made}"


TELLING: dict[str, Callable[[Path], str]] = {
    "W631": plain_bert,
    "W632": passages,
    "W640": lambda folder: f"vlm2vec:{dated(folder)}#template=chat",
    "W641": lambda folder: f"vlm2vec:{make_qwen2_vl(folder / 'qwen').folder}",
    "W642": with_adapters,
    "W651": lambda folder: f"caption:transformers:{make_llava(folder / 'llava').folder}#max_new_tokens=2",
    "W652": lambda folder: f"caption:transformers:{dated(folder)}#max_new_tokens=2",
    "query vectors": lambda folder: f"transformers:{make_blip_2(folder / 'blip-2').folder}",
    "texts cut": lambda folder: f"open-clip:{make_open_clip.make_clip(folder / 'clip').name}",
}


@pytest.mark.parametrize("what", TELLING)
def test_a_line_has_the_name_once(what: str, tmp_path: Path) -> None:
    model: Any = load_model(TELLING[what](tmp_path / "model"))
    items, told = [Item("a", text="a bee"), Item("b", text="long " * 99)], Noting()
    if isinstance(model, Captioner):
        caption_items(model, items, language="en", progress=told)
    else:
        items += [Item("c", text="")] * (what == "W641")
        encode_items(model, items, role="query", progress=told, on_nonfinite="miss")
    own = [note for note in told.notes if note.startswith(f"{model.name}: ")]
    assert any(what in note for note in own)
    assert [note for note in own if note.count(model.checkpoint.path.as_posix()) > 1] == []
    assert [note for note in own if "model " + model.name in note] == []


def test_a_run_of_a_captioner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stopped("sample", "gem", tmp_path / "GEM") == 0
    named = f"caption:transformers:{make_llava(tmp_path / 'llava').folder}#max_new_tokens=2"
    ran(tmp_path / "run", "gem", "-d", tmp_path / "GEM", "-t", "IQ", "-l", "en", "-m", named, "--no-cache")
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith(f"{named}: ")]
    assert told == [
        f"{named}: generation: max_new_tokens=2, num_beams=1, do_sample=false; of the checkpoint: "
        + told[0].partition("of the checkpoint: ")[2],
        f"{named}: W651 3 texts cut at 2 tokens; fix: more of them: #max_new_tokens=N",
    ]


def test_pictures_to_learn_from_that_are_asked_about(tmp_path: Path) -> None:
    registry.load("benchmarks", "folder").sample(tmp_path / "pics")
    files, told = sorted((tmp_path / "pics").rglob("*.png")), Noting()
    model: Any = load_model(f"caption:nearest:{tmp_path / 'pics'}#encoder=random:8")
    shutil.copy(files[0], tmp_path / "same.png")
    shown = [Item(str(n), image=file) for n, file in enumerate([*files, tmp_path / "same.png"])]
    caption_items(model, shown, language="en", progress=told)
    (note,) = [note for note in told.notes if "W415" in note]
    assert note.startswith(f"{model.name}: W415 ")
    assert note.count(model.name) == 1


def test_weights_of_another_activation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.go_offline(monkeypatch, tmp_path / "hub")
    made = make_open_clip.make_clip(tmp_path / "clip").folder
    hub.put(tmp_path / "hub", "timm/vit_base_patch32_clip_224.openai", made)
    model: Any = load_model("open-clip:ViT-B-32,openai")
    (line,) = model.told()
    assert line.startswith(
        "W630 weights trained with QuickGELU in an architecture with GELU; wanted QuickGELU"
    )
    assert model.name not in line
