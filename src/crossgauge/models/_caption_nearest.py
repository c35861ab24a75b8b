"""``caption:nearest:TRAIN[#encoder=MODEL]``: what somebody wrote about the most similar training picture.

A floor that any captioner should be above, as far as its training pictures are like the test's. TRAIN is a
folder or table that the benchmark ``folder`` reads (its split ``train`` where it has one, else all), or
``BENCHMARK=DIR`` for the data of any benchmark with pictures, their texts and a split ``train``. MODEL is any
encoder of pictures, ``conse`` where none is named; all that follows ``encoder=`` is its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from crossgauge import registry
from crossgauge.batching import Telling
from crossgauge.benchmark import ANY_LANGUAGE, PLAIN, Benchmark, CaptionDataset, Dataset, Task
from crossgauge.embeddings import encode_items
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.languages import matches
from crossgauge.media import content_digest
from crossgauge.models import load_model
from crossgauge.models._noted import noted
from crossgauge.ranking import rank
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Captioner, Encoder, Item, Modality, Vectors

USAGE = "nearest:TRAIN[#encoder=MODEL]"
ADAPTER = 2  # raise it when this file changes a caption
ENCODER = "conse"
MARK = "#encoder="


class Prepared(NamedTuple):
    """A picture ready to be compared."""

    value: Any  # as the encoder wants it
    digest: str  # of its bytes


class Example(NamedTuple):
    """A training picture with its text in one language."""

    picture: Item
    text: str


class Nearest:
    """The text of the nearest training picture, as its encoder compares; among equals the smallest id."""

    joint = False
    modalities: frozenset[Modality] = frozenset({"image"})

    def __init__(
        self, named: str, examples: dict[str, tuple[Example, ...]], fingerprint: str, encoder: Encoder
    ) -> None:
        self.name = f"caption:nearest:{named}"
        self._examples = examples  # BCP-47 → examples, sorted by id
        self._fingerprint = fingerprint
        self._encoder = encoder
        self._seen: set[str] = set()  # digests of pictures asked about that are training pictures
        self._lock = Lock()

    @property
    def languages(self) -> frozenset[str] | None:
        """Those of the training texts; None where these do not say theirs."""
        return None if ANY_LANGUAGE in self._examples else frozenset(self._examples)

    @cached_property
    def revision(self) -> str:
        """A digest of the training data and the encoder's revision."""
        parts = (str(ADAPTER), self._fingerprint, self._encoder.revision)
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    def prepare(self, item: Item) -> Prepared:
        """The picture decoded and scaled; raises InputError (E160 to E168) when it cannot be."""
        value = self._encoder.prepare(item)
        digest = content_digest(item.image, item=item.id)  # type: ignore[arg-type]  # E168 for None
        with self._lock:
            if digest in self._digests:
                self._seen.add(digest)
        return Prepared(value, digest)

    def caption(self, prepared: Sequence[Prepared], *, language: str | None) -> list[str | None]:
        """A training text in that language each, or None for all where the training data have none."""
        known = self._language(language)
        if known is None:
            return [None] * len(prepared)
        vectors = self._encoder.encode([one.value for one in prepared], role="query")
        similarity, examples = self._encoder.similarity, self._examples[known]
        ranks = rank(vectors, self._vectors(known), [[]] * len(prepared), similarity=similarity, top=1)
        return [examples[row].text for row in ranks.top.items[:, 0]]

    def told(self) -> tuple[str, ...]:
        """What the encoder says, and W415 where pictures asked about are training pictures, byte for byte."""
        said = tuple(self._encoder.told()) if isinstance(self._encoder, Telling) else ()
        seen, self._seen = self._seen, set()
        if not seen:
            return said
        found = f"{len(seen):,} pictures are in TRAIN too, byte for byte: their captions are copied answers"
        return (*said, noted("W415", found, wanted="other pictures to train on"))

    def _language(self, language: str | None) -> str | None:
        """The language of the training texts that is meant; those that say none serve for any."""
        if language is None:
            return ANY_LANGUAGE if ANY_LANGUAGE in self._examples else min(self._examples)
        found = matches(language, sorted(self._examples))
        return found or (ANY_LANGUAGE if ANY_LANGUAGE in self._examples else None)

    def _vectors(self, language: str) -> Vectors:
        with self._lock:
            rows = [self._training[one.picture.id] for one in self._examples[language]]
        stacked: Vectors = np.stack(rows)  # type: ignore[assignment]
        return stacked

    @cached_property
    def _training(self) -> dict[str, Vectors]:
        """The vector of each training picture, encoded once a process."""
        found = encode_items(self._encoder, self._pictures, role="corpus")
        return dict(zip(found.ids, found.vectors, strict=True))

    @cached_property
    def _digests(self) -> frozenset[str]:
        return frozenset(
            content_digest(picture.image, item=picture.id)
            for picture in self._pictures
            if picture.image is not None
        )

    @cached_property
    def _pictures(self) -> tuple[Item, ...]:
        distinct = {one.picture.id: one.picture for some in self._examples.values() for one in some}
        return tuple(distinct.values())


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Captioner:
    """Make the captioner over the training data of ``TRAIN`` or ``BENCHMARK=DIR``, under ``#encoder=MODEL``.

    Raises UsageError (E412 without data or with a model that makes no vectors of pictures, E110 for an
    unknown benchmark), InputError (E419) for data without pictures that have texts, and what reading the data
    and making the encoder raise.
    """
    train, _, encoder = (argument or "").partition(MARK)
    if not train or (argument or "").endswith(MARK):
        wanted, fix = f"caption:{USAGE}", "caption:nearest:my_pictures"
        raise UsageError(Fault("E412", "model caption:nearest", "no training data", wanted, fix))
    by = _encoder(encoder or ENCODER, runtime)
    name, equals, folder = train.partition("=")
    if not equals or Path(train).exists():
        name, folder = "folder", train
    benchmark: Benchmark = registry.load("benchmarks", name)
    data = _opened(benchmark, Path(folder))
    examples = {
        language: some
        for language in _languages(benchmark, data)
        if (some := _texts(benchmark, data, language))
    }
    if not examples:
        found = f"no picture with a text, as {benchmark.name} reads it"
        fix = "BENCHMARK=DIR reads the data of a benchmark"
        raise InputError(Fault("E419", folder, found, "pictures with captions", fix))
    return Nearest(argument or "", examples, data.fingerprint, by)


