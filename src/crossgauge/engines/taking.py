"""The one loop over what an engine answers: refusals, storing, progress, and the wish to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

from crossgauge.batching import Refusals, stop_if_asked
from crossgauge.engines.asking import Answer, Ask, Engine
from crossgauge.keeping import Keeper
from crossgauge.missing import Missing
from crossgauge.progress import Progress
from crossgauge.types import Model

Keep: TypeAlias = Callable[[Answer, Keeper[Any]], None]
Put: TypeAlias = Callable[[Mapping[bytes, Any]], Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked what, where, and who is told."""

    model: Model
    ask: Ask
    engine: Engine
    progress: Progress
    refusals: Refusals


def take(asked: Asked, missing: Missing[Any], keep: Keep, put: Put | None) -> None:
    """Hand every answer that holds something to ``keep``, which checks it and says what ``put`` shall store.

    Raises what these and the engine raise, and Interrupted (E420) after the current batch where the user
    asked to stop.
    """
    done = 0
    with (
        closing(missing.batches()) as batches,
        closing(asked.engine.answers(asked.model, asked.ask, batches, asked.progress)) as coming,
        Keeper(put) as keeper,
    ):
        for answer in coming:
            asked.refusals.add(answer.refused)
            if answer.batch:
                keep(answer, keeper)
            count = len(answer.batch) + len(answer.refused)
            done += count
            asked.progress.advance(count)
            stop_if_asked(asked.model, asked.progress, done=done, of=missing.most)
