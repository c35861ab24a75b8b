"""Look before measuring: what is in the data, what is wrong with it, and what would make numbers mislead."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from crossgauge.benchmark import PLAIN, CaptionDataset, Dataset, Prompt, Task
from crossgauge.errors import Fault, InputError
from crossgauge.languages import script
from crossgauge.media import content_digest, probe
from crossgauge.progress import Progress, Silent
from crossgauge.types import CaptionSplit, Item, Split

SHOWN = 5  # ids or languages that one finding names
_TAGGED = re.compile(r"\S+/[A-Za-z]{1,4}")  # 狗/n: a part-of-speech mark left in the text
_LETTERS = {
    "Arab": ("ARABIC",),
    "Armn": ("ARMENIAN",),
    "Beng": ("BENGALI",),
    "Cyrl": ("CYRILLIC",),
    "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",),
    "Geor": ("GEORGIAN",),
    "Grek": ("GREEK",),
    "Gujr": ("GUJARATI",),
    "Hans": ("CJK",),
    "Hant": ("CJK",),
    "Hebr": ("HEBREW",),
    "Jpan": ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"),
    "Khmr": ("KHMER",),
    "Knda": ("KANNADA",),
    "Kore": ("HANGUL", "CJK"),
    "Laoo": ("LAO",),
    "Latn": ("LATIN",),
    "Mlym": ("MALAYALAM",),
    "Mymr": ("MYANMAR",),
    "Sinh": ("SINHALA",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Thai": ("THAI",),
}  # ISO 15924 → how Unicode names of its letters begin; other scripts are not judged


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found: facts to read, and faults (errors stop any measuring, warnings do not)."""

    facts: Mapping[str, str]
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> int:
        """How many faults are errors."""
        return sum(not fault.is_warning for fault in self.faults)


def audit(
    dataset: Dataset, tasks: Sequence[Task], *, prompt: Prompt = PLAIN, progress: Progress | None = None
) -> Audit:
    """Decode every picture and look at every text and cell (in one prompt format); nothing is scored.

    Finds pictures that cannot be decoded (codes of `crossgauge.media.probe`), equal pictures (W133), texts
    of several pictures (W123), cut-offs beyond the gallery (W134), texts without a letter of their
    language (W132) or with part-of-speech marks (W135), and repeats the data set's own findings.
    """
    told = progress or Silent()
    cells = list(_cells(dataset, tasks, prompt, told))
    shares = any(fault.code == "W123" for fault in dataset.findings)  # told in full here
    faults = [
        *_media_faults(dataset.media(), told),
        *(fault for fault in dataset.findings if fault.code != "W123"),
        *(_shared_texts(cells) if shares else ()),
        *_cutoffs(cells),
        *_odd_texts(dataset.texts()),
    ]
    facts = {**dataset.facts(), **_cell_facts(cells), **_caption_facts(dataset, tasks)}
    return Audit(facts, tuple(sorted(faults, key=lambda fault: fault.is_warning)))


def audit_media(items: Sequence[Item], *, progress: Progress | None = None) -> tuple[Fault, ...]:
    """What is wrong with pictures alone, for data that are too broken for :func:`audit`."""
    return tuple(_media_faults(items, progress or Silent()))


def items_of(dataset: Dataset, tasks: Sequence[Task], *, prompt: Prompt = PLAIN) -> dict[str, Item]:
    """Every item of every cell once, by id, with texts as they are in that prompt format."""
    found: dict[str, Item] = {}
    for _, _, split in _cells(dataset, tasks, prompt, Silent()):
        found.update((item.id, item) for item in (*split.queries, *split.corpus))
    for _, _, written in _written(dataset, tasks):
        found.update((item.id, item) for item in written.items)
    return found


