"""Things without a concept whose name means one, and concepts that no thing can have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.suspects.finding import Suspect
from crossgauge.concepts.suspects.senses import Senses
from crossgauge.scenes import Scene, Thing

UNKNOWN, NO_NOUN, UNRESOLVED = 0.9, 0.8, 0.3  # severities: two are wrong as they stand, the last is a gap
_SYNSET = re.compile(r"(.+)\.([nvasr])\.[0-9]+")  # lemma.pos.nn
_PARTS = {"v": "a verb", "a": "an adjective", "s": "an adjective", "r": "an adverb"}


class Names:
    """Looks each name up once; things of a data set repeat few of them."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._meant: dict[str, str | None] = {}

    def suspects(self, scene: Scene) -> Iterator[Suspect]:
        """Suspicious concepts of one picture, whatever else it shows."""
        for number, thing in enumerate(scene.things):
            unknown = list(dict.fromkeys(thing.unknown))
            if thing.concept is not None and thing.concept not in self._hierarchy:
                unknown.insert(0, thing.concept)
            for written in unknown:
                evidence = f"{written!r:.80} is no concept of {self._hierarchy.name}"
                yield Suspect.of(
                    scene, number, "unknown-concept", UNKNOWN, evidence, concept=written,
                    suggestion=self._instead(thing, written),
                )  # fmt: skip
            yield from self._no_nouns(scene, number)
            if thing.concept is None and not unknown and (meant := self._resolve(thing.name)) is not None:
                evidence = f"{thing.name!r:.80} means {meant}"
                yield Suspect.of(scene, number, "unresolved", UNRESOLVED, evidence, suggestion=meant)

    def _no_nouns(self, scene: Scene, number: int) -> Iterator[Suspect]:
        """Concepts of a thing that are verbs, adjectives or adverbs, where words have parts of speech."""
        thing = scene.things[number]
        if not isinstance(self._hierarchy, Senses):
            return
        for concept in dict.fromkeys((thing.concept or "", *thing.also)):
            part = _PARTS.get(found[2]) if (found := _SYNSET.fullmatch(concept)) else None
            if part is not None and concept in self._hierarchy:
                yield Suspect.of(
                    scene, number, "no-noun", NO_NOUN, f"{concept} is {part}", concept=concept,
                    suggestion=self._instead(thing, concept),
                )  # fmt: skip

    def _instead(self, thing: Thing, written: str) -> str:
        """What may be meant: what the name means, else what the word of the concept does."""
        word = found[1].replace("_", " ") if (found := _SYNSET.fullmatch(written)) else written
        return self._resolve(thing.name) or self._resolve(word) or ""

    def _resolve(self, name: str) -> str | None:
        """The first concept of a name, a noun where words have parts of speech."""
        if name not in self._meant:
            if isinstance(self._hierarchy, Senses):
                self._meant[name] = next(iter(self._hierarchy.senses(name, "n")), None) if name else None
            else:
                self._meant[name] = self._hierarchy.resolve(name) if name else None
        return self._meant[name]
