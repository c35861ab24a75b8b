"""Videos: X-CLIP's own clips, and the mean of frames for models of pictures; vectors and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.benchmark import Benchmark, Prompt, Task
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.models._torch.frames import mean_of_frames
from crossgauge.types import Encoder, Item, Qrels, Split
from crossgauge.video import load_frames
from tests.clips import write_pictures
from tests.models import documented
from tests.models.make_transformers import Made, make_clip, make_x_clip, names
from tests.models.texts import EVERY

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
CLIPS = 6


@pytest.fixture(scope="module")
def x_clip(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_x_clip(tmp_path_factory.mktemp("checkpoint") / "x-clip")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_clip(tmp_path_factory.mktemp("checkpoint") / "clip")


def shown(path: Path, frames: int) -> list[Image.Image]:
    return load_frames(path, item="", frames=frames)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Clips of twelve frames, each of other colours."""
    folder, rng = tmp_path_factory.mktemp("clips"), np.random.default_rng(5)
    found = []
    for n in range(CLIPS):
        blocks = [Image.fromarray(rng.integers(0, 256, (3, 4, 3), dtype=np.uint8)) for _ in range(12)]
        found.append(write_pictures(folder / f"{n}.mp4", [block.resize((64, 48), 0) for block in blocks]))
    return found


def clip_vectors(made: Made, files: list[Path], frames: int) -> documented.Rows:
    """As the model card does it, one clip at a time."""
    import torch

    model, processor = documented.loaded(made)
    found = []
    for file in files:
        inputs = processor(videos=shown(file, frames), return_tensors="pt")
        with torch.no_grad():
            found.append(documented.rows(model.get_video_features(**inputs)))
    return np.concatenate(found)


def test_clips_and_texts_equal_the_documented_calls(x_clip: Made, clips: list[Path]) -> None:
    encoder = load_model(f"transformers:{x_clip.folder}")
    assert isinstance(encoder, Encoder)
    assert encoder.modalities == {"text", "video"}
    wanted = clip_vectors(x_clip, clips, 4)
    prepared = [encoder.prepare(Item(file.name, video=file)) for file in clips]
    np.testing.assert_allclose(encoder.encode(prepared, role="corpus"), wanted, **CLOSE)
    alone = np.concatenate([encoder.encode([one], role="corpus") for one in prepared[::-1]])
    np.testing.assert_allclose(alone[::-1], wanted, **CLOSE)
    got = encoder.encode([encoder.prepare(Item(text, text=text)) for text in EVERY], role="query")
    np.testing.assert_allclose(got, documented.texts_of("x-clip", x_clip, EVERY), **CLOSE)
    told = encoder.told()  # type: ignore[attr-defined]
    assert f"1 of {len(EVERY)} texts cut at 77 tokens" in told
    assert wanted.std(axis=0).min() > 1e-3
    assert "video-specific prompts" in told[0]


def test_its_number_of_frames_is_fixed(x_clip: Made) -> None:
    load_model(f"transformers:{x_clip.folder}#frames=4")
    with pytest.raises(UsageError, match=r"E412 .*frames=8; wanted frames=4, as it was trained"):
        load_model(f"transformers:{x_clip.folder}#frames=8")


def test_models_of_pictures_take_videos_where_frames_are_asked_for(clip: Made, clips: list[Path]) -> None:
    plain = load_model(f"transformers:{clip.folder}")
    framed = load_model(f"transformers:{clip.folder}#frames=3")
    assert isinstance(framed, Encoder)
    assert "video" not in plain.modalities
    assert framed.modalities == {"text", "image", "video"}
    assert plain.revision != framed.revision
    frames = [documented.pictures_of("clip", clip, shown(file, 3)) for file in clips]
    wanted = np.stack([documented.unit(each).mean(axis=0) for each in frames])
    picture = clips[0].with_name("picture.png")
    shown(clips[0], 1)[0].save(picture)
    items = [*(Item(file.name, video=file) for file in clips), Item("p", image=picture)]
    got = framed.encode([framed.prepare(item) for item in items], role="corpus")
    np.testing.assert_allclose(got[:-1], wanted, **CLOSE)
    still = documented.pictures_of("clip", clip, shown(clips[0], 1))
    np.testing.assert_allclose(got[-1:], still, **CLOSE)


