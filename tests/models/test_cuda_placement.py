"""Weights and inputs of every torch family are on the CUDA device together, and only results come back.

No CUDA is needed: the device is pretended (``pretend_cuda.py``), all numbers are real, and the vectors and
captions are those of the processor. What that does not show is said there: kernels, memory, speed. A device
that is there is tried by ``scripts/check_cuda.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils._pytree import tree_leaves

from crossgauge.errors import EnvironmentFault
from crossgauge.models import load_model
from crossgauge.models._torch import halving
from crossgauge.runtime import Dtype, Runtime
from crossgauge.types import Item
from tests.clips import write_pictures
from tests.models import hub, make_captioners, make_sentence
from tests.models import make_transformers as dual
from tests.models.pretend_cuda import CPU, LEFT, There, TwoDevicesError, pretended
from tests.models.test_supported import CAPTIONERS, ENCODERS, made

pytestmark = pytest.mark.filterwarnings(  # PaliGemma's processor, of its own tensors
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
FAMILIES: Mapping[str, Callable[[Path], str]] = {
    **{name: make for name, make in ENCODERS.items() if name != "onnx" and "hub" not in name},
    "m-clip": made("transformers:", dual.make_m_clip),
    "x-clip": made("transformers:", dual.make_x_clip),
    **{f"sentence-transformers {name}": made("sentence-transformers:", make)
       for name, make in make_sentence.FOLDERS.items()},
}  # fmt: skip
WRITERS = {name: make for name, make in CAPTIONERS.items() if "hub" not in name}
WRITERS |= {"git of videos": make_captioners.make_git_video}
KINDS: Mapping[Dtype, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
FLOAT = {  # where the library itself keeps float32 inside: positions, and a part that overflows in float16
    "blip-2": {"fp16"}, "qwen2-vl": {"bf16", "fp16"}, "qwen2.5-vl": {"bf16", "fp16"},
    "qwen3-vl": {"bf16", "fp16"}, "sentence-transformers chat": {"bf16", "fp16"},
}  # fmt: skip
SOME = ("clip", "blip-2", "m-clip", "open_clip clip", "sentence-transformers", "qwen2-vl", "llava")
MOVES = {("blip-2", "a"), ("blip-2", "b")}  # inputs that the library's own code moves
GENERATE_MOVES = {"git", "git of videos", "phi-4-multimodal"}


@dataclass
class Seen:
    """What was handed to modules that have weights, and what they hold."""

    calls: int = 0
    first: list[torch.Tensor] = field(default_factory=list)  # of the outermost calls
    floats: set[torch.dtype] = field(default_factory=set)
    weights: set[torch.dtype] = field(default_factory=set)
    elsewhere: list[str] = field(default_factory=list)
    depth: int = 0

    def call(self, module: Any, *given: Any, **named: Any) -> Any:
        tensors = [one for one in tree_leaves((given, named)) if isinstance(one, torch.Tensor)]
        weights = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
        if next(module.parameters(), None) is not None:
            self.calls += 1
            self.first += tensors if not self.depth else []
            self.floats |= {one.dtype for one in tensors if one.is_floating_point()}
            self.weights |= {one.dtype for one in module.parameters(recurse=False) if one.is_floating_point()}
            apart = [tuple(one.shape) for one in (*tensors, *weights) if not isinstance(one, There)]
            self.elsewhere += [f"{type(module).__name__}: {apart}"] if apart else []
        self.depth += 1
        try:
            return module._call_impl(*given, **named)
        finally:
            self.depth -= 1


@contextmanager
def watched() -> Iterator[Seen]:
    """Every call of a module inside is seen."""
    seen = Seen()

    def call(module: Any, *given: Any, **named: Any) -> Any:  # a function, which is bound to the module
        return seen.call(module, *given, **named)

    with patch.object(torch.nn.Module, "__call__", call):
        yield seen


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(2)
    pictures = [Image.fromarray(rng.integers(0, 256, (40, 56, 3), dtype=np.uint8)) for _ in range(8)]
    pictures[0].save(folder / "picture.png")
    return {"image": folder / "picture.png", "video": write_pictures(folder / "clip.mp4", pictures)}


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The name of a family's checkpoint, which is made once."""
    names: dict[str, str] = {}

    def found(family: str) -> str:
        if family not in names:
            names[family] = FAMILIES[family](tmp_path_factory.mktemp("family") / "model")
        return names[family]

    return found


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub.go_offline(monkeypatch, tmp_path / "hub")


