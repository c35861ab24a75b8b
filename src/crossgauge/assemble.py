"""From measured cells to the Result document: means over languages, aggregates, published numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossgauge import __version__
from crossgauge.benchmark import Published
from crossgauge.measured import Measured, System
from crossgauge.plan import Plan
from crossgauge.prompt_spread import spreads
from crossgauge.result import SCHEMA, Mean, PublishedRow, Result
from crossgauge.rows import pooled


def assemble(plan: Plan, system: System, done: Sequence[Measured], *, partial: Sequence[str] = ()) -> Result:
    """The whole Result; ``partial`` says what failed or was left out, besides what a limit cut."""
    cut = [] if plan.limit is None else [f"limited to {plan.limit} pictures"]
    cells = tuple(measured.cell for measured in done)
    made = plan.benchmark.aggregate
    return Result(
        schema=SCHEMA,
        version=__version__,
        benchmark=plan.benchmark.name,
        benchmark_version=plan.benchmark.version,
        model=system.name,
        model_revision=system.revision,
        data=plan.dataset.fingerprint,
        options={name: value for name, value in plan.options.items() if value},
        partial=(*cut, *partial),
        cells=cells,
        means=_means(done),
        published=tuple(_published(row, done) for row in plan.benchmark.published),
        audit=tuple(str(finding) for finding in plan.dataset.findings),
        aggregates=() if made is None else tuple(made(cells)),
        not_applicable=plan.not_applicable,
        prompts=spreads(done),
    )


def _published(row: Published, done: Sequence[Measured]) -> PublishedRow:
    """A printed number; where its task was measured here in other sizes only, its note says so."""
    sizes = [
        (m.cell.queries // max(m.cell.draws, 1), m.cell.gallery) for m in done if m.cell.task == row.task
    ]
    note = row.note
    if sizes and not any(row.queries in (None, n) and row.gallery in (None, size) for n, size in sizes):
        told = ((row.queries, "queries"), (row.gallery, "candidates"))
        theirs = " and ".join(f"{count} {what}" for count, what in told if count is not None)
        ours = f"{sizes[0][0]} and {sizes[0][1]}"
        note = "; ".join(filter(None, [note, f"not comparable: measured on {theirs}, here {ours}"]))
    return PublishedRow(
        system=row.system, task=row.task, measure=row.measure, value=row.value, source=row.source, note=note
    )


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
            every = np.concatenate([m.per_query[row.measure] for m in members])
            means.append(
                Mean(
                    task=task,
                    prompt=prompt,
                    measure=row.measure,
                    macro=float(np.mean(known)) if len(known) == len(values) else None,
                    micro=pooled(row.measure, every) if members[0].cell.draws == 0 else None,
                    languages=tuple(m.cell.language for m in members),
                )
            )
    return tuple(means)
