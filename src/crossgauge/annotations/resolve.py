"""From what an annotator wrote to concepts of a hierarchy: the first synset or, if asked for, the name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.annotations.choice import Choice
from crossgauge.concepts.hierarchy import Hierarchy

_SYNSET = re.compile(r".+\.([nvasr])\.[0-9]+")  # lemma.pos.nn


@dataclass(frozen=True, slots=True)
class Meaning:
    """The concept of one object and how it was found."""

    concept: str | None  # of its first synset, or of its name
    also: tuple[str, ...] = ()  # of its further synsets
    unknown: tuple[str, ...] = ()  # synsets that are none of the hierarchy
    several: bool = False  # the annotation gives it more than one
    by_name: bool = False  # found through its name
    other: tuple[str, ...] = ()  # concepts that are no nouns


class Resolver:
    """Looks each combination of names and synsets up once; things of a data set repeat few of them."""

    def __init__(self, hierarchy: Hierarchy, choice: Choice) -> None:
        self._hierarchy, self._choice = hierarchy, choice
        self._met: dict[tuple[tuple[str, ...], tuple[str, ...]], Meaning] = {}

    def meaning(self, names: Sequence[str], synsets: Sequence[str]) -> Meaning:
        """What an object with these names and synsets is."""
        key = tuple(names), tuple(synsets)
        if key not in self._met:
            self._met[key] = self._found(*key)
        return self._met[key]

    def _found(self, names: tuple[str, ...], synsets: tuple[str, ...]) -> Meaning:
        listed = {synset: self._concept(synset) for synset in synsets}
        first = next(iter(listed.values()), None)
        named = None
        if first is None and self._choice.names == "resolve":
            named = next((found for name in names if (found := self._hierarchy.resolve(name))), None)
        concept = first or named
        rest = dict.fromkeys(one for one in listed.values() if one is not None and one != concept)
        return Meaning(
            concept=concept,
            also=tuple(rest),
            unknown=tuple(synset for synset, found in listed.items() if found is None),
            several=len(listed) > 1,
            by_name=named is not None,
            other=tuple(one for one in (concept, *rest) if one and part_of_speech(one) not in ("n", None)),
        )

    def _concept(self, synset: str) -> str | None:
        """The node of a synset, also under another of its names (``domestic_dog.n.01``)."""
        if synset in self._hierarchy:
            return synset
        return self._hierarchy.resolve(synset) if _SYNSET.fullmatch(synset) else None


def part_of_speech(concept: str) -> str | None:
    """The letter in a synset's name; None for concepts of other hierarchies.

    >>> part_of_speech("zebra.n.01"), part_of_speech("along.r.01"), part_of_speech("Q42")
    ('n', 'r', None)
    """
    matched = _SYNSET.fullmatch(concept)
    return matched[1] if matched else None
