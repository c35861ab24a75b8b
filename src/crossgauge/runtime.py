"""Where and how a model runs: what the user may ask of any model that runs on torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Dtype: TypeAlias = Literal["auto", "fp32", "bf16", "fp16"]


@dataclass(frozen=True, slots=True)
class Runtime:
    """Device, number format, and what the user trusts; the defaults are the same numbers on every machine.

    ``dtype`` changes vectors, so it is part of a model's revision; ``device`` and ``compile`` change only how
    the last bits round.
    """

    device: str = "auto"  # auto, cpu, cuda, cuda:N, mps
    dtype: Dtype = "auto"  # auto: what the adapter says, never what the device likes best
    compile: bool = False  # torch.compile the model
    trust_code: str = ""  # the commit whose code may run; "": none
    pickle_weights: bool = False  # weights may come from torch's pickles, through its restricted reader


DEFAULT = Runtime()
