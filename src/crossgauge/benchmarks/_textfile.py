r"""Annotation files of a data set: read within a size budget, text as lines that end at LF, CR LF or CR only.

Lines of several files belong together by their number, so a U+2028 inside a caption may shift nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from crossgauge.errors import Fault
from crossgauge.tables import content, not_utf8, unreadable

MAX_BYTES = 1 << 30  # the longest of these files, Karpathy's COCO captions, has about 140 MB
_END = re.compile(r"\r\n|\n|\r")


def annotation(path: Path, name: str) -> tuple[bytes, tuple[Fault, ...]]:
    """The bytes of an annotation file, or the fault that keeps it from being read (E121, E138, E370)."""
    fault = unreadable(path, name)
    if fault is not None:
        return b"", (fault,)
    size = path.stat().st_size
    if size > MAX_BYTES:
        found = f"{size} bytes of annotations"
        return b"", (Fault("E370", name, found, f"at most {MAX_BYTES}", "is this the right file?"),)
    return content(path, name)


def text_lines(path: Path, name: str) -> tuple[list[str], tuple[Fault, ...]]:
    r"""The lines of a text file, whether or not the last one is ended, and what is wrong with it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.txt"
    ...     _ = path.write_bytes("one\r\ntwo\u2028still two\nthree".encode())
    ...     text_lines(path, "a.txt")[0]
    ['one', 'two\u2028still two', 'three']
    """
    data, faults = annotation(path, name)
    faults = faults or not_utf8(data, name)
    if faults:
        return [], faults
    lines = _END.split(data.decode())
    return (lines[:-1] if not lines[-1] else lines), ()


def to_last_text(lines: Sequence[str], *, least: int = 0) -> list[str]:
    """The lines without the blank ones at the end, which editors leave; the first ``least`` stay as they are.

    >>> to_last_text(["one", "", "two", "", " "]), to_last_text(["one", "", ""], least=2)
    (['one', '', 'two'], ['one', ''])
    """
    end = len(lines)
    while end > least and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])
