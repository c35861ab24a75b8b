"""Captions line by line: each is an item of its own, as in the counts that papers print.

Equal captions of different pictures are *not* joined here (a Collection joins them): published numbers of
COCO, Flickr30k, XTD10 and XM3600 count every line as a query, with one right picture. Equal lines have equal
vectors and tie exactly, so none is preferred to its twin; W371 says how many there are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

import numpy as np

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._files import many
from crossgauge.benchmarks._fingerprint import fingerprint, lowest
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Draw, Ints, Item, Qrels, Split

RETRIEVAL = ("i2t", "t2i")
FOLDS = 5  # of the 1K protocol


@dataclass(frozen=True, slots=True)
class Line:
    """One caption of one picture."""

    id: str
    text: str
    picture: str  # its id


@dataclass(frozen=True)
class CaptionLines:
    """Pictures with caption lines; implements :class:`crossgauge.benchmark.Dataset`.

    With ``fold``, pictures are cut into runs of that many in the order of the file, and each run is ranked by
    itself; pictures behind the last whole run are left out (where there is no whole run, all are one).
    """

    pictures: tuple[Item, ...]  # in the order of the file
    lines: Mapping[str, tuple[Line, ...]]  # by language, in the order of the file: a picture's stand together
    fold: int | None = None
    warnings: tuple[Fault, ...] = ()  # of whoever loaded it
    notes: Mapping[str, str] = field(default_factory=dict)  # further facts for ``check``
    kept: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over ids, picture bytes, captions and, with folds, the order of the pictures."""
        texts = {
            language: sorted([line.id, line.picture, line.text] for line in self._lines(language))
            for language in self.lines
        }
        order = [picture.id for picture in self._left] if self.fold else []
        return fingerprint(self._left, texts, [self.fold, order])

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings, folds that are not five (W370), equal lines (W371)."""
        equal = [fault for language in self.languages("i2t") for fault in self._equal(language)]
        return (*self.warnings, *self._odd_folds(), *equal)

    def languages(self, task: str) -> tuple[str, ...]:
        """Languages with a caption of some picture, sorted."""
        offered = (language for language in self.lines if self._lines(language))
        return tuple(sorted(offered)) if task in RETRIEVAL else ()

    def limited(self, n: int) -> CaptionLines:
        """The same data cut to the ``n`` pictures whose ids hash lowest, in their old order."""
        return replace(self, kept=lowest((picture.id for picture in self.pictures), n))

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        return self._left

    def texts(self) -> tuple[Item, ...]:
        """Every caption line, unprompted."""
        languages = self.languages("i2t")
        return tuple(_text(line, code, PLAIN) for code in languages for line in self._lines(code))

    def facts(self) -> Mapping[str, str]:
        """Pictures, languages, and for each language its lines and captions a picture (min/median/max)."""
        languages = self.languages("i2t")
        found = {"pictures": str(len(self._left)), "languages": str(len(languages)), **self.notes}
        if self.fold:
            found["folds"] = f"{len(self._runs(len(self._left)))} of {self.fold} pictures, in file order"
        for language in languages:
            counts = list(Counter(line.picture for line in self._lines(language)).values())
            spread = f"{min(counts)}/{median(counts):g}/{max(counts)}"
            found[f"texts {language}"] = (
                f"{sum(counts)} lines, {len(counts)} pictures, captions a picture {spread}"
            )
        return found

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, corpus and relevance of one cell.

        Raises UsageError (E132) for a task or language that these data do not have.
        """
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        described = {line.picture for line in self._lines(language)}
        pictures = [picture for picture in self._left if picture.id in described]
        runs = self._runs(len(pictures)) if self.fold else ()
        if runs:
            pictures = pictures[: runs[-1].stop]
        row = {picture.id: number for number, picture in enumerate(pictures)}
        lines = [line for line in self._lines(language) if line.picture in row]
        texts = tuple(_text(line, language, prompt) for line in lines)
        shows = np.array([row[line.picture] for line in lines], dtype=np.int64)
        to_picture = Qrels(np.arange(len(lines) + 1, dtype=np.int64), shows, np.ones(len(lines)))
        drawn = [_drawn(run, shows) for run in runs]
        if task == "t2i":
            draws = tuple(Draw(queries=captions, corpus=seen) for seen, captions in drawn)
            several = len(lines) > len(pictures)
            return Split(
                queries=texts, corpus=tuple(pictures), qrels=to_picture, clusters=shows if several else None,
                draws=draws or None,
            )  # fmt: skip
        draws = tuple(Draw(queries=seen, corpus=captions) for seen, captions in drawn)
        to_texts = to_picture.transposed(len(pictures))
        return Split(queries=tuple(pictures), corpus=texts, qrels=to_texts, draws=draws or None)

    def _runs(self, count: int) -> tuple[range, ...]:
        """The rows of each whole fold; one fold of all where there is none."""
        size = self.fold or count
        whole = [range(start, start + size) for start in range(0, count - size + 1, size)]
        return tuple(whole) or (range(count),)

    def _odd_folds(self) -> tuple[Fault, ...]:
        if not self.fold or (len(self._left) == FOLDS * self.fold):
            return ()
        runs = self._runs(len(self._left))
        used = sum(map(len, runs))
        found = (
            f"{len(self._left)} pictures make {many(len(runs), 'fold')} of {len(runs[0])}, "
            f"{len(self._left) - used} are in none"
        )
        wanted = f"{FOLDS} folds of {self.fold}, as in the 1K protocol"
        return (Fault("W370", "protocol=folds", found, wanted, "not comparable with published numbers"),)

    def _equal(self, language: str) -> tuple[Fault, ...]:
        """One warning (W371) where lines of different pictures are equal."""
        owners: dict[str, set[str]] = defaultdict(set)
        for line in self._lines(language):
            owners[line.text].add(line.picture)
        equal = [line for line in self._lines(language) if len(owners[line.text]) > 1]
        if not equal:
            return ()
        example = equal[0].text
        found = (
            f"{len(equal)} of {len(self._lines(language))} lines in {language!r} are also captions of "
            f"another picture, e.g. {example[:60]!r} of {len(owners[example])}"
        )
        fix = "counted apart, as published; they tie exactly"
        return (Fault("W371", f"texts {language}", found, "captions that differ", fix),)

    def _lines(self, language: str) -> tuple[Line, ...]:
        return self._by_language.get(language, ())

    @cached_property
    def _by_language(self) -> dict[str, tuple[Line, ...]]:
        left = {picture.id for picture in self._left}
        return {
            language: tuple(line for line in lines if line.picture in left)
            for language, lines in self.lines.items()
        }

    @cached_property
    def _left(self) -> tuple[Item, ...]:
        return tuple(p for p in self.pictures if self.kept is None or p.id in self.kept)


def _text(line: Line, language: str, prompt: Prompt) -> Item:
    return Item(line.id, text=prompt.fill(line.text), lang=language)


def _drawn(run: range, shows: Ints) -> tuple[Ints, Ints]:
    """The picture rows of a fold, and the rows of their captions."""
    inside = np.flatnonzero((shows >= run.start) & (shows < run.stop))
    return np.arange(run.start, run.stop, dtype=np.int64), inside
