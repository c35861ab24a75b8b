"""Which checkpoints can be embedders, and the little in which families differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from crossgauge.errors import Fault, UsageError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._transformers.families import FAMILIES as DUAL

Side: TypeAlias = Literal["left", "right"]
CODED = ("AutoModelForImageTextToText", "AutoModelForVision2Seq", "AutoModelForCausalLM", "AutoModel")
OTHERS = {
    **dict.fromkeys(DUAL, "transformers:ID"), "git": "caption:transformers:ID",
    "instructblip": "caption:transformers:ID", "instructblipvideo": "caption:transformers:ID",
}  # fmt: skip
ALSO = frozenset({"phi4_multimodal"})  # not in the library's list of models for pictures and text to text


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is loaded and read; other kinds override what they do otherwise.

    Right padding is the default: no token of a causal model sees what comes after it.
    """

    model_class: str = "AutoModel"  # without the head that writes
    whole: str = "AutoModelForImageTextToText"  # with it: what adapters are trained on
    code: bool = False  # whether it runs code of the checkpoint, which the user pinned
    batched: bool = False  # whether tests show that a batch, padded on either side, changes no vector
    padding: Side = "right"
    unused: str = r"(^|\.)(pooler|lm_head)\.|position_ids$|inv_freq$"  # weights that change no state

    def words(self, processor: Any, prompt: str) -> Mapping[str, Any]:
        """The tensors of a prompt without a picture."""
        return dict(processor(text=prompt, return_tensors="pt"))


@dataclass(frozen=True)
class PaliGemma(Family):
    """Its processor takes no text without a picture: the same layout by its tokenizer, less the picture."""

    def words(self, processor: Any, prompt: str) -> Mapping[str, Any]:
        """The begin mark, the text, a line break, all in one block that looks both ways."""
        tokenizer = processor.tokenizer
        inputs = dict(
            tokenizer([f"{tokenizer.bos_token}{prompt}\n"], add_special_tokens=False, return_tensors="pt")
        )
        return inputs | {"token_type_ids": inputs["input_ids"] * 0}


_BATCHED = ("gemma3", "idefics3", "llava", "llava_onevision", "qwen2_5_vl", "qwen2_vl", "qwen3_vl", "smolvlm")
FAMILIES: Mapping[str, Family] = {
    **{name: Family(batched=True) for name in _BATCHED},
    "paligemma": PaliGemma(batched=True),
    "phi4_multimodal": Family(whole="AutoModelForCausalLM"),  # a picture's vector changes with its neighbours
}


def family_of(checkpoint: Checkpoint) -> Family:
    """The family of a checkpoint.

    Raises UsageError: E640 (no embedder of pictures and texts), E601 and E602 (it brings its own code, which
    is not trusted).
    """
    kind = checkpoint.architecture
    if kind in _known() and not _refused(checkpoint):
        return FAMILIES.get(kind, Family())
    mapped = checkpoint.config.get("auto_map")
    offered = [name for name in CODED if isinstance(mapped, dict) and name in mapped]
    if offered:
        if not checkpoint.runs_code():
            raise checkpoint.refuse_code()
        return Family(model_class=offered[0], code=True)
    found = _refused(checkpoint) or (f"model_type {kind!r}" if kind else "no model_type in config.json")
    wanted = "a vision-language model that this transformers knows for pictures and text"
    fix = f"{OTHERS[kind]} takes it" if kind in OTHERS else "pip install -U transformers for a newer one"
    raise UsageError(Fault("E640", checkpoint.place, found, wanted, fix))


def _refused(checkpoint: Checkpoint) -> str:
    """Why an architecture that the library knows has no state that stands for its input; "" for none."""
    config = checkpoint.config
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    if checkpoint.architecture in OTHERS:
        return f"model_type {checkpoint.architecture!r}, whose text does not hold its picture"
    if any(part.get("is_encoder_decoder") for part in parts):
        return f"model_type {checkpoint.architecture!r}: an encoder and a decoder, so no one last token"
    return ""


def _known() -> frozenset[str]:
    """Every architecture of the installed release that reads pictures and text in one sequence."""
    from transformers.models.auto import modeling_auto

    shown = frozenset(modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES) | ALSO
    return shown & frozenset(modeling_auto.MODEL_MAPPING_NAMES)
