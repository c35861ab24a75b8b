"""color-all and color-in: every colour becomes another one that is far away in red, green and blue.

The longest name counts: ``light blue`` is one colour. Ten words are colours wherever they stand: black,
white, grey, red, green, yellow, blue, brown, pink and purple. Any other is one where it stands as an
adjective does, and WordNet knows it as an adjective of colour, or as a colour by its first or second meaning
as a noun (``orange``, ``tan``, ``navy``). So the orange in "an orange on a plate" stays, that in "an orange
bus" does not; ``snow``, ``wheat`` and ``chocolate`` are never colours by themselves. Names of several words
go by their last word; one that the table lacks (``navy blue``) is one colour where WordNet has it as one.

That WordNet has an entry for ``black cat`` keeps no colour. What stays: words in hyphens (``white-haired``);
names (``White House``, ``red tape``; see :mod:`crossgauge.perturb.names`); and, of the words that are things
too, those in an entry of WordNet (``orange juice``, ``gold medal``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crossgauge.perturb.color_table import Color, ColorTable, color_table
from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import ancestors, begun_name, ended_name, entries, senses, wordnet
from crossgauge.perturb.intervention import FIXED_NAME, Colors, Found, Intervention, Left
from crossgauge.perturb.names import fixed_name
from crossgauge.perturb.place import adjective_at
from crossgauge.perturb.words import Change, Word, like, with_articles

NOTHING = "no colour name"
NONE_FAR = "no other colour far enough"
_HEADS = frozenset({"chromatic.a.03", "achromatic.a.01"})
_COLOR = "color.n.01"
_BASIC = frozenset("black white grey gray red green yellow blue brown pink purple".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a colour is named: first and last word, which one, and the fixed name that it is part of."""

    first: int
    last: int
    color: Color
    name: str


def change_all(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:
    """Replace every colour by any far one of the table."""
    return _change(words, drawing, colors, among=None)


def change_in(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:
    """Replace every colour by a far one that some query of the data mentions."""
    return _change(words, drawing, colors, among=colors.mentioned)


def mentioned(texts: Iterable[Sequence[Word]], colors: Colors) -> frozenset[str]:
    """The names (of the table) of all colours in the words of several texts."""
    return frozenset(
        place.color.name for words in texts for place in _places(words, colors) if not place.name
    )


def _change(
    words: Sequence[Word], drawing: Drawing, colors: Colors, *, among: frozenset[str] | None
) -> Found:
    changes, left = [], []
    for place in _places(words, colors):
        start, old = words[place.first].start, _written(words[place.first : place.last + 1])
        far = _far(colors.table, place.color, colors.threshold)
        options = [one.name for one in far if among is None or one.name in among]
        if place.name:
            left.append(Left(start, old, FIXED_NAME, place.name))
        elif options:
            changes.append(Change(start, old, like(drawing.pick(options, start), old)))
        else:
            left.append(Left(start, old, NONE_FAR))
    return Found(with_articles(words, changes), tuple(left), NOTHING)


@lru_cache(maxsize=1 << 12)
def _far(table: str, color: Color, threshold: float) -> tuple[Color, ...]:
    return color_table(table).far_from(color, threshold)


def _places(words: Sequence[Word], colors: Colors) -> Iterator[_Place]:
    """Where colours are named, from left to right; the longest name at each place."""
    table, at = color_table(colors.table), 0
    while at < len(words):
        for last in range(min(at + table.longest, len(words)) - 1, at - 1, -1):
            run = words[at : last + 1]
            color = _color(table, " ".join(word.lower for word in run)) if _joined(run) else None
            if color is not None and _is_color(words, at, last):
                yield _Place(at, last, color, _name(words, at, last))
                at = last
                break
        at += 1


def _color(table: ColorTable, name: str) -> Color | None:
    """The colour of a name; one of two words that WordNet alone has, by its other names or its last word."""
    found, last = table.find(name), name.rsplit(maxsplit=1)[-1]
    if found is not None or name.count(" ") != 1 or _kind(last) != "always":
        return found
    known = [sense for sense in entries(name) if _COLOR in ancestors(sense)]
    others = [word.lower() for sense in known for word in wordnet().words(sense)]
    return next(filter(None, map(table.find, [*others, last])), None) if known else None


def _joined(run: Sequence[Word]) -> bool:
    """Whether the words are plain, and one space apart."""
    return all(word.plain for word in run) and all(word.gap == " " for word in run[1:])


def _written(run: Sequence[Word]) -> str:
    return " ".join(word.text for word in run)


def _is_color(words: Sequence[Word], first: int, last: int) -> bool:
    kind = _kind(words[last].lower)
    return kind == "always" or (kind == "described" and adjective_at(words, first, last))


def _name(words: Sequence[Word], first: int, last: int) -> str:
    """The fixed name that a colour is part of; for a word that is a thing too, also what WordNet lists."""
    name = fixed_name(words, first, last)
    if name or _kind(words[last].lower) == "always":
        return name
    return begun_name(words, first, last) or ended_name(words, first, above=_COLOR)


@lru_cache(maxsize=1 << 12)
def _kind(word: str) -> str:
    """``always`` a colour, one where it is ``described`` with it, or ``never``.

    Names of CSS that are written in one word (``skyblue``) go by their own last word.

    >>> [_kind(word) for word in ("red", "orange", "navy", "wheat", "skyblue")]
    ['always', 'described', 'described', 'never', 'always']
    """
    color = color_table("css4").find(word)
    if color is not None and " " in color.name:
        return _kind(color.name.split()[-1])
    if word in _BASIC:
        return "always"
    nouns = [_COLOR in ancestors(sense) for sense in senses(word, "n")[:2]]
    adjectives = senses(word, "a")
    described = any(_HEADS & {sense, *wordnet().similar(sense)} for sense in adjectives)
    return "described" if described or any(nouns) else "never"


INTERVENTIONS = (
    Intervention(
        name="color-all",
        description="every colour becomes any named colour farther away than the threshold",
        intent="changes the meaning: things are now said to have another colour",
        change=change_all,
        colored=True,
    ),
    Intervention(
        name="color-in",
        description="every colour becomes one that other queries mention, farther away than the threshold",
        intent="changes the meaning: things are now said to have another colour",
        change=change_in,
        colored=True,
        surveyed=True,
    ),
)
