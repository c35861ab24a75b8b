"""The one place that knows the order: plan → encode and rank, or caption → measure → result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec

from crossgauge import __version__
from crossgauge.assemble import assemble
from crossgauge.batching import batch_size_of
from crossgauge.benchmark import PLAIN, Benchmark
from crossgauge.cache import Cache
from crossgauge.cells import Settings, answer, ranks
from crossgauge.engines import Engine, Recipe, open_engine
from crossgauge.errors import CrossgaugeError, Fault, InputError, Interrupted, UsageError
from crossgauge.fusion import Fusion
from crossgauge.kept import kept
from crossgauge.measured import Measured
from crossgauge.models import as_model, load_model, on_torch
from crossgauge.perturb import Chosen
from crossgauge.perturbed import Outcome, Perturbation
from crossgauge.perturbed import check as check_perturbed
from crossgauge.plan import Cell, Plan, make_plan
from crossgauge.progress import Progress, Silent
from crossgauge.result import CellResult, Result
from crossgauge.run_log import NAME, Logged, conditions
from crossgauge.runs import RunFolder
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder, Model, OnNonfinite, Ranks, Split


def evaluate(
    benchmark: str | Benchmark,
    model: str | Model,
    data: str | os.PathLike[str] | None = None,
    *,
    tasks: str | Sequence[str] = (),
    languages: str | Sequence[str] = (),
    prompts: str | Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    profiles: str | Sequence[str] = (),
    fusion: str | None = None,
    perturb: Sequence[Chosen] = (),
    limit: int | None = None,
    out: str | os.PathLike[str] | None = None,
    batch_size: int | None = None,
    memory: int = 1 << 30,
    on_nonfinite: OnNonfinite = "error",
    runtime: Runtime = DEFAULT,
    engine: str | Engine = "local",
    workers: int | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
    about: Mapping[str, Any] | None = None,
    check: Callable[[Plan], None] | None = None,
) -> Result:
    """Measure a model on a benchmark.

    Arguments:
        benchmark: a registered name (``emoji``) or a Benchmark.
        model: a registered name (``conse``, ``caption:labels``) or any object with ``prepare`` and ``encode``
            or ``caption`` (see :class:`crossgauge.types.Encoder`, :class:`crossgauge.types.Captioner`).
        data: the folder the benchmark reads, for those that need one.
        tasks, languages, prompts: what to run; empty means everything, and the plain prompt (or the first
            of the benchmark's own formats). Tasks that the model cannot do are listed as not applicable.
        options: the benchmark's own choices, e.g. ``{"labels": "present"}``.
        profiles: official scorers to reproduce beside the right numbers, e.g. ``"gem2021"``.
        fusion: how parts of an item become one vector for a model that takes one at a time:
            ``mean:0.5``, ``sum``, ``concat`` and the picture's share. None: ``mean:0.5`` where parts mean
            something alone (a picture and its title), not applicable elsewhere (a picture and a question).
        perturb: interventions on text queries, as :func:`crossgauge.perturb.choose` returns them; the Result
            then also says what each does to every measure.
        limit: cut the data to so many pictures; the result is marked partial.
        out: a run folder, created or resumed; None writes nothing.
        batch_size: items handed to the model at once; never changes a number of the embedded models. None:
            the model's own ``batch_size``, else 32.
        memory: bytes that ranking may use beyond its inputs.
        on_nonfinite: ``"error"``, or ``"miss"`` to count a NaN, infinite or zero vector as a miss.
        runtime: device, number format and trust of a model named by its name.
        engine: where it runs: ``local`` (in this process), ``processes`` or ``ray`` (in workers that each
            load the model, which must then be a name), or an open :class:`crossgauge.engines.Engine`.
        workers: who reads (``local``; None: one a processor, two to eight), or workers (None: two, or one for
            each CUDA device).
        cache: where vectors and captions are kept between runs; None keeps none.
        progress: told about each stage; silent by default.
        about: facts for ``run.json`` (command, host) that change no number.
        check: called with the plan before anything is encoded or written; what it raises ends the run.

    Returns a Result whose ``partial`` is empty when every cell was scored. Raises UsageError, InputError
    (all faults at once), EnvironmentFault, ResumeRefused, or Interrupted (resumable).
    """
    told = progress or Silent()
    spec = model if isinstance(model, str) else None
    model = as_model(model) if spec is None else load_model(spec, runtime)
    plan = make_plan(
        benchmark,
        data=None if data is None else Path(data),
        tasks=tasks,
        languages=languages,
        prompts=prompts,
        options=options,
        profiles=profiles,
        limit=limit,
        model=model,
        fused=fusion is not None,
    )
    _check_prompts(plan, model)
    if perturb:
        check_perturbed(plan, model)
    if check is not None:
        check(plan)
    with _opened(engine, workers, spec, runtime) as running:
        settings = Settings(
            cache or Cache.in_memory(), told, batch_size_of(model, batch_size), memory, on_nonfinite,
            Fusion.parse(fusion or "mean"), running, tuple(perturb),
        )  # fmt: skip
        if out is None:
            return _evaluated(plan, model, settings)
        named = engine if isinstance(engine, str) else type(engine).__name__
        how = conditions(model, batch_size=settings.batch_size, engine=named, workers=workers)
        return _resumed(plan, model, settings, Path(out), about=about or {}, how=how)


@contextmanager
def _opened(
    engine: str | Engine, workers: int | None, spec: str | None, runtime: Runtime
) -> Iterator[Engine]:
    """The engine that a name stands for, closed at the end; one that is open already stays open."""
    if not isinstance(engine, str):
        yield engine
        return
    recipe = None
    if spec is not None:
        recipe = Recipe(spec, load_model, runtime, on_torch(spec))
    with closing(open_engine(engine, workers, recipe)) as running:
        yield running


def _evaluated(plan: Plan, model: Model, settings: Settings) -> Result:
    done, failed = _run_cells(plan, model, settings, None)
    changed = _perturb_cells(plan, model, settings, None, done)
    return _result(plan, model, settings, done, failed, changed=changed)


def _resumed(
    plan: Plan, model: Model, settings: Settings, out: Path, *, about: Mapping[str, Any], how: str
) -> Result:
    """The same into a run folder, whose log begins with ``how``."""
    with closing(RunFolder(out)) as folder:
        resuming = folder.open(experiment(plan, model, settings), about)
        log = Logged(settings.progress, folder.path / NAME)
        log.keep(how)
        if resuming:
            log.note(f"resuming {folder.path}")
        try:
            result = _evaluate_into(folder, plan, model, replace(settings, progress=log))
        except CrossgaugeError as error:
            log.keep(f"stopped: {error}")
            raise
        log.keep("ended")
        return result


def _check_prompts(plan: Plan, model: Model) -> None:
    """Vectors found by item id were made before any prompt was chosen: a number must not claim otherwise."""
    formats = {cell.prompt.template for cell in plan.cells} - {PLAIN.template}
    by_id = isinstance(model, Encoder) and not model.cacheable
    if formats and by_id and not plan.benchmark.formats:
        found = f"{model.name} looks vectors up by item id, whatever the prompt"
        wanted = "no --prompt: the vectors hold the prompt they were made with"
        raise UsageError(Fault("E105", f"--prompt {', '.join(sorted(formats))}", found, wanted))


def _evaluate_into(folder: RunFolder, plan: Plan, model: Model, settings: Settings) -> Result:
    try:
        done, failed = _run_cells(plan, model, settings, folder)
        changed = _perturb_cells(plan, model, settings, folder, done)
    except BaseException:
        with suppress(CrossgaugeError):  # on a full disk not even this can be written
            whole = sum(folder.finished(cell.key) is not None for cell in plan.cells)
            _say(folder, plan, "interrupted", done=whole)
        raise
    if not done:
        _say(folder, plan, "failed", done=0)
    result = _result(plan, model, settings, done, failed, changed=changed)
    folder.write_scores(result)
    _say(folder, plan, "partial" if failed or changed.failed else "complete", done=len(done))
    return result


def _result(
    plan: Plan,
    model: Model,
    settings: Settings,
    done: Sequence[Measured],
    failed: Mapping[str, CrossgaugeError],
    *,
    changed: Outcome,
) -> Result:
    """The Result; when no cell could be scored there is none, and every fault found is raised."""
    if not done:
        raise InputError(_distinct(failed.values()))
    lost = [f"cell {key} failed: {error.faults[0]}" for key, error in {**failed, **changed.failed}.items()]
    result = assemble(plan, settings.system(model), done, partial=lost)
    return msgspec.structs.replace(result, interventions=changed.rows, untouched=changed.untouched)


def experiment(plan: Plan, model: Model, settings: Settings) -> dict[str, Any]:
    """Everything that can change a number of this evaluation: what a run folder is bound to."""
    return {
        "version": __version__,
        "benchmark": f"{plan.benchmark.name} {plan.benchmark.version}",
        "options": dict(plan.options),
        "data": plan.dataset.fingerprint,
        "model": model.name,
        "model revision": model.revision,
        "cells": [cell.key for cell in plan.cells],
        "prompts": {cell.prompt.name: cell.prompt.template for cell in plan.cells},
        "measures": {task.name: list(task.measures) for task in plan.benchmark.tasks},
        "profiles": [profile.name for profile in plan.profiles],
        "fusion": None if model.joint else str(settings.fusion),
        "limit": plan.limit,
        "on nonfinite": settings.on_nonfinite,
        **({"perturb": [one.label for one in settings.perturb]} if settings.perturb else {}),
    }


def _run_cells(
    plan: Plan, model: Model, settings: Settings, folder: RunFolder | None
) -> tuple[list[Measured], dict[str, CrossgaugeError]]:
    """Every cell in order: reused when finished, else computed and kept; a bad one does not stop others."""
    done: list[Measured] = []
    failed: dict[str, CrossgaugeError] = {}
    for number, cell in enumerate(plan.cells, 1):
        if settings.progress.stopping():
            told = f"stopped on request after {len(done)} of {len(plan.cells)} cells"
            raise Interrupted(Fault("E421", "the run", told, "", "run the same command again"))
        _say(folder, plan, "running", done=len(done))
        found = None if folder is None else kept(folder, cell.key)
        if found is not None:
            done.append(found)
            continue
        try:
            done.append(_run_cell(plan, cell, model, settings, folder))
        except InputError as error:
            failed[cell.key] = error
            settings.progress.note(f"cell {number}/{len(plan.cells)} {cell.key} failed:\n{error}")
        else:
            settings.progress.note(f"cell {number}/{len(plan.cells)} {_headline(done[-1].cell)}")
    return done, failed


def _run_cell(plan: Plan, cell: Cell, model: Model, settings: Settings, folder: RunFolder | None) -> Measured:
    done, table = answer(plan, cell, model, settings)
    if folder is not None:
        folder.write_cell(done.cell, table)
    return done


def _perturb_cells(
    plan: Plan, model: Model, settings: Settings, folder: RunFolder | None, done: Sequence[Measured]
) -> Outcome:
    """The same cells once more for each intervention, with the queries that it changes."""

    def ranked(split: Split) -> Ranks:
        return ranks(split, cast("Encoder", model), settings)  # interventions are for ranking cells alone

    system = settings.system(model)
    return Perturbation(settings.perturb, plan, system, ranked, folder, settings.progress).run(done)


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
