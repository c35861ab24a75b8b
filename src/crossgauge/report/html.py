"""One HTML file that shows a run to people: no network, no server, readable without JavaScript.

Equal run folders give equal bytes. Whatever comes from data passes Jinja's escaping and
:func:`crossgauge.report.wording.visible`; the page's own policy (CSP) allows no other script than ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossgauge.disk import write_atomically
from crossgauge.report import aggregates, charts, concepts_html, interventions, prompts, sizes, wording
from crossgauge.report.columns import columns_of, unit_of
from crossgauge.report.lines import Column, Line
from crossgauge.report.notes import warnings
from crossgauge.report.page import MAX_BYTES, dress, environment, size
from crossgauge.report.queries import Query, picked
from crossgauge.report.side_by_side import side_by_side
from crossgauge.report.source import Source, read_source
from crossgauge.report.tables import Table, tables
from crossgauge.report.thumbnails import Thumbnail, thumbnails
from crossgauge.report.unable import unable
from crossgauge.report.written import Written, picked_captions
from crossgauge.result import CellResult, PublishedRow

if TYPE_CHECKING:
    from jinja2 import Template

NAME = "report.html"
_RESERVE = 20_000  # for what surrounds a picture in the page
_CONCEPTS = 0.6  # the share of what is left that pairs of pictures may take
_WHY = {
    "worst": ("Ranked worst", "The relevant item comes latest."),
    "tied": ("Tied", "Rivals score exactly the same as a relevant item; the rank is its expectation."),
    "best": ("Ranked best", "The relevant item comes first, by the widest lead."),
}
_WHY_WRITTEN = {
    "worst": ("Written worst", "The text has least in common with what people wrote."),
    "best": ("Written best", "The text has most in common with what people wrote."),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """The queries shown of one cell; empty when there is no per-query table."""

    table: Table
    cell: CellResult
    queries: tuple[Query | Written, ...]

    @property
    def parts(self) -> Iterable[tuple[str, str, str, list[Query | Written]]]:
        """The queries in groups: key, title, explanation."""
        for why, (title, meaning) in (_WHY if self.cell.kind == "ranking" else _WHY_WRITTEN).items():
            chosen = [query for query in self.queries if query.why == why]
            if chosen:
                yield why, title, meaning, chosen


def write_report(run_folder: Path) -> Path:
    """Write ``report.html`` into the run folder (anew when it is there) and return its path.

    Raises InputError: E320 when this is no finished run folder, E326 when a per-query table is broken, E307
    when a concept study beside it is.
    """
    path = run_folder / NAME
    write_atomically(path, document(read_source(run_folder)).encode("utf-8", "replace"))
    return path


def document(source: Source) -> str:
    """The page; concepts, then pictures of queries get the room that the rest of it leaves in MAX_BYTES."""
    shown = tables([source.result])
    samples = tuple(_sample(source, table) for table in shown)
    study = concepts_html.study_of(source.folder)
    facts = _facts(source, shown, samples) | dress("report", *["concepts"] * (study is not None))
    room = MAX_BYTES - _RESERVE - size(_template().render(facts, concepts="", pictures={}))
    concepts = (
        ""
        if study is None
        else concepts_html.section(study, budget=int(room * _CONCEPTS), both=side_by_side([source]))
    )
    pictures: Mapping[str, Thumbnail] = thumbnails(_by_weight(samples), budget=max(room - size(concepts), 0))
    return _template().render(facts, concepts=concepts, pictures=pictures)


def _facts(source: Source, shown: tuple[Table, ...], samples: Sequence[Sample]) -> dict[str, Any]:
    result = source.result
    argv = source.about.get("argv")
    versions = source.about.get("versions")
    return {
        "result": result,
        "system": wording.system(result),
        "data": wording.short_data(result.data),
        "tables": shown,
        "glances": [(table, _glance(table)) for table in shown],
        "languages": charts.languages(shown, result.not_applicable),
        "categories": charts.categories(tuple((table, _primary_cell(table)) for table in shown)),
        "samples": samples,
        "command": shlex.join(map(str, argv)) if isinstance(argv, list) else str(argv or ""),
        "versions": versions if isinstance(versions, dict) else {},
        "totals": aggregates.totals([result]),
        "spreads": prompts.spreads([result]),
        "effects": interventions.effects([result]),
        "unable": unable([result]),
        "published": [(row, _published(row, columns_of(result.cells))) for row in result.published],
        "started": str(source.about.get("started", "")),
        "warnings": warnings(result),
    }


def _published(row: PublishedRow, known: Mapping[str, Column]) -> str:
    """Its value with the unit of our column; without such a column, a fraction if it can be one."""
    unit = unit_of(row.value, known.get(row.measure))
    return wording.number(row.value, unit) + (" %" if unit == "fraction" else "")


def _glance(table: Table) -> Line:
    """The line that stands for a task: the mean over its languages, or the only cell."""
    macro = [line for line in table.lines if line.kind == "macro"]
    return macro[0] if macro else table.lines[0]


def _primary_cell(table: Table) -> CellResult:
    """The cell whose queries are shown: English when the task has it, else the first."""
    cells = [line.cell for line in table.lines if line.cell is not None]
    english = [cell for cell in cells if cell.language.split("-")[0] == "en"]
    return (english or cells)[0]


def _sample(source: Source, table: Table) -> Sample:
    cell = _primary_cell(table)
    path = source.per_query(cell)
    if path is None:
        return Sample(table, cell, ())
    return Sample(
        table, cell, picked_captions(path, cell.scores[0]) if cell.kind == "captioning" else picked(path)
    )


def _by_weight(samples: Sequence[Sample]) -> Iterable[str]:
    """Paths of pictures: the first of every query before the second of any, tasks taking turns."""
    queries = list(chain.from_iterable(zip_longest(*(sample.queries for sample in samples))))
    layers = zip_longest(*(query.pictures for query in queries if query is not None))
    return [path for layer in layers for path in layer if path]


def _template() -> Template:
    return environment().get_template("report.html.j2", globals={
        "steps": charts.STEPS,
        "whisker": charts.whisker,
        "dots": charts.dots,
        "prompt_rule": prompts.RULE,
        "intervention_rule": interventions.RULE,
        "rivals": sizes.rivals_in_words,
        "rank": _rank,
    })  # fmt: skip


def _rank(value: float) -> str:
    """A rank in words of digits: 12, 12.5 or ∞."""
    if value == float("inf"):
        return wording.INFINITE
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
