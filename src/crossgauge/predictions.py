"""From predictions read elsewhere (submissions, dumps, result files) to a Result and a run folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from crossgauge import __version__
from crossgauge.assemble import assemble
from crossgauge.errors import Fault, InputError
from crossgauge.measured import CaptionedCell, Measured, RankedCell, System
from crossgauge.plan import Plan
from crossgauge.result import Result
from crossgauge.runs import RunFolder
from crossgauge.types import OnNonfinite

Predicted: TypeAlias = RankedCell | CaptionedCell  # what a system answered in one cell


def score_predictions(
    plan: Plan,
    predicted: Iterable[Predicted],
    *,
    model: str,
    revision: str,
    similarity: str = "given",
    on_nonfinite: OnNonfinite = "error",
    partial: Sequence[str] = (),
    findings: Sequence[Fault] = (),
    out: Path | None = None,
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Measure predictions cell by cell, as they come, and make the Result.

    Arguments:
        plan: benchmark, data, options and profiles; only the cells of ``predicted`` are scored.
        predicted: one a cell; read lazily, so only one cell's answers need to be in memory. Ranks of a split
            with draws are those of its drawn queries, draws in order (see ``ranking.rank_draws``).
        model, revision: what to call the system, and what pins its answers (a hash of the files).
        similarity: how its scores were made, where that is known.
        on_nonfinite: what a NaN or an infinity was taken for when the ranks were made.
        partial: what the predictions lack; the result then says so and is never ranked.
        findings: warnings of whoever read the predictions, added to the audit.
        out: a run folder, created or resumed; None writes nothing.
        about: facts for its ``run.json`` that change no number.

    Raises InputError (E255) when there is no cell to score, and what measuring raises.
    """
    system = System(model, revision, similarity, on_nonfinite=on_nonfinite)
    if out is None:
        return _result(plan, system, list(_measured(plan, system, predicted, None)), partial, findings)
    with closing(RunFolder(out)) as folder:
        folder.open(_experiment(plan, system, partial), about or {})
        done = list(_measured(plan, system, predicted, folder))
        result = _result(plan, system, done, partial, findings)
        folder.write_scores(result)
        folder.status("partial" if result.partial else "complete", cells=len(done), done=len(done))
    return result


def _measured(
    plan: Plan, system: System, predicted: Iterable[Predicted], folder: RunFolder | None
) -> Iterable[Measured]:
    for one in predicted:
        done, table = one.measured(plan, system)
        if folder is not None and folder.finished(done.cell.key) != done.cell:
            folder.write_cell(done.cell, table)
        yield done


def _result(
    plan: Plan, system: System, done: Sequence[Measured], partial: Sequence[str], findings: Sequence[Fault]
) -> Result:
    if not done:
        found = "no prediction for any of its cells"
        raise InputError(Fault("E255", plan.benchmark.name, found, "at least one", "see what was read above"))
    result = assemble(plan, system, done, partial=partial)
    told = tuple(str(finding) for finding in findings)
    return _replaced(result, audit=(*result.audit, *told)) if told else result


def _replaced(result: Result, **changes: Any) -> Result:
    import msgspec

    changed: Result = msgspec.structs.replace(result, **changes)
    return changed


def _experiment(plan: Plan, system: System, partial: Sequence[str]) -> dict[str, Any]:
    return {
        "version": __version__,
        "benchmark": f"{plan.benchmark.name} {plan.benchmark.version}",
        "options": dict(plan.options),
        "data": plan.dataset.fingerprint,
        "model": system.name,
        "model revision": system.revision,
        "profiles": [profile.name for profile in plan.profiles],
        "on nonfinite": system.on_nonfinite,
        "partial": list(partial),
    }
