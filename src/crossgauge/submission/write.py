"""A submission folder from a run folder of GEM: one file a task and language, as GEM names them.

A run keeps the ten best items of each query, so that is what is written: enough for R@1, R@5, R@10 and their
mean, not for the median rank, nor for GEM's own script, which needs every pair.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgauge.benchmarks.gem.tasks import TASKS, code_of
from crossgauge.disk import refuse_occupied, write_folder
from crossgauge.errors import Fault, InputError
from crossgauge.report.queries import read_rows
from crossgauge.report.source import Source, read_source
from crossgauge.result import CellResult
from crossgauge.submission.dialect import TAB, csv_fields
from crossgauge.submission.layout import ENDING
from crossgauge.submission.problems import listed

_NAME = re.compile(r"[IV]:[^:]+:[a-z]+:(.*)", re.DOTALL)  # part, language, kind, id in the data
_AGAIN = re.compile(r"(.*)#\d+", re.DOTALL)  # an item id that stands in several rows
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]+")
_RANKED = ("query_id", "top_id", "top_score", "higher", "equal", "candidates", "relevant")


@dataclass(slots=True)
class Written:
    """What was written, and what about it is not as in the run."""

    folder: Path
    files: list[str] = field(default_factory=list)  # QI/en.prediction
    findings: list[Fault] = field(default_factory=list)  # W491, W492, W494


def write_submission(run: Path, out: Path, *, prompt: str | None = None) -> Written:
    """Write a submission folder from a run of GEM.

    Scores are written so that reading them gives the same numbers. Where a right answer ties with others
    across the last place kept, its expectation cannot be had from the list; W492 says which queries.

    Arguments:
        run: a run folder of the benchmark ``gem``.
        out: a new or empty folder.
        prompt: which prompt format's rankings to write; None: the only one of the run. Captions have none.

    Raises InputError: E492 (no run of GEM, no rankings in it, several prompts or another one), E493 (ids that
    no line can hold), E306 (``out`` holds files), and what reading a run raises.
    """
    source = read_source(run)
    cells = _cells(source, prompt)
    refuse_occupied(out)
    written = Written(out)
    faults: list[Fault] = []
    texts: dict[str, str] = {}
    for cell in cells:
        name = f"{cell.task}/{code_of(cell.language)}{ENDING}"
        path = source.per_query(cell)
        if path is None:
            faults.append(Fault("E492", f"{run}: {cell.key}", "no per_query.parquet", "a whole run folder",
                                "run it again, or copy the folder with its cells/"))  # fmt: skip
        elif cell.kind == "captioning":
            texts[name] = _captions(path, name, written, faults)
        else:
            texts[name] = _pairs(path, name, written, faults)
    if faults:
        raise InputError(faults)
    write_folder(out, {name: text.encode() for name, text in texts.items()})
    written.files += texts
    return written


def _cells(source: Source, prompt: str | None) -> list[CellResult]:
    result = source.result
    if result.benchmark != "gem" or source.folder is None:
        found = f"a run of {result.benchmark}" if source.folder is not None else "a document without rankings"
        fix = "give the folder that `crossgauge run gem --out` wrote"
        raise InputError(Fault("E492", source.name, found, "a run folder of gem", fix))
    known = {task.name for task in TASKS}
    cells = [cell for cell in result.cells if cell.task in known]
    have = list(dict.fromkeys(cell.prompt for cell in cells if cell.kind == "ranking"))
    chosen = have[0] if prompt is None and len(have) == 1 else prompt
    if have and chosen not in have:
        found = (
            f"rankings with {len(have)} prompts" if prompt is None else f"no cell with the prompt {prompt!r}"
        )
        fix = f"--prompt {'plain' if 'plain' in have else have[0]}"
        raise InputError(Fault("E492", source.name, found, f"one of: {', '.join(have)}", fix))
    cells = [cell for cell in cells if cell.kind == "captioning" or cell.prompt == chosen]
    if not cells:
        fix = "nothing was measured in it: run it again"
        raise InputError(Fault("E492", source.name, "no cell of a task of GEM", "at least one", fix))
    return cells


def _pairs(path: Path, name: str, written: Written, faults: list[Fault]) -> str:
    """The lines of one ranking cell."""
    rows = read_rows(path, _RANKED)
    everything = {one for row in rows for one in row["relevant"]} | {
        one for row in rows for one in row["top_id"]
    }
    lines: list[str] = []
    cut: list[str] = []
    short = 0
    for row in rows:
        query = _bare(row["query_id"])
        best: dict[str, float] = {}
        for item, score in zip(row["top_id"], row["top_score"], strict=True):
            best.setdefault(_item(item, everything), score)
        lines += [f"{query}{TAB}{item}{TAB}{score!r}" for item, score in best.items()]
        faults += _unwritable(name, [query, *best])
        kept = len(row["top_id"])
        short = max(short, kept if kept < row["candidates"] else 0)
        if kept < row["candidates"] and _cut(row, kept):
            cut.append(query)
    if short:
        found = f"{name}: the {short} best items of each query, as the run keeps them"
        fix = "R@1, R@5 and R@10 are those of the run; the median rank is not, nor can GEM's script read it"
        written.findings.append(Fault("W491", str(written.folder), found, "every pair", fix))
    if cut:
        found = f"{name}: {len(cut):,} queries whose right answer ties across place {short}: {listed(cut)}"
        fix = "their recall differs from the run's"
        written.findings.append(Fault("W492", str(written.folder), found, "no such ties", fix))
    return "".join(line + "\n" for line in lines)


def _cut(row: Mapping[str, Any], kept: int) -> bool:
    """Whether the items tied with a right answer stand on both sides of the last place kept."""
    return any(
        higher < kept < higher + equal + 1 for higher, equal in zip(row["higher"], row["equal"], strict=True)
    )


def _captions(path: Path, name: str, written: Written, faults: list[Fault]) -> str:
    """The lines of one captioning cell; an item without a caption has none, one that stands twice has one."""
    rows = read_rows(path, ("query_id", "hypothesis"))
    everything = {row["query_id"] for row in rows}
    said: dict[str, str] = {}
    broken = 0
    for row in rows:
        if row["hypothesis"] is not None:
            text = _BREAKS.sub(" ", row["hypothesis"])
            broken += text != row["hypothesis"]
            said.setdefault(_item(row["query_id"], everything), text)
    faults += _unwritable(name, list(said))
    lines = [f"{item}{TAB}{text}" for item, text in said.items()]
    if any('"' in line for line in lines) and all(csv_fields(line, TAB) for line in lines):
        lines = [f"{item}{TAB}{_quoted(text)}" for item, text in said.items()]
    if broken:
        found = f"{name}: {broken:,} captions with line breaks or control characters"
        fix = "they are written with blanks instead, which ROUGE-L may count differently"
        written.findings.append(Fault("W494", str(written.folder), found, "one line a caption", fix))
    return "".join(line + "\n" for line in lines)


def _quoted(text: str) -> str:
    """By the rules of CSV: otherwise quotes around a whole caption would be taken for such."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else text


def _bare(name: str) -> str:
    """The id in the data of crossgauge's own ``I:en:q:17``."""
    match = _NAME.fullmatch(name)
    return match[1] if match else name


def _item(name: str, everything: set[str]) -> str:
    """The id in the data of an item; ``7#2`` is ``7`` where that is there too."""
    match = _AGAIN.fullmatch(name)
    return _bare(match[1] if match and match[1] in everything else name)


def _unwritable(name: str, ids: Sequence[str]) -> list[Fault]:
    wanted, fix = "ids without tabs, line breaks and quotes", "rename them in the data"
    odd = [one for one in ids if not one.strip() or _BREAKS.search(one) or TAB in one or '"' in one]
    return [Fault("E493", name, f"the id {one[:80]!r}", wanted, fix) for one in odd]
