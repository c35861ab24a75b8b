"""Where concepts of pictures come from: a file, the benchmark itself, or a classifier's guesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from crossgauge.annotations import Choice, parse_predicted, predicted_annotations, read_annotations
from crossgauge.benchmark import AnnotatedDataset
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault, UsageError
from crossgauge.media import content_digest
from crossgauge.scenes import Scene
from crossgauge.studies.asked import Asked, Picture
from crossgauge.types import Item

DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class Annotated:
    """Scenes, and how a picture of a run is found among them."""

    name: str  # "objects.json (sha256:…)", "predicted:5 by …": part of every signature
    scenes: Mapping[str, Scene]
    facts: Mapping[str, str]
    predicted: bool = False
    scene_id: Callable[[str], str] | None = None  # of a data set whose items stand for pictures

    def scene(self, picture: Picture) -> Scene | None:
        """The scene of a picture, by its id, or else by its file's name, with or without ending."""
        for name in self._names(picture):
            if name in self.scenes:
                return self.scenes[name]
        return None

    def _names(self, picture: Picture) -> Iterable[str]:
        if self.scene_id is not None:
            yield self.scene_id(picture.id)
        for given in (picture.id, picture.path):
            if given is not None:
                yield from (given, Path(given).name, Path(given).stem)


def annotated(
    spec: str,
    *,
    asked: Iterable[Asked],
    hierarchy: Hierarchy,
    dataset: object = None,
    choice: Choice | None = None,
) -> Annotated:
    """The annotations that ``spec`` names: a path, ``dataset``, or ``predicted:K``.

    ``predicted:K`` looks at the pictures that are asked about, and needs their files. Raises UsageError
    (E299; E257 where the data set has no annotations) and what reading annotations raises.
    """
    number = parse_predicted(spec)
    if number is not None:
        return _predicted(spec, number, asked, hierarchy)
    if spec == DATASET:
        own = dataset.annotations() if isinstance(dataset, AnnotatedDataset) else None
        if own is None or not isinstance(dataset, AnnotatedDataset):
            wanted = "a benchmark with annotations, and its --data"
            fix = "name a file of annotations, or predicted:5"
            raise UsageError(Fault("E257", "--concepts dataset", "this data set has none", wanted, fix))
        return Annotated(DATASET, own.scenes, own.facts, scene_id=dataset.scene_of)
    path = Path(spec)
    read = read_annotations(path, hierarchy=hierarchy, choice=choice)
    name = f"{path.name} (sha256:{content_digest(path)[:12]}; {choice or Choice()})"
    return Annotated(name, read.scenes, read.facts)


def _predicted(spec: str, number: int, asked: Iterable[Asked], hierarchy: Hierarchy) -> Annotated:
    from crossgauge.models._imagenet_classifier import ImageNetClassifier

    pictures = {
        picture.id: Item(picture.id, image=Path(picture.path))
        for one in asked
        for picture in (one.truth, *one.retrieved)
        if picture.path is not None
    }
    classifier = ImageNetClassifier()
    guessed = predicted_annotations(pictures.values(), classifier, k=number, hierarchy=hierarchy)
    return Annotated(f"{spec} by {classifier.name}", guessed.scenes, guessed.facts, predicted=True)