def _cells(
    dataset: Dataset, tasks: Sequence[Task], prompt: Prompt, told: Progress
) -> Iterator[tuple[Task, str, Split]]:
    ranked = [task for task in tasks if task.kind == "ranking"]
    wanted = [(task, language) for task in ranked for language in dataset.languages(task.name)]
    told.stage("lay out cells", len(wanted))
    for task, language in wanted:
        yield task, language, dataset.split(task.name, language, prompt)
        told.advance(1)


def _written(dataset: Dataset, tasks: Sequence[Task]) -> Iterator[tuple[Task, str, CaptionSplit]]:
    for task in tasks:
        if task.kind == "captioning" and isinstance(dataset, CaptionDataset):
            for language in dataset.languages(task.name):
                yield task, language, dataset.captions(task.name, language)


def _caption_facts(dataset: Dataset, tasks: Sequence[Task]) -> dict[str, str]:
    """For each captioning task, over its languages: items, and references an item."""
    rows: dict[str, list[CaptionSplit]] = defaultdict(list)
    for task, _, split in _written(dataset, tasks):
        rows[f"{task.name} ({task.title})"].append(split)
    facts = {}
    for name, splits in rows.items():
        counts = [len(texts) for split in splits for texts in split.references]
        items = _range([len(split.items) for split in splits])
        spread = f"{min(counts)}/{median(counts):g}/{max(counts)}" if counts else "none"
        facts[name] = f"{items} items, references an item {spread}, {len(splits)} languages"
    return facts


def _media_faults(items: Sequence[Item], told: Progress) -> list[Fault]:
    """What cannot be decoded, and groups of equal files; a few are read at a time."""
    pictures = [(item.id, item.image) for item in items if item.image is not None]
    told.stage("decode pictures", len(pictures))
    faults = _unreadable_videos(items)
    same: dict[str, list[str]] = defaultdict(list)
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        probed = pool.map(lambda picture: probe(picture[1], item=picture[0]), pictures)
        for (name, path), fault in zip(pictures, probed, strict=True):
            told.advance(1)
            if fault is not None:
                faults.append(fault)
            try:
                same[content_digest(path)].append(name)
            except InputError:
                continue  # told by probe
    return _counted(faults) + [
        Fault(
            "W133",
            names[0],
            f"the same picture as {_some(names[1:])}",
            "one copy",
            "they tie in every ranking",
        )
        for names in same.values()
        if len(names) > 1
    ]


def _unreadable_videos(items: Sequence[Item]) -> list[Fault]:
    """Videos whose bytes cannot be read; they are not decoded."""
    faults: list[Fault] = []
    for item in items:
        try:
            if item.video is not None:
                content_digest(item.video, item=item.id)
        except InputError as error:
            faults += error.faults
    return faults


def _counted(faults: Sequence[Fault]) -> list[Fault]:
    """Errors as they are; warnings once each, with a count (all files of a data set may be named wrongly)."""
    kept = [fault for fault in faults if not fault.is_warning]
    alike: dict[tuple[str, str], list[Fault]] = defaultdict(list)
    for fault in faults:
        if fault.is_warning:
            alike[fault.code, fault.found].append(fault)
    for (code, found), same in alike.items():
        times = f" ({len(same)} files)" if len(same) > 1 else ""
        kept.append(Fault(code, same[0].place, found + times, same[0].wanted, same[0].fix))
    return kept


