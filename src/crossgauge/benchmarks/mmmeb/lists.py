"""Queries that bring their own candidates: what MMMEB and MMEB have in common, whatever their files.

One :class:`Listing` is what one file asks. Equal candidates of a file are one item (texts after NFC and
stripping, pictures by their path), so a distractor that says what the gold says is the gold.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from crossgauge.captions import clean, unused
from crossgauge.errors import Fault, InputError
from crossgauge.media import content_digest
from crossgauge.types import Ints, Item, Qrels, Split

_SLUG = 24  # characters of a text that its id shows
_HASH = 10  # hexadecimal digits behind them


@dataclass(frozen=True, slots=True)
class Content:
    """What a query or candidate holds: a text as it is written, the id of a picture, or both."""

    text: str | None = None
    image: str | None = None

    @property
    def key(self) -> tuple[str | None, str | None]:
        """Equal keys, one item."""
        return (None if self.text is None else clean(self.text), self.image)

    def id(self, language: str) -> str:
        """An id of the content alone, without white space: no order of rows and no prompt changes it.

        >>> Content("A bee. ").id("en"), Content(image="xm_images/1.jpg").id("en")
        ('en:a-bee-d6909e0a40', 'xm_images/1.jpg')
        """
        if self.text is None:
            return str(self.image)
        said = clean(self.text)
        slug = "-".join(re.findall(r"[^\W_]+", said.casefold()))[:_SLUG].strip("-")
        digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
        named = f"{language}:{slug}-{digest}" if slug else f"{language}:{digest}"
        return named if self.image is None else f"{named}@{self.image}"


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One row of a file: a query, which candidate is right, and who competes."""

    place: str  # "xm_en_1000_formatted_i2t.jsonl:3"
    query: Content
    gold: int  # row of the listing's candidates
    rows: npt.NDArray[np.int32] | None  # who competes, ascending; None: every candidate
    group: str = ""  # for breakdowns: its data set, where a listing has several


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """What one file asks."""

    dataset: str
    candidates: tuple[Content, ...]  # distinct, in the order in which the file first names them
    questions: tuple[Question, ...]
    rows: int  # rows of the file, those without a query included
    repeated: int = 0  # rows that name a candidate twice

    @property
    def sizes(self) -> tuple[int, float, int]:
        """How many distinct candidates a query has: minimum, median, maximum."""
        counts = [self.size(question) for question in self.questions]
        return (min(counts), median(counts), max(counts)) if counts else (0, 0.0, 0)

    def size(self, question: Question) -> int:
        """How many candidates compete for one query."""
        return len(self.candidates) if question.rows is None else len(question.rows)


class Gathered:
    """The candidates of a file in the making: equal ones become one."""

    def __init__(self, dataset: str) -> None:
        self.known: dict[str | tuple[str, str], int] = {}  # a candidate as a row names it → its row
        self._dataset = dataset
        self._row: dict[tuple[str | None, str | None], int] = {}
        self._contents: list[Content] = []
        self._questions: list[Question] = []
        self._repeated = 0

    def row(self, content: Content, *, named: str | tuple[str, str]) -> int:
        """The row of a candidate, given one if it is new; ``named`` is how rows of the file name it."""
        row = self._row.setdefault(content.key, len(self._contents))
        if row == len(self._contents):
            self._contents.append(content)
        self.known[named] = row
        return row

    def ask(self, place: str, query: Content, rows: Sequence[int], *, gold: int, group: str = "") -> None:
        """One query with the rows of its candidates; ``gold`` is the place of the right one among them."""
        distinct = np.unique(np.array(rows, dtype=np.int32))
        self._repeated += len(distinct) < len(rows)
        self._questions.append(Question(place, query, rows[gold], distinct, group))

    def listing(self, rows: int) -> Listing:
        """What was gathered; ``rows`` are the rows of the file, those without a query included."""
        every = len(self._contents)
        questions = tuple(
            replace(one, rows=None) if one.rows is not None and len(one.rows) == every else one
            for one in self._questions
        )  # a thousand lists of the same thousand rows would fill memory for nothing
        return Listing(self._dataset, tuple(self._contents), questions, rows, self._repeated)


