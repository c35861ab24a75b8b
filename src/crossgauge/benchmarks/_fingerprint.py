"""What identifies data, and which pictures a limit keeps: hashes, so neither depends on order or place."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.media import content_digest
from crossgauge.types import Item


def fingerprint(pictures: Sequence[Item], *facts: Any) -> str:
    """``sha256:…`` over ids and bytes of the pictures, and over facts that JSON can hold; not over paths.

    Raises InputError with a fault (E160) for each picture that cannot be read.

    >>> fingerprint([], {"captions": 5})[:14]
    'sha256:e8d760e'
    """
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        found = list(pool.map(_digest, pictures))
    faults = [one for one in found if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    whole = hashlib.sha256()
    for line in sorted([picture.id, str(digest)] for picture, digest in zip(pictures, found, strict=True)):
        whole.update(_line(line))
    for fact in facts:
        whole.update(_line(fact))
    return f"sha256:{whole.hexdigest()}"


def lowest(ids: Iterable[str], n: int) -> frozenset[str]:
    """The ``n`` ids whose hashes are lowest: the same whatever else the data hold.

    >>> sorted(lowest(["a", "b", "c", "d"], 2))
    ['c', 'd']
    """
    return frozenset(sorted(ids, key=lambda one: hashlib.sha256(one.encode()).digest())[:n])


def short_hash(lines: Iterable[str]) -> str:
    """Twelve hexadecimal digits that name a list of texts: class names, templates."""
    return hashlib.sha256(_line(list(lines))).hexdigest()[:12]


def _line(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _digest(picture: Item) -> str | Fault:
    if picture.image is None:
        return ""
    try:
        return content_digest(picture.image, item=picture.id)
    except InputError as error:
        return error.faults[0]
