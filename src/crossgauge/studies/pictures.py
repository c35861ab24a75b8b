"""Which picture an item stands for, and where the file of a picture is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from crossgauge.benchmark import AnnotatedDataset, Dataset
from crossgauge.errors import SHOWN, Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.media import SUFFIXES, probe
from crossgauge.studies.asked import Asked, Picture

ENDINGS = frozenset().union(*SUFFIXES.values())


@dataclass(frozen=True, slots=True)
class Pictures:
    """How items of a ranking lead to pictures and their files.

    >>> Pictures(lambda item: item.partition("#")[0]).of(Picture("7#2"))
    '7'
    """

    scene_of: Callable[[str], str] | None = None  # of a data set whose items stand for pictures
    files: Mapping[str, str] = field(default_factory=dict)  # by id of the picture

    def of(self, item: Picture) -> str:
        """The id of the picture that an item is, or stands for."""
        return item.id if self.scene_of is None else self.scene_of(item.id)

    def file(self, item: Picture) -> str | None:
        """The file of that picture, where one is known."""
        return self.files.get(self.of(item), item.path)

    def first(self, asked: Asked, top: int) -> Asked:
        """The query with its ``top`` first pictures: of several items of one picture the first counts."""
        found: dict[str, Picture] = {}
        for item in asked.retrieved:
            found.setdefault(self.of(item), item)
        sharing = {self.of(item) for item in asked.retrieved[: asked.sharing]}
        return replace(asked, retrieved=tuple(found.values())[:top], tied=len(sharing) > 1)


def pictures_of(dataset: Dataset | None) -> Pictures:
    """The pictures of a run, with what its data set knows of them, where it is at hand."""
    if dataset is None:
        return Pictures()
    files = {item.id: str(item.image) for item in dataset.media() if item.image is not None}
    return Pictures(dataset.scene_of if isinstance(dataset, AnnotatedDataset) else None, files)


def pictures_beside(
    table: Path, asked: Iterable[Asked], images: Path | None
) -> tuple[Pictures, tuple[Fault, ...]]:
    """The pictures of a table of pairs: ids that are files beside it, or in ``images`` without ending too.

    What is none of these has no file, which is a finding (W256) where ``images`` is given. Ids never lead out
    of their folder. Raises InputError: E131 where ``images`` is no folder, E259 where an id without ending
    is the name of several pictures.
    """
    if images is not None and not images.is_dir():
        fix = "name the folder that the pictures lie in"
        raise InputError(Fault("E131", f"--images {images}", no_folder(images), "a folder of pictures", fix))
    ids = dict.fromkeys(item.id for one in asked for item in (*one.relevant, *one.retrieved))
    files, lost, faults = {}, [], []
    by_stem = cache(_by_stem)
    for name in ids:
        found = [path for path in _candidates(name, table.parent, images, by_stem) if _is_picture(path)]
        if not found:
            lost.append(name)
        elif len(found) > 1:
            named = ", ".join(path.name for path in found)
            faults.append(Fault("E259", str(images), f"{name!r:.60} may be {named}", "one picture an id",
                                "give the ending in the table"))  # fmt: skip
        else:
            files[name] = str(found[0])
    if faults:
        raise InputError(faults)
    told = () if images is None or not lost else (_lost(lost, len(ids), images),)
    return Pictures(files=files), told


def _lost(lost: list[str], of: int, images: Path) -> Fault:
    named = ", ".join(lost[:SHOWN]) + (" …" if len(lost) > SHOWN else "")
    return Fault(
        "W256", str(images), f"no file of {len(lost)} of {of} pictures: {named}", "", "drawn as frames"
    )


def _candidates(
    name: str, beside: Path, images: Path | None, by_stem: Callable[[Path], Mapping[str, list[Path]]]
) -> list[Path]:
    """Where the file of an id may be: in ``images`` (alone, if it is there), else beside the table."""
    relative = Path(name)
    if "\0" in name or relative.is_absolute() or ".." in relative.parts or not relative.name:
        return []
    if images is not None:
        exact = images / relative
        inside = [exact] if _is_file(exact) else by_stem(exact.parent).get(relative.name, [])
        if inside:
            return inside
    return [beside / relative]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False  # no name that a file can have


def _is_picture(path: Path) -> bool:
    """By its ending; without one that is known, by its content."""
    if not _is_file(path):
        return False
    if path.suffix.lower() in ENDINGS:
        return True
    fault = probe(path)
    return fault is None or fault.is_warning


def _by_stem(folder: Path) -> Mapping[str, list[Path]]:
    """Files of a folder with the ending of a picture, by their name without it, sorted."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix.lower() in ENDINGS:
            found.setdefault(path.stem, []).append(path)
    return found
