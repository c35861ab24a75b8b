"""The one place that knows the order: plan → encode → rank → measure → result."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge import __version__
from crossgauge.assemble import assemble
from crossgauge.benchmark import PLAIN, Benchmark, Contest
from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.errors import CrossgaugeError, Fault, InputError, Interrupted, UsageError
from crossgauge.fusion import Fusion, encode_split
from crossgauge.measured import Measured, RankedCell, System
from crossgauge.models import as_encoder
from crossgauge.per_query import read_column, read_ids
from crossgauge.plan import Cell, Plan, make_plan
from crossgauge.progress import Progress, Silent
from crossgauge.ranking import rank, rank_draws
from crossgauge.result import CellResult, Result
from crossgauge.runs import PER_QUERY, RunFolder
from crossgauge.types import Embeddings, Encoder, Item, OnNonfinite, Ranks, Role, Split


@dataclass(frozen=True, slots=True)
class Settings:
    """How the work is done; ``on_nonfinite`` and ``fusion`` can change numbers and are in the signature."""

    cache: Cache
    progress: Progress
    batch_size: int
    memory: int
    on_nonfinite: OnNonfinite
    fusion: Fusion


def evaluate(
    benchmark: str | Benchmark,
    model: str | Encoder,
    data: str | os.PathLike[str] | None = None,
    *,
    tasks: str | Sequence[str] = (),
    languages: str | Sequence[str] = (),
    prompts: str | Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    profiles: str | Sequence[str] = (),
    fusion: str | None = None,
    limit: int | None = None,
    out: str | os.PathLike[str] | None = None,
    batch_size: int = 32,
    memory: int = 1 << 30,
    on_nonfinite: OnNonfinite = "error",
    cache: Cache | None = None,
    progress: Progress | None = None,
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Measure a model on a benchmark.

    Arguments:
        benchmark: a registered name (``emoji``) or a Benchmark.
        model: a registered name (``conse``, ``precomputed:DIR``) or any Encoder: an object with ``prepare``
            and ``encode`` (see :class:`crossgauge.types.Encoder`).
        data: the folder the benchmark reads, for those that need one.
        tasks, languages, prompts: what to run; empty means everything, and the plain prompt (or the first
            of the benchmark's own formats). Tasks that the model cannot do are listed as not applicable.
        options: the benchmark's own choices, e.g. ``{"labels": "present"}``.
        profiles: official scorers to reproduce beside the right numbers, e.g. ``"gem2021"``.
        fusion: how parts of an item become one vector for a model that takes one at a time:
            ``mean:0.5``, ``sum``, ``concat`` and the picture's share. None: ``mean:0.5`` where parts mean
            something alone (a picture and its title), not applicable elsewhere (a picture and a question).
        limit: cut the data to so many pictures; the result is marked partial.
        out: a run folder, created or resumed; None writes nothing.
        batch_size: items handed to the model at once; never changes a number of the embedded models.
        memory: bytes that ranking may use beyond its inputs.
        on_nonfinite: ``"error"``, or ``"miss"`` to count a NaN, infinite or zero vector as a miss.
        cache: where vectors are kept between runs; None keeps none.
        progress: told about each stage; silent by default.
        about: facts for ``run.json`` (command, host) that change no number.

    Returns a Result whose ``partial`` is empty when every cell was scored. Raises UsageError, InputError
    (all faults at once), EnvironmentFault, ResumeRefused, or Interrupted (resumable).
    """
    told = progress or Silent()
    encoder = as_encoder(model)
    plan = make_plan(
        benchmark,
        data=None if data is None else Path(data),
        tasks=tasks,
        languages=languages,
        prompts=prompts,
        options=options,
        profiles=profiles,
        limit=limit,
        encoder=encoder,
        fused=fusion is not None,
    )
    _check_prompts(plan, encoder)
    fused = Fusion.parse(fusion or "mean")
    settings = Settings(cache or Cache.in_memory(), told, batch_size, memory, on_nonfinite, fused)
    if out is None:
        done, failed = _run_cells(plan, encoder, settings, None)
        return _result(plan, encoder, settings, done, failed)
    with closing(RunFolder(Path(out))) as folder:
        if folder.open(experiment(plan, encoder, settings), about or {}):
            told.note(f"resuming {folder.path}")
        return _evaluate_into(folder, plan, encoder, settings)


def _check_prompts(plan: Plan, encoder: Encoder) -> None:
    """Vectors found by item id were made before any prompt was chosen: a number must not claim otherwise."""
    formats = {cell.prompt.template for cell in plan.cells} - {PLAIN.template}
    if formats and not encoder.cacheable and not plan.benchmark.formats:
        found = f"{encoder.name} looks vectors up by item id, whatever the prompt"
        wanted = "no --prompt: the vectors hold the prompt they were made with"
        raise UsageError(Fault("E105", f"--prompt {', '.join(sorted(formats))}", found, wanted))


def _evaluate_into(folder: RunFolder, plan: Plan, encoder: Encoder, settings: Settings) -> Result:
    try:
        done, failed = _run_cells(plan, encoder, settings, folder)
    except BaseException:
        with suppress(CrossgaugeError):  # on a full disk not even this can be written
            kept = sum(folder.finished(cell.key) is not None for cell in plan.cells)
            _say(folder, plan, "interrupted", done=kept)
        raise
    if not done:
        _say(folder, plan, "failed", done=0)
    result = _result(plan, encoder, settings, done, failed)
    folder.write_scores(result)
    _say(folder, plan, "partial" if failed else "complete", done=len(done))
    return result