def items_for(model: Any, files: Mapping[str, Path]) -> list[Item]:
    """Two texts of different lengths, a picture, a video: what the model takes of them."""
    texts = [Item("a", text="a red apple"), Item("b", text="green pears, and more of them")]
    shown = [Item("c", image=files["image"]), Item("d", video=files["video"])]
    return [item for item in (*texts, *shown) if item.modalities <= model.modalities]


def vectors(model: Any, items: list[Item]) -> Any:
    return model.encode([model.prepare(item) for item in items], role="query")


@pytest.mark.parametrize("family", FAMILIES)
def test_encoders_calculate_there(family: str, spec: Callable[[str], str], files: Mapping[str, Path]) -> None:
    plain = load_model(spec(family), Runtime(device="cpu"))
    items = items_for(plain, files)
    wanted = vectors(plain, items)
    with pretended(), watched() as seen:
        model = load_model(spec(family), Runtime(device="cuda:0", dtype="fp32"))
        found = vectors(model, items)
        left = LEFT[found.shape[1]]
    with pretended():
        refuses_inputs_left_behind(model, [item for item in items if (family, item.id) not in MOVES])
    assert seen.calls > 0
    assert seen.elsewhere == []
    assert left >= found.size, "what came back are the vectors"
    assert found.shape == wanted.shape
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def refuses_inputs_left_behind(model: Any, items: list[Item]) -> None:
    """The check can fail: the same again with inputs that are not moved."""
    from sentence_transformers.sentence_transformer import model as library

    with ExitStack() as stack:
        for tower in vars(model).get("_towers", {"": model}).values():
            stack.enter_context(patch.object(tower, "device", CPU))
        stack.enter_context(patch.object(library, "batch_to_device", lambda batch, _: batch))
        for item in items:
            with pytest.raises(TwoDevicesError):
                vectors(model, [item])


@pytest.mark.parametrize(
    ("family", "dtype"), [*((name, "bf16") for name in FAMILIES), *((name, "fp16") for name in SOME)]
)
def test_half_precision_there(
    family: str, dtype: Dtype, spec: Callable[[str], str], files: Mapping[str, Path]
) -> None:
    """Weights and floats are of the format, ids stay whole numbers of 64 bits."""
    with pretended(), watched() as seen:
        model = load_model(spec(family), Runtime(device="cuda:0", dtype=dtype))
        found = vectors(model, items_for(model, files))
    assert seen.elsewhere == []
    assert np.isfinite(found).all()
    whole = {torch.int64, torch.bool} | ({torch.int32} if family == "siglip2" else set())  # of its patches
    allowed = {KINDS[dtype], torch.float32} if dtype in FLOAT.get(family, set()) else {KINDS[dtype]}
    assert {one.dtype for one in seen.first} <= allowed | whole
    assert seen.floats <= allowed
    assert seen.weights <= allowed
    assert KINDS[dtype] in seen.weights


def stays(module: Any, *_: Any, **__: Any) -> Any:
    return module


@pytest.mark.parametrize("family", ["clip", "open_clip clip", "llava", "phi-4-multimodal"])
def test_weights_left_behind_are_seen(
    family: str, spec: Callable[[str], str], files: Mapping[str, Path]
) -> None:
    with pretended(), patch.object(torch.nn.Module, "to", stays):
        model = load_model(spec(family), Runtime(device="cuda:0", dtype="fp32"))
        for item in items_for(model, files):
            with pytest.raises(TwoDevicesError):
                vectors(model, [item])


