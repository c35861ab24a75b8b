"""A concept study as a page, or as a section of ``report.html``: every pair with pictures, boxes and sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from crossgauge.concept_study import ConceptStudy
from crossgauge.disk import write_atomically
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.report.concepts_effects import RULE as EFFECTS_RULE
from crossgauge.report.concepts_effects import TITLE as EFFECTS
from crossgauge.report.concepts_pairs import Shown, shown_pair
from crossgauge.report.concepts_tables import CellTables, cell_tables
from crossgauge.report.page import MAX_BYTES, dress, environment, size
from crossgauge.report.side_by_side import TITLE as BOTH
from crossgauge.report.side_by_side import SideBySide
from crossgauge.report.source import read_study
from crossgauge.report.thumbnails import Thumbnail, thumbnails

if TYPE_CHECKING:
    from markupsafe import Markup

NAME = "concepts.json"
MOST_PAIRS = 60  # of all cells together
SIZES = ((384, 66), (320, 58), (240, 52), (160, 50))  # of pictures: longest side, WebP quality
_RESERVE = 10_000  # for what surrounds a picture in the page
_WORDS = 0.6  # the share of the room that texts and outlines may take


@dataclass(frozen=True, slots=True)
class Part:
    """One cell: its numbers and the pairs that are shown."""

    tables: CellTables
    pairs: tuple[Shown, ...]

    @property
    def left_out(self) -> int:
        """Pairs that are not shown."""
        return self.tables.cell.pairs - len(self.pairs)


def study_of(folder: Path | None) -> ConceptStudy | None:
    """The study in a run folder; None when there is none. Raises InputError: see read_study."""
    if folder is None or not (folder / NAME).is_file():
        return None
    return read_study(folder / NAME)


def write_concept_report(study: ConceptStudy, path: Path) -> Path:
    """Write the study as one HTML file that needs nothing else, and return its path.

    Pairs stand in the order of the study. As many as fit are shown, with small pictures; the page says how
    many are left out. A picture that cannot be read leaves a frame with its boxes.
    """
    page = environment().get_template("concepts.html.j2")
    facts = {"study": study, "title": words.TITLE, "data": wording.short_data(study.data)}
    facts |= dress("report", "concepts")
    room = MAX_BYTES - size(page.render(facts, concepts=""))
    write_atomically(
        path, page.render(facts, concepts=section(study, budget=room)).encode("utf-8", "replace")
    )
    return path


def section(study: ConceptStudy, *, budget: int, both: SideBySide | None = None) -> Markup:
    """The study as a part of a page of ``budget`` bytes: first fewer pairs, then smaller pictures.

    ``both`` is the line that puts it beside the ranking.
    """
    from markupsafe import Markup

    render = partial(_render, study, both)

    most = MOST_PAIRS
    while True:
        parts = _parts(study, most)
        bare = size(render(parts, {}))
        if bare <= budget * _WORDS or not most:
            break
        most = most * 2 // 3
    paths = [path for part in parts for pair in part.pairs for path in pair.pictures]
    pictures = thumbnails(paths, budget=max(budget - bare - _RESERVE, 0), attempts=SIZES)
    return Markup(render(parts, pictures))  # noqa: S704  (rendered with escaping)


def _render(
    study: ConceptStudy, both: SideBySide | None, parts: Sequence[Part], pictures: Mapping[str, Thumbnail]
) -> str:
    return environment().get_template("concepts_section.html.j2").render(
        study=study,
        parts=parts,
        pictures=pictures,
        title=words.TITLE,
        both=both,
        both_title=BOTH,
        effects_title=EFFECTS,
        effects_rule=EFFECTS_RULE,
        predicted=words.PREDICTED,
        partial=words.partial_lines(study.audit),
        warnings=words.warning_lines(study.audit),
        settings=tuple(words.setting_words(study.settings)),
    )  # fmt: skip


def _parts(study: ConceptStudy, most: int) -> tuple[Part, ...]:
    shares = _shares([len(cell.examples) for cell in study.cells], most)
    return tuple(
        Part(tables, tuple(shown_pair(study, tables.cell, view) for view in tables.cell.examples[:share]))
        for tables, share in zip(cell_tables(study), shares, strict=True)
    )


def _shares(wanted: Sequence[int], most: int) -> list[int]:
    """How many pairs each cell may show: one after the other gets one more while there is room.

    >>> _shares([5, 1, 9], 8)
    [4, 1, 3]
    """
    shares = [0] * len(wanted)
    left = min(most, sum(wanted))
    while left:
        for cell, number in enumerate(wanted):
            if left and shares[cell] < number:
                shares[cell] += 1
                left -= 1
    return shares
