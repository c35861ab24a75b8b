"""Where an open_clip model comes from: its files, each looked at before it is loaded."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.models._noted import noted
from crossgauge.models._open_clip_weights import weights_file, weights_in
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.json_file import json_object
from crossgauge.models._torch.named import Named, read_name
from crossgauge.runtime import Runtime

USAGE = "open-clip:ARCH,PRETRAINED, open-clip:hf-hub:OWNER/NAME[@REVISION] or open-clip:local-dir:PATH"
SETTINGS = {"frames": ""}
CONFIG = "open_clip_config.json"
WEIGHTS = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors")
TOKENIZER = ("tokenizer*", "vocab*", "merges.txt", "*.model", "special_tokens_map.json", "added_tokens.json")
HUB, FOLDER = "hf-hub:", "local-dir:"
KNOWN_KWARGS = frozenset({"clean", "strip_sep_token", "language", "additional_special_tokens"})
NEAR = 5  # names shown to somebody who mistyped one


@dataclass(frozen=True)
class Source:
    """All that makes one model, on this disk."""

    named: Named
    schema: str  # "hf-hub:", "local-dir:" or "" for an architecture of the library's list
    checkpoint: Checkpoint
    weights: Path
    config: Mapping[str, Any]  # the library's ``model_cfg``
    pictures: Mapping[str, Any]  # the library's ``preprocess_cfg``, without the size
    tokenizer: Path | None = None  # a folder of the transformers library; None: CLIP's own byte pairs
    pins: Mapping[str, str] | None = None  # what lies outside the checkpoint and changes vectors
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> Mapping[str, Any]:
        """``text_cfg``."""
        found: Mapping[str, Any] = self.config["text_cfg"]
        return found


def open_source(argument: str | None, place: str, runtime: Runtime) -> Source:
    """Everything that an argument names; raises as :func:`crossgauge.models.open_clip.model` says."""
    need(place, "torch", "torch", "torchvision", "open_clip")
    text = argument or ""
    schema = next((one for one in (HUB, FOLDER) if text.startswith(one)), "")
    named = read_name(text.removeprefix(schema), place, defaults=SETTINGS, usage=USAGE)
    source = _of_folder(named, schema, place, runtime) if schema else _of_list(named, place, runtime)
    return _with_towers(source, place)


def _of_folder(named: Named, schema: str, place: str, runtime: Runtime) -> Source:
    """A folder, or the hub's snapshot of one, that holds open_clip_config.json."""
    folder = Path(named.id).expanduser()
    if schema == FOLDER and not folder.is_dir():
        raise UsageError(
            Fault("E605", place, f"{named.id!r} is no folder here", "a folder", "check the path")
        )
    kept = (CONFIG, *WEIGHTS, *TOKENIZER, "README.md")
    checkpoint = open_checkpoint(named, place, runtime, kept=kept)
    file = checkpoint.path / CONFIG
    if not file.is_file():
        raise InputError(Fault("E604", str(file), "no such file", "a folder as open_clip writes it"))
    found = json_object(file, writer="open_clip's own")
    config, pictures = found.get("model_cfg"), found.get("preprocess_cfg") or {}
    if not isinstance(config, dict) or not isinstance(pictures, dict):
        raise InputError(Fault("E604", str(file), "no model_cfg", "open_clip's own configuration"))
    return Source(named, schema, checkpoint, weights_in(checkpoint), _checked(config, str(file)), pictures)


def _of_list(named: Named, place: str, runtime: Runtime) -> Source:
    """An architecture of the library's list, with one of its tags or a file of weights."""
    import open_clip

    name, comma, pretrained = named.id.partition(",")
    architecture = name.replace("/", "-")  # as the library reads it
    config = open_clip.get_model_config(architecture)
    if config is None:
        raise UsageError(_unknown(architecture, place))
    if not comma or not pretrained:
        tags = ", ".join(open_clip.list_pretrained_tags_by_model(architecture)) or "a file of weights"
        raise UsageError(
            Fault("E412", place, f"{name} without weights", f"{name},PRETRAINED", f"one of: {tags}")
        )
    config = _checked(config, f"{place}, its configuration")
    whole = pretrained + (f"@{named.revision}" if named.revision else "")
    file = next(
        (Path(one).expanduser() for one in (whole, pretrained) if Path(one).expanduser().is_file()), None
    )
    if file is not None:
        checkpoint = Checkpoint(place, file.parent, f"sha256:{content_digest(file)[:40]}", runtime)
        return Source(named, "", checkpoint, weights_file(file, checkpoint), config, {})
    named = named._replace(id=f"{architecture},{pretrained}")
    return _of_tag(named, pretrained, config, place, runtime)


