"""What a model says of itself, its settings, and what it tells of texts that it cut or could not read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.embeddings import encode_items
from crossgauge.errors import UsageError
from crossgauge.media import load_image
from crossgauge.models import describe, load_model
from crossgauge.models._transformers.encoder import TransformersEncoder
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from tests.models import documented, pictures
from tests.models.make_transformers import Made, make_align, make_blip_2, make_clip, make_siglip, names

CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_clip(tmp_path_factory.mktemp("checkpoint") / "clip")


@pytest.fixture(scope="module")
def align(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_align(tmp_path_factory.mktemp("checkpoint") / "align")


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return pictures.of_every_kind(tmp_path)["rgb.png"]


def opened(made: Made, settings: str = "", **runtime: Any) -> TransformersEncoder:
    found = load_model(f"transformers:{made.folder}{settings}", Runtime(**runtime))
    assert isinstance(found, TransformersEncoder)
    return found


def texts(encoder: TransformersEncoder, *given: str) -> documented.Rows:
    return vectors(encoder, *(Item(text, text=text) for text in given))


def vectors(encoder: TransformersEncoder, *items: Item) -> documented.Rows:
    return encoder.encode([encoder.prepare(item) for item in items], role="query")


def test_making_one_reads_no_weights(clip: Made, tmp_path: Path) -> None:
    folder = tmp_path / "no-weights"
    folder.mkdir()
    for file in clip.folder.iterdir():
        if file.suffix == ".json":
            (folder / file.name).write_bytes(file.read_bytes())
    (folder / "model.safetensors").write_bytes(b"")
    encoder = opened(Made(folder, "", ""))
    assert encoder.dimensions == 16
    assert encoder.prepare(Item("a", text="a bee")).tokens is not None


def test_what_it_says_of_itself(clip: Made) -> None:
    (clip.folder / "README.md").write_text("---\nlicense: mit\nlanguage:\n- en\n- de\n---\n# A model\n")
    encoder = opened(clip)
    from transformers import CLIPModel

    whole = CLIPModel.from_pretrained(clip.folder)
    assert encoder.parameters() == sum(weights.numel() for weights in whole.parameters())
    assert encoder.name == f"transformers:{clip.folder}"
    assert encoder.languages == {"en", "de"}
    assert encoder.preprocessing == (
        "CLIPImageProcessor (torchvision); CLIPTokenizer, padded to the longest of a batch, cut at 77 tokens"
    )
    assert describe("transformers").startswith("a dual encoder of the transformers library")
    (clip.folder / "README.md").unlink()


def test_the_revision_pins_settings_format_and_files(clip: Made, tmp_path: Path) -> None:
    revisions = {
        opened(clip, settings, **runtime).revision
        for settings, runtime in [
            ("", {}), ("#context=20", {}), ("#frames=2", {}), ("#backend=pil", {}), ("", {"dtype": "bf16"}),
        ]
    }  # fmt: skip
    assert len(revisions) == 5
    assert opened(clip).revision == opened(clip, compile=True, device="cpu").revision
    copy = Made(tmp_path / "elsewhere", "", "")
    shutil.copytree(clip.folder, copy.folder)
    assert opened(copy).revision == opened(clip).revision
    config = copy.folder / "preprocessor_config.json"
    config.write_text(config.read_text().replace('"do_center_crop": true', '"do_center_crop": false'))
    assert opened(copy).revision != opened(clip).revision


def test_texts_cut_are_counted_and_context_cuts_earlier(clip: Made) -> None:
    encoder = opened(clip)
    rows = texts(encoder, "x" * 75, "x" * 76, "x" * 77)
    assert encoder.told() == ["2 of 3 texts cut at 77 tokens"]
    assert encoder.told() == []
    np.testing.assert_allclose(rows[1], rows[2], **CLOSE)
    assert not np.allclose(rows[0], rows[1])
    short = opened(clip, "#context=7")
    assert short.preprocessing.endswith("cut at 7 tokens")
    np.testing.assert_allclose(texts(short, "a b c d e f g"), texts(encoder, "a b c d e"), **CLOSE)
    assert short.told() == ["1 of 1 texts cut at 7 tokens"]
    with pytest.raises(UsageError, match=r"E412 .*context=78; wanted a whole number from 2 to 77"):
        opened(clip, "#context=78")


def test_pieces_that_the_vocabulary_lacks_are_counted(align: Made, clip: Made) -> None:
    encoder = opened(align)
    texts(encoder, "apple", "ह", "ह ह")
    pieces = 5 + 1 + 2  # of which the marks around each text are none
    share = f"{100 * 3 / pieces:.1f} % of the pieces of 3 texts are unknown to the tokenizer"
    assert encoder.told() == [share]
    bytes_only = opened(clip)
    texts(bytes_only, "ह", "")
    assert bytes_only.told() == []


def test_siglip_pads_to_its_context_and_lowers_case(tmp_path: Path) -> None:
    encoder = opened(make_siglip(tmp_path / "siglip"))
    prepared = [encoder.prepare(Item(text, text=text)) for text in ("A Red APPLE!", "a red apple")]
    assert prepared[0] == prepared[1]
    batch = encoder._texts.batch([one.tokens for one in prepared if one.tokens is not None])
    assert batch["input_ids"].shape == (2, 64)
    assert "padded to 64 tokens" in encoder.preprocessing


def test_blip_2_says_that_one_vector_stands_for_many(tmp_path: Path, picture: Path) -> None:
    made = make_blip_2(tmp_path / "blip-2")
    mean, first = opened(made), opened(made, "#queries=first")
    rows = [one.encode([one.prepare(Item("p", image=picture))], role="corpus") for one in (mean, first)]
    assert not np.allclose(*rows)
    assert "here their mean counts" in mean.told()[0]
    assert mean.told() == []
    assert "here their first counts" in first.told()[0]
    with pytest.raises(UsageError, match=r"E412 .*queries=last; wanted one of: mean, first"):
        opened(made, "#queries=last")


def test_a_setting_of_another_family_is_refused(clip: Made) -> None:
    with pytest.raises(UsageError, match=r"E412 .*queries, which CLIP does not have; wanted one of: backend"):
        opened(clip, "#queries=mean")
    with pytest.raises(UsageError, match=r"E412 .*'size=3'"):
        opened(clip, "#size=3")
    with pytest.raises(UsageError, match=r"E412 model transformers:: the argument None"):
        load_model("transformers")


@pytest.mark.parametrize(("lacking", "left"), [("tokenizer", "image"), ("preprocessor", "text")])
def test_a_tower_without_the_other_works(
    clip: Made, tmp_path: Path, lacking: str, left: str, picture: Path
) -> None:
    folder = tmp_path / "tower"
    folder.mkdir()
    for file in clip.folder.iterdir():
        if not file.name.startswith(lacking):
            (folder / file.name).write_bytes(file.read_bytes())
    encoder, whole = opened(Made(folder, "", "")), opened(clip)
    assert encoder.modalities == {left}
    item = Item("a", text="a bee") if left == "text" else Item("a", image=picture)
    np.testing.assert_array_equal(
        *(one.encode([one.prepare(item)], role="query") for one in (encoder, whole))
    )


def test_pillow_resizes_where_it_is_asked_to(clip: Made, tmp_path: Path) -> None:
    from transformers import AutoImageProcessor, CLIPModel

    files = list(pictures.of_every_kind(tmp_path).values())
    decoded = [load_image(file, item="") for file in files]
    encoder = opened(clip, "#backend=pil")
    assert encoder.preprocessing.startswith("CLIPImageProcessorPil (pil)")
    rows = encoder.encode([encoder.prepare(Item(file.name, image=file)) for file in files], role="corpus")
    processor = AutoImageProcessor.from_pretrained(clip.folder, backend="pil")
    inputs = processor(images=decoded, return_tensors="pt")
    model = CLIPModel.from_pretrained(clip.folder).eval()
    wanted = documented.rows(model.get_image_features(**inputs).pooler_output.detach())
    np.testing.assert_allclose(rows, wanted, **CLOSE)
    assert not np.allclose(rows, documented.pictures_of("clip", clip, decoded))


WITHOUT_TORCHVISION = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.startswith("torchvision") else found(name, *more)
from pathlib import Path
from crossgauge.models import load_model
from crossgauge.types import Item
model = load_model(f"transformers:{sys.argv[1]}")
print(model.preprocessing)
print(model.encode([model.prepare(Item("p", image=Path(sys.argv[2])))], role="corpus").tolist())
assert "torchvision" not in sys.modules
"""


