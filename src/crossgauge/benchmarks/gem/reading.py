"""From GEM's files to triplets: every fault of every table is kept, so that all are told at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._decodable import left_out, undecodable
from crossgauge.benchmarks._files import is_folder, is_inside, many, some
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.benchmarks.gem.checks import odd_sizes, repeats
from crossgauge.benchmarks.gem.data import GemData, Section, Triplet
from crossgauge.benchmarks.gem.files import Shelf, Source, parts, sources
from crossgauge.benchmarks.gem.tables import Sheet, named_columns, read_sheet
from crossgauge.benchmarks.gem.tasks import GEM_I, GEM_V, PARTS, SIZES, language_of
from crossgauge.benchmarks.gem.videos import Videos
from crossgauge.collection import Unfit
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.tables import Row
from crossgauge.types import Item

HELP = """\
GEM's site hands out GEMI.zip and GEMV.zip after its terms are accepted; unpack them. The layout inside was
never published, so several are read. DIR holds GEM-I and GEM-V (or GEMI, gemv …; one is enough), each with
  {lang}/{split}.tsv, {lang}.{split}.tsv or {split}/{lang}.tsv   one table a language and split; also .csv,
      .jsonl, .parquet; languages in GEM's codes (zh-s, sr-l) or BCP-47; splits are train, dev, test
  columns query, title, image_id (or image: the file) in GEM-I, video_id (or video) in GEM-V, and, if there,
      query_id, id, language; without a header: --set columns=query,image_id,title (what stands where)
  images/ID.* and videos/ID.*   beside the tables or above them, also in a folder a language or split"""


_MISSING = frozenset({"E390", "E394"})  # what ``missing=skip`` leaves out; all else stays an error


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with its table and the way to find its file."""

    row: Row
    sheet: Sheet
    source: Source
    number: int  # from 1, in its table

    def cell(self, *roles: str) -> Any:
        """The first of these columns that holds something."""
        return self.row.first([self.sheet.columns[role] for role in roles if role in self.sheet.columns])


