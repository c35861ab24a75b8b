"""MMMEB's published result files: ``{dataset}_{task}_{lang}[_{style}].jsonl``, one ranked list a query.

A line holds the label, p_1, p_5, p_10, r_1, r_5, r_10 and the predictions in ranked order, and stands where
its row stands in the data, rows with a null query left out. Only label and order are scored: the stored p_5
is 1/5 on a hit, not 1.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.benchmarks._files import entries, folders, is_file, is_folder, many, normal, some
from crossgauge.benchmarks.mmmeb.data import Listings
from crossgauge.benchmarks.mmmeb.files import MAX_FAULTS, picture_path, rows_of
from crossgauge.benchmarks.mmmeb.lists import Listing, Question
from crossgauge.benchmarks.mmmeb.names import TASKS
from crossgauge.benchmarks.mmmeb.prompts import STYLES
from crossgauge.captions import clean
from crossgauge.errors import Fault, InputError
from crossgauge.ranking import rank_lists
from crossgauge.types import Ints, Ranks, Split

NAME = re.compile(
    rf"(?P<dataset>.+)_(?P<kind>{'|'.join(sorted({kind for kind, _ in TASKS}))})_(?P<language>[a-z]{{2}})"
    rf"(?:_(?P<style>{'|'.join(STYLES)}))?\.jsonl"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A result file, by its name."""

    path: Path
    task: str
    language: str
    style: str  # empty: its name says none


@dataclass(frozen=True, slots=True)
class Found:
    """The result files of one system."""

    folder: Path
    files: tuple[Named, ...]
    findings: tuple[Fault, ...]

    @property
    def revision(self) -> str:
        """A short hash of the files: what pins the answers."""
        digest = hashlib.sha256()
        for named in self.files:
            digest.update(named.path.name.encode("utf-8", "surrogatepass") + b"\0")
            with named.path.open("rb") as handle:
                digest.update(hashlib.file_digest(handle, "sha256").digest())
        return f"sha256:{digest.hexdigest()[:12]}"


def result_files(folder: Path) -> Found:
    """The result files in a folder, or in the only folder below it that has some.

    Raises InputError (E358) where there is none, or where several systems have some.
    """
    home = _home(folder)
    files, findings = [], []
    for path in entries(home):
        match = NAME.fullmatch(path.name)
        task = None if match is None else TASKS.get((match["kind"], match["dataset"]))
        if match is not None and task is not None and is_file(path):
            files.append(Named(path, task, match["language"], match["style"] or ""))
        elif path.suffix == ".jsonl":
            wanted = "{dataset}_{task}_{lang}[_{style}].jsonl"
            findings.append(Fault("W356", path.name, "no result of the benchmark", wanted, "not read"))
    if not files:
        raise InputError([_none(home), *findings])
    return Found(home, tuple(files), tuple(findings))


def _home(folder: Path) -> Path:
    if not is_folder(folder):
        raise InputError(_none(folder))
    if any(NAME.fullmatch(path.name) for path in entries(folder)):
        return folder
    homes = [inner for inner in folders(folder) for inner in (inner, *folders(inner))
             if any(NAME.fullmatch(path.name) for path in entries(inner))]  # fmt: skip
    if len(homes) == 1:
        return homes[0]
    if not homes:
        raise InputError(_none(folder))
    found = f"results of {len(homes)} systems: {some(str(home.relative_to(folder)) for home in homes)}"
    raise InputError(Fault("E358", str(folder), found, "one system", "name its folder"))


def _none(folder: Path) -> Fault:
    wanted = "xm_i2t_en.jsonl, xm_i2t_en_plain.jsonl and their like"
    return Fault("E358", str(folder), "no result file", wanted, "name the folder results/MODEL")


@dataclass(slots=True)
class Answers:
    """The ranked lists of one file, in the order of the queries."""

    lists: list[Ints | None] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    short: int = 0  # lists that name fewer candidates than compete
    contradicted: int = 0  # lines whose p_1 is not what their order gives


def ranks_of(named: Named, listing: Listing, split: Split) -> tuple[Ranks, tuple[str, ...]]:
    """The ranks of one file's predictions, and what is odd about them (W355, W358).

    What a list does not name is not retrieved; of a candidate named twice the first place counts. Raises
    InputError (E359) with every line that does not answer the row of the data in its place.
    """
    answers = Answers()
    _read(named, listing, answers)
    if answers.faults:
        raise InputError(answers.faults)
    ranks = rank_lists(
        answers.lists,
        [None if rows is None else -np.arange(len(rows), dtype=np.float64) for rows in answers.lists],
        split.qrels,
        corpus_size=len(split.corpus),
        candidates=split.candidates,
        query_ids=[item.id for item in split.queries],
    )
    return ranks, tuple(_odd(named, answers))


