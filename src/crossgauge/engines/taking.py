"""The one loop over what an engine answers: refusals, storing, progress, and the wish to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias

from crossgauge.batching import Keeper, Refusals, stop_if_asked
from crossgauge.engines.asking import Answer, Ask, Batch, Engine
from crossgauge.progress import Progress
from crossgauge.types import Model

Keep: TypeAlias = Callable[[Answer, Keeper], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked what, where, and who is told."""

    model: Model
    ask: Ask
    engine: Engine
    progress: Progress
    refusals: Refusals


def take(asked: Asked, batches: Sequence[Batch], keep: Keep) -> None:
    """Hand every answer that holds something to ``keep``, which checks it and gives what is to be stored.

    Raises what ``keep`` and the engine raise, and Interrupted (E420) after the current batch where the user
    asked to stop.
    """
    done, total = 0, sum(map(len, batches))
    answers = asked.engine.answers(asked.model, asked.ask, batches, asked.progress)
    with closing(answers) as coming, Keeper() as keeper:
        for answer in coming:
            asked.refusals.add(answer.refused)
            if answer.batch:
                keep(answer, keeper)
            count = len(answer.batch) + len(answer.refused)
            done += count
            asked.progress.advance(count)
            stop_if_asked(asked.model, asked.progress, done=done, of=total)
