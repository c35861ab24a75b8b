"""What every torch model says of itself: name, revision, device; weights are loaded when first used."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from crossgauge.media import POLICY
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.device import device_of, dtype_name, whole_floats
from crossgauge.models._torch.extras import versions
from crossgauge.models._torch.halving import Halving
from crossgauge.runtime import Dtype, Runtime
from crossgauge.video import POLICY as VIDEO_POLICY


class TorchModel:
    """The part of an adapter that does not depend on the library: a subclass adds ``prepare`` and ``encode``.

    Making one reads only configuration files, so what a model cannot do is known before any weight is read.
    """

    uses_role = False
    joint = False
    cacheable = True
    lazy_weights = True  # where a subclass's prepare() needs them: False
    extras: Sequence[str] = ("torch",)  # of the install
    packages: Sequence[str] = ("torch", "transformers", "tokenizers", "pillow")
    adapter = 1  # raise it in a subclass whose code changes a vector
    auto_dtype: Dtype = "fp32"
    on_gpu: int | None = 256  # items at once that keep it busy; halved where they do not fit into its memory

    def __init__(
        self, name: str, checkpoint: Checkpoint, runtime: Runtime, settings: Mapping[str, str]
    ) -> None:
        self.name = name
        self.checkpoint = checkpoint
        self.runtime = runtime
        self.settings = settings
        self.place = f"model {name}"
        self.device: Any = device_of(runtime, self.place)
        if self.device.type == "cuda":
            whole_floats()
        self.dtype = dtype_name(runtime, self.auto_dtype, self.place)
        self.halving = Halving(self.place)

    @cached_property
    def revision(self) -> str:
        """A digest of checkpoint, settings, number format, decode policies and calculating libraries."""
        parts = [str(self.adapter), self.checkpoint.revision, self.dtype, str(POLICY)]
        parts += [f"{key}={value}" for key, value in sorted(self.settings.items())]
        parts += versions(*self.packages)
        if "video" in getattr(self, "modalities", frozenset()):
            parts += [f"video {VIDEO_POLICY}", *versions("av")]
        return f"{self.adapter}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    @property
    def batch_size(self) -> int | None:
        """How many items at once it asks for: on a GPU many, of videos and elsewhere what is usual (None)."""
        many = self.device.type == "cuda" and "video" not in getattr(self, "modalities", ())
        return self.on_gpu if many else None

    @property
    def languages(self) -> frozenset[str] | None:
        """What the card lists; None when it does not say."""
        return self.checkpoint.languages

    def parameters(self) -> int | None:
        """How many numbers its weights hold, by the headers of the files; None where these do not say."""
        return self.checkpoint.parameters

    def told(self) -> Sequence[str]:
        """What the user should know of how it went, once; a subclass adds its own lines."""
        return self.halving.told()
