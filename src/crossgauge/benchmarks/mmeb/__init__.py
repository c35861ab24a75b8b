"""MMEB, first version: 36 data sets of image-text embedding in four meta-tasks (VLM2Vec, Jiang et al.)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks._files import is_folder
from crossgauge.benchmarks.mmeb.reading import (
    META_TASKS,
    UNKNOWN,
    MetaTasks,
    Reading,
    absences,
    read,
    sources,
)
from crossgauge.benchmarks.mmmeb.lists import refuse
from crossgauge.benchmarks.mmmeb.official import ARGMAX
from crossgauge.benchmarks.mmmeb.sample import mmeb
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.result import Aggregate, CellResult

MEASURE = "p@1"
HELP = """\
The authors publish the data at huggingface.co/datasets/TIGER-Lab/MMEB-eval. DIR holds one table a data set:
NAME.jsonl, NAME.parquet or NAME/test*.parquet, with qry_text, qry_img_path and the lists tgt_text and
tgt_img_path, whose first element is the right one. Put it in a folder named classification, vqa, retrieval or
grounding to say which meta-task it belongs to; elsewhere it counts as unknown. Pictures are found from DIR,
from DIR/images, or from the folder that --set images=FOLDER names."""


def open_mmeb(data: Path | None, options: Mapping[str, str]) -> MetaTasks:
    """Read every table; raises InputError with all faults of all of them, each missing picture once."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the MMEB data", HELP))
    reading = Reading(data, options.get("images", ""))
    found = sources(data)
    if not found:
        wanted = "NAME.jsonl, NAME.parquet or NAME/test*.parquet"
        reading.faults.append(Fault("E351", str(data), "no table of a data set", wanted, "check --data"))
    places: dict[str, Path] = {}
    for source in found:
        first = places.setdefault(source.dataset, source.path)
        if first != source.path and not (
            first.parent == source.path.parent and first.stem.startswith("test")
        ):
            said = f"data set {source.dataset} again, after {first.relative_to(data)}"
            place = str(source.path.relative_to(data))
            reading.faults.append(Fault("E352", place, said, "one table a data set", "remove one"))
            continue
        read(reading, source)
    reading.faults += absences(reading)
    listings = reading.listings()
    if found and not listings and not reading.faults:
        reading.faults.append(Fault("E353", str(data), "no row in any table", "at least one", "check them"))
    refuse(reading.faults, reading.pictures)
    return MetaTasks(listings, reading.pictures, reading.rows, tuple(reading.faults))


def averages(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """The mean of data sets within each meta-task that is there, and over all data sets of all of them.

    Without one of the four there is no overall mean, unless no data set says which it belongs to: a model
    that answers no questions is not compared with one that does.
    """
    said = [cell.task for cell in cells if cell.task != UNKNOWN]
    lacking = [task for task in META_TASKS if said and task not in said]
    within = [_mean(f"{cell.task} (mean of data sets)", [cell]) for cell in cells]
    return (*within, _mean("overall (mean of data sets)", cells, lacking))


def _mean(name: str, cells: Sequence[CellResult], lacking: Sequence[str] = ()) -> Aggregate:
    values = {f"{cell.key} {one.group}": one.values.get(MEASURE) for cell in cells for one in cell.groups}
    known = [value for value in values.values() if value is not None]
    missing = (*lacking, *(key for key, value in values.items() if value is None))
    counts = ", ".join(f"{cell.task} {len(cell.groups)}" for cell in cells)
    return Aggregate(
        name=name,
        measure=MEASURE,
        value=fmean(known) if known and not missing else None,
        rule=f"mean over data sets, each the mean of its queries: {counts}",
        cells=tuple(cell.key for cell in cells),
        missing=missing,
    )


_MEASURES = (MEASURE, "hit@5", "hit@10", "mrr")

BENCHMARK = Benchmark(
    name="mmeb",
    title="MMEB (version 1)",
    version="1",
    description="Classification, visual questions, retrieval and grounding with instructions: every query, "
    "a text, a picture or both, ranks the candidates of its own row. Prompts are part of the data. A cell "
    "holds the data sets of one meta-task, broken down by data set; means over data sets stand beside it.",
    citation="Jiang et al. (2025). VLM2Vec: Training Vision-Language Models for Massive Multimodal Embedding "
    "Tasks. arXiv:2410.05160.",
    licence="those of its data sets",
    tasks=(
        Task("classification", "image+text", "text", _MEASURES, prompted=False, label="image→class"),
        Task("vqa", "image+text", "text", _MEASURES, prompted=False, label="image+question→answer",
             needs_joint=True),
        Task("retrieval", "image+text", "image+text", _MEASURES, prompted=False, label="query→target"),
        Task("grounding", "image+text", "image+text", _MEASURES, prompted=False, label="image+phrase→region",
             needs_joint=True),
        Task(UNKNOWN, "image+text", "image+text", _MEASURES, prompted=False, label="query→target"),
    ),
    open=open_mmeb,
    sample=mmeb,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("images", (), "the folder of the pictures, in DIR; default: DIR itself, or images in it"),
    ),
    profiles=(ARGMAX,),
    aggregate=averages,
)  # fmt: skip