def _result(
    plan: Plan,
    encoder: Encoder,
    settings: Settings,
    done: Sequence[Measured],
    failed: Mapping[str, CrossgaugeError],
) -> Result:
    """The Result; when no cell could be scored there is none, and every fault found is raised."""
    if not done:
        raise InputError(_distinct(failed.values()))
    partial = [f"cell {key} failed: {error.faults[0]}" for key, error in failed.items()]
    return assemble(plan, _system(encoder, settings), done, partial=partial)


def _system(encoder: Encoder, settings: Settings) -> System:
    return System(
        name=encoder.name,
        revision=encoder.revision,
        similarity=encoder.similarity,
        languages=encoder.languages,
        on_nonfinite=settings.on_nonfinite,
        fusion="" if encoder.joint else str(settings.fusion),
    )


def experiment(plan: Plan, encoder: Encoder, settings: Settings) -> dict[str, Any]:
    """Everything that can change a number of this evaluation: what a run folder is bound to."""
    return {
        "version": __version__,
        "benchmark": f"{plan.benchmark.name} {plan.benchmark.version}",
        "options": dict(plan.options),
        "data": plan.dataset.fingerprint,
        "model": encoder.name,
        "model revision": encoder.revision,
        "cells": [cell.key for cell in plan.cells],
        "prompts": {cell.prompt.name: cell.prompt.template for cell in plan.cells},
        "measures": {task.name: list(task.measures) for task in plan.benchmark.tasks},
        "profiles": [profile.name for profile in plan.profiles],
        "fusion": None if encoder.joint else str(settings.fusion),
        "limit": plan.limit,
        "on nonfinite": settings.on_nonfinite,
    }


def _run_cells(
    plan: Plan, encoder: Encoder, settings: Settings, folder: RunFolder | None
) -> tuple[list[Measured], dict[str, CrossgaugeError]]:
    """Every cell in order: reused when finished, else computed and kept; a bad one does not stop others."""
    done: list[Measured] = []
    failed: dict[str, CrossgaugeError] = {}
    for number, cell in enumerate(plan.cells, 1):
        if settings.progress.stopping():
            found = f"stopped on request after {len(done)} of {len(plan.cells)} cells"
            raise Interrupted(Fault("E421", "the run", found, "", "run the same command again"))
        _say(folder, plan, "running", done=len(done))
        kept = None if folder is None else _kept(folder, cell)
        if kept is not None:
            done.append(kept)
            continue
        try:
            done.append(_run_cell(plan, cell, encoder, settings, folder))
        except InputError as error:
            failed[cell.key] = error
            settings.progress.note(f"cell {number}/{len(plan.cells)} {cell.key} failed:\n{error}")
        else:
            settings.progress.note(f"cell {number}/{len(plan.cells)} {_headline(done[-1].cell)}")
    return done, failed


def _kept(folder: RunFolder, cell: Cell) -> Measured | None:
    result = folder.finished(cell.key)
    if result is None:
        return None
    table = folder.path / "cells" / cell.key / PER_QUERY
    per_query = {row.measure: read_column(table, f"m.{row.measure}") for row in result.scores}
    return Measured(result, per_query, read_ids(table))


def _run_cell(
    plan: Plan, cell: Cell, encoder: Encoder, settings: Settings, folder: RunFolder | None
) -> Measured:
    split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
    queries, corpus = encode_split(
        split, encoder, encode=lambda items, role: _encode(encoder, items, role, settings),
        fusion=settings.fusion,
    )  # fmt: skip
    settings.progress.stage(f"rank {cell.key}", len(split.queries))
    contest = Contest(split, queries.vectors, corpus.vectors, similarity=encoder.similarity)
    ranks = _rank(split, queries, corpus, encoder, settings)
    settings.progress.advance(len(split.queries))
    done, table = RankedCell(cell, split, ranks, contest).measured(plan, _system(encoder, settings))
    if folder is not None:
        folder.write_cell(done.cell, table)
    return done


def _rank(
    split: Split, queries: Embeddings, corpus: Embeddings, encoder: Encoder, settings: Settings
) -> Ranks:
    if split.draws is not None:
        return rank_draws(
            queries.vectors, corpus.vectors, split, similarity=encoder.similarity, memory=settings.memory,
            on_nonfinite=settings.on_nonfinite, query_ids=queries.ids, corpus_ids=corpus.ids,
        )  # fmt: skip
    return rank(
        queries.vectors, corpus.vectors, split.qrels, similarity=encoder.similarity,
        candidates=split.candidates, memory=settings.memory, on_nonfinite=settings.on_nonfinite,
        query_ids=queries.ids, corpus_ids=corpus.ids,
    )  # fmt: skip


def _encode(encoder: Encoder, items: Sequence[Item], role: Role, settings: Settings) -> Embeddings:
    return encode_items(
        encoder, items, role=role, cache=settings.cache, progress=settings.progress,
        batch_size=settings.batch_size, on_nonfinite=settings.on_nonfinite,
    )  # fmt: skip


def _say(folder: RunFolder | None, plan: Plan, state: str, *, done: int) -> None:
    if folder is not None:
        folder.status(state, cells=len(plan.cells), done=done)


def _headline(cell: CellResult) -> str:
    first = cell.scores[0]
    if first.value is None:
        return f"{cell.key} {first.title} undefined"
    value = f"{100 * first.value:.1f} %" if first.unit == "fraction" else f"{first.value:.1f}"
    return f"{cell.key} {first.title} {value} n={first.n}"


def _distinct(errors: Iterable[CrossgaugeError]) -> tuple[Fault, ...]:
    return tuple(dict.fromkeys(fault for error in errors for fault in error.faults))
