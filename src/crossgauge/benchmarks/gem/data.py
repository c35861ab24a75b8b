"""GEM's triplets as a Dataset: one row is a query, its picture or video, and the title beside that.

Nothing depends on the order of rows: they are sorted by query id. Row i of the queries and row i of the
corpus are of one triplet, so the right answer stands on the diagonal, as the official scorer needs it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._fingerprint import lowest
from crossgauge.benchmarks.gem.tasks import GEM_I, GEM_V, PARTS, part_of
from crossgauge.captions import clusters, unused
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.types import CaptionSplit, Item, Qrels, Split

Section = tuple[str, str]  # part and BCP-47 language


@dataclass(frozen=True, slots=True)
class Triplet:
    """One row; the ids are those of the data, unchanged, as prediction files write them."""

    query_id: str
    item_id: str
    query: str
    title: str | None = None  # None: the table has no titles
    media: Path | None = None  # None: not asked for (``media=none``)


@dataclass(frozen=True, slots=True)
class _Row:
    """A triplet with the name its item has here: an item id that stands twice is told apart (``7#2``)."""

    triplet: Triplet
    part: str
    language: str
    name: str

    def query(self, prompt: Prompt = PLAIN) -> Item:
        """The query; its id is ``I:en:q:17`` (part, language, kind, id in the data)."""
        text = prompt.fill(self.triplet.query)
        return Item(self._id("q", self.triplet.query_id), text=text, lang=self.language)

    def item(self, kind: str) -> Item:
        """The picture (``I``), video (``V``), title (``T``) or both (``IT``, ``VT``)."""
        titled, media = "T" in kind, self.triplet.media
        return Item(
            self._id(kind.casefold(), self.name),
            text=self.triplet.title if titled else None,
            image=media if "I" in kind else None,
            video=media if "V" in kind else None,
            lang=self.language if titled else None,
        )

    def _id(self, kind: str, name: str) -> str:
        return f"{self.part[-1]}:{self.language}:{kind}:{name}"


@dataclass(frozen=True)
class GemData:
    """The triplets of one split; implements :class:`crossgauge.benchmark.Dataset` and captioning.

    ``equal`` takes every item as right whose content, or whose query's words, equal those of the pair;
    else only the pair's own item is.
    """

    sections: Mapping[Section, Sequence[Triplet]]
    equal: bool = False
    warnings: tuple[Fault, ...] = ()  # of whoever loaded it
    notes: Mapping[str, str] = field(default_factory=dict)  # further facts for ``check``
    kept: frozenset[str] | None = None  # ids of the pictures and videos that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over ids, texts, bytes of pictures and videos, and what counts as right.

        Raises InputError with a fault (E160) for each file that cannot be read.
        """
        rows = [row for section in self._left.values() for row in section]
        whole = hashlib.sha256()
        for row, digest in zip(rows, _digests(rows), strict=True):
            one = row.triplet
            fields = [row.part, row.language, one.query_id, one.item_id, one.query, one.title, digest]
            whole.update(json.dumps(fields, separators=(",", ":")).encode() + b"\n")
        whole.update(b"equal" if self.equal else b"single")
        return f"sha256:{whole.hexdigest()}"

    @property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings."""
        return self.warnings

    def languages(self, task: str) -> tuple[str, ...]:
        """Languages with rows in the task's part, and with titles where the task needs them; sorted."""
        if not any(task in tasks for tasks in PARTS.values()):
            return ()
        part, titled = part_of(task), "T" in task
        return tuple(
            sorted(
                language
                for (own, language), rows in self._left.items()
                if own == part and rows and not (titled and any(row.triplet.title is None for row in rows))
            )
        )

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, corpus and relevance of one ranking cell; a prompt is put around queries, not titles.

        Raises UsageError (E132) for a task or language that these data do not have.
        """
        rows, kind = self._cell(task, language), task.replace("Q", "")
        qrels = Qrels.of(self._alike(rows, kind)) if self.equal else Qrels.diagonal(len(rows))
        return Split(
            queries=tuple(row.query(prompt) for row in rows),
            corpus=tuple(row.item(kind) for row in rows),
            qrels=qrels,
            clusters=clusters(qrels, len(rows)) if self.equal else None,
        )

    def captions(self, task: str, language: str) -> CaptionSplit:
        """The items and references of one captioning cell: the row's query, or those of all equal items.

        Raises UsageError (E132) for a task or language that these data do not have.
        """
        rows, kind = self._cell(task, language), task.replace("Q", "")
        if self.equal:
            same = self._same(rows, lambda row: self._content(row, kind))
        else:
            same = [[at] for at in range(len(rows))]
        return CaptionSplit(
            items=tuple(row.item(kind) for row in rows),
            references=tuple(tuple(dict.fromkeys(rows[one].triplet.query for one in all_)) for all_ in same),
        )

    def declared(self, task: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of queries and items as the data have them, row by row: what prediction files name.

        An item id stands as often as there are queries for it.
        """
        rows = [row.triplet for row in self._cell(task, language)]
        return tuple(row.query_id for row in rows), tuple(row.item_id for row in rows)

    def limited(self, n: int) -> GemData:
        """The same data cut to the rows of the ``n`` pictures and videos whose ids hash lowest."""
        whole = replace(self, kept=None)
        return replace(self, kept=lowest((item.id for item in whole.media()), n))

    def media(self) -> tuple[Item, ...]:
        """The picture or video of every row, pictures first."""
        return tuple(_medium(row) for section in self._left.values() for row in section)

    def texts(self) -> tuple[Item, ...]:
        """Every query, and every title where there are some, unprompted."""
        rows = [row for section in self._left.values() for row in section]
        titles = [row.item("T") for row in rows if row.triplet.title is not None]
        return (*(row.query() for row in rows), *titles)

    def facts(self) -> Mapping[str, str]:
        """Pictures, videos, what was read and how, and for each part its languages and rows."""
        count: dict[str, list[tuple[str, int]]] = {GEM_I: [], GEM_V: []}
        for (part, language), rows in self._left.items():
            if rows:
                count[part].append((language, len(rows)))
        found = {
            "pictures": str(sum(size for _, size in count[GEM_I])),
            "videos": str(sum(size for _, size in count[GEM_V])),
            **self.notes,
        }
        for part, sizes in count.items():
            if sizes:
                found[f"{part} rows"] = ", ".join(f"{language} {size}" for language, size in sizes)
        return found

    def _cell(self, task: str, language: str) -> tuple[_Row, ...]:
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        return self._left[part_of(task), language]

    @cached_property
    def _left(self) -> dict[Section, tuple[_Row, ...]]:
        """The rows of each section, GEM-I first, languages sorted."""
        found = {}
        for part, language in sorted(self.sections):
            rows = _rows(part, language, self.sections[part, language])
            found[part, language] = tuple(
                row for row in rows if self.kept is None or _medium(row).id in self.kept
            )
        return found

    def _alike(self, rows: Sequence[_Row], kind: str) -> list[list[int]]:
        """The right items of each query: those that equal the item of any query of the same words."""
        items = self._same(rows, lambda row: self._content(row, kind))
        words = self._same(rows, lambda row: row.triplet.query)
        return [sorted({item for query in words[at] for item in items[query]}) for at in range(len(rows))]

    @staticmethod
    def _same(rows: Sequence[_Row], key: Callable[[_Row], object]) -> list[list[int]]:
        """For each row, the rows with an equal key, itself among them."""
        groups: dict[object, list[int]] = defaultdict(list)
        keys = [key(row) for row in rows]
        for at, one in enumerate(keys):
            groups[one].append(at)
        return [groups[one] for one in keys]

    @staticmethod
    def _content(row: _Row, kind: str) -> tuple[str | None, str | None]:
        """What makes two items one: the bytes of the media (without files, the id), and the title."""
        triplet = row.triplet
        seen = None
        if kind != "T":
            seen = triplet.item_id if triplet.media is None else content_digest(triplet.media, item=row.name)
        return seen, triplet.title if "T" in kind else None


def _rows(part: str, language: str, triplets: Sequence[Triplet]) -> Iterator[_Row]:
    taken: set[str] = set()
    for triplet in sorted(triplets, key=lambda one: one.query_id):
        yield _Row(triplet, part, language, unused(triplet.item_id, taken))


def _medium(row: _Row) -> Item:
    return row.item("I" if row.part == GEM_I else "V")


def _digests(rows: Sequence[_Row]) -> list[str | None]:
    """The sha256 of each row's file, None where files were not asked for; a few are read at a time."""
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        found = list(pool.map(_digest, rows))
    faults = [one for one in found if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    return [one for one in found if not isinstance(one, Fault)]


def _digest(row: _Row) -> str | Fault | None:
    media = row.triplet.media
    try:
        return None if media is None else content_digest(media, item=_medium(row).id)
    except InputError as error:
        return error.faults[0]
