"""The ways to compute ranks that there are, and which of them this machine has."""

from __future__ import annotations

from dataclasses import dataclass

from crossgauge.errors import EnvironmentFault
from crossgauge.ranking import native
from crossgauge.ranking.torch_grid import torch_here


@dataclass(frozen=True, slots=True)
class Tier:
    """One way; what CROSSGAUGE_TIER calls it."""

    name: str
    available: bool
    why: str  # what it computes with here, or what is missing and how to get it


def tiers() -> tuple[Tier, ...]:
    """All of them; imports torch where it is installed."""
    compiled = native.compiled()
    why = compiled or f"{native.missing()}; {native.GET_COMPILED}"
    return (
        Tier(native.PORTABLE, available=True, why="NumPy, always there"),
        *(Tier(level, available=bool(compiled), why=why) for level in native.LEVELS),
        _with_torch(),
    )


def _with_torch() -> Tier:
    try:
        torch = torch_here()
    except EnvironmentFault as fault:
        return Tier(native.TORCH, available=False, why=f"{fault.faults[0].found}; {fault.faults[0].fix}")
    if torch.cuda.is_available():
        return Tier(native.TORCH, available=True, why=f"{torch.cuda.get_device_name()}; only when asked for")
    return Tier(native.TORCH, available=True, why="no GPU, so slower than the others; only when asked for")
