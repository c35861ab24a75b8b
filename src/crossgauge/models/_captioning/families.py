"""Which kind of captioner a checkpoint is, by its own configuration."""

from __future__ import annotations

from crossgauge.errors import Fault, UsageError
from crossgauge.models._captioning.chat import Chat
from crossgauge.models._captioning.pictured import Blip2, Git, Pictured
from crossgauge.models._captioning.writing import Writer
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.named import Named
from crossgauge.models._transformers.families import FAMILIES as DUAL
from crossgauge.models._vlm2vec.families import ALSO

PICTURED: dict[str, type[Pictured]] = {"blip": Pictured, "blip-2": Blip2, "git": Git}
CODED = ("AutoModelForImageTextToText", "AutoModelForVision2Seq", "AutoModelForCausalLM")


def writer_of(checkpoint: Checkpoint, named: Named) -> Writer:
    """The kind of a checkpoint.

    Raises UsageError: E650 (it writes nothing), E651 (no chat template), E601 and E602 (it brings its own
    code, which is not trusted), E412 (a setting).
    """
    kind, architectures = checkpoint.architecture, checkpoint.config.get("architectures") or []
    if kind in PICTURED:
        wanted = PICTURED[kind].model_class
        if wanted not in architectures:
            found = f"model_type {kind!r} with architectures {architectures}: not trained to write"
            fix = "name a checkpoint for captioning; for vectors, transformers:ID"
            raise UsageError(Fault("E650", checkpoint.place, found, wanted, fix))
        return PICTURED[kind](checkpoint, named)
    if kind in _chats():
        return Chat(checkpoint, named)
    if kind in ALSO:
        return Chat(checkpoint, named, model_class="AutoModelForCausalLM")
    return _own_code(checkpoint, named)


def _chats() -> frozenset[str]:
    """Every architecture of the installed release that writes about pictures and text."""
    from transformers.models.auto import modeling_auto

    return frozenset(modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES)


def _own_code(checkpoint: Checkpoint, named: Named) -> Writer:
    """A checkpoint whose own code the user trusts, if it has any."""
    mapped = checkpoint.config.get("auto_map")
    offered = [name for name in CODED if isinstance(mapped, dict) and name in mapped]
    if offered:
        if not checkpoint.runs_code():
            raise checkpoint.refuse_code()
        return Chat(checkpoint, named, model_class=offered[0], code=True)
    kind = checkpoint.architecture
    found = f"model_type {kind!r}" if kind else "no model_type in config.json"
    wanted = f"{', '.join(PICTURED)}, or a chat model that this transformers knows for pictures and text"
    fix = "pip install -U transformers for a newer one; caption:openai: for one behind an address"
    if kind in DUAL:
        fix = "it makes vectors: transformers:ID"
    raise UsageError(Fault("E650", checkpoint.place, found, wanted, fix))
