"""open_clip: vectors are those of the library's documented calls, whatever the batch size and the order."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Item
from crossgauge.video import load_frames
from tests.clips import write_clip
from tests.models import documented, hub, pictures
from tests.models.by_hand import by_hand
from tests.models.command import ran
from tests.models.make_open_clip import CLIP, FOLDERS, Made, make_clip, save
from tests.models.texts import EVERY as TEXTS

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
CUT = {"clip": 77, "coca": 76, "resnet": 77, "siglip": 24, "roberta": 40, "timm": 77}  # at how many tokens


@pytest.fixture(scope="module", params=sorted(FOLDERS))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    name = str(request.param)
    return FOLDERS[name](tmp_path_factory.mktemp("checkpoint") / name)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(pictures.of_every_kind(tmp_path_factory.mktemp("pictures")).values())


def opened(made: Made, runtime: Runtime = DEFAULT, settings: str = "") -> Any:
    return load_model(f"open-clip:{made.name}{settings}", runtime)


def texts_of(made: Made, texts: Sequence[str]) -> documented.Rows:
    """As the library's README has it."""
    import open_clip
    import torch

    model, _ = open_clip.create_model_from_pretrained(made.name)
    tokens = open_clip.get_tokenizer(made.name)(list(texts))
    with torch.no_grad():
        return documented.rows(model.eval().encode_text(tokens, normalize=False))


def pictures_of(made: Made, shown: Sequence[Any]) -> documented.Rows:
    import open_clip
    import torch

    model, preprocess = open_clip.create_model_from_pretrained(made.name)
    with torch.no_grad():
        pixels = torch.stack([preprocess(picture) for picture in shown])
        return documented.rows(model.eval().encode_image(pixels, normalize=False))


def encoded(encoder: Any, items: Sequence[Item], size: int) -> documented.Rows:
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    return np.concatenate(
        [encoder.encode([encoder.prepare(item) for item in batch], role="query") for batch in batches]
    )


def fitting(made: Made, files: Sequence[Path]) -> list[Path]:
    """CoCa's fixture keeps the longer edge: of a line of one pixel nothing would be left."""
    return [file for file in files if "coca" not in made.name or file.name not in {"tall.png", "wide.png"}]


def test_texts_of_twenty_languages(made: Made) -> None:
    encoder = opened(made)
    wanted = texts_of(made, TEXTS)
    items = [Item(str(n), text=text) for n, text in enumerate(TEXTS)]
    for size in (1, 7, len(items)):
        np.testing.assert_allclose(encoded(encoder, items, size), wanted, **CLOSE)
    np.testing.assert_allclose(encoded(encoder, items[::-1], 5)[::-1], wanted, **CLOSE)
    assert wanted.shape == (len(TEXTS), encoder.dimensions)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell texts apart"
    longer = {"siglip": 2}  # letters are its pieces, and the line of capitals has 26
    name = made.folder.name
    told = f"{4 * longer.get(name, 1)} of {4 * len(TEXTS)} texts cut at {CUT[name]} tokens"
    assert encoder.told()[0] == told, "each of four times"
    assert encoder.told() == []


def test_pictures_of_every_kind(made: Made, files: list[Path]) -> None:
    encoder = opened(made)
    shown = fitting(made, files)
    items = [Item(file.name, image=file) for file in shown]
    wanted = pictures_of(made, [load_image(file, item="") for file in shown])
    for size in (1, 4, len(items)):
        np.testing.assert_allclose(encoded(encoder, items, size), wanted, **CLOSE)
    np.testing.assert_allclose(encoded(encoder, items[::-1], 3)[::-1], wanted, **CLOSE)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell pictures apart"


def test_both_kinds_in_one_batch_and_threads_that_share_a_tokenizer(made: Made, files: list[Path]) -> None:
    encoder = opened(made)
    items = [
        Item("t", text="apple"),
        Item("p", image=files[0]),
        Item("u", text="pear"),
        Item("q", image=files[1]),
    ]
    alone = np.concatenate([encoded(encoder, [item], 1) for item in items])
    np.testing.assert_allclose(encoded(encoder, items, 4), alone, **CLOSE)
    many = [Item(str(n), text=text) for n, text in enumerate(TEXTS * 3)]
    with ThreadPoolExecutor(4) as pool:
        prepared = list(pool.map(encoder.prepare, many))
    np.testing.assert_array_equal(
        encoder.encode(prepared, role="corpus"),
        encoder.encode([encoder.prepare(one) for one in many], role="query"),
    )


def test_unknown_pieces_are_told_where_the_vocabulary_has_none(tmp_path: Path) -> None:
    encoder = opened(FOLDERS["siglip"](tmp_path / "siglip"))
    encoder.prepare(Item("a", text="apple"))
    assert encoder.told() == []
    encoder.prepare(Item("b", text="ab \N{CHEROKEE LETTER A}"))
    encoder.prepare(Item("c", text="apple " * 9))
    assert encoder.told() == [
        "1 of 2 texts cut at 24 tokens",
        "1.7 % of the pieces of 2 texts are unknown to the tokenizer",
    ]


