"""From the files of Visual Genome and COCO to pictures with captions and annotated objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from crossgauge.annotations import Choice, read_annotations
from crossgauge.annotations.coco import file_names
from crossgauge.annotations.decoding import Shape
from crossgauge.annotations.visual_genome import SIZES, ImageData, Listed, named, read_image_data
from crossgauge.benchmarks._files import is_file, is_folder, many, some
from crossgauge.benchmarks.vg_coco.captions import Captions, read_captions
from crossgauge.captions import clean
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.scenes import Annotations

REGIONS = "region_descriptions.json"
FILES = {"objects": "objects.json", "scene-graphs": "scene_graphs.json", "attributes": "attributes.json"}
_PLACES = ("", "annotations", "vg", "coco")
_PICTURES = ("images", "", "VG_100K", "VG_100K_2", "train2017", "val2017", "train2014", "val2014")
LEAST = 2  # captions: one asks, one is found


@dataclass(frozen=True, slots=True)
class CaptionedImage:
    """One picture that both data sets have."""

    id: str  # COCO's
    captions: tuple[str, ...]  # distinct, in the order of their ids
    regions: tuple[str, ...] = ()  # distinct, in the order of their ids
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """What a data folder holds under some options."""

    images: tuple[CaptionedImage, ...]  # by number
    annotations: Annotations | None  # keyed by COCO id
    warnings: tuple[Fault, ...]
    notes: Mapping[str, str]


class _Region(msgspec.Struct, gc=False):
    phrase: str
    region_id: int | None = None
    id: int | None = None


class _Described(msgspec.Struct, gc=False):
    regions: list[_Region]
    id: int | str | None = None
    image_id: int | str | None = None


def read_joined(data: Path, options: Mapping[str, str], wanted: str) -> Joined:
    """Read every file once; raises InputError with the faults of all. ``wanted`` describes the folder."""
    if not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the data set", wanted))
    reading = _Reading(data, options)
    reading.find(wanted)
    return reading.joined()


class _Reading:
    def __init__(self, data: Path, options: Mapping[str, str]) -> None:
        self._data, self._options = data, options
        self._kind = options.get("annotations", "objects")
        self._by_regions = options.get("corpus") == "regions"
        self._faults: list[Fault] = []
        self._left_out: Counter[str] = Counter()
        self._files: dict[str, Path] = {}
        self._captions: list[Path] = []

    def find(self, wanted: str) -> None:
        """Where each file is; raises InputError (E297) naming all that are not there."""
        names = [SIZES, *([FILES[self._kind]] if self._kind in FILES else [])]
        names += [REGIONS] if self._by_regions else []
        folders = [self._data / place for place in _PLACES if is_folder(self._data / place)]
        for name in names:
            there = [folder / name for folder in folders if is_file(folder / name)]
            if there:
                self._files[name] = there[0]
        self._captions = sorted(path for folder in folders for path in folder.glob("captions_*.json"))
        absent = [name for name in names if name not in self._files]
        absent += [] if self._captions else ["captions_*.json"]
        if absent:
            raise InputError(Fault("E297", str(self._data), f"no {name}", "it", wanted) for name in absent)

    def joined(self) -> Joined:
        """The pictures, or InputError with everything that was wrong."""
        genome = self._genome_ids(read_image_data(self._files[SIZES], self._faults))
        captions = self._said(genome)
        regions = self._regions(set(genome.values())) if self._by_regions else {}
        annotations = self._annotated(genome)
        images = tuple(self._images(genome, captions, regions))
        if self._faults:
            raise InputError(dict.fromkeys(self._faults))
        if not images:
            found = (
                f"no picture in both data sets with {LEAST} captions ({self._why() or 'nothing left out'})"
            )
            fix = "are these files of the same pictures?"
            raise InputError(Fault("E297", str(self._data), found, "at least one", fix))
        if annotations is not None:
            annotations = self._by_coco_id(annotations, {genome[one.id]: one.id for one in images})
            files = {one.id: captions.files.get(one.id, "") for one in images}
            names = {name: coco for coco, file in files.items() for name in file_names(file)}
            annotations = replace(annotations, names=names)
        return Joined(images, annotations, tuple(self._warnings(images)), self._notes())

    def _genome_ids(self, lines: Mapping[str, ImageData]) -> dict[str, str]:
        """COCO id → Visual Genome id; of two with the same COCO id the smaller one's."""
        found: dict[str, str] = {}
        for name in sorted(lines, key=_number):
            coco = lines[name].coco_id
            if coco is None:
                self._left_out["pictures of Visual Genome without a coco_id"] += 1
            elif found.setdefault(str(coco), name) != name:
                self._left_out["pictures with the coco_id of another"] += 1
        return found

    def _said(self, genome: Mapping[str, str]) -> Captions:
        try:
            return read_captions(self._captions, genome, self._faults)
        except InputError as error:
            self._faults += error.faults
            return Captions()

    def _annotated(self, genome: Mapping[str, str]) -> Annotations | None:
        if self._kind not in FILES:
            return None
        choice = Choice(
            names="resolve" if self._options.get("names") == "resolve" else "ignore",
            boxes="clip" if self._options.get("boxes") == "clip" else "keep",
            images=frozenset(genome.values()),
        )
        try:
            return read_annotations(self._files[FILES[self._kind]], hierarchy=WordNet(), choice=choice)
        except InputError as error:
            self._faults += error.faults
            return None

    def _regions(self, wanted: set[str]) -> dict[str, tuple[str, ...]]:
        """The region descriptions of pictures by Visual Genome id, equal ones once."""
        found: dict[str, tuple[str, ...]] = {}
        shape = Shape(_Described, {"regions": _Region})
        for element, described in Listed(self._files[REGIONS], shape).records(self._faults):
            name = named(described.id, described.image_id)
            if name is None or name in found:
                said = "no id" if name is None else f"picture {name!r} again"
                self._faults.append(Fault("E293", element.place(), said, "each picture once", "mend it"))
            elif name in wanted:
                found[name] = tuple(_phrases(described.regions))
        return found

    def _images(
        self, genome: Mapping[str, str], captions: Captions, regions: Mapping[str, tuple[str, ...]]
    ) -> Iterable[CaptionedImage]:
        folders = [self._data / place for place in _PICTURES if is_folder(self._data / place)]
        for coco in sorted(genome, key=_number):
            said, described = captions.of(coco), regions.get(genome[coco], ())
            if len(said) < (1 if self._by_regions else LEAST):
                self._left_out[
                    "pictures with too few captions" if said else "pictures without a caption"
                ] += 1
            elif self._by_regions and not described:
                self._left_out["pictures without a region description"] += 1
            else:
                names = (f"{genome[coco]}.jpg", captions.files.get(coco, ""))
                yield CaptionedImage(coco, said, described, _picture(folders, names))
        self._left_out += captions.left_out

    def _by_coco_id(self, annotations: Annotations, coco: Mapping[str, str]) -> Annotations:
        """The scenes of the pictures kept, under their COCO ids."""
        scenes = {
            coco[name]: replace(scene, image=coco[name])
            for name, scene in annotations.scenes.items()
            if name in coco
        }
        if len(scenes) < len(coco):
            self._left_out["pictures without a line of objects"] = len(coco) - len(scenes)
        return replace(annotations, scenes=scenes)

    def _warnings(self, images: Sequence[CaptionedImage]) -> Iterable[Fault]:
        if why := self._why():
            yield Fault("W298", str(self._data), why, "", "compare numbers only with those of as many")
        absent = [one.id for one in images if one.picture is None]
        if absent and len(absent) < len(images):
            found = f"{many(len(absent), 'picture')} of {len(images)} have no file: {some(absent)}"
            yield Fault("W298", str(self._data), found, "all or none", "they cannot be looked at")

    def _why(self) -> str:
        return ", ".join(f"{what}: {count}" for what, count in sorted(self._left_out.items()) if count)

    def _notes(self) -> dict[str, str]:
        files = ", ".join(sorted(path.name for path in (*self._files.values(), *self._captions)))
        return {"files": files}


def _phrases(regions: Sequence[_Region]) -> dict[str, None]:
    """What regions say, blank ones left out, in the order of their ids."""
    ordered = sorted(regions, key=lambda one: one.region_id or one.id or 0)
    said = (clean(one.phrase) for one in ordered)
    return dict.fromkeys(text for text in said if text)


def _picture(folders: Sequence[Path], names: Sequence[str]) -> Path | None:
    """The first file of one of these names; a name that leaves its folder is none."""
    safe = [name for name in names if name and Path(name).name == name]
    return next((folder / name for name in safe for folder in folders if is_file(folder / name)), None)


def _number(name: str) -> tuple[int, str]:
    """Numbers in their order, other ids behind them in that of the alphabet."""
    return (len(name), name) if name.isdigit() else (1 << 30, name)