def _of_tag(named: Named, tag: str, config: Mapping[str, Any], place: str, runtime: Runtime) -> Source:
    import open_clip

    architecture = named.id.partition(",")[0]
    found = open_clip.get_pretrained_cfg(architecture, tag)
    repository = str(found.get("hf_hub") or "").rpartition("/")[0]
    if not repository:
        tags = open_clip.list_pretrained_tags_by_model(architecture)
        wanted = f"one of: {', '.join(tags)}; or a file of weights" if tags else "a file of weights"
        raise UsageError(Fault("E631", place, f"no weights {tag!r} for {architecture}", wanted))
    kept = (*WEIGHTS, *TOKENIZER, "README.md")
    checkpoint = open_checkpoint(Named(repository, named.revision, {}, {}), place, runtime, kept=kept)
    notes = _gelu(architecture, config, found)
    return Source(named, "", checkpoint, weights_in(checkpoint), config, found, notes=notes)


def _gelu(architecture: str, config: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, ...]:
    """The library goes on where weights were trained with another activation; the vectors are then worse."""
    trained, used = bool(found.get("quick_gelu")), bool(config.get("quick_gelu"))
    if trained == used:
        return ()
    other = f"{architecture}-quickgelu" if trained else architecture.removesuffix("-quickgelu")
    names = {True: "QuickGELU", False: "GELU"}
    said = f"weights trained with {names[trained]} in an architecture with {names[used]}"
    return (noted("W630", said, wanted=names[trained], fix=f"name {other}"),)


def _with_towers(source: Source, place: str) -> Source:
    """The tokenizer, and the shape of a text tower that is another model of the hub."""
    text, pins = dict(source.text), {"config": json.dumps(source.config, sort_keys=True)}
    pins["pictures"] = json.dumps(dict(source.pictures), sort_keys=True, default=str)
    unknown = sorted(set(text.get("tokenizer_kwargs") or {}) - KNOWN_KWARGS)
    if unknown:
        found = f"its tokenizer asks for {', '.join(unknown)}"
        wanted = f"only {', '.join(sorted(KNOWN_KWARGS))}: others read files, run code or cut texts at random"
        raise InputError(Fault("E632", place, found, wanted))
    tokenizer = None
    if text.get("hf_tokenizer_name"):
        need(place, "torch", "transformers")
        opened = _tokenizer(source, str(text["hf_tokenizer_name"]), place)
        tokenizer, pins["tokenizer"] = opened.path, opened.revision
    elif not source.schema and "siglip" in source.named.id.partition(",")[0].lower():
        found = "a SigLIP architecture without hf_tokenizer_name, whose tokenizer the library would download"
        raise InputError(Fault("E632", place, found, "hf_tokenizer_name in its text_cfg"))
    if text.get("hf_model_name"):
        need(place, "torch", "transformers")
        base = str(text["hf_model_name"])
        opened = _elsewhere(base, f"{place}, its text tower {base}", source, ("config.json",))
        pins["tower"] = content_digest(opened.path / "config.json")
        text |= {"hf_model_name": str(opened.path), "hf_model_pretrained": False}
    config = {**source.config, "text_cfg": text}
    return replace(source, config=config, tokenizer=tokenizer, pins=pins)


def _tokenizer(source: Source, name: str, place: str) -> Checkpoint:
    """As the library has it: a folder's own, and else the one that the configuration names."""
    own = source.named.id if source.schema else ""
    if source.schema == FOLDER or name == own:
        return source.checkpoint
    return _elsewhere(name, f"{place}, its tokenizer {name}", source, (*TOKENIZER, "config.json"))


def _elsewhere(name: str, place: str, source: Source, kept: tuple[str, ...]) -> Checkpoint:
    runtime = replace(source.checkpoint.runtime, trust_code="", pickle_weights=False)
    return open_checkpoint(Named(name, "", {}, {}), place, runtime, kept=kept)


def _unknown(architecture: str, place: str) -> Fault:
    import open_clip

    names = {name.lower(): name for name in open_clip.list_models()}
    near = [names[one] for one in difflib.get_close_matches(architecture.lower(), names, n=NEAR, cutoff=0.5)]
    wanted = f"one of {len(names)} names, such as {', '.join(near or list(names.values())[:NEAR])}"
    fix = "hf-hub:OWNER/NAME or local-dir:PATH for a model that brings its configuration"
    return Fault("E630", place, f"no architecture {architecture!r} in open_clip", wanted, fix)


def _checked(config: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    lacking = [key for key, kind in (("embed_dim", int), ("vision_cfg", dict), ("text_cfg", dict))
               if not isinstance(config.get(key), kind)]  # fmt: skip
    if lacking:
        raise InputError(Fault("E604", place, f"no {', '.join(lacking)} in model_cfg", "open_clip's own"))
    return config
