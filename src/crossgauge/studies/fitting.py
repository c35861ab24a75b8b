"""Whether a source of concepts fits what is about to be ranked: asked before anything is encoded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crossgauge.annotations import parse_predicted, read_annotations
from crossgauge.benchmark import AnnotatedDataset
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import InputError
from crossgauge.plan import Plan
from crossgauge.studies.asked import Picture
from crossgauge.studies.pictures import Pictures, pictures_of
from crossgauge.studies.sources import DATASET, Annotated
from crossgauge.studies.unfit import no_annotations, nothing_annotated

_MOST = 100_000  # candidates that are looked at: one that has concepts is enough


def check_fit(spec: str, plan: Plan, *, hierarchy: Hierarchy) -> None:
    """Raise what studying the ranked cells of a plan with this source would raise whatever is retrieved.

    UsageError: E299; E257 where the data have no annotations. InputError: what reading a file of annotations
    raises; E258 where nothing that any cell retrieves has concepts. Cells whose data cannot be read say so
    themselves.
    """
    number = parse_predicted(spec)
    pictures = pictures_of(plan.dataset)
    if number is None and spec == DATASET:
        dataset = plan.dataset
        if not isinstance(dataset, AnnotatedDataset) or dataset.annotations() is None:
            raise no_annotations()
        return
    candidates = list(_candidates(plan))
    if number is not None:
        known = any(item is None or pictures.file(item) is not None for item in candidates)
    else:
        known = _annotated(Path(spec), candidates, pictures, hierarchy)
    if not known:
        raise nothing_annotated(Path(spec).name, predicted=number is not None)


def _annotated(
    path: Path, candidates: list[Picture | None], pictures: Pictures, hierarchy: Hierarchy
) -> bool:
    """Whether the file has a scene of any candidate; raises InputError with all its faults."""
    read = read_annotations(path, hierarchy=hierarchy)
    by_name = Annotated(path.name, read.scenes, {}, pictures=pictures)
    known = [item for item in candidates if item is not None]
    return len(known) < len(candidates) or bool(read.called(by_name.names(known)))


def _candidates(plan: Plan) -> Iterator[Picture | None]:
    """What the cells of a plan may retrieve; None for a cell that cannot be read, or not wholly looked at."""
    for cell in plan.cells:
        if cell.task.kind != "ranking":
            continue
        try:
            corpus = plan.dataset.split(cell.task.name, cell.language, cell.prompt).corpus
        except InputError:
            yield None
            continue
        for item in corpus[:_MOST]:
            file = None if item.image is None else str(item.image)
            yield Picture(item.id, file, is_text=file is None and item.text is not None)
        if len(corpus) > _MOST:
            yield None
