"""GEM's own numbers: GEM-I, GEM-V, and each task over all its languages, the trained and the zero-shot ones.

Every mean is unweighted: over tasks, and over languages whatever their sizes. A mean is made only from all of
its cells; what is not there is named instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from msgspec.structs import replace

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks._language_means import language_means
from crossgauge.benchmarks.gem.tasks import PARTS, SIZES, TASKS, trained, zero_shot
from crossgauge.result import Aggregate, CellResult

OFFICIAL = "(official tokenisation)"
_RANKING = frozenset(task.name for task in TASKS if task.kind == "ranking")
_PRIMARY = {task.name: task.measures[0] for task in TASKS}
_PRINTED = _PRIMARY | {task.name: task.measures[1] for task in TASKS if task.kind == "captioning"}


def aggregates(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """The two numbers of each part that was run, for each prompt, then one to three of each task.

    ``GEM-I`` and ``GEM-V`` take ROUGE-L over words in any script, their ``(official tokenisation)`` what the
    scorers print that GEM names.

    >>> aggregates(())
    ()
    """
    ranked = [cell.prompt for cell in cells if cell.task in _RANKING]
    made: list[Aggregate] = []
    for part in PARTS:
        mine = [cell for cell in cells if cell.task in PARTS[part]]
        if mine:
            for prompt in dict.fromkeys(ranked) or (PLAIN.name,):
                made.append(_of_part(part, part, _PRIMARY, mine, prompt=prompt))
                made.append(_of_part(f"{part} {OFFICIAL}", part, _PRINTED, mine, prompt=prompt))
            made += _of_tasks(part, mine)
    return tuple(made)


def _of_part(
    name: str, part: str, measures: Mapping[str, str], cells: Sequence[CellResult], *, prompt: str
) -> Aggregate:
    tasks, languages = PARTS[part], tuple(sorted(SIZES[part]))
    means = [_over(task, measures[task], cells, languages, prompt=prompt) for task in tasks]
    values = [mean.value for mean in means if mean.value is not None]
    rule = f"mean of {', '.join(tasks)}, each the unweighted mean over {len(languages)} languages"
    mean = Aggregate(
        name=name,
        measure="+".join(dict.fromkeys(measures[task] for task in tasks)),
        value=fsum(values) / len(tasks) if len(values) == len(tasks) else None,
        rule=rule,
        cells=tuple(key for mean in means for key in mean.cells),
        missing=tuple(key for mean in means for key in mean.missing),
        prompt=prompt,
    )
    return _of_split(mean, part, cells)


def _of_split(mean: Aggregate, part: str, cells: Sequence[CellResult]) -> Aggregate:
    """On dev, why a number over all languages cannot be there, and only what dev could have as missing."""
    if not any("|set.split:dev|" in f"|{row.signature}|" for cell in cells for row in cell.scores):
        return mean
    unseen = zero_shot(part)
    few = f"{len(unseen)} of {len(SIZES[part])} languages"
    why = f"; GEM publishes no dev data for {few}, so this number exists on test only"
    left = tuple(key for key in mean.missing if key.split(".")[1] not in unseen)
    return replace(mean, rule=mean.rule + why, missing=left)


def _over(
    task: str, measure: str, cells: Sequence[CellResult], languages: Sequence[str], *, prompt: str
) -> Aggregate:
    """One task over all its languages, also where none of them was run."""
    asked = prompt if task in _RANKING else PLAIN.name  # captioning tasks have no prompt
    mine = [cell for cell in cells if cell.task == task and cell.prompt == asked]
    absent = tuple(f"{task}.{language}.{asked}" for language in languages)
    nothing = Aggregate(
        name=task, measure=measure, value=None, rule="", cells=(), missing=absent, prompt=asked
    )
    return next(iter(language_means(mine, measure, {"": languages})), nothing)


def _of_tasks(part: str, cells: Sequence[CellResult]) -> Iterator[Aggregate]:
    """Each task that was run over all languages; over the trained and zero-shot ones where all are there."""
    every, seen, unseen = tuple(sorted(SIZES[part])), trained(part), zero_shot(part)
    groups = {f"{len(seen)} trained languages": seen, f"{len(unseen)} zero-shot languages": unseen}
    for task in PARTS[part]:
        mine, measure = [cell for cell in cells if cell.task == task], _PRIMARY[task]
        whole = language_means(mine, measure, {f"over {len(every)} languages": every})
        yield from (_of_split(mean, part, cells) for mean in whole)
        for name, languages in groups.items():
            means = language_means(mine, measure, {f"over {name}": languages})
            yield from (mean for mean in means if mean.value is not None)
