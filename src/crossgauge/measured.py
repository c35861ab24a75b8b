"""One cell measured: from its ranks or captions to scores with signatures, groups and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crossgauge.benchmark import ANY_LANGUAGE, Contest
from crossgauge.errors import Fault, InputError
from crossgauge.languages import matches
from crossgauge.measures import measure
from crossgauge.per_query import write_captions, write_table
from crossgauge.plan import Cell, Plan
from crossgauge.ranking import drawn
from crossgauge.result import CellResult, GroupRow, ProfileRow, finite
from crossgauge.rows import pooled, positives, score_rows, score_warnings
from crossgauge.signature import signature
from crossgauge.types import CaptionSplit, Floats, Ints, OnNonfinite, Ranks, Score, Split


@dataclass(frozen=True, slots=True)
class System:
    """Who made the numbers, as far as signatures and warnings need to know."""

    name: str
    revision: str
    similarity: str  # "given" where somebody else ranked; captions have none
    languages: frozenset[str] | None = None  # None: it does not say
    on_nonfinite: OnNonfinite = "error"
    fusion: str = ""  # how parts of items were fused, in the cells where they were


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A finished cell, with the per-query values that means over languages need."""

    cell: CellResult
    per_query: Mapping[str, Floats]  # measure → (Q,)
    ids: tuple[str, ...]  # (Q,) of the queries


@dataclass(frozen=True, slots=True, eq=False)
class RankedCell:
    """A ranking cell and its ranks; with draws, the ranks are those of the drawn queries, draws in order."""

    cell: Cell
    split: Split
    ranks: Ranks
    contest: Contest | None = None  # for official scorers
    warnings: tuple[str, ...] = ()

    def measured(self, plan: Plan, system: System) -> tuple[Measured, TableOf]:
        """The scores, and what writes the per-query table."""
        split, draw = (self.split, None) if self.split.draws is None else drawn(self.split)
        scores = measure(self.ranks, self.cell.task.measures, clusters=split.clusters, draws=draw)
        sizes = self.ranks.candidates
        counted = draw is not None or split.units is not None
        gallery = int(sizes.max(initial=0)) if counted else len(split.corpus)
        fused = any(len(item.modalities) > 1 for side in (split.queries, split.corpus) for item in side)
        fusion = {"fusion": system.fusion} if fused and system.fusion else {}
        place, fields = _place(plan, self.cell), _fields(plan, self.cell, system) | fusion
        data = plan.dataset.fingerprint
        cell = CellResult(
            task=self.cell.task.name,
            title=self.cell.task.title,
            language=self.cell.language,
            prompt=self.cell.prompt.name,
            template=self.cell.prompt.template,
            queries=len(split.queries),
            gallery=gallery,
            positives=positives(split.qrels),
            scores=score_rows(scores, place, gallery=gallery, data=data, fields=fields),
            groups=_groups(split.groups, scores, split.clusters),
            warnings=(*score_warnings(scores), *self.warnings, *_language_warnings(self.cell, system)),
            draws=len(split.draws or ()),
            candidates=_span(sizes) if split.candidates is not None else (0, 0),
            profiles=tuple(self._official(plan, gallery=gallery, fields=fields)),
        )
        return _measured(cell, scores, split.queries), TableOf(split, self.ranks, scores, draw)

    def _official(self, plan: Plan, *, gallery: int, fields: Mapping[str, str]) -> Iterator[ProfileRow]:
        for profile in plan.profiles:
            if profile.score is None or self.contest is None or self.cell.task.name not in profile.tasks:
                continue
            said = profile.score(self.contest)
            yield ProfileRow(
                profile=profile.name,
                values={name: finite(value) for name, value in said.values.items()},
                fault=profile.fault,
                notes=said.notes,
                signature=signature(
                    _place(plan, self.cell), f"profile {profile.name}", n=len(self.split.queries),
                    gallery=gallery, missing=0, data=plan.dataset.fingerprint, fields=fields,
                ),
            )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class CaptionedCell:
    """A captioning cell and what was written; None where nothing was."""

    cell: Cell
    split: CaptionSplit
    captions: tuple[str | None, ...]
    warnings: tuple[str, ...] = ()

    def measured(self, plan: Plan, system: System) -> tuple[Measured, CaptionTableOf]:
        """The scores, and what writes the per-item table."""
        scores = {name: self._score(name) for name in self.cell.task.measures}
        counts = [len(written) for written in self.split.references]
        cell = CellResult(
            task=self.cell.task.name,
            title=self.cell.task.title,
            language=self.cell.language,
            prompt=self.cell.prompt.name,
            template=self.cell.prompt.template,
            queries=len(self.split.items),
            gallery=0,
            positives=(min(counts), float(np.median(counts)), max(counts)) if counts else (0, 0.0, 0),
            scores=score_rows(
                scores, _place(plan, self.cell), gallery=0, data=plan.dataset.fingerprint,
                fields=_fields(plan, self.cell, replace(system, similarity="")),
            ),
            groups=_groups(self.split.groups, scores, None),
            warnings=(*score_warnings(scores), *self.warnings, *_language_warnings(self.cell, system)),
            kind="captioning",
        )  # fmt: skip
        return _measured(cell, scores, self.split.items), CaptionTableOf(self.split, self.captions, scores)

    def _score(self, name: str) -> Score:
        from crossgauge.rouge import rouge_l

        _, _, profile = name.partition(":")
        language = None if self.cell.language == ANY_LANGUAGE else self.cell.language
        try:
            return rouge_l(
                self.captions, self.split.references, profile=profile or "multilingual", language=language
            )
        except InputError as error:
            raise InputError(
                Fault(fault.code, f"{self.cell.key} {fault.place}", fault.found, fault.wanted, fault.fix)
                for fault in error.faults
            ) from None


