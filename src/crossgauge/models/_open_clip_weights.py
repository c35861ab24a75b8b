"""The one file that an open_clip model's weights are in: safetensors, and pickles only where allowed."""

from __future__ import annotations

from pathlib import Path

from crossgauge.errors import Fault, InputError
from crossgauge.models._torch.checkpoint import PICKLES, Checkpoint

PREFERRED = (
    "open_clip_model.safetensors", "open_clip_pytorch_model.safetensors", "open_clip_pytorch_model.bin",
    "open_clip_pytorch_model.pth", "model.safetensors", "pytorch_model.bin", "pytorch_model.pth",
)  # fmt: skip
SAFE = ".safetensors"


def weights_in(checkpoint: Checkpoint) -> Path:
    """A folder's weights, by the names that the library looks for, safetensors first.

    Raises InputError (E603): none, or a pickle that nobody allowed; EnvironmentFault (E600).
    """
    found = sorted(checkpoint.path.glob(f"*{SAFE}"))
    if not found and not checkpoint.safe_weights():
        found = sorted(file for kind in PICKLES for file in checkpoint.path.glob(kind))
    if not found:
        wanted = f"one of: {', '.join(PREFERRED[:3])}"
        raise InputError(Fault("E603", checkpoint.place, "no weights beside its configuration", wanted))
    return min(found, key=_rank)


def weights_file(file: Path, checkpoint: Checkpoint) -> Path:
    """A file that the user named; raises as :func:`weights_in`."""
    if file.suffix == SAFE:
        return file
    if file.suffix not in {kind.removeprefix("*") for kind in PICKLES}:
        wanted = f"a file named *{SAFE} or {', '.join(PICKLES)}"
        raise InputError(Fault("E603", checkpoint.place, f"weights in {file.name}", wanted))
    checkpoint.allow_pickle(file.name)
    return file


def _rank(file: Path) -> tuple[int, str]:
    place = PREFERRED.index(file.name) if file.name in PREFERRED else len(PREFERRED)
    return place, file.name
