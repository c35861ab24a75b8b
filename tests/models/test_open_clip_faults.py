"""open_clip models that cannot be used, or not as named: one clear block each, before a number is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError
from crossgauge.models import load_model
from crossgauge.models._torch import extras
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Item
from tests.models import hub
from tests.models.make_open_clip import COCA, make_clip, make_roberta, make_siglip, save


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("checkpoint") / "clip").folder


@pytest.fixture
def folder(clip: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    shutil.copytree(clip, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub.go_offline(monkeypatch, tmp_path / "hub")


def first(name: str, runtime: Runtime = DEFAULT) -> Any:
    encoder: Any = load_model(f"open-clip:{name}", runtime)
    return encoder.encode([encoder.prepare(Item("a", text="apple"))], role="query")


def fault_of(name: str | Path, runtime: Runtime = DEFAULT) -> Fault:
    with pytest.raises(CrossgaugeError) as caught:
        first(f"local-dir:{name}" if isinstance(name, Path) else name, runtime)
    assert len(caught.value.faults) == 1
    return caught.value.faults[0]


def rewrite(folder: Path, **changed: Any) -> Path:
    file = folder / "open_clip_config.json"
    document = json.loads(file.read_bytes())
    document["model_cfg"] |= changed
    file.write_text(json.dumps(document))
    return folder


def test_an_unknown_architecture_shows_near_names() -> None:
    fault = fault_of("ViT-B32,openai")
    assert (fault.code, "no architecture 'ViT-B32'" in fault.found) == ("E630", True)
    assert "ViT-B-32" in fault.wanted
    assert "ViT-B-32" in fault_of("vit-b-32,openai").wanted


def test_an_architecture_without_weights_lists_its_tags() -> None:
    fault = fault_of("ViT-B-32")
    assert fault.code == "E412"
    assert "laion2b_s34b_b79k" in fault.fix
    fault = fault_of("ViT-B-32,nonsense")
    assert (fault.code, "no weights 'nonsense' for ViT-B-32" in fault.found) == ("E631", True)
    assert "laion2b_s34b_b79k" in fault.wanted


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("ViT-B-32,laion2b_s34b_b79k", "laion/CLIP-ViT-B-32-laion2B-s34B-b79K"),
        ("hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K", "laion/CLIP-ViT-B-32-laion2B-s34B-b79K"),
        ("hf-hub:timm/ViT-B-16-SigLIP@main", "timm/ViT-B-16-SigLIP --revision main"),
    ],
)
def test_weights_that_are_not_here_while_offline(name: str, repository: str) -> None:
    fault = fault_of(name)
    assert fault.code == "E606"
    assert f"hf download {repository}" in fault.fix


def test_arguments_of_no_such_form() -> None:
    assert fault_of("").code == "E412"
    assert fault_of("local-dir:/no/such/folder").code == "E605"
    assert fault_of("hf-hub:a/b/c").code == "E605"
    assert fault_of("ViT-B-32,openai#context=9").code == "E412"


@pytest.mark.parametrize("frames", ["0", "x", "-1"])
def test_a_wrong_number_of_frames(clip: Path, frames: str) -> None:
    fault = fault_of(f"local-dir:{clip}#frames={frames}")
    assert (fault.code, fault.found) == ("E412", f"the setting frames={frames}")


def test_damaged_configurations(folder: Path) -> None:
    file = folder / "open_clip_config.json"
    whole = file.read_text()
    for damaged in ("{", "[]", "{}", '{"model_cfg": {"embed_dim": 16}}'):
        file.write_text(damaged)
        assert fault_of(folder).code == "E604"
    file.write_text(json.dumps(json.loads(whole) | {"preprocess_cfg": {"resize_mode": "sideways"}}))
    assert (fault_of(folder).code, "preprocess_cfg" in fault_of(folder).place) == ("E604", True)
    file.unlink()
    assert fault_of(folder).found == "no such file"


def test_weights_that_do_not_fit_or_are_damaged(folder: Path) -> None:
    fault = fault_of(rewrite(folder, embed_dim=24))
    assert (fault.code, "size mismatch" in fault.found) == ("E633", True)
    rewrite(folder, embed_dim=16)
    file = folder / "open_clip_model.safetensors"
    file.write_bytes(file.read_bytes()[:5000])
    assert fault_of(folder).code == "E633"
    with pytest.raises(InputError, match=r"E604 .*open_clip_model.safetensors: damaged"):
        load_model(f"open-clip:local-dir:{folder}").parameters()  # type: ignore[attr-defined]


def test_weights_that_lack_a_tensor_are_refused_not_made_up(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    file = folder / "open_clip_model.safetensors"
    tensors = load_file(file)
    del tensors["text_projection"]
    save_file(tensors, file)
    fault = fault_of(folder)
    assert (fault.code, "text_projection" in fault.found) == ("E633", True)


class Evil:
    """Runs when unpickled; the restricted reader must not."""

    def __reduce__(self) -> Any:
        return (print, ("evil ran",))


def test_pickled_weights_only_where_allowed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import torch
    from safetensors.torch import load_file

    file, pickle = folder / "open_clip_model.safetensors", folder / "open_clip_pytorch_model.bin"
    wanted = first(f"local-dir:{folder}")
    tensors = load_file(file)
    torch.save({"logit_scale": Evil()}, pickle)
    assert (first(f"local-dir:{folder}", Runtime(pickle_weights=True)) == wanted).all()  # safetensors first
    file.unlink()
    fault = fault_of(folder)
    assert (fault.code, pickle.name in fault.found, "--allow-pickle" in fault.fix) == ("E603", True, True)
    assert fault_of(f"ViT-B-32,{pickle}").code == "E603"
    assert fault_of(folder, Runtime(pickle_weights=True)).code == "E633"
    assert "evil" not in capsys.readouterr().out
    torch.save(tensors, pickle)
    assert (first(f"local-dir:{folder}", Runtime(pickle_weights=True)) == wanted).all()
    pickle.unlink()
    assert fault_of(folder).code == "E603"


def test_a_file_of_weights_that_is_neither(tmp_path: Path) -> None:
    file = tmp_path / "weights.zip"
    file.touch()
    fault = fault_of(f"ViT-B-32,{file}")
    assert (fault.code, fault.found) == ("E603", "weights in weights.zip")


def test_a_configuration_cannot_ask_for_code_files_or_chance(folder: Path) -> None:
    text = json.loads((folder / "open_clip_config.json").read_bytes())["model_cfg"]["text_cfg"]
    for key, value in (
        ("trust_remote_code", True),
        ("bpe_path", "/etc/passwd"),
        ("reduction_mask", "random"),
    ):
        fault = fault_of(rewrite(folder, text_cfg=text | {"tokenizer_kwargs": {key: value}}))
        assert (fault.code, fault.found) == ("E632", f"its tokenizer asks for {key}")


def test_a_tokenizer_that_is_not_there(tmp_path: Path) -> None:
    folder = make_siglip(tmp_path / "siglip").folder
    for file in folder.glob("tokenizer*"):
        file.unlink()
    fault = fault_of(folder)
    assert (fault.code, "its tokenizer cannot be loaded" in fault.found) == ("E632", True)


def test_a_text_tower_whose_shape_is_elsewhere(tmp_path: Path) -> None:
    folder = make_roberta(tmp_path / "roberta").folder
    text = json.loads((folder / "open_clip_config.json").read_bytes())["model_cfg"]["text_cfg"]
    fault = fault_of(rewrite(folder, text_cfg=text | {"hf_model_name": "FacebookAI/xlm-roberta-base"}))
    assert (fault.code, "its text tower FacebookAI/xlm-roberta-base" in fault.place) == ("E606", True)


def test_weights_of_another_activation_are_told(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crossgauge.models import _open_clip_source as source
    from crossgauge.models._torch.checkpoint import Checkpoint

    asked = []

    def here(named: Any, place: str, runtime: Runtime, *, kept: tuple[str, ...]) -> Checkpoint:
        asked.append((named.id, named.revision, kept))
        return Checkpoint(place, clip, "a" * 40, runtime)

    monkeypatch.setattr(source, "open_checkpoint", here)
    encoder: Any = load_model("open-clip:ViT-B-32,openai@main")
    assert asked[0][:2] == ("timm/vit_base_patch32_clip_224.openai", "main")
    assert not set(asked[0][2]) & {"*.safetensors", "*.bin"}, "other files of weights are not fetched"
    (line,) = encoder.told()
    assert line.startswith("W630 ")
    assert "weights trained with QuickGELU in an architecture with GELU" in line
    assert "name ViT-B-32-quickgelu" in line
    assert encoder.told() == []
    assert load_model("open-clip:ViT-B-32-quickgelu,openai").told() == []  # type: ignore[attr-defined]
    assert encoder.preprocessing.startswith("shortest edge to 224 × 224, bicubic")
    squashed: Any = load_model("open-clip:ViT-B-16-SigLIP,webli")
    assert squashed.preprocessing.startswith("squashed to 224 × 224")


def test_lines_of_one_pixel(clip: Path, tmp_path: Path) -> None:
    file = tmp_path / "line.png"
    Image.new("RGB", (4_000_000, 1)).save(file)
    with pytest.raises(InputError, match=r"E637 item line: 4000000 × 1 pixels: 4,096,000,000 when"):
        load_model(f"open-clip:local-dir:{clip}").prepare(Item("line", image=file))
    longest = save(tmp_path / "coca", COCA, {"resize_mode": "longest"})
    Image.new("RGB", (900, 3)).save(file)
    with pytest.raises(InputError, match=r"E637 item line: 900 × 3 pixels: no height is left"):
        load_model(f"open-clip:{longest.name}").prepare(Item("line", image=file))


def test_an_item_is_one_thing(clip: Path, tmp_path: Path) -> None:
    encoder = load_model(f"open-clip:local-dir:{clip}")
    with pytest.raises(InputError, match="E401 item both: it holds image"):
        encoder.prepare(Item("both", text="apple", image=tmp_path / "a.png"))
    with pytest.raises(InputError, match=r"E160 .*gone.png \(item g\)"):
        encoder.prepare(Item("g", image=tmp_path / "gone.png"))


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = extras.importlib.util.find_spec
    monkeypatch.setattr(
        extras.importlib.util, "find_spec", lambda name: None if name == "open_clip" else found(name)
    )
    with pytest.raises(EnvironmentFault, match=r"E600 .*open_clip is not installed.*crossgauge\[torch\]"):
        load_model("open-clip:ViT-B-32,openai")