def test_emoji_equals_a_loop_by_hand(tmp_path: Path) -> None:
    made = make_clip(tmp_path / "clip")
    asked = ("emoji", "-m", f"open-clip:{made.name}", "-t", "i2t,t2i", "-l", "en", "--limit", 60, "-b", 7)
    result = ran(tmp_path / "run", *asked)
    data = BENCHMARK.open(None, {}).limited(60)
    assert {cell.task for cell in result.cells} == {"i2t", "t2i"}
    for cell in result.cells:
        split = data.split(cell.task, "en", PLAIN)
        sides = [
            pictures_of(made, [load_image(item.image, item=item.id) for item in side if item.image])
            if side[0].image
            else texts_of(made, [str(item.text) for item in side])
            for side in (split.queries, split.corpus)
        ]
        wanted = by_hand(*sides, split)
        got = {score.measure: score.value for score in cell.scores}
        assert {measure: got[measure] for measure in wanted} == pytest.approx(wanted, abs=1e-12)
        assert 0 < wanted["mrr"] < 1


def test_a_video_is_the_mean_of_its_frames(tmp_path: Path) -> None:
    made = make_clip(tmp_path / "clip")
    assert "video" not in opened(made).modalities
    encoder = opened(made, settings="#frames=3")
    assert encoder.modalities == {"text", "image", "video"}
    file = write_clip(tmp_path / "clip.mp4", range(0, 250, 25))
    frames = load_frames(file, item="v", frames=3)
    wanted = documented.unit(pictures_of(made, frames)).mean(axis=0)
    np.testing.assert_allclose(encoded(encoder, [Item("v", video=file)], 1)[0], wanted, **CLOSE)
    assert "3 frames a video" in encoder.preprocessing
    assert encoder.revision != opened(made, settings="#frames=4").revision


def test_an_architecture_of_the_list_with_a_file_of_weights(tmp_path: Path) -> None:
    """The same weights named three ways give the same vectors, and each has a revision that pins them."""
    import open_clip
    import torch
    from safetensors.torch import load_file

    made = save(tmp_path / "saved", CLIP)
    (tmp_path / "configs").mkdir()
    config = tmp_path / "configs" / "tiny-arch.json"
    config.write_text(json.dumps(CLIP))
    open_clip.add_model_config(config)
    file = made.folder / "open_clip_model.safetensors"
    encoder = load_model(f"open-clip:tiny-arch,{file}")
    np.testing.assert_allclose(
        encoded(encoder, [Item("a", text="apple")], 1), texts_of(made, ["apple"]), **CLOSE
    )
    assert encoder.parameters() == opened(made).parameters() > 1_000_000  # type: ignore[attr-defined]
    pickled = tmp_path / "weights@2.pt"
    torch.save(load_file(file), pickled)
    again = load_model(f"open-clip:tiny-arch,{pickled}", Runtime(pickle_weights=True))
    np.testing.assert_array_equal(
        encoded(again, [Item("a", text="apple")], 1), encoded(encoder, [Item("a", text="apple")], 1)
    )
    assert again.revision != encoder.revision
    assert again.parameters() is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(("dtype", "least"), [("bf16", 0.99), ("fp16", 0.9999)])
def test_half_precision_is_near_and_another_revision(
    made: Made, files: list[Path], dtype: Any, least: float
) -> None:
    items = [Item(text, text=text) for text in TEXTS[:5]]
    items += [Item(file.name, image=file) for file in files[:3]]
    exact, half = opened(made), opened(made, Runtime(dtype=dtype))
    near = documented.unit(encoded(exact, items, 8)) * documented.unit(encoded(half, items, 8))
    assert least < near.sum(axis=1).min() < 1
    assert exact.revision != half.revision


def test_the_revision_pins_weights_and_preprocessing(made: Made, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made.folder, copy)
    same = Made(copy, f"local-dir:{copy}")
    first = opened(made)
    if first._source.tokenizer is None:
        assert opened(same).revision == first.revision
    (copy / "README.md").write_text("---\nlanguage: [de, fr]\nlicense: mit\n---\n")
    assert opened(same).languages == {"de", "fr"}
    before = opened(same).revision
    document = json.loads((copy / "open_clip_config.json").read_bytes())
    document["preprocess_cfg"] = {"mean": [0, 0, 0]}
    (copy / "open_clip_config.json").write_text(json.dumps(document))
    assert opened(same).revision != before


@pytest.mark.parametrize("name", ["clip", "siglip", "roberta"])
def test_a_repository_of_the_hub(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From this machine's cache: its own tokenizer, or another repository's; pinned by the commit."""
    hub.go_offline(monkeypatch, tmp_path / "hub")
    made = FOLDERS[name](tmp_path / name)
    file = made.folder / "open_clip_config.json"
    document = json.loads(file.read_bytes())
    wanted = texts_of(made, TEXTS[:3])
    text = document["model_cfg"]["text_cfg"]
    if name == "siglip":
        text["hf_tokenizer_name"] = "some/tiny"
    if name == "roberta":
        text |= {"hf_tokenizer_name": "some/tokenizer", "hf_model_name": "some/tower"}
        hub.put(tmp_path / "hub", "some/tokenizer", made.folder)
        hub.put(tmp_path / "hub", "some/tower", made.folder.parent / "roberta-base")
    file.write_text(json.dumps(document))
    hub.put(tmp_path / "hub", "some/tiny", made.folder)
    items = [Item(str(n), text=text) for n, text in enumerate(TEXTS[:3])]
    encoder: Any = load_model("open-clip:hf-hub:some/tiny")
    np.testing.assert_allclose(encoded(encoder, items, 3), wanted, **CLOSE)
    assert (encoder.name, encoder.checkpoint.revision) == ("open-clip:hf-hub:some/tiny", hub.COMMIT)
    pinned: Any = load_model(f"open-clip:hf-hub:some/tiny@{hub.COMMIT}")
    assert pinned.name == f"open-clip:hf-hub:some/tiny@{hub.COMMIT}"
    assert pinned.revision == encoder.revision