class _Reader(Gathering):
    """One part's rows as triplets."""

    def __init__(self, part: str, root: Path, options: Mapping[str, str]) -> None:
        super().__init__(root)
        self.part, self.split = part, options.get("split") or "test"
        self.sections: dict[Section, list[Triplet]] = defaultdict(list)
        self.notes: dict[str, str] = {}
        self._columns = named_columns(options.get("columns", ""))
        self._files = options.get("media") != "none"
        self._leave_out = options.get("missing") == "skip"
        self._left_out_rows: list[tuple[str, str]] = []
        self._shelf = Shelf(part, root, self.split)
        self._query_at: dict[tuple[str, str], str] = {}  # (language, query id) → its first place
        self._file_of: dict[tuple[str, str], tuple[Path, str]] = {}  # (language, item id) → file and place
        self._ids: Counter[str] = Counter()
        self._untitled: dict[str, str] = {}  # language → its first table without a column of titles
        self._videos = Videos()

    def read(self) -> None:
        """All tables of the split."""
        told: Counter[str] = Counter()
        for source in self._chosen():
            sheet = read_sheet(source.path, self.part, name=self._place(source), columns=self._columns)
            if source.language is None and "language" not in sheet.columns:
                found = "neither its path nor a column says one language"
                self.report(Fault("W394", self._place(source), found, "a language code", "it is not read"))
                continue
            for fault in sheet.faults:
                if fault.code == "W137":
                    self.count(fault)
                else:
                    self.report(fault)
            told[sheet.told()] += 1
            for number, row in enumerate(sheet.rows, start=1):
                self._add(_Row(row, sheet, source, number))
        if self._leave_out and self.part == GEM_I and not self.failed:
            self._drop_undecodable_rows()
        self._tell(told)

    def _drop_undecodable_rows(self) -> None:
        named = {f"{language} {item}": path for (language, item), (path, _) in self._file_of.items()}
        broken = undecodable(named)
        if broken:
            self.report(left_out(broken, self.part))
        for (_, language), rows in self.sections.items():
            rows[:] = [row for row in rows if f"{language} {row.item_id}" not in broken]

    @property
    def faults(self) -> list[Fault]:
        """Everything met."""
        return self._all()

    @property
    def found_media(self) -> list[Item]:
        """The files met, whatever else is wrong."""
        image = self.part == GEM_I
        return [
            Item(name, image=path) if image else Item(name, video=path)
            for (_, name), (path, _) in sorted(self._file_of.items())
        ]

    def _place(self, source: Source) -> str:
        return f"{self.part}/{source.name}"

    def _chosen(self) -> list[Source]:
        """The tables of the split; where no path says a split, all of them."""
        found = sources(self.root)
        said = sorted({source.split for source in found if source.split})
        if said and self.split not in said:
            fix = f"--set split={'dev' if 'dev' in said else said[0]}"
            wanted = f"a table of {self.split!r}"
            self.report(Fault("E392", self.part, f"tables of {', '.join(said)} only", wanted, fix))
            return []
        if not found:
            self.report(Fault("E391", str(self.root), "no table", "{lang}/{split}.tsv or its like", HELP))
        chosen = [source for source in found if not said or source.split == self.split]
        odd = [source.name for source in found if said and source.split is None]
        if odd:
            told = f"tables whose path says no split: {len(odd)} ({some(odd)})"
            self.report(Fault("W394", self.part, told, "train, dev or test in the path", "they are not read"))
        if found and not said:
            told = f"no path says a split: {many(len(found), 'table')} taken as {self.split!r}"
            self.report(Fault("W394", self.part, told, "train, dev or test in the path", "name it"))
        return chosen

    def _add(self, one: _Row) -> None:
        place = one.row.place
        if any(isinstance(value, bytes | dict) for value in one.row.values.values()):
            found = "pictures or videos inside the table"
            self.count(Fault("E134", place, found, "file names", "save them as files"))
            return
        language = self._language(one)
        ids = self._names(one)
        query = self.text(one.cell("query"), place)
        title, told = self._title(one)
        media, lacks = self._media(one)
        wrong = [what for what in (told, lacks) if what is not None]
        if self._leave_out and any(what.code in _MISSING for what in wrong):
            self._left_out_rows.append((place, next(what.found for what in wrong if what.code in _MISSING)))
            return
        self.report(*wrong)
        if language is None or ids is None:
            return
        self._once(language, ids[0], one)
        if "title" not in one.sheet.columns:
            self._untitled.setdefault(language, self._place(one.source))
        if media is not None:
            self._one_file(language, ids[1], media, place)
        if query is not None:
            self.sections[self.part, language].append(Triplet(*ids, query, title, media))

    def _language(self, one: _Row) -> str | None:
        said = one.source.language or one.cell("language")
        language = language_of(str(said)) or self.language(str(said or ""), one.row.place)
        if language is not None and language not in SIZES[self.part]:
            told = f"{language!r} is no language of {self.part}"
            self.count(Fault("W396", self._place(one.source), told, "", "measured, but in no mean of GEM"))
        return language

    def _names(self, one: _Row) -> tuple[str, str] | None:
        """The ids of query and item as the data have them, from the best column there is for each."""
        item_role = next((r for r in ("item id", "file", "id") if r in one.sheet.columns), "row number")
        query_role = next((r for r in ("query id", "id") if r in one.sheet.columns), item_role)
        self._ids[f"queries by {query_role}, items by {item_role}"] += 1
        item = self._id(one.cell(item_role) if item_role != "row number" else one.number, one.row.place)
        if query_role == item_role:
            return None if item is None else (item, item)
        query = self._id(one.cell(query_role), one.row.place)
        return None if item is None or query is None else (query, item)

    def _title(self, one: _Row) -> tuple[str | None, Fault | None]:
        """The title, None where the table has none; or why the row lacks it."""
        if "title" not in one.sheet.columns:
            return None, None
        said = one.cell("title")
        if said is None or (isinstance(said, str) and not said.strip()):
            fix = "complete it, or --set missing=skip"
            return None, Fault("E394", one.row.place, "an empty title", "a title in every row", fix)
        return self.text(said, one.row.place), None

    def _media(self, one: _Row) -> tuple[Path | None, Fault | None]:
        """The row's file, or why there is none; a cell that may be a name or an id is tried as both."""
        if not self._files:
            return None, None
        place, code = one.row.place, one.source.code or str(one.cell("language") or "")
        cells = [one.cell(role) for role in ("file", "item id", "id")]
        keys = list(dict.fromkeys(str(cell) for cell in cells if cell is not None)) or [str(one.number)]
        outside = [key for key in keys if not is_inside(key)]
        if outside:
            found = f"{outside[0][:80]!r} leaves the folder"
            return None, Fault("E128", place, found, f"a path inside {self.root}", "copy the file into it")
        named = None if cells[0] is None else self._shelf.by_name(keys[0], one.source, code)
        if named is not None:
            return named, None
        shelved = (self._shelf.by_id(key, one.source, code) for key in keys)
        files = next(filter(None, shelved), ())
        if len(files) > 1:
            told = f"{keys[0][:80]!r} may be {' or '.join(file.name for file in files)}"
            return None, Fault("E397", place, told, "one file an id", "remove one")
        if files:
            return files[0], None
        told = f"no file for {some(map(repr, keys))}"
        fix = "restore it (nothing is downloaded), or --set missing=skip"
        return None, Fault("E390", place, told, "images/ID.* or videos/ID.*, or a file name", fix)

    def _once(self, language: str, query: str, one: _Row) -> None:
        place = one.row.place
        first = self._query_at.setdefault((language, query), place)
        if first != place:
            named = "query id" in one.sheet.columns
            fix = "is a file there twice?" if named else "add a column query_id: other ids stood in"
            found = f"query id {query!r} is already that of {first}"
            self.report(Fault("E395", place, found, "each query id once a language", fix))

    def _one_file(self, language: str, item: str, media: Path, place: str) -> None:
        file, first = self._file_of.setdefault((language, item), (media, place))
        if self.part == GEM_V:
            self._videos.look(media, item, place)
        if file != media:
            found = f"{item!r} is {media.name}, but {file.name} at {first}"
            self.report(Fault("E396", place, found, "one file an item id", "give each item its own id"))

    def _tell(self, columns: Counter[str]) -> None:
        """What was read, for ``check`` to print, and what is odd about the whole."""
        part = self.part
        self.notes[f"{part} columns"] = "; ".join(
            f"{told} ({many(count, 'table')})" for told, count in columns.items()
        )
        self.notes[f"{part} ids"] = "; ".join(f"{told} ({many(n, 'row')})" for told, n in self._ids.items())
        self.notes[f"{part} media"] = self._shelf.told() if self._files else "not looked for (media=none)"
        if self._left_out_rows:
            names = some(f"{place} ({what})" for place, what in self._left_out_rows)
            found = f"{many(len(self._left_out_rows), 'row')} without file or title: {names}"
            self.report(Fault("W390", part, found, "every file", "left out: not the declared gallery"))
        if self._untitled:
            tasks = ", ".join(task for task in PARTS[part] if "T" in task)
            found = f"no column of titles: {', '.join(sorted(self._untitled))}"
            fix = f"add the column, else {tasks} are measured without these languages"
            self.report(Fault("W395", min(self._untitled.values()), found, f"titles, for {tasks}", fix))
        self.report(*self._videos.faults())
        self.report(*odd_sizes(part, self.split, self.sections), *repeats(part, self.sections))


def open_gem(data: Path | None, options: Mapping[str, str]) -> GemData:
    """Read the parts that are there; raises InputError with every fault of all tables at once."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E391", str(data), no_folder(data), "GEM, unpacked", HELP))
    readers = [_Reader(part, root, options) for part, root in sorted(parts(data).items())]
    for reader in readers:
        reader.read()
    faults = [fault for reader in readers for fault in reader.faults]
    if any(not fault.is_warning for fault in faults):
        media = [item for reader in readers for item in reader.found_media]
        raise Unfit(sorted(faults, key=lambda fault: fault.is_warning), media=media)
    sections = {section: rows for reader in readers for section, rows in reader.sections.items()}
    if not sections:
        none = Fault("E124", str(data), "no row that can be used", "at least one", "see the warnings")
        raise InputError([none, *faults])
    return GemData(
        sections,
        equal=options.get("relevance") == "equal",
        warnings=tuple(faults),
        notes=_notes(readers),
    )


def _notes(readers: Sequence[_Reader]) -> dict[str, str]:
    return {
        "split": readers[0].split,
        **{name: told for reader in readers for name, told in reader.notes.items()},
    }
