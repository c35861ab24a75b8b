"""MMMEB's rows: each a query with its candidates. What it must hold follows from its file's task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._files import cut, is_file, is_inside, many, normal
from crossgauge.benchmarks.mmmeb.lists import Content, Gathered, Listing
from crossgauge.benchmarks.mmmeb.names import Named
from crossgauge.captions import clean, lacking
from crossgauge.errors import Fault, InputError
from crossgauge.readers import parse_json
from crossgauge.tables import unreadable

MAX_LINE = 16 << 20  # bytes; the longest of real rows, a thousand captions, are about 100 KB
MAX_FILE = 1 << 30
MAX_ROWS = 100_000
MAX_FAULTS = 1000  # after so many a file is read no further


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of a row for one kind of task."""

    image: str | None  # of the query
    text: str | None  # of the query
    candidates: str
    of_pictures: bool  # whether candidates name pictures


FIELDS = {
    "i2t": Fields("img", None, "captions", of_pictures=False),
    "t2i": Fields(None, "text", "images", of_pictures=True),
    "c": Fields("img", None, "classes", of_pictures=False),
    "vqa": Fields("img", "question", "answers", of_pictures=False),
    "vg": Fields("img", "text", "imgs", of_pictures=True),
}


@dataclass(slots=True)
class Reading:
    """What a folder of files gave so far, and all that is wrong with it."""

    root: Path
    gold: str  # the field that says which candidate is right; empty: the first is
    faults: list[Fault] = field(default_factory=list)
    pictures: dict[str, Path] = field(default_factory=dict)  # id → file
    listings: dict[tuple[str, str], Listing] = field(default_factory=dict)  # (task, language) → what it asks
    names: dict[tuple[str, str], str] = field(default_factory=dict)  # → the file's name
    absent: dict[str, str] = field(default_factory=dict)  # picture → the first place that names it


def read(reading: Reading, named: Named) -> None:
    """Read one file into a listing; every fault of it is kept with file and line."""
    fields = FIELDS[named.kind]
    gathered = Gathered(named.dataset)
    rows, silent = 0, 0
    before = len(reading.faults)
    for place, row in rows_of(named.path, reading.faults):
        rows += 1
        if fields.text is not None and fields.text in row and row[fields.text] is None:
            silent += 1
            continue
        _ask(reading, named, gathered, place=place, row=row)
        if len(reading.faults) - before > MAX_FAULTS:
            break
    listing = gathered.listing(rows)
    reading.listings[named.task, named.language] = listing
    reading.names[named.task, named.language] = named.path.name
    if silent:
        said = f"{silent} of {rows} rows have no query text (null): {rows - silent} are scored"
        fix = "they declare no query; the published scripts skip them too"
        reading.faults.append(Fault("W350", named.path.name, said, "a text", fix))
    if listing.repeated:
        said = f"rows that name a candidate twice: {listing.repeated}"
        fix = "equal candidates are one; one that equals the right one is right"
        reading.faults.append(Fault("W354", named.path.name, said, "each once", fix))
    if not listing.questions and len(reading.faults) == before + bool(silent):
        reading.faults.append(
            Fault("E353", named.path.name, "no row with a query", "at least one", "check it")
        )


def absences(reading: Reading) -> list[Fault]:
    """One fault for each picture that is named and not there."""
    fix = "unzip images.zip beside the files"
    return [
        Fault("E354", place, f"no picture {cut(name)!r}", f"a file below {reading.root}", fix)
        for name, place in sorted(reading.absent.items())
    ]


