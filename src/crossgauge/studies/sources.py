"""Where concepts of pictures come from: a file, the benchmark itself, or a classifier's guesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from crossgauge.annotations import Choice, parse_predicted, predicted_annotations, read_annotations
from crossgauge.benchmark import AnnotatedDataset, Dataset
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.named import findings_of
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.scenes import Scene
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.pictures import ENDINGS, Pictures
from crossgauge.studies.queries import Queries
from crossgauge.studies.unfit import no_annotations
from crossgauge.types import Item

DATASET = "dataset"
_FEW = 3  # pictures that a fault names


@dataclass(frozen=True, slots=True)
class Annotated:
    """Scenes, and how a picture of a run is found among them."""

    name: str  # "objects.json (sha256:…)", "predicted:5 by …": part of every signature
    scenes: Mapping[str, Scene]
    facts: Mapping[str, str]
    findings: tuple[Fault, ...] = ()  # what was odd in the annotations
    predicted: bool = False
    pictures: Pictures = field(default_factory=Pictures)

    def scene(self, item: Picture) -> Scene | None:
        """The scene of a picture, by its id, or else by its file's name, with or without ending."""
        name = self._name(item)
        return None if name is None else self.scenes[name]

    def check(self, pictures: Iterable[Picture]) -> None:
        """Raise InputError (E259) for every scene that several pictures are found at by their names."""
        items = {item.id: item for item in pictures}
        met: dict[str, dict[str, str]] = {}
        for item in items.values():
            name = self._name(item)
            if name is not None:
                own = self.pictures.of(item)
                file = item.path if self.pictures.scene_of is None else None
                met.setdefault(self.scenes[name].image, {}).setdefault(file or own, own)
        several = [(name, list(owners.values())) for name, owners in met.items() if len(owners) > 1]
        faults = [
            Fault("E259", self.name, f"scene {name!r:.60} is found by {_some(owners)}",
                  "a scene a picture", "name scenes by the ids of the pictures")
            for name, owners in several
        ]  # fmt: skip
        if faults:
            raise InputError(faults)

    def names(self, pictures: Iterable[Picture]) -> list[str]:
        """All that these pictures may be called, each once, sorted."""
        items = {item.id: item for item in pictures}
        return sorted({name for item in items.values() for name in self._names(item)})

    def _name(self, item: Picture) -> str | None:
        return next((name for name in self._names(item) if name in self.scenes), None)

    def _names(self, item: Picture) -> Iterator[str]:
        own = self.pictures.of(item)
        yield own
        if self.predicted:
            return
        file = self.pictures.file(item)
        by_name = item.is_text and self.pictures.scene_of is None
        for given in (file,) if by_name else (own, file):
            if given is not None:
                path = Path(given)
                yield from (given, path.name)
                if path.suffix.lower() in ENDINGS:
                    yield path.stem


def _some(ids: list[str]) -> str:
    more = len(ids) - _FEW
    return ", ".join(f"{one!r:.60}" for one in ids[:_FEW]) + (f" and {more} more" if more > 0 else "")


def annotated(
    spec: str,
    *,
    asked: Sequence[Queries],
    hierarchy: Hierarchy,
    pictures: Pictures | None = None,
    dataset: Dataset | None = None,
    choice: Choice | None = None,
) -> Annotated:
    """The annotations that ``spec`` names: a path, ``dataset``, or ``predicted:K``.

    ``predicted:K`` looks at the pictures that are asked about, and needs their files. What is odd in the
    hierarchy is a finding too. Raises UsageError
    (E299; E257 where the data set has no annotations; E309 for a ``choice`` of how a file is read, without a
    file) and what reading annotations raises.
    """
    found = _source(spec, asked, hierarchy, pictures or Pictures(), dataset=dataset, choice=choice)
    return replace(found, findings=(*findings_of(hierarchy), *found.findings))


def _source(
    spec: str,
    asked: Sequence[Queries],
    hierarchy: Hierarchy,
    found: Pictures,
    *,
    dataset: Dataset | None,
    choice: Choice | None,
) -> Annotated:
    number = parse_predicted(spec)
    if choice is not None and (number is not None or spec == DATASET):
        fix = "leave names, unknown and boxes out" + (
            "; the run's own --set names and boxes hold" if spec == DATASET else ""
        )
        raise UsageError(Fault("E309", f"--truth {spec}", f"a choice of reading ({choice})",
                               "a file of annotations", fix))  # fmt: skip
    if number is not None:
        return _predicted(spec, number, chain.from_iterable(asked), hierarchy, found)
    if spec == DATASET:
        own = dataset.annotations() if isinstance(dataset, AnnotatedDataset) else None
        if own is None:
            raise no_annotations()
        return Annotated(DATASET, own.scenes, own.facts, own.findings, pictures=found)
    path = Path(spec)
    read = read_annotations(path, hierarchy=hierarchy, choice=choice)
    name = f"{path.name} (sha256:{content_digest(path)[:12]}; {choice or Choice()})"
    by_id = Annotated(name, read.scenes, read.facts, read.findings, pictures=found)
    called = read.called(by_id.names(item for cell in asked for item in cell.pictures))
    return replace(by_id, scenes={one: read.scenes[scene] for one, scene in called.items()})


def _predicted(
    spec: str, number: int, asked: Iterable[Asked], hierarchy: Hierarchy, pictures: Pictures
) -> Annotated:
    from crossgauge.models._imagenet_classifier import ImageNetClassifier

    items = dict.fromkeys(item for one in asked for item in (one.truth, *one.retrieved))
    files = {pictures.of(item): pictures.file(item) for item in items}
    seen = [Item(name, image=Path(file)) for name, file in files.items() if file is not None]
    classifier = ImageNetClassifier()
    guessed = predicted_annotations(seen, classifier, k=number, hierarchy=hierarchy)
    name = f"{spec} by {classifier.name}"
    return Annotated(name, guessed.scenes, guessed.facts, guessed.findings, predicted=True, pictures=pictures)
