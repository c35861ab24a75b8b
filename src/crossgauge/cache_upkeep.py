"""Making room: whole stores that nobody used for long, or that are too many, are forgotten."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from crossgauge.cache import SUFFIX, Cache
from crossgauge.errors import Fault, UsageError
from crossgauge.store import Contents

LEFT = ".damaged-"  # in the name of a file that was set aside
LIVE = 600.0  # seconds since its last write within which another process may be at a store


@dataclass(frozen=True, slots=True)
class Forgotten:
    """One file that went, and why."""

    path: Path
    name: str  # of the model; "" for what was set aside or is of another version
    size: int  # bytes
    reason: str


def collect(
    cache: Cache,
    *,
    older_than: float | None = None,
    max_size: int | None = None,
    models: Collection[str] = (),
    keep: Collection[str] = (),
) -> tuple[Forgotten, ...]:
    """Forget stores of the cache's folder; what is in memory stays.

    A store counts as used when a run opens it. Forgotten are, in this order: files that were set aside as
    damaged and stores of other versions of the format; stores of ``models``; stores not used for
    ``older_than`` seconds; then the longest unused until the rest takes at most ``max_size`` bytes, but not
    what was written in the last ten minutes. Models to ``keep`` lose nothing; where these alone are said, all
    others are forgotten. Vectors that are forgotten are computed again when they are needed, and come out the
    same; a run that is writing a store that is forgotten begins it anew.

    Raises UsageError (E682) where nothing says what to forget.

    >>> collect(Cache.in_memory(), max_size=0)
    ()
    """
    if older_than is None and max_size is None and not models and not keep:
        fix = "--older-than 30d, --max-size 10GiB, --model NAME or --keep-model NAME"
        raise UsageError(Fault("E682", "cache gc", "nothing that says what to forget", "one of these", fix))
    now = time.time()
    gone = [_forget(path, "", reason) for path, reason in leftovers(cache.folder)]
    stores = [(one.path.stat().st_mtime, one) for one in cache.contents() if one.path.is_file()]
    stores.sort(key=lambda pair: (pair[0], pair[1].path))
    cache.close()  # its files may go now
    rest: list[tuple[float, Contents]] = []
    others = older_than is None and max_size is None and not models
    for used, one in stores:
        reason = "not to be kept" if others else _reason(one.name, now - used, models, older_than)
        if reason and one.name not in keep:
            gone.append(_forget(one.path, one.name, reason))
        else:
            rest.append((used, one))
    total = sum(one.size for _, one in rest)
    for used, one in rest:
        if max_size is not None and total > max_size and one.name not in keep and now - used > LIVE:
            gone.append(_forget(one.path, one.name, "longest unused of what is too much"))
            total -= one.size
    return tuple(gone)


def _reason(name: str, unused: float, models: Collection[str], older_than: float | None) -> str:
    """Why a store is to be forgotten whatever else there is; "" where it is not."""
    if name in models:
        return "named"
    old = older_than is not None and unused > older_than
    return f"unused for {unused / 86400:.1f} days" if old else ""


def size_of(path: Path) -> int:
    """Bytes on disk; 0 where another process has just forgotten it.

    >>> size_of(Path("no such file"))
    0
    """
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def leftovers(folder: Path) -> list[tuple[Path, str]]:
    """Files that no run reads any more, and what each is.

    >>> leftovers(Path("no such folder"))
    []
    """
    found = []
    for path in sorted(folder.glob("*.sqlite*")) if folder.is_dir() else ():
        if LEFT in path.name:
            found.append((path, "set aside as damaged"))
        elif path.name.endswith(".sqlite") and not path.name.endswith(SUFFIX):
            found.append((path, "of another version"))
    return found


def _forget(path: Path, name: str, reason: str) -> Forgotten:
    size = size_of(path)
    path.unlink(missing_ok=True)
    Path(f"{path}-journal").unlink(missing_ok=True)
    return Forgotten(path, name, size, reason)