def test_without_torchvision_pillow_resizes(clip: Made, picture: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_TORCHVISION, str(clip.folder), str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said, rows = done.stdout.splitlines()
    assert said.startswith("CLIPImageProcessorPil (pil)")
    encoder = opened(clip, "#backend=pil")
    wanted = encoder.encode([encoder.prepare(Item("p", image=picture))], role="corpus")
    np.testing.assert_allclose(json.loads(rows), wanted, **CLOSE)


def test_threads_prepare_what_one_thread_prepares(align: Made, tmp_path: Path) -> None:
    items = [Item(str(n), text=name * (n % 9 + 1)) for n, name in enumerate(names() * 10)]
    items += [Item(file.name, image=file) for file in pictures.of_every_kind(tmp_path).values()]
    alone, shared = opened(align), opened(align)
    wanted = [alone.prepare(item) for item in items]
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(shared.prepare, items))
    assert [one.tokens for one in got] == [one.tokens for one in wanted]
    assert shared.told() == alone.told() != []
    rows = encode_items(shared, items, role="query", batch_size=16, workers=4).vectors
    np.testing.assert_allclose(rows, alone.encode(wanted, role="query"), **CLOSE)


def test_compiled_models_give_the_same(clip: Made, monkeypatch: pytest.MonkeyPatch, picture: Path) -> None:
    import torch

    compiled: list[str] = []

    def compile_eagerly(call: Callable[..., Any]) -> Any:
        compiled.append(call.__name__)
        return asked(call, backend="eager")

    asked = torch.compile
    monkeypatch.setattr(torch, "compile", compile_eagerly)
    items = [Item("t", text="a red apple"), Item("p", image=picture)]
    rows = [vectors(encoder, *items) for encoder in (opened(clip), opened(clip, compile=True))]
    assert compiled == ["text", "picture"]
    np.testing.assert_allclose(*rows, **CLOSE)


def test_loading_says_nothing(clip: Made, capfd: pytest.CaptureFixture[str]) -> None:
    encoder = opened(clip)
    texts(encoder, "a bee", "long " * 100)
    assert re.sub(r"\s", "", "".join(capfd.readouterr())) == ""
