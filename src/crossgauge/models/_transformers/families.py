"""Which family a checkpoint belongs to, by its own configuration: one line each."""

from __future__ import annotations

from typing import Any

from crossgauge.errors import Fault, UsageError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._transformers.dual import Family, OwnCode
from crossgauge.models._transformers.itc import Blip, Blip2, hidden
from crossgauge.models._transformers.m_clip import MClip
from crossgauge.models._transformers.x_clip import XClip

_NO_TYPES = ("token_type_ids",)


def _siglip_dimension(config: Any) -> int:
    return int(config.text_config.projection_size or config.text_config.hidden_size)


FAMILIES: dict[str, Family] = {
    "clip": Family("CLIP", "CLIPModel"),
    "metaclip_2": Family("MetaCLIP 2", "MetaClip2Model"),
    "siglip": Family("SigLIP, fixed SigLIP 2", "SiglipModel", "max_length", dimension=_siglip_dimension),
    "siglip2": Family("SigLIP 2 NaFlex", "Siglip2Model", "max_length", 64, dimension=_siglip_dimension),
    "chinese_clip": Family("Chinese-CLIP", "ChineseCLIPModel"),
    "altclip": Family("AltCLIP", "AltCLIPModel"),
    "align": Family("ALIGN", "AlignModel", "max_length", 64),
    "blip": Blip(
        "BLIP for retrieval", "BlipForImageTextRetrieval", without=_NO_TYPES, dimension=hidden,
        unused=r"(^|\.)pooler\.|^itm_head\.",
    ),
    "blip-2": Blip2(
        "BLIP-2 for retrieval", "Blip2ForImageTextRetrieval", without=_NO_TYPES, unused=r"^itm_head\.",
        dimension=hidden, settings={"queries": ("mean", "first")},
        notes=(
            "BLIP-2 scores a pair by the best of a picture's query vectors; here their {queries} counts",
        ),
    ),
    "xclip": XClip(
        "X-CLIP", "XCLIPModel", modalities=frozenset({"text", "video"}),
        notes=("texts are encoded without X-CLIP's video-specific prompts, which need the pair",),
    ),
    "M-CLIP": MClip(
        "M-CLIP text towers", "", modalities=frozenset({"text"}),
        dimension=lambda config: int(config.dimension),
    ),
}  # fmt: skip
RETRIEVAL = frozenset({"blip", "blip-2"})  # their model_type is also that of captioners


def family_of(checkpoint: Checkpoint) -> Family:
    """The family of a checkpoint.

    Raises UsageError: E620 (none that is known, or one of its kinds that makes no vectors), E601 and E602 (it
    brings its own code, which is not trusted).
    """
    kind = checkpoint.architecture
    family = FAMILIES.get(kind)
    architectures = checkpoint.config.get("architectures") or []
    if family is not None:
        if kind in RETRIEVAL and family.model_class not in architectures:
            found = f"model_type {kind!r} with architectures {architectures}: not trained for retrieval"
            fix = "name a checkpoint for retrieval; for captions, caption:transformers:ID"
            raise UsageError(Fault("E620", checkpoint.place, found, family.model_class, fix))
        return family
    if checkpoint.config.get("auto_map"):
        if checkpoint.runs_code():
            return OwnCode("a checkpoint with its own code", "AutoModel")
        raise checkpoint.refuse_code()
    found = (
        f"model_type {kind!r}"
        if kind
        else "a config.json without model_type"
        if checkpoint.config
        else "no config.json"
    )
    known = ", ".join(f"{key} ({family.title})" for key, family in FAMILIES.items())
    fix = "other libraries: open-clip:, sentence-transformers:, vlm2vec:, python:MODULE:ATTRIBUTE"
    raise UsageError(Fault("E620", checkpoint.place, found, f"one of: {known}", fix))
