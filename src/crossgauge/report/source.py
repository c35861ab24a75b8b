"""What a report is made from: a run folder, or the Result document alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from crossgauge.concept_study import ConceptStudy
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.report.edited import changes, contradictions, odd_changes
from crossgauge.result import CellResult, Result
from crossgauge.unlike_run import RUN, no_finished_run

SCORES = "scores.json"
PER_QUERY, CONCEPTS = "per_query.parquet", "concepts.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A Result and where it came from; ``folder`` is None when only the document is at hand."""

    result: Result
    folder: Path | None = None
    about: Mapping[str, Any] = field(default_factory=dict)  # run.json: command, host, versions
    cell: str | None = None  # the only one that it was cut to

    @property
    def name(self) -> str:
        """What to call it in a message: the folder, or the model."""
        return (
            str(self.folder)
            if self.folder is not None
            else f"{self.result.model}@{self.result.model_revision}"
        )

    @property
    def alone(self) -> bool:
        """Whether there is a concept study only, as of a list of pairs: nothing was ranked here."""
        return not self.result.cells

    def only(self, key: str) -> Source:
        """This source cut to one cell; raises UsageError (E321) naming the cells there are."""
        cells = tuple(cell for cell in self.result.cells if cell.key == key)
        study = self.study() if self.alone else None
        studied = [] if study is None else [cell.key for cell in study.cells]
        if not cells and key not in studied:
            known = ", ".join(studied or [cell.key for cell in self.result.cells])
            raise UsageError(
                Fault("E321", f"cell {key!r}", f"no such cell in {self.name}", f"one of: {known}")
            )
        alone = msgspec.structs.replace(
            self.result, cells=cells, means=(), aggregates=(), prompts=(), not_applicable=(), untouched=(),
            interventions=tuple(one for one in self.result.interventions if one.cell == key),
        )  # fmt: skip
        return replace(self, result=alone, cell=key)

    def study(self) -> ConceptStudy | None:
        """The concept study of the run, of the cells that are left; None where there is none.

        Raises InputError: E307 for one that is damaged, E327 for changes that somebody edited.
        """
        path = None if self.folder is None else self.folder / CONCEPTS
        if path is None or not path.is_file():
            return None
        study = read_study(path)
        cells = tuple(cell for cell in study.cells if self.cell in (None, cell.key))
        return msgspec.structs.replace(study, cells=cells) if cells else None

    def per_query(self, cell: CellResult) -> Path | None:
        """The per-query table of a cell, if there is one."""
        return self.table(cell.key)

    def table(self, key: str) -> Path | None:
        """The per-query table of what is kept under this name: a cell, or its changed queries."""
        if self.folder is None:
            return None
        path = self.folder / "cells" / key / PER_QUERY
        return path if path.is_file() else None


def read_source(path: Path) -> Source:
    """A run folder or a ``scores.json``; raises InputError (E320) when it is neither.

    Numbers that somebody edited are refused: E327 (they contradict one another), E328 (a cell of the folder
    says otherwise), E329 (that cell itself was changed).
    """
    scores, data = _document(path)
    result = Result.from_json(data, str(scores))
    folder = scores.parent if scores.name == SCORES else None
    faults = contradictions(result, str(scores)) + (changes(result, folder) if folder is not None else [])
    if faults:
        raise InputError(faults)
    return Source(result, folder, _about(scores.parent / "run.json"))


def read_shown(path: Path) -> Source:
    """As :func:`read_source`; of a folder with a concept study alone (or of that file), the study.

    Its Result then has no cells. Raises as read_source and :meth:`Source.study` do.
    """
    folder = path.parent if path.name == CONCEPTS else path
    try:
        ranked = not (folder / CONCEPTS).is_file() or (folder / SCORES).exists()
    except OSError:
        ranked = True  # no name that a file can have, which read_source says
    if ranked:
        return read_source(path)
    study = read_study(folder / CONCEPTS)
    result = Result(
        schema=study.schema, version=study.version, benchmark=study.source, benchmark_version="",
        model=study.model, model_revision="", data=study.data, options={}, partial=(), cells=(), means=(),
        published=(), audit=study.audit,
    )  # fmt: skip
    return Source(result, folder)


def read_study(path: Path) -> ConceptStudy:
    """A concept study; raises InputError: E307 for a damaged one, E327 for changes that cannot be."""
    study = ConceptStudy.from_json(path.read_bytes(), str(path))
    rows = (row for cell in study.cells for row in cell.interventions)
    if faults := odd_changes(rows, str(path)):
        raise InputError(faults)
    return study


def require_finished(path: Path) -> None:
    """Raise InputError (E320), saying what is there instead, where a path is no run that has finished."""
    if (unlike := no_finished_run(path)) is not None:
        raise InputError(unlike.fault("E320", str(path), f"{RUN}, or its {SCORES}"))


def _document(path: Path) -> tuple[Path, bytes]:
    wanted, fix = f"{RUN}, or its {SCORES}", "check the path and who may read it"
    scores = path
    try:
        require_finished(path)
        scores = path / SCORES if path.is_dir() else path
        if not scores.is_file():
            raise InputError(Fault("E320", str(scores), "not a regular file", wanted, fix))
        return scores, scores.read_bytes()
    except OSError as error:
        found = error.strerror or str(error)
        raise InputError(Fault("E320", str(scores), found, wanted, fix)) from error


def _about(path: Path) -> Mapping[str, Any]:
    """The facts of ``run.json``; a report can do without them, so a broken file only leaves them out."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}
