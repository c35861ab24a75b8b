"""Exported dual encoders: vectors of the checkpoint they were made from, without torch, in any batch."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.benchmarks.gem.avi import write_avi
from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.models._onnx_graph import read_graph
from crossgauge.runtime import Runtime
from crossgauge.types import Encoder, Item
from tests.models import make_onnx, pictures
from tests.models.command import ran
from tests.models.make_captioners import changed
from tests.models.make_transformers import Made
from tests.models.test_transformers_benchmark import by_hand
from tests.models.texts import EVERY

pytestmark = pytest.mark.filterwarnings("ignore:You are using the legacy TorchScript")
FAMILY = {"clip": "CLIP", "siglip": "Siglip"}
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
TEXTS = list(EVERY)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    clip, siglip = make_onnx.make_dual(folder / "clip-torch"), make_onnx.make_siglip(folder / "siglip-torch")
    make_onnx.make_towers(folder / "clip", clip)
    make_onnx.quantise(folder / "clip")
    make_onnx.make_both(folder / "both", clip)
    make_onnx.make_padded(folder / "siglip", siglip)
    return folder


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return pictures.of_every_kind(tmp_path_factory.mktemp("pictures"))


@pytest.fixture
def mine(home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(home / "clip", tmp_path / "mine"))


def encoder(folder: Path, settings: str = "", **runtime: Any) -> Any:
    model = load_model(f"onnx:{folder}{'#' if settings else ''}{settings}", Runtime(**runtime))
    assert isinstance(model, Encoder)
    return model


def encoded(model: Any, items: list[Item], size: int) -> np.ndarray:
    parts = [items[at : at + size] for at in range(0, len(items), size)]
    return np.concatenate(
        [model.encode([model.prepare(one) for one in part], role="query") for part in parts]
    )


def by_torch(folder: Path, name: str, texts: list[str], shown: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """The documented calls of the library on the checkpoint that was exported, with Pillow."""
    import torch
    import transformers

    model = make_onnx.loaded(Made(folder, f"{name}Model", f"{name}Processor"))
    padding: Any = {"padding": "max_length", "max_length": 64} if name == "Siglip" else {"padding": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
    read = tokenizer(texts, truncation=True, return_tensors="pt", **padding)
    if name == "Siglip":
        read = {"input_ids": read["input_ids"]}
    pixels = images(images=[load_image(file, item="x") for file in shown], return_tensors="pt")
    with torch.no_grad():
        found = model.get_text_features(**read), model.get_image_features(**pixels)
    text, image = (make_onnx.vectors(one).numpy() for one in found)
    return text, image


@pytest.mark.parametrize(("made", "source"), [("clip", "clip"), ("both", "clip"), ("siglip", "siglip")])
def test_vectors_are_those_of_the_checkpoint(
    home: Path, files: dict[str, Path], made: str, source: str
) -> None:
    model = encoder(home / made)
    text, image = by_torch(home / f"{source}-torch", FAMILY[source], TEXTS, list(files.values()))
    items = [Item(str(n), text=one) for n, one in enumerate(TEXTS)]
    shown = [Item(key, image=file) for key, file in files.items()]
    assert (model.modalities, model.dimensions) == ({"text", "image"}, text.shape[1])
    np.testing.assert_allclose(encoded(model, items, 7), text, **CLOSE)
    np.testing.assert_allclose(encoded(model, shown, 3), image, **CLOSE)
    mixed = [one for pair in zip(items, shown, strict=False) for one in pair]
    wanted = np.stack([row for pair in zip(text, image, strict=False) for row in pair])
    np.testing.assert_allclose(encoded(model, mixed, 5), wanted, **CLOSE)
    assert text.std(axis=0).min() > 1e-3
    assert image.std(axis=0).min() > 1e-3
    assert f"1 of {len(items) + len(mixed) // 2} texts cut at" in model.told()[0], "some of them twice"


@pytest.mark.filterwarnings("ignore")
def test_the_how_to_exports_such_a_folder(home: Path, files: dict[str, Path], tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto" / "exported-models.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(compile(code, "exported-models.md", "exec"), namespace)  # noqa: S102  (our own page)
    namespace["export"](home / "clip-torch", tmp_path)
    items = [
        Item("a", text="a bee"),
        Item("b", image=files["exif.jpg"]),
        Item("c", text="größer als ein Haus"),
    ]
    np.testing.assert_allclose(
        encoded(encoder(tmp_path), items, 3), encoded(encoder(home / "clip"), items, 3), **CLOSE
    )


@pytest.mark.parametrize("settings", ["", "file_suffix=_quantized"])
def test_a_batch_changes_nothing(home: Path, files: dict[str, Path], settings: str) -> None:
    """Bit for bit, though a quantised graph scales by all that is in its batch."""
    model = encoder(home / "clip", settings)
    items = [Item(str(n), text=one) for n, one in enumerate(TEXTS)]
    items += [Item(key, image=file) for key, file in files.items()]
    one = encoded(model, items, 1)
    for size in (3, len(items)):
        assert encoded(model, items, size).tobytes() == one.tobytes()
    assert encoded(model, items[::-1], 4)[::-1].tobytes() == one.tobytes()


def test_inputs_of_one_shape_may_go_together(home: Path, files: dict[str, Path]) -> None:
    """What CUDA does, on the processor."""
    items = [Item(str(n), text=one) for n, one in enumerate(TEXTS)]
    items += [Item(key, image=file) for key, file in files.items()]
    for made in ("clip", "both", "siglip"):
        model, together = encoder(home / made), encoder(home / made)
        together._provider = dataclasses.replace(together._provider, alone=False)
        np.testing.assert_allclose(encoded(together, items, 20), encoded(model, items, 20), **CLOSE)


def test_videos_are_the_mean_of_their_frames(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("av")
    rng = np.random.default_rng(1)
    frames = [Image.fromarray(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)) for _ in range(2)]
    write_avi(tmp_path / "clip.avi", frames)
    from crossgauge.video import load_frames

    for number, frame in enumerate(load_frames(tmp_path / "clip.avi", item="c", frames=2)):
        frame.save(tmp_path / f"{number}.png")
    model = encoder(home / "clip", "frames=2")
    assert model.modalities == {"text", "image", "video"}
    single = encoded(model, [Item(str(n), image=tmp_path / f"{n}.png") for n in range(2)], 2).astype(
        np.float64
    )
    unit = single / np.linalg.norm(single, axis=1, keepdims=True)
    found = encoded(model, [Item("t", text="x"), Item("v", video=tmp_path / "clip.avi")], 2)
    np.testing.assert_allclose(found[1], unit.mean(axis=0), **CLOSE)


def test_it_needs_no_torch_and_loads_late(home: Path) -> None:
    code = f"""
