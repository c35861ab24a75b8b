"""What the configuration files beside the graphs say: how texts and pictures are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.models._onnx_pictures import Pictures, read_pictures
from crossgauge.models._onnx_texts import FILE, NO_LIMIT, Padding, Texts
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.json_file import json_object
from crossgauge.models._torch.named import Named, choice, whole

PROCESSORS = ("preprocessor_config.json", "processor_config.json")
TYPES = frozenset({"image_processor_type", "feature_extractor_type"})
PADDED = frozenset({"siglip", "siglip2", "siglip_text_model"})  # trained on texts of the full context length


def pictures_in(checkpoint: Checkpoint) -> Pictures:
    """How pictures are read; raises InputError (E656) where no file says, or one says what is not known."""
    for name in PROCESSORS:
        file = checkpoint.path / name
        document = json_object(file)
        inner = document.get("image_processor", document)
        if isinstance(inner, dict) and TYPES.intersection(inner):
            return read_pictures(inner, str(file))
    found = f"no {PROCESSORS[0]} that says how pictures are read"
    fix = "AutoImageProcessor.from_pretrained(ID).save_pretrained(DIR) writes it"
    raise InputError(Fault("E656", checkpoint.place, found, "the checkpoint's own", fix))


def texts_in(checkpoint: Checkpoint, named: Named, *, fixed: int | None) -> Texts:
    """How texts are read; ``fixed`` is the length that the graph takes, where it takes one alone.

    Raises UsageError (E412) for settings that do not go with the graph, InputError (E604, E657) for files
    that are absent or damaged, EnvironmentFault (E600) without the extra [onnx].
    """
    place = checkpoint.place
    need(place, "onnx", "tokenizers")
    tokenizer = json_object(checkpoint.path / "tokenizer_config.json")
    asked = whole(named, "context", place, least=1, most=NO_LIMIT) if named.settings["context"] else None
    padding = choice(named, "padding", place, ("auto", "none", "max_length"))
    if fixed is not None and (asked not in {None, fixed} or padding == "none"):
        found = "padding=none" if padding == "none" else f"context={asked}"
        raise UsageError(
            Fault("E412", place, found, f"nothing: the graph takes {fixed} tokens and no others")
        )
    context = asked or fixed or _context(checkpoint.config, tokenizer)
    trained = fixed is not None or checkpoint.architecture in PADDED
    if not (padding == "max_length" or (padding == "auto" and trained)):
        return Texts(checkpoint.path / FILE, context=context, padding=None)
    if context is None:
        found = "padding to a context length that no file says"
        raise UsageError(Fault("E412", place, found, "context=N beside it"))
    return Texts(checkpoint.path / FILE, context=context, padding=_padding(checkpoint.config, tokenizer))


def _context(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int | None:
    """The least that a configuration file says."""
    inner = config.get("text_config")
    said = (inner if isinstance(inner, dict) else config).get("max_position_embeddings")
    limits = [said, tokenizer.get("model_max_length")]
    known = [int(one) for one in limits if isinstance(one, int | float) and 0 < one < NO_LIMIT]
    return min(known, default=None)


def _padding(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> Padding:
    """The padding token by its name, and the id to take where the tokenizer has no such token."""
    named = tokenizer.get("pad_token")
    token = named.get("content") if isinstance(named, dict) else named
    inner = config.get("text_config")
    said = (inner if isinstance(inner, dict) else config).get("pad_token_id")
    return Padding(token if isinstance(token, str) else "", said if isinstance(said, int) else 0)
