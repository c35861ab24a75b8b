"""MMEB's rows (``qry_text, qry_img_path, tgt_text[], tgt_img_path[]``) as a Dataset: one cell a meta-task.

Data sets of one meta-task stand in one cell, each in a group of its name. The placeholder for the picture
(``<|image_1|>``) is no part of a text here: whoever adapts such a model puts it in front.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from crossgauge.benchmark import Prompt
from crossgauge.benchmarks._files import cut, is_file, is_hidden, is_inside, normal
from crossgauge.benchmarks.mmmeb.files import MAX_FAULTS, MAX_FILE, MAX_ROWS, rows_of
from crossgauge.benchmarks.mmmeb.lists import (
    Content,
    Gathered,
    Listing,
    hash_listings,
    kept,
    ordered,
    pictures_left,
    split_of,
)
from crossgauge.captions import clean, lacking
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers.parquet import opened
from crossgauge.types import Item, Split

LANGUAGE = "en"
META_TASKS = ("classification", "vqa", "retrieval", "grounding")
UNKNOWN = "unknown"  # of data sets whose folder is not named after a meta-task
PLACEHOLDER = "<|image_1|>"
COLUMNS = ("qry_text", "qry_img_path", "tgt_text", "tgt_img_path")
_DEEPEST = 3  # DIR/meta-task/data set/test-00000-of-00001.parquet
_BATCH = 64  # rows of a parquet file decoded at once


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a data set."""

    path: Path
    dataset: str
    meta: str


def sources(root: Path) -> list[Source]:
    """Every table in the folder, sorted: ``NAME.jsonl``, ``NAME.parquet``, or ``NAME/test*.parquet``."""
    found = []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix not in (".jsonl", ".parquet") or len(parts) > _DEEPEST or any(map(is_hidden, parts)):
            continue
        shard = path.stem.startswith("test") and len(parts) > 1
        meta = parts[0].casefold() if parts[0].casefold() in META_TASKS and len(parts) > 1 else UNKNOWN
        found.append(Source(path, parts[-2] if shard else path.stem, meta))
    return found


@dataclass(slots=True)
class Reading:
    """What the files gave so far, and all that is wrong with them."""

    root: Path
    images: str  # the folder of pictures, in the root; empty: the root itself, or images in it
    faults: list[Fault] = field(default_factory=list)
    pictures: dict[str, Path] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)  # picture → the first place that names it
    tasks: dict[str, Gathered] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)  # data set → rows
    named: dict[str, str | None] = field(default_factory=dict)  # a picture as written → its id

    def listings(self) -> dict[str, Listing]:
        """What each meta-task asks."""
        made = {task: gathered.listing(0) for task, gathered in self.tasks.items()}
        return {task: listing for task, listing in made.items() if listing.questions}


def read(reading: Reading, source: Source) -> None:
    """Read one file; every fault of it is kept with file and line."""
    before = len(reading.faults)
    gathered = reading.tasks.setdefault(source.meta, Gathered(source.meta))
    for place, row in _rows(source.path, reading.faults):
        reading.rows[source.dataset] = reading.rows.get(source.dataset, 0) + 1
        _ask(reading, gathered, source, place=place, row=row)
        if len(reading.faults) - before > MAX_FAULTS:
            break


def _rows(path: Path, faults: list[Fault]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from rows_of(path, faults)
        return
    try:
        with opened(path) as file:
            unfit = _unfit(path, file)
            faults.extend(unfit)
            number = 0
            for batch in () if unfit else file.iter_batches(batch_size=_BATCH, columns=list(COLUMNS)):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path.name}:row {number}", row
    except InputError as error:
        faults.extend(error.faults)


