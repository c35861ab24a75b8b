"""From scores to the Result document: rows with signatures, breakdowns, means over languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossgauge import __version__
from crossgauge.benchmark import ANY_LANGUAGE, Published
from crossgauge.errors import CrossgaugeError
from crossgauge.languages import matches
from crossgauge.measures import parse
from crossgauge.plan import Cell, Plan
from crossgauge.result import SCHEMA, CellResult, GroupRow, Mean, PublishedRow, Result, finite
from crossgauge.rows import positives, score_rows, score_warnings
from crossgauge.types import Encoder, Floats, Score, Split


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished cell, with the per-query values that means over languages need."""

    cell: CellResult
    per_query: Mapping[str, Floats]  # measure → (Q,)


def cell_result(
    plan: Plan, cell: Cell, encoder: Encoder, *, split: Split, scores: Mapping[str, Score], on_nonfinite: str
) -> CellResult:
    """One cell of the Result: sizes, scores with their signatures, the breakdown by group, warnings."""
    place = f"{plan.benchmark.name}@{plan.benchmark.version}/{cell.task.name}/{cell.language}"
    fields = {
        "prompt": cell.prompt.template,
        **{f"set.{name}": value for name, value in plan.options.items() if value},
        **({"limit": str(plan.limit)} if plan.limit is not None else {}),
        **({"nonfinite": on_nonfinite} if on_nonfinite != "error" else {}),
        "similarity": encoder.similarity,
        "model": f"{encoder.name}@{encoder.revision}",
    }
    return CellResult(
        task=cell.task.name,
        title=cell.task.title,
        language=cell.language,
        prompt=cell.prompt.name,
        template=cell.prompt.template,
        queries=len(split.queries),
        gallery=len(split.corpus),
        positives=positives(split.qrels),
        scores=score_rows(
            scores, place, gallery=len(split.corpus), data=plan.dataset.fingerprint, fields=fields
        ),
        groups=_groups(split, scores),
        warnings=(*score_warnings(scores), *_language_warnings(cell, encoder)),
    )


def assemble(
    plan: Plan, encoder: Encoder, done: Sequence[Measured], failed: Mapping[str, CrossgaugeError]
) -> Result:
    """The whole Result; what was cut or failed is said in ``partial``."""
    partial = []
    if plan.limit is not None:
        partial.append(f"limited to {plan.limit} pictures")
    for key, error in failed.items():
        partial.append(f"cell {key} failed: {error.faults[0]}")
    return Result(
        schema=SCHEMA,
        version=__version__,
        benchmark=plan.benchmark.name,
        benchmark_version=plan.benchmark.version,
        model=encoder.name,
        model_revision=encoder.revision,
        data=plan.dataset.fingerprint,
        options={name: value for name, value in plan.options.items() if value},
        partial=tuple(partial),
        cells=tuple(measured.cell for measured in done),
        means=_means(done),
        published=tuple(_published(row, done) for row in plan.benchmark.published),
        audit=tuple(str(finding) for finding in plan.dataset.findings),
    )


def _published(row: Published, done: Sequence[Measured]) -> PublishedRow:
    """A printed number; where its task was measured here in other sizes only, its note says so."""
    sizes = [(m.cell.queries, m.cell.gallery) for m in done if m.cell.task == row.task]
    note = row.note
    if sizes and not any(row.queries in (None, n) and row.gallery in (None, size) for n, size in sizes):
        told = ((row.queries, "queries"), (row.gallery, "candidates"))
        theirs = " and ".join(f"{count} {what}" for count, what in told if count is not None)
        ours = f"{sizes[0][0]} and {sizes[0][1]}"
        note = "; ".join(filter(None, [note, f"not comparable: measured on {theirs}, here {ours}"]))
    return PublishedRow(
        system=row.system, task=row.task, measure=row.measure, value=row.value, source=row.source, note=note
    )


def _groups(split: Split, scores: Mapping[str, Score]) -> tuple[GroupRow, ...]:
    if split.groups is None:
        return ()
    names = np.array(split.groups, dtype=object)
    rows = []
    for group in sorted(set(split.groups)):
        inside = np.flatnonzero(names == group)
        values = {
            name: _pooled(name, score.per_query[inside])
            for name, score in scores.items()
            if parse(name).summary != "macro"  # a mean over classes says nothing inside one of them
        }
        rows.append(GroupRow(group=group, n=len(inside), values=values))
    return tuple(rows)


def _means(done: Sequence[Measured]) -> tuple[Mean, ...]:
    """Per task and prompt with several languages: the mean of the languages, and over all queries."""
    families: dict[tuple[str, str], list[Measured]] = {}
    for measured in done:
        families.setdefault((measured.cell.task, measured.cell.prompt), []).append(measured)
    means = []
    for (task, prompt), members in families.items():
        if len(members) < 2:  # noqa: PLR2004  (a mean of one language is that language)
            continue
        for row in members[0].cell.scores:
            values = [score.value for m in members for score in m.cell.scores if score.measure == row.measure]
            known = [value for value in values if value is not None]
            pooled = np.concatenate([m.per_query[row.measure] for m in members])
            means.append(
                Mean(
                    task=task,
                    prompt=prompt,
                    measure=row.measure,
                    macro=float(np.mean(known)) if len(known) == len(values) else None,
                    micro=_pooled(row.measure, pooled),
                    languages=tuple(m.cell.language for m in members),
                )
            )
    return tuple(means)


def _pooled(measure: str, per_query: Floats) -> float | None:
    """Mean or median over the queries that define the measure; None where that means nothing."""
    kind = parse(measure).summary
    defined = per_query[~np.isnan(per_query)]
    if kind == "macro" or not len(defined):
        return None
    return finite(float(np.median(defined) if kind == "median" else np.mean(defined)))


def _language_warnings(cell: Cell, encoder: Encoder) -> Iterator[str]:
    languages = encoder.languages
    if (
        languages is None
        or cell.language == ANY_LANGUAGE
        or "text" not in (cell.task.query, cell.task.corpus)
    ):
        return
    if matches(cell.language, sorted(languages)) is None:
        yield f"W304 {encoder.name} was not made for {cell.language}"
