"""From the hidden states of a batch to one vector an item."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Pool: TypeAlias = Literal["last", "mean", "eos"]


def pooled(states: Any, mask: Any, pool: Pool) -> Any:
    """The vectors of a batch, a float32 tensor (n, D), from states (n, L, D) and a mask (n, L) of 1 and 0.

    ``last``: the state at the last token that is no padding, on whichever side the padding is. ``eos`` is the
    same: the reader has put that token at the end. ``mean``: over all tokens that are no padding, those of
    pictures included.
    """
    import torch

    if pool == "mean":
        hidden = (
            mask.unsqueeze(2) == 0
        )  # of a row that sees nothing a state may be NaN, so it is not multiplied by 0
        return states.float().masked_fill(hidden, 0).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    places = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    last = (mask * places).argmax(dim=1)
    return states[torch.arange(len(states), device=mask.device), last].float()