def rows_of(path: Path, faults: list[Fault]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSON-lines file with their places (``name:3``); a line that is none is a fault."""
    name = path.name
    closed = unreadable(path, name)
    if closed is None and path.stat().st_size > MAX_FILE:
        said = f"{path.stat().st_size} bytes"
        closed = Fault("E219", name, said, f"at most {MAX_FILE}", "is it the right file?")
    if closed is not None:
        faults.append(closed)
        return
    count = 0
    with path.open("rb") as handle:
        for number, line in enumerate(iter(lambda: handle.readline(MAX_LINE + 1), b""), 1):
            place = f"{name}:{number}"
            if len(line) > MAX_LINE or count == MAX_ROWS:
                limit = f"at most {MAX_ROWS} rows of {MAX_LINE >> 20} MiB"
                said = "a longer line" if len(line) > MAX_LINE else "more rows"
                faults.append(Fault("E219", place, said, limit, "the rest was not read"))
                return
            if line.strip():
                count += 1
                row = _object(line, place, faults)
                if row is not None:
                    yield place, row


def _object(line: bytes, place: str, faults: list[Fault]) -> Mapping[str, Any] | None:
    try:
        row = parse_json(line, place)
    except InputError as error:
        faults += [
            Fault(one.code, place, f"{one.found} ({one.place})", one.wanted, one.fix) for one in error.faults
        ]
        return None
    if isinstance(row, dict):
        return row
    said = f"a JSON {type(row).__name__}"
    faults.append(Fault("E355", place, said, "one object a line", "mend or drop the line"))
    return None


def _ask(reading: Reading, named: Named, gathered: Gathered, *, place: str, row: Mapping[str, Any]) -> None:
    """One row as a query, unless something of it cannot be used."""
    fields = FIELDS[named.kind]
    before = len(reading.faults)
    text = None if fields.text is None else _text(reading, row, fields.text, place)
    image = None
    if fields.image is not None:
        silent = lacking(row, fields.image)
        if silent is None:
            image = _picture(reading, named, row[fields.image], f"{place} {fields.image}")
        else:
            fix = "is it the file of another task?"
            told = Fault("E355", f"{place} {fields.image}", silent, "the name of a picture", fix)
            reading.faults.append(told)
    listed = row.get(fields.candidates)
    if not isinstance(listed, list) or not listed:
        said = lacking(row, fields.candidates) or f"{fields.candidates} is {listed!r}"[:60]
        wanted, fix = "a list of candidates", "is it the file of another task?"
        reading.faults.append(Fault("E355", f"{place} {fields.candidates}", said, wanted, fix))
        return
    rows = _candidates(reading, named, gathered, listed, f"{place} {fields.candidates}")
    gold = _gold(reading, row, listed, place)
    if len(reading.faults) == before and gold is not None:
        gathered.ask(place, Content(text, image), rows, gold=gold)


def _text(reading: Reading, row: Mapping[str, Any], key: str, place: str) -> str | None:
    said = row.get(key)
    if says_something(said):
        return str(said)
    what = lacking(row, key) or f"{key} is {said!r}"[:80]
    reading.faults.append(
        Fault("E355", f"{place} {key}", what, "a text that says something, or null", "write it")
    )
    return None


def says_something(text: object) -> bool:
    r"""Whether it is a text with something in it, and without NUL.

    >>> says_something("a bee"), says_something(" \n"), says_something(None)
    (True, False, False)
    """
    return isinstance(text, str) and "\0" not in text and bool(clean(text))


def _candidates(
    reading: Reading, named: Named, gathered: Gathered, listed: Sequence[Any], place: str
) -> list[int]:
    """The row of each candidate; what was named before is only looked up, since lists of a file are alike."""
    pictures, rows, odd = FIELDS[named.kind].of_pictures, [], []
    for number, one in enumerate(listed):
        row = gathered.known.get(one) if isinstance(one, str) else None
        if row is None:
            if pictures:
                name = _picture(reading, named, one, f"{place}[{number}]")
                content = None if name is None else Content(image=name)
            else:
                content = Content(text=one) if says_something(one) else None
                odd += [number] if content is None else []
            row = -1 if content is None else gathered.row(content, named=str(one))
        rows.append(row)
    if odd:
        said = f"{many(len(odd), 'candidate')} without a text; [{odd[0]}] is {listed[odd[0]]!r:.40}"
        reading.faults.append(Fault("E355", place, said, "texts that say something", "write or drop them"))
    return rows


def _picture(reading: Reading, named: Named, name: Any, place: str) -> str | None:
    """The id of a picture: its path in eval_data; what is not there is told once."""
    said = str(name) if type(name) is int else name
    if not isinstance(said, str) or not said.strip() or "\0" in said or not is_inside(said):
        fix, found = "such paths are not followed", f"{name!r:.80} as a picture"
        if name is None or (isinstance(name, str) and not name.strip()):
            fix, found = "write it or drop the row", "null" if name is None else "empty"
        reading.faults.append(Fault("E356", place, found, "a path inside the folder", fix))
        return None
    one = normal(picture_path(said, named.dataset))
    if one not in reading.pictures and one not in reading.absent:
        file = _file(reading.root, named.path.parent, one)
        if file is None:
            reading.absent[one] = place
        else:
            reading.pictures[one] = file
    return one


def picture_path(name: str, dataset: str) -> str:
    """Where a picture lies in eval_data, by its name in a row.

    >>> picture_path("2", "imagenet-1k-val"), picture_path("xtd_images/a.png", "xtd")
    ('imagenet-1k-val_images/2.jpg', 'xtd_images/a.png')
    """
    whole = name if "." in name else f"{name}.jpg"
    return whole if "/" in whole else f"{dataset}_images/{whole}"


def _file(root: Path, beside: Path, name: str) -> Path | None:
    """The picture beside the files, in the folder or in its eval_data."""
    places = dict.fromkeys((beside, root, root / "eval_data"))
    return next((place / name for place in places if is_file(place / name)), None)


def _gold(reading: Reading, row: Mapping[str, Any], listed: Sequence[Any], place: str) -> int | None:
    """The place of the right candidate: the first, or what the named field says (a number, a value)."""
    if not reading.gold:
        return 0
    said = row.get(reading.gold)
    if type(said) is int and 0 <= said < len(listed):
        return said
    if isinstance(said, str) and said in listed:
        return listed.index(said)
    what = f"{reading.gold} is {said!r:.60}" if reading.gold in row else f"no key {reading.gold!r}"
    wanted = f"a candidate, or its number from 0 to {len(listed) - 1}"
    reading.faults.append(Fault("E357", place, what, wanted, "check --set gold=…, or mend the row"))
    return None
