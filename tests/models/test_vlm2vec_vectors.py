"""Vectors of vision-language models are those of the documented call, one item at a time, in any batch."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.models import load_model
from crossgauge.models._vlm2vec.batches import Inputs, batch_of, together
from crossgauge.models._vlm2vec.encoder import Prepared, Vlm2Vec
from crossgauge.models._vlm2vec.families import Side
from crossgauge.types import Item
from tests.models import pictures
from tests.models.documented_vlm2vec import Documented
from tests.models.make_transformers import names
from tests.models.make_vlm2vec import FAMILIES, make_phi4_multimodal, make_qwen2_vl
from tests.models.texts import ODD

CLOSE = 1e-5  # of a vector's length
pytestmark = pytest.mark.filterwarnings(  # PaliGemma's processor, of its own tensors
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
TOO_LONG = {"wide.png", "tall.png"}  # 300 times as long as wide: Qwen's processor takes 200


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Documented:
    name = str(request.param)
    return Documented(FAMILIES[name](tmp_path_factory.mktemp("checkpoint") / name))


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented(make_qwen2_vl(tmp_path_factory.mktemp("checkpoint") / "qwen"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return pictures.of_every_kind(tmp_path_factory.mktemp("pictures"))


def opened(documented: Documented, settings: str = "") -> Vlm2Vec:
    found = load_model(f"vlm2vec:{documented.tiny.folder}{settings}")
    assert isinstance(found, Vlm2Vec)
    return found


def items_of(documented: Documented, files: dict[str, Path]) -> list[Item]:
    """Texts in twenty languages, pictures of every kind, and both, one after another."""
    taken = [(name, file) for name, file in files.items()
             if not ("Qwen" in documented.tiny.model and name in TOO_LONG)]  # fmt: skip
    texts = [Item(f"text {n}", text=text) for n, text in enumerate((*names(), *ODD[:4]))]
    shown = [Item(name, image=file) for name, file in taken]
    both = [Item(f"both {name}", text=f"What is in {name}?", image=file) for name, file in taken[:5]]
    return [item for some in itertools.zip_longest(texts, shown, both) for item in some if item is not None]


def encoded(encoder: Vlm2Vec, items: Sequence[Item]) -> npt.NDArray[np.float32]:
    return in_batches(encoder, [encoder.prepare(item) for item in items], len(items))


def in_batches(encoder: Vlm2Vec, prepared: Sequence[Prepared], size: int) -> npt.NDArray[np.float32]:
    batches = [prepared[at : at + size] for at in range(0, len(prepared), size)]
    return np.concatenate([encoder.encode(batch, role="query") for batch in batches])


def off(got: npt.NDArray[np.floating[Any]], wanted: npt.NDArray[np.floating[Any]]) -> float:
    """How far the worst row is from the one wanted, in lengths of that one."""
    got, wanted = np.atleast_2d(got), np.atleast_2d(wanted)
    assert got.shape == wanted.shape
    return float((np.linalg.norm(got - wanted, axis=1) / np.linalg.norm(wanted, axis=1)).max())


@pytest.fixture(scope="module")
def wanted(family: Documented, files: dict[str, Path]) -> npt.NDArray[np.float32]:
    return np.stack([family.row(item) for item in items_of(family, files)])


@pytest.mark.parametrize("side", ["left", "right"])
def test_any_batch_and_any_side_of_padding(
    family: Documented, files: dict[str, Path], wanted: npt.NDArray[np.float32], side: str
) -> None:
    items = items_of(family, files)
    encoder = opened(family, f"#padding={side}")
    assert encoder.dimensions == wanted.shape[1]
    prepared = [encoder.prepare(item) for item in items]
    for size in (5, len(items), *([1] if side == "right" else [])):
        got = in_batches(encoder, prepared, size)
        assert off(got, wanted) < CLOSE, f"batches of {size}"
    assert off(in_batches(encoder, prepared[::-1], 7)[::-1], wanted) < CLOSE
    apart = np.linalg.norm(wanted[:, None] - wanted[None], axis=2)[~np.eye(len(wanted), dtype=bool)]
    assert apart.min() > 1e-2, "the fixture must tell items apart"


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing_where_nothing_is_rounded(
    family: Documented, files: dict[str, Path], side: Side
) -> None:
    """In float64, where a real effect would stay.

    On the right nothing else is needed. On the left positions begin after zero, and the library computes
    their angles in float32 whatever the model's format; counted by the mask they are the same again.
    """
    import torch
    import transformers

    model = transformers.AutoModel.from_pretrained(family.tiny.folder, dtype=torch.float64).eval()
    every = items_of(family, files)
    items = [item for item in every if side == "right" or item.image is None]
    encoder = opened(family)
    rows = [encoder.prepare(item).query for item in items]

    def states(some: Sequence[Inputs], at: Side) -> npt.NDArray[np.float64]:
        inputs = batch_of(some, side=at, pad=0)
        inputs = {key: one.double() if one.is_floating_point() else one for key, one in inputs.items()}
        mask = inputs["attention_mask"]
        if at == "left":
            counted = (mask.cumsum(1) - 1).clamp(min=0) + family.tiny.model.startswith("PaliGemma")
            inputs["position_ids"] = (
                counted.expand(3, *counted.shape) if "Qwen" in family.tiny.model else counted
            )
        with torch.no_grad():
            found = model(**inputs).last_hidden_state
        ends = mask.shape[1] - 1 if at == "left" else mask.sum(dim=1) - 1
        last: npt.NDArray[np.float64] = found[torch.arange(len(some)), ends].numpy()
        return last

    groups = together(rows, padded=True)
    assert max(map(len, groups)) > 5, "something must be padded"
    for group in groups:
        some = [rows[at] for at in group]
        alone = np.concatenate([states([one], "right") for one in some])
        assert off(states(some, side), alone) < 1e-12


def test_padding_is_on_the_right_where_nothing_is_said(qwen: Documented) -> None:
    auto, left = opened(qwen), opened(qwen, "#padding=left")
    rows = [auto.prepare(Item(text, text=text)).query for text in ("a", "abc")]
    assert [batch_of(rows, side=one._side, pad=0)["attention_mask"].tolist() for one in (auto, left)] == [
        [[1, 0, 0], [1, 1, 1]],
        [[0, 0, 1], [1, 1, 1]],
    ]


def test_mean_and_end_pooling(family: Documented, files: dict[str, Path]) -> None:
    import torch

    items = items_of(family, files)[:9]
    inputs = [family.inputs(item) for item in items]
    for side in ("left", "right"):
        got = encoded(opened(family, f"#pool=mean,padding={side}"), items)
        assert off(got, np.stack([family.states(one).mean(axis=0) for one in inputs])) < CLOSE
    end = family.processor.tokenizer.eos_token_id
    rows = []
    for one in inputs:
        fill = {"input_ids": end, "attention_mask": 1, "token_type_ids": 0, "mm_token_type_ids": 0}
        more = {
            key: torch.cat([one[key], torch.full((1, 1), value)], dim=1)
            for key, value in fill.items()
            if key in one
        }
        rows.append(family.states(one | more)[-1])
    assert off(encoded(opened(family, "#pool=eos"), items), np.stack(rows)) < CLOSE


def test_a_text_that_ends_with_the_end_mark_gets_no_second_one(qwen: Documented) -> None:
    encoder = opened(qwen, "#pool=eos")
    once, given = (
        encoder.prepare(Item("a", text=text)).query.tensors["input_ids"].tolist()
        for text in ("a", "a<|end|>")
    )
    assert once == given
    assert once[0][-1] == qwen.processor.tokenizer.eos_token_id


def test_chat_template(family: Documented, files: dict[str, Path]) -> None:
    items = items_of(family, files)[:12]
    if not family.processor.chat_template:
        with pytest.raises(UsageError, match=r"E642 .* has no chat template; wanted template=raw"):
            opened(family, "#template=chat")
        return
    wanted = np.stack([family.states(family.chat(item))[-1] for item in items])
    assert off(encoded(opened(family, "#template=chat"), items), wanted) < CLOSE
    assert off(encoded(opened(family), items), wanted) > 100 * CLOSE


def test_a_family_whose_pictures_change_with_their_neighbours(tmp_path: Path, files: dict[str, Path]) -> None:
    """Phi-4's picture tower gives another vector for some pictures beside others: so each is alone."""
    documented = Documented(make_phi4_multimodal(tmp_path / "phi4"))
    items = [Item(name, image=files[name]) for name in ("rgb.png", "pixel.png", "exif.jpg")]
    items += [Item(text, text=text) for text in ("a", "b", "three")]
    wanted = np.stack([documented.row(item) for item in items])
    assert off(encoded(opened(documented), items), wanted) < CLOSE


