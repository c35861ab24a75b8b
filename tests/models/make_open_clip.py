"""Tiny models of the open_clip library, saved as it saves them: its own towers, and others' towers in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.models.make_transformers import SIDE, stirred, unigrams

SPACE = 16
VISION = {"image_size": SIDE, "layers": 2, "width": 32, "head_width": 16, "patch_size": 8}
TEXT = {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
CLIP = {"embed_dim": SPACE, "vision_cfg": VISION, "text_cfg": TEXT}
COCA = {
    "embed_dim": SPACE,
    "vision_cfg": VISION | {"attentional_pool": True, "attn_pooler_heads": 2, "output_tokens": True},
    "text_cfg": TEXT | {"context_length": 76, "embed_cls": True, "output_tokens": True},
    "multimodal_cfg": TEXT | {"context_length": 76, "attn_pooler_heads": 2},
    "custom_text": True,
}
RESNET = CLIP | {"vision_cfg": {"image_size": 64, "layers": [1, 1, 1, 1], "width": 8, "patch_size": None}}
SIGLIP_PICTURES = {
    "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "interpolation": "bicubic", "resize_mode": "squash",
}  # fmt: skip


class Made(NamedTuple):
    """A folder, and how the library's documentation names it."""

    folder: Path
    name: str  # "local-dir:…"


def save(folder: Path, config: Mapping[str, Any], pictures: Mapping[str, Any] | None = None) -> Made:
    """open_clip_config.json and open_clip_model.safetensors, as ``push_to_hf_hub`` writes them."""
    import open_clip
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    document = {"model_cfg": config} | ({"preprocess_cfg": pictures} if pictures else {})
    (folder / "open_clip_config.json").write_text(json.dumps(document))
    name = f"local-dir:{folder}"
    model = stirred(open_clip.create_model(name, load_weights=False, pretrained_hf=False))
    save_file({key: value.contiguous() for key, value in model.state_dict().items()},
              folder / "open_clip_model.safetensors")  # fmt: skip
    return Made(folder, name)


def make_clip(folder: Path) -> Made:
    return save(folder, CLIP)


def make_coca(folder: Path) -> Made:
    return save(folder, COCA, {"interpolation": "bilinear", "resize_mode": "longest"})


def make_resnet(folder: Path) -> Made:
    return save(folder, RESNET)


def make_siglip(folder: Path) -> Made:
    """A tokenizer of the transformers library, squashed pictures."""
    tokenizer = unigrams(model_max_length=64)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    text = TEXT | {
        "context_length": 24, "vocab_size": len(tokenizer), "hf_tokenizer_name": str(folder),
        "tokenizer_kwargs": {"clean": "canonicalize"}, "no_causal_mask": True, "pool_type": "last",
    }  # fmt: skip
    return save(folder, CLIP | {"text_cfg": text, "custom_text": True}, SIGLIP_PICTURES)


def make_roberta(folder: Path) -> Made:
    """A text tower of the transformers library, whose shape is in another folder."""
    from transformers import XLMRobertaConfig

    tokenizer = unigrams(model_max_length=64)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    base = folder.parent / f"{folder.name}-base"
    XLMRobertaConfig(
        hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=2,
        vocab_size=len(tokenizer), max_position_embeddings=80, pad_token_id=1,
    ).save_pretrained(base)  # fmt: skip
    text = {"hf_model_name": str(base), "hf_tokenizer_name": str(folder), "hf_pooler_type": "mean_pooler",
            "context_length": 40}  # fmt: skip
    return save(folder, CLIP | {"text_cfg": text})


def make_timm(folder: Path) -> Made:
    """A picture tower of the timm library."""
    vision = {"timm_model_name": "test_vit", "timm_pool": "token", "timm_proj": "linear", "image_size": 160}
    return save(folder, CLIP | {"vision_cfg": vision})


FOLDERS = {
    "clip": make_clip, "coca": make_coca, "resnet": make_resnet, "siglip": make_siglip,
    "roberta": make_roberta, "timm": make_timm,
}  # fmt: skip
