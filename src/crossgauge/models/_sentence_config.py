"""What a checkpoint of sentence-transformers says of itself: its modules, read without running anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.models._sentence_modules import (
    LIBRARY,
    ROUTERS,
    Part,
    parts_of,
    reads_of,
    routed,
    size_of,
)
from crossgauge.models._torch.checkpoint import PICKLES, Checkpoint
from crossgauge.models._torch.json_file import json_object
from crossgauge.types import Modality, Similarity

WAYS: Mapping[str, Similarity] = {"cosine": "cosine", "dot": "dot", "euclidean": "l2"}
_TEMPLATES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json", "processor_config.json")
_BY_ROLE = ("query_length", "document_length", "query_expansion")


class SentenceConfig:
    """modules.json, config_sentence_transformers.json, and the configuration of each module.

    Raises InputError (E604, E636) for what is damaged or leads elsewhere, UsageError (E636) for what makes no
    vectors to rank by.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.parts = tuple(parts_of(checkpoint))
        self.declared = json_object(checkpoint.path / "config_sentence_transformers.json")
        self._refuse_kind()
        self._refuse_elsewhere()

    @property
    def plain(self) -> bool:
        """Whether it is a checkpoint of transformers, on which the library puts pooling of its own."""
        return not (self.checkpoint.path / "modules.json").is_file()

    @property
    def inputs(self) -> Sequence[Part]:
        """The modules that read an item: the first, or the first of each route."""
        found: dict[str, Part] = {}
        for part in self.parts:
            if part.kind not in ROUTERS:
                found.setdefault(part.route, part)
        routed = [part for route, part in found.items() if route]
        return routed if self.parts and self.parts[0].kind in ROUTERS else list(found.values())[:1]

    @cached_property
    def reads(self) -> frozenset[str]:
        """What its input modules take, in the library's words: text, message, image+text, and so on."""
        if self.plain:
            return frozenset({"text", "image"} if "vision_config" in self.checkpoint.config else {"text"})
        return frozenset(name for part in self.inputs for name in reads_of(part, self.checkpoint))

    @property
    def modalities(self) -> frozenset[Modality]:
        """Texts and pictures: what is here of what it takes."""
        able: tuple[Modality, ...] = ("text", "image")
        return frozenset(one for one in able if one in self.reads)

    @property
    def joint(self) -> bool:
        """Whether a picture and a text can be one input."""
        both = {"text", "image"} <= self.reads and "message" in self.reads
        return both or bool({"image+text", "text+image"} & self.reads)

    @property
    def similarity(self) -> Similarity:
        """How its vectors are compared; raises UsageError (E636) for a way that is not offered."""
        way = str(self.declared.get("similarity_fn_name") or "cosine")
        if way in WAYS:
            return WAYS[way]
        found, wanted = f"vectors compared by {way}", f"one of: {', '.join(WAYS)}"
        fix = "its vectors by precomputed:, compared in one of these ways"
        raise UsageError(Fault("E636", self.checkpoint.place, found, wanted, fix))

    @property
    def prompts(self) -> Mapping[str, str]:
        """Those that it declares and that are not empty."""
        found = self.declared.get("prompts")
        pairs = found.items() if isinstance(found, dict) else ()
        return {str(name): str(text) for name, text in pairs if text}

    @cached_property
    def by_role(self) -> bool:
        """Whether queries and documents go different ways, prompts apart."""
        lengths = any(part.config.get(key) for part in self.inputs for key in _BY_ROLE)
        return lengths or routed(self.parts) or self._template_asks() or bool(self._own_code())

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None where its configuration does not say."""
        found = next((size for part in reversed(self.parts) if (size := size_of(part)) is not None), None)
        if found is None and "sentence_embedding" in {
            part.config.get("module_output_name") for part in self.inputs
        }:
            found = self.checkpoint.config.get("projection_dim")
        cut = self.declared.get("truncate_dim")
        return min(int(found), int(cut or found)) if found is not None else None

    @property
    def described(self) -> str:
        """Its modules, in a few words."""
        if self.plain:
            return (
                "mean pooling that the library adds" if self.reads == {"text"} else "features of its towers"
            )
        return " + ".join(part.kind for part in self.parts if not part.route)

    def runs_code(self) -> bool:
        """Whether code of its own is needed, and pinned; raises UsageError (E601, E602) where it is not."""
        needed = bool(self._own_code())
        if not needed and "auto_map" not in self.checkpoint.config:
            return False
        trusted = self.checkpoint.runs_code()
        if needed and not trusted:
            raise self.checkpoint.refuse_code()
        return trusted

    def safe_weights(self) -> bool:
        """Whether every module has safetensors; False where a pickle is needed, and allowed.

        Raises InputError (E603), EnvironmentFault (E600), as :meth:`Checkpoint.safe_weights`.
        """
        self.checkpoint.safe_weights()
        safe = True
        for folder in dict.fromkeys([part.folder for part in self.parts] or [self.checkpoint.path]):
            pickles = sorted(file for kind in PICKLES for file in folder.glob(kind))
            if pickles and not any(folder.glob("*.safetensors")):
                self.checkpoint.allow_pickle(pickles[0].relative_to(self.checkpoint.path).as_posix())
                safe = False
        return safe

    def _own_code(self) -> Sequence[str]:
        """Classes outside the library that the configuration asks for."""
        classes = [part.type for part in self.parts]
        classes += [
            str(part.config["tokenizer_class"]) for part in self.parts if "tokenizer_class" in part.config
        ]
        layers = [str(part.config.get("activation_function") or "torch.") for part in self.parts]
        return [
            *(one for one in classes if not one.startswith(LIBRARY)),
            *(one for one in layers if not one.startswith("torch.")),
        ]

    def _template_asks(self) -> bool:
        """Whether a chat template looks at the task, which is what the library calls a role."""
        files = [self.checkpoint.path / name for name in _TEMPLATES]
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]
        return "message" in self.reads and any(re.search(r"{[%{][^}]*\btask\b", text) for text in texts)

    def _refuse_kind(self) -> None:
        kind = str(self.declared.get("model_type") or "SentenceTransformer")
        if kind != "SentenceTransformer":
            found = f"a {kind}, whose vectors are of another kind"
            raise UsageError(Fault("E636", self.checkpoint.place, found, "a SentenceTransformer"))

    def _refuse_elsewhere(self) -> None:
        """An adapter's base model, and a tokenizer of another repository, are pinned by nothing."""
        folders = dict.fromkeys([self.checkpoint.path, *(part.folder for part in self.parts)])
        adapters = [folder for folder in folders if (folder / "adapter_config.json").is_file()]
        tokenizers = [part for part in self.inputs if part.config.get("tokenizer_name_or_path")]
        if adapters or tokenizers:
            found = "an adapter of another model" if adapters else "a tokenizer of another repository"
            fix = "save the whole model into one folder"
            raise InputError(Fault("E636", self.checkpoint.place, found, "all of it in one checkpoint", fix))
