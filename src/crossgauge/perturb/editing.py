"""Texts in, changed texts out: each with what was replaced, or why nothing was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.perturb.chosen import Chosen
from crossgauge.perturb.color import mentioned
from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.intervention import Colors, Left
from crossgauge.perturb.words import Change, applied, words_of

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Query:
    """A text with what its chance depends on."""

    id: str
    text: str | None
    language: str  # BCP-47; only English is changed


@dataclass(frozen=True, slots=True)
class Edited:
    """A query after an intervention; ``skipped`` says why nothing was changed.

    ``reason`` says the same without names ("part of a fixed name"), to count queries by.
    """

    query: Query
    after: str | None
    changes: tuple[Change, ...] = ()
    skipped: str = ""
    reason: str = ""
    left: tuple[Left, ...] = ()  # words that the rule looked at and did not change


def edit(queries: Sequence[Query], chosen: Chosen) -> tuple[Edited, ...]:
    """Every query after one intervention, in order.

    What becomes of a query depends on the seed, its id and its text alone; with ``color-in`` also on the set
    of colours that the queries mention.

    >>> from crossgauge.perturb import choose
    >>> (size,) = choose("size")
    >>> queries = [Query("1", "A huge red bus", "en"), Query("2", "a bus", "en")]
    >>> [one.after for one in edit(queries, size)]
    ['A minor red bus', 'a bus']
    """
    colors = chosen.colors
    if chosen.intervention.surveyed:
        texts = (words_of(query.text) for query in queries if query.text and _english(query))
        colors = Colors(colors.table, colors.threshold, mentioned(texts, colors))
    return tuple(_edited(query, chosen, colors) for query in queries)


def _edited(query: Query, chosen: Chosen, colors: Colors) -> Edited:
    if not _english(query):
        return _untouched(query, f"language {query.language}")
    if not query.text or not query.text.strip():
        return _untouched(query, "no text")
    drawing = Drawing(chosen.seed, chosen.intervention.name, query.id, query.text)
    found = chosen.intervention.change(words_of(query.text), drawing, colors)
    after = applied(query.text, found.changes)
    return Edited(query, after, found.changes, found.skipped, found.reason, found.left)


def _untouched(query: Query, why: str) -> Edited:
    return Edited(query, query.text, skipped=why, reason=why)


def _english(query: Query) -> bool:
    return query.language.split("-")[0] == ENGLISH