def _unfit(path: Path, file: Any) -> list[Fault]:
    """What keeps a parquet file from being read: its columns, its size."""
    lacking = [name for name in COLUMNS if name not in file.schema_arrow.names]
    size, rows = path.stat().st_size, file.metadata.num_rows
    faults = []
    if lacking:
        fix = "is it a table of MMEB?"
        faults.append(Fault("E355", path.name, f"no column {', '.join(lacking)}", ", ".join(COLUMNS), fix))
    if size > MAX_FILE or rows > MAX_ROWS:
        limit = f"at most {MAX_FILE} bytes and {MAX_ROWS} rows"
        faults.append(Fault("E219", path.name, f"{size} bytes, {rows} rows", limit, "split the data set"))
    return faults


def _ask(reading: Reading, gathered: Gathered, source: Source, *, place: str, row: Mapping[str, Any]) -> None:
    """One row as a query, unless something of it cannot be used."""
    before = len(reading.faults)
    keys = COLUMNS[:2]
    query = _content(reading, row.get(keys[0]), row.get(keys[1]), f"{place} query", keys=keys)
    texts, images = row.get("tgt_text"), row.get("tgt_img_path")
    if not (isinstance(texts, list) and isinstance(images, list) and texts and len(texts) == len(images)):
        said = ", ".join(_listed(row, key) for key in ("tgt_text", "tgt_img_path"))
        wanted = "two lists of one length, not empty"
        reading.faults.append(Fault("E355", place, said, wanted, "mend the row"))
        return
    pairs = enumerate(zip(texts, images, strict=True))
    rows = [_candidate(reading, gathered, pair, place, number=number) for number, pair in pairs]
    if len(reading.faults) == before and query is not None:
        gathered.ask(place, query, rows, gold=0, group=source.dataset)


def _listed(row: Mapping[str, Any], key: str) -> str:
    """What stands where a list should, by name."""
    value = row.get(key)
    said = f"of {len(value)}" if isinstance(value, list) else f"is {value!r:.40}"
    return lacking(row, key) or f"{key} {said}"


def _candidate(
    reading: Reading, gathered: Gathered, pair: tuple[Any, Any], place: str, *, number: int
) -> int:
    """The row of a candidate, -1 where it cannot be used; what was named before is only looked up."""
    plain = all(isinstance(one, str) for one in pair)
    row = gathered.known.get(pair) if plain else None
    if row is None:
        keys = (f"tgt_text[{number}]", f"tgt_img_path[{number}]")
        content = _content(reading, *pair, f"{place} target[{number}]", keys=keys)
        row = -1 if content is None else gathered.row(content, named=pair)
    return row


def _content(reading: Reading, text: Any, image: Any, place: str, *, keys: tuple[str, str]) -> Content | None:
    """A text, a picture or both; the placeholder for the picture is taken out; ``keys`` name both."""
    if not all(one is None or isinstance(one, str) for one in (text, image)):
        said = f"{keys[0]} is {text!r:.40}, {keys[1]} is {image!r:.40}"
        reading.faults.append(Fault("E355", place, said, "texts", "mend the row"))
        return None
    says = (text or "").replace(f"{PLACEHOLDER}\n", "").replace(PLACEHOLDER, "")
    shows = _picture(reading, image, place) if image else None
    if image and shows is None:
        return None
    if not clean(says) and shows is None:
        said = f"{keys[0]} and {keys[1]} are missing or empty"
        reading.faults.append(Fault("E355", place, said, "one of them", "mend the row"))
        return None
    return Content(says if clean(says) else None, shows)


def _picture(reading: Reading, name: str, place: str) -> str | None:
    """The id of a picture; what is not there is told once."""
    if name in reading.named:
        return reading.named[name]
    one: str | None = None
    if "\0" in name or not is_inside(name):
        wanted, fix = "a path inside the folder", "such paths are not followed"
        reading.faults.append(Fault("E356", place, f"{name!r:.80} as a picture", wanted, fix))
    else:
        one = normal(name)
        folders = (reading.images,) if reading.images else ("", "images")
        file = next((reading.root / f / one for f in folders if is_file(reading.root / f / one)), None)
        if file is None:
            reading.absent.setdefault(one, place)
        else:
            reading.pictures[one] = file
    reading.named[name] = one
    return one


