"""Items that were read one by one, put together: what may share a batch, and its tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crossgauge.models._vlm2vec.families import Side


class Inputs(NamedTuple):
    """What the processor made of one item, and what became of its text."""

    tensors: Mapping[str, Any]  # input_ids (1, L), what else has that shape, and what the pictures became
    pieces: int  # tokens before anything was cut
    special: int  # those of them that are marks and pictures
    unknown: int  # those that stand for what the vocabulary does not have

    @property
    def length(self) -> int:
        """Its tokens, L."""
        return int(self.tensors["input_ids"].shape[1])


def together(rows: Sequence[Inputs], *, padded: bool) -> list[list[int]]:
    """Which rows may share a batch: those whose pictures became tensors that can be laid end to end.

    So texts alone stand apart from pictures, and pictures cut into three tiles from those cut into five: a
    batch holds no padding but that of tokens, which the mask hides. Without ``padded`` (a family that nobody
    has tried in batches) texts of one length share one, and each picture is alone.
    """
    groups: dict[object, list[int]] = {}
    for at, one in enumerate(rows):
        kind: object = _kind(one)
        if not padded:
            kind = at if any(not of_tokens(key, one.tensors) for key in one.tensors) else (kind, one.length)
        groups.setdefault(kind, []).append(at)
    return list(groups.values())


def batch_of(rows: Sequence[Inputs], *, side: Side, pad: int) -> dict[str, Any]:
    """The tensors of one batch: tokens padded to the longest, all else end to end."""
    import torch

    longest = max(one.length for one in rows)
    made = {}
    for key in rows[0].tensors:
        values = [one.tensors[key] for one in rows]
        if of_tokens(key, rows[0].tensors):
            fill = pad if key == "input_ids" else 0
            values = [_padded(value, longest, side, fill) for value in values]
        made[key] = torch.cat(values)
    return made


def of_tokens(key: str, tensors: Mapping[str, Any]) -> bool:
    """Whether an item's tensor has a value for each token; one of its picture may be as long by chance."""
    named = key == "attention_mask" or key.endswith("_ids")
    return named and bool(tensors[key].shape == tensors["input_ids"].shape)


def _padded(value: Any, length: int, side: Side, fill: int) -> Any:
    import torch

    lacking = length - value.shape[1]
    return torch.nn.functional.pad(value, (lacking, 0) if side == "left" else (0, lacking), value=fill)


def _kind(one: Inputs) -> tuple[object, ...]:
    """The names of its tensors and their shapes, but for the axes along which they are put together."""
    return tuple(
        (key, None if of_tokens(key, one.tensors) else tuple(value.shape[1:]))
        for key, value in sorted(one.tensors.items())
    )
