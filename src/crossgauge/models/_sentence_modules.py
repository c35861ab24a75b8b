"""The modules of a checkpoint of sentence-transformers, as its files list them; nothing is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.models._torch.checkpoint import Checkpoint, shapes_in
from crossgauge.models._torch.json_file import json_object

LIBRARY = "sentence_transformers."  # a module of another package is somebody's own code
ROUTERS = frozenset({"Router", "Asym"})
TOWERS = frozenset({"Transformer", "CLIPModel"})
_CONFIGS = ("sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json",
            "sentence_camembert_config.json", "sentence_albert_config.json",
            "sentence_xlm-roberta_config.json", "sentence_xlnet_config.json")  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One module of a model."""

    type: str  # the class that modules.json names
    folder: Path
    config: Mapping[str, Any]
    route: str = ""  # of a router; "" outside of one

    @property
    def kind(self) -> str:
        """The name of its class."""
        return self.type.rpartition(".")[2]


def parts_of(checkpoint: Checkpoint) -> Iterator[Part]:
    """In order, those of a router after it; none without modules.json.

    Raises InputError: E604 (damaged), E636 (a folder that leads out of the checkpoint).
    """
    file = checkpoint.path / "modules.json"
    if not file.is_file():
        return
    for module in _listed(file):
        kind, folder = str(module.get("type") or ""), _inside(checkpoint.path, module.get("path"), file)
        part = Part(kind, folder, _config(kind, folder))
        yield part
        if part.kind in ROUTERS:
            yield from _routes(part, folder)


def _routes(router: Part, folder: Path) -> Iterator[Part]:
    file = folder / "router_config.json"
    types, structure = router.config.get("types"), router.config.get("structure")
    if not isinstance(types, dict) or not isinstance(structure, dict):
        raise InputError(Fault("E604", str(file), "no types and structure", "the library's own"))
    for route, names in structure.items():
        for name in names:
            inner = _inside(folder, name, file)
            yield Part(str(types.get(name) or ""), inner, _config(str(types.get(name)), inner), str(route))


def _config(kind: str, folder: Path) -> Mapping[str, Any]:
    name = kind.rpartition(".")[2]
    if name in ROUTERS:
        return json_object(folder / "router_config.json") or json_object(folder / "config.json")
    if name in TOWERS:
        return next((found for one in _CONFIGS if (found := json_object(folder / one))), {})
    return json_object(folder / "config.json")


def reads_of(part: Part, checkpoint: Checkpoint) -> Sequence[str]:
    """As the library has it: a list where it wrote one, and what was meant before it did."""
    listed = part.config.get("modality_config")
    if isinstance(listed, dict):
        return [str(name) for name in listed]
    own = not part.type.startswith(LIBRARY) and "vision_config" in checkpoint.config
    return ["text", "image"] if part.kind == "CLIPModel" or own else ["text"]


def routed(parts: Sequence[Part]) -> bool:
    """Whether a router looks at the task; one that looks at the modality alone does not count."""
    for part in parts:
        if part.kind in ROUTERS:
            mapped = (part.config.get("parameters") or {}).get("route_mappings") or {}
            names = {"query", "document"} & set(part.config.get("structure") or {})
            if names or any(not str(key).startswith("(None") for key in mapped):
                return True
    return False


def size_of(part: Part) -> int | None:
    """The length of the vectors that it gives; None where it does not say.

    A table of vectors has no configuration: the header of its weights says.
    """
    if part.kind == "StaticEmbedding":
        file = part.folder / "model.safetensors"
        shapes = shapes_in(file) if file.is_file() else {}
        table = shapes.get("embedding.weight") or shapes.get("embeddings") or ()
        return table[-1] if table else None
    if part.kind == "Dense":
        found = part.config.get("out_features")
        return found if isinstance(found, int) else None
    if part.kind != "Pooling":
        return None
    width = part.config.get("embedding_dimension") or part.config.get("word_embedding_dimension")
    mode = part.config.get("pooling_mode")
    flags = [key for key, on in part.config.items() if key.startswith("pooling_mode_") and on is True]
    several = len(mode) if isinstance(mode, list) else 1 if mode else max(1, len(flags))
    return int(width) * several if width else None


def _inside(folder: Path, name: object, file: Path) -> Path:
    """A folder under another; raises InputError (E636) for one that leads out of it."""
    found = folder / str(name or "")
    if not found.resolve().is_relative_to(folder.resolve()):
        raise InputError(Fault("E636", str(file), f"the folder {name!r}", "one inside the checkpoint"))
    return found


def _listed(file: Path) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(file.read_bytes())
    except ValueError as error:
        raise InputError(Fault("E604", str(file), f"not JSON: {error}", "the checkpoint's own")) from None
    if not isinstance(found, list) or not found or not all(isinstance(one, dict) for one in found):
        raise InputError(Fault("E604", str(file), "no list of modules", "the library's own"))
    return found