def _odd(named: Named, answers: Answers) -> Iterator[str]:
    total = len(answers.lists)
    if answers.contradicted:
        said = f"p_1 of {answers.contradicted} of {total} lines is not what their order gives"
        yield str(Fault("W355", named.path.name, said, "", "the order is scored"))
    if answers.short:
        said = f"{answers.short} of {total} lists name fewer candidates than compete"
        yield str(Fault("W358", named.path.name, said, "", "the others are not retrieved"))


def _read(named: Named, listing: Listing, answers: Answers) -> None:
    row_of = _Lookup(listing)
    count = 0
    for place, line in rows_of(named.path, answers.faults):
        count += 1
        if count <= len(listing.questions):
            answers.lists.append(_answer(line, place, listing, row_of, answers=answers))
        if len(answers.faults) > MAX_FAULTS:
            return
    if count != len(listing.questions):
        asked = f"{many(len(listing.questions), 'line')}, one for each row with a query"
        fix = "are results and data of the same release?"
        answers.faults.append(Fault("E359", named.path.name, many(count, "line"), asked, fix))


class _Lookup:
    """From a candidate as somebody writes it to its row."""

    def __init__(self, listing: Listing) -> None:
        self._dataset = listing.dataset
        self._rows = {content.key: row for row, content in enumerate(listing.candidates)}
        self._pictures = any(content.image is not None for content in listing.candidates)
        self._known: dict[str, int | None] = {}

    def __call__(self, named: object) -> int | None:
        """The row; None for what is no candidate of the file."""
        said = str(named) if type(named) is int else named
        if not isinstance(said, str):
            return None
        if said not in self._known:
            key = (None, normal(picture_path(said, self._dataset))) if self._pictures else (clean(said), None)
            self._known[said] = self._rows.get(key)
        return self._known[said]


def _answer(
    line: Mapping[str, Any], place: str, listing: Listing, row_of: _Lookup, *, answers: Answers
) -> Ints | None:
    """The rows that one line lists, best first; None where it lists nothing or does not fit."""
    question = listing.questions[len(answers.lists)]
    same = "are results and data of the same release?"
    predictions = line.get("predictions")
    if not isinstance(predictions, list):
        found, wanted = "no list of predictions", "predictions in ranked order"
        answers.faults.append(Fault("E359", place, found, wanted, "is it a result file?"))
        return None
    if row_of(line.get("label")) != question.gold:
        found, wanted = f"label {line.get('label')!r:.60}", f"the right candidate of {question.place}"
        answers.faults.append(Fault("E359", place, found, wanted, same))
        return None
    rows = [row_of(one) for one in predictions]
    strangers = [one for one, row in zip(predictions, rows, strict=True) if not _competes(question, row)]
    if strangers:
        found = f"{many(len(strangers), 'prediction')} that are no candidates, e.g. {strangers[0]!r:.60}"
        answers.faults.append(Fault("E359", place, found, f"candidates of {question.place}", same))
        return None
    listed = list(dict.fromkeys(row for row in rows if row is not None))
    answers.short += len(listed) < listing.size(question)
    stored = line.get("p_1")
    if isinstance(stored, int | float) and bool(stored) != (listed[:1] == [question.gold]):
        answers.contradicted += 1
    return np.array(listed, dtype=np.int64) if listed else None


def _competes(question: Question, row: int | None) -> bool:
    if row is None or question.rows is None:
        return row is not None
    at = int(np.searchsorted(question.rows, row))
    return at < len(question.rows) and int(question.rows[at]) == row


def by_cell(found: Found, style: str) -> dict[tuple[str, str, str], Named]:
    """The files by task, language and format, ``style`` where their names say none.

    Raises InputError (E358) where two files are of one cell.
    """
    files: dict[tuple[str, str, str], Named] = {}
    faults = []
    for named in found.files:
        first = files.setdefault((named.task, named.language, named.style or style), named)
        if first is not named:
            said = f"{named.path.name} and {first.path.name} are of one format"
            wanted, fix = "one file a task, language and format", "move one away, or --style"
            faults.append(Fault("E358", str(found.folder), said, wanted, fix))
    if faults:
        raise InputError(faults)
    return files


def strange(found: Found, dataset: Listings) -> list[Fault]:
    """A warning (W356) for each result file of which the data have no file."""
    wanted = "a language and task that the data have"
    return [
        Fault(
            "W356", named.path.name, f"the data have no {named.task} in {named.language}", wanted, "not read"
        )
        for named in found.files
        if named.language not in dataset.languages(named.task)
    ]


def lacking(found: Sequence[tuple[str, str, str]], dataset: Listings) -> list[str]:
    """Cells without a result file, of tasks that have one in the same format: what makes a result partial.

    A task without any was not tried (models of two towers answer no questions): nothing is claimed of it.
    """
    tried = dict.fromkeys((task, style) for task, _, style in found)
    return [
        f"no result file of {task}.{language}.{style}"
        for task, style in tried
        for language in dataset.languages(task)
        if (task, language, style) not in found
    ]
