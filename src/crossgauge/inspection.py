"""What a model is, before any of its weights are read."""

from __future__ import annotations

from typing import Any

import msgspec

from crossgauge.errors import UsageError
from crossgauge.models import describe, load_model
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Captioner, Encoder


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model says of itself; what it does not say is absent."""

    name: str
    revision: str
    what: str  # one line about the family
    makes: tuple[str, ...]  # vectors, captions
    modalities: tuple[str, ...]
    joint: bool  # several modalities of one item are one input
    uses_role: bool | None = None
    similarity: str | None = None
    dimensions: int | None = None
    parameters: int | None = None
    dtype: str | None = None
    device: str | None = None
    preprocessing: str | None = None
    license: str | None = None
    languages: tuple[str, ...] | None = None
    lacks: tuple[str, ...] = ()  # files without which it cannot do what its family can
    needs: tuple[str, ...] = ()  # extras; none where the base install will do


def inspect_model(spec: str, runtime: Runtime = DEFAULT) -> ModelFacts:
    """The facts about a model that a name stands for; only configuration files are read where that will do.

    Raises what :func:`crossgauge.models.load_model` raises.

    >>> facts = inspect_model("random:8")
    >>> facts.makes, facts.similarity, facts.parameters
    (('vectors',), 'cosine', None)
    """
    found: Any = load_model(spec, runtime)
    family = spec.partition(":")[0]
    encoder = isinstance(found, Encoder)
    count = getattr(found, "parameters", None)
    checkpoint = getattr(found, "checkpoint", None)
    return ModelFacts(
        name=found.name,
        revision=found.revision,
        what=_described(family),
        makes=(*(("vectors",) if encoder else ()), *(("captions",) if isinstance(found, Captioner) else ())),
        modalities=tuple(sorted(found.modalities)),
        joint=found.joint,
        uses_role=found.uses_role if encoder else None,
        similarity=found.similarity if encoder else None,
        dimensions=getattr(found, "dimensions", None),
        parameters=count() if callable(count) else None,
        dtype=getattr(found, "dtype", None),
        device=str(found.device) if hasattr(found, "device") else None,
        preprocessing=getattr(found, "preprocessing", None),
        license=None if checkpoint is None else checkpoint.card.get("license"),
        languages=None if found.languages is None else tuple(sorted(found.languages)),
        lacks=tuple(dict.fromkeys(getattr(found, "lacks", {}).values())),
        needs=_extras(found),
    )


def _extras(model: Any) -> tuple[str, ...]:
    """What must be installed beside the base: what the adapter says, and PyAV where it reads videos."""
    own = tuple(getattr(model, "extras", ()))
    return (*own, "video") if own and "video" in model.modalities else own


def _described(family: str) -> str:
    try:
        return describe(family)
    except UsageError:
        return ""
