"""What can be said of a submission before it is scored, with the truth or without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crossgauge.audit import Audit
from crossgauge.benchmarks.gem.tasks import PARTS, SIZES, TASKS, code_of, part_of
from crossgauge.errors import Fault
from crossgauge.readers.archive import Tree, open_tree
from crossgauge.submission.captions import read_captions
from crossgauge.submission.layout import Layout, Prediction, lay_out
from crossgauge.submission.names import Names
from crossgauge.submission.problems import Problems
from crossgauge.submission.retrieval import read_pairs
from crossgauge.submission.truth import Truth, open_truth

_KIND = {task.name: task.kind for task in TASKS}


@dataclass(frozen=True, slots=True)
class Lacking:
    """What a submission has no file of."""

    partial: tuple[str, ...]  # of the parts it takes part in: "QI: 1 of 20 languages missing: ca"
    parts: tuple[str, ...]  # GEM-I or GEM-V, where it takes no part in one

    def findings(self, place: str, *, of_parts: bool = False) -> list[Fault]:
        """The same as warnings (W488); ``of_parts``: the latter alone."""
        found = [
            Fault("W488", place, text, "every language of the part", "add them")
            for text in (() if of_parts else self.partial)
        ]
        whole = [
            Fault("W488", place, f"nothing of {part}", "", "none if that is meant") for part in self.parts
        ]
        return found + whole


def lacking(layout: Layout, truth: Truth | None, *, split: str = "test") -> Lacking:
    """Tasks and languages without a file, of those the truth has; without one, of those GEM's split has."""
    have: dict[str, set[str]] = {task.name: set() for task in TASKS}
    for one in layout.predictions:
        have[one.task].add(one.language)
    partial, parts = [], []
    for part, tasks in PARTS.items():
        wanted = {task: _languages(task, part, truth, split=split) for task in tasks}
        if not any(have[task] for task in tasks):
            parts += [part] if any(wanted.values()) else []
            continue
        for task, languages in wanted.items():
            absent = [code_of(language) for language in languages if language not in have[task]]
            if absent:
                partial.append(
                    f"{task}: {len(absent)} of {len(languages)} languages missing: {', '.join(absent)}"
                )
    return Lacking(tuple(partial), tuple(parts))


def _languages(task: str, part: str, truth: Truth | None, *, split: str) -> tuple[str, ...]:
    if truth is not None:
        return truth.data.languages(task)
    return tuple(sorted(language for language, size in SIZES[part].items() if size.of(split)))


@dataclass(frozen=True, slots=True)
class _Read:
    """What one file says, in short."""

    words: str
    ids: frozenset[str]  # its queries; of captions, its items
    candidates: int  # different items; 0 for captions
    full: bool


def check_submission(
    path: Path, truth: Path | None = None, *, split: str = "test", options: Mapping[str, str] | None = None
) -> Audit:
    """Everything that is wrong or odd with a submission, and what it holds; nothing is scored.

    Without ``truth``: names, formats, pairs twice, scores that are no numbers, sizes against those GEM
    published for ``split``, and whether tasks of one language have the same queries. With it, also ids.

    Raises InputError for a submission that cannot be opened, and for data that cannot.
    """
    with open_tree(path) as tree:
        known = None if truth is None else open_truth(truth, options={"split": split, **(options or {})})
        layout = lay_out(tree)
        faults = list(layout.faults)
        absent = lacking(layout, known, split=split)
        findings = [*tree.findings, *layout.findings, *absent.findings(tree.place)]
        facts = {"submission": tree.place, "files": str(len(layout.predictions))}
        read: dict[tuple[str, str], _Read] = {}
        for one in layout.predictions:
            problems = Problems(tree.at(one.member))
            found = _read(tree, one, known, problems)
            if found is not None:
                facts[f"{one.task}/{code_of(one.language)}"] = found.words
                read[one.task, one.language] = found
                _say_size(one, found, split, known, problems)
            faults += problems.faults
            findings += problems.findings
        findings += _unequal(read, tree.place)
    return Audit(facts, (*faults, *findings))


def _read(tree: Tree, one: Prediction, known: Truth | None, problems: Problems) -> _Read | None:
    if known is not None:
        fault = known.fault(one.task, one.language, problems.place)
        if fault is not None:
            problems.say(fault.code, fault.found, fault.wanted, fault.fix)
            return None
        side = known.side(one.task, one.language)
        queries, items, truth = side.queries, side.items, known
    elif one.language not in SIZES[part_of(one.task)]:
        wanted = f"one of: {', '.join(sorted(SIZES[part_of(one.task)]))}"
        fix = "remove it, or is it of the other part?"
        problems.say("E491", f"{part_of(one.task)} has no {one.language}", wanted, fix)
        return None
    else:
        queries, items, truth = Names(), Names(), None

    def hint(kind: str, name: str) -> str:
        return "" if truth is None else truth.hint(one.task, one.language, kind, name)

    if _KIND[one.task] == "captioning":
        written = read_captions(tree, one.member, problems, items=items, hint=hint)
        if written is None:
            return None
        some = [
            name for name, said in zip(written.items.ids, written.captions, strict=True) if said is not None
        ]
        return _Read(f"{len(some):,} captions, {written.words}", frozenset(some), 0, full=True)
    pairs = read_pairs(tree, one.member, problems, queries=queries, items=items, hint=hint)
    if pairs is None:
        return None
    asked, seen = len(pairs.queries), len(pairs.items)
    few, most = int(pairs.listed.min()), int(pairs.listed.max())
    size = f"all {seen:,}" if pairs.full else f"{few:,} to {most:,}" if few < most else f"{most:,}"
    words = f"{asked:,} queries, {size} items each, {pairs.words}"
    return _Read(words, frozenset(pairs.queries.ids), seen, pairs.full)


def _say_size(one: Prediction, found: _Read, split: str, known: Truth | None, problems: Problems) -> None:
    """Hold the counts against those that GEM published, and a matrix against a square."""
    if found.candidates and not found.full:
        wanted, fix = "every pair, for GEM's own script", "none: what is not listed is a miss"
        problems.say("W486", "not every query lists every item", wanted, fix)
    if known is not None:
        return
    size = SIZES[part_of(one.task)][one.language].of(split)
    if len(found.ids) != size:
        what = "queries" if found.candidates else "captions"
        text = f"{len(found.ids):,} {what}; GEM published {size:,} for {split}"
        problems.say("W489", text, f"{size:,}", "is it another split (--split), or are some missing?")
    elif found.candidates > size or (found.full and found.candidates not in (0, size)):
        text = f"{found.candidates:,} different items for {size:,} queries"
        problems.say("W489", text, f"{size:,} items", "a query's candidates are the items of its language")


def _unequal(read: Mapping[tuple[str, str], _Read], place: str) -> Iterator[Fault]:
    """Tasks of one part and language whose files are not about the same queries, or items."""
    groups: dict[tuple[str, str, bool], list[tuple[str, frozenset[str]]]] = {}
    for (task, language), one in read.items():
        groups.setdefault((part_of(task), language, bool(one.candidates)), []).append((task, one.ids))
    for (_, language, asks), members in groups.items():
        first, ids = members[0]
        for task, other in members[1:]:
            if other != ids:
                what = "queries" if asks else "items"
                found = (
                    f"{first} and {task} in {language}: {len(ids ^ other):,} {what} stand in one of them only"
                )
                yield Fault("W493", place, found, f"the same {what}", "are both of the same split?")