@dataclass(frozen=True, slots=True, eq=False)
class TableOf:
    """Writes the per-query table of a ranking cell."""

    split: Split
    ranks: Ranks
    scores: Mapping[str, Score]
    draw: Ints | None

    def __call__(self, path: Path) -> None:
        """Write it as Parquet."""
        write_table(path, self.split, self.ranks, self.scores, draw=self.draw)


@dataclass(frozen=True, slots=True, eq=False)
class CaptionTableOf:
    """Writes the per-item table of a captioning cell."""

    split: CaptionSplit
    captions: tuple[str | None, ...]
    scores: Mapping[str, Score]

    def __call__(self, path: Path) -> None:
        """Write it as Parquet."""
        write_captions(path, self.split, self.captions, self.scores)


def _span(sizes: Ints) -> tuple[int, int]:
    return (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)


def _measured(cell: CellResult, scores: Mapping[str, Score], items: Sequence[object]) -> Measured:
    ids = tuple(item.id for item in items)  # type: ignore[attr-defined]
    return Measured(cell, {name: score.per_query for name, score in scores.items()}, ids)


def _place(plan: Plan, cell: Cell) -> str:
    return f"{plan.benchmark.name}@{plan.benchmark.version}/{cell.task.name}/{cell.language}"


def _fields(plan: Plan, cell: Cell, system: System) -> dict[str, str]:
    """What else can change a number of this cell."""
    return {
        "prompt": cell.prompt.template,
        **{f"set.{name}": value for name, value in plan.options.items() if value},
        **({"limit": str(plan.limit)} if plan.limit is not None else {}),
        **({"nonfinite": system.on_nonfinite} if system.on_nonfinite != "error" else {}),
        **({"similarity": system.similarity} if system.similarity else {}),
        "model": f"{system.name}@{system.revision}",
    }


def _groups(
    names: Sequence[str] | None, scores: Mapping[str, Score], clusters: Ints | None
) -> tuple[GroupRow, ...]:
    if names is None:
        return ()
    column = np.array(names, dtype=object)
    rows = []
    for group in sorted(set(names)):
        inside = np.flatnonzero(column == group)
        values = {
            name: pooled(name, score.per_query[inside], None if clusters is None else clusters[inside])
            for name, score in scores.items()
        }
        rows.append(GroupRow(group=group, n=len(inside), values=values))
    return tuple(rows)


def _language_warnings(cell: Cell, system: System) -> Iterator[str]:
    silent = "text" not in cell.task.modalities and cell.task.kind == "ranking"
    if system.languages is None or cell.language == ANY_LANGUAGE or silent:
        return
    if matches(cell.language, sorted(system.languages)) is None:
        yield f"W304 {system.name} was not made for {cell.language}"