@pytest.mark.parametrize("family", WRITERS)
def test_captioners_write_there(family: str, tmp_path: Path, files: Mapping[str, Path]) -> None:
    made_here = WRITERS[family](tmp_path / "model")
    name = f"caption:transformers:{made_here.folder}#max_new_tokens=2"
    plain: Any = load_model(name, Runtime(device="cpu"))
    shown = "video" if family == "git of videos" else "image"
    items = [Item("a", **{shown: files[shown]}), Item("b", **{shown: files[shown]})]
    items += [Item("c", text="a title", image=files["image"])] if plain.joint else []
    wanted = plain.caption([plain.prepare(item) for item in items], language="en")
    with pretended(), watched() as seen:
        model: Any = load_model(name, Runtime(device="cuda:0", dtype="fp32"))
        assert model.caption([model.prepare(item) for item in items], language="en") == wanted
        assert seen.calls > 3, "a step for each token"
        assert seen.elsewhere == []
        assert sum(LEFT.values()) > 0
    if family not in GENERATE_MOVES:
        model.device = CPU
        with pretended(), pytest.raises(TwoDevicesError):
            model.caption([model.prepare(items[0])], language="en")


@pytest.mark.parametrize("family", ["blip", "llava", "qwen2-vl", "phi-4-multimodal"])
def test_captioners_write_in_half_precision_there(
    family: str, tmp_path: Path, files: Mapping[str, Path]
) -> None:
    name = f"caption:transformers:{WRITERS[family](tmp_path / 'model').folder}#max_new_tokens=2"
    item, half = Item("a", image=files["image"]), {}
    for where in ("cpu", "cuda:0"):
        with pretended(), watched() as seen:
            model: Any = load_model(name, Runtime(device=where, dtype="bf16"))
            half[where] = model.caption([model.prepare(item)], language="en")
    assert half["cuda:0"] == half["cpu"]
    assert seen.elsewhere == []
    assert torch.bfloat16 in seen.floats


def test_drawn_captions_leave_the_devices_random_numbers_as_they_were(
    tmp_path: Path, files: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_captioners.make_llava(tmp_path / "model").folder
    kept: list[object] = []
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: kept.append(device) or "state")
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, device: kept.append((state, device)))
    with pretended():
        name = f"caption:transformers:{folder}#max_new_tokens=3,do_sample=true,seed=3"
        model: Any = load_model(name, Runtime(device="cuda:0"))
        items = [Item("a", image=files["image"])] * 2
        one, other = model.caption([model.prepare(item) for item in items], language="en")
    assert one == other
    assert kept == [torch.device("cuda:0"), ("state", torch.device("cuda:0"))] * 2


def test_convolutions_of_float32_multiply_float32_on_cuda(spec: Callable[[str], str]) -> None:
    assert torch.backends.cudnn.allow_tf32, "torch's default"
    with pretended():
        load_model(spec("clip"), Runtime(device="cuda:0"))
        assert not torch.backends.cudnn.allow_tf32
    load_model(spec("clip"), Runtime(device="cpu"))
    assert torch.backends.cudnn.allow_tf32


@pytest.mark.parametrize("family", ["clip", "open_clip clip", "llava", "sentence-transformers"])
def test_weights_that_do_not_fit_are_an_error_of_the_machine(
    family: str, spec: Callable[[str], str], files: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(module: Any, *given: Any, **named: Any) -> Any:
        if "cuda" in str((given, named)):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.\nMore words")
        return module

    with pretended():
        model = load_model(spec(family), Runtime(device="cuda:0"))
        monkeypatch.setattr(torch.nn.Module, "to", full)
        with pytest.raises(
            EnvironmentFault, match=r"^E610 model .*weights .*: CUDA out of memory[^\n]*GiB\."
        ):
            vectors(model, items_for(model, files)[-1:])


def test_memory_of_a_batch_that_failed_is_free_before_it_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import weakref

    alive: list[Any] = []
    when_freed: list[bool] = []

    def forward(some: Any) -> Any:
        tensor = torch.ones(len(some))
        alive.append(weakref.ref(tensor))
        if len(some) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return tensor.numpy()[:, None]

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: when_freed.append(alive[-1]() is None))
    assert halving.Halving("m").run([1, 2], forward).shape == (2, 1)
    assert when_freed == [True]
