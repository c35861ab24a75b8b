"""``caption:nearest:TRAIN``: what somebody wrote about the most similar training picture.

A floor that any captioner should be above, as far as its training pictures are like the test's. TRAIN is a
folder or table that the benchmark ``folder`` reads (its split ``train`` where it has one, else all), or
``BENCHMARK=DIR`` for the data of any benchmark with pictures, their texts and a split ``train``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge import registry
from crossgauge.benchmark import ANY_LANGUAGE, PLAIN, Benchmark, CaptionDataset, Dataset, Task
from crossgauge.embeddings import encode_items
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.languages import matches
from crossgauge.media import content_digest
from crossgauge.models.conse import model as conse
from crossgauge.types import Captioner, Encoder, Item, Modality

USAGE = "nearest:TRAIN"
ADAPTER = 1  # raise it when this file changes a caption


class Prepared(NamedTuple):
    """A picture ready to be compared."""

    value: Any  # as the encoder wants it
    digest: str  # of its bytes


class Example(NamedTuple):
    """A training picture with its text in one language."""

    picture: Item
    text: str


class Nearest:
    """The text of the nearest training picture, by cosine under ``conse``; among equals the smallest id."""

    joint = False
    modalities: frozenset[Modality] = frozenset({"image"})

    def __init__(self, named: str, examples: dict[str, tuple[Example, ...]], fingerprint: str) -> None:
        self.name = f"caption:nearest:{named}"
        self._examples = examples  # BCP-47 → examples, sorted by id
        self._fingerprint = fingerprint
        self._encoder: Encoder = conse()
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
        examples = self._examples[known]
        return [examples[row].text for row in _nearest(vectors, self._vectors(known))]

    def told(self) -> tuple[str, ...]:
        """One warning (W415) where pictures asked about are training pictures, byte for byte."""
        seen, self._seen = self._seen, set()
        if not seen:
            return ()
        found = f"{len(seen):,} pictures are in TRAIN too, byte for byte: their captions are copied answers"
        return (str(Fault("W415", self.name, found, "other pictures to train on")),)

    def _language(self, language: str | None) -> str | None:
        """The language of the training texts that is meant; those that say none serve for any."""
        if language is None:
            return ANY_LANGUAGE if ANY_LANGUAGE in self._examples else min(self._examples)
        found = matches(language, sorted(self._examples))
        return found or (ANY_LANGUAGE if ANY_LANGUAGE in self._examples else None)

    def _vectors(self, language: str) -> npt.NDArray[np.float64]:
        with self._lock:
            rows = [self._training[one.picture.id] for one in self._examples[language]]
        return np.stack(rows)

    @cached_property
    def _training(self) -> dict[str, npt.NDArray[np.float64]]:
        """The vector of each training picture, encoded once a process."""
        found = encode_items(self._encoder, self._pictures, role="corpus")
        return dict(zip(found.ids, found.vectors.astype(np.float64), strict=True))

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


def _nearest(queries: npt.NDArray[np.float32], corpus: npt.NDArray[np.float64]) -> list[int]:
    """The row of the corpus with the largest dot product, summed in index order; the first among equals."""
    rows = []
    for query in queries.astype(np.float64):
        scores = np.zeros(len(corpus))
        for number, column in zip(query, corpus.T, strict=True):
            scores += number * column
        rows.append(int(np.argmax(scores)))
    return rows


def model(argument: str | None = None) -> Captioner:
    """Make the captioner over the training data of ``TRAIN`` or ``BENCHMARK=DIR``.

    Raises UsageError (E412 without data, E110 for an unknown benchmark), InputError (E419) for data without
    pictures that have texts, and what reading them raises.
    """
    if not argument:
        wanted, fix = f"caption:{USAGE}", "caption:nearest:my_pictures"
        raise UsageError(Fault("E412", "model caption:nearest", "no training data", wanted, fix))
    name, equals, folder = argument.partition("=")
    if not equals or Path(argument).exists():
        name, folder = "folder", argument
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
    return Nearest(argument, examples, data.fingerprint)


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