def kept(listing: Listing, left: frozenset[str] | None) -> Listing:
    """A listing cut to some pictures: queries and golds that are left, and of pictures only those.

    Texts all stay: a query that is left keeps its difficulty.
    """
    if left is None:
        return listing
    stays = np.array([one.image is None or one.image in left for one in listing.candidates], dtype=np.bool_)
    now = np.cumsum(stays) - 1
    questions = []
    for one in listing.questions:
        if not stays[one.gold] or not (one.query.image is None or one.query.image in left):
            continue
        rows = None if one.rows is None else now[one.rows[stays[one.rows]]].astype(np.int32)
        questions.append(replace(one, gold=int(now[one.gold]), rows=rows))
    candidates = tuple(one for one, stay in zip(listing.candidates, stays, strict=True) if stay)
    return Listing(listing.dataset, candidates, tuple(questions), listing.rows, listing.repeated)


def split_of(
    queries: Sequence[Item],
    corpus: Sequence[Item],
    listing: Listing,
) -> Split:
    """The split of a listing, with items as the caller worded them; of one id, later queries get a number."""
    taken = {item.id for item in corpus}
    groups = {one.group for one in listing.questions}
    whole = np.arange(len(corpus), dtype=np.int64)
    lists: list[Ints] | None = None
    if any(question.rows is not None for question in listing.questions):
        lists = [whole if one.rows is None else one.rows.astype(np.int64) for one in listing.questions]
    return Split(
        queries=tuple(
            Item(unused(item.id, taken), text=item.text, image=item.image, lang=item.lang) for item in queries
        ),
        corpus=tuple(corpus),
        qrels=Qrels.of([[question.gold] for question in listing.questions]),
        candidates=None if lists is None else tuple(lists),
        groups=tuple(one.group for one in listing.questions) if any(groups) else None,
    )


def ordered(pictures: Iterable[str], companions: Mapping[str, Iterable[str]]) -> list[str]:
    """Pictures in the order in which a limit takes them: by a hash of their ids, each with its companions.

    ``companions`` are pictures that a query's picture needs beside it: the crop that is its right answer.
    """
    owned = {one for some in companions.values() for one in some}
    anchors = sorted(set(pictures), key=lambda one: (one in owned, _hashed(one)))
    found: dict[str, None] = {}
    for anchor in anchors:
        found.setdefault(anchor)
        found.update(dict.fromkeys(sorted(companions.get(anchor, ()), key=_hashed)))
    return list(found)


def _hashed(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def pictures_left(files: Mapping[str, Path], left: frozenset[str] | None) -> dict[str, Path]:
    """Every picture, or those that ``limited`` left, by id, sorted."""
    return {name: files[name] for name in sorted(files if left is None else left)}


def hash_listings(pictures: Mapping[str, Path], listings: Iterable[tuple[str, Listing]]) -> str:
    """``sha256:…`` over pictures' bytes and what each listing, by its name, asks; not over paths.

    Raises InputError with a fault (E160) for each picture that cannot be read.
    """
    whole = hashlib.sha256()
    for name, digest in digests(pictures).items():
        whole.update(f"{name!r} {digest}\n".encode())
    for name, listing in listings:
        whole.update(f"{name} {len(listing.questions)}\n".encode())
        hash_listing(whole, listing)
    return f"sha256:{whole.hexdigest()}"


def digests(pictures: Mapping[str, Path]) -> dict[str, str]:
    """The SHA-256 of each picture's file; raises InputError with a fault (E160) for each unreadable one."""
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        found = list(pool.map(_digest, pictures.items()))
    faults = [one for one in found if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    return dict(zip(pictures, (one for one in found if isinstance(one, str)), strict=True))


def _digest(picture: tuple[str, Path]) -> str | Fault:
    name, path = picture
    try:
        return content_digest(path, item=name)
    except InputError as error:
        return error.faults[0]


def hash_listing(digest: object, listing: Listing) -> None:
    """Put all of a listing that can change a number into a hash: texts, pictures by id, golds, lists."""
    add = digest.update  # type: ignore[attr-defined]
    for content in (*listing.candidates, *(question.query for question in listing.questions)):
        add(repr((content.text, content.image)).encode("utf-8", "surrogatepass") + b"\n")
    golds = np.array([question.gold for question in listing.questions], dtype="<i4")
    add(golds.tobytes())
    for question in listing.questions:
        add(b"all" if question.rows is None else question.rows.astype("<i4").tobytes())
        add(f"{question.group}\n".encode("utf-8", "surrogatepass"))


def refuse(faults: Sequence[Fault], media: Mapping[str, Path]) -> None:
    """Raise all faults of the data at once when any is an error, with the pictures that were found."""
    from crossgauge.collection import Unfit

    if any(not fault.is_warning for fault in faults):
        items = (Item(name, image=path) for name, path in sorted(media.items()))
        raise Unfit(sorted(faults, key=lambda fault: fault.is_warning), media=items)
