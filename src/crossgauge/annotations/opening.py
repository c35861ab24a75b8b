"""Annotations in any format that is read here; the content says which, not the file's name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.coco import read_coco
from crossgauge.annotations.jsonl import read_jsonl
from crossgauge.annotations.visual_genome import LISTS, read_visual_genome
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault, InputError
from crossgauge.magic import no_text
from crossgauge.readers.json_elements import elements
from crossgauge.readers.source import readable, size_of
from crossgauge.scenes import Annotations

Reader = Callable[..., Annotations]

_HEAD = 64 << 10  # bytes in which a file's kind shows
_BOM = b"\xef\xbb\xbf"
_KEY = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:')
_OF_COCO = frozenset({b"info", b"licenses", b"images", b"annotations", b"categories", b"type"})
_WANTED = (
    "objects.json, scene_graphs.json or attributes.json of Visual Genome, instances_*.json of COCO, or one "
    '{"image": …, "objects": [{"synset": …}]} a line'
)


def read_annotations(path: Path, *, hierarchy: Hierarchy, choice: Choice | None = None) -> Annotations:
    """The scenes of a file, by picture id: Visual Genome, COCO instances, or JSON lines.

    Concepts are nodes of ``hierarchy``; ``choice`` says what is done where an annotation can be read in
    several ways, and the findings count what was odd. Boxes are in pixels. Memory is that of the scenes kept,
    for COCO also that of the file.

    Raises InputError with all faults of the file: E210 (no file), E290 (no such format, cut off), E291 (a
    record is misshapen), E292 (boxes and counts that cannot be), E293 (twice), E294 (unknown concepts, where
    these are errors), E295 (ids that lead nowhere).
    """
    return _reader(path)(path, hierarchy=hierarchy, choice=choice or Choice())


def _reader(path: Path) -> Reader:
    size_of(path)
    with readable(path), path.open("rb") as handle:
        head = handle.read(_HEAD).removeprefix(_BOM).lstrip()
    if head.startswith(b"["):
        _same_lists(path)
        return read_visual_genome
    key = _KEY.match(head)
    if key is not None:
        return read_coco if key[1] in _OF_COCO else read_jsonl
    if (other := no_text(head)) is not None:
        raise InputError(Fault("E290", str(path), other.found, _WANTED, other.fix))
    shown = head[:40].decode("utf-8", "replace")
    found = f"begins with {shown!r}" if shown else "nothing but blank space"
    raise InputError(Fault("E290", str(path), found, _WANTED, "write it in one of these formats"))


def _same_lists(path: Path) -> None:
    """Raise InputError (E290) where the first record shows that a list is another file, not a damaged one."""
    first = next(elements(path, []), None)
    try:
        record = json.loads(first.data) if first is not None else {}
    except (ValueError, RecursionError):
        return  # the reader tells what is wrong with it
    if isinstance(record, dict) and record and not set(LISTS) & record.keys():
        found = f"a list of records with {', '.join(list(record)[:8])}"
        raise InputError(Fault("E290", str(path), found, _WANTED, "name the file that lists objects"))