def test_a_video_too_large_for_one_batch_is_halved_inside(
    clip: Made, clips: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import CLIPModel

    framed = load_model(f"transformers:{clip.folder}#frames=5")
    assert isinstance(framed, Encoder)
    prepared = [framed.prepare(Item(file.name, video=file)) for file in clips[:2]]
    whole = framed.encode(prepared, role="corpus")
    asked = CLIPModel.get_image_features
    sizes = []

    def small(self: Any, pixel_values: Any) -> Any:
        sizes.append(len(pixel_values))
        if len(pixel_values) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return asked(self, pixel_values=pixel_values)

    monkeypatch.setattr(CLIPModel, "get_image_features", small)
    np.testing.assert_allclose(framed.encode(prepared, role="corpus"), whole, **CLOSE)
    assert sizes == [10, 5, 2, 2, 2, 2, 2]
    assert framed.told() == [  # type: ignore[attr-defined]
        "out of memory with 10 items at once; now 5", "out of memory with 5 items at once; now 2",
    ]  # fmt: skip


def test_a_text_and_a_picture_in_one_item_are_two_inputs(clip: Made, clips: list[Path]) -> None:
    encoder = load_model(f"transformers:{clip.folder}")
    with pytest.raises(InputError, match=r"E401 item both: it holds image\+text"):
        encoder.prepare(Item("both", text="a bee", image=clips[0]))


def test_the_mean_of_frames_counts_each_direction_alike() -> None:
    rows = np.float32([[10, 0], [0, 1], [0, 0], [3, 4]])
    assert mean_of_frames(rows, [2, 1, 1]).tolist() == [[0.5, 0.5], [0.0, 0.0], [3.0, 4.0]]
    assert mean_of_frames(rows[1:3], [2]).tolist() == [[0.0, 0.5]]


class Clips:
    """Each clip is called by one name."""

    fingerprint = "sha256:clips"
    findings: tuple[Fault, ...] = ()

    def __init__(self, files: list[Path]) -> None:
        self.videos = tuple(Item(f"v{n}", video=file) for n, file in enumerate(files))
        self.names = tuple(Item(f"t{n}", text=names()[n], lang="en") for n in range(len(files)))

    def languages(self, task: str) -> tuple[str, ...]:
        return ("en",)

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        return Split(self.names, self.videos, Qrels.diagonal(len(self.videos)))

    def limited(self, n: int) -> Clips:
        return self

    def facts(self) -> Mapping[str, str]:
        return {}

    def media(self) -> tuple[Item, ...]:
        return self.videos

    def texts(self) -> tuple[Item, ...]:
        return self.names


@pytest.mark.parametrize("settings", ["", "#frames=2"])
def test_retrieval_of_clips_equals_a_loop_by_hand(
    settings: str, x_clip: Made, clip: Made, clips: list[Path]
) -> None:
    made = clip if settings else x_clip
    data = Clips(clips)
    task = Task("t2v", "text", "video", ("hit@1", "mrr", "medr"))
    benchmark = Benchmark(
        name="clips", title="Clips", version="1", description="", citation="", licence="", tasks=(task,),
        open=lambda *_: data, sample=print, needs_data=False, data_help="",
    )  # fmt: skip
    cell = evaluate(benchmark, load_model(f"transformers:{made.folder}{settings}")).cells[0]
    if settings:
        frames = [documented.pictures_of("clip", made, shown(file, 2)) for file in clips]
        videos = np.stack([documented.unit(each).mean(axis=0) for each in frames])
    else:
        videos = clip_vectors(made, clips, 4)
    texts = documented.texts_of("x-clip", made, [str(item.text) for item in data.names])
    scores = documented.unit(texts) @ documented.unit(videos).T
    places = [1 + int((row > row[n]).sum()) for n, row in enumerate(scores)]
    wanted = {"hit@1": np.mean([place == 1 for place in places]), "medr": np.median(places),
              "mrr": np.mean([1 / place for place in places])}  # fmt: skip
    assert {score.measure: score.value for score in cell.scores} == pytest.approx(wanted)