def _encoder(spec: str, runtime: Runtime) -> Encoder:
    made = load_model(spec, runtime)
    if isinstance(made, Encoder) and "image" in made.modalities:
        return made
    found = f"{made.name}, which makes no vectors of pictures"
    raise UsageError(Fault("E412", "model caption:nearest", found, "an encoder of pictures", MARK + ENCODER))


def _opened(benchmark: Benchmark, folder: Path) -> Dataset:
    """The data, of the split ``train`` where there is such a split."""
    options = {option.name: option.choices[0] if option.choices else "" for option in benchmark.options}
    if "split" not in options:
        return benchmark.open(folder, options)
    try:
        return benchmark.open(folder, options | {"split": "train"})
    except UsageError:
        data = benchmark.open(folder, options)
        if data.facts().get("split") != "all":  # it has splits, and none is for training
            raise
        return data


def _tasks(benchmark: Benchmark) -> list[Task]:
    """The tasks that put texts to pictures, captioning first."""
    about = [task for task in benchmark.tasks if (task.query, task.corpus) == ("image", "text")]
    return sorted(
        (task for task in about if task.name != "classify"), key=lambda task: task.kind != "captioning"
    )


def _languages(benchmark: Benchmark, data: Dataset) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for task in _tasks(benchmark) for code in data.languages(task.name)))


def _texts(benchmark: Benchmark, data: Dataset, language: str) -> tuple[Example, ...]:
    """Each picture with its first text in the language, from the first task that has any; sorted by id."""
    for task in _tasks(benchmark):
        if language in data.languages(task.name):
            pairs = _pairs(data, task, language)
            examples = [Example(item, text) for item, text in pairs if text and item.image is not None]
            if examples:
                return tuple(sorted(examples, key=lambda one: one.picture.id))
    return ()


def _pairs(data: Dataset, task: Task, language: str) -> Iterator[tuple[Item, str | None]]:
    """Items and the first of their texts."""
    if task.kind == "captioning" and isinstance(data, CaptionDataset):
        written = data.captions(task.name, language)
        yield from zip(written.items, (texts[0] for texts in written.references), strict=True)
        return
    split = data.split(task.name, language, PLAIN)
    start, rows = split.qrels.start, split.qrels.items
    for at, item in enumerate(split.queries):
        if start[at] < start[at + 1]:
            yield item, split.corpus[rows[start[at]]].text


MODEL = model
