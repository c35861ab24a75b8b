"""From a submission and the truth to a Result: file by file, and none of a faulty one."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.benchmark import PLAIN, Benchmark, Contest
from crossgauge.errors import Fault, InputError
from crossgauge.measured import CaptionedCell, RankedCell
from crossgauge.plan import Cell
from crossgauge.predictions import Predicted, score_predictions
from crossgauge.ranking import rank_lists, rank_matrix
from crossgauge.readers.archive import Tree, open_tree
from crossgauge.result import Result
from crossgauge.submission.captions import read_captions
from crossgauge.submission.check import lacking
from crossgauge.submission.layout import Layout, Prediction, lay_out
from crossgauge.submission.problems import Problems
from crossgauge.submission.retrieval import Pairs, read_pairs
from crossgauge.submission.truth import Side, Truth, open_truth
from crossgauge.types import Floats, OnNonfinite, Ranks, Split

LARGEST = 1 << 27  # scores of a matrix; above, lists are ranked and official scorers see nothing
_AT_ONCE = 1 << 22
_AHEAD = 2  # files that are read ahead: each takes about 150 MiB at a million lines
_REVISION = 12
_NOTHING = "E255"  # no cell was left to score


@dataclass(frozen=True, slots=True)
class ScoredSubmission:
    """The Result, and all that was wrong: with the files that were not scored, or with their names."""

    result: Result
    faults: tuple[Fault, ...]


def score_submission(
    path: Path,
    truth: Path,
    *,
    options: Mapping[str, str] | None = None,
    profiles: Sequence[str] = (),
    on_nonfinite: OnNonfinite = "error",
    model: str | None = None,
    benchmark: str | Benchmark = "gem",
    out: Path | None = None,
    about: Mapping[str, Any] | None = None,
) -> ScoredSubmission:
    """Score a folder or zip of predictions for GEM against its data.

    Arguments:
        path: the submission (see :func:`crossgauge.submission.layout.lay_out`).
        truth: a folder of GEM's data (``crossgauge list benchmarks`` says how it looks); pictures and
            videos need not be there.
        options: of the benchmark, e.g. ``{"split": "dev"}``.
        profiles: official scorers to show beside, e.g. ``gem2021``.
        on_nonfinite: ``error`` refuses a file with a score of NaN or infinity; ``miss`` counts such a pair
            as not listed.
        model: what to call the system; its revision is a hash of the predictions, however they are packed.
        benchmark: GEM, or one that reads its data.
        out: a run folder to write; None writes nothing.
        about: facts for its ``run.json`` that change no number.

    What is missing in a part that the submission has a file of makes the result partial; queries without a
    line are misses; faulty files are left out and told. Raises InputError with every fault when no file
    could be scored.
    """
    with open_tree(path) as tree:
        layout = lay_out(tree)
        with ThreadPoolExecutor(max_workers=1) as beside:  # hashing needs no lock of Python's
            revision = beside.submit(_revision, tree, layout.predictions)
            known = open_truth(truth, options=options or {}, profiles=tuple(profiles), benchmark=benchmark)
        reading = _Reading(tree, known, layout, on_nonfinite)
        if not reading.sound:
            raise InputError(reading.faults)
        absent = lacking(layout, known)
        reading.findings += [*tree.findings, *layout.findings, *absent.findings(tree.place, of_parts=True)]
        reading.partial += absent.partial
        try:
            result = score_predictions(
                known.plan, reading.predicted(), model=model or path.resolve().stem,
                revision=revision.result(), partial=reading.partial, findings=reading.findings,
                on_nonfinite=on_nonfinite, out=out, about=about,
            )  # fmt: skip
        except InputError as error:
            if error.faults[0].code != _NOTHING:
                raise
            raise InputError(reading.faults) from error
    return ScoredSubmission(result, tuple(reading.faults))


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """One file as it was read; None where it is too faulty to be scored."""

    cell: Cell
    problems: Problems
    found: Predicted | None


class _Reading:
    """Reads one file after another; what it met is complete once all were asked for."""

    def __init__(self, tree: Tree, truth: Truth, layout: Layout, on_nonfinite: OnNonfinite) -> None:
        self._tree, self._truth, self._on_nonfinite = tree, truth, on_nonfinite
        self.faults: list[Fault] = list(layout.faults)
        self.findings: list[Fault] = []
        self.partial: list[str] = []
        self.sound: list[Prediction] = []
        for one in layout.predictions:
            fault = truth.fault(one.task, one.language, tree.at(one.member))
            if fault is None:
                self.sound.append(one)
            else:
                self.faults.append(fault)

    def predicted(self) -> Iterator[Predicted]:
        """The cells of all sound files, in order; the next two are read while one is measured.

        The truth is only read meanwhile: what a file is held against is made anew for it, and the one thing
        that is kept (whose an unknown id is) comes out the same whoever makes it first.
        """
        with ThreadPoolExecutor(_AHEAD) as ahead:
            waiting: deque[Future[_Answer]] = deque()
            for one in self.sound:
                waiting.append(ahead.submit(self._answer, one))
                if len(waiting) > _AHEAD:
                    yield from self._kept(waiting.popleft().result())
            for last in waiting:
                yield from self._kept(last.result())

    def _answer(self, one: Prediction) -> _Answer:
        problems = Problems(self._tree.at(one.member))
        cell = self._truth.cells[one.task, one.language]
        return _Answer(cell, problems, self._read(one, cell, problems))

    def _kept(self, answer: _Answer) -> Iterator[Predicted]:
        """What a file gave, once its faults are kept."""
        problems = answer.problems
        self.faults += problems.faults
        if answer.found is not None:
            yield answer.found
            return
        self.findings += problems.findings  # of a scored file they stand with its cell
        first = problems.faults[0]
        told = f"{len(problems.faults)} faults, first {first.code} {first.place}: {first.found}"
        self.partial.append(f"{answer.cell.key}: not scored, {told}")

    def _read(self, one: Prediction, cell: Cell, problems: Problems) -> Predicted | None:
        side = self._truth.side(one.task, one.language)

        def hint(kind: str, name: str) -> str:
            return self._truth.hint(one.task, one.language, kind, name)

        if cell.task.kind == "captioning":
            read = read_captions(self._tree, one.member, problems, items=side.items, hint=hint)
            if read is None:
                return None
            captions = tuple(read.captions[row] for row in side.distinct.tolist())
            split = self._truth.data.captions(one.task, one.language)
            return CaptionedCell(cell, split, captions, self._told(problems))
        pairs = read_pairs(
            self._tree, one.member, problems, queries=side.queries, items=side.items, hint=hint,
            on_nonfinite=self._on_nonfinite,
        )  # fmt: skip
        return None if pairs is None else self._ranked(cell, pairs, side, problems)

    def _ranked(self, cell: Cell, pairs: Pairs, side: Side, problems: Problems) -> RankedCell:
        split = self._truth.data.split(cell.task.name, cell.language, PLAIN)
        if not pairs.full:
            lengths = sorted({int(pairs.listed.min()), int(pairs.listed.max())})
            found = f"lists {' to '.join(map(str, lengths))} of {len(side.item_ids)} items a query"
            fix = "none: right answers that are not listed are misses"
            problems.say("W486", found, "every pair, as GEM's own script needs", fix)
        matrix = _matrix(pairs, side) if len(split.queries) * len(split.corpus) <= LARGEST else None
        if matrix is not None and pairs.full:
            ranks = rank_matrix(matrix, split.qrels, on_nonfinite=self._on_nonfinite)
        else:
            ranks = _rank_lists(pairs, side, split, self._on_nonfinite)
        contest = None if matrix is None else Contest(split, scores=matrix)
        return RankedCell(cell, split, ranks, contest, self._told(problems))

    def _told(self, problems: Problems) -> tuple[str, ...]:
        """The findings of a file; those of one line with file and line, wherever the submission lies."""
        inside = f"{self._tree.place}/"
        return tuple(
            f"{one.code} {one.found}"
            if one.place == problems.place
            else f"{one.code} {one.place.removeprefix(inside)}: {one.found}"
            for one in problems.findings
        )


def _matrix(pairs: Pairs, side: Side) -> Floats:
    """Every score by query and corpus row, (Q, N); -inf where nothing is listed."""
    query, row, score = side.spread(pairs.query, pairs.item, pairs.score)
    matrix = np.full((len(pairs.queries), len(side.distinct)), -np.inf)
    matrix[query, row] = score
    return matrix


def _rank_lists(pairs: Pairs, side: Side, split: Split, on_nonfinite: OnNonfinite) -> Ranks:
    query, row, score = side.spread(pairs.query, pairs.item, pairs.score)
    order = np.argsort(query, kind="stable")
    cuts = np.searchsorted(query[order], np.arange(1, len(split.queries)))
    return rank_lists(
        np.split(row[order], cuts), np.split(score[order], cuts), split.qrels,
        corpus_size=len(split.corpus), on_nonfinite=on_nonfinite,
    )  # fmt: skip


def _revision(tree: Tree, predictions: Sequence[Prediction]) -> str:
    """A hash of what the files hold and what they are of, however they are packed and named."""
    whole = hashlib.sha256()
    for one in predictions:
        content = hashlib.sha256()
        try:
            with tree.open(one.member) as stream:
                while some := stream.read(_AT_ONCE):
                    content.update(some)
        except InputError:  # told when the file is read to be scored
            content.update(b"damaged")
        whole.update(f"{one.task} {one.language} {content.hexdigest()}\n".encode())
    return whole.hexdigest()[:_REVISION]
