"""What every loader of captioned pictures shares: it takes rows and collects all that is wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crossgauge.benchmark import Option
from crossgauge.benchmarks._decodable import left_out, undecodable
from crossgauge.benchmarks._files import cut, is_file, is_inside, normal, some
from crossgauge.captions import Picture, clean
from crossgauge.collection import Unfit
from crossgauge.errors import Fault
from crossgauge.languages import reading
from crossgauge.types import Item

MISSING = Option(
    "missing", ("error", "skip"), "whether a picture that is lacking or damaged stops the work or is left out"
)
ABSENT = object()  # the file of a row whose table has no column for it: told once, for the table
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_CONTROLS = frozenset(
    "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85"
)  # white space to str.split; never shifts a line here


@dataclass(slots=True)
class _Draft:
    """A picture in the making: rows with the same id and file add texts to it."""

    place: str
    path: Path
    texts: dict[str, list[str]] = field(default_factory=dict)
    label: str | None = None
    category: str | None = None


class Gathering:
    """Rows in, pictures out; every fault on the way is kept, so that all of them are told at once.

    File names are relative to ``root`` and must stay in it. ``missing="skip"`` leaves out pictures whose
    file is not there or cannot be decoded, with warnings that count and name them, instead of errors.
    """

    def __init__(self, root: Path, *, missing: str = "error") -> None:
        self.root = root
        self._skip = missing == "skip"
        self._drafts: dict[str, _Draft] = {}
        self._faults: list[Fault] = []
        self._tally: dict[tuple[str, str], tuple[Fault, int]] = {}  # what repeats is told once, with a count
        self._written: dict[tuple[str, str], tuple[str, str]] = {}  # text → its first spelling and place
        self._absent: list[tuple[str, str]] = []
        self._seen: dict[str, Path] = {}  # every picture file met, whatever else is wrong with its row

    def report(self, *faults: Fault) -> None:
        """Keep faults found elsewhere."""
        self._faults.extend(faults)

    def count(self, fault: Fault) -> None:
        """Keep a fault once, at its first place, with the number of times it was met."""
        first, times = self._tally.get((fault.code, fault.found), (fault, 0))
        self._tally[fault.code, fault.found] = first, times + 1

    def language(self, code: str, place: str) -> str | None:
        """The canonical code; None, and a fault kept, when there is none."""
        found, fault = reading(code, place=place)
        if fault is not None:
            self.count(fault)
        return found

    def add(
        self,
        place: str,
        *,
        file: Any,
        name: Any = None,
        texts: Iterable[tuple[str, Any]] = (),
        label: str | None = None,
        category: str | None = None,
    ) -> None:
        """One row: a picture file, its id (``name``; the file's by default), and (language, text) pairs."""
        absent = len(self._absent)
        found = self._path(file, place)
        if len(self._absent) > absent and self._skip:
            return  # left out, with all it says
        called = name if name is not None or found is None else found[0]
        identity = None if called is None else self._id(called, place)
        draft = _Draft(place, Path())  # of a row that cannot be used: what it says is still looked at
        if found is not None and identity is not None:
            draft = self._drafts.setdefault(identity, _Draft(place, found[1]))
            if draft.path != found[1]:
                told = f"id {identity!r} is already that of {draft.place}"
                self.report(Fault("E126", place, told, "one picture an id", "give each picture its own id"))
                draft = _Draft(place, found[1])
        self._class(draft, label, place)
        draft.category = draft.category or category
        for language, text in texts:
            self._text(draft, language, text, place)

    def _class(self, draft: _Draft, label: str | None, place: str) -> None:
        if label is not None and label != (draft.label or label):
            found = f"class {label!r}, but {draft.label!r} at {draft.place}"
            self.report(Fault("E135", place, found, "one class a picture", "drop one of the two"))
        draft.label = draft.label or label

    def text(self, text: Any, place: str) -> str | None:
        """The text as it is compared and encoded; None, and a fault kept, when it cannot be used."""
        why = _unusable(text)
        if why is not None:
            self.report(Fault("E127", place, why, "a text that says something", "write it or drop the row"))
            return None
        for oddity in _oddities(text):
            self.count(Fault("W122", place, oddity, "", "look at it; it is encoded as it stands"))
        return clean(text)

    @property
    def labels(self) -> list[str]:
        """The classes of the pictures gathered so far, sorted."""
        return sorted({draft.label for draft in self._drafts.values() if draft.label is not None})

    def pictures(self, *, none: Fault | None = None) -> tuple[Picture, ...]:
        """Every picture gathered, sorted by id; raises InputError with all faults when any is an error.

        The error carries the pictures that were found, so that an audit can look at them too. ``none`` is
        what to say when there is no picture.
        """
        if self._absent and self._skip:
            self.report(self._left_out())
        if self._skip and not self.failed:
            self._drop_undecodable()
        self._useless()
        if not self._drafts and not self.failed:
            self.report(none or Fault("E124", str(self.root), "no picture", "at least one", "check --data"))
        if self.failed:
            items = (Item(name, image=path) for name, path in sorted(self._seen.items()))
            raise Unfit(self._all(), media=items)
        return tuple(
            Picture(name, draft.path, {code: tuple(texts) for code, texts in draft.texts.items()},
                    draft.label, draft.category)
            for name, draft in sorted(self._drafts.items())
        )  # fmt: skip

    @property
    def failed(self) -> bool:
        """Whether anything met so far is an error."""
        return any(not fault.is_warning for fault in self._all())

    def _useless(self) -> None:
        """Pictures that nothing is said of are in no task: an error when that is all of them."""
        silent = [name for name, draft in sorted(self._drafts.items()) if not draft.texts and not draft.label]
        if not silent or self.failed:
            return
        every = len(silent) == len(self._drafts)
        found = (
            f"{len(silent)} of {len(self._drafts)} pictures have neither a text nor a class: {some(silent)}"
        )
        self.report(
            Fault(
                "E124" if every else "W136", self._drafts[silent[0]].place, found, "a text or a class",
                "write them" if every else "they are in no task",
            )
        )  # fmt: skip

    def _drop_undecodable(self) -> None:
        broken = undecodable({name: draft.path for name, draft in sorted(self._drafts.items())})
        if broken:
            self.report(left_out(broken, self._drafts[next(iter(broken))].place))
        for name in broken:
            del self._drafts[name]

    def _left_out(self) -> Fault:
        names = some(name for _, name in self._absent)
        place, count = self._absent[0][0], len(self._absent)
        self._absent = []  # told once
        fix = "left out: not the declared gallery"
        return Fault("W126", place, f"{count} pictures are not there: {names}", "every picture", fix)

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What was odd but usable."""
        return tuple(fault for fault in self._all() if fault.is_warning)

    def _all(self) -> list[Fault]:
        counted = [
            replace(fault, found=f"{fault.found} ({times} times)") if times > 1 else fault
            for fault, times in self._tally.values()
        ]
        return sorted([*self._faults, *counted], key=lambda fault: fault.is_warning)

    def _text(self, draft: _Draft, language: str, raw: Any, place: str) -> None:
        code = self.language(language, place)
        text = self.text(raw, place)
        if code is None or text is None:
            return
        spelling, first = self._written.setdefault((code, text), (raw.strip(), place))
        if spelling != raw.strip():
            found = f"{text!r} is written in another Unicode form at {first}"
            self.count(Fault("W121", place, found, "one form (NFC)", "counted as one text"))
        texts = draft.texts.setdefault(code, [])
        if text in texts:
            self.count(Fault("W125", place, "a text said twice of one picture", "", "counted once"))
        else:
            texts.append(text)

    def _path(self, file: Any, place: str) -> tuple[str, Path] | None:
        """The one spelling of a file's name, and where the file is."""
        if file is ABSENT:
            return None
        if isinstance(file, bytes) or (isinstance(file, dict) and file.get("bytes") is not None):
            fix = "save the pictures as files with a metadata table beside them"
            self.count(Fault("E134", place, "picture bytes inside the table", "file names", fix))
            return None
        name = file.get("path") if isinstance(file, dict) else file
        if not isinstance(name, str) or not name.strip() or "\0" in name:
            found = "no file name" if name is None else f"file name {name!r}"
            self.report(Fault("E129", place, found, "the name of a picture file", "complete the row"))
            return None
        if not is_inside(name):
            fix, found = "copy the picture into the folder", f"{cut(name)!r} leaves the folder"
            self.report(Fault("E128", place, found, f"a path inside {self.root}", fix))
            return None
        return self._existing(name, place)

    def _existing(self, name: str, place: str) -> tuple[str, Path] | None:
        """The file, also when an archive changed the Unicode form of its name."""
        one = normal(name)
        for form in dict.fromkeys((name, one, unicodedata.normalize("NFD", one))):
            path = self.root / form
            if is_file(path):
                first = self._seen.setdefault(one, path)
                return one, path if path != first and not path.samefile(first) else first
        self._absent.append((place, name))
        if not self._skip:
            found = f"no file {cut(name)!r}"
            self.report(Fault("E125", place, found, f"a picture in {self.root}", "restore it"))
        return None

    def _id(self, raw: Any, place: str) -> str | None:
        """Ids are opaque: ``0007`` stays; a whole number is written in decimal."""
        text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
        if isinstance(text, str) and _unusable(text) is None:
            return text
        self.report(Fault("E129", place, f"id {raw!r}", "a string or a whole number", "give it an id"))
        return None


def _unusable(text: Any) -> str | None:
    """Why a text cannot be a caption, an id or a name; None when it can."""
    if not isinstance(text, str):
        return f"{text!r} is no text"
    if "\0" in text:
        return f"a NUL character in {text[:40]!r}"
    if not text:
        return "an empty text"
    if all(char.isspace() or unicodedata.category(char) == "Cf" for char in text):
        return f"nothing visible: {text[:40]!r}"
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):  # noqa: PLR2004
        return f"half a surrogate pair in {text[:40]!r}"
    return None


def _oddities(text: str) -> Iterable[str]:
    """What is strange about a usable text."""
    if all(unicodedata.category(char).startswith("M") for char in text.strip()):
        yield "a text of combining marks only"
    if not _BIDI.isdisjoint(text):
        yield "invisible marks of writing direction in a text"
    if "\ufffd" in text:
        yield "U+FFFD in a text: it was decoded wrongly once"
    if any(unicodedata.category(char) == "Cc" and char not in _LINE_CONTROLS for char in text):
        yield "control characters in a text"
    if any(char in "\n\r\x0b\x0c\x85\u2028\u2029" for char in text.strip()):
        yield "a line break inside a text"