import sys
from crossgauge.models import load_model
from crossgauge.types import Item
model = load_model("onnx:{home / "clip"}")
assert "onnxruntime" not in sys.modules, "graphs are looked at, not loaded"
print(model.encode([model.prepare(Item("a", text="bee"))], role="query").shape, model.parameters())
assert not {{"torch", "transformers", "onnx"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    whole = make_onnx.loaded(Made(home / "clip-torch", "CLIPModel", ""))
    assert done.returncode == 0, done.stderr
    shape, _, numbers = done.stdout.strip().rpartition(" ")
    assert shape == "(1, 16)"
    weights = sum(one.numel() for one in whole.parameters())
    assert 0 <= int(numbers) - weights + 1 < 2000, "weights but logit_scale, and a few constants"


def test_one_tower_is_a_model_too(mine: Path) -> None:
    (mine / "vision_model.onnx").unlink()
    model = encoder(mine)
    assert model.modalities == {"text"}
    (mine / "text_model.onnx").rename(mine / "model.onnx")
    assert encoder(mine).modalities == {"text"}
    assert encoder(mine, "context=5").preprocessing == "tokenizer.json, not padded, cut at 5 tokens"
    assert (
        encoder(mine, "padding=max_length").preprocessing
        == "tokenizer.json, padded to 77 tokens, cut at 77 tokens"
    )
    padded = encoded(encoder(mine, "padding=max_length"), [Item("a", text="a bee")], 1)
    np.testing.assert_allclose(padded, encoded(encoder(mine), [Item("a", text="a bee")], 1), **CLOSE)


def test_texts_that_are_cut_and_files_that_change_are_told(mine: Path, home: Path) -> None:
    model, before = encoder(mine), encoder(mine).revision
    encoded(model, [Item("a", text="long " * 100), Item("b", text="short")], 2)
    assert model.told() == ["1 of 2 texts cut at 77 tokens"]
    assert model.told() == []
    assert encoder(mine, "context=9").revision != before
    changed(mine, "preprocessor_config.json", resample=2)
    assert encoder(mine).revision != before


def test_folders_that_hold_no_dual_encoder(mine: Path, home: Path) -> None:
    with pytest.raises(
        InputError, match=r"E652 .*text_model_q8.onnx.*it holds .*vision_model_quantized.onnx"
    ):
        encoder(mine, "file_suffix=_q8")
    (mine / "tokenizer.json").rename(mine / "t")
    with pytest.raises(InputError, match=r"E657 .*no such file"):
        encoder(mine)
    (mine / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(InputError, match=r"E657 .*damaged"):
        encoder(mine)
    (mine / "t").rename(mine / "tokenizer.json")
    (mine / "preprocessor_config.json").write_text("[1]")
    with pytest.raises(InputError, match=r"E604 .*a JSON list"):
        encoder(mine)
    (mine / "preprocessor_config.json").unlink()
    with pytest.raises(InputError, match=r"E656 .*no preprocessor_config.json"):
        encoder(mine)
    with pytest.raises(UsageError, match=r"E412 .*the graph takes 64 tokens"):
        encoder(home / "siglip", "context=32")


def test_what_the_runtime_is_asked_for(home: Path) -> None:
    with pytest.raises(
        EnvironmentFault, match=r"E655 .*this onnxruntime has .*CPUExecutionProvider.*onnxruntime-gpu"
    ):
        encoder(home / "clip", device="cuda:1")
    with pytest.raises(UsageError, match="E608"):
        encoder(home / "clip", device="mps")
    with pytest.raises(UsageError, match=r"E611 .*--dtype, --trust-code"):
        encoder(home / "clip", dtype="fp16", trust_code="0" * 40)
    assert encoder(home / "clip", device="cpu").revision == encoder(home / "clip").revision


def test_graphs_that_make_no_vectors(mine: Path) -> None:
    from onnx import TensorProto, helper

    def save(inputs: list[Any], outputs: list[Any]) -> None:
        nodes = [helper.make_node("Identity", [inputs[0].name], [one.name]) for one in outputs]
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        (mine / "text_model.onnx").write_bytes(helper.make_model(graph).SerializeToString())

    def port(name: str, *shape: Any, kind: int = TensorProto.FLOAT) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    ids = port("input_ids", "n", "s", kind=TensorProto.INT64)
    for inputs, outputs, said in (
        ([ids], [port("last_hidden_state", "n", "s", 8)], r"outputs last_hidden_state \?×\?×8"),
        ([ids, port("pixel_mask", "n", 3)], [port("text_embeds", "n", 8)], "inputs pixel_mask"),
        ([port("input_ids", 4, "s")], [port("text_embeds", 4, 8)], "batches of 4 and no others"),
    ):
        save(inputs, outputs)
        with pytest.raises(InputError, match=rf"E654 .*{said}"):
            encoder(mine)
    save([port("tokens", "n", "s")], [port("text_embeds", "n", 8)])
    (mine / "vision_model.onnx").unlink()
    with pytest.raises(InputError, match=r"E654 .*inputs tokens"):
        encoder(mine)


def test_weights_in_other_files_must_lie_in_the_folder(mine: Path, tmp_path: Path) -> None:
    import onnx

    graph = onnx.load(mine / "text_model.onnx")
    wanted = encoded(encoder(mine), [Item("a", text="a bee")], 1)
    onnx.save(graph, mine / "text_model.onnx", save_as_external_data=True, location="text_model.onnx_data",
              size_threshold=0)  # fmt: skip
    found = encoder(mine)
    assert encoded(found, [Item("a", text="a bee")], 1).tobytes() == wanted.tobytes()
    weights = mine / "text_model.onnx_data"
    weights.rename(tmp_path / "outside")
    with pytest.raises(InputError, match=r"E658 .*which is not there"):
        encoder(mine)
    weights.symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match=r"E658 .*inside the folder"):
        encoder(mine)
    for location in ("../outside", str(tmp_path / "outside"), "C:outside", "..\\outside", ""):
        pointed = onnx.load(mine / "vision_model.onnx", load_external_data=False)
        tensor = pointed.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
        (tmp_path / "pointed").mkdir(exist_ok=True)
        (tmp_path / "pointed" / "vision_model.onnx").write_bytes(pointed.SerializeToString())
        with pytest.raises(InputError, match="E658"):
            encoder(tmp_path / "pointed")


def refusal(file: Path) -> str:
    try:
        read_graph(file)
    except InputError as error:
        return error.faults[0].code
    return ""


def test_a_snapshot_of_the_hub_is_links_to_its_blobs(home: Path, tmp_path: Path) -> None:
    import onnx

    wanted = encoded(encoder(home / "clip"), [Item("a", text="a bee")], 1)
    snapshot, blobs = (
        tmp_path / "models--a--b" / "snapshots" / ("0" * 40),
        tmp_path / "models--a--b" / "blobs",
    )
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    onnx.save(onnx.load(home / "clip" / "text_model.onnx"), snapshot / "text_model.onnx", size_threshold=0,
              save_as_external_data=True, location="text_model.onnx_data")  # fmt: skip
    shutil.copy(home / "clip" / "tokenizer.json", snapshot)
    for number, file in enumerate(sorted(snapshot.iterdir())):
        file.rename(blobs / str(number))
        file.symlink_to(Path("..") / ".." / "blobs" / str(number))
    found = encoded(encoder(snapshot), [Item("a", text="a bee")], 1)
    assert found.tobytes() == wanted.tobytes()


def test_damaged_graphs_are_refused_and_never_hang(mine: Path) -> None:
    file = mine / "text_model.onnx"
    whole, rng, found = file.read_bytes(), np.random.default_rng(3), []
    damaged = [b"", b"\x00", b"<html>", whole[: len(whole) // 2], whole[:-1], b"\xff" * 100, b"\x3a" * 500]
    damaged += [bytes(rng.integers(0, 256, 300, dtype=np.uint8)) for _ in range(50)]
    flipped = [whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in rng.integers(0, 3000, 60)]
    for content in (*damaged, *flipped):
        file.write_bytes(content)
        found.append(refusal(file))
    assert found[: len(damaged)] == ["E659"] * len(damaged)
    assert set(found) == {"E659", ""}, "a flipped bit in a name is no damage that a reader can see"
    file.write_bytes(damaged[3])
    with pytest.raises(InputError, match="E659"):
        encoder(mine)


def test_every_graph_is_read_as_its_library_reads_it(home: Path) -> None:
    import onnx

    for file in home.rglob("*.onnx"):
        mine, theirs = read_graph(file), onnx.load(file).graph
        stored = {one.name for one in theirs.initializer}
        for ports, wanted in ((mine.inputs, theirs.input), (mine.outputs, theirs.output)):
            shapes = {
                one.name: tuple(
                    axis.dim_value if axis.HasField("dim_value") else None
                    for axis in one.type.tensor_type.shape.dim
                )
                for one in wanted
                if one.name not in stored
            }
            assert {port.name: port.shape for port in ports.values()} == shapes
        assert mine.numbers >= sum(int(np.prod(one.dims)) for one in theirs.initializer)


def test_a_benchmark_is_a_loop_by_hand(home: Path, tmp_path: Path) -> None:
    asked = ("emoji", "-m", f"onnx:{home / 'clip'}", "-t", "i2t,t2i", "-l", "de", "--limit", 60)
    result = ran(tmp_path, *asked)
    data = BENCHMARK.open(None, {}).limited(60)
    assert {cell.key for cell in result.cells} == {"i2t.de.plain", "t2i.de.plain"}
    for cell in result.cells:
        split = data.split(cell.task, "de", PLAIN)
        shown, said = (split.queries, split.corpus)[:: 1 if cell.task == "i2t" else -1]
        files = [item.image for item in shown if item.image is not None]
        text, image = by_torch(home / "clip-torch", "CLIP", [str(item.text) for item in said], files)
        wanted = by_hand(*((image, text) if cell.task == "i2t" else (text, image)), split)
        got = {score.measure: score.value for score in cell.scores}
        assert {measure: got[measure] for measure in wanted} == pytest.approx(wanted, abs=1e-12)
        assert 0 < wanted["mrr"] < 1
