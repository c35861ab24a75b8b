"""``-b auto`` on a device too small for it: every torch family halves, says so, and scores what it scored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.models import load_model
from crossgauge.types import Item
from tests.clips import write_clip
from tests.models import make_captioners, make_open_clip, make_sentence, make_vlm2vec, pictures
from tests.models import make_transformers as dual
from tests.models.command import ran
from tests.models.make_transformers import names
from tests.unit.test_embeddings import Noting

MOST = 4  # rows that the small device has room for; X-CLIP's clips have four frames
VOCABULARY = 150  # tables of positions are smaller
pytestmark = pytest.mark.filterwarnings(  # PaliGemma's processor, of its own tensors
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)


def made(prefix: str, make: Callable[[Path], Any]) -> Callable[[Path], str]:
    return lambda folder: f"{prefix}{getattr(found := make(folder), 'folder', found)}"


TOWERS: dict[str, Callable[[Path], str]] = {
    **{name: made("transformers:", make) for name, make in dual.PICTURES.items()},
    **{f"open_clip {name}": made("open-clip:local-dir:", make_open_clip.FOLDERS[name])
       for name in ("clip", "coca", "roberta")},
    "sentence-transformers": made("sentence-transformers:", make_sentence.make_pictures),
}  # fmt: skip
TEXTS_ALONE = {"m-clip": made("transformers:", dual.make_m_clip)} | {
    f"sentence-transformers {name}": made("sentence-transformers:", make_sentence.FOLDERS[name])
    for name in ("bert", "multilingual", "router")
}
CAPTIONERS: dict[str, Callable[[Path], Any]] = {
    **make_captioners.PLAIN, **make_captioners.CHATS, "smolvlm": make_vlm2vec.make_smolvlm,
}  # fmt: skip


@contextmanager
def little_memory(*, pictures: bool) -> Iterator[None]:
    """A device that holds few texts at once and, where ``pictures``, few pictures: the error is CUDA's."""
    import torch

    def look(module: Any, inputs: tuple[Any, ...]) -> None:
        if not inputs or not torch.is_tensor(inputs[0]):
            return
        read = isinstance(module, torch.nn.Embedding) and module.num_embeddings > VOCABULARY
        seen = pictures and isinstance(module, torch.nn.Conv2d | torch.nn.Linear)
        axes = 2 if read else 3  # (texts, pieces); (pictures, patches, width) or (pictures, 3, height, width)
        if (read or seen) and inputs[0].ndim >= axes and len(inputs[0]) > MOST:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    hook = torch.nn.modules.module.register_module_forward_pre_hook(look)
    try:
        yield
    finally:
        hook.remove()


@pytest.mark.parametrize("family", [*TOWERS, *make_vlm2vec.FAMILIES])
def test_scores_of_a_command_are_the_same_bytes(
    family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    embedder = family in make_vlm2vec.FAMILIES
    build = made("vlm2vec:", make_vlm2vec.FAMILIES[family]) if embedder else TOWERS[family]
    asked = ("emoji", "-m", build(tmp_path / "model"), "-t", "i2t", "-l", "en", "--limit", 10, "-b", "auto")
    ran(tmp_path / "large", *asked, "--no-cache")
    assert "out of memory" not in capsys.readouterr().err
    with little_memory(pictures=not embedder):
        ran(tmp_path / "small", *asked, "--no-cache")
    said = capsys.readouterr().err
    assert "out of memory with" in said
    assert "; now 2" in said
    large, small = ((tmp_path / name / "scores.json").read_bytes() for name in ("large", "small"))
    assert small == large


@pytest.mark.parametrize("family", TEXTS_ALONE)
def test_towers_of_texts_alone(family: str, tmp_path: Path) -> None:
    spec, items = TEXTS_ALONE[family](tmp_path / "model"), [Item(name, text=name) for name in names()]
    assert told_of_same_vectors(spec, items) == ["out of memory with"]


def test_clips(tmp_path: Path) -> None:
    """Whose frames are halved no further than one clip."""
    files = [write_clip(tmp_path / f"{n}.mp4", range(n * 20, 250, 25)) for n in range(3)]
    spec = f"transformers:{dual.make_x_clip(tmp_path / 'model').folder}"
    clips = [Item(file.name, video=file) for file in files]
    assert told_of_same_vectors(spec, clips) == ["out of memory with"]


def told_of_same_vectors(spec: str, items: list[Item]) -> list[str]:
    """What was told of halving, once; its vectors are the same to the tolerance that is stated."""
    import numpy as np

    wanted, told = encode_items(load_model(spec), items, role="query"), Noting()  # type: ignore[arg-type]
    with little_memory(pictures=True):
        found = encode_items(load_model(spec), items, role="query", progress=told)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.vectors, wanted.vectors, rtol=1e-5, atol=1e-5)
    return sorted({found[0] for note in told.notes if (found := re.search("out of memory with", note))})


@pytest.mark.parametrize("family", CAPTIONERS)
def test_captions(family: str, tmp_path: Path) -> None:
    spec = f"caption:transformers:{CAPTIONERS[family](tmp_path / 'model').folder}#max_new_tokens=5"
    files = pictures.of_every_kind(tmp_path)
    items = [Item(name, image=files[name]) for name in files if name not in {"wide.png", "tall.png"}]
    wanted, told = caption_items(load_model(spec), items, language="en"), Noting()  # type: ignore[arg-type]
    with little_memory(pictures=False):
        found = caption_items(load_model(spec), items, language="en", progress=told)  # type: ignore[arg-type]
    assert found == wanted
    assert any("out of memory with" in note for note in told.notes)