def test_a_lone_picture_of_as_many_tokens_as_its_grid_has_axes(
    qwen: Documented, files: dict[str, Path]
) -> None:
    """One patch: three tokens with its marks, and a grid of three numbers, which gets no end mark."""
    import torch

    small, large = (Item(name, image=files[name]) for name in ("pixel.png", "rgb.png"))
    encoder = opened(qwen)
    assert encoder.prepare(small).query.tensors["input_ids"].shape == (1, 3)
    assert off(encoded(encoder, [small, large]), np.stack([qwen.row(small), qwen.row(large)])) < CLOSE
    inputs = qwen.inputs(small)
    fill = {
        "input_ids": qwen.processor.tokenizer.eos_token_id,
        "attention_mask": 1,
        "mm_token_type_ids": 0,
    }
    ended = {key: torch.cat([inputs[key], torch.full((1, 1), value)], dim=1) for key, value in fill.items()}
    assert off(encoded(opened(qwen, "#pool=eos"), [small]), qwen.states(inputs | ended)[-1]) < CLOSE


def test_a_picture_that_the_processor_refuses(qwen: Documented, files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match=r"E644 item w: its processor does not take it: absolute aspect"):
        opened(qwen).prepare(Item("w", image=files["wide.png"]))


def test_an_empty_text(family: Documented) -> None:
    encoder = opened(family)
    rows = encoded(encoder, [Item("e", text=""), Item("a", text="a")])
    assert off(rows[1], family.row(Item("a", text="a"))) < CLOSE
    if family.tiny.model.startswith("PaliGemma"):  # which has tokens around any text
        assert off(rows[0], family.row(Item("e", text=""))) < CLOSE
        assert encoder.told() == []
        return
    if family.processor.tokenizer("")["input_ids"]:
        assert off(rows[0], family.row(Item("e", text=""))) < CLOSE
        return
    assert np.isnan(rows[0]).all()
    assert [line.partition(" ")[0] for line in encoder.told()] == ["W641"]
    alone = encoded(encoder, [Item("e", text="")])
    assert alone.shape == (1, rows.shape[1]), "as wide as the others, with no other to see it from"
    assert np.isfinite(encoded(opened(family, "#pool=eos"), [Item("e", text="")])).all()


def test_threads_prepare_what_one_thread_prepares(qwen: Documented, files: dict[str, Path]) -> None:
    items = items_of(qwen, files) * 3
    alone, shared = (
        opened(qwen, "#max_length=40,max_pixels=1024"),
        opened(qwen, "#max_length=40,max_pixels=1024"),
    )
    wanted = [alone.prepare(item).query for item in items]
    with ThreadPoolExecutor(8) as pool:
        got = [one.query for one in pool.map(shared.prepare, items)]
    for one, other in zip(got, wanted, strict=True):
        assert one[1:] == other[1:]
        assert equal(one.tensors, other.tensors)


def equal(one: Any, other: Any) -> bool:
    return set(one) == set(other) and all((one[key] == other[key]).all() for key in one)