def absences(reading: Reading) -> list[Fault]:
    """One fault for each picture that is named and not there."""
    wanted = f"a file below {reading.root / reading.images}"
    return [
        Fault("E354", place, f"no picture {cut(name)!r}", wanted, "--set images=FOLDER names where they are")
        for name, place in sorted(reading.absent.items())
    ]


@dataclass(frozen=True)
class MetaTasks:
    """MMEB, opened; implements :class:`crossgauge.benchmark.Dataset`."""

    whole: Mapping[str, Listing]  # meta-task → what its data sets ask
    files: Mapping[str, Path]  # picture id → file
    rows: Mapping[str, int]  # data set → rows
    findings: tuple[Fault, ...]
    left: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def listings(self) -> dict[str, Listing]:
        """What is asked of the pictures that are left."""
        cut_down = {task: kept(listing, self.left) for task, listing in sorted(self.whole.items())}
        return {task: listing for task, listing in cut_down.items() if listing.questions}

    @cached_property
    def pictures(self) -> dict[str, Path]:
        """Every picture left, by id, sorted."""
        return pictures_left(self.files, self.left)

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over pictures' bytes, texts, lists and golds; raises InputError (E160)."""
        return hash_listings(self.pictures, self.listings.items())

    def languages(self, task: str) -> tuple[str, ...]:
        """English, where there is a data set of this meta-task."""
        return (LANGUAGE,) if task in self.listings else ()

    def split(self, task: str, language: str, prompt: Prompt) -> Split:  # noqa: ARG002  (the data hold the prompts)
        """The queries and candidates of one meta-task, grouped by data set; raises UsageError (E132)."""
        listing = self.listings.get(task)
        if listing is None or language != LANGUAGE:
            have = ", ".join(self.listings) or "none"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"in en: {have}"))
        queries = [self._item(question.query) for question in listing.questions]
        return split_of(queries, [self._item(one) for one in listing.candidates], listing)

    def limited(self, n: int) -> MetaTasks:
        """The same data cut to ``n`` pictures by a hash of their ids; a query's picture brings its target."""
        targets: dict[str, set[str]] = defaultdict(set)
        for listing in self.whole.values():
            for one in listing.questions:
                gold = listing.candidates[one.gold].image
                if one.query.image is not None and gold is not None:
                    targets[one.query.image].add(gold)
        return replace(self, left=frozenset(ordered(self.files, targets)[:n]))

    def facts(self) -> Mapping[str, str]:
        """Pictures and data sets, and for each data set its queries and candidates."""
        said = {"pictures": str(len(self.pictures)), "data sets": str(len(self.rows))}
        for task, listing in self.listings.items():
            sizes: dict[str, list[int]] = defaultdict(list)
            for question in listing.questions:
                sizes[question.group].append(listing.size(question))
            for dataset, counts in sorted(sizes.items()):
                spread = f"{min(counts)}/{median(counts):g}/{max(counts)}"
                said[f"{task} {dataset}"] = f"{len(counts)} queries, candidates {spread}"
        return said

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        return tuple(Item(name, image=path) for name, path in self.pictures.items())

    def texts(self) -> tuple[Item, ...]:
        """Every text once for each picture that it stands with."""
        said: dict[str, Item] = {}
        for listing in self.listings.values():
            for content in _contents(listing):
                if content.text is not None:
                    name = content.id(LANGUAGE)
                    said.setdefault(name, Item(name, text=content.text, lang=LANGUAGE))
        return tuple(said.values())

    def _item(self, content: Content) -> Item:
        image = None if content.image is None else self.files[content.image]
        lang = None if content.text is None else LANGUAGE
        return Item(content.id(LANGUAGE), text=content.text, image=image, lang=lang)


def _contents(listing: Listing) -> Sequence[Content]:
    return [*(question.query for question in listing.questions), *listing.candidates]
