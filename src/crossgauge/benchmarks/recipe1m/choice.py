"""Ten-way choice: the own item among nine others, as people were asked; not comparable with retrieval."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crossgauge.benchmarks._files import is_file
from crossgauge.errors import Fault, InputError
from crossgauge.tables import read_table
from crossgauge.types import Ints

WAYS = 10
LABELS = {"same-course": "courses.csv", "same-dish": "dishes.csv"}  # our files: the release has none


@dataclass(frozen=True, slots=True)
class Choices:
    """Who is asked, and among which rows each chooses."""

    asked: Ints  # (Q,) rows
    among: tuple[Ints, ...]  # (Q,) rows, ascending, the own one in it


def choices(ids: Sequence[str], labels: Mapping[str, str] | None) -> Choices:
    """Nine others for each id, drawn by a seed made of it; with ``labels`` only from those of its label.

    An id without nine such others is not asked.

    >>> choices([f"r{n}" for n in range(10)], None).among[3].tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    pools: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(ids):
        if labels is None or name in labels:
            pools["" if labels is None else labels[name]].append(row)
    drawn: dict[int, Ints] = {}
    for pool in pools.values():
        for at, row in enumerate(pool if len(pool) >= WAYS else ()):
            stream = random.Random(f"choice:{ids[row]}")  # noqa: S311  (no secret)
            others = stream.sample(range(len(pool) - 1), WAYS - 1)
            chosen = [row, *(pool[other + (other >= at)] for other in others)]
            drawn[row] = np.array(sorted(chosen), dtype=np.int64)
    asked = sorted(drawn)
    return Choices(np.array(asked, dtype=np.int64), tuple(drawn[row] for row in asked))


def read_labels(data: Path, distractors: str) -> dict[str, str] | None:
    """The course or dish of each recipe from ``courses.csv`` or ``dishes.csv``; None for random distractors.

    Raises InputError: E339 where the file is not there, lacks a column, or has an id of two labels.
    """
    if distractors not in LABELS:
        return None
    path, wanted = data / LABELS[distractors], "columns id and label"
    if not is_file(path):
        fix = "write it: the release has no such labels"
        raise InputError(Fault("E339", str(path), "no such file", wanted, fix))
    table = read_table(path)
    faults = [*table.faults, *table.lacks(("id",), ("label",))]
    found: dict[str, str] = {}
    for row in table.rows:
        name, label = str(row.values.get("id") or ""), str(row.values.get("label") or "")
        if not name or not label or found.setdefault(name, label) != label:
            faults.append(Fault("E339", row.place, f"id {name!r}, label {label!r}", "one label an id"))
    if any(not fault.is_warning for fault in faults):
        raise InputError(faults)
    return found
