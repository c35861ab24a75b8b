"""From queries with what they found to the document of a concept study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec

from crossgauge import __version__
from crossgauge.annotations import Choice
from crossgauge.benchmark import Dataset
from crossgauge.concept_study import SCHEMA, ConceptCell, ConceptStudy
from crossgauge.concepts.named import hierarchy_of
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.disk import write_atomically
from crossgauge.errors import SHOWN, Fault, UsageError
from crossgauge.media import content_digest
from crossgauge.report.source import Source, read_source
from crossgauge.studies.asked import Asked
from crossgauge.studies.cell import Questions, Subject, study_cell
from crossgauge.studies.changed import changed_queries
from crossgauge.studies.deltas import deltas
from crossgauge.studies.folder import experiment_of, kept_in
from crossgauge.studies.known import KnownQueries
from crossgauge.studies.pictures import Pictures, pictures_beside, pictures_of
from crossgauge.studies.queries import Queries
from crossgauge.studies.reading import STORED, pairs_of_run, read_pairs
from crossgauge.studies.run_data import data_of, limit_of
from crossgauge.studies.sources import Annotated, annotated
from crossgauge.studies.table import PairTable, pair_table
from crossgauge.studies.unfit import nothing_annotated

EXAMPLES = 30  # pairs of a cell that are shown in full


def study_run(
    run: Path,
    *,
    concepts: str,
    hierarchy: str = "wordnet",
    settings: ConceptSettings | None = None,
    choice: Choice | None = None,
    dataset: Dataset | None = None,
    top: int = 1,
    examples: int = EXAMPLES,
    workers: int = 1,
    out: Path | None = None,
) -> ConceptStudy:
    """Study every cell of a finished run whose items are pictures, or stand for pictures.

    Where the run changed queries (``--perturb``), the cell says what that did to each concept measure.

    Arguments:
        run: the run folder.
        concepts: a file of annotations, ``predicted:K``, or ``dataset`` (with the opened data set given).
        hierarchy: ``wordnet``, or a table of child and parent.
        settings: how the measures are computed; None: as in the source.
        choice: how a file of annotations is read; None: as literally as can be.
        dataset: the run's data, opened with its options; they say which picture an item stands for, and where
            its file is. A limit of the run is applied here.
        top: so many first pictures are judged, their values averaged a query; a run keeps 10 places.
        examples: so many pairs a cell are explained in full, those with the lowest CA first; of each query
            the first pair that is judged.
        workers: processes that count; no number depends on it.
        out: gets ``concepts.json`` and ``concepts.parquet`` (every pair with its values); None: nothing is
            written.

    Raises InputError: E258 where no cell has a picture with annotations, E259 where several pictures have one
    scene by their names, E308 for data that were not ranked, and what reading raises; UsageError: E309 for
    more places than are kept or a ``choice`` without a file, E284 for queries without text where
    ``variant=informed``, E257, E299.
    """
    source = read_source(run)
    if top > STORED:
        raise UsageError(Fault("E309", f"--top {top}", f"a run keeps {STORED} places", f"1 to {STORED}",
                               f"--top {STORED}, or a table of pairs with more"))  # fmt: skip
    result = source.result
    cut = None if dataset is None else data_of(result, dataset, run)
    pictures = pictures_of(cut)
    untold: list[Fault] = []
    cells = list(_questions(source, pictures, top, untold))
    tree = hierarchy_of(hierarchy)
    found = annotated(
        concepts,
        asked=[asked for cell in cells for asked in _all(cell)],
        hierarchy=tree,
        pictures=pictures,
        dataset=cut,
        choice=choice,
    )
    limit = limit_of(result)
    subject = Subject(
        source=f"{result.benchmark} {result.benchmark_version}",
        model=f"{result.model}@{result.model_revision}",
        data=result.data,
        settings=settings or ConceptSettings(),
        hierarchy=tree,
        examples=examples,
        top=top,
        workers=workers,
        fields={f"set.{name}": value for name, value in result.options.items() if value}
        | ({} if limit is None else {"limit": str(limit)}),
    )
    partial = [f"PARTIAL, not to be ranked: {why}" for why in result.partial]
    with kept_in(out, None):
        return _study(subject, found, cells, audit=[*partial, *map(str, untold)], out=out)


def study_pairs(
    pairs: Path,
    *,
    concepts: str,
    hierarchy: str = "wordnet",
    settings: ConceptSettings | None = None,
    choice: Choice | None = None,
    images: Path | None = None,
    model: str = "pairs",
    top: int = 1,
    examples: int = EXAMPLES,
    workers: int = 1,
    out: Path | None = None,
) -> ConceptStudy:
    """Study a table of queries with their right and their retrieved pictures; the rest as in study_run.

    The files of pictures are those that ids name, with or without ending, in the folder ``images``, or else
    beside the table. ``out`` is a new folder, or that of the very same study. Raises as study_run does, what
    reading the table and finding pictures raises, and ResumeRefused (E301, E302) for another folder.
    """
    listed = read_pairs(pairs)
    pictures, told = pictures_beside(pairs, listed, images)
    cells = [Questions("pairs", "query→image", "und", _first(listed, "pairs", pictures, top, []))]
    tree = hierarchy_of(hierarchy)
    found = annotated(concepts, asked=[cells[0].asked], hierarchy=tree, pictures=pictures, choice=choice)
    subject = Subject(
        source=pairs.name,
        model=model,
        data=_asked_digest(listed),
        settings=settings or ConceptSettings(),
        hierarchy=tree,
        examples=examples,
        top=top,
        workers=workers,
        fields={"pictures": _digest(listed, pictures)} if found.predicted else {},
    )
    with kept_in(out, experiment_of(pairs, subject, found)):
        return _study(subject, found, cells, audit=list(map(str, (*listed.findings, *told))), out=out)


def _asked_digest(asked: Iterable[Asked]) -> str:
    """Of what was asked for: all ids, texts and truths, as the ``repr`` of a list of them."""
    whole, between = hashlib.sha256(b"["), ""
    for one in asked:
        told = f"{between}{(one.query_id, one.text, one.truth.id)!r}"
        whole.update(told.encode("utf-8", "surrogatepass"))
        between = ", "
    whole.update(b"]")
    return f"sha256:{whole.hexdigest()}"


def _digest(asked: Iterable[Asked], pictures: Pictures) -> str:
    """Of the files of the right pictures: guesses depend on them, and ids do not tell them."""
    files = {one.truth.id: pictures.file(one.truth) for one in asked}
    told = repr([(name, file and content_digest(file)) for name, file in sorted(files.items())])
    return f"sha256:{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _questions(source: Source, pictures: Pictures, top: int, untold: list[Fault]) -> Iterator[Questions]:
    """Each cell that ranked something; the others are told."""
    for cell in source.result.cells:
        table = source.per_query(cell)
        if cell.kind != "ranking" or table is None:
            why = "nothing was ranked" if cell.kind != "ranking" else "its per-query table is not there"
            untold.append(_not_studied(cell.key, why))
            continue
        asked = _first(pairs_of_run(table), cell.key, pictures, top, untold)
        changed = tuple(changed_queries(source, cell, pictures, top, untold))
        yield Questions(
            cell.key, cell.title, cell.language, asked, cell.gallery, {"prompt": cell.template}, changed
        )


def _all(cell: Questions) -> Iterator[Queries]:
    """The queries of a cell, and those that interventions changed."""
    yield cell.asked
    for one in cell.changed:
        yield from (one.before, one.after)


def _first(asked: Iterable[Asked], key: str, pictures: Pictures, top: int, untold: list[Fault]) -> Queries:
    """The queries with their ``top`` first pictures; where fewer are known than asked for, that is told."""
    found, short = Queries(), []
    for before in asked:
        one = pictures.first(before, top)
        found.add(one)
        if len(one.retrieved) < top and len(before.retrieved) >= STORED:
            short.append(one.query_id)
    if short:
        told = f"{_named(short)}: the {STORED} places that are kept show fewer than {top} pictures"
        untold.append(Fault("W255", key, told, "", "those are judged; take a smaller --top"))
    return found


def _not_studied(key: str, why: str) -> Fault:
    return Fault("W257", key, f"not studied: {why}")


def _named(ids: Sequence[str]) -> str:
    return f"{len(ids)} ({', '.join(ids[:SHOWN])}{' …' if len(ids) > SHOWN else ''})"


@dataclass(slots=True)
class _Studied:
    """The cells that can be studied, and why others cannot."""

    cells: list[tuple[Questions, KnownQueries]]
    told: list[Fault]
    textless: list[Fault]  # where some queries lack the text that all are judged by
    wordless: list[Fault]  # where all do


def _known(subject: Subject, found: Annotated, cells: Iterable[Questions]) -> _Studied:
    studied = _Studied([], [], [], [])
    for one in cells:
        known = KnownQueries(one.asked, found)
        if not known:
            why = "no query has both pictures annotated" if one.asked else "no query has a right picture"
            studied.told.append(_not_studied(one.key, why))
            continue
        if subject.settings.variant == "informed":
            without = [query.asked.query_id for query in known if not (query.asked.text or "").strip()]
            if without:
                lacking = studied.wordless if len(without) == len(known) else studied.textless
                lacking.append(
                    Fault("E284", one.key, f"queries without text: {_named(without)}",
                          "the text of each query", "give a column text, or take variant=agnostic")
                )  # fmt: skip
                continue
        if lost := known.lost:
            found_lost = f"{len(lost)} of {len(one.asked)} queries left out: {', '.join(lost[:SHOWN])}"
            studied.told.append(Fault("W258", one.key, found_lost + " …" * (len(lost) > SHOWN), "",
                                      "one of their pictures has no annotation"))  # fmt: skip
        studied.cells.append((one, known))
    return studied


def _cell(
    subject: Subject, found: Annotated, cell: Questions, known: KnownQueries, table: PairTable | None
) -> ConceptCell:
    """The cell with what its interventions did."""
    done = study_cell(subject, found, cell, known, table)
    rows = (row for one in cell.changed for row in deltas(subject, found, cell, one))
    return msgspec.structs.replace(done, interventions=tuple(rows))


def _study(
    subject: Subject,
    found: Annotated,
    questions: Sequence[Questions],
    *,
    audit: Sequence[str],
    out: Path | None,
) -> ConceptStudy:
    found.check(item for cell in questions for asked in _all(cell) for item in asked.pictures)
    studied = _known(subject, found, questions)
    if studied.textless or (studied.wordless and not studied.cells):
        raise UsageError([*studied.textless, *studied.wordless])
    if not studied.cells:
        raise nothing_annotated(found.name, predicted=found.predicted)
    with nullcontext() if out is None else pair_table(out) as table:
        done = [_cell(subject, found, cell, known, table) for cell, known in studied.cells]
    # cells that are not studied come last: there may be many, and a screen shows the first warnings
    wordless = [_not_studied(fault.place, fault.found) for fault in studied.wordless]
    told = [*studied.told, *wordless, *found.findings]
    if found.predicted:
        told.append(Fault("W259", found.name, "concepts are guesses of a classifier, not annotations"))
    study = ConceptStudy(
        schema=SCHEMA,
        version=__version__,
        source=subject.source,
        model=subject.model,
        data=subject.data,
        annotations=found.name,
        predicted=found.predicted,
        hierarchy=subject.hierarchy.name,
        settings=dict(subject.settings.told()),
        facts=dict(found.facts),
        cells=tuple(done),
        audit=tuple(sorted((*audit, *map(str, told)), key=lambda line: line.startswith("W257"))),
    )
    if out is not None:  # the pairs are there already: where there is a document, its pairs are there too
        write_atomically(out / "concepts.json", study.to_json())
    return study
