"""Captioned pictures as a Dataset: image→text, text→image and image→class in any number of languages.

Equal captions of several pictures are one text with several right answers, so image→text and text→image are
transposes of each other. Nothing depends on input order: pictures, texts and classes are sorted by id.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.captions import (
    NO_CATEGORY,
    Caption,
    Picture,
    clusters,
    equal_names,
    merged,
    shared,
    tied,
    unused,
)
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.types import Item, Qrels, Split

RETRIEVAL = ("i2t", "t2i")


class Unfit(InputError):
    """Data that cannot be measured, with the pictures that were found: an audit looks at these too."""

    def __init__(self, faults: Iterable[Fault], *, media: Iterable[Item]) -> None:
        super().__init__(faults)
        self.media = tuple(media)


@dataclass(frozen=True)
class Collection:
    """Captioned pictures; implements :class:`crossgauge.benchmark.Dataset`.

    ``minimum`` pictures must have a text for a language to be offered. ``by_label`` keeps equal texts
    of different classes apart (they tie exactly); ``also`` are texts of no picture that compete in
    image→text, by language and id; ``all_compete`` leaves pictures without a text in the text→image gallery.
    """

    pictures: tuple[Picture, ...]
    classes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # language → class id → name
    minimum: int = 1
    by_label: bool = False
    also: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    all_compete: bool = False
    warnings: tuple[Fault, ...] = ()  # of whoever loaded it
    notes: Mapping[str, str] = field(default_factory=dict)  # further facts for ``check``
    kept: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over ids, picture bytes, texts, classes and categories; not over paths.

        Raises InputError with a fault (E160) for each picture that cannot be read.
        """
        whole = hashlib.sha256()
        for picture, content in zip(self._left, _digests(self._left), strict=True):
            texts = {language: sorted(texts) for language, texts in picture.texts.items()}
            whole.update(_line([picture.id, content, texts, picture.label, picture.category]))
        classes = {language: dict(names) for language, names in self.classes.items()}
        also = {language: dict(texts) for language, texts in self.also.items()}
        whole.update(_line([self.minimum, self.by_label, self.all_compete, classes, also]))
        return f"sha256:{whole.hexdigest()}"

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings, shared texts (W123, or W131 between classes), equal class names (W124)."""
        texts = {language: self.captions(language) for language in self._described}
        return (
            *self.warnings,
            *(tied(texts) if self.by_label else shared(texts)),
            *equal_names(self.classes),
        )

    def languages(self, task: str) -> tuple[str, ...]:
        """Languages with enough described pictures (retrieval) or with class names (classify), sorted."""
        if task in RETRIEVAL:
            return self._described
        labels = {picture.label for picture in self._left} if task == "classify" else set()
        return tuple(sorted(language for language, names in self.classes.items() if labels & names.keys()))

    def limited(self, n: int) -> Collection:
        """The same data cut to the ``n`` pictures whose ids hash lowest; no id and no class changes."""
        ids = sorted((p.id for p in self.pictures), key=lambda one: hashlib.sha256(one.encode()).digest())
        return replace(self, kept=frozenset(ids[:n]))

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        return tuple(_image(picture) for picture in self._left)

    def texts(self) -> tuple[Item, ...]:
        """Every caption and class name once, unprompted."""
        captions = [_text(caption, language, PLAIN) for language in self._described
                    for caption in self.captions(language)]  # fmt: skip
        names = [item for language in self.languages("classify") for item in self._names(language, PLAIN)]
        return (*captions, *names)

    def facts(self) -> Mapping[str, str]:
        """Pictures, languages, and for each language its texts, positives (min/median/max) and classes."""
        found = {"pictures": str(len(self._left)), "languages": str(len(self._described)), **self.notes}
        for language in self._described:
            texts, described = self.captions(language), self._positives(language)
            per_text = _spread([len(text.pictures) for text in texts if text.pictures])
            per_picture = _spread([len(rows) for rows in described.values()])
            found[f"texts {language}"] = (
                f"{len(texts)} texts, {len(described)} pictures; "
                f"positives image→text {per_picture}, text→image {per_text}"
            )
        for language in self.languages("classify"):
            labelled = sum(picture.label in self.classes[language] for picture in self._left)
            found[f"classes {language}"] = f"{len(self.classes[language])} classes, {labelled} pictures"
        return found

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, corpus and relevance of one cell.

        Raises UsageError (E132) for a task or language that these data do not have.
        """
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        cut = {"i2t": self._i2t, "t2i": self._t2i, "classify": self._classify}[task]
        return cut(language, prompt)

    def captions(self, language: str) -> tuple[Caption, ...]:
        """Every text that competes in a language, sorted by id, with the pictures left that it describes."""
        texts = self._merged.get(language, ())
        if self.kept is None:
            return texts
        kept = self.kept
        cut = (replace(text, pictures=tuple(p for p in text.pictures if p in kept)) for text in texts)
        return tuple(now for now, was in zip(cut, texts, strict=True) if now.pictures or not was.pictures)

    def _t2i(self, language: str, prompt: Prompt) -> Split:
        captions = [caption for caption in self.captions(language) if caption.pictures]
        gallery = [p for p in self._left if self.all_compete or language in p.texts]
        row = {picture.id: number for number, picture in enumerate(gallery)}
        groups = [{gallery[row[one]].group for one in caption.pictures} for caption in captions]
        qrels = Qrels.of([[row[one] for one in caption.pictures] for caption in captions])
        return Split(
            queries=tuple(_text(caption, language, prompt) for caption in captions),
            corpus=tuple(_image(picture) for picture in gallery),
            qrels=qrels,
            clusters=clusters(qrels, len(gallery)),
            groups=_groups([same.pop() if len(same) == 1 else "several" for same in groups]),
        )

    def _i2t(self, language: str, prompt: Prompt) -> Split:
        positives = self._positives(language)
        queries = [picture for picture in self._left if picture.id in positives]
        return Split(
            queries=tuple(_image(picture) for picture in queries),
            corpus=tuple(_text(caption, language, prompt) for caption in self.captions(language)),
            qrels=Qrels.of([positives[picture.id] for picture in queries]),
            groups=_groups([picture.group for picture in queries]),
        )

    def _classify(self, language: str, prompt: Prompt) -> Split:
        row = {label: number for number, label in enumerate(sorted(self.classes[language]))}
        queries = [picture for picture in self._left if picture.label in row]
        return Split(
            queries=tuple(_image(picture) for picture in queries),
            corpus=self._names(language, prompt),
            qrels=Qrels.of([[row[picture.label]] for picture in queries if picture.label is not None]),
            groups=_groups([picture.group for picture in queries]),
        )

    def _names(self, language: str, prompt: Prompt) -> tuple[Item, ...]:
        """The classes as candidates, sorted by class id, so their order in a file changes nothing."""
        taken = {picture.id for picture in self.pictures}
        several = len(self.classes) > 1  # the language is part of the id only where there are more
        stem = f"class:{language}:" if several else "class:"
        return tuple(
            Item(unused(stem + label, taken), text=prompt.fill(name), lang=language)
            for label, name in sorted(self.classes[language].items())
        )

    def _positives(self, language: str) -> dict[str, list[int]]:
        """The rows of the texts of each described picture."""
        rows = defaultdict(list)
        for row, caption in enumerate(self.captions(language)):
            for picture in caption.pictures:
                rows[picture].append(row)
        return dict(rows)

    @cached_property
    def _left(self) -> tuple[Picture, ...]:
        kept = (p for p in self.pictures if self.kept is None or p.id in self.kept)
        return tuple(sorted(kept, key=lambda picture: picture.id))

    @cached_property
    def _merged(self) -> dict[str, tuple[Caption, ...]]:
        return merged(self.pictures, by_label=self.by_label, also=self.also)

    @cached_property
    def _described(self) -> tuple[str, ...]:
        """Languages with at least ``minimum`` described pictures in the whole data and one that is left."""
        counts = Counter(language for picture in self.pictures for language in picture.texts)
        left = {language for picture in self._left for language in picture.texts}
        return tuple(sorted(language for language in left if counts[language] >= self.minimum))


def _image(picture: Picture) -> Item:
    return Item(picture.id, image=picture.path)


def _text(caption: Caption, language: str, prompt: Prompt) -> Item:
    return Item(caption.id, text=prompt.fill(caption.text), lang=language)


def _groups(names: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(names) if any(name != NO_CATEGORY for name in names) else None


def _spread(counts: Sequence[int]) -> str:
    return f"{min(counts)}/{median(counts):g}/{max(counts)}" if counts else "none"


def _line(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _digests(pictures: Sequence[Picture]) -> list[str]:
    """The sha256 of each file; files are read a few at a time, so memory stays small."""
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        found = list(pool.map(_digest, pictures))
    faults = [one for one in found if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    return [one for one in found if isinstance(one, str)]


def _digest(picture: Picture) -> str | Fault:
    try:
        return content_digest(picture.path, item=picture.id)
    except InputError as error:
        return error.faults[0]
