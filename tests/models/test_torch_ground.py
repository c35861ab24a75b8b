"""Names, devices, number formats, shrinking batches and token counts: what every torch adapter stands on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.batching import batch_size_of
from crossgauge.errors import EnvironmentFault, UsageError
from crossgauge.models import load_model
from crossgauge.models._torch.device import device_of, dtype_name, torch_dtype
from crossgauge.models._torch.extras import need, versions
from crossgauge.models._torch.halving import Halving, Rows
from crossgauge.models._torch.named import choice, read_name, whole
from crossgauge.models._torch.quiet import quiet
from crossgauge.models._torch.tokens import TokenCounts
from crossgauge.runtime import Runtime
from tests.models.make_transformers import make_clip
from tests.models.make_vlm2vec import make_qwen2_vl

DEFAULTS = {"pool": "last", "note": "", "frames": "8"}


def named(argument: str | None) -> Any:
    return read_name(argument, "model x", defaults=DEFAULTS, usage="x:ID")


@pytest.mark.parametrize(
    ("argument", "id_", "revision", "given"),
    [
        ("owner/name", "owner/name", "", {}),
        ("owner/name@v1.0", "owner/name", "v1.0", {}),
        ("owner/name@0123abc#pool=mean", "owner/name", "0123abc", {"pool": "mean"}),
        ("name#note=a%2Cb%20c,pool=", "name", "", {"note": "a,b c", "pool": ""}),
        ("name#", "name", "", {}),
        ("owner/name@refs/pr/1", "owner/name", "refs/pr/1", {}),
        ("./some@where/name", "./some@where/name", "", {}),
    ],
)
def test_the_parts_of_a_name(argument: str, id_: str, revision: str, given: dict[str, str]) -> None:
    found = named(argument)
    assert (found.id, found.revision, found.given) == (id_, revision, given)
    assert found.settings == DEFAULTS | given


def test_a_folder_with_an_at_sign_is_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model@v2"
    folder.mkdir()
    assert named(f"{folder}#pool=mean").id == str(folder)
    assert named(f"{folder}").revision == ""
    assert named(f"{tmp_path / 'gone'}@v2").revision == ""


@pytest.mark.parametrize("argument", [None, "", "#pool=mean", "@main", "name@", "name#size=3", "name#pool"])
def test_names_that_are_none(argument: str | None) -> None:
    with pytest.raises(UsageError, match="E412 model x"):
        named(argument)


def test_choices_and_whole_numbers() -> None:
    found = named("m#pool=mean,frames=12")
    assert choice(found, "pool", "x", ("last", "mean")) == "mean"
    assert whole(found, "frames", "x", least=1) == 12
    with pytest.raises(UsageError, match=r"E412 x: the setting pool=mean; wanted one of: last, eos"):
        choice(found, "pool", "x", ("last", "eos"))
    for text in ("0", "-1", "1.5", "", "٣", "many"):
        with pytest.raises(
            UsageError, match=r"E412 x: the setting frames=.*; wanted a whole number from 1 to 9"
        ):
            whole(named(f"m#frames={text}"), "frames", "x", least=1, most=9)


def test_devices_that_are_here_and_that_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert str(device_of(Runtime(), "m")) == str(device_of(Runtime("cpu"), "m")) == "cpu"
    for wanted in ("cuda", "cuda:0", "mps"):
        with pytest.raises(
            EnvironmentFault, match=rf"E609 m: --device {wanted}: torch .* sees cpu; wanted one"
        ):
            device_of(Runtime(wanted), "m")
    for wanted in ("gpu", "cuda:", "cuda:x", "cpu:0", ""):
        with pytest.raises(UsageError, match="E608 m: --device"):
            device_of(Runtime(wanted), "m")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert str(device_of(Runtime(), "m")) == str(device_of(Runtime("cuda"), "m")) == "cuda:0"
    assert str(device_of(Runtime("cuda:1"), "m")) == "cuda:1"
    with pytest.raises(EnvironmentFault, match=r"E609 m: --device cuda:2: torch .* sees cpu, cuda:0, cuda:1"):
        device_of(Runtime("cuda:2"), "m")


def test_a_gpu_is_given_many_items_at_once(tmp_path: Path) -> None:
    """Where they are pictures or texts and the model answers all at once; videos and chats take the usual."""
    import torch

    clip = f"transformers:{make_clip(tmp_path / 'clip').folder}"
    sizes = {}
    for spec in (clip, f"{clip}#frames=2", f"vlm2vec:{make_qwen2_vl(tmp_path / 'qwen').folder}"):
        model: Any = load_model(spec)
        here = batch_size_of(model, None)
        model.device = torch.device("cuda:0")
        sizes[spec.removeprefix(clip)] = (here, batch_size_of(model, None), batch_size_of(model, 7))
    assert list(sizes.values()) == [(32, 256, 7), (32, 32, 7), (32, 32, 7)]


def test_number_formats() -> None:
    import torch

    assert dtype_name(Runtime(), "bf16", "m") == "bf16"
    assert dtype_name(Runtime(dtype="fp16"), "fp32", "m") == "fp16"
    assert torch_dtype("fp32") is torch.float32
    with pytest.raises(UsageError, match=r"E608 m: --dtype int8; wanted auto, fp32, bf16 or fp16"):
        dtype_name(Runtime(dtype="int8"), "fp32", "m")  # type: ignore[arg-type]


def test_a_model_without_a_device_refuses_one() -> None:
    with pytest.raises(UsageError, match=r"E611 model random:8: --device, --dtype: it has no such choice"):
        load_model("random:8", Runtime("cpu", dtype="fp16"))


class Memory:
    """A device where more than ``fits`` items at once are too many."""

    def __init__(self, fits: int, error: Exception) -> None:
        self.fits, self.error, self.asked = fits, error, list[int]()

    def forward(self, some: Sequence[int]) -> Rows:
        self.asked.append(len(some))
        if len(some) > self.fits:
            raise self.error
        return np.float32([[n, n * n] for n in some])


def cuda_error() -> Exception:
    import torch

    return torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.\nMore words")


@pytest.mark.parametrize("kind", ["cuda", "cpu", "mps"])
def test_batches_are_halved_until_they_fit_and_come_back_in_order(kind: str) -> None:
    error = {
        "cuda": cuda_error(),
        "cpu": RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        "mps": RuntimeError("MPS backend out of memory"),
    }[kind]
    memory, halving = Memory(3, error), Halving("m")
    rows = halving.run(list(range(11)), memory.forward)
    assert rows.tolist() == [[n, n * n] for n in range(11)]
    assert memory.asked == [11, 5, 2, 2, 2, 2, 2, 1]
    assert halving.told() == [
        "out of memory with 11 items at once; now 5", "out of memory with 5 items at once; now 2",
    ]  # fmt: skip
    assert halving.told() == []
    halving.run([1, 2, 3, 4], memory.forward)
    assert memory.asked[8:] == [2, 2], "what did not fit is not tried again"


def test_one_item_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(
        EnvironmentFault, match=r"E610 m: out of memory with one item .* Tried to allocate 20 GiB"
    ):
        Halving("m").run([1, 2], Memory(0, cuda_error()).forward)


def test_other_errors_are_not_memory() -> None:
    memory = Memory(0, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    with pytest.raises(RuntimeError, match="mat1"):
        Halving("m").run([1, 2], memory.forward)
    assert memory.asked == [2]


def test_token_counts() -> None:
    counts = TokenCounts(10)
    assert counts.told() == []
    counts.add(pieces=10, unknown=0)
    assert counts.told() == []
    counts.add(pieces=11, unknown=4, special=3)
    counts.add(pieces=5, unknown=1, special=3)
    said = ["1 of 2 texts cut at 10 tokens", "50.0 % of the pieces of 2 texts are unknown to the tokenizer"]
    assert counts.told() == said
    assert counts.told() == []


def test_what_is_not_installed_or_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fix = r"fix: pip install 'crossgauge\[torch\]'"
    with pytest.raises(EnvironmentFault, match=rf"E600 m: no_a, no_b are not installed; .*{fix}"):
        need("m", "torch", "json", "no_a", "no_b")
    (tmp_path / "broken_library.py").write_text("raise RuntimeError('operator x does not exist')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        EnvironmentFault, match=r"E600 m: broken_library is installed but cannot .*: RuntimeError"
    ):
        need("m", "torch", "broken_library")
    assert versions("numpy") == (f"numpy {np.__version__}",)


def test_without_torch_the_adapter_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec

    def without(name: str, *more: Any) -> Any:
        return None if name in {"torch", "transformers"} else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(
        EnvironmentFault, match=r"E600 .*torch, transformers are not installed.*crossgauge\[torch\]"
    ):
        load_model("transformers:openai/clip-vit-base-patch32")


def test_the_library_is_quiet_inside_and_as_before_outside() -> None:
    from transformers.utils import logging

    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_info()
    logging.enable_progress_bar()
    try:
        with quiet():
            inside = logging.get_verbosity(), logging.is_progress_bar_enabled()
        after = logging.get_verbosity(), logging.is_progress_bar_enabled()
    finally:
        logging.set_verbosity(before[0])
    assert inside == (logging.ERROR, False)
    assert after == (logging.INFO, True)
