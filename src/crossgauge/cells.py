"""One cell answered by a model: its items encoded and ranked, or written about; then measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never, cast

import numpy as np

from crossgauge.benchmark import ANY_LANGUAGE, CaptionDataset, Contest
from crossgauge.cache import Cache
from crossgauge.captioning import caption_items
from crossgauge.coverage import uncovered
from crossgauge.embeddings import encode_items
from crossgauge.engines import Engine, Ranking
from crossgauge.errors import SHOWN, Fault
from crossgauge.fusion import Fusion, encode_split
from crossgauge.measured import CaptionedCell, CaptionTableOf, Measured, RankedCell, System, TableOf
from crossgauge.misses import usable
from crossgauge.perturb import Chosen
from crossgauge.plan import Cell, Plan
from crossgauge.progress import Progress
from crossgauge.types import Captioner, Embeddings, Encoder, Item, Model, OnNonfinite, Ranks, Role, Split

Table: TypeAlias = TableOf | CaptionTableOf


@dataclass(frozen=True, slots=True)
class Settings:
    """How the work is done; ``on_nonfinite`` and ``fusion`` can change numbers and are in the signature."""

    cache: Cache
    progress: Progress
    batch_size: int
    memory: int
    on_nonfinite: OnNonfinite
    fusion: Fusion
    engine: Engine
    perturb: tuple[Chosen, ...] = ()

    def system(self, model: Model) -> System:
        """The model as signatures and warnings know it."""
        return System(
            name=model.name,
            revision=model.revision,
            similarity=model.similarity if isinstance(model, Encoder) else "",
            languages=model.languages,
            on_nonfinite=self.on_nonfinite,
            fusion="" if model.joint else str(self.fusion),
        )


def answer(plan: Plan, cell: Cell, model: Model, settings: Settings) -> tuple[Measured, Table]:
    """The scores of a cell, and what writes its table; the plan has only cells that the model can do."""
    kind = cell.task.kind
    if kind == "ranking":
        return _ranked(plan, cell, cast("Encoder", model), settings)
    if kind == "captioning":
        return _captioned(plan, cell, cast("Captioner", model), settings)
    assert_never(kind)


def ranks(split: Split, encoder: Encoder, settings: Settings) -> Ranks:
    """Where the relevant items of a split come under the vectors of an encoder."""
    return _rank(split, *_encode_sides(split, encoder, settings), encoder, settings)


def _ranked(plan: Plan, cell: Cell, encoder: Encoder, settings: Settings) -> tuple[Measured, TableOf]:
    split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
    queries, corpus = _encode_sides(split, encoder, settings)
    settings.progress.stage(f"rank {cell.key}", len(split.queries))
    contest = Contest(split, queries.vectors, corpus.vectors, similarity=encoder.similarity)
    found = _rank(split, queries, corpus, encoder, settings)
    settings.progress.advance(len(split.queries))
    warnings = (
        *_unusable(encoder.name, queries=queries, corpus=corpus),
        *uncovered(encoder, (*split.queries, *split.corpus), cell.language),
    )
    return RankedCell(cell, split, found, contest, warnings).measured(plan, settings.system(encoder))


def _unusable(model: str, **sides: Embeddings) -> Iterator[str]:
    """Vectors without a direction (W410): such an item is never found, and no rival to others."""
    for side, found in sides.items():
        bad = [found.ids[row] for row in np.flatnonzero(~usable(found.vectors))]
        if bad:
            named = ", ".join(bad[:SHOWN]) + (" …" if len(bad) > SHOWN else "")
            lost = "their queries are misses" if side == "queries" else "never found, and no rival to others"
            said = f"{len(bad)} of {len(found.ids)} vectors of {side} not finite, or zero: {lost}: {named}"
            yield str(Fault("W410", f"model {model}", said))


def _captioned(
    plan: Plan, cell: Cell, captioner: Captioner, settings: Settings
) -> tuple[Measured, CaptionTableOf]:
    split = cast("CaptionDataset", plan.dataset).captions(cell.task.name, cell.language)
    captions = caption_items(
        captioner, split.items, language=None if cell.language == ANY_LANGUAGE else cell.language,
        cache=settings.cache, progress=settings.progress, batch_size=settings.batch_size,
        engine=settings.engine,
    )  # fmt: skip
    written = [Item("reference", text=text) for texts in split.references for text in texts]
    warnings = tuple(uncovered(captioner, (*split.items, *written), cell.language))
    return CaptionedCell(cell, split, captions, warnings).measured(plan, settings.system(captioner))


def _encode_sides(split: Split, encoder: Encoder, settings: Settings) -> tuple[Embeddings, Embeddings]:
    return encode_split(
        split, encoder, encode=lambda items, role: _encode(encoder, items, role, settings),
        fusion=settings.fusion,
    )  # fmt: skip


def _rank(
    split: Split, queries: Embeddings, corpus: Embeddings, encoder: Encoder, settings: Settings
) -> Ranks:
    options = {
        "similarity": encoder.similarity, "memory": settings.memory, "on_nonfinite": settings.on_nonfinite,
        "query_ids": queries.ids, "corpus_ids": corpus.ids,
    }  # fmt: skip
    ranking = Ranking(queries.vectors, corpus.vectors, split, options)
    return settings.engine.rank(ranking, settings.progress)


def _encode(encoder: Encoder, items: Sequence[Item], role: Role, settings: Settings) -> Embeddings:
    return encode_items(
        encoder, items, role=role, cache=settings.cache, progress=settings.progress,
        batch_size=settings.batch_size, on_nonfinite=settings.on_nonfinite, engine=settings.engine,
    )  # fmt: skip