def _shared_texts(cells: Iterable[tuple[Task, str, Split]]) -> list[Fault]:
    """Pictures that share a text (W123), one finding a group, with the languages in which they do."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for task, language, split in cells:
        if task.query != "text":
            continue
        starts = split.qrels.start
        for row, query in enumerate(split.queries):
            rows = split.qrels.items[starts[row] : starts[row + 1]]
            if len(rows) > 1:
                groups[tuple(split.corpus[one].id for one in rows)].append((language, query.text or ""))
    faults = []
    for ids, said in groups.items():
        example = dict(said).get("en", said[0][1])
        found = f"one text, e.g. {example[:60]!r}, in {_some([language for language, _ in said])}"
        faults.append(Fault("W123", _some(ids), found, "", "one text, any is right"))
    return faults


def _cutoffs(cells: Iterable[tuple[Task, str, Split]]) -> list[Fault]:
    """Cut-offs that reach the whole gallery (W134): the measure is 1 by definition. One finding a task."""
    measures: dict[str, dict[str, None]] = defaultdict(dict)
    languages: dict[str, dict[str, int]] = defaultdict(dict)
    for task, language, split in cells:
        size = _gallery(split)
        for measure in task.measures:
            cut = measure.rpartition("@")[2]
            if cut.isdigit() and int(cut) >= size:
                measures[task.name][measure] = None
                languages[task.name][language] = size
    faults = []
    for name, hit in measures.items():
        sizes = languages[name]
        found = f"{', '.join(hit)}: as few as {min(sizes.values())} candidates in {_some(list(sizes))}"
        faults.append(Fault("W134", name, found, "more candidates than the cut-off", "1 by definition there"))
    return faults


def _gallery(split: Split) -> int:
    """The fewest candidates that any query has."""
    if split.draws is not None:
        units = np.arange(len(split.corpus)) if split.units is None else split.units
        return min((len(np.unique(units[draw.corpus])) for draw in split.draws), default=0)
    if split.units is not None:
        return len(np.unique(split.units))
    if split.candidates is None:
        return len(split.corpus)
    return min((len(rows) for rows in split.candidates), default=0)


def _cell_facts(cells: Iterable[tuple[Task, str, Split]]) -> dict[str, str]:
    """For each task, over its languages: queries, candidates, distractors and positives a query."""
    sizes: dict[str, list[tuple[int, int, int, list[int]]]] = defaultdict(list)
    for task, _, split in cells:
        positives = [int(count) for count in np.diff(split.qrels.start)]
        distractors = len(split.corpus) - len(set(split.qrels.items.tolist()))
        sizes[f"{task.name} ({task.title})"].append(
            (len(split.queries), _gallery(split), distractors, positives)
        )
    facts = {}
    for name, rows in sizes.items():
        counts = [count for row in rows for count in row[3]]
        spread = f"{min(counts)}/{median(counts):g}/{max(counts)}" if counts else "none"
        queries, gallery, idle = (_range([row[column] for row in rows]) for column in (0, 1, 2))
        facts[name] = (
            f"{queries} queries, {gallery} candidates ({idle} relevant to nothing), "
            f"positives a query {spread}, {len(rows)} {'languages' if len(rows) > 1 else 'language'}"
        )
    return facts


def _odd_texts(texts: Iterable[Item]) -> list[Fault]:
    """Texts that seem to be in another language, or carry part-of-speech marks: one finding a language."""
    of: dict[str, list[str]] = defaultdict(list)
    for item in texts:
        if item.text is not None and item.lang is not None:
            of[item.lang].append(item.text)
    faults = []
    for language, all_texts in sorted(of.items()):
        letters = _LETTERS.get(script(language))
        foreign = [text for text in all_texts if letters and _in_other_letters(text, letters)]
        tagged = [text for text in all_texts if _is_tagged(text)]
        for code, hit, what in (("W132", foreign, f"without a letter of {language!r}"),
                                ("W135", tagged, "with marks like word/n")):  # fmt: skip
            if hit:
                found = f"{len(hit)} of {len(all_texts)} {what}, e.g. {hit[0][:60]!r}"
                faults.append(
                    Fault(code, f"texts {language}", found, "texts of the language", "look at them")
                )
    return faults


def _in_other_letters(text: str, letters: tuple[str, ...]) -> bool:
    names = [unicodedata.name(char, "").split(" ")[0] for char in text if char.isalpha()]
    return bool(names) and not any(name in letters for name in names)


def _is_tagged(text: str) -> bool:
    words = text.split()
    return len(words) > 1 and all(_TAGGED.fullmatch(word) for word in words)


def _range(counts: Sequence[Any]) -> str:
    return str(counts[0]) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
