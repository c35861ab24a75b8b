"""Tiny dual encoders exported to ONNX, as the common exporters lay them out."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.models.make_transformers import SIDE, TEXT, VISION, Made, gemma_pieces, make_clip, save, stirred

NAMES = {"text": ["text_embeds"], "image": ["image_embeds"]}
AXES = {
    "input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "sequence"},
    "pixel_values": {0: "batch"}, "text_embeds": {0: "batch"}, "image_embeds": {0: "batch"},
    "pooler_output": {0: "batch"},
}  # fmt: skip


def make_dual(folder: Path) -> Made:
    """The CLIP that is exported."""
    return make_clip(folder)


def towers(model: Any) -> dict[str, Any]:
    """What is exported: the two calls, as modules; and both in one."""
    import torch

    class Text(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any = None) -> Any:
            return vectors(self.model.get_text_features(input_ids=input_ids, attention_mask=attention_mask))

    class Image(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, pixel_values: Any) -> Any:
            return vectors(self.model.get_image_features(pixel_values=pixel_values))

    class Both(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.text, self.image = Text(), Image()

        def forward(self, input_ids: Any, pixel_values: Any, attention_mask: Any) -> Any:
            text, image = self.text(input_ids, attention_mask), self.image(pixel_values)
            return text @ image.T, text, image

    return {"text": Text(), "image": Image(), "both": Both()}


def vectors(output: Any) -> Any:
    return getattr(output, "pooler_output", output)


def export(
    module: Any, file: Path, inputs: dict[str, Any], outputs: Sequence[str], *, fixed: Sequence[str] = ()
) -> None:
    """One graph by the exporter that traces."""
    import torch

    file.parent.mkdir(parents=True, exist_ok=True)
    free = {name: AXES[name] for name in (*inputs, *outputs) if name in AXES}
    free |= {name: {0: "batch"} for name in fixed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, tuple(inputs.values()), str(file), input_names=list(inputs), output_names=list(outputs),
            dynamic_axes=free, dynamo=False, opset_version=17,
        )  # fmt: skip


def example() -> dict[str, Any]:
    import torch

    torch.manual_seed(0)
    ids = torch.tensor([[256, 40, 41, 42, 43, 513], [256, 44, 45, 46, 47, 513]])
    pixels = torch.rand(2, 3, SIDE, SIDE)
    return {"input_ids": ids, "pixel_values": pixels, "attention_mask": torch.ones_like(ids)}


def parts(folder: Path, made: Made) -> None:
    """Everything but the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in made.folder.iterdir():
        if file.suffix != ".safetensors":
            shutil.copy(file, folder / file.name)


def loaded(made: Made) -> Any:
    import transformers

    found = getattr(transformers, made.model)
    return found.from_pretrained(made.folder, attn_implementation="eager").eval()


def make_towers(folder: Path, made: Made, *, inside: str = "") -> None:
    """``text_model.onnx`` and ``vision_model.onnx``."""
    parts(folder, made)
    modules, given = towers(loaded(made)), example()
    asked = {name: given[name] for name in ("input_ids", "attention_mask")}
    export(modules["text"], folder / inside / "text_model.onnx", asked, NAMES["text"])
    shown = {"pixel_values": given["pixel_values"]}
    export(modules["image"], folder / inside / "vision_model.onnx", shown, NAMES["image"])


def make_both(folder: Path, made: Made) -> None:
    """One ``model.onnx``."""
    parts(folder, made)
    outputs = ["logits_per_text", "text_embeds", "image_embeds"]
    export(towers(loaded(made))["both"], folder / "model.onnx", example(), outputs)


def make_siglip(folder: Path) -> Made:
    """The fixed SigLIP 2: SigLIP's architecture with Gemma's tokenizer."""
    from transformers import SiglipConfig, SiglipImageProcessor, SiglipModel

    tokenizer = gemma_pieces()
    config = SiglipConfig(text_config=TEXT | {"vocab_size": len(tokenizer)}, vision_config=VISION)
    images = SiglipImageProcessor(size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(SiglipModel(config)), tokenizer, images, "SiglipProcessor")


def make_padded(folder: Path, made: Made) -> None:
    """SigLIP: no mask goes in, and texts have their full length."""
    import torch

    parts(folder, made)
    modules = towers(loaded(made))
    ids = {"input_ids": torch.ones(2, 64, dtype=torch.long)}
    export(modules["text"], folder / "onnx" / "text_model.onnx", ids, ["pooler_output"], fixed=["input_ids"])
    shown = {"pixel_values": example()["pixel_values"]}
    export(modules["image"], folder / "onnx" / "vision_model.onnx", shown, ["pooler_output"])


def quantise(folder: Path) -> None:
    """The same towers in 8 bits, as ``…_quantized.onnx``."""
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.disable(logging.WARNING)
    for name in ("text_model", "vision_model"):
        target = folder / f"{name}_quantized.onnx"
        quantize_dynamic(folder / f"{name}.onnx", target, weight_type=QuantType.QUInt8)
    logging.disable(logging.NOTSET)
