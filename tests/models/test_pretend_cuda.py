"""The pretended device refuses and allows what torch's own fake CUDA tensors do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.models.pretend_cuda import CUDA, TwoDevicesError, pretended

ASKED: Mapping[str, Callable[[str], Any]] = {
    "product": lambda other: there(3, 4) @ torch.ones(4, 2, device=other),
    "sum": lambda other: there(3) + torch.ones(3, device=other),
    "sum, the other way": lambda other: torch.ones(3, device=other) + there(3),
    "end to end": lambda other: torch.cat([there(3), torch.ones(3, device=other)]),
    "written into": lambda other: there(3).add_(torch.ones(3, device=other)),
    "choice": lambda other: torch.where(there(3) > 0, there(3), torch.ones(3, device=other)),
    "rows of a table": lambda other: torch.nn.functional.embedding(ids(other), there(4, 2)),
    "layer": lambda other: torch.nn.functional.linear(torch.ones(2, 4, device=other), there(3, 4)),
    "convolution": lambda other: torch.conv2d(torch.ones(1, 3, 8, 8, device=other), there(2, 3, 4, 4)),
    "attention": lambda other: torch.nn.functional.scaled_dot_product_attention(
        there(1, 2, 3, 4), there(1, 2, 3, 4), there(1, 2, 3, 4), attn_mask=torch.ones(3, 3, device=other)
    ),
    "hidden": lambda other: there(3).masked_fill(torch.ones(3, device=other) > 0, 0.0),
    "without axes": lambda other: there(3) * torch.full((), 2.0, device=other),
    "copied": lambda other: torch.ops.aten.copy_(there(3), torch.ones(3, device=other)),
    "sent": lambda other: there(3) + torch.ones(3, device=other).to("cuda:0"),
}  # fmt: skip
ALLOWED = {"without axes", "copied", "sent"}


def there(*shape: int) -> torch.Tensor:
    return torch.ones(shape, device="cuda:0")


def ids(device: str) -> torch.Tensor:
    return torch.zeros(3, dtype=torch.int64, device=device)


@pytest.mark.parametrize("name", ASKED)
def test_two_devices_meet_as_torch_has_it(name: str) -> None:
    modes: tuple[Callable[[], Any], ...] = (pretended, FakeTensorMode)
    for mode in modes[:1] if name == "convolution" else modes:  # the fake one does not look
        with mode(), torch.inference_mode():
            assert ASKED[name]("cuda:0").device == CUDA
            if name in ALLOWED:
                assert ASKED[name]("cpu").device == CUDA
                continue
            with pytest.raises((TwoDevicesError, RuntimeError), match=r"cpu"):
                ASKED[name]("cpu")


def test_numbers_come_back_by_a_copy_alone() -> None:
    with pretended():
        made = torch.arange(6, device="cuda:0").reshape(2, 3) * 1.5
        assert made.device == CUDA
        for see in (made.numpy, lambda: np.asarray(made)):
            with pytest.raises(TypeError, match="cuda:0"):
                see()
        assert made.cpu().numpy().tolist() == made.tolist() == [[0.0, 1.5, 3.0], [4.5, 6.0, 7.5]]
        layer = torch.nn.Linear(3, 2)
        wanted = layer(made.cpu())
        moved = layer.to("cuda:0")
        assert {weight.device for weight in moved.parameters()} == {CUDA}
        assert torch.equal(moved(made).cpu(), wanted)
