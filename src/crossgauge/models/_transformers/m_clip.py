"""M-CLIP (Carlsson et al., LREC 2022): multilingual text towers for the spaces of existing picture towers.

A checkpoint holds ``transformer`` (XLM-R, BERT …) and ``LinearTransformation``; the vector of a text is the
linear map of the mean of the last hidden states over the tokens that are no padding. The shape of the
transformer is in the configuration of ``modelBase``, another model of the hub; that file alone is read of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.named import Named
from crossgauge.models._transformers.dual import Family, positions
from crossgauge.models._transformers.loading import load_config, refuse_lacking
from crossgauge.runtime import Runtime

BASES = frozenset({"bert", "distilbert", "roberta", "xlm-roberta"})
_WANTED = '{"modelBase": a model of the hub, "transformerDimensions": int, "numDims": int}'


class TowerConfig(NamedTuple):
    """What shapes the tower."""

    base: Any  # the transformer's configuration
    digest: str  # of its file
    width: int  # of the transformer's states
    dimension: int  # of the vectors


@dataclass(frozen=True)
class MClip(Family):
    """``MultilingualCLIP`` of the package multilingual-clip, without that package."""

    def read_config(self, checkpoint: Checkpoint) -> TowerConfig:
        """Raises InputError (E604) for a damaged configuration, UsageError (E620) for another base."""
        found = checkpoint.config
        base, width, dimension = (found.get(key) for key in ("modelBase", "transformerDimensions", "numDims"))
        if not isinstance(base, str) or not isinstance(width, int) or not isinstance(dimension, int):
            raise InputError(Fault("E604", str(checkpoint.path / "config.json"), f"{found!r:.200}", _WANTED))
        place = f"{checkpoint.place}, its base {base}"
        folder = _base_folder(base, place)
        opened = Checkpoint(place, folder, "", Runtime())
        config = load_config(opened)
        if config.model_type not in BASES:
            wanted = f"one of: {', '.join(sorted(BASES))}"
            raise UsageError(Fault("E620", place, f"model_type {config.model_type!r}", wanted))
        return TowerConfig(config, content_digest(folder / "config.json"), width, dimension)

    def positions(self, config: TowerConfig) -> int | None:
        """Those of the transformer."""
        return positions(config.base)

    def pins(self, config: TowerConfig) -> Mapping[str, str]:
        """The base's configuration lies outside the checkpoint."""
        return {"base": config.digest}

    def load(self, checkpoint: Checkpoint, config: TowerConfig, *, dtype: Any) -> Any:
        """Both parts, under the names that their tensors have. Raises InputError: E603, E622."""
        import torch
        import transformers

        models: Any = transformers.AutoModel
        parts = torch.nn.ModuleDict({
            "transformer": models.from_config(config.base),
            "LinearTransformation": torch.nn.Linear(config.width, config.dimension),
        })  # fmt: skip
        try:
            lacking = parts.load_state_dict(_tensors(checkpoint), strict=False).missing_keys
        except RuntimeError as error:
            found = f"weights of another shape: {str(error).splitlines()[-1].strip()}"
            raise InputError(Fault("E622", checkpoint.place, found, "those of its modelBase")) from error
        refuse_lacking(checkpoint, lacking, self.unused)
        return parts.to(dtype).eval()

    def text(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """The linear map of the masked mean."""
        states = model["transformer"](**inputs).last_hidden_state
        mask = inputs["attention_mask"].unsqueeze(2)
        return model["LinearTransformation"]((states * mask).sum(dim=1) / mask.sum(dim=1))


def _base_folder(base: str, place: str) -> Path:
    if Path(base).is_dir():
        return Path(base)
    return open_checkpoint(Named(base, "", {}, {}), place, Runtime(), kept=("config.json",)).path


def _tensors(checkpoint: Checkpoint) -> dict[str, Any]:
    """Every tensor of the checkpoint, from safetensors, or from torch's pickles where these are allowed."""
    import torch
    from safetensors.torch import load_file

    if checkpoint.safe_weights():
        files = sorted(checkpoint.path.glob("*.safetensors"))
        return {name: tensor for file in files for name, tensor in load_file(file).items()}
    files = sorted(checkpoint.path.glob("pytorch_model*.bin"))
    loaded = [torch.load(file, map_location="cpu", weights_only=True) for file in files]
    return {name: tensor for tensors in loaded for name, tensor in tensors.items()}
