"""MMMEB's files by their names: ``{dataset}_{language}_{card}_formatted_{task}.jsonl``.

The card says how many queries were drawn, not how many candidates a row has. A file that is not there is no
fault: the files present are the benchmark, and what is missing is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crossgauge.benchmarks._files import entries, is_folder
from crossgauge.benchmarks.mmmeb.prompts import LANGUAGES, QUERIES
from crossgauge.errors import Fault

PLACES = ("", "eval_data", "datasets")  # where in the folder files may lie

NAME = re.compile(
    r"(?P<dataset>.+)_(?P<language>[a-z]{2})_(?P<card>\d+)_formatted_(?P<kind>[a-z0-9]+)\.jsonl"
)
TASKS = {
    ("i2t", "xm"): "i2t-xm",
    ("i2t", "xtd"): "i2t-xtd",
    ("t2i", "xm"): "t2i-xm",
    ("t2i", "xtd"): "t2i-xtd",
    ("c", "imagenet-1k-val"): "c",
    ("vqa", "maxm_v1"): "vqa",
    ("vg", "flickr30k_entities"): "vg",
}  # (kind, data set) → task of the benchmark
EXPECTED = frozenset(
    (task, language)
    for (kind, _), task in TASKS.items()
    for language in (("en", "fr") if kind in ("vqa", "vg") else LANGUAGES)
)  # MaXM has no German, Italian or Spanish, and grounding no prompts in them


@dataclass(frozen=True, slots=True)
class Named:
    """A file of the benchmark, by its name."""

    path: Path
    dataset: str
    kind: str
    language: str

    @property
    def task(self) -> str:
        """The task of the benchmark that it holds."""
        return TASKS[self.kind, self.dataset]


def found(root: Path) -> tuple[list[Named], list[Fault]]:
    """The files of the benchmark in the first of the places that has any, and what is odd about them."""
    for place in PLACES:
        folder = root / place
        if is_folder(folder):
            files = [
                path for path in entries(folder) if "_formatted_" in path.name and path.suffix == ".jsonl"
            ]
            if files:
                return _known(files)
    wanted = "xm_en_1000_formatted_i2t.jsonl and its like, in DIR, DIR/eval_data or DIR/datasets"
    return [], [Fault("E351", str(root), "no file of the benchmark", wanted, "check --data")]


def _known(files: Sequence[Path]) -> tuple[list[Named], list[Fault]]:
    known: dict[tuple[str, str], Named] = {}
    faults = []
    for path in files:
        match = NAME.fullmatch(path.name)
        if (
            match is None
            or (match["kind"], match["dataset"]) not in TASKS
            or match["language"] not in LANGUAGES
        ):
            pairs = ", ".join(f"{kind} of {dataset}" for kind, dataset in TASKS)
            faults.append(Fault("W351", path.name, "no file of the benchmark by its name",
                                f"{pairs}; in {', '.join(LANGUAGES)}", "not read"))  # fmt: skip
            continue
        named = Named(path, match["dataset"], match["kind"], match["language"])
        if named.language not in QUERIES[named.kind]:
            fix = "left out: the published scripts stop at such a file"
            asked = f"no {named.kind} prompt in {named.language}"
            faults.append(Fault("W352", path.name, asked, "en or fr", fix))
            continue
        first = known.setdefault((named.task, named.language), named)
        if first is not named:
            said = f"{named.task} in {named.language} again, after {first.path.name}"
            faults.append(Fault("E352", path.name, said, "one file a task and language", "remove one"))
    missing = sorted(f"{task}.{language}" for task, language in EXPECTED - known.keys())
    if missing:
        said = f"{len(missing)} of {len(EXPECTED)} expected files are not there: {', '.join(missing)}"
        faults.append(Fault("W353", str(files[0].parent), said, "", "only the files present are measured"))
    return list(known.values()), faults
