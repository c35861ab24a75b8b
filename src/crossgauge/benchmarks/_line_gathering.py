"""From rows of an annotation file to caption lines; every fault on the way is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._files import is_file, is_inside, some
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.benchmarks._lines import CaptionLines, Line
from crossgauge.captions import unused
from crossgauge.errors import Fault
from crossgauge.types import Item


class LineGathering:
    """Pictures first, then their captions; ids are the pictures' file names.

    ``folders`` are the places, relative to ``root``, in which a picture is looked for. ``missing="skip"``
    leaves out pictures that are not there, with a warning that counts and names them, and their captions.
    """

    def __init__(self, root: Path, folders: Sequence[str], *, missing: str = "error") -> None:
        self.told = Gathering(root, missing=missing)
        self._folders = folders
        self._places: dict[str, str] = {}  # picture id → where it was named, in the order of the file
        self._texts: dict[str, dict[str, list[str]]] = {}  # language → picture id → captions

    def picture(self, place: str, file: Any, *, inside: str = "") -> str | None:
        """Take a picture by its file name, ``inside`` a folder that the annotations name; returns its id."""
        name = file if isinstance(file, str) else None
        if name is not None and name in self._places:
            found = f"{name!r} is already at {self._places[name]}"
            self.told.report(Fault("E126", place, found, "each picture once", "drop one of the two"))
            return None
        shown = file if name is None else located(self.told.root, self._folders, name, inside=inside)
        self.told.add(place, file=shown, name=name, label=name)
        if name is not None:
            self._places[name] = place
        return name

    def caption(self, place: str, picture: str, language: str, text: Any) -> None:
        """Take a caption of a picture, in a canonical language."""
        said = self.told.text(text, place)
        if said is not None:
            self._texts.setdefault(language, {}).setdefault(picture, []).append(said)

    def dataset(self, *, fold: int | None = None, notes: Mapping[str, str] | None = None) -> CaptionLines:
        """All that was taken; raises InputError with every fault when there was an error."""
        silent = [name for name in self._places if all(name not in of for of in self._texts.values())]
        if silent and not self.told.failed:
            self.told.report(_silent(silent, self._places, every=len(silent) == len(self._places)))
        paths = {picture.id: picture.path for picture in self.told.pictures()}
        taken = set(paths)
        return CaptionLines(
            pictures=tuple(Item(name, image=paths[name]) for name in self._places if name in paths),
            lines={
                language: tuple(self._named(language, texts, paths.keys(), taken))
                for language, texts in sorted(self._texts.items())
            },
            fold=fold,
            warnings=self.told.warnings,
            notes=notes or {},
        )

    def _named(
        self, language: str, texts: Mapping[str, Sequence[str]], there: Iterable[str], taken: set[str]
    ) -> Iterable[Line]:
        """The lines in the order of the pictures, called ``en:a.jpg``, ``en:a.jpg#2`` and so on."""
        present = set(there)
        for picture in self._places:
            if picture in present:
                for text in texts.get(picture, ()):
                    yield Line(unused(f"{language}:{picture}", taken), text, picture)


def located(root: Path, folders: Iterable[str], name: str, *, inside: str = "") -> str:
    """The path, relative to the root, at which a picture is; the first place looked at where it is not.

    A name that leaves the root comes back as it is, to be refused.

    >>> located(Path("."), ["images", ""], "../a.jpg"), located(Path("."), ["images", ""], "a.jpg")
    ('../a.jpg', 'images/a.jpg')
    """
    asked = f"{inside}/{name}" if inside else name
    if not is_inside(asked) or "\0" in asked:
        return asked
    forms = dict.fromkeys((asked, name))
    places = [f"{folder}/{form}" if folder else form for form in forms for folder in folders]
    return next((place for place in places if is_file(root / place)), places[0])


def cut_captions(captions: Sequence[Any], policy: str) -> Sequence[Any]:
    """The captions that an option ``captions`` leaves: all, first-five, first."""
    return captions[: {"first-five": 5, "first": 1}.get(policy, len(captions))]


def fewer_than_five(counts: Mapping[str, int], place: str) -> tuple[Fault, ...]:
    """A warning (W374) where first-five was asked for and pictures have fewer."""
    few = [name for name, count in counts.items() if count < 5]  # noqa: PLR2004  (first-five)
    if not few:
        return ()
    spread = Counter(counts[name] for name in few)
    found = f"{len(few)} pictures have fewer than five captions ({dict(sorted(spread.items()))}): {some(few)}"
    return (Fault("W374", place, found, "five a picture", "all of theirs are taken"),)


def _silent(silent: Sequence[str], places: Mapping[str, str], *, every: bool) -> Fault:
    found = f"{len(silent)} of {len(places)} pictures have no caption: {some(silent)}"
    if every:
        return Fault("E124", places[silent[0]], found, "captions", "complete the file")
    return Fault("W136", places[silent[0]], found, "a caption", "they are in no task")
