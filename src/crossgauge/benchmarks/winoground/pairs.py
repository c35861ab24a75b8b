"""Items of two pictures and two captions as a Dataset: picture n belongs to caption n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._choices import Choice, choices_split, equal_candidates
from crossgauge.benchmarks._fingerprint import fingerprint, lowest
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Item, Split

ENGLISH = "en"
DIRECTIONS = {"text": ("pictures",), "image": ("captions",), "group": ("pictures", "captions")}  # who asks


@dataclass(frozen=True, slots=True)
class Pair:
    """One item."""

    id: str
    pictures: tuple[Item, Item]
    captions: tuple[str, str]
    tag: str | None = None


@dataclass(frozen=True)
class Pairs:
    """All items; implements :class:`crossgauge.benchmark.Dataset`.

    A limit is in pictures, but an item is measured whole: one of whose pictures is cut off is in no task.
    """

    pairs: tuple[Pair, ...]
    warnings: tuple[Fault, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over ids, picture bytes, captions and tags."""
        told = sorted([pair.id, *pair.captions, pair.tag or ""] for pair in self._whole)
        return fingerprint(self.media(), told)

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings, and items whose captions are equal (W378)."""
        return (*self.warnings, *equal_candidates(list(self._choices("text", PLAIN)), "captions"))

    def languages(self, task: str) -> tuple[str, ...]:
        """English, where an item is left."""
        return (ENGLISH,) if task in DIRECTIONS and self._whole else ()

    def limited(self, n: int) -> Pairs:
        """Cut to ``n`` pictures (two at least), both of the items whose ids hash lowest."""
        count = max(n, 2)
        first = lowest((pair.id for pair in self.pairs), (count + 1) // 2)
        before = lowest((pair.id for pair in self.pairs), count // 2)
        kept = [
            picture.id
            for pair in self.pairs
            for picture in (pair.pictures if pair.id in before else pair.pictures[:1])
            if pair.id in first
        ]
        return replace(self, kept=frozenset(kept))

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        pictures = (picture for pair in self.pairs for picture in pair.pictures)
        return tuple(picture for picture in pictures if self.kept is None or picture.id in self.kept)

    def texts(self) -> tuple[Item, ...]:
        """Both captions of every item, unprompted."""
        return tuple(text for pair in self._whole for text in _captions(pair, PLAIN))

    def facts(self) -> Mapping[str, str]:
        """Pictures, items and how many of each tag."""
        tags = Counter(pair.tag for pair in self._whole if pair.tag)
        found = {"pictures": str(len(self.media())), "items": str(len(self._whole)), **self.notes}
        if tags:
            found["tags"] = ", ".join(f"{tag} {count}" for tag, count in sorted(tags.items()))
        return found

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """Two or four queries an item, each with two candidates; raises UsageError (E132)."""
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        return choices_split(list(self._choices(task, prompt)))

    def _choices(self, task: str, prompt: Prompt) -> Iterator[Choice]:
        for number, pair in enumerate(self._whole):
            captions = _captions(pair, prompt)
            for asking in DIRECTIONS[task]:
                queries, candidates = (
                    (pair.pictures, captions) if asking == "pictures" else (captions, pair.pictures)
                )
                for right, query in enumerate(queries):
                    yield Choice(query, candidates, right, number, pair.tag)

    @cached_property
    def _whole(self) -> tuple[Pair, ...]:
        kept = self.kept
        return tuple(p for p in self.pairs if kept is None or all(one.id in kept for one in p.pictures))


def _captions(pair: Pair, prompt: Prompt) -> tuple[Item, Item]:
    one, other = (
        Item(f"{pair.id}:caption_{slot}", text=prompt.fill(text), lang=ENGLISH)
        for slot, text in enumerate(pair.captions)
    )
    return one, other
