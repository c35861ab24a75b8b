"""Lets PyPI's torchvision be imported beside a CPU build of torch.

Its compiled part is linked to torch's CUDA libraries and cannot be loaded there; its Python part then asks
for operators that do not exist. Declaring them is enough: no test uses one (boxes and pooling), and
transforms are plain Python.
"""

from __future__ import annotations

from functools import cache
from typing import Any

OPERATORS = (
    "nms", "qnms", "roi_align", "_roi_align_backward", "ps_roi_align", "_ps_roi_align_backward", "roi_pool",
    "_roi_pool_backward", "ps_roi_pool", "_ps_roi_pool_backward", "qroi_align",
)  # fmt: skip


@cache
def declare() -> Any:
    """Declare the operators where the binary cannot; what is returned must be kept alive."""
    import torch

    if torch.version.cuda is not None:
        return None
    library = torch.library.Library("torchvision", "DEF")
    for name in OPERATORS:
        library.define(f"{name}(Tensor x) -> Tensor")
    return library
