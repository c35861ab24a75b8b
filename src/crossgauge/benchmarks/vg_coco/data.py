"""A caption looks for its picture among the other captions of all pictures."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._fingerprint import fingerprint, lowest
from crossgauge.benchmarks.vg_coco.reading import CaptionedImage, Joined
from crossgauge.errors import Fault, UsageError
from crossgauge.scenes import Annotations, Scene
from crossgauge.types import Draw, Item, Qrels, Split

TASK = "caption2image"
LANGUAGE = "en"
FOLDS = 5  # COCO's captions a picture; few have more
_ITEM = re.compile(r"(?:en:)?([0-9]+)(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Protocol:
    """How queries and candidates are made of captions."""

    each_asks: bool = False  # the first five captions of a picture ask in turn; else the first alone
    represented: str = "best"  # by its best caption, by their mean, by one, or by each as a candidate
    regions: bool = False  # candidates are region descriptions, not captions

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Protocol:
        """As the options say."""
        return cls(
            options.get("queries") == "each",
            options.get("captions") or "best",
            options.get("corpus") == "regions",
        )


@dataclass(frozen=True, slots=True)
class _Text:
    """An item before its prompt: what it says, once or in several phrasings, and whose picture it is of."""

    id: str
    image: int  # row
    said: tuple[str, ...]
    several: bool = False

    def item(self, prompt: Prompt) -> Item:
        filled = tuple(prompt.fill(text) for text in self.said)
        return Item(self.id, text=filled[0], lang=LANGUAGE, ensemble=filled if self.several else ())


@dataclass(frozen=True)
class CaptionsForImages:
    """Implements Dataset and AnnotatedDataset of :mod:`crossgauge.benchmark`; picture ids are COCO's."""

    joined: Joined
    protocol: Protocol
    kept: frozenset[str] | None = None  # ids that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over captions, regions, scenes, and the bytes of the pictures that are there."""
        texts = [[one.id, list(one.captions), list(one.regions)] for one in self._left]
        scenes = hashlib.sha256()
        for scene in self._scenes.values():
            scenes.update(repr(scene).encode("utf-8", "surrogatepass"))
        return fingerprint(self.media(), texts, scenes.hexdigest())

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """What was odd in the files and annotations, equal texts (W371), places that are captions (W299)."""
        annotated = self.joined.annotations
        odd = [*self._equal(), *self._captions_as_places()]
        return (*self.joined.warnings, *(annotated.findings if annotated else ()), *odd)

    def languages(self, task: str) -> tuple[str, ...]:
        """English."""
        return (LANGUAGE,) if task == TASK and self._left else ()

    def limited(self, n: int) -> CaptionsForImages:
        """The same data cut to the ``n`` pictures whose ids hash lowest."""
        return replace(self, kept=lowest((one.id for one in self.joined.images), n))

    def media(self) -> tuple[Item, ...]:
        """Every picture, with its file where it is there; no task looks at them, predicted concepts do."""
        return tuple(Item(one.id, image=one.picture) for one in self._left)

    def texts(self) -> tuple[Item, ...]:
        """Every query and candidate once."""
        listed = {text.id: text for fold in self._folds() for side in fold for text in side}
        return tuple(text.item(PLAIN) for text in listed.values())

    def facts(self) -> Mapping[str, str]:
        """Pictures, captions a picture, folds, and what the annotations hold."""
        counts = [len(one.captions) for one in self._left]
        found = {
            "pictures": str(len(self._left)),
            "picture files": str(sum(one.picture is not None for one in self._left)),
            **self.joined.notes,
            "captions": f"{sum(counts)}, a picture {min(counts)}/{median(counts):g}/{max(counts)}",
        }
        if self.protocol.regions:
            found["region descriptions"] = str(sum(len(one.regions) for one in self._left))
        if self.protocol.each_asks:
            found["folds"] = ", ".join(str(len(queries)) for queries, _ in self._folds()) + " queries"
        annotated = self.joined.annotations
        if annotated is None:
            return {**found, "annotations": "none asked for"}
        return {
            **found,
            **(annotated.facts if self.kept is None else {"annotated pictures": str(len(self._scenes))}),
        }

    def annotations(self) -> Annotations | None:
        """The scenes of the pictures that are left, by COCO id."""
        annotated = self.joined.annotations
        return annotated and replace(annotated, scenes=self._scenes)

    def scene_of(self, item: str) -> str:
        """The picture of a query or candidate. Raises UsageError (E298) for an id that is none of these data.

        >>> CaptionsForImages(Joined((), None, (), {}), Protocol()).scene_of("en:391895#2")
        '391895'
        """
        matched = _ITEM.fullmatch(item)
        if matched is None:
            raise UsageError(Fault("E298", f"item {item!r:.80}", "no caption or picture", "en:391895#1"))
        return matched[1]

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """Queries, candidates and who is relevant; with ``queries=each`` five draws, each ranked by itself.

        Raises UsageError (E132) for another task or language.
        """
        if language not in self.languages(task):
            raise UsageError(
                Fault("E132", f"{task} in {language!r}", "not in the data", f"{TASK} in {LANGUAGE}")
            )
        folds = list(self._folds())
        queries = [text for asked, _ in folds for text in asked]
        corpus = list({text.id: text for _, found in folds for text in found}.values())
        row = {text.id: number for number, text in enumerate(corpus)}
        relevant, draws, done = [], [], 0
        for asked, found in folds:
            of: dict[int, list[int]] = defaultdict(list)
            for text in found:
                of[text.image].append(row[text.id])
            relevant += [of[text.image] for text in asked]
            competing = np.array([row[text.id] for text in found], dtype=np.int64)
            draws.append(Draw(np.arange(done, done + len(asked), dtype=np.int64), competing))
            done += len(asked)
        several = len(folds) > 1
        best = self.protocol.represented == "best"
        return Split(
            queries=tuple(text.item(prompt) for text in queries),
            corpus=tuple(text.item(prompt) for text in corpus),
            qrels=Qrels.of(relevant),
            clusters=np.array([text.image for text in queries], dtype=np.int64) if several else None,
            draws=tuple(draws) if several else None,
            units=np.array([text.image for text in corpus], dtype=np.int64) if best else None,
        )

    def _folds(self) -> Iterator[tuple[Sequence[_Text], Sequence[_Text]]]:
        """Queries and candidates: the first captions against the others, then the second ones, and so on."""
        for asking in range(FOLDS if self.protocol.each_asks else 1):
            queries = [
                _caption(one, row, asking) for row, one in enumerate(self._left) if len(one.captions) > asking
            ]
            if queries:
                found = (
                    text for row, one in enumerate(self._left) for text in self._stand_for(one, row, asking)
                )
                yield queries, list(found)

    def _stand_for(self, one: CaptionedImage, row: int, asking: int) -> Sequence[_Text]:
        """What a picture is found by while the caption ``asking`` is a query."""
        represented = self.protocol.represented
        if self.protocol.regions:
            others = [
                _Text(f"en:{one.id}#region{at}", row, (said,)) for at, said in enumerate(one.regions, 1)
            ]
            name = f"en:{one.id}#regions"
        else:
            others = [_caption(one, row, at) for at in range(len(one.captions)) if at != asking]
            name = f"en:{one.id}#all" if asking >= len(one.captions) else f"en:{one.id}#without{asking + 1}"
        if represented == "mean":
            return [_Text(name, row, tuple(text.said[0] for text in others), several=True)]
        return others[:1] if represented == "one" else others

    def _captions_as_places(self) -> Sequence[Fault]:
        if self.protocol.represented != "each":
            return ()
        found = "places are counted in captions, several of which are of one picture"
        fix = "hit@1 and the retrieved picture are exact; captions=best, mean or one count pictures"
        return (Fault("W299", "--set captions=each", found, "", fix),)

    def _equal(self) -> Sequence[Fault]:
        """One warning (W371) where captions of different pictures are equal: they tie exactly."""
        owners: dict[str, set[str]] = defaultdict(set)
        for one in self._left:
            for text in one.captions:
                owners[text].add(one.id)
        equal = [text for text, of in owners.items() if len(of) > 1]
        if not equal:
            return ()
        example = f"{equal[0][:60]!r} of {len(owners[equal[0]])}"
        found = f"{len(equal)} captions are of several pictures, e.g. {example}"
        return (Fault("W371", "captions", found, "captions that differ", "they tie exactly"),)

    @cached_property
    def _scenes(self) -> Mapping[str, Scene]:
        annotated = self.joined.annotations
        scenes = annotated.scenes if annotated else {}
        return {one.id: scenes[one.id] for one in self._left if one.id in scenes}

    @cached_property
    def _left(self) -> tuple[CaptionedImage, ...]:
        return tuple(one for one in self.joined.images if self.kept is None or one.id in self.kept)


def _caption(one: CaptionedImage, row: int, at: int) -> _Text:
    return _Text(f"en:{one.id}#{at + 1}", row, (one.captions[at],))
