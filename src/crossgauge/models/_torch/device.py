"""Which device, and which number format: decided once, the same for every adapter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crossgauge.errors import EnvironmentFault, Fault, UsageError
from crossgauge.models._torch.halving import no_room, out_of_memory
from crossgauge.runtime import Dtype, Runtime

_SAVED: Mapping[str, Dtype] = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
_FORM = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


def device_of(runtime: Runtime, place: str) -> Any:
    """The ``torch.device`` asked for; ``auto`` is the first CUDA device, else Apple's, else the processor.

    Raises UsageError (E608) for a name that is none, EnvironmentFault (E609) for a device that is not here.
    """
    import torch

    wanted = runtime.device
    if not _FORM.fullmatch(wanted):
        raise UsageError(Fault("E608", place, f"--device {wanted}", "auto, cpu, cuda, cuda:N or mps"))
    cuda, mps = torch.cuda.device_count(), torch.backends.mps.is_available()
    if wanted == "auto":
        return torch.device("cuda:0" if cuda else "mps" if mps else "cpu")
    number = int(wanted.partition(":")[2] or 0)
    if (wanted.startswith("cuda") and number >= cuda) or (wanted == "mps" and not mps):
        here = ", ".join(["cpu", *[f"cuda:{n}" for n in range(cuda)], *(["mps"] if mps else [])])
        raise EnvironmentFault(
            Fault("E609", place, f"--device {wanted}: torch {torch.__version__} sees {here}", "one of these",
                  "--device auto, or a torch built for that device")
        )  # fmt: skip
    return torch.device(f"cuda:{number}" if wanted.startswith("cuda") else wanted)


def placed(model: Any, device: Any, place: str) -> Any:
    """The model on its device; raises EnvironmentFault (E610) where its weights do not fit there."""
    try:
        return model.to(device)
    except Exception as error:
        if not out_of_memory(error):
            raise
        raise no_room(place, "as its weights are put there", error) from error


def whole_floats() -> None:
    """In this process CUDA's convolutions of float32 multiply float32.

    By torch's default they multiply TF32, of 11 bits: a picture's vector would be off by about 1e-3.
    """
    import torch

    torch.backends.cudnn.allow_tf32 = False


def dtype_name(runtime: Runtime, auto: Dtype, place: str) -> Dtype:
    """The number format asked for; ``auto`` is the adapter's own, never the device's.

    Raises UsageError (E608) for one that is none.

    >>> dtype_name(Runtime(), "fp32", "model x")
    'fp32'
    """
    if runtime.dtype not in {"auto", "fp32", "bf16", "fp16"}:
        raise UsageError(Fault("E608", place, f"--dtype {runtime.dtype}", "auto, fp32, bf16 or fp16"))
    return auto if runtime.dtype == "auto" else runtime.dtype


def own_dtype(config: Mapping[str, Any]) -> Dtype:
    """The number format that a checkpoint was saved in, by its ``config.json``; fp32 where that does not say.

    >>> own_dtype({"torch_dtype": "bfloat16"}), own_dtype({"text_config": {"dtype": "float16"}})
    ('bf16', 'fp16')
    """
    inner = config.get("text_config")
    for document in (config, inner if isinstance(inner, dict) else {}):
        said = str(document.get("dtype") or document.get("torch_dtype") or "").removeprefix("torch.")
        if said in _SAVED:
            return _SAVED[said]
    return "fp32"


def torch_dtype(name: Dtype) -> Any:
    """The ``torch.dtype`` of a name."""
    import torch

    return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]
