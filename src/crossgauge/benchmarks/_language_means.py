"""Means over named sets of languages: which ones are in an average must be part of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crossgauge.result import Aggregate, CellResult


def language_means(
    cells: Sequence[CellResult], measure: str, sets: Mapping[str, Sequence[str]]
) -> tuple[Aggregate, ...]:
    """The mean of a measure over each set, for each task and prompt; None, naming what is missing, if any is.

    Sets of which no language was done are left out.

    >>> language_means([], "hit@10", {"two": ("de", "fr")})
    ()
    """
    done = {cell.key: cell for cell in cells}
    found = []
    for task, prompt in dict.fromkeys((cell.task, cell.prompt) for cell in cells):
        for name, languages in sets.items():
            keys = [f"{task}.{language}.{prompt}" for language in languages]
            if any(key in done for key in keys):
                found.append(_mean(f"{task} {name}", measure, keys, done, prompt=prompt))
    return tuple(found)


def _mean(
    name: str, measure: str, keys: Sequence[str], done: Mapping[str, CellResult], *, prompt: str
) -> Aggregate:
    values = {
        key: next((row.value for row in done[key].scores if row.measure == measure), None)
        for key in keys
        if key in done
    }
    known = [value for value in values.values() if value is not None]
    languages = ", ".join(key.split(".")[1] for key in keys)
    return Aggregate(
        name=name,
        measure=measure,
        value=sum(known) / len(known) if len(known) == len(keys) else None,
        rule=f"mean of {measure} over {len(keys)} languages: {languages}",
        cells=tuple(values),
        missing=tuple(key for key in keys if values.get(key) is None),
        prompt=prompt,
    )
