"""How much a number depends on the prompt format: the same task and language under several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossgauge.measured import Measured
from crossgauge.result import PromptSpread

SHOWN = 20  # ids of queries that flip


def spreads(done: Sequence[Measured]) -> tuple[PromptSpread, ...]:
    """One entry for each task and language measured under several formats; none is picked as the best."""
    families: dict[tuple[str, str], list[Measured]] = {}
    for one in done:
        families.setdefault((one.cell.task, one.cell.language), []).append(one)
    return tuple(_spread(members) for members in families.values() if len(members) > 1)


def _spread(members: Sequence[Measured]) -> PromptSpread:
    first = members[0].cell
    measure = first.scores[0].measure
    values = {m.cell.prompt: m.cell.scores[0].value for m in members}
    known = [value for value in values.values() if value is not None]
    flipped = _flipped(members, measure)
    return PromptSpread(
        task=first.task,
        language=first.language,
        measure=measure,
        values=values,
        spread=max(known) - min(known) if len(known) == len(values) else None,
        flips=len(flipped),
        flipped=tuple(flipped[:SHOWN]),
    )


def _flipped(members: Sequence[Measured], measure: str) -> list[str]:
    """The queries whose value is not the same under all formats; undefined is a value like any other."""
    by_query = [dict(zip(m.ids, m.per_query[measure].tolist(), strict=True)) for m in members]
    return [
        query
        for query in by_query[0]
        if not np.isclose(
            [held.get(query, np.nan) for held in by_query], by_query[0][query], equal_nan=True
        ).all()
    ]
