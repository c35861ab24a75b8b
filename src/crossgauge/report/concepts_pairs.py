"""The pairs of a concept study as a page shows them: pictures, lists and sums, each with its limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossgauge.concept_study import ConceptCell, ConceptStudy, PairView, SizeView
from crossgauge.concepts.arithmetic import fraction
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.report.concepts_meanings import Meaning, meanings
from crossgauge.report.concepts_numbers import numbered
from crossgauge.report.concepts_scene import Frame, frame, short
from crossgauge.result import ScoreRow

_NAMES = 14  # up to so many names of boxes a picture, they are shown from the start
_CONCEPTS, _ROWS = 150, 60  # of a list, and of a table
_TEXT, _SUM = 1_000, 400  # characters of a query, and of a sum


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept in a list; ``number`` leads to its boxes."""

    name: str
    sense: str  # ".n.01"
    number: int
    meaning: str  # "branch, subdivision, arm: a kind of division …"; empty: not known


@dataclass(frozen=True, slots=True)
class Listed:
    """The beginning of a list, and how long it is."""

    shown: tuple[Concept, ...]
    count: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.count - len(self.shown)


@dataclass(frozen=True, slots=True)
class Sum:
    """One measure of a pair: its value, the sum behind it or why there is none, and what it means."""

    measure: str
    title: str
    arrow: str
    plain: str
    number: float | None
    value: str
    sum: str
    undefined: str
    about: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The beginning of a table, and how many rows are left out."""

    shown: tuple[tuple[str, ...], ...]
    more: int


@dataclass(frozen=True, slots=True)
class Shown:
    """All of one pair."""

    view: PairView
    text: str
    truth: Frame
    retrieved: Frame | None
    named: bool  # names stand on the boxes from the start
    main: tuple[Sum, ...]
    others: tuple[Sum, ...]
    common: Listed
    only_truth: Listed
    only_retrieved: Listed
    couples: Rows
    counts: Rows
    sizes: Rows
    area: str  # its unit
    unboxed: bool  # more instances of a common concept were counted than have a box

    @property
    def boxed(self) -> bool:
        """Whether any box is drawn: guessed concepts have none."""
        return any(one.boxes for one in (self.truth, self.retrieved) if one is not None)

    @property
    def pictures(self) -> tuple[str, ...]:
        """Paths of both pictures."""
        frames = (self.truth, self.retrieved)
        return tuple(one.path for one in frames if one is not None and one.path)


def shown_pair(study: ConceptStudy, cell: ConceptCell, view: PairView) -> Shown:
    """The pair, cut where a page would become unreadable."""
    rows = {row.measure: row for row in cell.scores}
    numbers = _numbers(view)
    relative = words.each_setting(study.settings).get("sd_area") == "image"
    paired = numbered(view, _ROWS, relative=relative)
    meaning = meanings(study.hierarchy)
    truth = frame(view.truth, "truth", numbers, paired.truth)
    other = view.retrieved
    retrieved = None if other is None else frame(other, "retrieved", numbers, paired.retrieved)
    sums = [_sum(study, view, measure, rows.get(measure)) for measure in _measures(view)]
    return Shown(
        view=view,
        text=_cut(view.text or "", _TEXT),
        truth=truth,
        retrieved=retrieved,
        named=max(truth.names, 0 if retrieved is None else retrieved.names) <= _NAMES,
        main=tuple(one for one in sums if one.measure in words.MAIN),
        others=tuple(one for one in sums if one.measure not in words.MAIN),
        common=_listed(view.common, numbers, meaning),
        only_truth=_listed(view.only_truth, numbers, meaning),
        only_retrieved=_listed(view.only_retrieved, numbers, meaning),
        couples=_rows([(one.truth, one.retrieved, _similarity(one.similarity)) for one in view.couples]),
        counts=_rows([
            (one.concept, str(one.truth), str(one.retrieved), str(abs(one.truth - one.retrieved)))
            for one in view.counts
        ]),
        sizes=_rows([
            _size(one, place, relative=relative)
            for one, place in zip(view.sizes, (*paired.rows, *[0] * len(view.sizes)), strict=False)
        ]),
        area="% of picture" if relative else "px²",
        unboxed=_unboxed(view),
    )  # fmt: skip


def _numbers(view: PairView) -> Mapping[str, int]:
    """A number for each concept that has a box."""
    boxes = view.truth.boxes + (() if view.retrieved is None else view.retrieved.boxes)
    return {concept: number for number, concept in enumerate(dict.fromkeys(box.concept for box in boxes))}


def _unboxed(view: PairView) -> bool:
    boxes = [Counter(box.concept for box in scene.boxes) for scene in (view.truth, view.retrieved) if scene]
    counted = ((one.concept, (one.truth, one.retrieved)) for one in view.counts)
    return any(
        count > there[concept] for concept, both in counted for count, there in zip(both, boxes, strict=False)
    )


def _measures(view: PairView) -> Sequence[str]:
    """Those that the pair has a value or a reason for, the known ones first."""
    there = {**view.values, **view.undefined}
    return [
        *(one for one in words.MEASURES if one in there),
        *sorted(one for one in there if one not in words.MEASURES),
    ]


def _sum(study: ConceptStudy, view: PairView, measure: str, row: ScoreRow | None) -> Sum:
    value = view.values.get(measure)
    said = words.measure_words(measure)
    return Sum(
        measure=measure,
        title=said.title,
        arrow="" if row is None else wording.arrow(higher_is_better=row.higher_is_better),
        plain=said.plain,
        number=value,
        value=words.pair_text(value, measure, "number" if row is None else row.unit),
        sum=_cut(view.arithmetic.get(measure, ""), _SUM, keep=60),
        undefined="" if value is not None else view.undefined.get(measure, "no value"),
        about=words.about(measure, study.settings),
    )


def _listed(concepts: Sequence[str], numbers: Mapping[str, int], meaning: Meaning) -> Listed:
    shown = tuple(
        Concept(short(one), one[len(short(one)) :], numbers.get(one, -1), meaning(one))
        for one in concepts[:_CONCEPTS]
    )
    return Listed(shown, len(concepts))


def _rows(rows: Sequence[tuple[str, ...]]) -> Rows:
    return Rows(tuple(rows[:_ROWS]), max(len(rows) - _ROWS, 0))


def _similarity(value: float) -> str:
    """``1/9 = 0.111``; whole numbers and what is no fraction as they are."""
    exact = fraction(value)
    if exact is None or exact.denominator == 1:
        return f"{value:.3f}" if exact is None else str(exact)
    return f"{exact} = {value:.3f}"


def _size(one: SizeView, number: int, *, relative: bool) -> tuple[str, ...]:
    """A row; its number stands on both boxes too."""
    areas = [
        f"{100 * area:.1f}" if relative else f"{area:,.0f}" for area in (one.truth_area, one.retrieved_area)
    ]
    difference = wording.INFINITE if one.difference is None else f"{100 * one.difference:,.0f} %"
    named = f"#{number} {one.concept}" if number else one.concept
    return named, *areas, difference, "yes" if one.oversized else "no"


def _cut(text: str, most: int, *, keep: int = 0) -> str:
    """The beginning of a long text, and so much of its end."""
    if len(text) <= most + keep:
        return text
    return f"{text[:most]} … {text[len(text) - keep :]}" if keep else f"{text[:most]} …"
