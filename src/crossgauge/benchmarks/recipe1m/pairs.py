"""Recipe1M as a Dataset: pairs of a picture and a recipe, sorted by id."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median

import numpy as np

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks.recipe1m.protocol import LANGUAGE, Protocol
from crossgauge.benchmarks.recipe1m.reading import Found, Pair
from crossgauge.collection import Unfit
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.types import Item, Split


@dataclass(frozen=True)
class RecipePairs:
    """Implements :class:`crossgauge.benchmark.Dataset`.

    Items are called ``image:<recipe id>`` and ``recipe:<recipe id>``: both are found by the id of the pair.
    """

    root: Path
    held: Found
    protocol: Protocol

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over ids, picture bytes and texts; over the order of rows where draws depend on it.

        Raises InputError with a fault (E160) for each picture that cannot be read.
        """
        whole = hashlib.sha256()
        for pair, digest in zip(self.held.pairs, self._digests(), strict=True):
            words = hashlib.sha256(pair.text).hexdigest()
            label = (self.protocol.labels or {}).get(pair.id)
            whole.update(_line([pair.id, digest, words, label]))
        if self.protocol.ordered:
            whole.update(self.protocol.order.astype("<i8").tobytes())
        return f"sha256:{whole.hexdigest()}"

    @property
    def findings(self) -> tuple[Fault, ...]:
        """What reading found odd, and where the protocol does not fit the number of pairs."""
        return (*self.held.warnings, *self.protocol.findings())

    def languages(self, task: str) -> tuple[str, ...]:
        """English, where the task has a query."""
        return (LANGUAGE,) if self.protocol.offers(task) else ()

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, corpus and relevance of one cell; raises UsageError (E132) for what is not there."""
        if language not in self.languages(task):
            found = f"{task} in {language!r}"
            raise UsageError(Fault("E132", found, "not in the data", f"retrieval in {LANGUAGE}"))
        return self.protocol.split(task, self.media(), self._recipes(prompt))

    def limited(self, n: int) -> RecipePairs:
        """The same data cut to the ``n`` pairs whose ids hash lowest; the order of rows is kept."""
        ids = sorted(self.protocol.ids, key=lambda one: hashlib.sha256(one.encode()).digest())
        kept = np.isin(np.array(self.protocol.ids), ids[:n])
        numbers = np.cumsum(kept) - 1
        order = numbers[self.protocol.order[kept[self.protocol.order]]]
        pairs = tuple(pair for pair, stays in zip(self.held.pairs, kept, strict=True) if stays)
        names = tuple(pair.id for pair in pairs)
        return RecipePairs(
            self.root, replace(self.held, pairs=pairs, order=order),
            replace(self.protocol, ids=names, order=order),
        )  # fmt: skip

    def facts(self) -> Mapping[str, str]:
        """Counts of pictures and recipes, why others were left out, the draws, and the length of texts."""
        long = [len(pair.text) for pair in self.held.pairs]
        return {
            "pictures": str(len(self.held.pairs)),
            **self.held.notes,
            **self.protocol.facts(),
            "bytes a recipe": f"{min(long)}/{median(long):g}/{max(long)} (min/median/max)",
        }

    def media(self) -> tuple[Item, ...]:
        """The picture of each pair."""
        return tuple(Item(f"image:{pair.id}", image=self.root / pair.image) for pair in self.held.pairs)

    def texts(self) -> tuple[Item, ...]:
        """The recipe of each pair, unprompted."""
        return self._recipes(PLAIN)

    def _recipes(self, prompt: Prompt) -> tuple[Item, ...]:
        return tuple(_recipe(pair, prompt) for pair in self.held.pairs)

    def _digests(self) -> Iterable[str]:
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
            found = list(pool.map(self._digest, self.held.pairs))
        faults = [one for one in found if isinstance(one, Fault)]
        if faults:
            raise Unfit(faults, media=self.media())
        return [one for one in found if isinstance(one, str)]

    def _digest(self, pair: Pair) -> str | Fault:
        try:
            return content_digest(self.root / pair.image, item=f"image:{pair.id}")
        except InputError as error:
            return error.faults[0]


def _recipe(pair: Pair, prompt: Prompt) -> Item:
    text = pair.text.decode("utf-8", "surrogatepass")
    return Item(f"recipe:{pair.id}", text=prompt.fill(text), lang=LANGUAGE)


def _line(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"
