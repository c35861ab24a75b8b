"""MMMEB's files as a Dataset: every cell's queries, candidates and what they say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from crossgauge.benchmark import Prompt
from crossgauge.benchmarks.mmmeb.lists import (
    Content,
    Listing,
    hash_listings,
    kept,
    ordered,
    pictures_left,
    split_of,
)
from crossgauge.benchmarks.mmmeb.names import EXPECTED
from crossgauge.benchmarks.mmmeb.prompts import wording
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Item, Role, Split


@dataclass(frozen=True)
class Listings:
    """MMMEB, opened; implements :class:`crossgauge.benchmark.Dataset`."""

    whole: Mapping[tuple[str, str], Listing]  # (task, language) → what its file asks
    names: Mapping[tuple[str, str], str]  # → the file's name
    files: Mapping[str, Path]  # picture id → file
    findings: tuple[Fault, ...]
    mode: str
    prompting: str
    left: frozenset[str] | None = field(default=None)  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def listings(self) -> dict[tuple[str, str], Listing]:
        """What is asked of the pictures that are left."""
        cut = {cell: kept(listing, self.left) for cell, listing in self.whole.items()}
        return {cell: listing for cell, listing in cut.items() if listing.questions}

    @cached_property
    def pictures(self) -> dict[str, Path]:
        """Every picture left, by id, sorted."""
        return pictures_left(self.files, self.left)

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over pictures' bytes, texts, lists and golds; not over paths of the machine.

        Raises InputError with a fault (E160) for each picture that cannot be read.
        """
        cells = sorted(self.listings.items())
        return hash_listings(self.pictures, ((" ".join(cell), listing) for cell, listing in cells))

    def languages(self, task: str) -> tuple[str, ...]:
        """The languages whose file of this task is there, sorted."""
        return tuple(sorted(language for name, language in self.listings if name == task))

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, candidates and golds of one cell, worded as the format and the options say.

        Raises UsageError: E132 for a task or language without a file, E350 for an unknown format.
        """
        listing = self.listing(task, language)
        says = wording(kind(task), language, prompt, mode=self.mode, prompting=self.prompting)
        queries = [
            self._item(one.query, task, language, role="query", says=says.query(one.query.text))
            for one in listing.questions
        ]
        corpus = [
            self._item(one, task, language, role="corpus", says=says.candidate(one.text))
            for one in listing.candidates
        ]
        return split_of(queries, corpus, listing)

    def item_id(self, content: Content, task: str, language: str, *, role: Role) -> str:
        """The id of a content where it is asked: one id, one wording in each format.

        With instructions each kind of task words its queries and its candidates differently; without them
        only class names are worded.
        """
        name = content.id(language)
        if self.prompting == "dual":
            return f"class:{name}" if kind(task) == "c" and content.image is None else name
        spoken = name if content.text is not None else f"{language}:{name}"
        return f"{kind(task)}:{role}:{spoken}"

    def listing(self, task: str, language: str) -> Listing:
        """What the file of a task and language asks; raises UsageError (E132) where there is none."""
        found = self.listings.get((task, language))
        if found is None:
            have = ", ".join(self.languages(task)) or "no file of this task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        return found

    def limited(self, n: int) -> Listings:
        """The same data cut to ``n`` pictures by a hash of their ids; a grounding picture brings its crop."""
        crops: dict[str, set[str]] = defaultdict(set)
        for (task, _), listing in self.whole.items():
            for one in listing.questions if task == "vg" else ():
                crops[str(one.query.image)].add(str(listing.candidates[one.gold].image))
        return replace(self, left=frozenset(ordered(self.files, crops)[:n]))

    def facts(self) -> Mapping[str, str]:
        """Pictures and files, and for each file its rows, the rows scored and the candidates a query."""
        files = f"{len(self.listings)} of {len(EXPECTED)} expected"
        said = {"pictures": str(len(self.pictures)), "files": files}
        for cell, listing in sorted(self.listings.items()):
            low, middle, high = listing.sizes
            said[self.names[cell]] = (
                f"{listing.rows} rows, {len(listing.questions)} scored; candidates {low}/{middle:g}/{high}"
            )
        return said

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        return tuple(Item(name, image=path) for name, path in self.pictures.items())

    def texts(self) -> tuple[Item, ...]:
        """Every text once, as the files write it; a question counts once for each picture it is asked of."""
        said: dict[str, Item] = {}
        for (task, language), listing in sorted(self.listings.items()):
            sides: dict[Role, list[Content]] = {
                "query": [one.query for one in listing.questions],
                "corpus": list(listing.candidates),
            }
            for content, role in ((one, role) for role, side in sides.items() for one in side):
                if content.text is not None:
                    name = self.item_id(content, task, language, role=role)
                    said.setdefault(name, Item(name, text=content.text, lang=language))
        return tuple(said.values())

    def _item(self, content: Content, task: str, language: str, *, role: Role, says: str | None) -> Item:
        image = None if content.image is None else self.files[content.image]
        name = self.item_id(content, task, language, role=role)
        return Item(name, text=says, image=image, lang=None if says is None else language)


def kind(task: str) -> str:
    """The kind of a task, which decides its prompts and its fields.

    >>> kind("i2t-xtd"), kind("vqa")
    ('i2t', 'vqa')
    """
    return task.partition("-")[0]
